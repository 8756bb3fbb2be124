"""What signals look at in an event, and nothing else of it: the fold stands beside guard. Pure.

- Only live rows count: what was imported is over, and what a simulator made up never was. A loop has no agent of its
  own but its action's; one on imported history is live, since somebody waits for it now.
- An action runs since it was recorded, or since it was allowed when it had to wait for that.
- It failed when it says so itself, but neither before it was recorded nor after its last change was.
- An assumption is wrong since somebody said so, within the same bounds.
- Of high impact is what runs, cannot be taken back, has the risk and names no scope that would allow it.
- Nobody allowed: guard blocked it or an approval was asked for, no operator said yes, and its status says that it was
  done (completed) or tried (failed).
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from assent_service.base.clock import microseconds

LIVE = "live"
RUNNING, BLOCKED, FAILED, COMPLETED = "running", "blocked", "failed", "completed"
OPEN = "open"
WORDS = 120
"""Characters of a description that are remembered."""


class Replaced(Struct, frozen=True, gc=False):
    status: str | None = None


class WatchedChange(Struct, frozen=True, gc=False):
    replaced: Replaced


class WatchedAction(Struct, frozen=True, gc=False):
    agent_id: str | None
    action_type: str
    status: str
    reversible: bool
    risk_score: float
    authorization_scope: str | None
    decision: str
    approval_id: str | None
    approved_by: str | None
    approved_at: datetime | None
    source: str
    timestamp_end: datetime | None
    created_at: datetime
    change: WatchedChange | None = None


class WatchedLoop(Struct, frozen=True, gc=False):
    loop_id: str
    action_id: str
    agent_id: str | None
    loop_type: str
    description: str
    status: str
    priority: str
    source: str
    created_at: datetime


class WatchedAssumption(Struct, frozen=True, gc=False):
    assumption_id: str
    action_id: str
    agent_id: str | None
    assumption: str
    validated: bool
    invalidated: bool
    validated_at: datetime | None
    source: str
    occurred_at: datetime
    created_at: datetime
    updated_at: datetime


class WatchedSignal(Struct, frozen=True, gc=False):
    type: str
    subject: str
    since: datetime


class WatchedErasure(Struct, frozen=True, gc=False):
    agent_id: str | None


def runs_since(created: int, approved_at: datetime | None) -> int:
    return created if approved_at is None else microseconds(approved_at)


def within(said: datetime | None, created: int, updated: int) -> int:
    """When something happened by its own word, held against when it was recorded; microseconds."""
    return updated if said is None else min(max(microseconds(said), created), updated)


def is_impactful(action: WatchedAction, risk: float) -> bool:
    return not action.reversible and action.risk_score >= risk and not action.authorization_scope


def is_unallowed(action: WatchedAction) -> bool:
    asked = action.approval_id is not None or action.decision in ("require_approval", "block")
    return asked and action.approved_by is None and action.status in (COMPLETED, FAILED)


def loop_words(loop_type: str, priority: str, description: str) -> str:
    return f"{loop_type}, priority {priority}: {shortened(description)}"


def shortened(text: str) -> str:
    return text if len(text) <= WORDS else text[: WORDS - 1] + "…"
