"""Triage: guard lets pass by itself what it would ask a person about, below a risk that audits have certified, so that
what passed and was harmful is bounded.

An organization gives a plan: of each of these types of actions (a *stratum*) no more than the share `alpha` of what
passes may turn out harmful, or `room` actions of that type while that is more; the probability that it is more in any
of them, at any time, is at most `delta`. The mathematics stand in `assent_analytics.triage`.

1. It is off until an admin gives a plan. A new plan begins anew: nothing is certified, and nothing is spent.
2. It takes part in an action that is created, happens now and begins to run, where a policy has a person decide. A
   question to guard alone is answered as without it. The action is said to be reversible; its goal does not speak of
   destruction; no signal is on for its agent; the scan for prompt injections found nothing; no standing grant covers
   it, and nothing was drawn to find out what asking changes. Every policy that matched is decided by guard itself, and
   none of them always asks.
3. What passes has a warning that says so (`PASSED`), and the decision says by which draw, threshold and bound. A random
   share is asked all the same (`AUDITED`): the audits.
4. A request is harmless when it was completed. One that a person was asked about and that ended otherwise is harmful:
   denied or failed, and what nobody will know, such as expired, withdrawn, cancelled, or not ended within the horizon.
   Of what passed, failures are known to be harmful; what else was harmful among it is bounded by the audits, and never
   counted as good. The first end counts.
5. An alarm has everything asked again, by itself, and says why.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from math import ceil
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from assent.contract.control.guard import ActionType, TriageAnswer
from assent.contract.endpoint import Endpoint
from assent.contract.record import Example, OrganizationId, Record, RecordedAt, Request, meaning
from assent.contract.roles import ADMIN, OPERATING, READING

LEAST_ALPHA, MOST_ALPHA = 0.0001, 0.2
MOST_DELTA = 0.5
MOST_STRATA = 20
HIGHEST_THRESHOLD = 70
"""What is riskier is never left to a draw."""
MOST_HOURS = 30 * 24
SETTLED = 1000
"""Passed actions from which on the share is kept, where a plan does not say how many harmful ones may pass before."""
LEAST_ROOM, MOST_ROOM = 10, 50
PASSED = "let pass without asking, by triage"
"""What the text of a policy that asks ends with where triage let pass."""
AUDITED = "asked about to audit what triage lets pass; please look closely"
"""What it ends with where a draw asked all the same."""

Strata = Annotated[tuple[ActionType, ...], Meta(min_length=1, max_length=MOST_STRATA)]
Thresholds = Annotated[tuple[Annotated[float, Meta(gt=0, le=HIGHEST_THRESHOLD)], ...], Meta(min_length=1, max_length=8)]


def room_of(alpha: float) -> int:
    """How many harmful actions may pass at first where a plan does not say: `alpha` of `SETTLED`, but no more than
    `MOST_ROOM`, and no fewer than `LEAST_ROOM`, with less than which nearly everything is asked for long."""
    return min(MOST_ROOM, max(LEAST_ROOM, int(round(SETTLED * alpha, 6))))


def settles(room: float, alpha: float) -> int:
    """How many have passed when so many are `alpha` of them."""
    return ceil(round(room / alpha, 6))


class TriageState(StrEnum):
    """`learning`: nothing is certified yet. `passing`: something passes. `waiting`: everything is asked until audits
    are known, or for good where none are pending. `fallen_back`: an alarm came, and nothing is certified since."""

    LEARNING = "learning"
    PASSING = "passing"
    WAITING = "waiting"
    FALLEN_BACK = "fallen_back"


class TriageAlarmKind(StrEnum):
    """`bound`: what passed may be more harmful than is accepted. `change`: more than alpha is harmful lately. `found`:
    so many that passed are known to be harmful."""

    BOUND = "bound"
    CHANGE = "change"
    FOUND = "found"


class TriageAlarm(Struct, frozen=True, kw_only=True):
    """Why an epoch ended: `audits` of what could pass in it, `harmful` of them; `passed` of all epochs, of which so
    many are `known_harmful` and at most `bound` harmful, where `budget` are accepted; `says` has it in words."""

    kind: TriageAlarmKind
    epoch: int
    threshold: float
    audits: int
    harmful: int
    passed: int
    known_harmful: int
    bound: int
    budget: float
    says: str


class SetTriage(Request, frozen=True, kw_only=True):
    """A new plan. `action_types` are the strata. `room` is how many harmful actions of each type may pass while `alpha`
    of what passed of it is less; where it is not given, `alpha` of 1,000, 10 at least and 50 at most, or more where a
    small `delta` wants it. `least_audited` is the least share of what could pass that is asked anyway, `horizon_hours`
    after how long nobody will know any more how a request turned out."""

    example: ClassVar[Example] = {"action_types": ["refund"], "alpha": 0.05, "reason": "Refunds are nearly all fine."}

    action_types: Strata
    alpha: Annotated[float, Meta(ge=LEAST_ALPHA, le=MOST_ALPHA)]
    delta: Annotated[float, Meta(gt=0, le=MOST_DELTA)] = 0.05
    room: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    thresholds: Thresholds = (20.0, 35.0, 50.0, 65.0)
    least_audited: Annotated[float, Meta(ge=0.05, le=0.9)] = 0.1
    horizon_hours: Annotated[int, Meta(ge=1, le=MOST_HOURS)] = 7 * 24
    reason: Annotated[str, Meta(max_length=2000)] | None = None


class TriagePlan(Record, frozen=True, kw_only=True):
    """A plan as it is now; one that was stopped lets nothing pass any more."""

    org_id: OrganizationId
    plan_id: Annotated[str, meaning("id of the plan", frozen=True)]
    action_types: Annotated[
        list[str], meaning("the types of actions that may pass, as names are compared", frozen=True)
    ]
    alpha: Annotated[float, meaning("the share of what passes of each that may be harmful", unit="0-1", frozen=True)]
    delta: Annotated[float, meaning("the probability that it is more in any of them", unit="0-1", frozen=True)]
    room: Annotated[int, meaning("how many harmful ones of each may pass while that share is fewer", frozen=True)]
    thresholds: Annotated[list[float], meaning("the risks below which it may pass, lowest first", frozen=True)]
    least_audited: Annotated[float, meaning("the least share that is asked anyway", unit="0-1", frozen=True)]
    horizon_hours: Annotated[int, meaning("after how long nobody will know how it turned out", frozen=True)]
    reason: Annotated[str | None, meaning("why it was given", frozen=True)]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that gave it", frozen=True)]
    created_by_name: Annotated[str, meaning("who gave it, by the key's name then", frozen=True)]
    stopped_at: Annotated[datetime | None, meaning("when it was stopped or another one took its place")]
    stopped_by: Annotated[str | None, meaning("id of the key that stopped it")]


class TriageRequest(Record, frozen=True, kw_only=True):
    """A request in which triage took part, and how it turned out: a row and the payload of its two events. In each
    stratum of a plan they are numbered together, `number` and `learned_number`."""

    org_id: OrganizationId
    decision_id: Annotated[str, meaning("the decision on it", frozen=True)]
    action_id: Annotated[str, meaning("the action that it became", frozen=True)]
    plan_id: Annotated[str, meaning("the plan by which it was chosen", frozen=True)]
    stratum: Annotated[str, meaning("its type, as names are compared", frozen=True)]
    number: Annotated[int, meaning("which step of its stratum it was, from 0", frozen=True)]
    answer: Annotated[TriageAnswer, meaning("ask, audit, or allow", frozen=True)]
    risk_score: Annotated[float, meaning("the service's risk", unit="0-100", frozen=True)]
    draw: Annotated[float, meaning("what was drawn for it", unit="0-1", frozen=True)]
    share: Annotated[float, meaning("the audit share; 1 where everything was asked", unit="0-1", frozen=True)]
    epoch: Annotated[int, meaning("after how many new beginnings", frozen=True)]
    created_at: RecordedAt
    ended: Annotated[str | None, meaning("the status in which it ended, or horizon; empty while nobody knows")]
    harmful: Annotated[bool | None, meaning("whether it was harmful; empty where nobody knows")]
    learned_number: Annotated[int | None, meaning("which step of its stratum that was")]
    learned_at: Annotated[datetime | None, meaning("when that was taken in")]


class TriageStratum(Record, frozen=True, kw_only=True):
    """How one stratum stands. `asked` counts its requests that people were asked, `audited` those of them that could
    have passed. `tested` audits of this epoch are known to certificates, `tested_harmful` of them; `needed` further
    ones, none of them harmful, certify the next threshold (None where all are). `passed` of all epochs, at most `bound`
    of them harmful, where `budget` are accepted, and `known_harmful` are known. `says` has it in words."""

    action_type: str
    state: TriageState
    threshold: float | None
    audit_share: float
    asked: int
    audited: int
    passed: int
    known_harmful: int
    bound: int
    budget: float
    epoch: int
    tested: int
    tested_harmful: int
    pending: int
    needed: int | None
    alarms: list[TriageAlarm]
    says: str


class Triage(Record, frozen=True, kw_only=True):
    """`plan` is the one that is on, None while triage is off; then there are no strata."""

    plan: TriagePlan | None
    strata: list[TriageStratum]
    at: datetime


SET_TRIAGE = Endpoint(
    operation="set_triage",
    method="POST",
    path="/api/triage",
    summary="Let guard pass what audits bound, by a new plan; what was certified under another one is not any more.",
    roles=ADMIN,
    request=SetTriage,
    response=Triage,
    statuses=(201,),
)
GET_TRIAGE = Endpoint(
    operation="get_triage",
    method="GET",
    path="/api/triage",
    summary="The plan of triage and how each of its strata stands: thresholds, audits, bounds, alarms.",
    roles=READING,
    response=Triage,
)
STOP_TRIAGE = Endpoint(
    operation="stop_triage",
    method="DELETE",
    path="/api/triage",
    summary="Ask people about everything again, at once.",
    roles=OPERATING,
    response=Triage,
)
