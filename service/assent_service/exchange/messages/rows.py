"""Messages, marks and threads: their tables, and a message as one reader sees it.

What is recorded does not depend on who looks.
"""

from __future__ import annotations

from collections.abc import Sequence

from assent.contract.exchange.message_threads import ThreadRow
from assent.contract.exchange.messages import Mark, MarkRow, Message, MessageRow, MessageStatus
from assent.contract.names import is_among, same_name
from assent_service.core.carry import carry
from assent_service.core.principal import Principal
from assent_service.store.tables import Table

MESSAGES = Table.of(
    MessageRow,
    name="messages",
    meaning="messages that agents sent, one row each",
    key="message_id",
    created=("message.created",),
    files="attachments",
)
MESSAGE_MARKS = Table.of(
    MarkRow,
    name="message_marks",
    meaning="what readers did with messages, one row for the first time that one of them read or archived one",
    key="mark_id",
    created=("message.updated",),
)
MESSAGE_THREADS = Table.of(
    ThreadRow,
    name="message_threads",
    meaning="threads of messages, one row for each as it stands now",
    key="thread_id",
    created=("message_thread.created",),
    replaced=("message_thread.updated",),
)


# A message as somebody sees it. Pure.
#
# 1. An agent sees what it sent, what was sent to it, and what was sent to all, unless that has an audience (a thread's
#    participants) and the agent is not of it. Whoever sees the organization's rows sees all of them, but for a key that
#    is bound to no agent: it does not see what is among agents that have keys of their own (`Principal.private`).
# 2. The reader of a direct message is its addressee; of a broadcast, every agent that sees it but its sender. `status`,
#    `is_read`, `read_at` and `archived_at` are the reader's: the addressee's, whoever looks, or those of the agent that
#    looks at a broadcast.
# 3. Archiving is not reading: an archived message has left the inbox, and its sender is not told that it was read.
# 4. Who has read a message is told to its sender and to those who see everything. Another agent is told of itself.


def may_see(principal: Principal, message: MessageRow) -> bool:
    if message.to_agent_id is None:
        return not message.audience or any(_stands_for(principal, each) for each in message.audience)
    return any(_stands_for(principal, each) for each in (message.from_agent_id, message.to_agent_id))


def _stands_for(principal: Principal, agent_id: str) -> bool:
    return principal.sees(agent_id) and agent_id not in principal.private


def is_reader(message: MessageRow, agent_id: str) -> bool:
    """Whether `agent_id` is one that may mark it."""
    if message.to_agent_id is None:
        among = not message.audience or is_among(agent_id, message.audience)
        return among and not same_name(agent_id, message.from_agent_id)
    return same_name(agent_id, message.to_agent_id)


def as_answer(message: MessageRow, marks: Sequence[MarkRow], principal: Principal, looker: str | None) -> Message:
    """`marks` are those of this message, oldest first; `looker` the agent for whom it is looked at, if any."""
    reader = looker if message.to_agent_id is None else message.to_agent_id
    own = {each.mark: each.created_at for each in marks if same_name(each.agent_id, reader)}
    read_at, archived_at = own.get(Mark.READ), own.get(Mark.ARCHIVE)
    told_all = principal.sees(message.from_agent_id)
    readers = [each.agent_id for each in marks if each.mark is Mark.READ]
    status = MessageStatus.SENT if read_at is None else MessageStatus.READ
    return carry(
        Message,
        message,
        id=message.message_id,
        status=status if archived_at is None else MessageStatus.ARCHIVED,
        is_read=read_at is not None,
        read_by=readers if told_all else [each for each in readers if same_name(each, principal.agent_id)],
        read_at=read_at,
        archived_at=archived_at,
    )
