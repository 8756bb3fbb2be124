"""Sessions: a stretch of an agent's work on one workspace, and what was recorded during it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from assent.contract.endpoint import Endpoint
from assent.contract.exchange.kinds import (
    Count,
    Kind,
    KindQuery,
    Listing,
    Prose,
    Title,
    Word,
    creates,
    gets,
    lists,
    updates,
)
from assent.contract.problems import Code
from assent.contract.record import Example, Record, Request, ShortText
from assent.contract.roles import ANYONE


class CreateSession(Request, frozen=True, kw_only=True):
    example: ClassVar[Example] = {"workspace": "shop", "branch": "main"}

    workspace: Title | None = None
    branch: Title | None = None
    status: Word = "active"
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class UpdateSession(Request, frozen=True, kw_only=True):
    """What is left out stays as it is. `commits_behind` counts commits of the main branch that this one lacks."""

    example: ClassVar[Example] = {"status": "completed"}

    status: Word | None = None
    workspace: Title | None = None
    branch: Title | None = None
    green_level: Word | int | None = None
    branch_freshness: Word | None = None
    commits_behind: Count | None = None
    blocked_reason: Prose | None = None
    metadata: dict[str, Any] | None = None


class Session(CreateSession, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    session_id: str
    green_level: Word | int | None = None
    branch_freshness: Word | None = None
    commits_behind: Count | None = None
    blocked_reason: Prose | None = None
    created_by: str
    created_at: datetime
    updated_at: datetime


class SessionAnswer(Record, frozen=True, kw_only=True):
    session: Session
    session_id: str


class Sessions(Listing, frozen=True, kw_only=True):
    sessions: list[Session]


class SessionsQuery(KindQuery, frozen=True, kw_only=True):
    status: Word | None = None


class SessionEvent(Record, frozen=True, kw_only=True):
    """`n` is the event's number in the organization's log, `subject` the id of what it is about, `actor` the id of
    the key that caused it."""

    n: int
    type: str
    subject: str
    action_id: str | None
    actor: str
    created_at: datetime


class SessionEvents(Record, frozen=True, kw_only=True):
    """The newest 1000, in order; `total` counts all."""

    events: list[SessionEvent]
    total: int


SESSION = Kind(
    name="session",
    prefix="ses_",
    path="/api/sessions",
    singular="session",
    plural="sessions",
    row=Session,
    named="workspace",
)

CREATE_SESSION = creates(SESSION, "create_session", CreateSession, SessionAnswer)
LIST_SESSIONS = lists(SESSION, "list_sessions", SessionsQuery, Sessions)
GET_SESSION = gets(SESSION, "get_session", SessionAnswer)
UPDATE_SESSION = updates(SESSION, "update_session", UpdateSession, SessionAnswer)
GET_SESSION_EVENTS = Endpoint(
    operation="get_session_events",
    method="GET",
    path="/api/sessions/{session_id}/events",
    summary="What was recorded of a session and of the actions that name it, in order.",
    roles=ANYONE,
    response=SessionEvents,
    problems=(Code.RECORD_NOT_FOUND,),
)
