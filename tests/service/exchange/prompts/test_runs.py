"""Rendering on a running service, what is recorded of it, and what that comes to."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent.contract.problems import Code
from tests.service.control.actions.world import DAY, World, refused
from tests.service.exchange.prompts.shelf import Shelf

SECRET = "hunter2"


async def test_the_active_version_is_rendered(world: World, shelf: Shelf) -> None:
    template = await shelf.begin()
    one = await shelf.activate(await shelf.add(template, "one {{ a }} {{ b }}", model_hint="small"))
    await shelf.add(template, "two")
    before = len(await world.events())
    found = await shelf.render(template_id=template.template_id, variables={"a": 1, "c": 2})
    assert msgspec.to_builtins(found) == {
        "rendered": "one 1 {{ b }}",
        "template_id": template.template_id,
        "version_id": one.version_id,
        "version": 1,
        "model_hint": "small",
        "parameters": ["a", "b"],
        "missing": ["b"],
        "run_id": None,
    }
    # Nothing is recorded unless somebody asks for it.
    assert len(await world.events()) == before


async def test_a_version_can_be_rendered_before_it_is_active(shelf: Shelf) -> None:
    draft = await shelf.add(await shelf.begin(), "draft {{ a }}")
    assert (await shelf.render(version_id=draft.version_id, variables={"a": "x"})).rendered == "draft x"
    both = await shelf.render(template_id=draft.template_id, version_id=draft.version_id)
    assert (both.rendered, both.missing) == ("draft {{ a }}", ["a"])
    async with refused(Code.PROMPT_VERSION_NOT_FOUND) as found:
        await shelf.render(template_id=draft.template_id)
    assert "has 1 versions and none is active" in found.value.detail


async def test_a_prompt_that_names_itself_comes_to_an_end(shelf: Shelf) -> None:
    version = await shelf.active("{{ self }} {{> self}} {% include 'Greeting' %}")
    found = await shelf.render(template_id=version.template_id, variables={"self": version.content})
    assert found.rendered == "{{ self }} {{> self}} {% include 'Greeting' %} {{> self}} {% include 'Greeting' %}"


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({}, Code.INVALID_BODY),
        ({"template_id": None, "version_id": None, "variables": {}}, Code.INVALID_BODY),
        ({"template_id": "pt_nobody"}, Code.TEMPLATE_NOT_FOUND),
        ({"version_id": "pv_nobody"}, Code.PROMPT_VERSION_NOT_FOUND),
    ],
)
async def test_what_names_no_prompt_is_refused(shelf: Shelf, said: dict[str, Any], code: Code) -> None:
    async with refused(code):
        await shelf.render(**said)


async def test_ids_that_do_not_belong_together_are_refused(shelf: Shelf) -> None:
    mine, other = await shelf.active("mine"), await shelf.active("other")
    async with refused(Code.PROMPT_VERSION_NOT_FOUND):
        await shelf.render(template_id=mine.template_id, version_id=other.version_id)


async def test_a_deleted_prompt_is_not_rendered_and_its_runs_stay(shelf: Shelf) -> None:
    version = await shelf.active()
    run_id = (await shelf.render(template_id=version.template_id, record=True)).run_id
    await shelf.delete((await shelf.page()).templates[0])
    async with refused(Code.TEMPLATE_NOT_FOUND):
        await shelf.render(template_id=version.template_id)
    async with refused(Code.TEMPLATE_NOT_FOUND):
        await shelf.render(version_id=version.version_id)
    assert [run.run_id for run in (await shelf.listed(template_id=version.template_id)).runs] == [run_id]
    assert [each.template_name for each in (await shelf.stats()).by_template] == ["Greeting"]


async def test_a_foreign_prompt_is_not_rendered(world: World, shelf: Shelf) -> None:
    version, other = await shelf.active(), await world.stranger()
    async with refused(Code.TEMPLATE_NOT_FOUND):
        await shelf.render(other, template_id=version.template_id)
    async with refused(Code.PROMPT_VERSION_NOT_FOUND):
        await shelf.render(other, version_id=version.version_id)
    await shelf.render(template_id=version.template_id, record=True)
    assert (await shelf.listed(other)).total == (await shelf.stats(other)).total_runs == 0


async def test_a_run_holds_names_and_no_values(world: World, shelf: Shelf) -> None:
    version = await shelf.active("Use {{ password }} on {{ host }}.")
    action = await world.act(agent_id="bot")
    rendered = await shelf.render(
        template_id=version.template_id,
        variables={"password": SECRET, "more": 1},
        action_id=action.action_id,
        record=True,
    )
    assert SECRET in rendered.rendered
    (run,) = (await shelf.listed()).runs
    assert run.id == run.run_id == rendered.run_id
    assert run.run_id.startswith("pr_")
    assert (run.template_id, run.template_name, run.version_id, run.version) == (
        version.template_id,
        "Greeting",
        version.version_id,
        1,
    )
    assert (run.variables, run.missing) == (["password", "more"], ["host"])
    assert run.rendered_length == len("Use hunter2 on {{ host }}.")
    assert (run.action_id, run.agent_id) == (action.action_id, "bot")
    (event,) = await world.events(kind="prompt_run.")
    assert (event.type, event.subject, event.action) == ("prompt_run.created", run.run_id, action.action_id)
    assert SECRET.encode() not in (event.data or b"")


async def test_a_run_belongs_to_an_action_that_is_there_and_to_an_agent_that_asks(world: World, shelf: Shelf) -> None:
    version = await shelf.active()
    bot, other = world.somebody(agent_id="bot"), world.somebody(agent_id="other")
    action = await world.act(bot)
    foreign = await world.act(await world.stranger())
    template_id = version.template_id
    for action_id in ("act_nobody", foreign.action_id):
        async with refused(Code.ACTION_NOT_FOUND):
            await shelf.render(template_id=template_id, action_id=action_id, record=True)
    async with refused(Code.ACTION_NOT_FOUND):
        await shelf.render(other, template_id=template_id, action_id=action.action_id)
    async with refused(Code.AGENT_MISMATCH):
        await shelf.render(other, template_id=template_id, agent_id="bot")
    mine = await shelf.render(bot, template_id=template_id, action_id=action.action_id, record=True)
    await shelf.render(template_id=template_id, record=True)
    assert [run.run_id for run in (await shelf.listed(bot)).runs] == [mine.run_id]
    assert (await shelf.stats(bot)).total_runs == 1
    assert (await shelf.listed(other)).total == 0
    assert (await shelf.listed()).total == 2


async def test_the_list_of_runs_filters_and_pages(world: World, shelf: Shelf) -> None:
    one, two = await shelf.active("one"), await shelf.active("two")
    action = await world.act(agent_id="bot")
    made = [
        await shelf.render(version_id=one.version_id, agent_id="a", record=True),
        await shelf.render(version_id=two.version_id, action_id=action.action_id, record=True),
        await shelf.render(version_id=one.version_id, agent_id="b", record=True),
    ]
    runs = [each.run_id for each in made]

    async def ids(**query: Any) -> list[str | None]:
        return [run.run_id for run in (await shelf.listed(**query)).runs]

    assert await ids() == runs[::-1]
    assert await ids(template_id=one.template_id) == await ids(version_id=one.version_id) == [runs[2], runs[0]]
    assert await ids(agent_id="b") == [runs[2]]
    assert await ids(action_id=action.action_id) == [runs[1]]
    first = await shelf.listed(limit=2)
    assert (first.total, await ids(limit=2, cursor=first.next_cursor)) == (3, [runs[0]])


async def test_stats_by_hand(world: World, shelf: Shelf) -> None:
    template = await shelf.begin("Old name")
    one, two = await shelf.add(template, "{{ a }}"), await shelf.add(template, "twelve chars")
    other = await shelf.active("four", "Other")
    await shelf.render(version_id=one.version_id, variables={"a": "xx"}, agent_id="a", record=True)
    world.clock.turn(DAY)
    await shelf.render(version_id=one.version_id, agent_id="b", record=True)
    await shelf.render(version_id=two.version_id, agent_id="a", record=True)
    await shelf.render(version_id=other.version_id, record=True)
    await shelf.render(version_id=other.version_id)
    await shelf.update(template, name="New name")
    found = msgspec.to_builtins(await shelf.stats())
    totals = {
        "total_runs": 4,
        "unique_templates": 2,
        "versions_used": 3,
        "unique_agents": 2,
        "today_count": 3,
        "incomplete_count": 1,
        # 2, 7 for the placeholder that stays, 12 and 4.
        "avg_length": 6.25,
    }
    mine = {"template_id": template.template_id, "template_name": "New name"}
    theirs = {"template_id": other.template_id, "template_name": "Other"}
    assert {name: found[name] for name in totals} == found["overall"] == totals
    assert found["by_template"] == [
        mine | {"total_runs": 3, "avg_length": 7},
        theirs | {"total_runs": 1, "avg_length": 4},
    ]
    assert found["by_version"] == [
        mine | {"version_id": one.version_id, "version": 1, "total_runs": 2, "avg_length": 4.5},
        mine | {"version_id": two.version_id, "version": 2, "total_runs": 1, "avg_length": 12},
        theirs | {"version_id": other.version_id, "version": 1, "total_runs": 1, "avg_length": 4},
    ]
    of_other = await shelf.stats(template_id=other.template_id)
    assert (of_other.total_runs, of_other.avg_length, len(of_other.by_version)) == (1, 4, 1)
    nothing = await shelf.stats(template_id="pt_nobody")
    assert (nothing.total_runs, nothing.avg_length, nothing.by_template) == (0, None, [])
