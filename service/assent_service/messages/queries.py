"""Messages from the tables, each with what its readers did with it."""

from __future__ import annotations

from collections.abc import Sequence

from assent.contract.actions import Action
from assent.contract.messages import Mark, Message, Messages, MessagesQuery
from assent_service.core.page import read_page
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, record, select
from assent_service.messages.choosing import chosen_messages, looker, unread_inbox, visible
from assent_service.messages.showing import shown
from assent_service.messages.stored import StoredMark, StoredMessage
from assent_service.messages.tables import MESSAGE_MARKS, MESSAGES
from assent_service.store.ledger import Ledger

OF_ACTION = 200
"""The most messages of one action that are told, the first ones."""


async def list_messages(ledger: Ledger, principal: Principal, query: MessagesQuery) -> Messages:
    """A page of the messages that the caller may see. Raises `agent_mismatch` and `invalid_query`."""
    agent_id = looker(principal, query.agent_id)
    chosen = chosen_messages(principal, query, agent_id)
    page = await read_page(
        ledger, MESSAGES, StoredMessage, chosen, cursor=query.cursor, limit=query.limit, offset=query.offset
    )
    return Messages(
        messages=await shown_all(ledger, principal, agent_id, page.rows),
        total=await count(ledger, chosen),
        unread_count=await count(ledger, unread_inbox(principal.org_id, agent_id)) if agent_id else 0,
        next_cursor=page.next_cursor,
    )


async def of_action(ledger: Ledger, principal: Principal, action: Action) -> tuple[int, list[Message]]:
    """How many messages about an action the caller may see, and the first 200 of them, oldest first."""
    chosen = visible(principal)
    chosen.add("action_id = ?", action.action_id)
    rows = await ledger.read(
        f"SELECT {select(MESSAGES)} FROM messages WHERE {chosen.where} ORDER BY created_at, message_id LIMIT ?",
        [*chosen.parameters, OF_ACTION],
    )
    found = [record(MESSAGES, row, StoredMessage) for row in rows]
    total = len(found) if len(found) < OF_ACTION else await count(ledger, chosen)
    return total, await shown_all(ledger, principal, principal.agent_id, found)


async def shown_all(
    ledger: Ledger, principal: Principal, agent_id: str | None, messages: Sequence[StoredMessage]
) -> list[Message]:
    """The messages as they are shown, in the same order."""
    by_message: dict[str, list[StoredMark]] = {each.message_id: [] for each in messages}
    for mark in await marks_of(ledger, principal.org_id, list(by_message)):
        by_message[mark.message_id].append(mark)
    return [shown(each, by_message[each.message_id], principal, agent_id) for each in messages]


async def marks_of(ledger: Ledger, org_id: str, message_ids: Sequence[str]) -> list[StoredMark]:
    """Everything that readers did with these messages, oldest first."""
    if not message_ids:
        return []
    rows = await ledger.read(
        f"SELECT {select(MESSAGE_MARKS)} FROM message_marks WHERE org_id = ? AND message_id IN ({_marks(message_ids)}) "
        "ORDER BY created_at, mark_id",
        [org_id, *message_ids],
    )
    return [record(MESSAGE_MARKS, row, StoredMark) for row in rows]


async def unmarked(
    ledger: Ledger, org_id: str, agent_id: str, mark: Mark, message_ids: Sequence[str]
) -> list[StoredMessage]:
    """Those of these messages that are there and that the agent has not marked so, oldest first."""
    rows = await ledger.read(
        f"SELECT {select(MESSAGES)} FROM messages WHERE org_id = ? AND message_id IN ({_marks(message_ids)}) "
        "AND message_id NOT IN (SELECT message_id FROM message_marks WHERE org_id = ? AND agent_id = ? AND mark = ?) "
        "ORDER BY created_at, message_id",
        [org_id, *message_ids, org_id, agent_id, mark.value],
    )
    return [record(MESSAGES, row, StoredMessage) for row in rows]


async def count(ledger: Ledger, chosen: Filter, table: str = "messages") -> int:
    ((number,),) = await ledger.read(f"SELECT count(*) FROM {table} WHERE {chosen.where}", chosen.parameters)
    return int(str(number))


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))
