"""Messages, marks and threads as they are recorded: without what depends on who looks."""

from __future__ import annotations

from datetime import datetime

from assent.contract.attachments import Attachment
from assent.contract.message_threads import MessageThreadStatus
from assent.contract.messages import Mark, MessageType
from assent.contract.record import Record


class StoredMessage(Record, frozen=True, kw_only=True):
    """The payload of `message.created`, which also has the published `id`. `audience` are the agents that a message to
    all is for alone; without any it is for every agent. A tuple, so that rows older than it load with its default."""

    org_id: str
    message_id: str
    from_agent_id: str
    to_agent_id: str | None
    message_type: MessageType
    subject: str | None
    body: str
    thread_id: str | None
    urgent: bool
    doc_ref: str | None
    action_id: str | None
    attachments: list[Attachment]
    attachment_count: int
    attachment_bytes: int
    audience: tuple[str, ...] = ()
    created_at: datetime


class StoredMark(Record, frozen=True, kw_only=True):
    """The payload of `message.updated`: one reader did this with one message."""

    org_id: str
    mark_id: str
    message_id: str
    agent_id: str
    mark: Mark
    created_at: datetime


class StoredThread(Record, frozen=True, kw_only=True):
    """The payload of `message_thread.created` and `.updated`, which also have the published `id`."""

    org_id: str
    thread_id: str
    name: str
    participants: list[str]
    status: MessageThreadStatus
    summary: str | None
    created_by: str | None
    resolved_at: datetime | None
    created_at: datetime
    updated_at: datetime
