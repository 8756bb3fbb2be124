"""The digest of a week, counted by hand on two small weeks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import inf, nan, sqrt
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assent.contract.analysis.week import week_of
from assent.contract.analysis.weekly import WeeklyDigest
from assent_analytics.clusters import clustered_difference
from assent_analytics.digest import Tables, digest, firsts

TIME = pl.Datetime("us", "UTC")
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
WEEK = week_of(None, NOW)
SCHEMAS: dict[str, dict[str, Any]] = {
    "actions": {
        **dict.fromkeys(("agent_id", "action_type", "status", "source"), pl.String),
        "risk_score": pl.Float64,
        "cost_estimate": pl.Float64,
        "timestamp_start": TIME,
    },
    "decisions": {"decision": pl.String, "source": pl.String, "occurred_at": TIME},
    "approvals": {"state": pl.String, "source": pl.String, "requested_at": TIME, "decided_at": TIME},
    "signals": {"type": pl.String, "severity": pl.String, "agent_id": pl.String, "created_at": TIME},
    "drift_alerts": {
        **dict.fromkeys(("severity", "metric", "source"), pl.String),
        "acknowledged": pl.Boolean,
        "detected_at": TIME,
        "deleted_at": TIME,
    },
}


def ago(days: float) -> datetime:
    """So many days before the week's end."""
    return WEEK.until - timedelta(days=days)


def action(days: float, **members: Any) -> dict[str, Any]:
    usual = {"agent_id": "bot", "action_type": "pay", "status": "completed", "source": "live", "risk_score": 10.0}
    return {**usual, "cost_estimate": None, "timestamp_start": ago(days), **members}


def tables(**rows: list[dict[str, Any]]) -> Tables:
    frames = {name: pl.DataFrame(rows.get(name, []), schema=schema) for name, schema in SCHEMAS.items()}
    return Tables(**frames, first_seen=firsts(frames["actions"]))


def of(**rows: list[dict[str, Any]]) -> WeeklyDigest:
    return digest(WEEK, tables(**rows))


def test_a_week_holds_its_beginning_and_not_its_end() -> None:
    found = of(actions=[action(days) for days in (0, 1e-6, 3, 7, 7.1, 14, 14.1)])
    assert (found.actions.all.n, found.actions.all.before) == (3, 2)
    assert (found.since, found.until) == (WEEK.since, WEEK.until)
    assert (found.before_since, found.before_until) == (WEEK.since - timedelta(7), WEEK.until - timedelta(7))


def test_success_is_of_those_that_ended() -> None:
    statuses = ["completed"] * 30 + ["failed"] * 8 + ["cancelled"] * 2 + ["running"] * 5 + ["blocked"] * 3
    before = ["completed"] * 36 + ["failed"] * 4
    rows = [action(1, status=each) for each in statuses] + [action(8, status=each) for each in before]
    rows.append(action(2, status="completed", source="simulated"))
    found = of(actions=rows).actions
    assert found.by_status == {"blocked": 3, "cancelled": 2, "completed": 31, "failed": 8, "running": 5}
    assert sum(found.by_status.values()) == found.all.n == 49
    assert found.simulated == 1
    success = found.success
    assert (success.count, success.n, success.before_count, success.before_n) == (31, 39, 36, 40)
    # Wilson's and Newcombe's by their formulas.
    (low, high), (low_before, high_before) = wilson(31, 39), wilson(36, 40)
    assert (success.low, success.high) == pytest.approx((low, high))
    p, q = 31 / 39, 36 / 40
    assert success.difference == pytest.approx(p - q)
    assert success.difference_low == pytest.approx(p - q - sqrt((p - low) ** 2 + (high_before - q) ** 2))
    assert success.difference_high == pytest.approx(p - q + sqrt((high - p) ** 2 + (q - low_before) ** 2))
    assert success.status == "ok"


def wilson(k: int, n: int) -> tuple[float, float]:
    found = stats.binomtest(k, n).proportion_ci(method="wilson")
    return found.low, found.high


@pytest.mark.parametrize(("n", "before", "status"), [(20, 20, "ok"), (19, 200, "x"), (200, 19, "x"), (0, 0, "x")])
def test_few_are_not_compared(n: int, before: int, status: str) -> None:
    rows = [{"decision": "block", "source": "live", "occurred_at": ago(1)}] * n
    rows += [{"decision": "block", "source": "live", "occurred_at": ago(8)}] * before
    found = of(decisions=rows).decisions.block
    assert found.status == ("ok" if status == "ok" else "insufficient_data")
    assert (found.difference is None) == (found.difference_low is None) == (status != "ok")
    assert found.rate == (1.0 if n else None)


def test_decisions() -> None:
    mix = {"allow": 60, "warn": 10, "require_approval": 20, "block": 10}
    rows = [{"decision": name, "source": "live", "occurred_at": ago(2)} for name, n in mix.items() for _ in range(n)]
    rows += [{"decision": "allow", "source": "simulated", "occurred_at": ago(9)}] * 50
    found = of(decisions=rows).decisions
    assert (found.all.n, found.all.before, found.all.ratio) == (100, 50, 2.0)
    shares = {name: found[name] for name in mix}
    assert {name: share.count for name, share in shares.items()} == mix
    assert sum(share.rate for share in shares.values()) == pytest.approx(1)
    assert found.require_approval.difference == pytest.approx(0.2)
    assert found.simulated == 0


def test_approvals() -> None:
    def approval(state: str, seconds: float | None, days: float = 1) -> dict[str, Any]:
        decided = None if seconds is None else ago(days) + timedelta(seconds=seconds)
        return {"state": state, "source": "live", "requested_at": ago(days), "decided_at": decided}

    rows = [approval("approved", seconds) for seconds in range(1, 41)] + [approval("denied", 100.0)] * 10
    rows += [approval("expired", 3600.0)] * 5 + [approval("awaiting", None)] * 3 + [approval("approved", 7.0, 9)]
    found = of(approvals=rows).approvals
    assert (found.asked.n, found.asked.before, found.decided.n, found.awaiting) == (58, 1, 50, 3)
    assert (found.approved.count, found.approved.n, found.expired.count, found.expired.n) == (40, 50, 5, 58)
    # Of 1 to 40 and ten times 100: the median lies between the 25th and the 26th.
    assert found.p50.value == pytest.approx(25.5)
    assert found.p95.value == pytest.approx(100)
    assert found.p50.before == 7.0
    # Ranks 18 and 33 of 50 enclose the median with 95%: tables of the sign test.
    assert (found.p50.low, found.p50.high) == (18.0, 33.0)
    assert found.p95.high is None or found.p95.high == 100


def test_cost_is_of_those_that_say_it() -> None:
    costs = [0.5, 1.5, 4.0, None, nan, inf]
    found = of(actions=[action(1, cost_estimate=each) for each in costs] + [action(9, cost_estimate=2.0)]).cost
    assert (found.n, found.total, found.mean) == (3, 6.0, 2.0)
    low, high = stats.t.interval(0.95, 2, 2.0, stats.sem([0.5, 1.5, 4.0]))
    assert (found.mean_low, found.mean_high) == pytest.approx((low, high))
    assert (found.before_n, found.before_total, found.before_mean) == (1, 2.0, 2.0)
    single = of(actions=[action(1, cost_estimate=2.0)]).cost
    assert (single.mean, single.mean_low, single.mean_high) == (2.0, None, None)


def test_who_is_surely_risky_comes_before_who_was_once() -> None:
    rows = [action(1, agent_id="once", risk_score=100.0)]
    rows += [action(1, agent_id="often", risk_score=risk) for risk in (70.0, 72.0, 74.0, 76.0)]
    rows += [action(1, agent_id="calm", risk_score=risk) for risk in (5.0, 7.0)]
    rows += [action(1, agent_id="silent", risk_score=nan), action(1, agent_id=None, risk_score=90.0)]
    found = of(actions=rows)
    often, *others = found.agents_by_risk
    assert {each.name for each in others} == {"once", "calm"}
    low, high = stats.t.interval(0.95, 3, 73.0, stats.sem([70, 72, 74, 76]))
    assert (often.name, often.n, often.mean, often.highest) == ("often", 4, 73.0, 76.0)
    assert (often.low, often.high) == pytest.approx((low, high))
    assert next(each for each in others if each.name == "once").low == 0.0
    assert [each.name for each in found.types_by_risk] == ["pay"]


def test_only_the_five_riskiest_are_named() -> None:
    rows = [action(1, action_type=f"type {n}", risk_score=10.0 * n + more) for n in range(8) for more in (0, 1, 2)]
    assert [each.name for each in of(actions=rows).types_by_risk] == [f"type {n}" for n in (7, 6, 5, 4, 3)]


def test_what_is_new_was_never_there_before() -> None:
    rows = [
        action(400, agent_id="old"),
        action(1, agent_id="old"),
        action(2, agent_id="new"),
        action(1, agent_id="new"),
    ]
    rows += [action(10, action_type="refund"), action(0.5, action_type="wipe"), action(-1, agent_id="tomorrow")]
    found = of(actions=rows)
    assert [(each.name, each.n, each.first_seen) for each in found.new_agents] == [("new", 2, ago(2))]
    assert [(each.name, each.n) for each in found.new_types] == [("wipe", 1)]


def test_drift_alerts() -> None:
    def alert(days: float, **members: Any) -> dict[str, Any]:
        usual = {"severity": "warning", "metric": "score", "source": "live", "acknowledged": False}
        return {**usual, "detected_at": ago(days), "deleted_at": None, **members}

    rows = [alert(1), alert(2, severity="critical", acknowledged=True), alert(3, metric="tokens", source="simulated")]
    rows += [alert(1, deleted_at=ago(0.5)), alert(8)]
    found = of(drift_alerts=rows).drift_alerts
    assert (found.all.n, found.all.before, found.unacknowledged, found.simulated) == (3, 1, 2, 1)
    assert found.by_severity == {"critical": 1, "warning": 2}
    assert found.by_metric == {"score": 2, "tokens": 1}


def test_signals_are_set_against_live_actions() -> None:
    rows = [{"type": "stale_loop", "severity": "red", "agent_id": "bot", "created_at": ago(1)}] * 3
    rows += [{"type": "agent_silent", "severity": "red", "agent_id": "bot", "created_at": ago(8)}]
    acted = [action(1)] * 30 + [action(1, source="simulated")] * 100
    found = of(signals=rows, actions=acted).signals
    assert (found.all.n, found.all.before, found.actions) == (3, 1, 30)
    assert found.per_100 == pytest.approx(10)
    assert {name: (each.n, each.before) for name, each in found.by_type.items()} == {
        "agent_silent": (0, 1),
        "stale_loop": (3, 0),
    }
    assert of(signals=rows, actions=acted[:19]).signals.status == "insufficient_data"


def test_of_nothing_nothing_is_said() -> None:
    found = of()
    assert found.actions.all.n == found.decisions.all.n == found.approvals.asked.n == found.signals.all.n == 0
    assert found.actions.success.rate is None
    assert (found.actions.success.low, found.actions.success.high) == (0.0, 1.0)
    assert found.cost.mean is None
    assert found.approvals.p50.value is None
    assert found.new_agents == []
    assert found.agents_by_risk == []
    assert found.signals.status == found.decisions.block.status == "insufficient_data"


def test_a_frame_that_lacks_something_is_named() -> None:
    whole = tables()
    with pytest.raises(ValueError, match="lack timestamp_start"):
        digest(WEEK, whole._replace(actions=whole.actions.lazy().drop("timestamp_start")))
    with pytest.raises(ValueError, match="actions lack agent_id"):
        firsts(pl.DataFrame(schema={"action_type": pl.String, "timestamp_start": TIME}))


_action = st.builds(
    action,
    st.sampled_from([0.5, 1, 6, 7, 8, 13, 15]),
    agent_id=st.sampled_from(["a", "b", None]),
    action_type=st.sampled_from(["pay", "look"]),
    status=st.sampled_from(["completed", "failed", "running"]),
    risk_score=st.sampled_from([None, nan, 0.0, 50.0, 99.5]),
    cost_estimate=st.sampled_from([None, 0.25, 8.0]),
    source=st.sampled_from(["live", "simulated"]),
)


@given(st.lists(_action, max_size=30), st.integers(1, 4))
def test_rows_that_are_alike_may_come_once_with_their_number(rows: list[dict[str, Any]], times: int) -> None:
    apart = tables(actions=rows * times)
    keys = [name for name in SCHEMAS["actions"] if name != "timestamp_start"]
    recent = (pl.col("timestamp_start") >= WEEK.since).alias("recent")
    both = apart.actions.lazy().filter(pl.col("timestamp_start") >= WEEK.before[0])
    # What the service asks its database for; the first moment stands for all of the same hour.
    hour = pl.col("timestamp_start").dt.truncate("1h").alias("hour")
    counted = both.group_by(*keys, recent, hour).agg(pl.col("timestamp_start").min(), pl.len().alias("n"))
    one, two = digest(WEEK, apart), digest(WEEK, apart._replace(actions=counted))
    same(one, two)


def same(one: Any, two: Any) -> None:
    if isinstance(one, float) and isinstance(two, float):
        assert one == pytest.approx(two, rel=1e-9, abs=1e-9)
    elif isinstance(one, list):
        assert len(one) == len(two)
        for left, right in zip(one, two, strict=True):
            same(left, right)
    elif hasattr(one, "__struct_fields__"):
        for name in one.__struct_fields__:
            same(one[name], two[name])
    else:
        assert one == two


def test_shares_have_intervals_over_sessions_beside_those_over_rows() -> None:
    """Of twelve sessions of five alike actions a week, eleven succeeded before and six now: worth 24, not 120."""
    rows = [
        action(days, session_id=f"{days}-{session}", status="completed" if session < good else "failed")
        for days, good in ((8, 11), (1, 6))
        for session in range(12)
        for _ in range(5)
    ]
    frame = pl.DataFrame(rows, schema={**SCHEMAS["actions"], "session_id": pl.String})
    found = digest(WEEK, tables()._replace(actions=frame)).actions.success
    assert (found.count, found.n, found.before_count, found.clusters, found.basis) == (30, 60, 55, 24, "session")
    shares = [[float(session < good) for session in range(12)] for good in (11, 6)]
    expected = clustered_difference(*((share, range(12 * at, 12 * at + 12)) for at, share in enumerate(shares)))
    ends = (found.clustered_difference_low, found.clustered_difference_high)
    assert ends == pytest.approx((expected.low, expected.high))
    assert found.n_effective == pytest.approx(24, rel=0.2)
    assert found.difference_low is not None
    assert ends[0] is not None
    assert ends[0] < found.difference_low, "wider than that of rows"
    assert found.clustered_low is not None
    assert found.clustered_low < found.low
    alike = digest(WEEK, tables()._replace(actions=counted(frame))).actions.success
    assert alike == found, "alike rows may come once with their number"


def counted(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.group_by(frame.columns, maintain_order=True).agg(pl.len().cast(pl.Int64).alias("n"))


def test_one_cluster_tells_nothing_of_chance_and_few_rows_are_not_compared() -> None:
    rows = [action(days, status=each) for days in (8, 1) for each in ["completed", "failed"] * 15]
    found = of(actions=rows).actions.success
    assert (found.status, found.clusters, found.basis) == ("ok", 2, "agent and hour")
    assert (found.clustered_difference_low, found.clustered_low, found.n_effective) == (None, None, None)
    few = of(actions=rows[:40]).actions.success
    assert (few.status, few.difference, few.clustered_difference_low) == ("insufficient_data", None, None)
    assert of().actions.success.clusters is None


def test_guards_shares_count_what_belongs_together() -> None:
    rows = [
        {
            "decision": "block" if at < 6 else "allow",
            "source": "live",
            "occurred_at": ago(days),
            "session_id": f"{days}-{at}",
        }
        for days in (8, 1)
        for at in range(30)
    ]
    frame = pl.DataFrame(rows, schema={**SCHEMAS["decisions"], "session_id": pl.String})
    found = digest(WEEK, tables()._replace(decisions=frame)).decisions.block
    assert (found.count, found.n, found.clusters) == (6, 30, 60)
    assert found.clustered_low == pytest.approx(stats.binomtest(6, 30).proportion_ci().low, abs=0.02)
    assert of(decisions=frame.drop("session_id").to_dicts()).decisions.block.clusters is None
