"""Calibration in the service: the same numbers as the analytics over the same rows, for whoever may see them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from assent.contract.analysis.calibration import AutoCalibrate, CalibrationQuery
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_analytics import calibration
from assent_service.analysis.calibration import auto_calibrate, calibration_report
from assent_service.core.principal import Principal
from tests.service.control.actions.world import DAY, World, opened, refused


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as world:
        yield world


async def work(world: World, n: int, by: Principal | None = None, **members: Any) -> None:
    """n finished actions: the k-th takes k seconds and states a confidence of 5 * k; every third fails."""
    for k in range(n):
        action = await world.act(by, confidence=5 * (k % 20), **members)
        status = "failed" if k % 3 == 0 else "completed"
        await world.report(action, by, status=status, duration_ms=1000 * k, cost_estimate=k / 10)
    await world.service.ledger.caught_up()


async def scales(world: World, by: Principal | None = None, **members: Any) -> Any:
    said = msgspec.convert(members, AutoCalibrate)
    return await auto_calibrate(world.service.ledger, by or world.admin, said, world.clock())


async def report(world: World, by: Principal | None = None, **members: Any) -> Any:
    query = msgspec.convert(members, CalibrationQuery)
    return await calibration_report(world.service.ledger, by or world.admin, query, world.clock())


async def test_scales_by_hand(world: World) -> None:
    await work(world, 20)
    found = await scales(world)
    assert (found.status, found.count, found.message, found.lookback_days) == ("ok", 20, None, 30)
    by_metric = {each.metric.value: each for each in found.suggestions}
    assert list(by_metric) == ["duration_ms", "cost_estimate", "risk_score", "confidence"]
    assert found.left_out == {"tokens_total": 0}
    duration = by_metric["duration_ms"]
    assert (duration.distribution.p25, duration.distribution.p50, duration.distribution.max) == (5000, 10_000, 19_000)
    assert [(step.operator, step.value, step.score) for step in duration.suggested_scale] == [
        ("lte", 5000, 100),
        ("lte", 10_000, 75),
        ("lte", 15_000, 50),
        ("gt", 15_000, 20),
    ]
    assert set(duration.intervals) == {"p10", "p25", "p50", "p75", "p90"}
    low, high = duration.intervals["p50"]
    assert 0 <= low < 10_000 < high <= 19_000
    assert (by_metric["confidence"].lower_is_better, by_metric["confidence"].sample_size) == (False, 20)


async def test_too_few_actions(world: World) -> None:
    found = await scales(world)
    assert (found.status, found.count, found.suggestions) == ("insufficient_data", 0, [])
    await work(world, 9)
    found = await scales(world)
    assert (found.status, found.count, found.suggestions) == ("insufficient_data", 9, [])
    assert "10 are needed" in found.message
    assert found.left_out["duration_ms"] == 9


async def test_only_what_is_asked_for(world: World) -> None:
    await work(world, 12, action_type="refund")
    await work(world, 15, action_type="look", agent_id="other")
    assert (await scales(world)).count == 27
    assert (await scales(world, action_type="refund")).count == 12
    assert (await scales(world, agent_id="other")).count == 15
    assert (await scales(world, action_type="refund", agent_id="other")).count == 0
    found = await scales(world, metrics=["confidence", "duration_ms"])
    assert [each.metric for each in found.suggestions] == ["duration_ms", "confidence"]
    assert (await scales(world, metrics=[])).suggestions == []
    world.clock.turn(5 * DAY)
    assert (await scales(world, lookback_days=4)).count == 0
    assert (await scales(world, lookback_days=6)).count == 27
    assert (await report(world, action_type="look")).confidence.n == 15
    assert (await report(world, agent_id="other")).confidence.n == 15
    assert (await report(world, window="4d")).confidence.n == 0


async def test_the_report_is_the_analytics(world: World) -> None:
    await work(world, 40)
    await world.act(confidence=90)  # still running: it has no outcome
    found = await report(world, bins=5)
    frame = await world.service.ledger.frame("SELECT status, confidence, risk_score, source FROM actions", [])
    for each in (found.confidence, found.risk_score):
        row = calibration.quality(frame, each.of.value, bins=5).row(0, named=True)
        told = msgspec.structs.asdict(each)
        for name, value in row.items():
            assert told[name] == (pytest.approx(value, rel=1e-9, abs=1e-12) if isinstance(value, float) else value)
        bins = calibration.reliability(frame, each.of.value, bins=5).to_dicts()
        assert [one.n for one in each.bins] == [one["n"] for one in bins]
        assert [one.observed for one in each.bins] == pytest.approx([one["observed"] for one in bins])
    assert (found.confidence.predicts, found.risk_score.predicts) == ("success", "failure")
    assert (found.confidence.n, found.confidence.base_rate) == (40, pytest.approx(26 / 40))


async def test_simulated_actions_say_so(world: World) -> None:
    await work(world, 12, source="simulated")
    assert (await scales(world)).simulated == 12
    assert (await report(world)).confidence.simulated == 12
    assert sum(each.simulated for each in (await report(world)).confidence.bins) == 12


async def test_an_agent_sees_its_own(world: World) -> None:
    bound = world.somebody(Role.AGENT, "bot")
    await work(world, 12, agent_id="bot")
    await work(world, 11, agent_id="other")
    assert (await scales(world, bound)).count == 12
    assert (await scales(world, bound, agent_id="other")).count == 0
    assert (await report(world, bound)).confidence.n == 12
    stranger = await world.stranger()
    assert (await scales(world, stranger)).count == 0
    assert (await report(world, stranger)).risk_score.n == 0


async def test_windows_that_are_none(world: World) -> None:
    async with refused(Code.INVALID_QUERY):
        await report(world, window="soon")


async def test_nothing_is_recorded(world: World) -> None:
    await work(world, 10)
    before = len(await world.events())
    await scales(world)
    await report(world)
    assert len(await world.events()) == before


def test_the_frame_of_the_service_is_one_the_analytics_takes() -> None:
    """Alike rows in `n`, as its query gives them, with columns that are all null."""
    frame = pl.DataFrame(
        {"status": ["completed"], "confidence": [None], "risk_score": [None], "source": ["live"], "n": [5]},
        schema_overrides={"confidence": pl.Int64, "risk_score": pl.Float64},
    )
    assert calibration.quality(frame)["n"].item() == 0
    assert calibration.reliability(frame).height == 0
