"""The events of one action, put in order: which of them make a certificate, and which is the newest of each subject.

Refused, as a certificate of it would say something that was not recorded so:

1. Numbers that do not ascend, or that lie beyond the log's size.
2. An event of another action: apart from guard's decision and a standing grant the header of each names the action.
   A payload that names another action, another organization, or another subject than its header does.
3. No creation, or more than one; more than one decision, or one that is not the action's; a type that no certificate
   has.
4. A body that is gone, unless an erasure was recorded after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from assent.contract.events import EventName

ACTION_EVENTS = frozenset({EventName.ACTION_CREATED.value, EventName.ACTION_UPDATED.value})
APPROVAL_EVENTS = frozenset(
    {
        EventName.APPROVAL_REQUESTED.value,
        EventName.APPROVAL_DECIDED.value,
        EventName.APPROVAL_EXPIRED.value,
        EventName.APPROVAL_WITHDRAWN.value,
        EventName.APPROVAL_CLAIMED.value,
        EventName.APPROVAL_CLAIM_REFUSED.value,
        EventName.APPROVAL_GRANTED.value,
    }
)
GRANT_EVENTS = frozenset({EventName.GRANT_CREATED.value, EventName.GRANT_USED.value})
"""Of the standing grant that gave the approval: that it was given, and its use."""
ASSUMPTION_EVENTS = frozenset({EventName.ASSUMPTION_CREATED.value, EventName.ASSUMPTION_UPDATED.value})
QUESTION_EVENTS = frozenset({EventName.QUESTION_CREATED.value, EventName.QUESTION_UPDATED.value})
_DECISION = EventName.GUARD_DECISION_CREATED.value
_OUTCOME = EventName.OUTCOME_CREATED.value
_ERASED = EventName.EVIDENCE_ERASED.value
_KEYS = {
    **dict.fromkeys(ACTION_EVENTS, "action_id"),
    **dict.fromkeys(APPROVAL_EVENTS, "approval_id"),
    **dict.fromkeys(ASSUMPTION_EVENTS, "assumption_id"),
    **dict.fromkeys(QUESTION_EVENTS, "question_id"),
    **dict.fromkeys(GRANT_EVENTS, "grant_id"),
    _DECISION: "decision_id",
    _OUTCOME: "action_id",
}
"""The member of a payload that its header's subject repeats."""

Row = dict[str, Any]


class CertificateError(ValueError):
    """Events that do not make a certificate; the message says why."""


class Proven(Struct, frozen=True, kw_only=True):
    """A recorded event whose header was checked. `ts` is microseconds since 1970, `leaf_hash` hex; `data` is the
    decoded payload, None when it was erased. `org` is the header's organization, where it is at hand."""

    n: int
    type: str
    ts: int
    subject: str
    actor: str
    action: str | None
    leaf_hash: str
    data: dict[str, Any] | None
    org: str | None = None


class Story(Struct, frozen=True, kw_only=True):
    """What the events say. `action` is the newest row, `decision`, `approval` and `outcome` likewise; None where there
    is none or where it was erased. `assumptions` and `questions` are the newest row of each, in the order of first
    recording. `erased` is the newest erasure and `erased_events` how many events came before it."""

    events: Sequence[Proven]
    decision: Row | None
    action: Row | None
    changes: list[Proven]
    approval: Row | None
    assumptions: list[Row]
    questions: list[Row]
    outcome: Row | None
    erased: Row | None
    erased_events: int

    def of(self, *types: str) -> list[Proven]:
        """The events of these types whose content is there."""
        return [event for event in self.events if event.type in types and event.data is not None]


def story_of(org_id: str, action_id: str, given: Sequence[Proven], *, size: int) -> Story:
    """The story of an action. Raises CertificateError."""
    _check_order(given, size)
    erasures = [event for event in given if event.type == _ERASED]
    last = erasures[-1].n if erasures else -1
    events = without_erased(given)
    for event in events:
        _check_own(event, org_id, action_id)
        if event.data is None and event.n >= last:
            raise CertificateError(f"event {event.n} ({event.type}) has no content, and no erasure was recorded for it")
    created = [event for event in events if event.type == EventName.ACTION_CREATED]
    if len(created) != 1:
        raise CertificateError(f"there are {len(created)} creations of action {action_id} among its events, expected 1")
    rows = _newest(events, ACTION_EVENTS)
    approvals = _newest(events, APPROVAL_EVENTS)
    outcomes = _newest(events, {_OUTCOME})
    action = rows[0] if rows else None
    return Story(
        events=events,
        decision=_decision(events, action or (erasures[-1].data if erasures else None)),
        action=action,
        changes=[event for event in events if event.type == EventName.ACTION_UPDATED and event.data is not None],
        approval=approvals[-1] if approvals else None,
        assumptions=_newest(events, ASSUMPTION_EVENTS),
        questions=_newest(events, QUESTION_EVENTS),
        outcome=outcomes[-1] if outcomes else None,
        erased=erasures[-1].data if erasures else None,
        erased_events=sum(event.n < last for event in events),
    )


def without_erased(events: Sequence[Proven]) -> list[Proven]:
    """The events as they are once the erasure among them is done: what came before it has no content."""
    last = max((event.n for event in events if event.type == _ERASED), default=-1)
    return [replace(event, data=None) if event.n < last and event.type != _ERASED else event for event in events]


def _check_order(events: Sequence[Proven], size: int) -> None:
    before = -1
    for event in events:
        if event.n <= before:
            raise CertificateError(f"event {event.n} stands behind event {before}; the log's order is expected")
        if event.n >= size:
            raise CertificateError(f"event {event.n} is not in a log of {size} events, which has 0 to {size - 1}")
        before = event.n


def _check_own(event: Proven, org_id: str, action_id: str) -> None:
    what = f"event {event.n} ({event.type})"
    if event.type not in _KEYS and event.type != _ERASED:
        raise CertificateError(f"{what} is of a type that no certificate has")
    if event.type in GRANT_EVENTS:
        if event.action is not None:
            raise CertificateError(f"{what} is of a grant, and names action {event.action}")
    elif event.type == _DECISION:
        if event.action not in (None, action_id):
            raise CertificateError(f"{what} is about action {event.action}, not {action_id}")
    elif event.action != action_id:
        raise CertificateError(f"{what} is about action {event.action}, not {action_id}")
    if event.org not in (None, org_id):
        raise CertificateError(f"{what} is of organization {event.org}, not {org_id}")
    data = event.data
    if data is None:
        return
    if data.get("org_id", org_id) != org_id:
        raise CertificateError(f"the content of {what} is of organization {data['org_id']!r}, not {org_id}")
    if event.type != _DECISION and data.get("action_id", action_id) != action_id:
        raise CertificateError(f"the content of {what} is about action {data['action_id']!r}, not {action_id}")
    key = _KEYS.get(event.type)
    if key is not None and data.get(key) != event.subject:
        raise CertificateError(f"{what} is about {event.subject}, its content about {data.get(key)!r}")


def _decision(events: Iterable[Proven], named: Row | None) -> Row | None:
    """Guard's decision; `named` is what names it, the action or its erasure."""
    found = [event for event in events if event.type == _DECISION]
    if len(found) > 1:
        raise CertificateError(f"there are {len(found)} decisions of guard, {found[0].n} and {found[1].n}; expected 1")
    if not found:
        return None
    wanted = None if named is None else named.get("decision_id")
    if wanted is not None and found[0].subject != wanted:
        raise CertificateError(f"event {found[0].n} is decision {found[0].subject}, but the action's is {wanted}")
    return found[0].data


def _newest(events: Iterable[Proven], types: Iterable[str]) -> list[Row]:
    """The newest row of each subject, in the order in which the subjects first came."""
    found: dict[str, Row] = {}
    for event in events:
        if event.type in types and event.data is not None:
            found[event.subject] = event.data
    return list(found.values())
