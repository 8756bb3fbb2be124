"""Scores that were given outside, and the list of them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent.contract.analysis.evaluations import CreateScore, EvalScores, ScoresQuery
from assent.contract.problems import Code
from assent.contract.roles import Role
from tests.service.analysis.evaluations.bench import Bench
from tests.service.control.actions.world import World, refused


async def page(bench: Bench, by: Any = None, **query: Any) -> EvalScores:
    asked = msgspec.convert(query, ScoresQuery)
    return await bench.evaluations.scores.page(by or bench.world.admin, asked)


async def test_a_score_carries_what_was_said_and_what_the_action_is(bench: Bench, world: World) -> None:
    action = await world.act(agent_id="bot", action_type="refund", reasoning="the customer asked", confidence=3)
    said: dict[str, Any] = {"label": "good", "reasoning": "polite", "evaluated_by": "Ada", "metadata": {"model": "m"}}
    made = await bench.score(action.action_id, 0.75, scorer_name="tone", **said)
    assert made.id.startswith("ev_")
    assert (made.score, made.agent_id, made.action_type, made.source) == (0.75, "bot", "refund", "live")
    assert (made.scorer_id, made.run_id, made.evaluated_by) == (None, None, "Ada")
    assert (made.label, made.reasoning, made.metadata) == ("good", "polite", {"model": "m"})
    assert (await page(bench)).scores == [made]
    (event,) = await world.events(kind="score.")
    assert (event.type, event.subject, event.action) == ("score.created", made.id, action.action_id)
    assert msgspec.json.decode(event.data or b"", type=type(made)) == made


async def test_a_score_without_a_reason_does_not_borrow_the_actions(bench: Bench, world: World) -> None:
    action = await world.act(reasoning="the customer asked")
    assert (await bench.score(action.action_id, 0.5)).reasoning is None


async def test_a_score_knows_the_scorer_of_its_name_and_keeps_it(bench: Bench, world: World) -> None:
    scorer = await bench.scorer("regex", {"pattern": "x"}, "tone")
    action = await world.act()
    made = await bench.score(action.action_id, 1, scorer_name="tone")
    assert made.scorer_id == scorer.id
    await bench.evaluations.scorers.delete(world.admin, scorer.id)
    assert (await page(bench, scorer_id=scorer.id)).scores == [made]
    assert (await bench.score(action.action_id, 1, scorer_name="tone")).scorer_id is None


async def test_without_a_name_it_was_the_key_or_its_agent(bench: Bench, world: World) -> None:
    bot = world.somebody(agent_id="bot")
    action = await world.act(bot)
    assert (await bench.score(action.action_id, 1, bot)).evaluated_by == "bot"
    assert (await bench.score(action.action_id, 1)).evaluated_by == world.admin.key_id


async def test_only_actions_that_the_caller_sees_can_be_scored_and_read(bench: Bench, world: World) -> None:
    bot, other, stranger = world.somebody(agent_id="bot"), world.somebody(agent_id="other"), await world.stranger()
    action = await world.act(bot)
    for by, action_id in ((other, action.action_id), (stranger, action.action_id), (world.admin, "act_nobody")):
        async with refused(Code.ACTION_NOT_FOUND):
            await bench.score(action_id, 1, by)
    made = await bench.score(action.action_id, 1, bot)
    assert (await page(bench, bot)).scores == [made]
    assert (await page(bench, other)).total == 0
    assert (await page(bench, stranger)).total == 0
    assert (await page(bench, world.somebody(Role.AUDITOR))).total == 1


async def test_the_list_filters_and_pages(bench: Bench, world: World) -> None:
    one, two = await world.act(agent_id="a"), await world.act(agent_id="b")
    made = [
        await bench.score(one.action_id, 0.0, scorer_name="tone", evaluated_by="Ada"),
        await bench.score(one.action_id, 0.5, scorer_name="care"),
        await bench.score(two.action_id, 1.0, scorer_name="tone"),
    ]

    async def ids(**query: Any) -> list[int]:
        found = await page(bench, **query)
        assert found.total == len(found.scores)
        return [made.index(each) for each in found.scores]

    assert await ids() == [2, 1, 0]
    assert await ids(action_id=one.action_id) == [1, 0]
    assert await ids(agent_id="b") == [2]
    assert await ids(scorer_name="tone") == [2, 0]
    assert await ids(evaluated_by="Ada") == [0]
    assert await ids(min_score=0.5) == [2, 1]
    assert await ids(max_score=0.5) == [1, 0]
    assert await ids(min_score=0.1, max_score=0.9) == [1]
    assert await ids(run_id="er_none") == []
    first = await page(bench, limit=2)
    assert (len(first.scores), first.total) == (2, 3)
    last = await page(bench, limit=2, cursor=first.next_cursor)
    assert (last.scores, last.next_cursor) == ([made[0]], None)
    assert (await page(bench, limit=1, offset=1)).scores == [made[1]]
    async with refused(Code.INVALID_QUERY):
        await page(bench, cursor="nonsense")


@pytest.mark.parametrize(
    "changed",
    [
        {"score": 1.01},
        {"score": -0.01},
        {"score": "1"},
        {"score": None},
        {"score": True},
        {"score": float("nan")},
        {"scorer_name": ""},
        {"scorer_name": "x" * 257},
        {"action_id": ""},
        {"action_id": "../x"},
        {"label": "x" * 129},
        {"reasoning": "x" * 4001},
        {"metadata": [1]},
    ],
    ids=str,
)
def test_what_is_no_score(changed: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"action_id": "act_1", "scorer_name": "tone", "score": 1.0} | changed, CreateScore)


async def test_metadata_that_others_would_read_differently_is_refused(bench: Bench, world: World) -> None:
    action = await world.act()
    async with refused(Code.INVALID_BODY) as found:
        await bench.score(action.action_id, 1, metadata={"n": [2**60]})
    assert [error.place for error in found.value.errors] == ["metadata.n[0]"]
    assert await world.events(kind="score.") == []
