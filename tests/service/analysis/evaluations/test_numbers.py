"""Statistics over the scores of an organization."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent.contract.analysis.evaluations import EvalStats, EvalStatsQuery
from assent.contract.roles import Role
from assent_analytics import scores
from tests.service.analysis.evaluations.bench import Bench
from tests.service.control.actions.world import DAY, World


async def stats(bench: Bench, by: Any = None, **query: Any) -> EvalStats:
    asked = msgspec.convert(query, EvalStatsQuery)
    return await bench.evaluations.stats(by or bench.world.admin, asked)


async def history(bench: Bench, world: World) -> None:
    """Forty days ago one score, three days ago two, today three; of two agents and two scorers."""
    one = (await world.act(agent_id="a")).action_id
    two = (await world.act(agent_id="b")).action_id
    await bench.score(one, 0.1, scorer_name="tone")
    world.clock.turn(37 * DAY)
    await bench.score(one, 1.0, scorer_name="tone")
    await bench.score(two, 0.5, scorer_name="tone")
    world.clock.turn(3 * DAY)
    await bench.score(two, 0.8, scorer_name="care")
    await bench.score(two, 0.4, scorer_name="tone")
    await bench.score(one, 0.9, scorer_name="care")


async def test_overall_by_scorer_by_day_and_by_bucket(bench: Bench, world: World) -> None:
    await history(bench, world)
    found = await stats(bench)
    assert (found.days, (found.until - found.since).days) == (30, 30)
    overall = found.overall
    assert (overall.n, overall.total_scores, overall.unique_scorers, overall.today_count) == (5, 5, 2, 3)
    # 1.0, 0.5, 0.8, 0.4, 0.9: mean 0.72, squares 0.268, sd sqrt(0.067).
    assert overall.avg_score == overall.mean == pytest.approx(0.72)
    assert overall.sd == pytest.approx(0.067**0.5)
    # t(4) is 2.776445105197793 at 95 %.
    assert overall.mean_low == pytest.approx(0.72 - 2.776445105197793 * (0.067 / 5) ** 0.5)
    assert (overall.passed, overall.pass_rate, overall.min, overall.max) == (4, 0.8, 0.4, 1.0)
    assert [(each.scorer_name, each.n, each.total_scores) for each in found.by_scorer] == [
        ("care", 2, 2),
        ("tone", 3, 3),
    ]
    assert [each.avg_score for each in found.by_scorer] == pytest.approx([0.85, 1.9 / 3])
    assert [(each.count, each.n) for each in found.trends] == [(2, 2), (3, 3)]
    assert found.trends[1].date == world.clock.moment.date()
    assert [(each.bucket, each.count) for each in found.distribution] == [
        ("excellent", 3),
        ("acceptable", 1),
        ("poor", 1),
    ]


async def test_filters_and_who_sees_what(bench: Bench, world: World) -> None:
    await history(bench, world)
    assert (await stats(bench, days=60)).overall.n == 6
    assert (await stats(bench, days=1)).overall.n == 3
    assert (await stats(bench, agent_id="a")).overall.n == 2
    assert (await stats(bench, scorer_name="care")).overall.n == 2
    assert (await stats(bench, run_id="er_none")).overall.n == 0
    assert (await stats(bench, world.somebody(agent_id="b"))).overall.n == 3
    assert (await stats(bench, world.somebody(agent_id="b"), agent_id="a")).overall.n == 0
    assert (await stats(bench, world.somebody(Role.AUDITOR))).overall.n == 5
    nothing = await stats(bench, await world.stranger())
    assert (nothing.overall.n, nothing.overall.mean, nothing.by_scorer, nothing.trends) == (0, None, [], [])
    assert (nothing.overall.mean_low, nothing.overall.mean_high) == (0, 1)


async def test_the_service_and_a_notebook_say_the_same(bench: Bench, world: World) -> None:
    await history(bench, world)
    whole = await world.service.ledger.frame("SELECT * FROM scores")
    (expected,) = scores.summary(whole).collect().to_dicts()
    overall = (await stats(bench, days=3650)).overall
    assert {name: getattr(overall, name) for name in expected} == {
        name: pytest.approx(value, abs=1e-12) for name, value in expected.items()
    }
