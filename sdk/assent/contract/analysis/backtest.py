"""Backtest: what other policies, or other risk templates, would have decided on the decisions on record.

Every decision of a window is decided again, in the order of time, by the rules that guard decides by. `before` is what
was recorded, `after` what the policies asked about say. What ended is looked up in the actions, so that a change of
decisions can be read as failures stopped and as good work interrupted. Nothing is recorded by asking.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType, field

from assent.contract.control.guard import Decision, Source
from assent.contract.control.policies import Mode, PolicyDraft
from assent.contract.control.risk_templates import CreateRiskTemplate
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Example, Record, Request, ShortText
from assent.contract.roles import READING
from assent.contract.window import WindowText

MOST_POLICIES = 1000
"""Policies of one backtest."""
MOST_DECISIONS = 2_000_000
"""Decisions that one answer of the service replays; `assent_analytics.backtest` has no such bound."""
MOST_VERDICTS = 10_000
MOST_GROUPS = 200


class BacktestStatus(StrEnum):
    """`insufficient_data`: there was nothing to replay, or too little for an interval."""

    OK = "ok"
    INSUFFICIENT_DATA = "insufficient_data"


class Include(StrEnum):
    """Besides the numbers: nothing, the verdicts that changed, or all of them."""

    SUMMARY = "summary"
    CHANGES = "changes"
    VERDICTS = "verdicts"


Cost = Annotated[float, Meta(ge=0, le=1e12)]


class Costs(Request, frozen=True, kw_only=True):
    """What one interruption and one missed failure cost, in one unit of the caller's choice."""

    interruption: Cost
    failure: Cost


class BacktestRequest(Request, frozen=True, kw_only=True):
    """`policies` instead of the organization's own, which are meant by null. `templates` likewise are risk templates to
    rate every decision by anew; by null every risk stays as it was recorded, by an empty list none applies.

    Rate limits see live actions only, as in guard; with `history_as_live` imported and simulated ones count as if they
    had arrived when they happened. `limit` caps the verdicts in the answer. The same `seed` gives the same intervals.
    """

    example: ClassVar[Example] = {"costs": {"interruption": 5, "failure": 200.5}}

    policies: Annotated[list[PolicyDraft], Meta(max_length=MOST_POLICIES)] | None = None
    templates: Annotated[list[CreateRiskTemplate], Meta(max_length=MOST_POLICIES)] | None = None
    window: WindowText = "30d"
    include: Include = Include.SUMMARY
    limit: Annotated[int, Meta(ge=1, le=MOST_VERDICTS)] = 1000
    agent_id: ShortText | None = None
    source: Source | None = None
    costs: Costs | None = None
    history_as_live: bool = False
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1)] = 0


class DecisionCounts(Record, frozen=True, kw_only=True):
    """How many decisions were of each kind."""

    allow: int
    warn: int
    require_approval: int
    block: int


class Transitions(Record, frozen=True, kw_only=True):
    """For each decision before, how many have become which; the diagonal is what stayed."""

    allow: DecisionCounts
    warn: DecisionCounts
    require_approval: DecisionCounts
    block: DecisionCounts


class Portion(Record, frozen=True, kw_only=True):
    """`n` of `of`, with its rate and the Wilson interval of 95%, as shares from 0 to 1. The rate is null and the
    interval is from 0 to 1 where `of` is 0."""

    n: int
    of: int
    rate: float | None
    low: float
    high: float
    status: BacktestStatus


class ReplayedOutcomes(Record, frozen=True, kw_only=True):
    """The change, by what became of the actions.

    `known` actions were completed or failed: `completed` and `failed`; those are what the portions are of. All others
    (`unknown`: never tried, stopped, cancelled or still open) tell nothing. `failures_stopped` and `work_stopped`
    would be blocked and were not; `failures_asked` and `work_asked` would wait for a person and did not;
    `failures_released` and `work_released` were asked about, or blocked and ran all the same, and would go through.
    `unknown_stopped`, `unknown_asked` and `unknown_released` are the same of the unknown ones: each may be a failure or
    good work, so between `failures_released.n` and that plus `unknown_released` failures would go through.
    """

    known: int
    unknown: int
    failed: int
    completed: int
    failures_stopped: Portion
    failures_asked: Portion
    failures_released: Portion
    work_stopped: Portion
    work_asked: Portion
    work_released: Portion
    unknown_stopped: int
    unknown_asked: int
    unknown_released: int


class ApprovalLoad(Record, frozen=True, kw_only=True):
    """Decisions that ask a person. `per_day` is the mean over `days` days of 24 hours before the window's end, with
    Student's interval of 95% over those days; null with fewer than two days."""

    total: int
    days: int
    per_day: float
    low: float | None
    high: float | None
    status: BacktestStatus


class ReplayedPolicy(Record, frozen=True, kw_only=True):
    """`matched` decisions, which it may share with others; an observed one matches and decides nothing. `index` is its
    place in what was asked."""

    index: int
    policy_id: str | None
    name: str
    policy_type: str
    mode: Mode
    matched: int


class FlowStop(Record, frozen=True, kw_only=True):
    """Where a flow policy stops a session first: which call, what was decided `before`, and what the policy says."""

    session_id: str
    decision_id: str
    agent_id: str | None
    tool: str
    occurred_at: datetime
    before: Decision
    reason: str


class ReplayedFlow(Record, frozen=True, kw_only=True):
    """A flow policy on the traces that decisions recorded. It applies to `n` live decisions, of which `decided` could
    be decided: it asks about `asked` of these, the share `rate`, with an interval of 95% that takes the decisions of a
    session as one of `clusters`. Of `no_trace` nobody knows where a value came from, and `read_otherwise` looked at
    other values than the packs that are asked about, or at ones from an answer that these take for something else; none
    of these counts as one that passes.

    It stops `sessions_stopped` of `sessions`; in `sessions_unknown` more it asks about nothing that is known and not
    all is. `stops` are the first stops of the newest 50. What follows a stop may have gone otherwise."""

    index: int
    policy_id: str | None
    name: str
    n: int
    decided: int
    asked: int
    no_trace: int
    read_otherwise: int
    rate: float | None
    low: float | None
    high: float | None
    clusters: int
    status: str
    sessions: int
    sessions_stopped: int
    sessions_unknown: int
    sessions_low: float
    sessions_high: float
    sessions_status: BacktestStatus
    stops: list[FlowStop]


class NotReplayed(Record, frozen=True, kw_only=True):
    """A policy whose answer nobody can repeat, or, for a flow policy, not on all decisions."""

    index: int
    policy_id: str | None
    name: str
    reason: str


class ChangeSample(Record, frozen=True, kw_only=True):
    """`n` decisions changed from `before` to `after`; a few of them, drawn by the seed."""

    before: Decision
    after: Decision
    n: int
    decision_ids: list[str]


class ReplayedVerdict(Record, frozen=True, kw_only=True):
    """`agent_id` and `action_type` are null where the decision has none, or is a frame's that says nothing of them."""

    decision_id: str
    agent_id: str | None
    action_type: str | None
    occurred_at: datetime
    before: Decision
    after: Decision


class ChangedGroup(Record, frozen=True, kw_only=True):
    """Of `n` decisions on one agent's actions of one type, `stricter` and `milder` ones have become so."""

    agent_id: str | None
    action_type: str | None
    n: int
    stricter: int
    milder: int


class CostPoint(Record, frozen=True, kw_only=True):
    """Asking at a risk of `threshold` or more: `interruptions` decisions are asked about, `missed` failures are not.
    `cost` is that of the window, with its interval of 95%; the others are the same by day and by 1000 decisions.
    `unknown` decisions below the threshold have no outcome: `cost` takes them all for good, `most` all for failures,
    with the upper end of its interval, `most_high`. The true cost on these decisions is between `cost` and `most`."""

    threshold: int
    interruptions: int
    missed: int
    cost: float
    low: float
    high: float
    per_day: float
    per_day_low: float
    per_day_high: float
    per_1000: float
    per_1000_low: float
    per_1000_high: float
    unknown: int
    most: float
    most_high: float
    per_day_most: float
    per_day_most_high: float
    per_1000_most: float
    per_1000_most_high: float


class CostCurve(Record, frozen=True, kw_only=True):
    """The points of the thresholds 0 to 100. `best` is the threshold of least cost, the highest of those alike, and
    `best_low` to `best_high` where it lies in 95% of `resamples` bootstrap samples of the decisions. `never` is what
    missing every failure would cost. `failures` are the known ones; a curve without one is `insufficient_data`.

    `best` takes the `unknown` decisions, those without an outcome, for good. Thresholds from `possible_low` to
    `possible_high` are best for some outcomes that these may have; only where both are `best` is it `identified`."""

    interruption: float
    failure: float
    n: int
    failures: int
    days: int
    resamples: int
    seed: int
    never: float
    best: int | None
    best_low: int | None
    best_high: int | None
    unknown: int
    possible_low: int | None
    possible_high: int | None
    identified: bool
    points: list[CostPoint]
    status: BacktestStatus


class ChangeCauses(Record, frozen=True, kw_only=True):
    """Why decisions changed under the policies that are in force: `other_version` were made by other policies or
    `other_templates` than today's, `webhook` by an answer that cannot be replayed. `unexplained` is the rest, which
    should be 0: a rate limit sees fewer actions when some were erased."""

    other_version: int
    other_templates: int
    webhook: int
    unexplained: int


class Backtest(Record, frozen=True, kw_only=True):
    """`n` decisions from `since` to `until` were decided again. Of these `simulated` and `imported` ones never waited
    for an answer, and `halted` ones stay blocked, as by the kill switch. `causes` is there when the policies in force
    were asked. `verdicts` come newest first, up to the limit; `verdicts_total` is how many there would be. With them
    come the agents and types whose decisions changed, `changed_in`, the most changed first, 200 at most;
    `changed_groups` says how many there are. `flows` is what each flow policy comes to on its own."""

    status: BacktestStatus
    n: int
    simulated: int
    imported: int
    halted: int
    window: str
    since: datetime
    until: datetime
    before: DecisionCounts
    after: DecisionCounts
    changed: int
    transitions: Transitions
    outcomes: ReplayedOutcomes
    approvals_before: ApprovalLoad
    approvals_after: ApprovalLoad
    policies: list[ReplayedPolicy]
    not_replayed: list[NotReplayed]
    samples: list[ChangeSample]
    costs: CostCurve | None
    causes: ChangeCauses | None
    verdicts_total: int
    changed_groups: int
    flows: list[ReplayedFlow] = field(default_factory=list[ReplayedFlow])
    verdicts: list[ReplayedVerdict] | UnsetType = UNSET
    changed_in: list[ChangedGroup] | UnsetType = UNSET


BACKTEST = Endpoint(
    operation="backtest",
    method="POST",
    path="/api/policies/backtest",
    summary="What policies would have decided on the decisions of a window, with outcomes; nothing is recorded.",
    roles=READING,
    request=BacktestRequest,
    response=Backtest,
    problems=(Code.INVALID_POLICY, Code.INVALID_RISK_TEMPLATE, Code.PROJECTION_BEHIND),
    # Drafts are tried as they are, and not kept.
    keeps_secrets=("policies", "templates"),
    analyzes=True,
)
