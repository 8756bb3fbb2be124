"""Drift: streams of values that changed, found as the values come or by comparing two windows."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta

from assent.contract.control.guard import Source
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
    Example,
    Limit,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    ShortText,
    meaning,
)
from assent.contract.roles import ADMIN, ANYONE, OPERATING
from assent.contract.window import WindowText

Days = Annotated[int, Meta(ge=1, le=3650)]
MetricName = Annotated[str, Meta(min_length=1, max_length=64)]


Whose = Annotated[ShortText, Meta(description="whose values")]


class DriftSeverity(StrEnum):
    """By how many standard deviations the mean moved: `critical` from 3, `warning` from 2, else `info`."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


class DriftDirection(StrEnum):
    """Where the values went. `changed`: neither up nor down, but wider or closer together."""

    UP = "up"
    DOWN = "down"
    CHANGED = "changed"


class DriftAlert(Record, frozen=True, kw_only=True):
    """A stream of values (an agent's, of an action type, of a metric) that changed. Each stream has two detectors. Of a
    stream that does not change, each raises one alert with a probability of 1 / `threshold` at most, however long it
    runs:

    - The first takes each value by itself, and its promise is for values that are independent of each other. Values of
      a session that are alike, that follow each other or that have a rhythm of days or weeks raise more: its alert is a
      hint.
    - The second takes the values of a session as one, or those of an hour (8 at most) where nobody names a session, and
      counts them less the more they depend on those before. Its alert is `established`. It supposes that sessions are
      independent of each other and that their number and size stay alike, comes later, and not of every change.

    `e_value` is the evidence, 1 being none. Of the `n` values seen, `baseline_n` came before the change and `recent_n`
    since; their means are in the metric's unit, None only where numbers are too large to reckon with. `z_score` =
    (recent_mean - baseline_mean) / baseline_sd, +-999 where that is 0. `change_estimated_at` is when the change began,
    `detected_at` when the value happened that raised the alert, `created_at` when it was recorded; for imported history
    that is later. `source` is that value's; values that a simulator made up have streams of their own. `raised_n` is
    the number of the event that raised it.

    Of what is established, the n values came in so many `clusters` and count as `n_effective` independent ones; `basis`
    says what a cluster is. The change began between `change_earliest_at` and `change_latest_at`, with a confidence of
    95% where clusters are independent. All of these are None in a hint.
    """

    id: Annotated[str, meaning("id of the alert", frozen=True)]
    org_id: OrganizationId
    agent_id: Annotated[str | None, meaning("whose values changed", frozen=True)]
    action_type: Annotated[str, meaning("of what kind of action", frozen=True)]
    metric: Annotated[str, meaning("which of their numbers, as score or duration_ms", frozen=True)]
    severity: Annotated[DriftSeverity, meaning("info, warning or critical, by the size of the change")]
    direction: Annotated[DriftDirection, meaning("up, down, or changed: the values spread otherwise")]
    description: Annotated[str, meaning("the alert in one sentence")]
    baseline_mean: Annotated[float | None, meaning("mean of the values before the change, in the metric's unit")]
    baseline_sd: Annotated[float | None, meaning("their sample standard deviation")]
    baseline_n: Annotated[int, meaning("how many they were")]
    recent_mean: Annotated[float | None, meaning("mean of the values from the change to the alert")]
    recent_n: Annotated[int, meaning("how many they were")]
    z_score: Annotated[
        float | None, meaning("how far the mean moved, in standard deviations of the values before; +-999 without any")
    ]
    n: Annotated[int, meaning("values that the detector had seen since it began")]
    e_value: Annotated[float, meaning("the evidence that the stream changed; 1 is none")]
    threshold: Annotated[float, meaning("the evidence from which on there is an alert, 1 / probability of a false one")]
    change_estimated_at: Annotated[datetime, meaning("when the change is thought to have begun")]
    detected_at: Annotated[datetime, meaning("when the value happened that raised the alert")]
    acknowledged: Annotated[bool, meaning("whether somebody has taken note of it")]
    acknowledged_by: Annotated[str | None, meaning("id of the key that did")]
    acknowledged_at: Annotated[datetime | None, meaning("when that was")]
    deleted_at: Annotated[datetime | None, meaning("when it was removed from the list")]
    source: Annotated[Source, meaning("live, import, or simulated: a simulator made the values up", frozen=True)]
    raised_n: Annotated[int, meaning("number of the organization's event that raised it")]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it last changed")]
    established: Annotated[
        bool, meaning("whether it holds where values of a session are alike, too; else it is a hint", frozen=True)
    ] = False
    clusters: Annotated[int | None, meaning("in how many clusters the n values came")] = None
    recent_clusters: Annotated[int | None, meaning("in how many of them since the change")] = None
    n_effective: Annotated[float | None, meaning("as how many independent values they count")] = None
    basis: Annotated[str | None, meaning("what a cluster is: session, hour, or session, else hour")] = None
    change_earliest_at: Annotated[
        datetime | None, meaning("when the change began at the earliest; with the latest a 95% interval")
    ] = None
    change_latest_at: Annotated[datetime | None, meaning("when it began at the latest")] = None


class DriftAlertsQuery(Query, frozen=True, kw_only=True):
    agent_id: ShortText | None = None
    action_type: ShortText | None = None
    metric: MetricName | None = None
    severity: DriftSeverity | None = None
    acknowledged: bool | None = None
    established: bool | None = None
    source: Source | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class DriftAlerts(Record, frozen=True, kw_only=True):
    """The newest first, without those that were removed."""

    alerts: list[DriftAlert]
    total: int
    next_cursor: str | None


class DeletedDriftAlert(Record, frozen=True, kw_only=True):
    deleted: bool
    id: str


class DriftComparisonQuery(Query, frozen=True, kw_only=True):
    """`recent` reaches back from now, `baseline` from now too and ends where `recent` begins."""

    baseline: WindowText = "30d"
    recent: WindowText = "7d"
    agent_id: Whose | None = None
    action_type: ShortText | None = None
    metric: MetricName | None = None
    source: Source | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] = 200


class ComparedMetric(Record, frozen=True, kw_only=True):
    """One metric of one agent and action type, in two windows. `baseline` and `recent` are means, or rates from 0 to 1.

    `effect` is named by `effect_name` and comes with its 95% interval: cliffs_delta (numbers), difference (rates),
    cramers_v (the mix of action types). Tests, intervals and effects count rows of one session once as far as they are
    alike: `clusters_baseline` and `clusters_recent` are how many clusters there are, `n_effective` is as how many
    independent values both windows count, `basis` says what a cluster is. Below 10 clusters in a window, nothing is
    told. Where the windows hold the days of the week in other shares, the same days are compared: `standardised`.
    `p_adjusted` is p by Benjamini and Hochberg over everything that was compared;
    `drifted` means significant and large enough to matter. `status` is insufficient_data where there are too few values
    to tell, and then all that would have to be told from them is None. `simulated` counts those among the values that a
    simulator made up.
    """

    agent_id: Annotated[str | None, meaning("whose values")]
    action_type: str | None
    metric: str
    kind: str
    status: str
    n_baseline: int
    n_recent: int
    excluded: int
    simulated: int
    baseline: float | None
    recent: float | None
    sd_baseline: float | None
    sd_recent: float | None
    test: str | None
    statistic: float | None
    p_value: float | None
    p_adjusted: float | None
    effect_name: str | None
    effect: float | None
    effect_low: float | None
    effect_high: float | None
    ks: float | None
    wasserstein: float | None
    wasserstein_normed: float | None
    psi: float | None
    jensen_shannon: float | None
    drifted: bool
    direction: str | None
    clusters_baseline: int | None = None
    clusters_recent: int | None = None
    n_effective: Annotated[float | None, meaning("as how many independent values both windows count")] = None
    basis: Annotated[
        str | None, meaning("what a cluster is: session, thread, value, or the first of these that a row has")
    ] = None
    standardised: Annotated[
        bool, meaning("whether baseline values count by how often their day of the week is in the recent window")
    ] = False
    unmatched: Annotated[int, meaning("left out: values of a part of the week that only one window has")] = 0


class DriftComparison(Record, frozen=True, kw_only=True):
    """What drifted first, then by p; `total` rows were compared, `drifted` of them did, `insufficient_data` have too
    few values. Every window includes its first moment and not its last."""

    baseline_since: datetime
    recent_since: datetime
    until: datetime
    fdr: float
    total: int
    drifted: int
    insufficient_data: int
    comparisons: list[ComparedMetric]


class DriftStep(StrEnum):
    """What published clients ask for one after the other. Here each of them is right the moment it is asked for."""

    DETECT = "detect"
    COMPUTE_BASELINES = "compute_baselines"
    RECORD_SNAPSHOTS = "record_snapshots"


class DetectDrift(Request, frozen=True, kw_only=True):
    """`detect` compares the last `window_days` with the days before, back to `lookback_days`; `compute_baselines` says
    what the last `lookback_days` were like; `record_snapshots` says what today is like. Nothing is stored for it."""

    example: ClassVar[Example] = {"window_days": 7}

    action: DriftStep = DriftStep.DETECT
    agent_id: Whose | None = None
    window_days: Days = 7
    lookback_days: Days = 30


class DriftSnapshot(Record, frozen=True, kw_only=True):
    """What a metric of an agent was like on a day (UTC), or since `day`: n values, their mean (a rate for those that
    are) with its 95% interval, and their sample standard deviation. What n values cannot tell is None."""

    agent_id: Annotated[str | None, meaning("whose values")]
    metric: str
    kind: str
    day: date
    n: Annotated[int, meaning("how many values")]
    mean: float | None
    mean_low: float | None
    mean_high: float | None
    sd: float | None
    simulated: int


class DetectedDrift(Record, frozen=True, kw_only=True):
    """What `action` asked for: `comparison` of detect, `baselines`, `snapshots`; the others are empty. `alerts` are
    those that nobody has acknowledged; they are raised as values come, not by asking."""

    action: DriftStep
    alerts: list[DriftAlert]
    comparison: DriftComparison | None
    baselines: list[DriftSnapshot]
    snapshots: list[DriftSnapshot]


class DriftStatsQuery(Query, frozen=True, kw_only=True):
    agent_id: Whose | None = None


class DriftStats(Record, frozen=True, kw_only=True):
    """Alerts without those that were removed. `streams` are watched now (of every agent); `caught_up` is false while
    they are still reading what was recorded. `false_alarms` is the probability, at most, that a stream which does not
    change raises one: a hint where its values are independent, an established one where its clusters are.
    `established` are those that nobody has acknowledged, too."""

    total: int
    unacknowledged: int
    simulated: int
    by_severity: dict[str, int]
    by_metric: dict[str, int]
    by_agent: dict[str, int]
    newest_at: datetime | None
    streams: int
    caught_up: bool
    false_alarms: float
    established: int = 0


class DriftMetric(Record, frozen=True, kw_only=True):
    """`kind` is number, proportion or category; `worse` is the direction that is bad news. `published` is the name by
    which published clients know it, where that is another; `watched` says whether its streams raise alerts."""

    name: str
    published: str | None
    kind: str
    unit: str | None
    worse: str
    meaning: str
    watched: bool


class DriftMetrics(Record, frozen=True, kw_only=True):
    metrics: list[DriftMetric]


class DriftSnapshotsQuery(Query, frozen=True, kw_only=True):
    """`limit` counts days with values, the newest, of each agent and metric; with `action_type` actions of that type
    alone count."""

    agent_id: Whose | None = None
    action_type: ShortText | None = None
    metric: MetricName | None = None
    window: WindowText = "90d"
    source: Source | None = None
    limit: Limit = 30


class DriftSnapshots(Record, frozen=True, kw_only=True):
    """By agent and metric, and of each the newest day first."""

    since: datetime
    until: datetime
    snapshots: list[DriftSnapshot]


LIST_DRIFT_ALERTS = Endpoint(
    operation="list_drift_alerts",
    method="GET",
    path="/api/drift/alerts",
    summary="Drift alerts, newest first: streams of values that changed.",
    roles=ANYONE,
    query=DriftAlertsQuery,
    response=DriftAlerts,
)
DETECT_DRIFT = Endpoint(
    operation="detect_drift",
    method="POST",
    path="/api/drift/alerts",
    summary="Compare the last days with those before, or say what they were like; nothing is stored.",
    roles=ANYONE,
    request=DetectDrift,
    response=DetectedDrift,
    problems=(Code.PROJECTION_BEHIND,),
    analyzes=True,
)
GET_DRIFT_ALERT = Endpoint(
    operation="get_drift_alert",
    method="GET",
    path="/api/drift/alerts/{alert_id}",
    summary="One drift alert.",
    roles=ANYONE,
    response=DriftAlert,
    problems=(Code.DRIFT_ALERT_NOT_FOUND,),
)
ACKNOWLEDGE_DRIFT_ALERT = Endpoint(
    operation="acknowledge_drift_alert",
    method="PATCH",
    path="/api/drift/alerts/{alert_id}",
    summary="Take note of a drift alert; guard and lessons no longer warn of it.",
    roles=OPERATING,
    response=DriftAlert,
    problems=(Code.DRIFT_ALERT_NOT_FOUND, Code.PROJECTION_BEHIND),
)
DELETE_DRIFT_ALERT = Endpoint(
    operation="delete_drift_alert",
    method="DELETE",
    path="/api/drift/alerts/{alert_id}",
    summary="Remove a drift alert from the list; the evidence keeps it.",
    roles=ADMIN,
    response=DeletedDriftAlert,
    problems=(Code.DRIFT_ALERT_NOT_FOUND, Code.PROJECTION_BEHIND),
)
GET_DRIFT_STATS = Endpoint(
    operation="get_drift_stats",
    method="GET",
    path="/api/drift/stats",
    summary="How many drift alerts there are, by severity, metric and agent.",
    roles=ANYONE,
    query=DriftStatsQuery,
    response=DriftStats,
)
GET_DRIFT_METRICS = Endpoint(
    operation="get_drift_metrics",
    method="GET",
    path="/api/drift/metrics",
    summary="The metrics that are watched and compared.",
    roles=ANYONE,
    response=DriftMetrics,
)
GET_DRIFT_SNAPSHOTS = Endpoint(
    operation="get_drift_snapshots",
    method="GET",
    path="/api/drift/snapshots",
    summary="What each metric of each agent was like day by day.",
    roles=ANYONE,
    query=DriftSnapshotsQuery,
    response=DriftSnapshots,
    analyzes=True,
)
COMPARE_DRIFT = Endpoint(
    operation="compare_drift",
    method="GET",
    path="/api/drift/comparison",
    summary="A recent window against a baseline, for every agent, action type and metric.",
    roles=ANYONE,
    query=DriftComparisonQuery,
    response=DriftComparison,
    analyzes=True,
)
