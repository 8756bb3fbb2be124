"""The digest of a week: what happened, beside the week before, each number with what it leaves open."""

from __future__ import annotations

from datetime import datetime

from assent.contract.analysis.week import WeekText
from assent.contract.endpoint import Endpoint
from assent.contract.record import Query, Record, ShortText
from assent.contract.roles import READING


class WeekQuery(Query, frozen=True, kw_only=True):
    """`week` is an ISO week, as 2026-W47; the last seven whole days (UTC) without it."""

    week: WeekText | None = None
    agent_id: ShortText | None = None


class WeekCount(Record, frozen=True, kw_only=True):
    """`ratio` is n / before with its 95% interval; None where nothing, or no end of it, can be said."""

    n: int
    before: int
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None


class WeekRate(Record, frozen=True, kw_only=True):
    """`rate` is count / n, 0 to 1, with Wilson's 95% interval (0 to 1 when n is 0). `difference` is rate - before_rate
    with Newcombe's 95% interval; the three are None where `status` is `insufficient_data` and not `ok`.

    These intervals take rows as independent. Where rows say what they belong to, both weeks lie in `clusters` (`basis`
    says of what), worth `n_effective` independent rows: `clustered_low` to `clustered_high` is the rate's interval over
    these, `clustered_difference_low` to `clustered_difference_high` that of the difference, None where they tell
    nothing of chance."""

    count: int
    n: int
    rate: float | None
    low: float
    high: float
    before_count: int
    before_n: int
    before_rate: float | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    status: str
    clusters: int | None = None
    basis: str | None = None
    n_effective: float | None = None
    clustered_low: float | None = None
    clustered_high: float | None = None
    clustered_difference_low: float | None = None
    clustered_difference_high: float | None = None


class WeekQuantile(Record, frozen=True, kw_only=True):
    """In seconds. `low` and `high` are the ends of a 95% interval that supposes no distribution; None where too few
    values enclose it on that side."""

    value: float | None
    low: float | None
    high: float | None
    before: float | None


class WeekActions(Record, frozen=True, kw_only=True):
    """Actions begun in the week. `by_status` adds up to the number of all."""

    all: WeekCount
    by_status: dict[str, int]
    success: WeekRate
    simulated: int


class WeekDecisions(Record, frozen=True, kw_only=True):
    """Guard's decisions: the shares of the four add up to 1. `require_approval` is how often it asked."""

    all: WeekCount
    allow: WeekRate
    warn: WeekRate
    require_approval: WeekRate
    block: WeekRate
    simulated: int


class WeekApprovals(Record, frozen=True, kw_only=True):
    """Approvals asked in the week, and what has become of them by now. `approved` is of the `decided`, `expired` of all
    that were asked; `withdrawn` counts those whose question was taken back; the quantiles are over the `decided` ones,
    from asking to deciding."""

    asked: WeekCount
    decided: WeekCount
    awaiting: int
    approved: WeekRate
    expired: WeekRate
    p50: WeekQuantile
    p95: WeekQuantile
    simulated: int
    withdrawn: int = 0


class WeekCost(Record, frozen=True, kw_only=True):
    """US dollars, of the `n` actions that say their cost. `mean_low` and `mean_high` are Student's 95% interval of the
    mean of all; None of fewer than two."""

    n: int
    total: float
    mean: float | None
    mean_low: float | None
    mean_high: float | None
    before_n: int
    before_total: float
    before_mean: float | None


class WeekRisk(Record, frozen=True, kw_only=True):
    """An agent or an action type: the `n` of its actions that have a risk score, their mean with Student's 95% interval
    (0 to 100 for a single one), and the highest."""

    name: str
    n: int
    mean: float
    low: float
    high: float
    highest: float
    simulated: int


class WeekFirst(Record, frozen=True, kw_only=True):
    """An agent or an action type that acted for the first time; `n` actions in the week."""

    name: str
    first_seen: datetime
    n: int


class WeekAlerts(Record, frozen=True, kw_only=True):
    """Drift alerts raised in the week, but for those that were deleted."""

    all: WeekCount
    unacknowledged: int
    by_severity: dict[str, int]
    by_metric: dict[str, int]
    simulated: int


class WeekSignals(Record, frozen=True, kw_only=True):
    """Signals that came on in the week. `per_100` is for a hundred live actions, with Garwood's 95% interval; None
    where `status` is `insufficient_data`."""

    all: WeekCount
    by_type: dict[str, WeekCount]
    actions: int
    per_100: float | None
    per_100_low: float | None
    per_100_high: float | None
    status: str


class WeeklyDigest(Record, frozen=True, kw_only=True):
    """The week from `since` up to `until` (outside), beside the one from `before_since` up to `before_until`, as long
    and seven days earlier. A week that is under way is not `complete`; the one before is cut at the same hour. Agents
    and types by risk are the five whose mean risk is surely highest: by the lower end of its interval."""

    week: str | None
    since: datetime
    until: datetime
    before_since: datetime
    before_until: datetime
    complete: bool
    agent_id: str | None
    actions: WeekActions
    decisions: WeekDecisions
    approvals: WeekApprovals
    cost: WeekCost
    agents_by_risk: list[WeekRisk]
    types_by_risk: list[WeekRisk]
    new_agents: list[WeekFirst]
    new_types: list[WeekFirst]
    drift_alerts: WeekAlerts
    signals: WeekSignals


GET_DIGEST = Endpoint(
    operation="get_digest",
    method="GET",
    path="/api/insight/digest",
    summary="A week beside the week before: actions, decisions, approvals, cost, risk, what is new, drift, signals.",
    roles=READING,
    query=WeekQuery,
    response=WeeklyDigest,
    analyzes=True,
)
