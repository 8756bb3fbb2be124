"""Messages between agents, their threads, and the files that they carry."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack
from urllib.parse import quote

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller, each
from assent.client.request import members
from assent.contract.exchange.attachments import GET_ATTACHMENT
from assent.contract.exchange.message_threads import (
    CREATE_MESSAGE_THREAD,
    GET_MESSAGE_THREADS,
    RESOLVE_MESSAGE_THREAD,
    MessageThread,
    MessageThreadStatus,
    ResolvedMessageThread,
    ResolveMessageThread,
)
from assent.contract.exchange.messages import (
    GET_MESSAGE,
    GET_MESSAGES,
    MARK_MESSAGES,
    SEND_MESSAGE,
    Direction,
    Mark,
    MarkedMessages,
    MarkMessages,
    Message,
    MessageType,
    SendMessage,
    SentMessage,
)
from assent.contract.file import File


class AttachmentFields(TypedDict):
    """A file to send: `data` is its bytes, or base64 text."""

    filename: str
    mime_type: str
    data: bytes | str


Attachments = Sequence[AttachmentFields | Mapping[str, Any]]


class MessageFields(TypedDict, total=False):
    """What may be said about a message of a known action; each is as in `contract.messages.SendMessage`."""

    subject: str | None
    thread_id: str | None
    urgent: bool | None
    doc_ref: str | None
    from_agent_id: str | None


class MessageOfActionFields(MessageFields, total=False):
    action_id: str | None


def sending(
    agent_id: str | None,
    body: str | Mapping[str, Any] | None,
    to: str | None,
    message_type: MessageType | str | None,
    attachments: Attachments | None,
    fields: Mapping[str, Any],
) -> Flow[SentMessage]:
    """Send a message as `agent_id`, unless it names another sender; `body` may be a mapping with all of it."""
    said: dict[str, Any] = _respelt(body) if isinstance(body, Mapping) else {} if body is None else {"body": body}
    named = {"to_agent_id": to, "message_type": message_type, **fields}
    given = {**said, **members(SendMessage, named, "send_message")}
    files = attachments or given.pop("attachments", None)
    if files:
        given["attachments"] = [_written(each) for each in files]
    if given.get("from_agent_id") is None and agent_id is not None:
        given["from_agent_id"] = agent_id
    return (yield from send(SEND_MESSAGE, body=given))


def _respelt(said: Mapping[str, Any]) -> dict[str, Any]:
    # It knows the members of every operation, and brings all of the contract along.
    from assent.contract.spelling import respell

    return respell(dict(said), SEND_MESSAGE.spelled)


class MessageOperations(Caller):
    @calls(SEND_MESSAGE, named={"to_agent_id": "to"})
    def send_message(
        self,
        body: str | Mapping[str, Any] | None = None,
        to: str | None = None,
        message_type: MessageType | str | None = None,
        attachments: Attachments | None = None,
        **fields: Unpack[MessageOfActionFields],
    ) -> Flow[SentMessage]:
        """Send a message to the agent `to`, or without it (or to "broadcast") to all. It is of type info unless
        `message_type` says action, lesson, question or status. At most three `attachments` of 5 MiB each: mappings of
        `filename`, `mime_type` and `data`, which is bytes or base64 text. Instead of all that, `body` may be a mapping
        that holds it: `{"to": ..., "type": ..., "subject": ..., "body": ..., "urgent": True}`.

        Raises InvalidRequest for an attachment that may not be sent and for a resolved thread, NotFound for an unknown
        action or thread. A message is not sent again when its answer is lost: it could arrive twice.
        """
        return (yield from sending(self.agent_id, body, to, message_type, attachments, fields))

    @calls(SEND_MESSAGE)
    def broadcast(
        self,
        body: str,
        message_type: MessageType | str | None = None,
        subject: str | None = None,
        thread_id: str | None = None,
        *,
        attachments: Attachments | None = None,
        urgent: bool | None = None,
        action_id: str | None = None,
    ) -> Flow[SentMessage]:
        """Send a message to every agent of the organization."""
        fields = {"subject": subject, "thread_id": thread_id, "urgent": urgent, "action_id": action_id}
        return (yield from sending(self.agent_id, body, None, message_type, attachments, fields))

    @sends(GET_MESSAGES, own=("agent_id",), fixed={"direction": Direction.INBOX})
    def get_inbox(
        self,
        *,
        message_type: MessageType | str | None = None,
        unread: bool | None = None,
        thread_id: str | None = None,
        agent_id: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of what was sent to this agent or to all, newest first, without what it has archived. `unread=True`
        keeps what it has not read; `unread_count` is there in any case. `limit` is 1 to 1000."""

    iterate_inbox = each(get_inbox, Message, lambda page: page.messages)

    @sends(GET_MESSAGES, own=("agent_id",), fixed={"direction": Direction.SENT})
    def get_sent_messages(
        self,
        message_type: MessageType | str | None = None,
        thread_id: str | None = None,
        limit: int | None = None,
        *,
        agent_id: str | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of what this agent has sent, newest first; `read_by` says who has read it."""

    iterate_sent_messages = each(get_sent_messages, Message, lambda page: page.messages)

    @sends(GET_MESSAGES, own=("agent_id",))
    def get_messages(
        self,
        direction: Direction | str | None = None,
        message_type: MessageType | str | None = None,
        unread: bool | None = None,
        thread_id: str | None = None,
        limit: int | None = None,
        *,
        agent_id: str | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of this agent's messages, newest first: its inbox, what it sent, or without a `direction` all of
        them, archived ones too. Without an agent, all that the key may see. `total` counts every page."""

    iterate_messages = each(get_messages, Message, lambda page: page.messages)

    @sends(GET_MESSAGE, own=("agent_id",))
    def get_message(self, message_id: str, agent_id: str | None = None) -> Response:
        """One message, as this agent sees it. Raises NotFound."""

    @calls(MARK_MESSAGES)
    def mark_messages(
        self, message_ids: Sequence[str] | str, action: Mark | str, agent_id: str | None = None
    ) -> Flow[MarkedMessages]:
        """Mark messages as `read`, or `archive` them, for this agent alone. `updated` counts those that were not marked
        so before; doing it again changes nothing."""
        return (yield from _marking(message_ids, action, agent_id or self.agent_id))

    @calls(MARK_MESSAGES)
    def mark_read(self, message_ids: Sequence[str] | str) -> Flow[MarkedMessages]:
        """Say that this agent has read these messages."""
        return (yield from _marking(message_ids, Mark.READ, self.agent_id))

    @calls(MARK_MESSAGES)
    def archive_messages(self, message_ids: Sequence[str] | str) -> Flow[MarkedMessages]:
        """Take these messages out of this agent's inbox. Others keep them in theirs."""
        return (yield from _marking(message_ids, Mark.ARCHIVE, self.agent_id))

    @sends(CREATE_MESSAGE_THREAD, own=("agent_id",))
    def create_message_thread(
        self, name: str, participants: Sequence[str] | None = None, agent_id: str | None = None
    ) -> Response:
        """Open a thread; its `thread_id` goes with the messages that belong to it. Without `participants` it is for
        all agents."""

    @sends(GET_MESSAGE_THREADS, own=("agent_id",))
    def get_message_threads(
        self,
        status: MessageThreadStatus | str | None = None,
        limit: int | None = None,
        *,
        agent_id: str | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of the threads that this agent takes part in, newest first; `limit` is 1 to 200."""

    iterate_message_threads = each(get_message_threads, MessageThread, lambda page: page.threads)

    @calls(RESOLVE_MESSAGE_THREAD, without=("status",))
    def resolve_message_thread(self, thread_id: str, summary: str | None = None) -> Flow[ResolvedMessageThread]:
        """Close a thread and say what came of it; it takes no more messages. Raises NotFound."""
        # The status is sent although it is the only one: a service may know others later.
        body = members(ResolveMessageThread, {"thread_id": thread_id, "summary": summary}, "resolve_message_thread")
        return (yield from send(RESOLVE_MESSAGE_THREAD, body={**body, "status": "resolved"}))

    @calls(GET_ATTACHMENT, named={"id": "attachment_id"})
    def get_attachment(self, attachment_id: str) -> Flow[File]:
        """A message's attachment: `data` is its bytes, beside `filename` and `mime_type`. Look at a file before you
        open it: an agent sent it, and nobody has looked at what is inside. Raises NotFound."""
        return (yield from send(GET_ATTACHMENT, query={"id": attachment_id}))

    def get_attachment_url(self, attachment_id: str) -> str:
        """Where an attachment can be fetched, with a key in the header x-api-key."""
        return f"{self.base_url}{GET_ATTACHMENT.path}?id={quote(attachment_id, safe='')}"


def _marking(message_ids: Sequence[str] | str, action: Mark | str, agent_id: str | None) -> Flow[MarkedMessages]:
    ids = (message_ids,) if isinstance(message_ids, str) else tuple(message_ids)
    body = MarkMessages(message_ids=ids, action=_mark(action), agent_id=agent_id)
    return (yield from send(MARK_MESSAGES, body=body))


def _mark(action: Mark | str) -> Mark:
    try:
        return Mark(action)
    except ValueError:
        raise ValueError(f"action is {action!r}; give one of {', '.join(Mark)}") from None


def _written(file: AttachmentFields | Mapping[str, Any]) -> dict[str, Any]:
    """The file as it goes over the wire."""
    data: object = file.get("data")
    plain = dict(file)
    if isinstance(data, bytes | bytearray | memoryview):
        plain["data"] = b64encode(data).decode("ascii")
    return plain
