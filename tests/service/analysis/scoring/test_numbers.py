"""What stored scores add up to: equal to the rules over the rows themselves, and to NumPy."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from assent.contract.problems import Code
from assent_analytics import scoring
from tests.service.analysis.scoring.bench import Bench
from tests.service.control.actions.world import World, refused

LINE = [{"label": str(score), "operator": "lt", "value": score + 1, "score": score} for score in range(50)]


async def test_stats_are_those_of_the_rows(bench: Bench, world: World) -> None:
    profile = await bench.profile({"name": "n", "data_source": "duration_ms", "scale": LINE})
    other = await bench.profile({"name": "n", "data_source": "duration_ms"})
    action = await world.act(agent_id="bot", duration_ms=3)
    simulated = await world.act(agent_id="fake", source="simulated", duration_ms=44)
    values = [1, 7, 7, 7, 20, 33, 49]
    await bench.batch(profile, [{"duration_ms": value, "agent_id": "a"} for value in values])
    first = await bench.score(profile, {"action_id": action.action_id, "duration_ms": 3})
    last = await bench.score(profile, {"action_id": simulated.action_id, "duration_ms": 44})
    await bench.score(other, {"duration_ms": 1})
    stats = await bench.stats(profile.id)
    expected = np.array([*values, 3, 44], dtype=float)
    assert (stats.total_scores, stats.n, stats.profile_id) == (9, 9, profile.id)
    assert stats.avg_score == pytest.approx(expected.mean(), rel=1e-12)
    assert stats.stddev_score == pytest.approx(expected.std(ddof=1), rel=1e-12)
    assert (stats.min_score, stats.max_score) == (1, 49)
    quantiles = [stats.p10, stats.p25, stats.p50, stats.p75, stats.p90]
    assert quantiles == pytest.approx(np.quantile(expected, [0.1, 0.25, 0.5, 0.75, 0.9]), rel=1e-12)
    assert (stats.unique_agents, stats.unique_actions, stats.simulated, stats.unrecorded) == (3, 2, 1, 7)
    rows = (await bench.page(profile_id=profile.id, limit=200)).scores
    assert (stats.since, stats.until) == (min(each.scored_at for each in rows), last.scored_at)
    assert first.scored_at < last.scored_at
    frame = pl.DataFrame(
        {"composite_score": [each.composite_score for each in rows], "source": [each.source for each in rows]},
        schema={"composite_score": pl.Float64, "source": pl.String},
    )
    (whole,) = scoring.stats(frame).collect().to_dicts()
    assert (stats.avg_low, stats.avg_high) == pytest.approx((whole["avg_low"], whole["avg_high"]), rel=1e-12)
    assert (stats.status, whole["status"]) == ("ok", "ok")
    assert (await bench.stats(profile.id, agent_id="bot")).n == 1


async def test_too_few_scores_say_so(bench: Bench) -> None:
    profile = await bench.profile({"name": "n", "data_source": "duration_ms"})
    nothing = await bench.stats(profile.id)
    assert (nothing.n, nothing.avg_score, nothing.since, nothing.status) == (0, None, None, "insufficient_data")
    assert (nothing.avg_low, nothing.avg_high, nothing.p50, nothing.unique_agents) == (0, 100, None, 0)
    await bench.score(profile, {"duration_ms": 1})
    one = await bench.stats(profile.id)
    assert (one.n, one.avg_score, one.stddev_score, one.status) == (1, 50, None, "insufficient_data")
    assert (one.avg_low, one.avg_high) == (0, 100)


async def test_stats_are_of_one_profile(bench: Bench) -> None:
    async with refused(Code.INVALID_QUERY) as found:
        await bench.stats(None)
    assert [error.place for error in found.value.errors] == ["profile_id"]
    async with refused(Code.PROFILE_NOT_FOUND):
        await bench.stats("sp_nobody")
