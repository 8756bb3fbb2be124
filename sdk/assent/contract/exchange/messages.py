"""Messages between agents: to one, or to all of the organization, with attachments and a state for each reader."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta, field

from assent.contract.endpoint import MEGABYTE, Endpoint
from assent.contract.exchange.attachments import MOST_ATTACHMENTS, Attachment, NewAttachment
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
    Example,
    Id,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    meaning,
)
from assent.contract.roles import ACTING, ANYONE

AgentName = Annotated[str, Meta(min_length=1, max_length=128)]
TO_ALL = frozenset({"broadcast", "all"})
"""What `to` may say for everybody, beside being left out."""
MESSAGE_LIMIT = 22 * MEGABYTE
"""Three attachments of 5 MiB as base64, and the message around them."""


class MessageType(StrEnum):
    """`action` asks somebody to do something, `lesson` is something learnt that others should know."""

    ACTION = "action"
    INFO = "info"
    LESSON = "lesson"
    QUESTION = "question"
    STATUS = "status"


class MessageStatus(StrEnum):
    """`sent` until its reader has read or archived it."""

    SENT = "sent"
    READ = "read"
    ARCHIVED = "archived"


class Direction(StrEnum):
    """`inbox`: to the agent or to all, not by it, not archived by it. `sent`: by it. `all`: both, and archived ones."""

    INBOX = "inbox"
    SENT = "sent"
    ALL = "all"


class Mark(StrEnum):
    """What a reader does with a message."""

    READ = "read"
    ARCHIVE = "archive"


class SendMessage(Request, frozen=True, kw_only=True):
    """`from_agent_id` is who sends it; a key that is bound to an agent may leave it out. `to_agent_id` (also `to`) is
    the agent it goes to; left out, "broadcast" or "all" it goes to every agent. `action_id` is the action it is about.
    `thread_id` is an open message thread. `doc_ref` is where more is to be found."""

    example: ClassVar[Example] = {"body": "The disk is full."}

    from_agent_id: AgentName | None = None
    to_agent_id: AgentName | None = None
    message_type: MessageType = MessageType.INFO
    subject: Annotated[str, Meta(max_length=200)] | None = None
    body: Annotated[str, Meta(min_length=1, max_length=2000)]
    thread_id: Id | None = None
    urgent: bool = False
    doc_ref: Annotated[str, Meta(max_length=500)] | None = None
    action_id: Id | None = None
    attachments: Annotated[tuple[NewAttachment, ...], Meta(max_length=MOST_ATTACHMENTS)] | None = None


class MessageRow(Record, frozen=True, kw_only=True):
    """The payload of `message.created`, which also has the published `id`. `audience` are the agents that a message to
    all is for alone; without any it is for every agent. A tuple, so that rows older than it load with its default."""

    org_id: OrganizationId
    message_id: Annotated[str, meaning("id of the message", frozen=True)]
    from_agent_id: Annotated[str, meaning("the agent that sent it", frozen=True)]
    to_agent_id: Annotated[str | None, meaning("the agent it went to; empty for a broadcast to all", frozen=True)]
    message_type: Annotated[MessageType, meaning("action, info, lesson, question or status")]
    subject: Annotated[str | None, meaning("what it is about, in its sender's words")]
    body: Annotated[str, meaning("what it says")]
    thread_id: Annotated[str | None, meaning("the message thread it is in")]
    urgent: Annotated[bool, meaning("whether its sender called it urgent")]
    doc_ref: Annotated[str | None, meaning("where more is to be found")]
    action_id: Annotated[str | None, meaning("the action it is about", frozen=True)]
    attachments: Annotated[list[Attachment], meaning("its files: ids, names, types, sizes and digests")]
    attachment_count: Annotated[int, meaning("how many files it carries")]
    attachment_bytes: Annotated[int, meaning("how large they are together", unit="bytes")]
    audience: Annotated[
        tuple[str, ...], meaning("ids of the agents that a message to all is for alone; none means every agent")
    ] = ()
    created_at: RecordedAt


class MarkRow(Record, frozen=True, kw_only=True):
    """The payload of `message.updated`: one reader did this with one message."""

    org_id: OrganizationId
    mark_id: Annotated[str, meaning("id of the mark", frozen=True)]
    message_id: Annotated[str, meaning("the message", frozen=True)]
    agent_id: Annotated[str, meaning("the agent that read or archived it", frozen=True)]
    mark: Annotated[Mark, meaning("read or archive")]
    created_at: RecordedAt


class Message(Record, frozen=True, kw_only=True):
    """`id` and `message_id` are the same. `to_agent_id` is null for a broadcast.

    `status`, `is_read`, `read_at` and `archived_at` are those of the reader: the addressee, or for a broadcast the
    agent that asks. `read_by` lists who has read it, in that order; a key that is bound to an agent is told of others
    only where its agent is the sender.
    """

    org_id: str
    id: str
    message_id: str
    thread_id: str | None
    from_agent_id: str
    to_agent_id: str | None
    message_type: MessageType
    subject: str | None
    body: str
    urgent: bool
    status: MessageStatus
    doc_ref: str | None
    action_id: str | None
    attachments: list[Attachment]
    is_read: bool
    read_by: list[str]
    created_at: datetime
    read_at: datetime | None
    archived_at: datetime | None


class SentMessage(Record, frozen=True, kw_only=True):
    """`warnings` say where the message reads like a prompt injection; it was sent all the same."""

    message: Message
    message_id: str
    warnings: list[str] = field(default_factory=list[str])


class MessageDetail(Record, frozen=True, kw_only=True):
    message: Message


class MessagesQuery(Query, frozen=True, kw_only=True):
    """`agent_id` is whose messages they are; a key that is bound to an agent may leave it out, and without either all
    of the organization's are listed. `unread` true keeps what the agent has not read; with `sent`, what nobody has.
    `limit` is 1 to 1000; `offset` counts only without a `cursor`."""

    agent_id: AgentName | None = None
    direction: Direction = Direction.ALL
    message_type: MessageType | None = None
    unread: bool | None = None
    thread_id: Id | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class Messages(Record, frozen=True, kw_only=True):
    """Newest first. `total` is how many fit the filters, on all pages. `unread_count` is how many messages wait unread
    in the agent's inbox, whatever the filters; 0 where no agent is named."""

    messages: list[Message]
    total: int
    unread_count: int
    next_cursor: str | None


class MessageQuery(Query, frozen=True, kw_only=True):
    """`agent_id` is for whom the state of a broadcast is told; a bound key's own agent without it."""

    agent_id: Annotated[AgentName, Meta(description="for whom the state of a broadcast is told")] | None = None


class MarkMessages(Request, frozen=True, kw_only=True):
    """`agent_id` is who has read or archived them; a key that is bound to an agent may leave it out."""

    example: ClassVar[Example] = {"message_ids": ["msg_1"], "action": "read"}

    message_ids: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=200)]
    action: Mark
    agent_id: AgentName | None = None


class MarkedMessages(Record, frozen=True, kw_only=True):
    """`updated` counts the messages that were not marked so before. Unknown ones, and those that are not for this
    reader, are left out of it."""

    updated: int


SEND_MESSAGE = Endpoint(
    operation="send_message",
    method="POST",
    path="/api/messages",
    summary="Send a message to one agent or to all, with up to three attachments.",
    roles=ACTING,
    request=SendMessage,
    spelled={"to": "to_agent_id", "from": "from_agent_id", "agent_id": "from_agent_id", "type": "message_type"},
    response=SentMessage,
    statuses=(201,),
    problems=(
        Code.THREAD_CLOSED,
        Code.THREAD_NOT_FOUND,
        Code.ACTION_NOT_FOUND,
        Code.AGENT_MISMATCH,
        Code.PROJECTION_BEHIND,
    ),
    limit=MESSAGE_LIMIT,
    # Files are handed out byte for byte as they came.
    keeps_secrets=("attachments.data",),
)
GET_MESSAGES = Endpoint(
    operation="get_messages",
    method="GET",
    path="/api/messages",
    summary="An agent's messages, newest first: its inbox, what it sent, or both.",
    roles=ANYONE,
    query=MessagesQuery,
    spelled={"type": "message_type"},
    response=Messages,
    problems=(Code.AGENT_MISMATCH,),
)
GET_MESSAGE = Endpoint(
    operation="get_message",
    method="GET",
    path="/api/messages/{message_id}",
    summary="One message.",
    roles=ANYONE,
    query=MessageQuery,
    response=MessageDetail,
    problems=(Code.MESSAGE_NOT_FOUND, Code.AGENT_MISMATCH),
)
MARK_MESSAGES = Endpoint(
    operation="mark_messages",
    method="PATCH",
    path="/api/messages",
    summary="Say that an agent has read messages, or put them away.",
    roles=ACTING,
    request=MarkMessages,
    response=MarkedMessages,
    problems=(Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
)
