"""What a recorded event adds to streams: the values of a finished action, or of a decision.

- A decision adds its shares: whether it asked for approval, whether it blocked.
- An action adds its numbers and whether it succeeded, once: with the event that ended it. A correction of an outcome
  adds nothing, and neither does one that was blocked, for it never ran. Its score counts what was recorded of it until
  it ended: assumptions that had turned out wrong, loops that were open.
- Values happened when the action ended, or when guard was asked; for imported history that is when it was said to.
- What a simulator made up goes to streams of its own. Live and imported values share one, since both happened.
"""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime
from typing import Literal, NamedTuple

import msgspec

from assent.contract.control.actions import ActionStatus
from assent.contract.control.guard import Decision, Source
from assent.contract.control.loops import LoopStatus
from assent.contract.events import EventName
from assent.contract.prepared import prepared
from assent_analytics.detector import Grid
from assent_analytics.episodes import WEIGHTS, EpisodeFacts, Weights, has_run, score
from assent_service.base.clock import microseconds
from assent_service.store.event import Event

GRIDS: dict[str, Grid] = {
    "score": Grid.NUMBER,
    "risk_score": Grid.NUMBER,
    "confidence": Grid.NUMBER,
    "duration_ms": Grid.LOGARITHM,
    "cost_estimate": Grid.LOGARITHM,
    "tokens": Grid.LOGARITHM,
    "success_rate": Grid.SHARE,
    "approval_rate": Grid.SHARE,
    "block_rate": Grid.SHARE,
}
"""The metrics that are watched."""
OPEN = 20_000
"""Actions about which something is remembered until they end, the newest."""

SUCCEEDED = ActionStatus.COMPLETED.value
DECIDED = EventName.GUARD_DECISION_CREATED.value
CREATED, UPDATED = EventName.ACTION_CREATED.value, EventName.ACTION_UPDATED.value
BELIEFS = frozenset({EventName.ASSUMPTION_CREATED.value, EventName.ASSUMPTION_UPDATED.value})
LOOPS = frozenset({EventName.LOOP_CREATED.value, EventName.LOOP_UPDATED.value})


class MetricValues(NamedTuple):
    """`at` is when they happened (microseconds), `session_id` where they belong, None where nobody said."""

    org_id: str
    agent_id: str | None
    action_type: str
    source: Source
    at: int
    numbers: dict[str, float]
    session_id: str | None


class _Decided(msgspec.Struct):
    agent_id: str | None
    action_type: str
    decision: Decision
    source: Source
    occurred_at: datetime
    session_id: str | None = None


class _Begun(msgspec.Struct):
    status: str


class _Replaced(msgspec.Struct):
    status: str | None = None


class _Change(msgspec.Struct):
    replaced: _Replaced


class _Acted(msgspec.Struct):
    agent_id: str | None
    action_type: str
    status: str
    source: Source
    timestamp_end: datetime | None
    updated_at: datetime
    reversible: bool
    risk_score: float
    confidence: float | None
    duration_ms: float | None
    cost_estimate: float | None
    tokens_in: int | None
    tokens_out: int | None
    session_id: str | None = None
    change: _Change | None = None


class _Believed(msgspec.Struct):
    action_id: str
    assumption_id: str
    invalidated: bool


class _Looped(msgspec.Struct):
    action_id: str
    loop_id: str
    status: str


_decided = msgspec.json.Decoder(prepared(_Decided)).decode
_begun = msgspec.json.Decoder(prepared(_Begun)).decode
_acted = msgspec.json.Decoder(prepared(_Acted)).decode
_believed = msgspec.json.Decoder(prepared(_Believed)).decode
_looped = msgspec.json.Decoder(prepared(_Looped)).decode


class About(msgspec.Struct, array_like=True):
    """Ids of an action's assumptions that turned out wrong, and of its open loops."""

    wrong: list[str]
    loops: list[str]


class FactReader:
    """Reads events in order. `about` are actions that have not ended, by organization and id."""

    def __init__(self, weights: Weights = WEIGHTS) -> None:
        self._weights = weights
        self.about: OrderedDict[tuple[str, str], About] = OrderedDict()

    def read(self, event: Event) -> MetricValues | None:
        """What the event adds; None when it adds nothing, or its body was erased."""
        kind, data = event.type, event.data
        if data is None:
            return None
        if kind == DECIDED:
            return _of_decision(event.org, _decided(data))
        if kind == CREATED and not has_run(_begun(data).status):
            return None
        if kind in (CREATED, UPDATED):
            return self._of_action(event, _acted(data))
        if kind in BELIEFS:
            belief = _believed(data)
            self._mark(event.org, belief.action_id, "wrong", belief.assumption_id, holds=belief.invalidated)
        elif kind in LOOPS:
            loop = _looped(data)
            self._mark(event.org, loop.action_id, "loops", loop.loop_id, holds=loop.status == LoopStatus.OPEN.value)
        return None

    def _of_action(self, event: Event, action: _Acted) -> MetricValues | None:
        if not has_run(action.status):
            return None
        if event.type == UPDATED:
            before = action.change.replaced.status if action.change is not None else None
            if before is None or has_run(before):
                return None
        about = self.about.pop((event.org, event.subject), None)
        return _of_action(event.org, action, about, self._weights)

    def _mark(self, org_id: str, action_id: str, what: Literal["wrong", "loops"], id_: str, *, holds: bool) -> None:
        known = self.about.get((org_id, action_id))
        if known is None:
            if not holds:
                return
            known = self.about[org_id, action_id] = About([], [])
            if len(self.about) > OPEN:
                self.about.popitem(last=False)
        ids: list[str] = getattr(known, what)
        if not holds and id_ in ids:
            ids.remove(id_)
        elif holds and id_ not in ids:
            ids.append(id_)


def _of_decision(org_id: str, decided: _Decided) -> MetricValues:
    numbers = {
        "approval_rate": float(decided.decision is Decision.REQUIRE_APPROVAL),
        "block_rate": float(decided.decision is Decision.BLOCK),
    }
    at = microseconds(decided.occurred_at)
    session_id = decided.session_id or None
    return MetricValues(org_id, decided.agent_id, decided.action_type, decided.source, at, numbers, session_id)


def _of_action(org_id: str, action: _Acted, about: About | None, weights: Weights) -> MetricValues:
    facts = EpisodeFacts(
        status=action.status,
        risk_score=action.risk_score,
        reversible=action.reversible,
        duration_ms=action.duration_ms,
        cost_estimate=action.cost_estimate,
        confidence=action.confidence,
        invalidated_assumptions=len(about.wrong) if about else 0,
        open_loops=len(about.loops) if about else 0,
    )
    known: dict[str, float | None] = {
        "score": score(facts, weights).score,
        "risk_score": action.risk_score,
        "confidence": action.confidence,
        "duration_ms": action.duration_ms,
        "cost_estimate": action.cost_estimate,
        "tokens": _sum(action.tokens_in, action.tokens_out),
        "success_rate": float(action.status == SUCCEEDED),
    }
    numbers = {name: float(value) for name, value in known.items() if value is not None}
    at = microseconds(action.timestamp_end or action.updated_at)
    session_id = action.session_id or None
    return MetricValues(org_id, action.agent_id, action.action_type, action.source, at, numbers, session_id)


def _sum(one: int | None, other: int | None) -> int | None:
    """Without what is not known; None where neither is."""
    return None if one is None and other is None else (one or 0) + (other or 0)
