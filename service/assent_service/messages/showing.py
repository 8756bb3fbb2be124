"""A message as somebody sees it. Pure.

1. An agent sees what it sent, what was sent to it, and what was sent to all, unless that has an audience (a thread's
   participants) and the agent is not of it. Whoever sees the organization's rows sees all of them.
2. The reader of a direct message is its addressee; of a broadcast, every agent that sees it but its sender. `status`,
   `is_read`, `read_at` and `archived_at` are the reader's: the addressee's, whoever looks, or those of the agent that
   looks at a broadcast.
3. Archiving is not reading: an archived message has left the inbox, and its sender is not told that it was read.
4. Who has read a message is told to its sender and to those who see everything. Another agent is told of itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from assent.contract.messages import Mark, Message, MessageStatus
from assent_service.core.principal import Principal
from assent_service.messages.stored import StoredMark, StoredMessage


def may_see(principal: Principal, message: StoredMessage) -> bool:
    if message.to_agent_id is None:
        return not message.audience or any(map(principal.sees, message.audience))
    return any(map(principal.sees, (message.from_agent_id, message.to_agent_id)))


def is_reader(message: StoredMessage, agent_id: str) -> bool:
    """Whether `agent_id` is one that may mark it."""
    if message.to_agent_id is None:
        return agent_id != message.from_agent_id and (not message.audience or agent_id in message.audience)
    return agent_id == message.to_agent_id


def shown(message: StoredMessage, marks: Sequence[StoredMark], principal: Principal, looker: str | None) -> Message:
    """`marks` are those of this message, oldest first; `looker` the agent for whom it is looked at, if any."""
    reader = looker if message.to_agent_id is None else message.to_agent_id
    own = {each.mark: each.created_at for each in marks if each.agent_id == reader}
    read_at, archived_at = own.get(Mark.READ), own.get(Mark.ARCHIVE)
    told_all = principal.sees(message.from_agent_id)
    readers = [each.agent_id for each in marks if each.mark is Mark.READ]
    status = MessageStatus.SENT if read_at is None else MessageStatus.READ
    return Message(
        org_id=message.org_id,
        id=message.message_id,
        message_id=message.message_id,
        thread_id=message.thread_id,
        from_agent_id=message.from_agent_id,
        to_agent_id=message.to_agent_id,
        message_type=message.message_type,
        subject=message.subject,
        body=message.body,
        urgent=message.urgent,
        status=status if archived_at is None else MessageStatus.ARCHIVED,
        doc_ref=message.doc_ref,
        action_id=message.action_id,
        attachments=message.attachments,
        is_read=read_at is not None,
        read_by=readers if told_all else [each for each in readers if each == principal.agent_id],
        created_at=message.created_at,
        read_at=read_at,
        archived_at=archived_at,
    )
