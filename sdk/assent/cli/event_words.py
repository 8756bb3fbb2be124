"""An event in few words: when, what, whose, and what it says. Pure.

What a table of words does not know is told by the members that most records have, so that a new kind of event is a
line, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from assent.cli.text import clean
from assent.contract.events import Event, EventName

HEADER = ("id", "time", "event", "agent", "subject", "words")
TIMES = ("decided_at", "claimed_at", "updated_at", "evaluated_at", "changed_at", "created_at", "occurred_at")
"""The first one that an event has says when it happened; what was changed later has the later one before."""
SUBJECTS = ("action_id", "decision_id", "kid")
"""What an event is about is the first of these that it has, else its first id that is neither of these:"""
NO_SUBJECTS = frozenset({"org_id", "agent_id", "from_agent_id", "to_agent_id", "session_id", "swarm_id"})
SAID = ("declared_goal", "title", "name", "subject", "assumption", "description", "summary", "reason", "metric", "type")
_SHAPES: dict[str, tuple[str, ...]] = {
    EventName.GUARD_DECISION_CREATED: ("decision", "action_type", "declared_goal"),
    EventName.ACTION_CREATED: ("status", "action_type", "declared_goal"),
    EventName.ACTION_UPDATED: ("status", "action_type", "declared_goal"),
    EventName.OUTCOME_CREATED: ("status", "action_type", "output_summary"),
    EventName.APPROVAL_REQUESTED: ("action_type", "declared_goal"),
    EventName.APPROVAL_EXPIRED: ("action_type", "declared_goal"),
    EventName.APPROVAL_CLAIMED: ("action_type", "declared_goal"),
    EventName.APPROVAL_CLAIM_REFUSED: ("action_type", "declared_goal"),
    EventName.POLICY_CREATED: ("name", "mode"),
    EventName.POLICY_UPDATED: ("name", "mode"),
    EventName.MESSAGE_CREATED: ("message_type", "subject"),
    EventName.AGENT_SEEN: ("status", "agent_name"),
    EventName.INJECTION_FOUND: ("recommendation", "subject_kind", "field"),
}
"""The members that say it; those that are empty are left out."""


def row(event: Event, arrived: datetime) -> tuple[str, ...]:
    """Columns for a pipe, each harmless and whole."""
    at = happened(event) or arrived
    data = event.data
    return (
        str(event.id),
        f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        clean(event.event),
        agent_of(data),
        subject_of(data),
        words(event),
    )


def happened(event: Event) -> datetime | None:
    """When, by the event's own word."""
    for name in TIMES:
        value = event.data.get(name)
        if isinstance(value, str):
            try:
                at = datetime.fromisoformat(value)
            except ValueError:
                continue
            return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return None


def words(event: Event) -> str:
    """`deploy, Roll out version 4`, `denied by ana: too much`."""
    data = event.data
    if event.event == EventName.APPROVAL_DECIDED:
        why = f": {clean(data['reasoning'])}" if data.get("reasoning") else ""
        return f"{clean(data.get('state'))} by {clean(data.get('decided_by'))}{why}"
    if event.event == EventName.HALT_CHANGED:
        on = f"on: {clean(data.get('reason'))}" if data.get("halted") else "off"
        return f"the kill switch is {on}, by {clean(data.get('changed_by'))}"
    shape = _SHAPES.get(event.event)
    if shape is None:
        return next((clean(data[name]) for name in SAID if isinstance(data.get(name), str) and data[name]), "")
    return ", ".join(clean(data[name]) for name in shape if data.get(name))


def agent_of(data: Mapping[str, Any]) -> str:
    return clean(data.get("agent_id") or data.get("from_agent_id"))


def subject_of(data: Mapping[str, Any]) -> str:
    ids = [name for name in data if name.endswith("_id") and name not in NO_SUBJECTS]
    return next((clean(data[name]) for name in (*SUBJECTS, *ids) if data.get(name)), "")
