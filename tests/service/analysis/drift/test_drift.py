"""Alerts listed, acknowledged and removed, and windows compared, each by what was recorded."""

from __future__ import annotations

import statistics
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from assent.contract.analysis.drift import (
    DetectDrift,
    DriftAlert,
    DriftAlertsQuery,
    DriftComparisonQuery,
    DriftSnapshotsQuery,
    DriftStatsQuery,
    DriftStep,
)
from assent.contract.control.guard import Source
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_analytics.drift import METRICS
from tests.service.analysis.drift.watching import CHANGED, HINTED, STABLE, alerts, at, follower, history, recorded
from tests.service.control.actions.world import START, World, refused
from tests.tiers import deep


async def raised(world: World, agent_id: str = "bot", **members: Any) -> DriftAlert:
    before = len(await alerts(world))
    await history(world, HINTED, agent_id=agent_id, **members)
    (alert,) = (await alerts(world))[before:]
    return alert


async def listed(world: World, **query: Any) -> list[str | None]:
    page = await world.service.drift.page(world.admin, msgspec.convert(query, DriftAlertsQuery))
    assert page.total == len(page.alerts)
    return [alert.agent_id for alert in page.alerts]


async def test_the_list_is_newest_first_and_filtered(world: World) -> None:
    first = await raised(world)
    await raised(world, "other", source="simulated")
    assert await listed(world) == ["other", "bot"]
    assert await listed(world, agent_id="bot") == ["bot"]
    assert await listed(world, severity="critical") == ["other", "bot"]
    assert await listed(world, severity="info") == []
    assert await listed(world, metric="risk_score", action_type="look") == ["other", "bot"]
    assert await listed(world, metric="learning_score") == []
    assert await listed(world, source="simulated") == ["other"]
    await world.service.drift.acknowledge(world.admin, first.id)
    assert await listed(world, acknowledged=False) == ["other"]
    assert await listed(world, acknowledged=True) == ["bot"]
    page = await world.service.drift.page(world.admin, DriftAlertsQuery(limit=1))
    assert (page.total, len(page.alerts)) == (2, 1)
    rest = await world.service.drift.page(world.admin, DriftAlertsQuery(limit=1, cursor=page.next_cursor))
    assert [alert.id for alert in rest.alerts] == [first.id]
    assert rest.next_cursor is None


async def test_hints_and_what_is_established_are_told_apart(world: World) -> None:
    await history(world, STABLE + CHANGED)
    hint, sure = await alerts(world)
    drift = world.service.drift
    for established, found in ((True, [sure]), (False, [hint]), (None, [hint, sure])):
        page = await drift.page(world.admin, DriftAlertsQuery(established=established))
        assert sorted(page.alerts, key=lambda alert: alert.established) == found
    stats = await drift.stats(world.admin, DriftStatsQuery())
    assert (stats.total, stats.unacknowledged, stats.established) == (2, 2, 1)
    await drift.acknowledge(world.admin, sure.id)
    stats = await drift.stats(world.admin, DriftStatsQuery())
    assert (stats.unacknowledged, stats.established) == (1, 0)


async def test_a_metric_that_there_is_not_is_refused(world: World) -> None:
    for name in ("mood", "action_mix"):
        async with refused(Code.INVALID_QUERY) as found:
            await world.service.drift.page(world.admin, DriftAlertsQuery(metric=name))
        assert "duration_ms" in found.value.detail
    async with refused(Code.INVALID_QUERY):
        await world.service.drift.page(world.admin, DriftAlertsQuery(cursor="nonsense"))


async def test_acknowledging_is_recorded_once_and_ends_the_warning(world: World) -> None:
    alert = await raised(world)
    state = world.service.drift.state
    assert list(state.unacknowledged(world.org_id, "bot", "look")) == [alert]
    operator = world.operator("ada")
    done = await world.service.drift.acknowledge(operator, alert.id)
    assert (done.acknowledged, done.acknowledged_by) == (True, operator.key_id)
    assert done.acknowledged_at == done.updated_at
    assert await world.service.drift.acknowledge(world.admin, alert.id) == done
    assert len(await world.events(kind="drift.alert.updated")) == 1
    assert list(state.unacknowledged(world.org_id, "bot", "look")) == []


async def test_one_that_was_removed_is_gone_from_the_list_and_stays_in_the_table(world: World) -> None:
    alert = await raised(world)
    assert (await world.service.drift.delete(world.admin, alert.id)).deleted
    assert await listed(world) == []
    for again in (world.service.drift.delete, world.service.drift.acknowledge):
        async with refused(Code.DRIFT_ALERT_NOT_FOUND):
            await again(world.admin, alert.id)
    ((n,),) = await world.service.ledger.read("SELECT count(*) FROM drift_alerts WHERE deleted_at IS NOT NULL")
    assert n == 1


async def test_no_other_organization_and_no_other_agent_sees_it(world: World) -> None:
    alert = await raised(world)
    stranger = await world.stranger()
    drift = world.service.drift
    async with refused(Code.DRIFT_ALERT_NOT_FOUND):
        await drift.acknowledge(stranger, alert.id)
    assert (await drift.page(stranger, DriftAlertsQuery())).total == 0
    for agent_id, seen in (("bot", 1), ("other", 0)):
        agent = world.somebody(Role.AGENT, agent_id)
        assert (await drift.page(agent, DriftAlertsQuery())).total == seen
        assert (await drift.stats(agent, DriftStatsQuery())).total == seen
        found = await drift.detect(agent, DetectDrift(window_days=18, lookback_days=40))
        assert len(found.alerts) == seen
        assert found.comparison is not None
        assert bool(found.comparison.total) == bool(seen)


async def test_stats_count_what_is_listed(world: World) -> None:
    empty = await world.service.drift.stats(world.admin, DriftStatsQuery())
    assert (empty.total, empty.newest_at, empty.by_metric, empty.streams) == (0, None, {}, 0)
    first = await raised(world)
    second = await raised(world, "other", source="simulated")
    await world.service.drift.acknowledge(world.admin, first.id)
    stats = await world.service.drift.stats(world.admin, DriftStatsQuery())
    assert (stats.total, stats.unacknowledged, stats.simulated) == (2, 1, 1)
    assert stats.by_severity == {"critical": 2}
    assert stats.by_metric == {"risk_score": 2}
    assert stats.by_agent == {"bot": 1, "other": 1}
    assert stats.newest_at == second.created_at
    assert stats.streams == follower(world).streams.number_of(world.org_id) == 12
    assert stats.false_alarms == 0.01
    await alerts(world)
    assert (await world.service.drift.stats(world.admin, DriftStatsQuery(agent_id="bot"))).caught_up


def test_metrics_are_those_of_the_comparison(world: World) -> None:
    found = {each.name: each for each in world.service.drift.metrics().metrics}
    assert list(found) == list(METRICS)
    assert found["score"].published == "learning_score"
    assert found["tokens"].published == "tokens_total"
    assert [name for name, each in found.items() if not each.watched] == ["action_mix"]


async def test_a_comparison_finds_the_change_between_its_windows(world: World) -> None:
    await history(world, STABLE + CHANGED)
    world.clock.now = START
    # The change came 17.5 days before now.
    query = DriftComparisonQuery(baseline="40d", recent="17d", agent_id="bot")
    found = await world.service.drift.compare(world.admin, query)
    assert found.recent_since - found.baseline_since == timedelta(days=23)
    first = found.comparisons[0]
    assert (first.metric, first.agent_id, first.action_type) == ("risk_score", "bot", "look")
    assert first.drifted
    risks = await recorded(world)
    before = [risk for number, risk in enumerate(risks) if at(number) < found.recent_since]
    after = risks[len(before) :]
    assert (first.n_baseline, first.n_recent) == (len(before), len(after))
    assert first.baseline == pytest.approx(statistics.mean(before))
    assert first.recent == pytest.approx(statistics.mean(after))
    assert found.drifted == sum(each.drifted for each in found.comparisons) == 1
    assert found.total == len(found.comparisons)
    only = msgspec.structs.replace(query, metric="risk_score", limit=1)
    assert [each.metric for each in (await world.service.drift.compare(world.admin, only)).comparisons] == [
        "risk_score"
    ]
    none = msgspec.structs.replace(query, source=Source.SIMULATED)
    assert (await world.service.drift.compare(world.admin, none)).total == 0


async def test_too_few_values_are_said_to_be_too_few(world: World) -> None:
    await history(world, STABLE[:5])
    world.clock.now = START
    query = DriftComparisonQuery(baseline="40d", recent="19d")
    found = await world.service.drift.compare(world.admin, query)
    assert found.insufficient_data == found.total > 0
    assert all(each.status == "insufficient_data" and each.p_value is None for each in found.comparisons)


@pytest.mark.parametrize(
    ("baseline", "recent"),
    [
        ("7d", "7d"),
        *(pytest.param(*each, marks=deep("further windows")) for each in [("7d", "30d"), ("x", "7d"), ("30d", "0d")]),
    ],
)
async def test_windows_that_leave_no_baseline_are_refused(world: World, baseline: str, recent: str) -> None:
    async with refused(Code.INVALID_QUERY):
        await world.service.drift.compare(world.admin, DriftComparisonQuery(baseline=baseline, recent=recent))


async def test_detect_compares_and_the_other_steps_say_what_it_was_like(world: World) -> None:
    await history(world, STABLE + CHANGED)
    hint, sure = await alerts(world)
    world.clock.now = START
    detect = world.service.drift.detect
    found = await detect(world.admin, DetectDrift(window_days=17, lookback_days=40))
    assert sorted(found.alerts, key=lambda alert: alert.established) == [hint, sure]
    assert found.comparison is not None
    assert [each.metric for each in found.comparison.comparisons if each.drifted] == ["risk_score"]
    assert (found.baselines, found.snapshots) == ([], [])
    summed = await detect(world.admin, DetectDrift(action=DriftStep.COMPUTE_BASELINES, agent_id="bot"))
    assert summed.comparison is None
    (risk,) = [each for each in summed.baselines if each.metric == "risk_score"]
    assert (risk.n, risk.day) == (90, at(0).date())
    risks = await recorded(world)
    assert risk.mean == pytest.approx(statistics.mean(risks))
    assert risk.sd == pytest.approx(statistics.stdev(risks))
    today = await detect(world.admin, DetectDrift(action=DriftStep.RECORD_SNAPSHOTS))
    assert today.snapshots == [], "nothing happened today"
    async with refused(Code.INVALID_BODY) as refusal:
        await detect(world.admin, DetectDrift(window_days=30, lookback_days=30))
    assert "lookback_days" in refusal.value.detail
    assert len(await world.events(kind="drift")) == 2, "asking records nothing"


async def test_snapshots_are_by_day(world: World) -> None:
    await history(world, STABLE)
    world.clock.now = START
    query = DriftSnapshotsQuery(agent_id="bot", metric="risk_score", window="30d")
    found = await world.service.drift.snapshots(world.admin, query)
    days: dict[Any, list[float]] = {}
    for number, risk in enumerate(await recorded(world)):
        days.setdefault(at(number).date(), []).append(risk)
    assert [each.day for each in found.snapshots] == sorted(days, reverse=True)
    for each in found.snapshots:
        values = days[each.day]
        assert (each.n, each.simulated, each.kind) == (len(values), 0, "number")
        assert each.mean == pytest.approx(statistics.mean(values))
        assert each.sd == pytest.approx(statistics.stdev(values))
        assert each.mean_low is not None
        assert each.mean_high is not None
        assert each.mean is not None
        assert each.mean_low < each.mean < each.mean_high
    newest = await world.service.drift.snapshots(world.admin, msgspec.structs.replace(query, limit=1))
    # Sums of floating-point numbers depend on their order, which threads decide.
    (only,), first = newest.snapshots, found.snapshots[0]
    assert (only.day, only.n) == (first.day, first.n)
    assert only.mean == pytest.approx(first.mean)
    assert only.sd == pytest.approx(first.sd)
    assert found.until - found.since == timedelta(days=30)
    of_type = await world.service.drift.snapshots(world.admin, msgspec.structs.replace(query, action_type="look"))
    assert [(each.day, each.n) for each in of_type.snapshots] == [(each.day, each.n) for each in found.snapshots]
    other = await world.service.drift.snapshots(world.admin, msgspec.structs.replace(query, action_type="other"))
    assert other.snapshots == []
    async with refused(Code.INVALID_QUERY):
        await world.service.drift.snapshots(world.admin, DriftSnapshotsQuery(metric="mood"))
