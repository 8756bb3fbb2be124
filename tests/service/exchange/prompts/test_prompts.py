"""Prompts and their versions on a running service, without HTTP."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import msgspec

from assent.contract.exchange.prompts import PromptTemplateRow
from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from tests.service.control.actions.world import SECOND, World, opened, refused
from tests.service.exchange.prompts.shelf import Shelf


async def test_each_change_is_recorded_with_the_whole_row(world: World, shelf: Shelf) -> None:
    template = await shelf.begin(description="says hello", category="mail")
    assert template.template_id.startswith("pt_")
    version = await shelf.add(template, model_hint="small", changelog="first")
    assert version.version_id.startswith("pv_")
    assert await shelf.version(version) == version
    active = await shelf.activate(version)
    assert active == msgspec.structs.replace(version, is_active=True)
    assert await shelf.activate(version) == active
    renamed = await shelf.update(template, name="Hello")
    assert await shelf.update(template, name="Hello") == await shelf.get(template) == renamed
    await shelf.delete(template)
    events = await world.events(kind="prompt_")
    changes = [(event.type, event.subject == template.template_id) for event in events]
    assert changes == [
        ("prompt_template.created", True),
        ("prompt_version.created", False),
        *[("prompt_template.updated", True)] * 4,
    ]
    of_template = [event.data or b"" for event in events if event.subject == template.template_id]
    rows = [msgspec.json.decode(data, type=PromptTemplateRow) for data in of_template]
    assert [(row.version_count, row.active_version, row.name, row.deleted_at is None) for row in rows] == [
        (0, None, "Greeting", True),
        (1, None, "Greeting", True),
        (1, 1, "Greeting", True),
        (1, 1, "Hello", True),
        (1, 1, "Hello", False),
    ]


async def test_a_version_is_active_only_once_it_was_activated(shelf: Shelf) -> None:
    template = await shelf.begin()
    one, two = await shelf.add(template, "one"), await shelf.add(template, "two")
    assert (one.version, one.is_active, two.version, two.is_active) == (1, False, 2, False)
    await shelf.activate(one)
    three = await shelf.add(template, "three")
    assert [each.is_active for each in (await shelf.versions(template)).versions] == [False, False, True]
    await shelf.activate(three)
    listed = await shelf.versions(template)
    assert [(each.version, each.is_active) for each in listed.versions] == [(3, True), (2, False), (1, False)]
    assert listed.total == 3
    found = await shelf.get(template)
    assert (found.version_count, found.active_version, found.active_version_id) == (3, 3, three.version_id)


async def test_versions_made_at_once_have_numbers_without_gap_or_double(shelf: Shelf) -> None:
    template = await shelf.begin()
    made = await asyncio.gather(*(shelf.add(template, f"text {n}") for n in range(12)))
    assert sorted(each.version for each in made) == list(range(1, 13))
    listed = (await shelf.versions(template)).versions
    assert [each.version for each in listed] == list(range(12, 0, -1))
    assert {each.version: each.content for each in made} == {each.version: each.content for each in listed}


async def test_of_activations_at_once_exactly_one_stands(shelf: Shelf) -> None:
    template = await shelf.begin()
    made = [await shelf.add(template, f"text {n}") for n in range(6)]
    answers = await asyncio.gather(*(shelf.activate(each) for each in made))
    assert all(answer.is_active for answer in answers)
    listed = (await shelf.versions(template)).versions
    assert [each.version_id for each in listed if each.is_active] == [(await shelf.get(template)).active_version_id]


async def test_the_newest_version_is_the_last_one_even_when_the_clock_steps_back(world: World, shelf: Shelf) -> None:
    template = await shelf.begin()
    await shelf.add(template, "one")
    world.clock.turn(-60 * SECOND)
    await shelf.add(template, "two")
    listed = (await shelf.versions(template)).versions
    assert [each.content for each in listed] == ["two", "one"]
    assert (await shelf.version(listed[0])).content == "two"


async def test_a_version_of_another_prompt_is_not_there(shelf: Shelf) -> None:
    mine, other = await shelf.begin(), await shelf.begin("Other")
    version = await shelf.add(other)
    stray = msgspec.structs.replace(version, template_id=mine.template_id)
    for attempt in (shelf.version(stray), shelf.activate(stray)):
        async with refused(Code.PROMPT_VERSION_NOT_FOUND):
            await attempt
    assert (await shelf.get(mine)).active_version is None
    assert not (await shelf.version(version)).is_active


async def test_what_is_deleted_is_nowhere(shelf: Shelf) -> None:
    version = await shelf.active()
    gone = (await shelf.page()).templates[0]
    kept = await shelf.begin("Other")
    await shelf.delete(gone)
    listed = await shelf.page()
    assert (listed.templates, listed.total) == ([kept], 1)
    attempts = (
        shelf.get(gone),
        shelf.update(gone, name="x"),
        shelf.delete(gone),
        shelf.add(gone),
        shelf.versions(gone),
        shelf.version(version),
        shelf.activate(version),
    )
    for attempt in attempts:
        async with refused(Code.TEMPLATE_NOT_FOUND):
            await attempt


async def test_a_foreign_prompt_is_not_found(world: World, shelf: Shelf) -> None:
    version, other = await shelf.active(), await world.stranger()
    template = (await shelf.page()).templates[0]
    attempts = (
        shelf.get(template, other),
        shelf.update(template, other, name="x"),
        shelf.delete(template, other),
        shelf.add(template, by=other),
        shelf.versions(template, other),
        shelf.version(version, other),
        shelf.activate(version, other),
    )
    for attempt in attempts:
        async with refused(Code.TEMPLATE_NOT_FOUND):
            await attempt
    assert (await shelf.page(other)).total == 0
    assert await shelf.get(template) == template


async def test_the_list_filters_and_pages(shelf: Shelf) -> None:
    made = [await shelf.begin(f"p{n}", category="mail" if n % 2 else "chat") for n in range(5)]
    assert [each.name for each in (await shelf.page()).templates] == ["p4", "p3", "p2", "p1", "p0"]
    mail = await shelf.page(category="mail")
    assert ([each.name for each in mail.templates], mail.total) == (["p3", "p1"], 2)
    first = await shelf.page(limit=2)
    assert first.total == 5
    rest = await shelf.page(limit=5, cursor=first.next_cursor)
    assert [*first.templates, *rest.templates] == made[::-1]
    assert [each.name for each in (await shelf.page(limit=2, offset=3)).templates] == ["p1", "p0"]


async def test_versions_come_by_page(shelf: Shelf) -> None:
    template = await shelf.begin()
    for n in range(5):
        await shelf.add(template, f"text {n}")
    first = await shelf.versions(template, limit=3)
    rest = await shelf.versions(template, limit=3, cursor=first.next_cursor)
    assert [each.version for each in (*first.versions, *rest.versions)] == [5, 4, 3, 2, 1]
    assert (first.total, rest.next_cursor) == (5, None)


async def test_what_the_log_refuses_did_not_happen(world: World, shelf: Shelf) -> None:
    template = await shelf.begin()
    version = await shelf.add(template)
    before = await shelf.get(template)
    files = world.break_disk()
    files.errors["write"] = errno.ENOSPC
    attempts = (
        shelf.begin("x"),
        shelf.add(template),
        shelf.activate(version),
        shelf.update(template, name="x"),
        shelf.delete(template),
    )
    for attempt in attempts:
        async with refused(Code.STORAGE_UNAVAILABLE):
            await attempt
    files.errors.clear()
    assert await shelf.get(template) == before
    assert (await shelf.add(template)).version == 2


async def test_deleting_and_adding_at_once_leaves_no_version_behind(shelf: Shelf) -> None:
    template = await shelf.begin()
    answers = await asyncio.gather(
        shelf.add(template), shelf.delete(template), shelf.add(template), return_exceptions=True
    )
    assert [answer.code for answer in answers if isinstance(answer, Refusal)] == [Code.TEMPLATE_NOT_FOUND]
    async with refused(Code.TEMPLATE_NOT_FOUND):
        await shelf.versions(template)


async def test_they_are_there_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        shelf = Shelf(world)
        version = await shelf.active()
        await shelf.render(template_id=version.template_id, variables={"name": "Ann"}, record=True)
        templates, runs = await shelf.page(), await shelf.listed()
        clock = world.clock
    async with opened(tmp_path, clock) as world:
        shelf = Shelf(world)
        assert (await shelf.page(), await shelf.listed()) == (templates, runs)
        assert await shelf.version(version) == version
        assert (await shelf.render(template_id=version.template_id, variables={"name": "Ben"})).rendered == "Hello Ben"
