"""Profiles and dimensions: made, changed where they are told to and nowhere else, removed, and what is refused."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from assent.contract.problems import Code
from tests.service.analysis.scoring.bench import RISK, SPEED, Bench
from tests.service.control.actions.world import DAY, World, refused


async def test_a_profile_begins_with_the_defaults(bench: Bench, world: World) -> None:
    made = await bench.profile()
    assert made.id.startswith("sp_")
    assert (made.composite_method, made.status, made.metadata, made.dimensions) == (
        *("weighted_average", "active", {}),
        [],
    )
    assert (made.created_by, made.created_at) == (world.admin.key_id, made.updated_at)
    assert await bench.get(made.id) == made


async def test_dimensions_come_with_it_in_their_order(bench: Bench, world: World) -> None:
    late = {**SPEED, "name": "late", "sort_order": 5}
    camel = {"name": "tone", "dataSource": "metadata_field", "dataConfig": {"field": "tone"}, "sortOrder": 2}
    made = await bench.profile(late, RISK, camel, {**SPEED, "name": "second"}, composite_method="minimum")
    assert [each.name for each in made.dimensions] == ["risk", "second", "tone", "late"]
    assert made.dimensions[0].weight == 3
    assert (made.dimensions[2].data_config, made.dimensions[2].scale) == ({"field": "tone"}, [])
    assert await bench.get(made.id) == made
    events = await world.events(kind="scoring_")
    assert [event.type for event in events] == ["scoring_profile.created"] + ["scoring_dimension.created"] * 4


async def test_a_change_leaves_what_it_does_not_name(bench: Bench) -> None:
    made = await bench.profile(SPEED, description="why", action_type="deploy", metadata={"team": "blue"})
    changed = await bench.change(made, name="great care")
    assert changed == msgspec.structs.replace(
        made, name="great care", updated_at=changed.updated_at, updated_by=changed.updated_by
    )
    emptied = await bench.change(made, description=None, action_type=None, metadata=None)
    assert (emptied.name, emptied.description, emptied.action_type, emptied.metadata) == ("great care", None, None, {})
    other = await bench.change(made, composite_method="geometric_mean", status="archived")
    assert (other.composite_method, other.status, other.name) == ("geometric_mean", "archived", "great care")
    assert other.dimensions == made.dimensions
    assert await bench.get(made.id) == other


async def test_a_change_that_says_nothing_new_is_not_recorded(bench: Bench, world: World) -> None:
    made = await bench.profile(SPEED, description="why")
    before = len(await world.events())
    assert await bench.change(made, description="why", name="care") == made
    assert await bench.change(made) == made
    assert await bench.alter(made.dimensions[0], weight=1.0) == made.dimensions[0]
    assert len(await world.events()) == before


async def test_a_dimension_is_changed_where_it_is_told_to(bench: Bench) -> None:
    made = await bench.profile()
    risk = await bench.add(made, **RISK, description="how risky")
    assert risk.id.startswith("sd_")
    heavier = await bench.alter(risk, weight=5)
    assert heavier == msgspec.structs.replace(
        risk, weight=5.0, updated_at=heavier.updated_at, updated_by=heavier.updated_by
    )
    bare = await bench.alter(risk, scale=None, description=None, sort_order=-1)
    assert (bare.scale, bare.description, bare.sort_order, bare.weight) == ([], None, -1, 5)
    condition = await bench.alter(risk, data_source="condition", data_config={"when": LEAF})
    assert (condition.data_source, condition.data_config) == ("condition", {"when": LEAF})
    assert (await bench.get(made.id)).dimensions == [condition]


LEAF = {"field": "reversible", "op": "eq", "value": True}


async def test_a_new_source_needs_a_scale_and_a_configuration_that_fit(bench: Bench) -> None:
    made = await bench.profile(SPEED)
    (speed,) = made.dimensions
    async with refused(Code.INVALID_PROFILE) as found:
        await bench.alter(speed, data_source="condition")
    assert "data_config.when" in found.value.detail
    async with refused(Code.INVALID_PROFILE) as found:
        await bench.alter(speed, data_source="condition", data_config={"when": LEAF})
    assert "never fits" in found.value.detail
    assert await bench.get(made.id) == made


async def test_what_was_removed_is_gone_but_its_scores_stay(bench: Bench, world: World) -> None:
    made = await bench.profile(SPEED, RISK)
    scored = await bench.score(made, {"duration_ms": 10})
    gone = await bench.profiles.remove(world.admin, made.id, made.dimensions[0].id)
    assert (gone.deleted, gone.id) == (True, made.dimensions[0].id)
    assert (await bench.get(made.id)).dimensions == made.dimensions[1:]
    async with refused(Code.DIMENSION_NOT_FOUND):
        await bench.profiles.remove(world.admin, made.id, made.dimensions[0].id)
    async with refused(Code.DIMENSION_NOT_FOUND):
        await bench.alter(made.dimensions[0], weight=2)
    assert (await bench.profiles.delete(world.admin, made.id)).deleted is True
    for what in (
        bench.get(made.id),
        bench.change(made, name="x"),
        bench.profiles.delete(world.admin, made.id),
        bench.add(made, **SPEED),
        bench.alter(made.dimensions[1], weight=2),
        bench.score(made, {"duration_ms": 1}),
    ):
        async with refused(Code.PROFILE_NOT_FOUND) as found:
            await what
        assert found.value.detail.startswith("Profile not found")
    assert (await bench.listed(status="all")).profiles == []
    assert [each.id for each in (await bench.page(profile_id=made.id)).scores] == [scored.id]
    assert (await bench.stats(made.id)).total_scores == 1
    assert [event.type for event in await world.events(kind="scoring_")][-2:] == [
        *("scoring_dimension.updated", "scoring_profile.updated"),
    ]


async def test_an_organization_knows_its_own_only(bench: Bench, world: World) -> None:
    made = await bench.profile(SPEED)
    stranger = await world.stranger()
    assert (await bench.listed(stranger)).total == 0
    for what in (
        bench.get(made.id, stranger),
        bench.change(made, stranger, name="mine"),
        bench.score(made, {"duration_ms": 1}, stranger),
        bench.stats(made.id, stranger),
    ):
        async with refused(Code.PROFILE_NOT_FOUND):
            await what


async def test_lists_are_chosen_and_paged(bench: Bench) -> None:
    names = ["a", "b", "c"]
    made = [await bench.profile(SPEED, name=name, action_type="deploy" if name != "b" else None) for name in names]
    await bench.change(made[2], status="inactive")
    assert [each.name for each in (await bench.listed()).profiles] == ["b", "a"]
    assert [each.name for each in (await bench.listed(status="inactive")).profiles] == ["c"]
    everything = await bench.listed(status="all", limit=2)
    assert ([each.name for each in everything.profiles], everything.total) == (["c", "b"], 3)
    rest = await bench.listed(status="all", limit=2, cursor=everything.next_cursor)
    assert (rest.profiles, rest.next_cursor) == ([made[0]], None)
    assert [each.name for each in (await bench.listed(action_type="deploy", status="all")).profiles] == ["c", "a"]
    async with refused(Code.INVALID_QUERY):
        await bench.listed(status="sleeping")


@pytest.mark.parametrize(
    ("members", "place", "says"),
    [
        ({"composite_method": "median"}, "composite_method", "weighted_average, minimum, geometric_mean"),
        ({"dimensions": [{**SPEED, "data_source": "mood"}]}, "dimensions[0].data_source", "duration_ms"),
        ({"dimensions": [SPEED, {**SPEED, "data_source": "custom_function"}]}, "dimensions[1].data_source", "no code"),
        ({"dimensions": [{**SPEED, "weight": -1}]}, "dimensions[0].weight", "from 0 to"),
        ({"dimensions": [{**SPEED, "weight": 2e6}]}, "dimensions[0].weight", "from 0 to"),
        ({"dimensions": [{**SPEED, "scale": [{"label": "x"}]}]}, "dimensions[0].scale[0].operator", "lt, lte"),
        (
            {"dimensions": [{"name": "x", "data_source": "condition", "data_config": {"when": {"field": "a"}}}]},
            "dimensions[0].data_config.when",
            "expected",
        ),
        (
            {
                "dimensions": [
                    {
                        "name": "x",
                        "data_source": "condition",
                        "data_config": {"when": {"field": "a", "op": "matches", "value": "(?=x)"}},
                    }
                ]
            },
            "dimensions[0].data_config.when.value",
            "RE2",
        ),
    ],
)
async def test_what_cannot_be_used_is_refused_whole(
    bench: Bench, world: World, members: dict[str, Any], place: str, says: str
) -> None:
    async with refused(Code.INVALID_PROFILE) as found:
        await bench.profile(**members)
    assert says in found.value.detail
    assert [error.place for error in found.value.errors] == [place]
    assert await world.events(kind="scoring_") == []


async def test_a_dimension_of_a_list_is_shaped_like_one(bench: Bench) -> None:
    for dimension, place in (
        ({"data_source": "duration_ms"}, "dimensions[0]"),
        ({**SPEED, "name": 7}, "dimensions[0].name"),
        ({**SPEED, "scale": {}}, "dimensions[0].scale"),
        ({**SPEED, "weight": "heavy"}, "dimensions[0].weight"),
    ):
        async with refused(Code.INVALID_BODY) as found:
            await bench.profile(dimension)
        assert [error.place for error in found.value.errors] == [place]


async def test_what_cannot_be_recorded_as_it_is_is_refused(bench: Bench) -> None:
    made = await bench.profile()
    async with refused(Code.INVALID_BODY):
        await bench.profile(metadata={"n": 2**60})
    async with refused(Code.INVALID_BODY):
        await bench.change(made, metadata={"n": 2**60})
    async with refused(Code.INVALID_BODY):
        await bench.add(made, **{**SPEED, "data_config": {"note": "\ud800"}})


async def test_there_is_a_most_of_both(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    made = await bench.profile(*[SPEED] * 20)
    async with refused(Code.INVALID_PROFILE) as found:
        await bench.add(made, **SPEED)
    assert "20 dimensions" in found.value.detail
    monkeypatch.setattr("assent_service.analysis.scoring.profiles.MOST", 1)
    async with refused(Code.INVALID_PROFILE):
        await bench.profile(SPEED)


async def test_conditions_are_bounded_together(bench: Bench, world: World) -> None:
    def many(n: int) -> dict[str, Any]:
        leaf = {"field": "declared_goal", "op": "matches", "value": "x"}
        return {"name": "many", "data_source": "condition", "data_config": {"when": {"any": [leaf] * n}}}

    made = await bench.profile(many(250), many(249))
    added = await bench.add(made, **many(1))
    before = len(await world.events())
    for what in (bench.profile(*[many(250)] * 3), bench.add(made, **many(1)), bench.alter(added, **many(2))):
        async with refused(Code.INVALID_PROFILE) as found:
            await what
        assert "500 comparisons" in found.value.detail
    assert len(await world.events()) == before
    assert (await bench.alter(added, weight=4)).weight == 4


async def test_a_clock_that_was_set_back_changes_no_order(bench: Bench, world: World) -> None:
    made = await bench.profile(SPEED)
    world.clock.turn(-DAY)
    later = await bench.add(made, **RISK)
    assert [each.name for each in (await bench.get(made.id)).dimensions] == ["speed", "risk"]
    assert later.created_at - made.dimensions[0].created_at == timedelta(microseconds=1)
    changed = await bench.change(made, name="still")
    assert changed.updated_at >= made.updated_at
