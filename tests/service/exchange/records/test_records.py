"""Keeping, changing, listing and deleting, on a real store."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from assent.contract.exchange.goals import GOAL
from assent.contract.exchange.journal import AGENT_DECISION, CALENDAR, IDEA, JournalQuery
from assent.contract.exchange.kinds import KindQuery
from assent.contract.exchange.knowledge import COLLECTION, ITEM
from assent.contract.exchange.snippets import SNIPPET, SnippetsQuery
from assent.contract.exchange.tokens import TOKENS
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.exchange.records import Records
from tests.service.control.actions.world import World, locks_of, opened, refused
from tests.tiers import deep


@pytest.fixture
def records(world: World) -> Records:
    return Records(world.service.ledger, world.clock, locks_of(world.service.ledger))


async def titles(world: World, records: Records, kind: Any = GOAL, by: Any = None) -> list[str]:
    page = await records.page(by or world.admin, kind, KindQuery())
    return [each[kind.named] for each in page[kind.plural]]


async def test_the_same_thing_said_again_records_nothing(world: World, records: Records) -> None:
    said = {"title": "Ship", "progress": 40, "agentId": "bot"}
    first = await records.keep(world.admin, GOAL, said)
    again = await records.keep(world.admin, GOAL, said)
    assert (first.new, again.new, again.changed) == (True, False, False)
    more = await records.keep(world.admin, GOAL, {**said, "progress": 60})
    assert (more.new, more.changed, more.stored.record_id) == (False, True, first.stored.record_id)
    assert more.stored.agent_id == "bot"
    types = [event.type for event in await world.events() if event.subject == first.stored.record_id]
    assert types == ["goal.created", "goal.updated"]


async def test_without_a_key_everything_said_makes_it_the_same(world: World, records: Records) -> None:
    said = {"decision": "Roll back", "context": {"errors": 2}}
    one = await records.keep(world.admin, AGENT_DECISION, said)
    assert (await records.keep(world.admin, AGENT_DECISION, said)).stored == one.stored
    assert (await records.keep(world.admin, AGENT_DECISION, {"decision": "Roll back"})).new


async def test_fifty_at_once_make_one(world: World, records: Records) -> None:
    made = await asyncio.gather(
        *(records.keep(world.admin, SNIPPET, {"name": "n", "code": str(number)}) for number in range(50))
    )
    assert sum(each.new for each in made) == 1
    assert (await records.page(world.admin, SNIPPET, KindQuery()))["total"] == 1


async def test_a_counted_item_counts_once_however_many_come(world: World, records: Records) -> None:
    parent = (await records.keep(world.admin, COLLECTION, {"name": "k"})).stored.record_id
    said = [{"source_uri": f"{number % 10}.md"} for number in range(40)]
    await asyncio.gather(*(records.keep(world.admin, ITEM, each, parent) for each in said))
    stored = await records.visible(world.admin, COLLECTION, parent)
    assert stored.data["doc_count"] == 10
    assert (await records.page(world.admin, ITEM, KindQuery(), parent))["total"] == 10


async def test_what_is_deleted_is_in_no_list_and_can_be_said_again(world: World, records: Records) -> None:
    one = (await records.keep(world.admin, GOAL, {"title": "Ship"})).stored
    await records.delete(world.admin, GOAL, one.record_id)
    assert await titles(world, records) == []
    for again in (records.visible(world.admin, GOAL, one.record_id), records.delete(world.admin, GOAL, one.record_id)):
        async with refused(Code.RECORD_NOT_FOUND):
            await again
    other = await records.keep(world.admin, GOAL, {"title": "Ship"})
    assert other.new
    assert other.stored.record_id != one.record_id


async def test_an_agent_sees_its_own_and_what_is_shared(world: World, records: Records) -> None:
    ada, eve = world.somebody(agent_id="ada"), world.somebody(agent_id="eve")
    mine = (await records.keep(ada, GOAL, {"title": "Mine"})).stored
    await records.keep(ada, SNIPPET, {"name": "n", "code": "c"})
    assert await titles(world, records, by=eve) == []
    assert await titles(world, records, by=world.operator("o")) == ["Mine"]
    assert await titles(world, records, SNIPPET, eve) == ["n"]
    async with refused(Code.RECORD_NOT_FOUND):
        await records.visible(eve, GOAL, mine.record_id)
    async with refused(Code.AGENT_MISMATCH):
        await records.keep(eve, GOAL, {"title": "Hers", "agent_id": "ada"})


async def test_another_organization_and_another_kind_are_not_there(world: World, records: Records) -> None:
    stranger = await world.stranger()
    goal = (await records.keep(world.admin, GOAL, {"title": "Ship"})).stored.record_id
    async with refused(Code.RECORD_NOT_FOUND):
        await records.visible(stranger, GOAL, goal)
    async with refused(Code.RECORD_NOT_FOUND):
        await records.visible(world.admin, IDEA, goal)
    async with refused(Code.RECORD_NOT_FOUND):
        await records.keep(stranger, ITEM, {"source_uri": "a"}, goal)
    assert await titles(world, records, by=stranger) == []


further = deep("further values that are found or refused in a like way")


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({}, ["b", "a"]),
        ({"search": "100%"}, ["a"]),
        pytest.param({"search": "_"}, [], marks=further),
        ({"search": "GRÜN"}, ["b"]),
        pytest.param({"search": "code"}, [], marks=further),
        ({"tag": 'say "hi"'}, ["b"]),
        pytest.param({"tag": "hi"}, [], marks=further),
        pytest.param({"language": "py"}, ["a"], marks=further),
        ({"language": "py", "tag": "x"}, ["a"]),
        pytest.param({"agent_id": "nobody"}, [], marks=further),
    ],
)
async def test_lists_find_texts_as_they_are(
    world: World, records: Records, filters: dict[str, Any], names: list[str]
) -> None:
    await records.keep(world.admin, SNIPPET, {"name": "a", "code": "100% sure", "language": "py", "tags": ["x"]})
    await records.keep(world.admin, SNIPPET, {"name": "b", "code": "grün", "tags": ['say "hi"', "y"]})
    page = await records.page(world.admin, SNIPPET, SnippetsQuery(**filters))
    assert [each["name"] for each in page["snippets"]] == names
    assert page["total"] == len(names)


async def test_pages_go_on_where_they_ended(world: World, records: Records) -> None:
    for number in range(5):
        await records.keep(world.admin, IDEA, {"title": f"idea {number}"})
    seen: list[str] = []
    cursor = None
    for _ in range(3):
        page = await records.page(world.admin, IDEA, JournalQuery(limit=2, cursor=cursor))
        seen += [each["title"] for each in page["ideas"]]
        cursor = page["next_cursor"]
    assert (seen, cursor) == ([f"idea {number}" for number in (4, 3, 2, 1, 0)], None)


async def test_rows_outlive_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        records = Records(world.service.ledger, world.clock, locks_of(world.service.ledger))
        await records.keep(
            world.admin, CALENDAR, {"summary": "s", "start_time": "2026-11-21", "rsvp": {"a": [1, None]}}
        )
        before = await records.page(world.admin, CALENDAR, KindQuery())
        admin, clock = world.admin, world.clock
    async with opened(tmp_path, clock) as world:
        records = Records(world.service.ledger, world.clock, locks_of(world.service.ledger))
        assert await records.page(admin, CALENDAR, KindQuery()) == before
    assert before["events"][0]["rsvp"] == {"a": [1, None]}


async def test_events_with_a_name_of_their_own_say_their_members(world: World, records: Records) -> None:
    await records.keep(world.admin, TOKENS, {"tokens_in": 5, "tokens_out": 7, "model": "m"})
    ((model, total),) = await world.service.ledger.read(
        "SELECT model, tokens_in + tokens_out FROM token_usage WHERE org_id = ?", [world.org_id]
    )
    assert (model, total) == ("m", 12)
    (event,) = await world.events(kind="token.usage")
    assert b'"usage_id":' in (event.data or b"")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "goals", {}, 400, "invalid_body"),
        pytest.param("POST", "goals", {"title": ""}, 400, "invalid_body", marks=further),
        pytest.param("POST", "goals", {"title": "t", "progress": 101}, 400, "invalid_body", marks=further),
        pytest.param("POST", "goals", [1], 400, "invalid_body", marks=further),
        ("POST", "goals", {"title": "t", "more": 2**60}, 400, "invalid_body"),
        ("POST", "goals", {"title": "t" * 300_000}, 413, "payload_too_large"),
        ("POST", "calendar", {"summary": "s", "start_time": "soon"}, 400, "invalid_body"),
        pytest.param("POST", "tokens", {"tokens_in": -1, "tokens_out": 1}, 400, "invalid_body", marks=further),
        ("POST", "preferences", {"type": "wish"}, 400, "invalid_body"),
        pytest.param("POST", "preferences", {"type": "mood", "observation": "x"}, 400, "invalid_body", marks=further),
        ("GET", "preferences?type=wishes", None, 400, "invalid_query"),
        ("GET", "snippets/snip_1", None, 404, "record_not_found"),
        ("DELETE", "snippets", None, 400, "invalid_query"),
        ("DELETE", "snippets?id=snip_1", None, 404, "record_not_found"),
        ("POST", "snippets/snip_1/use", {}, 404, "record_not_found"),
        ("PATCH", "sessions/ses_1", {"status": "done"}, 404, "record_not_found"),
        ("GET", "sessions/ses_1/events", None, 404, "record_not_found"),
        ("POST", "workflows/templates/wf_1/launch", {}, 404, "record_not_found"),
        pytest.param("POST", "workflows/templates/wf_1/duplicate", {}, 404, "record_not_found", marks=further),
        ("POST", "knowledge/collections/kc_1/items", {"source_uri": "a"}, 404, "record_not_found"),
        pytest.param("GET", "knowledge/collections/kc_1/items", None, 404, "record_not_found", marks=further),
        pytest.param(
            "POST", "knowledge/collections/kc_1/search", {"query": "a"}, 404, "record_not_found", marks=further
        ),
        pytest.param("POST", "knowledge/collections/kc_1/sync", {}, 404, "record_not_found", marks=further),
        ("GET", "x402/providers/prv_1/endpoints", None, 404, "record_not_found"),
        ("GET", "digest?date=2026-02-30", None, 400, "invalid_query"),
        pytest.param("GET", "digest?date=today", None, 400, "invalid_query", marks=further),
        pytest.param("GET", "goals?limit=0", None, 400, "invalid_query", marks=further),
        ("GET", "goals?cursor=nonsense", None, 400, "invalid_query"),
    ],
)
async def test_what_is_refused_and_how(world: World, method: str, path: str, body: Any, status: int, code: str) -> None:
    answer = await world.http(method, f"/api/{path}", body, Role.AGENT)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert [each.type for each in await world.events() if each.type.startswith(("record", "goal", "token"))] == []
