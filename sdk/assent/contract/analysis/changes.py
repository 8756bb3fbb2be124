"""Changes of rules: who changed which policy, risk template or scoring profile when, from what to what; and what moved
with it.

A change is an event of the log, so that every folder has its history from the beginning on. Before and after compares
guard's decisions, what became of them and how long they waited, within a window on both sides of a change, standardised
on season and on who did what; what the change could not reach is its control (`assent_analytics.before_after`).
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from assent.contract.control.guard import Source
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Limit, Offset, Query, Record, ShortText
from assent.contract.roles import READING
from assent.contract.window import WindowText


class RuleKind(StrEnum):
    """What was changed."""

    POLICY = "policy"
    RISK_TEMPLATE = "risk_template"
    SCORING_PROFILE = "scoring_profile"
    SCORING_DIMENSION = "scoring_dimension"


class ChangeWhat(StrEnum):
    """What was done to it."""

    CREATED = "created"
    CHANGED = "changed"
    REMOVED = "removed"


class ChangedMember(Record, frozen=True, kw_only=True):
    """A member with its value before and after; null where there was none."""

    member: str
    before: Any
    after: Any


class RuleChange(Record, frozen=True, kw_only=True):
    """`change_id` is the id of what was changed and the number of its event within the organization. `id` and `name`
    are of what was changed, as it is after. `by` is the key that did it (or system), with its name where it has one.
    `version` is the organization's of its policies, or a template's own; null for profiles. `members` are those that
    differ, all of a new one, and none of one that was removed."""

    change_id: str
    kind: RuleKind
    id: str
    name: str
    what: ChangeWhat
    at: datetime
    by: str
    by_name: str | None
    version: int | None
    members: list[ChangedMember]


class RuleChangesQuery(Query, frozen=True, kw_only=True):
    """`id` is of a policy, a template, a profile or a dimension."""

    kind: RuleKind | None = None
    id: ShortText | None = None
    limit: Limit = 50
    offset: Offset = 0


class RuleChanges(Record, frozen=True, kw_only=True):
    """The newest first; `total` counts all that fit."""

    changes: list[RuleChange]
    total: int


class ChangeMeasure(StrEnum):
    """Of the decisions: the share that asked a person, the share that was blocked, minutes that each waited for a
    person (0 where nobody was asked; unknown while it waits). Of the answers of people: the share that was no. Of the
    actions that ran to an end: the share that failed."""

    ASKED = "asked"
    BLOCKED = "blocked"
    WAITING_MINUTES = "waiting_minutes"
    DENIED = "denied"
    FAILED = "failed"


class EffectStatus(StrEnum):
    """`few_clusters`: fewer than 10 on a side, the interval is wide. `no_variation` and `insufficient_data` have no
    interval; `reason` says why."""

    OK = "ok"
    FEW_CLUSTERS = "few_clusters"
    NO_VARIATION = "no_variation"
    INSUFFICIENT_DATA = "insufficient_data"


class EffectMethod(StrEnum):
    """With controls, or without."""

    DIFFERENCE_IN_DIFFERENCES = "difference_in_differences"
    INTERRUPTED_TIME_SERIES = "interrupted_time_series"


class PlaceboResult(StrEnum):
    """`failed`: something was found at an earlier date where nothing is known to have changed. `passed` shows little:
    earlier dates have about half the data, and most trends pass."""

    PASSED = "passed"
    FAILED = "failed"
    INSUFFICIENT_DATA = "insufficient_data"


class MeasuredSide(Record, frozen=True, kw_only=True):
    """`n` rows in so many `clusters`, worth `n_effective` independent ones; their mean with its interval of 95%."""

    n: int
    clusters: int
    n_effective: float
    design_effect: float | None
    mean: float | None
    low: float | None
    high: float | None


class PlaceboDate(Record, frozen=True, kw_only=True):
    """What is found at an earlier date. The interval is of 1 - 0.05 / (how many dates)."""

    at: datetime
    estimate: float
    low: float
    high: float
    found: bool


class MeasuredEffect(Record, frozen=True, kw_only=True):
    """What moved with a change. `estimate` is standardised, with its interval of 95%; `raw` is the plain difference.

    Shares are from 0 to 1 (`unit` is share), waiting is in minutes. `control_before` and `control_after` are of what
    the change could not reach, null where nothing is. `season` and `mix` are what was standardised on, `left_out`
    counts rows by why they did not count, `assumptions` are what the estimate rests on. Of failures, `possible_low` to
    `possible_high` is where the plain difference over all decisions lies, whatever those without an outcome (blocked,
    denied, expired, never tried) would have been; null for other measures, and where a side has no decision.
    `sentence` says it all in words.
    """

    measure: ChangeMeasure
    unit: str
    status: EffectStatus
    reason: str
    method: EffectMethod
    estimate: float | None
    low: float | None
    high: float | None
    raw: float | None
    before: MeasuredSide
    after: MeasuredSide
    control_before: MeasuredSide | None
    control_after: MeasuredSide | None
    blocks_before: int
    blocks_after: int
    season: list[str]
    mix: list[str]
    left_out: dict[str, int]
    assumptions: list[str]
    placebo: PlaceboResult
    placebos: list[PlaceboDate]
    possible_low: float | None
    possible_high: float | None
    sentence: str


class BeforeAfterQuery(Query, frozen=True, kw_only=True):
    """`window` is how far it looks to each side of the change. A placebo test looks as far again before that."""

    window: WindowText = "28d"
    agent_id: ShortText | None = None
    source: Source | None = None


class BeforeAfter(Record, frozen=True, kw_only=True):
    """What moved with `change`, among decisions from `since` to `until`.

    `n` decisions counted, of which `touched` are those that the change could reach, and `simulated` and `imported`
    never waited for an answer. `reach` says in words what it reaches, `basis` what a cluster is. `others` are changes
    of policies and templates in the same time, newest first: what moved may be theirs. Each measure has an interval of
    its own; of five that nothing moved, one or more is without 0 in up to one of four answers.
    """

    change: RuleChange
    window: str
    since: datetime
    until: datetime
    n: int
    touched: int
    simulated: int
    imported: int
    reach: str
    basis: str
    others: list[str]
    measures: list[MeasuredEffect]


GET_RULE_CHANGES = Endpoint(
    operation="get_rule_changes",
    method="GET",
    path="/api/policies/history",
    summary="Who changed which policy, risk template or scoring profile when, and what differs.",
    roles=READING,
    query=RuleChangesQuery,
    response=RuleChanges,
    problems=(Code.PROJECTION_BEHIND,),
)
BEFORE_AFTER = Endpoint(
    operation="before_after",
    method="GET",
    path="/api/policies/history/{change_id}/before-after",
    summary="What moved with a change of rules: asking, blocking, waiting, denials, failures, with intervals.",
    roles=READING,
    query=BeforeAfterQuery,
    response=BeforeAfter,
    problems=(Code.CHANGE_NOT_FOUND, Code.PROJECTION_BEHIND),
    analyzes=True,
)
