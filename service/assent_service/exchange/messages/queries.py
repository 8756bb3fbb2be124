"""Lists of messages and threads: which of them a question is about, as conditions on the tables, and the messages with
what their readers did with them.

An agent's inbox is what was sent to it or to all, not by itself, and what it has not archived. What was sent to all
within a thread of some was sent to those: the message's `audience`. `unread` keeps what the agent has still to read; of
what was sent, what nobody has read. See `rows` for who sees what.
"""

from __future__ import annotations

from collections.abc import Sequence

from assent.contract.control.actions import Action
from assent.contract.exchange.message_threads import MessageThreadsQuery
from assent.contract.exchange.messages import Direction, Mark, MarkRow, Message, MessageRow, Messages, MessagesQuery
from assent.contract.problems import Code
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, Filters, count_rows, list_rows, record, select
from assent_service.exchange.messages.compose import check_thread_id, named
from assent_service.exchange.messages.rows import MESSAGE_MARKS, MESSAGE_THREADS, MESSAGES, as_answer
from assent_service.store.ledger import Ledger
from assent_service.store.spelling import name_in, name_is, name_key, name_keys

MESSAGE_FILTERS = Filters(MESSAGES, MessagesQuery, {"agent_id": None, "direction": None, "unread": None})
THREAD_FILTERS = Filters(MESSAGE_THREADS, MessageThreadsQuery, {"agent_id": None})

_MARKED = f"SELECT message_id FROM message_marks WHERE org_id = ? AND {name_is('agent_id')} AND mark = ?"
_NOT_MARKED = f"message_id NOT IN ({_MARKED})"
_TO, _FROM = name_is("to_agent_id"), name_is("from_agent_id")
_READ_BY_NOBODY = "message_id NOT IN (SELECT message_id FROM message_marks WHERE org_id = ? AND mark = ?)"
# Empty where the message is older than the column.
_TO_ALL_WITH_IT = (
    f"(to_agent_id IS NULL AND (audience IS NULL OR CAST(audience AS VARCHAR) = '[]' OR {name_in('audience')}))"
)
_OWN = (
    f"SELECT {name_key('agent_id')} FROM api_keys "
    "WHERE org_id = ? AND role = 'agent' AND revoked_at IS NULL AND agent_id IS NOT NULL"
)
_NOT_AMONG_THEM = (
    f"((to_agent_id IS NOT NULL AND ({name_key('to_agent_id')} NOT IN ({_OWN}) "
    f"OR {name_key('from_agent_id')} NOT IN ({_OWN}))) "
    "OR (to_agent_id IS NULL AND (audience IS NULL OR CAST(audience AS VARCHAR) = '[]' "
    f"OR NOT list_has_all(ARRAY({_OWN}), {name_keys('audience')}))))"
)
_THREAD_NOT_AMONG_THEM = (
    "(CAST(participants AS VARCHAR) = '[]' "
    f"OR NOT list_has_all(ARRAY({_OWN}), {name_keys('participants')}) OR {name_key('created_by')} NOT IN ({_OWN}))"
)
_TAKES_PART = f"(CAST(participants AS VARCHAR) = '[]' OR {name_is('created_by')} OR {name_in('participants')})"


def looker(principal: Principal, agent_id: str | None) -> str | None:
    """The agent for whom is looked: the one named, else the key's own. Raises `agent_mismatch` for another's name,
    and for the inbox of an agent that has a key of its own."""
    if not principal.sees(agent_id):
        principal.speaks_for(agent_id)
    if agent_id is not None:
        principal.check_inbox(agent_id)
    return agent_id or principal.agent_id


def visible(principal: Principal) -> Filter:
    """The messages that the caller may see."""
    chosen = Filter(principal.org_id)
    if not principal.sees(None):
        _add_own(chosen, principal.agent_id)
    if principal.private:
        chosen.add_all(_NOT_AMONG_THEM, [principal.org_id] * 3)
    return chosen


def chosen_messages(principal: Principal, query: MessagesQuery, agent_id: str | None) -> Filter:
    """Raises `invalid_query` for an inbox that is nobody's, and for the id of a context thread."""
    check_thread_id(query.thread_id, Code.INVALID_QUERY)
    chosen = visible(principal)
    if query.direction is Direction.INBOX:
        owner = named("agent_id", agent_id, "has this inbox", Code.INVALID_QUERY)
        _add_inbox(chosen, principal.org_id, owner)
    elif query.direction is Direction.SENT:
        chosen.add(_FROM, named("agent_id", agent_id, "sent them", Code.INVALID_QUERY))
    elif agent_id is not None:
        _add_own(chosen, agent_id)
    MESSAGE_FILTERS.narrow(chosen, query)
    if query.unread:
        if query.direction is Direction.SENT or agent_id is None:
            chosen.add_all(_READ_BY_NOBODY, [principal.org_id, Mark.READ.value])
        else:
            _add_unread(chosen, principal.org_id, agent_id)
    return chosen


def unread_inbox(org_id: str, agent_id: str) -> Filter:
    chosen = Filter(org_id)
    _add_inbox(chosen, org_id, agent_id)
    _add_unread(chosen, org_id, agent_id)
    return chosen


def chosen_threads(principal: Principal, query: MessageThreadsQuery, agent_id: str | None) -> Filter:
    chosen = Filter(principal.org_id)
    if agent_id is not None:
        chosen.add_all(_TAKES_PART, [agent_id, agent_id])
    if principal.private:
        chosen.add_all(_THREAD_NOT_AMONG_THEM, [principal.org_id] * 2)
    THREAD_FILTERS.narrow(chosen, query)
    return chosen


def _add_own(chosen: Filter, agent_id: str | None) -> None:
    chosen.add_all(f"({_TO_ALL_WITH_IT} OR {_TO} OR {_FROM})", [agent_id, agent_id, agent_id])


def _add_inbox(chosen: Filter, org_id: str, agent_id: str) -> None:
    chosen.add_all(f"({_TO_ALL_WITH_IT} OR {_TO}) AND NOT {_FROM}", [agent_id, agent_id, agent_id])
    chosen.add_all(_NOT_MARKED, [org_id, agent_id, Mark.ARCHIVE.value])


def _add_unread(chosen: Filter, org_id: str, agent_id: str) -> None:
    chosen.add_all(f"({_TO} OR (to_agent_id IS NULL AND NOT {_FROM}))", [agent_id, agent_id])
    chosen.add_all(_NOT_MARKED, [org_id, agent_id, Mark.READ.value])


# Messages from the tables, each with what its readers did with it.


OF_ACTION = 200
"""The most messages of one action that are told, the first ones."""


async def list_messages(ledger: Ledger, principal: Principal, query: MessagesQuery) -> Messages:
    """A page of the messages that the caller may see. Raises `agent_mismatch` and `invalid_query`."""
    agent_id = looker(principal, query.agent_id)
    chosen = chosen_messages(principal, query, agent_id)
    page = await list_rows(ledger, MESSAGES, MessageRow, chosen, query)
    return Messages(
        messages=await as_answers(ledger, principal, agent_id, page.rows),
        total=page.total,
        unread_count=await count_rows(ledger, MESSAGES, unread_inbox(principal.org_id, agent_id)) if agent_id else 0,
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
    found = [record(MESSAGES, row, MessageRow) for row in rows]
    total = len(found) if len(found) < OF_ACTION else await count_rows(ledger, MESSAGES, chosen)
    return total, await as_answers(ledger, principal, principal.agent_id, found)


async def as_answers(
    ledger: Ledger, principal: Principal, agent_id: str | None, messages: Sequence[MessageRow]
) -> list[Message]:
    """The messages as they are shown, in the same order."""
    by_message: dict[str, list[MarkRow]] = {each.message_id: [] for each in messages}
    for mark in await marks_of(ledger, principal.org_id, list(by_message)):
        by_message[mark.message_id].append(mark)
    return [as_answer(each, by_message[each.message_id], principal, agent_id) for each in messages]


async def marks_of(ledger: Ledger, org_id: str, message_ids: Sequence[str]) -> list[MarkRow]:
    """Everything that readers did with these messages, oldest first."""
    if not message_ids:
        return []
    rows = await ledger.read(
        f"SELECT {select(MESSAGE_MARKS)} FROM message_marks WHERE org_id = ? AND message_id IN ({_marks(message_ids)}) "
        "ORDER BY created_at, mark_id",
        [org_id, *message_ids],
    )
    return [record(MESSAGE_MARKS, row, MarkRow) for row in rows]


async def unmarked(
    ledger: Ledger, org_id: str, agent_id: str, mark: Mark, message_ids: Sequence[str]
) -> list[MessageRow]:
    """Those of these messages that are there and that the agent has not marked so, oldest first."""
    rows = await ledger.read(
        f"SELECT {select(MESSAGES)} FROM messages WHERE org_id = ? AND message_id IN ({_marks(message_ids)}) "
        f"AND {_NOT_MARKED} "
        "ORDER BY created_at, message_id",
        [org_id, *message_ids, org_id, agent_id, mark.value],
    )
    return [record(MESSAGES, row, MessageRow) for row in rows]


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))
