"""Scoring one action and many: what is filled from the record, what is stored, who may, and what is refused."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent.contract.analysis.evaluations import CreateScore
from assent.contract.analysis.profile_scores import ProfileScore
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.analysis.evaluations import Evaluations
from tests.service.analysis.evaluations.bench import Rests
from tests.service.analysis.scoring.bench import RISK, SPEED, Bench
from tests.service.control.actions.world import World, locks_of, refused
from tests.tiers import deep

TEAM = {
    "name": "team",
    "data_source": "metadata_field",
    "data_config": {"field": "ticket.team"},
    "scale": [{"label": "blue", "operator": "eq", "value": "blue", "score": 80}],
}


async def test_values_of_an_object_become_a_stored_breakdown(bench: Bench, world: World) -> None:
    profile = await bench.profile(SPEED, RISK, TEAM)
    made = await bench.score(profile, {"duration_ms": 2000, "risk_score": 10}, metadata={"round": 2})
    # (60 * 1 + 90 * 3) / 4, the team being unknown.
    assert made.composite_score == 82.5
    assert made.id.startswith("ps_")
    assert [(each.dimension_name, each.raw_value, each.score, each.label, each.weight) for each in made.dimensions] == [
        ("speed", 2000, 60, "fair", 1),
        ("risk", 10, 90, "low", 3),
        ("team", None, None, "no_data", 1),
    ]
    assert [each.dimension_id for each in made.dimensions] == [each.id for each in profile.dimensions]
    assert (made.action_id, made.agent_id, made.source, made.batch_id) == (None, None, None, None)
    assert (made.profile_name, made.composite_method, made.metadata) == ("care", "weighted_average", {"round": 2})
    (stored,) = (await bench.page()).scores
    assert stored.dimension_scores == made.dimensions
    assert (stored.id, stored.composite_score, stored.created_by) == (made.id, 82.5, world.admin.key_id)
    (event,) = await world.events(kind="profile_score")
    assert (event.subject, event.action) == (made.id, None)
    assert msgspec.json.decode(event.data or b"", type=ProfileScore) == stored


async def test_a_recorded_action_fills_what_the_object_lacks(bench: Bench, world: World) -> None:
    profile = await bench.profile(SPEED, RISK, TEAM)
    action = await world.act(agent_id="bot", action_type="refund", metadata={"ticket": {"team": "blue"}, "kept": 1})
    await world.report(action, status="completed", duration_ms=400)
    recorded = await bench.score(profile, action.action_id)
    assert (recorded.agent_id, recorded.action_type, recorded.source) == ("bot", "refund", "live")
    assert [each.raw_value for each in recorded.dimensions] == [400, action.risk_score, "blue"]
    mixed = await bench.score(
        profile,
        {
            "actionId": action.action_id,
            "durationMs": 3000,
            "agent_id": "other",
            "risk_score": None,
            "metadata": {"x": 1},
        },
    )
    assert [each.raw_value for each in mixed.dimensions] == [3000, action.risk_score, "blue"]
    assert mixed.agent_id == "bot"
    both = await world.events(kind="profile_score")
    assert [event.action for event in both] == [action.action_id] * 2
    over = await bench.score(profile, {"action_id": action.action_id, "metadata": {"ticket": {"team": "red"}}})
    assert (over.dimensions[2].raw_value, over.dimensions[2].label) == ("red", "default")


async def test_tokens_are_those_read_and_written_under_any_name(bench: Bench, world: World) -> None:
    profile = await bench.profile({"name": "tokens", "data_source": "tokens_total"})
    action = await world.act()
    await world.report(action, status="completed", tokens_in=100, tokens_out=20)
    given: list[tuple[dict[str, Any] | str, float]] = [
        (action.action_id, 120),
        ({"action_id": action.action_id, "tokens_in": 1}, 21),
        ({"tokens_total": 7, "tokens_in": 1}, 7),
        ({"prompt_tokens": 5, "completion_tokens": 6}, 11),
        ({"tokens_out": 3}, 3),
        ({"metadata": {"tokens_total": 9}}, 9),
        ({"metadata": '{"tokens_total": 4}'}, 4),
    ]
    for one, expected in given:
        assert (await bench.score(profile, one)).dimensions[0].raw_value == expected, one


async def test_the_latest_evaluation_score_counts(bench: Bench, world: World) -> None:
    rule = {"label": "good", "operator": "gte", "value": 0.5, "score": 100}
    profile = await bench.profile({"name": "judged", "data_source": "eval_score", "scale": [rule]})
    service = world.service
    judging = Evaluations(service.ledger, world.clock, locks_of(service.ledger), service.actions, Rests)
    action, other = await world.act(), await world.act()
    for score in (0.9, 0.2, 0.6):
        said = CreateScore(action_id=action.action_id, scorer_name="people", score=score)
        await judging.scores.create(world.admin, said)
    assert (await bench.score(profile, action.action_id)).dimensions[0].raw_value == 0.6
    given = await bench.score(profile, {"action_id": action.action_id, "eval_score": 0.1})
    assert given.dimensions[0].raw_value == 0.1
    async with refused(Code.NOTHING_TO_SCORE):
        await bench.score(profile, other.action_id)
    leaf = {"field": "eval_score", "op": "gte", "value": 0.5}
    alone = await bench.profile({"name": "good", "data_source": "condition", "data_config": {"when": leaf}})
    assert (await bench.score(alone, action.action_id)).composite_score == 100


async def test_a_condition_sees_what_was_said_and_what_is_recorded(bench: Bench, world: World) -> None:
    tree = {
        "all": [
            {"field": "reversible", "op": "eq", "value": True},
            {"field": "systems_touched", "op": "contains", "value": "prod"},
            {"any": [{"field": "stage", "op": "eq", "value": 2}, {"field": "metadata.ok", "op": "eq", "value": True}]},
        ]
    }
    profile = await bench.profile({"name": "safe", "data_source": "condition", "data_config": {"when": tree}})
    action = await world.act(reversible=True, systems_touched=["prod", "mail"])
    cases: list[tuple[dict[str, Any] | str, bool]] = [
        (action.action_id, False),
        ({"action_id": action.action_id, "stage": 2}, True),
        ({"action_id": action.action_id, "stage": "2"}, False),
        ({"action_id": action.action_id, "metadata": {"ok": True}}, True),
        ({"action_id": action.action_id, "metadata": {"ok": True}, "reversible": False}, False),
        ({"reversible": True, "systems_touched": ["prod"], "stage": 2.0}, True),
        ({}, False),
    ]
    for given, holds in cases:
        (found,) = (await bench.score(profile, given)).dimensions
        expected = (True, 100, "holds") if holds else (False, 0, "does not hold")
        assert (found.raw_value, found.score, found.label) == expected, given


async def test_a_condition_on_context_looks_at_no_other_member(bench: Bench) -> None:
    dimensions = [
        {"name": name, "data_source": "condition", "data_config": {"when": {"field": name, "op": "eq", "value": 1}}}
        for name in ("context.stage", "stage")
    ]
    profile = await bench.profile(*dimensions)
    for given, holds in (({"stage": 1}, [False, True]), ({"context": {"stage": 1}}, [True, False]), ({}, [False] * 2)):
        assert [each.raw_value for each in (await bench.score(profile, given)).dimensions] == holds, given


async def test_an_action_of_nobody_stays_nobodys(bench: Bench, world: World) -> None:
    profile = await bench.profile(SPEED)
    action = await world.act(agent_id=None)
    made = await bench.score(profile, {"action_id": action.action_id, "agent_id": "other", "duration_ms": 1})
    assert (action.agent_id, made.agent_id, made.source) == (None, None, "live")


async def test_raw_values_keep_their_kind_and_a_bounded_length(bench: Bench) -> None:
    profile = await bench.profile({**TEAM, "scale": [], "data_config": {"field": "a.b"}})
    for value, shown in (
        ("x" * 500, "x" * 200),
        (7, 7),
        (7.5, 7.5),
        (True, True),
        (["a", 1], '["a",1]'),
    ):
        made = await bench.score(profile, {"metadata": {"a": {"b": value}}})
        assert (made.dimensions[0].raw_value, made.dimensions[0].score) == (shown, 50), value
    assert [each.dimension_scores[0].raw_value for each in (await bench.page()).scores][:2] == ['["a",1]', True]
    nothings: list[Any] = [{"a": {"b": None}}, {"a": {"b": {}}}, {"a": 1}, {}, None]
    for nothing in nothings:
        async with refused(Code.NOTHING_TO_SCORE) as found:
            await bench.score(profile, {"metadata": nothing})
        assert "metadata.a.b" in found.value.detail
    async with refused(Code.INVALID_BODY):
        await bench.score(profile, {"metadata": {"a": {"b": 2**60}}})


async def test_there_must_be_something_to_score(bench: Bench, world: World) -> None:
    empty = await bench.profile()
    async with refused(Code.NOTHING_TO_SCORE) as found:
        await bench.score(empty, {"duration_ms": 1})
    assert "no dimensions" in found.value.detail
    weightless = await bench.profile({**SPEED, "weight": 0})
    async with refused(Code.NOTHING_TO_SCORE):
        await bench.score(weightless, {"duration_ms": 1})
    assert await world.events(kind="profile_score") == []


async def test_many_at_once(bench: Bench, world: World) -> None:
    profile = await bench.profile(SPEED, RISK, composite_method="minimum")
    action = await world.act(agent_id="bot")
    given: list[dict[str, Any] | str] = [
        {"duration_ms": 10, "risk_score": 10},
        {"action_id": "act_unheard_of", "duration_ms": 2000},
        {"metadata": {}},
        action.action_id,
        "act_nobody",
        {"duration_ms": 9000, "risk_score": 80},
    ]
    made = await bench.batch(profile, given, metadata={"night": True})
    single = [await bench.score(profile, each) for each in (given[0], given[1], given[3], given[5])]
    scored = [each for each in made.results if "error" not in each]
    assert [each.composite_score for each in scored] == [each.composite_score for each in single] == [90, 60, 90, 20]
    assert [each.dimensions for each in scored] == [each.dimensions for each in single]
    assert [each.action_id for each in made.results] == [
        *(None, "act_unheard_of", None, action.action_id, "act_nobody", None),
    ]
    errors = [str(each.error) for each in made.results if "error" in each]
    assert "duration_ms, risk_score" in errors[0]
    assert "no action 'act_nobody'" in errors[1]
    summary = made.summary
    assert (summary.total, summary.scored, summary.avg_score, summary.p50) == (6, 4, 65, 75)
    assert (summary.min_score, summary.max_score, summary.status) == (20, 90, "ok")
    # The sample's: sqrt((25^2 + 5^2 + 25^2 + 45^2) / 3), and Student's 3.182446... for 3 degrees of freedom.
    assert summary.stddev_score == pytest.approx(33.166247903554, rel=1e-12)
    assert summary.avg_low == pytest.approx(65 - 3.182446305284263 * 33.166247903554 / 2, rel=1e-9)
    assert summary.avg_high == 100
    (batch_id,) = {each.batch_id for each in scored}
    stored = await bench.page(batch_id=batch_id)
    assert {each.id for each in stored.scores} == {each.id for each in scored}
    assert all(each.metadata == {"night": True} for each in stored.scores)


async def test_a_batch_is_one_append_and_may_be_empty(
    bench: Bench, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = await bench.profile(SPEED)
    appends: list[int] = []
    append = world.service.ledger.append

    async def counting(*drafts: Any) -> Any:
        appends.append(len(drafts))
        return await append(*drafts)

    monkeypatch.setattr(world.service.ledger, "append", counting)
    await bench.batch(profile, [{"duration_ms": n} for n in range(500)])
    assert appends == [500]
    nothing = await bench.batch(profile, [])
    assert (nothing.results, nothing.summary.total, nothing.summary.avg_score) == ([], 0, None)
    assert (nothing.summary.status, nothing.summary.avg_low, nothing.summary.avg_high) == ("insufficient_data", 0, 100)
    assert appends == [500]


async def test_what_a_batch_gives_is_not_on_the_stream(bench: Bench, world: World) -> None:
    from assent_service.evidence.events.frames import frame

    profile = await bench.profile(SPEED)
    await bench.score(profile, {"duration_ms": 1})
    await bench.batch(profile, [{"duration_ms": 2}])
    shown = [frame(event) is not None for event in await world.events(kind="profile_score")]
    assert shown == [True, False]


async def test_an_agent_scores_for_itself_and_sees_its_own(bench: Bench, world: World) -> None:
    profile = await bench.profile(SPEED)
    bot, other = world.somebody(agent_id="bot"), world.somebody(agent_id="other", name="other")
    action = await world.act(bot, duration_ms=5)
    made = await bench.score(profile, {"duration_ms": 1}, bot)
    assert made.agent_id == "bot"
    async with refused(Code.AGENT_MISMATCH):
        await bench.score(profile, {"duration_ms": 1, "agent_id": "other"}, bot)
    async with refused(Code.ACTION_NOT_FOUND):
        await bench.score(profile, action.action_id, other)
    claim = await bench.score(profile, {"action_id": action.action_id, "duration_ms": 2}, other)
    # What another agent's action is called gives no way into it.
    assert (claim.agent_id, claim.source) == ("other", None)
    assert (await world.events(kind="profile_score"))[-1].action is None
    assert [each.id for each in (await bench.page(bot)).scores] == [made.id]
    assert (await bench.stats(profile.id, bot)).n == 1
    assert (await bench.stats(profile.id, world.somebody(Role.AUDITOR))).n == 2


further = deep("further values that are wrong in a like way")


@pytest.mark.parametrize(
    ("action", "place"),
    [
        ({"duration_ms": "slow"}, "action.duration_ms"),
        pytest.param({"risk_score": True}, "action.risk_score", marks=further),
        ({"action_id": "a/b"}, "action.action_id"),
        pytest.param("a b", "action.action_id", marks=further),
        ({"metadata": [1]}, "action.metadata"),
        pytest.param({"metadata": "no json"}, "action.metadata", marks=further),
        pytest.param({"agent_id": "x" * 129}, "action.agent_id", marks=further),
    ],
)
async def test_a_wrong_value_is_named(bench: Bench, action: Any, place: str) -> None:
    profile = await bench.profile(SPEED)
    async with refused(Code.INVALID_BODY) as found:
        await bench.score(profile, action)
    assert [error.place for error in found.value.errors] == [place]
    async with refused(Code.INVALID_BODY) as found:
        await bench.batch(profile, [{"duration_ms": 1}, action])
    assert [error.place for error in found.value.errors] == [place.replace("action", "actions[1]", 1)]
    assert (await bench.page()).total == 0
