"""Scorers on a running service, without HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from assent.contract.analysis.scorers import Scorer
from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from tests.service.analysis.evaluations.bench import Bench
from tests.service.control.actions.world import World, opened, refused

OK = {"pattern": "ok"}


async def test_a_scorer_is_kept_changed_and_removed(bench: Bench, world: World) -> None:
    made = await bench.scorer("regex", OK, "tone", description="how it sounds")
    assert made.id.startswith("es_")
    assert (made.name, made.description, made.config["flags"]) == ("tone", "how it sounds", "i")
    changed = await bench.change(made, config={"pattern": "fine"}, name="manner")
    assert (changed.name, changed.config["pattern"], changed.description) == ("manner", "fine", "how it sounds")
    assert changed.updated_at > made.updated_at
    assert await bench.change(changed, name="manner") == changed
    other = await bench.change(changed, scorer_type="contains", config={"keywords": ["x"]})
    assert other.scorer_type == "contains"
    found = await bench.evaluations.scorers.all_of(world.org_id)
    assert (found.scorers, found.llm_available) == ([other], False)
    gone = await bench.evaluations.scorers.delete(world.admin, made.id)
    assert (gone.deleted, gone.id) == (True, made.id)
    assert (await bench.evaluations.scorers.all_of(world.org_id)).scorers == []
    kinds = [event.type for event in await world.events(kind="scorer.")]
    assert kinds == ["scorer.created", "scorer.updated", "scorer.updated", "scorer.updated"]


async def test_a_removed_scorer_is_not_found_and_its_name_is_free(bench: Bench, world: World) -> None:
    made = await bench.scorer("regex", OK, "tone")
    await bench.evaluations.scorers.delete(world.admin, made.id)
    async with refused(Code.SCORER_NOT_FOUND):
        await bench.evaluations.scorers.delete(world.admin, made.id)
    async with refused(Code.SCORER_NOT_FOUND):
        await bench.change(made, name="other")
    async with refused(Code.SCORER_NOT_FOUND):
        await bench.begin(made)
    assert (await bench.scorer("regex", OK, "tone")).id != made.id


async def test_a_name_is_taken_within_the_organization_only(bench: Bench, world: World) -> None:
    stranger = await world.stranger()
    made = await bench.scorer("regex", OK, "tone")
    await bench.scorer("regex", OK, "tone", by=stranger)
    second = await bench.scorer("regex", OK, "other")
    async with refused(Code.SCORER_EXISTS):
        await bench.scorer("regex", OK, "tone")
    async with refused(Code.SCORER_EXISTS):
        await bench.change(second, name="tone")
    async with refused(Code.SCORER_NOT_FOUND):
        await bench.change(made, by=stranger, name="mine")
    async with refused(Code.SCORER_NOT_FOUND):
        await bench.evaluations.scorers.delete(stranger, made.id)


async def test_of_two_that_want_a_name_at_once_one_gets_it(bench: Bench) -> None:
    answers = await asyncio.gather(*(bench.scorer("regex", OK, "tone") for _ in range(5)), return_exceptions=True)
    assert sum(isinstance(each, Scorer) for each in answers) == 1
    assert {each.code for each in answers if isinstance(each, Refusal)} == {Code.SCORER_EXISTS}


@pytest.mark.parametrize(
    ("scorer_type", "config", "place", "says"),
    [
        ("regex", {"pattern": r"(.)\1"}, "config.pattern", "back-references"),
        ("custom_function", {"expression": "score = 1"}, "scorer_type", "expression"),
        ("llm_judge", {"prompt": "is it good?"}, "scorer_type", "create_score"),
        ("numeric_range", {"min": 2, "max": 1}, "config.min", "above max"),
    ],
)
async def test_what_cannot_be_used_is_neither_made_nor_taken_over(
    bench: Bench, world: World, scorer_type: str, config: Any, place: str, says: str
) -> None:
    made = await bench.scorer("regex", OK)
    before = await world.events(kind="scorer.")
    async with refused(Code.INVALID_SCORER) as found:
        await bench.scorer(scorer_type, config, "another")
    assert [error.place for error in found.value.errors] == [place]
    assert says in found.value.detail
    async with refused(Code.INVALID_SCORER):
        await bench.change(made, scorer_type=scorer_type, config=config)
    assert await world.events(kind="scorer.") == before


async def test_another_type_needs_its_own_configuration(bench: Bench) -> None:
    made = await bench.scorer("regex", OK)
    async with refused(Code.INVALID_SCORER) as found:
        await bench.change(made, scorer_type="contains")
    assert [error.place for error in found.value.errors] == ["config"]


async def test_scorers_are_there_after_a_restart(tmp_path: Any) -> None:
    async with opened(tmp_path) as world:
        made = await Bench(world).scorer("expression", {"when": {"field": "status", "op": "eq", "value": "failed"}})
    async with opened(tmp_path, world.clock) as world:
        assert (await Bench(world).evaluations.scorers.all_of(world.org_id)).scorers == [made]
