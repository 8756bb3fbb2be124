"""Runs over history, on a running service without HTTP."""

from __future__ import annotations

import asyncio
import errno
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.analysis.evaluations import EvalRunsQuery, EvalScore, RunStatus, ScoresQuery
from assent.contract.problems import Code
from assent_service.analysis.evaluations import runs, work
from assent_service.analysis.evaluations.fields import Skip
from assent_service.analysis.evaluations.judge import Judge
from tests.service.analysis.evaluations.bench import Bench
from tests.service.control.actions.world import DAY, World, opened, refused

WORDY = {"pattern": "thanks", "match_score": 0.9, "no_match_score": 0.2}


async def said(world: World, text: str | None, **members: Any) -> str:
    """A completed action that said this at its end."""
    action = await world.act(**members)
    await world.report(action, status="completed", output_summary=text)
    return action.action_id


async def scores(bench: Bench, **query: Any) -> list[EvalScore]:
    asked = msgspec.convert({"limit": 200} | query, ScoresQuery)
    return (await bench.evaluations.scores.page(bench.world.admin, asked)).scores


async def test_a_run_scores_what_it_can_and_counts_what_it_cannot(bench: Bench, world: World) -> None:
    good, bad = await said(world, "Many thanks", agent_id="a"), await said(world, "no", agent_id="b")
    nothing = await said(world, None)
    scorer = await bench.scorer("regex", WORDY, "tone")
    begun = await bench.begin(scorer)
    assert begun.id.startswith("er_")
    assert (begun.status, begun.total_actions, begun.scored_count, begun.summary) == (RunStatus.RUNNING, 3, 0, None)
    detail = await bench.ended(begun)
    run = detail.run
    assert (run.status, run.total_actions, run.scored_count, run.skipped_count) == (RunStatus.COMPLETED, 3, 2, 1)
    assert (run.skipped, run.left_out_count, run.error_message) == ({"missing_field": 1}, 0, None)
    assert run.completed_at is not None
    assert run.completed_at > run.started_at
    found = {each.action_id: each for each in await scores(bench)}
    assert set(found) == {good, bad}
    assert nothing not in found
    one = found[good]
    assert (one.score, one.label, one.agent_id, one.evaluated_by) == (0.9, "match", "a", "regex")
    assert (one.run_id, one.scorer_id, one.scorer_name, one.created_by) == (run.id, scorer.id, "tone", run.created_by)
    assert [(each.bucket, each.count) for each in detail.distribution] == [("excellent", 1), ("poor", 1)]


async def test_the_summary_is_what_is_worked_out_by_hand(bench: Bench, world: World) -> None:
    for text in ("thanks", "thanks", "thanks", "no"):
        await said(world, text)
    run = (await bench.run(await bench.scorer("regex", WORDY))).run
    found = run.summary
    assert found is not None
    # 0.9 three times and 0.2: mean 2.9 / 4, squares 3 * 0.175^2 + 0.525^2 = 0.3675, over 3 and rooted 0.35.
    assert (found.n, found.min, found.max, found.passed, found.pass_rate) == (4, 0.2, 0.9, 3, 0.75)
    assert found.mean == pytest.approx(0.725)
    assert found.sd == pytest.approx(0.35)
    # t(3) is 3.182446305284263 at 95 %: half is 3.182446 * 0.35 / 2 = 0.556928; the upper end is cut at 1.
    assert found.mean_low == pytest.approx(0.725 - 3.182446305284263 * 0.175)
    assert found.mean_high == 1.0
    # Wilson for 3 of 4.
    assert (found.pass_low, found.pass_high) == pytest.approx((0.30064184, 0.95441273), abs=1e-8)
    assert run.avg_score == pytest.approx(0.725)


async def test_the_filters_choose_and_the_limit_keeps_the_newest(bench: Bench, world: World) -> None:
    old = await said(world, "thanks", agent_id="a", action_type="refund")
    world.clock.turn(2 * DAY)
    new = await said(world, "thanks", agent_id="a", action_type="deploy")
    other = await said(world, "thanks", agent_id="b", action_type="deploy")
    running = (await world.act(agent_id="b", action_type="deploy")).action_id
    scorer = await bench.scorer("expression", {"when": {"field": "status", "op": "exists", "value": True}})
    today = world.clock.moment.date().isoformat()
    yesterday = (world.clock.moment - timedelta(days=1)).isoformat()
    for filters, expected in (
        ({}, {old, new, other, running}),
        ({"agent_id": "a"}, {old, new}),
        ({"action_type": "deploy"}, {new, other, running}),
        ({"status": "completed"}, {old, new, other}),
        ({"from": yesterday}, {new, other, running}),
        ({"to": yesterday}, {old}),
        ({"date_from": today, "date_to": today}, {new, other, running}),
        ({"source": "import"}, set()),
        ({"agent_id": "b", "status": "completed"}, {other}),
        ({"limit": 2}, {other, running}),
        ({"limit": 1, "agent_id": "a"}, {new}),
    ):
        run = (await bench.run(scorer, **filters)).run
        assert {each.action_id for each in await scores(bench, run_id=run.id)} == expected, filters
        assert (run.total_actions, run.action_filters) == (len(expected), filters)
    assert (run.left_out_count, run.agent_id) == (1, "a")


async def test_a_run_over_nothing_is_through_at_once_and_knows_nothing(bench: Bench) -> None:
    run = (await bench.run(await bench.scorer("regex", WORDY))).run
    assert (run.status, run.total_actions, run.avg_score) == (RunStatus.COMPLETED, 0, None)
    assert run.summary is not None
    assert (run.summary.n, run.summary.mean, run.summary.pass_rate) == (0, None, None)
    assert (run.summary.mean_low, run.summary.mean_high, run.summary.pass_low, run.summary.pass_high) == (0, 1, 0, 1)


async def test_steps_and_pages_miss_nothing_and_each_step_is_one_write(
    bench: Bench, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "PAGE", 7)
    monkeypatch.setattr(work, "STEP", 3)
    ids = [(await world.act(metadata={"n": number})).action_id for number in range(20)]
    scorer = await bench.scorer("numeric_range", {"field": "metadata.n", "max": 9})
    run = (await bench.run(scorer)).run
    found = {each.action_id: each.score for each in await scores(bench)}
    assert found == {action_id: float(number <= 9) for number, action_id in enumerate(ids)}
    assert (run.scored_count, run.avg_score) == (20, 0.5)
    writes = [event.batch_size for event in await world.events(kind="score.")]
    # Pages of 7, 7 and 6, in steps of 3.
    assert sorted(writes, reverse=True) == [3] * 18 + [1] * 2
    (rests,) = bench.rests
    # After each of the eight steps it asked whether to rest, and its own scores were no reason to.
    assert len(rests.asked) == 8
    assert len(set(rests.asked)) == 1


async def test_enormous_rows_make_short_pages(bench: Bench, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "PAGE_BYTES", 30_000)
    for number in range(5):
        await world.act(metadata={"n": number, "ballast": "x" * 10_000})
    lengths: list[int] = []
    steps = work.RunWork.steps

    def noted(self: work.RunWork, rows: Any) -> Any:
        lengths.append(len(rows))
        return steps(self, rows)

    monkeypatch.setattr(work.RunWork, "steps", noted)
    run = (await bench.run(await bench.scorer("numeric_range", {"field": "metadata.n", "min": 0}))).run
    assert run.scored_count == 5
    assert max(lengths) <= 2


async def test_how_far_a_run_is_can_be_seen_while_it_goes_on(
    bench: Bench, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "STEP", 2)
    for _ in range(6):
        await said(world, "thanks")
    gate, arrived = threading.Semaphore(1), threading.Semaphore(0)
    judge = work.RunWork.judge

    def slowly(self: work.RunWork, rows: Any, now: int) -> work.RunStep:
        arrived.release()
        gate.acquire()
        return judge(self, rows, now)

    monkeypatch.setattr(work.RunWork, "judge", slowly)
    scorer = await bench.scorer("regex", WORDY)
    begun = await bench.begin(scorer)
    for _ in range(2):
        await asyncio.to_thread(arrived.acquire)
    detail = await bench.evaluations.runs.detail(world.admin, begun.id)
    assert (detail.run.status, detail.run.scored_count, detail.run.total_actions) == (RunStatus.RUNNING, 2, 6)
    assert detail.run.avg_score == pytest.approx(0.9)
    assert [(each.bucket, each.count) for each in detail.distribution] == [("excellent", 2)]
    listed = await bench.evaluations.runs.page(world.admin, EvalRunsQuery(status=RunStatus.RUNNING))
    assert [run.scored_count for run in listed.runs] == [2]
    # A second run may go on beside it, a third has to wait; that of another organization has not.
    second = await bench.begin(scorer)
    async with refused(Code.BUSY):
        await bench.begin(scorer)
    stranger = await world.stranger()
    theirs = await bench.begin(await bench.scorer("regex", WORDY, by=stranger), stranger)
    gate.release(100)
    assert (await bench.ended(begun)).run.scored_count == 6
    assert (await bench.ended(second)).run.scored_count == 6
    assert (await bench.ended(theirs, stranger)).run.scored_count == 0
    assert (await bench.run(scorer)).run.status is RunStatus.COMPLETED


async def test_actions_that_are_recorded_later_are_not_looked_at(bench: Bench, world: World) -> None:
    await said(world, "thanks")
    begun = await bench.begin(await bench.scorer("regex", WORDY))
    await said(world, "thanks")
    assert (await bench.ended(begun)).run.total_actions == 1


async def test_a_scorer_may_change_or_go_and_its_scores_stay(bench: Bench, world: World) -> None:
    await said(world, "thanks")
    scorer = await bench.scorer("regex", WORDY, "tone")
    first = (await bench.run(scorer)).run
    changed = await bench.change(scorer, config={"pattern": "thanks", "match_score": 0.4})
    second = (await bench.run(changed)).run
    await bench.evaluations.scorers.delete(world.admin, scorer.id)
    assert [(each.run_id, each.score) for each in await scores(bench)] == [(second.id, 0.4), (first.id, 0.9)]
    again = (await bench.evaluations.runs.detail(world.admin, first.id)).run
    assert again == first
    assert again.scorer_config["match_score"] == 0.9


async def test_who_sees_which_run(bench: Bench, world: World) -> None:
    bot, other, stranger = world.somebody(agent_id="bot"), world.somebody(agent_id="other"), await world.stranger()
    await said(world, "thanks", agent_id="bot")
    scorer = await bench.scorer("regex", WORDY)
    of_all, of_bot = (await bench.run(scorer)).run, (await bench.run(scorer, agent_id="bot")).run
    runs = bench.evaluations.runs
    assert (await runs.detail(bot, of_bot.id)).run == of_bot
    assert (await runs.page(bot, EvalRunsQuery())).runs == [of_bot]
    assert [run.id for run in (await runs.page(world.admin, EvalRunsQuery())).runs] == [of_bot.id, of_all.id]
    for by, run_id in ((bot, of_all.id), (other, of_bot.id), (stranger, of_bot.id), (world.admin, "er_none")):
        async with refused(Code.EVALUATION_NOT_FOUND):
            await runs.detail(by, run_id)
    async with refused(Code.SCORER_NOT_FOUND):
        await bench.begin(scorer, stranger)
    assert (await runs.page(stranger, EvalRunsQuery())).total == 0


async def test_simulated_actions_stay_simulated(bench: Bench, world: World) -> None:
    await said(world, "thanks")
    await world.act(source="simulated", status="completed", occurred_at=world.clock.moment.isoformat())
    scorer = await bench.scorer("expression", {"when": {"field": "status", "op": "eq", "value": "completed"}})
    run = (await bench.run(scorer)).run
    assert run.summary is not None
    assert (run.summary.n, run.summary.simulated) == (2, 1)
    assert sorted(each.source for each in await scores(bench)) == ["live", "simulated"]


async def test_a_run_that_a_stop_cut_short_is_interrupted_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "STEP", 2)
    gate, arrived = threading.Semaphore(1), threading.Semaphore(0)
    judge = work.RunWork.judge

    def slowly(self: work.RunWork, rows: Any, now: int) -> work.RunStep:
        arrived.release()
        gate.acquire(timeout=60)
        return judge(self, rows, now)

    monkeypatch.setattr(work.RunWork, "judge", slowly)
    async with opened(tmp_path) as world:
        bench = Bench(world)
        for _ in range(5):
            await said(world, "thanks")
        begun = await bench.begin(await bench.scorer("regex", WORDY))
        for _ in range(2):
            await asyncio.to_thread(arrived.acquire)
        stopping = asyncio.create_task(bench.evaluations.stop())
        await asyncio.sleep(0)
        gate.release(10)
        await stopping
        async with refused(Code.SHUTTING_DOWN):
            await bench.begin(await bench.scorer("regex", WORDY, "another"))
    async with opened(tmp_path, world.clock) as world:
        bench = Bench(world)
        await bench.evaluations.start()
        run = (await bench.evaluations.runs.detail(world.admin, begun.id)).run
        assert (run.status, run.scored_count, run.total_actions) == (RunStatus.INTERRUPTED, 2, 5)
        assert run.summary is not None
        assert run.summary.n == 2
        assert "stopped" in (run.error_message or "")
        assert run.completed_at is not None
        # Once is enough.
        before = await world.events(kind="evaluation.")
        await bench.evaluations.start()
        assert await world.events(kind="evaluation.") == before
        await bench.evaluations.stop()


async def test_a_full_disk_fails_the_run_and_the_next_start_says_so_too(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        bench = Bench(world)
        for _ in range(3):
            await said(world, "thanks")
        scorer = await bench.scorer("regex", WORDY)
        begun = await bench.begin(scorer)
        files = world.break_disk()
        files.errors["write"] = errno.ENOSPC
        run = (await bench.ended(begun)).run
        assert run.status is RunStatus.FAILED
        assert "Free space" in (run.error_message or "")
        # It makes room for others although its end could not be recorded.
        files.errors.clear()
        assert (await bench.run(scorer)).run.scored_count == 3
        await bench.evaluations.stop()
    async with opened(tmp_path, world.clock) as world:
        bench = Bench(world)
        await bench.evaluations.start()
        again = (await bench.evaluations.runs.detail(world.admin, begun.id)).run
        assert (again.status, again.scored_count) == (RunStatus.INTERRUPTED, 0)
        await bench.evaluations.stop()


async def test_an_end_that_could_not_be_recorded_is_recorded_when_that_is_possible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "AGAIN", 0.02)
    async with opened(tmp_path) as world:
        bench = Bench(world)
        await said(world, "thanks")
        begun = await bench.begin(await bench.scorer("regex", WORDY))
        files = world.break_disk()
        files.errors["write"] = errno.ENOSPC
        assert (await bench.ended(begun)).run.status is RunStatus.FAILED
        assert [each.type for each in await world.events(kind="evaluation.")] == ["evaluation.created"]
        files.errors.clear()
        for _ in range(500):
            if len(await world.events(kind="evaluation.")) > 1:
                break
            await asyncio.sleep(0.01)
        await bench.evaluations.stop()
    async with opened(tmp_path, world.clock) as world:
        bench = Bench(world)
        await bench.evaluations.start()
        again = (await bench.evaluations.runs.detail(world.admin, begun.id)).run
        assert again.status is RunStatus.FAILED
        await bench.evaluations.stop()


async def test_a_scorer_that_fails_ends_its_run_and_no_other(
    bench: Bench, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await said(world, "thanks")
    judge = work.RunWork.judge

    def broken(self: work.RunWork, rows: Any, now: int) -> work.RunStep:
        raise RuntimeError("a secret of the service")

    monkeypatch.setattr(work.RunWork, "judge", broken)
    scorer = await bench.scorer("regex", WORDY)
    failed = (await bench.run(scorer)).run
    assert failed.status is RunStatus.FAILED
    assert "secret" not in (failed.error_message or "")
    monkeypatch.setattr(work.RunWork, "judge", judge)
    assert (await bench.run(scorer)).run.status is RunStatus.COMPLETED


async def test_a_stop_waits_for_one_action_and_not_for_the_whole_step(
    bench: Bench, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        await said(world, "slow")
    begun, go_on = threading.Event(), threading.Event()
    judged: list[object] = []

    def slow(_: object) -> Judge:
        def judge(fields: object) -> Skip:
            judged.append(fields)
            begun.set()
            assert go_on.wait(60)
            return Skip.MISSING_FIELD

        return judge

    monkeypatch.setattr(work, "judge_of", slow)
    await bench.begin(await bench.scorer("regex", WORDY))
    assert await asyncio.to_thread(begun.wait, 30)
    stopping = asyncio.create_task(bench.evaluations.stop())
    for _ in range(20):
        await asyncio.sleep(0)
    go_on.set()
    await stopping
    assert len(judged) == 1
