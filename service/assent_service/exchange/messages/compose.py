"""What a message is when it is sent, and what a thread is when it is opened and resolved. Pure.

1. A message has a sender: the agent that the request names, else the key's own. Nobody sends without a name.
2. It goes to one agent or to all. "broadcast", "all" and nothing mean all; so no agent may be called that.
3. A thread of messages is not a thread of context. The ids of those begin with `ct_`, and are refused with a hint
   before anybody looks for them.
4. A thread is for its participants and whoever opened it; one without participants is for all. So is what is sent to
   all within it: for them and its sender. A message keeps whom it was for when it was sent.
5. A resolved thread takes no message. Resolving it again changes nothing, unless it comes with another summary.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from assent.contract.exchange.attachments import Attachment
from assent.contract.exchange.message_threads import (
    CreateMessageThread,
    MessageThreadStatus,
    ResolveMessageThread,
    ThreadRow,
)
from assent.contract.exchange.messages import TO_ALL, MessageRow, SendMessage
from assent.contract.names import is_among, same_name
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import moment
from assent_service.base.problem import Refusal, refuse
from assent_service.core.carry import carry
from assent_service.core.principal import Principal

OF_CONTEXT = "ct_"


def addressee(to_agent_id: str | None) -> str | None:
    """The agent that a message goes to, None for all of them."""
    return None if to_agent_id in TO_ALL else to_agent_id


def check_thread_id(thread_id: str | None, code: Code = Code.INVALID_BODY) -> None:
    """Raises `code` for the id of a context thread."""
    if thread_id is not None and thread_id.startswith(OF_CONTEXT):
        raise refuse(
            code,
            f"thread_id is {thread_id!r}, which is a context thread; messages go into message threads, which "
            "create_message_thread opens. What belongs to a context thread is added with add_thread_entry.",
            FieldError(place="thread_id", message="a context thread, not a message thread"),
        )


def composed(
    said: SendMessage,
    sender: str | None,
    attachments: Sequence[Attachment],
    *,
    org_id: str,
    message_id: str,
    now: int,
) -> MessageRow:
    """The message as it is recorded. Raises `invalid_body` without a sender."""
    return carry(
        MessageRow,
        said,
        org_id=org_id,
        message_id=message_id,
        from_agent_id=named("from_agent_id", sender, "sends"),
        to_agent_id=addressee(said.to_agent_id),
        attachments=list(attachments),
        attachment_count=len(attachments),
        attachment_bytes=sum(each.size_bytes for each in attachments),
        created_at=moment(now),
    )


def named(place: str, agent_id: str | None, does: str, code: Code = Code.INVALID_BODY) -> str:
    """`agent_id`, which must be there. Raises `code` when it is not."""
    if agent_id is None:
        raise refuse(
            code,
            f"{place} is missing and this key is bound to no agent; name the agent that {does}.",
            FieldError(place=place, message="is required with this key"),
        )
    return agent_id


def opened(said: CreateMessageThread, by: str | None, *, org_id: str, thread_id: str, now: int) -> ThreadRow:
    at = moment(now)
    return ThreadRow(
        org_id=org_id,
        thread_id=thread_id,
        name=said.name,
        participants=list(dict.fromkeys(said.participants or ())),
        status=MessageThreadStatus.OPEN,
        summary=None,
        created_by=by,
        resolved_at=None,
        created_at=at,
        updated_at=at,
    )


def resolved(thread: ThreadRow, said: ResolveMessageThread, now: int) -> ThreadRow:
    """The thread after it was resolved; the same object when that says nothing new."""
    done = thread.status is MessageThreadStatus.RESOLVED
    if done and said.summary in (None, thread.summary):
        return thread
    return msgspec.structs.replace(
        thread,
        status=MessageThreadStatus.RESOLVED,
        summary=thread.summary if said.summary is None else said.summary,
        resolved_at=thread.resolved_at if done else moment(now),
        updated_at=moment(now),
    )


def takes_part(thread: ThreadRow, agent_id: str) -> bool:
    return not thread.participants or same_name(agent_id, thread.created_by) or is_among(agent_id, thread.participants)


def among_private(principal: Principal, thread: ThreadRow) -> bool:
    """Whether all who take part have keys of their own, and this one is nobody's (`Principal.private`)."""
    taking = [*thread.participants, *([thread.created_by] if thread.created_by is not None else [])]
    return bool(thread.participants) and all(each in principal.private for each in taking)


def sent_within(message: MessageRow, thread: ThreadRow) -> MessageRow:
    """The message in its thread; whoever is named as its addressee needs no audience."""
    if message.to_agent_id is not None or not thread.participants:
        return message
    others = [each for each in (thread.created_by, message.from_agent_id) if each is not None]
    return msgspec.structs.replace(message, audience=tuple(dict.fromkeys([*thread.participants, *others])))


def check_open(thread: ThreadRow) -> None:
    """Raises `thread_closed`."""
    if thread.status is MessageThreadStatus.RESOLVED:
        raise refuse(
            Code.THREAD_CLOSED,
            f"Message thread {thread.thread_id} is resolved and takes no more messages; open another one.",
            FieldError(place="thread_id", message="is resolved"),
        )


def no_thread(thread_id: str) -> Refusal:
    return refuse(Code.THREAD_NOT_FOUND, f"There is no message thread {thread_id[:128]!r} in this organization.")
