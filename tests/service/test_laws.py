"""What is true of every noun that the contract declares: a new one is tested by being declared.

Its endpoints are found by the row that they answer, the bodies of requests are the contract's examples.
"""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, cast, get_args, get_type_hints

import httpx
import msgspec
import pytest

import assent.contract
from assent.contract.control.erasure import ERASE_ACTION
from assent.contract.endpoint import AnyEndpoint
from assent.contract.noun import Noun
from assent.contract.operations import ENDPOINTS
from assent.contract.people.keys import CreateKey
from assent.contract.people.organizations import CreateOrganization
from assent.contract.problems import Code
from assent.contract.record import Query
from assent.contract.roles import Role
from assent_service.app import TABLES
from assent_service.core.locks import EntityLocks
from assent_service.core.rows import PAGING
from assent_service.store.ledger import Ledger
from tests.service.control.actions.world import World, opened
from tests.tiers import deep

AnyNoun = Noun[Any]
_numbers = itertools.count(1)


def declared() -> list[AnyNoun]:
    modules = [import_module(each.name) for each in walk_packages(assent.contract.__path__, "assent.contract.")]
    found = {value.name: value for module in modules for value in vars(module).values() if isinstance(value, Noun)}
    return [found[name] for name in sorted(found)]


def holds(noun: AnyNoun, kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, noun.row)


class Paths:
    """The endpoints of a noun. `member` is where the list has its rows."""

    def __init__(self, noun: AnyNoun) -> None:
        self.noun = noun
        lists = {
            (each, member)
            for each in ENDPOINTS
            if each.method == "GET" and "{" not in each.path
            for member, hint in get_type_hints(each.response).items()
            if any(holds(noun, inner) for inner in get_args(hint)) and getattr(hint, "__origin__", None) is list
        }
        ((self.list, self.member),) = ((each, member) for each, member in lists if each.query is not None)
        (self.create,) = (
            each
            for each in ENDPOINTS
            if each.method == "POST" and each.path == self.list.path and each.request is not None
        )
        self.of_one = [each for each in ENDPOINTS if f"{{{noun.id}}}" in each.path]
        self.changes = [each for each in self.of_one if each.method == "PATCH"]

    @property
    def filters(self) -> list[str]:
        """The members of the query that say what a column must be."""
        (columns,) = (
            {column.name for column in table.columns} for table in TABLES if self.noun.created.value in table.created
        )
        return [name for name in cast("type[Query]", self.list.query).__struct_fields__ if name in columns - PAGING]


NOUNS = declared()
OF_AN_ACTION = [noun for noun in NOUNS if noun.has("action_id")]
BY_ID = [noun for noun in NOUNS if noun.missing is not None]
CHANGED = [noun for noun in NOUNS if noun.updated is not None]


def every(nouns: list[AnyNoun], quick: int | None = None) -> pytest.MarkDecorator:
    """With `quick` only so many of them are in the quick tier: where one law is kept by the same lines for all."""
    first = nouns[:quick]
    further = deep("the same law for a further noun")
    values = [pytest.param(noun, id=noun.name, marks=() if noun in first else further) for noun in nouns]
    return pytest.mark.parametrize("noun", values)


@dataclass
class Caller:
    """Requests through the door. Keys are made once."""

    world: World
    keys: dict[tuple[Role, str | None], str] = field(default_factory=dict)

    async def key(self, role: Role = Role.ADMIN, agent_id: str | None = None) -> str:
        if (role, agent_id) not in self.keys:
            body = CreateKey(name="law", role=role, agent_id=agent_id)
            self.keys[role, agent_id] = (await self.world.service.keys.create(self.world.admin, body)).api_key
        return self.keys[role, agent_id]

    async def ask(self, method: str, path: str, body: Any = None, key: str | None = None, **query: Any) -> Any:
        """The status, and what was answered."""
        transport = httpx.ASGITransport(app=cast("Any", self.world.service.app))
        headers = {"x-api-key": key or await self.key()}
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as client:
            answer = await client.request(method, path, json=body, params=query)
            return answer.status_code, answer.json()

    async def make(self, noun: AnyNoun, agent_id: str | None = "bot", key: str | None = None) -> dict[str, Any]:
        """A row by the example of its request, unlike those before it. Without an `agent_id` it is the key's."""
        create = Paths(noun).create
        assert create.request is not None
        body = dict(create.request.example)
        words = max((name for name, value in body.items() if isinstance(value, str)), key=lambda name: len(body[name]))
        body[words] += f" {next(_numbers)}"
        if noun.has("action_id"):
            body["action_id"] = (await self.world.act(agent_id=agent_id)).action_id
        elif agent_id is not None:
            body["agent_id"] = agent_id
        status, made = await self.ask("POST", create.path, body, key)
        assert status == 201, made
        return row_of(noun, made)

    async def page(self, noun: AnyNoun, key: str | None = None, **query: Any) -> dict[str, Any]:
        paths = Paths(noun)
        status, page = await self.ask("GET", paths.list.path, None, key, **query)
        assert status == 200, page
        return {"rows": page[paths.member], "total": page["total"], "next_cursor": page["next_cursor"]}

    async def of_id(
        self, noun: AnyNoun, id_: str, key: str | None = None, role: Role = Role.ADMIN
    ) -> list[tuple[int, Any]]:
        """What every operation on one row, that a key of this role may call, answers for this id."""
        found = []
        for each in Paths(noun).of_one:
            if role not in (each.roles or ()):
                continue
            body = None if each.request is None else each.request.example
            found.append(await self.ask(each.method, each.path.replace(f"{{{noun.id}}}", id_), body, key))
        return found


def row_of(noun: AnyNoun, made: dict[str, Any]) -> dict[str, Any]:
    """The row in an answer: the answer itself, or a member of it."""
    inside = (value for value in made.values() if isinstance(value, dict) and noun.id in value and "org_id" in value)
    return made if "org_id" in made else next(inside)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Caller]:
    async with opened(tmp_path) as world:
        yield Caller(world)


def test_the_nouns_are_those_that_have_a_shelf() -> None:
    """None of them is told of twice, and each has its list and its creation."""
    assert len({noun.id for noun in NOUNS}) == len({noun.created for noun in NOUNS}) == len(NOUNS) >= 6
    for noun in NOUNS:
        paths = Paths(noun)
        assert Code.INVALID_QUERY in paths.list.every_problem()
        assert bool(paths.of_one) is (noun.missing is not None), noun.name
        assert all(noun.missing in each.problems for each in paths.of_one), noun.name


@every(NOUNS, quick=2)
async def test_what_is_created_is_one_event_with_the_whole_row(desk: Caller, noun: AnyNoun) -> None:
    row = await desk.make(noun)
    (event,) = await desk.world.events(kind=noun.created.value)
    assert (event.org, event.subject) == (row["org_id"], row[noun.id])
    assert event.action == (row["action_id"] if noun.has("action_id") else None)
    kept = msgspec.to_builtins(msgspec.json.decode(event.data or b"", type=noun.row))
    assert kept == {name: value for name, value in row.items() if name in kept}
    assert (await desk.page(noun))["rows"] == [row]


@every(NOUNS, quick=2)
async def test_a_list_goes_from_new_to_old_and_nothing_is_there_twice(desk: Caller, noun: AnyNoun) -> None:
    made = [(await desk.make(noun))[noun.id] for _ in range(5)][::-1]
    found, cursor = [], None
    for left in (3, 1, 0):
        page = await desk.page(noun, limit=2, **({} if cursor is None else {"cursor": cursor}))
        found += [row[noun.id] for row in page["rows"]]
        cursor = page["next_cursor"]
        assert (page["total"], cursor is None) == (5, left == 0)
    assert found == made
    assert [row[noun.id] for row in (await desk.page(noun, limit=2, offset=3))["rows"]] == made[3:]


@every(NOUNS, quick=1)
@pytest.mark.parametrize("cursor", ["nonsense", "bm9uc2Vuc2U", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5IGE"])
async def test_a_cursor_that_is_not_ours_is_refused(desk: Caller, noun: AnyNoun, cursor: str) -> None:
    status, problem = await desk.ask("GET", Paths(noun).list.path, cursor=cursor)
    assert (status, problem["code"]) == (400, "invalid_query")
    assert [error["place"] for error in problem["errors"]] == ["cursor"]


@every(NOUNS, quick=2)
async def test_a_filter_keeps_the_rows_that_are_equal_to_it(desk: Caller, noun: AnyNoun) -> None:
    rows = [await desk.make(noun, agent_id) for agent_id in ("a", "b", "b")][::-1]
    for name in Paths(noun).filters:
        values = {row[name] for row in rows} - {None}
        hint = get_type_hints(Paths(noun).list.query)[name]
        enums = [kind for kind in get_args(hint) if isinstance(kind, type) and issubclass(kind, Enum)]
        values |= {each.value for kind in enums for each in kind}
        values |= {True, False} if bool in get_args(hint) else set()
        assert values, f"nothing is known that {name} could be"
        for value in values:
            page = await desk.page(noun, **{name: value})
            assert page["rows"] == [row for row in rows if row[name] == value], (name, value)
            assert page["total"] == len(page["rows"])


@every(NOUNS)
async def test_another_organization_sees_nothing_of_it(desk: Caller, noun: AnyNoun) -> None:
    row = await desk.make(noun)
    body = CreateOrganization(name="other", slug="other")
    foreign = (await desk.world.service.organizations.create(desk.world.admin, body)).api_key
    assert (await desk.page(noun, foreign))["total"] == 0
    for status, problem in await desk.of_id(noun, row[noun.id], foreign):
        assert (status, problem["code"]) == (404, noun.missing)
    assert (await desk.page(noun))["rows"] == [row]
    assert len(await desk.world.events(kind=noun.created.value.partition(".")[0])) == 1


@every(NOUNS)
async def test_a_key_that_is_bound_to_an_agent_sees_that_agents_only(desk: Caller, noun: AnyNoun) -> None:
    row = await desk.make(noun, "bot")
    other, own = await desk.key(Role.AGENT, "other"), await desk.key(Role.AGENT, "bot")
    assert (await desk.page(noun, other))["total"] == 0
    assert (await desk.page(noun, other, agent_id="bot"))["total"] == 0
    for status, problem in await desk.of_id(noun, row[noun.id], other, Role.AGENT):
        assert (status, problem["code"]) == (404, noun.missing)
    assert (await desk.page(noun, own))["rows"] == [row]
    beside = await desk.make(noun, "other")
    assert (await desk.page(noun, own))["rows"] == [row]
    assert (await desk.page(noun, await desk.key(Role.AGENT)))["rows"] == [beside, row]
    create = Paths(noun).create
    assert create.request is not None
    if "agent_id" in create.request.__struct_fields__:
        body = create.request.example | {"agent_id": "bot"}
        status, problem = await desk.ask("POST", create.path, body, other)
        assert (status, problem["code"]) == (403, "agent_mismatch")
    if not noun.has("action_id"):
        assert (await desk.make(noun, None, own))["agent_id"] == "bot"


@every(OF_AN_ACTION)
async def test_an_action_that_is_unknown_or_not_seen_is_not_found(desk: Caller, noun: AnyNoun) -> None:
    create = Paths(noun).create
    assert create.request is not None
    stranger = await desk.world.stranger()
    foreign = (await desk.world.act(stranger)).action_id
    others = (await desk.world.act(agent_id="bot")).action_id
    bound = await desk.key(Role.AGENT, "other")
    for action_id, key in ((foreign, None), ("act_nobody", None), (others, bound)):
        body = create.request.example | {"action_id": action_id}
        status, problem = await desk.ask("POST", create.path, body, key)
        assert (status, problem["code"]) == (404, "action_not_found")
    assert await desk.world.events(kind=noun.created.value) == []


@every(CHANGED)
async def test_a_key_that_is_bound_to_an_agent_changes_what_is_that_agents(desk: Caller, noun: AnyNoun) -> None:
    row = await desk.make(noun, "bot")
    for each in Paths(noun).changes:
        if each.request is not None and Role.AGENT in (each.roles or ()):
            path, body = each.path.replace(f"{{{noun.id}}}", row[noun.id]), each.request.example
            status, changed = await desk.ask("PATCH", path, body, await desk.key(Role.AGENT, "bot"))
            assert (status, row_of(noun, changed)["agent_id"]) == (200, "bot"), changed


@every(BY_ID, quick=2)
async def test_an_id_that_is_not_there_is_missing(desk: Caller, noun: AnyNoun) -> None:
    for status, problem in await desk.of_id(noun, "nobody"):
        assert (status, problem["code"]) == (404, noun.missing)
        assert problem["detail"] == f"There is no {noun.name} 'nobody' in this organization."


@every(CHANGED)
async def test_a_change_holds_the_row_while_it_is_read_decided_on_and_recorded(
    desk: Caller, noun: AnyNoun, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = await desk.make(noun)
    seen: list[str] = []
    hold, read, append = EntityLocks.hold, Ledger.read, Ledger.append

    @asynccontextmanager
    async def holding(self: EntityLocks, *names: Any) -> AsyncIterator[None]:
        async with hold(self, *names):
            mine = any(name.endswith(f":{row['org_id']}:{row[noun.id]}") for name in names)
            seen.extend(["held"] * mine)
            yield
            seen.extend(["free"] * mine)

    async def reading(self: Ledger, sql: str, *args: Any, **more: Any) -> Any:
        seen.extend(["read"] * (row[noun.id] in list(args[0] if args else ())))
        return await read(self, sql, *args, **more)

    async def appending(self: Ledger, *drafts: Any) -> Any:
        seen.extend(["recorded"] * any(each.type == noun.updated for each in drafts))
        return await append(self, *drafts)

    monkeypatch.setattr(EntityLocks, "hold", holding)
    monkeypatch.setattr(Ledger, "read", reading)
    monkeypatch.setattr(Ledger, "append", appending)
    (change,) = Paths(noun).changes
    assert change.request is not None
    status, changed = await desk.ask(
        "PATCH", change.path.replace(f"{{{noun.id}}}", row[noun.id]), change.request.example
    )
    assert (status, row_of(noun, changed)[noun.id]) == (200, row[noun.id]), changed
    inside = seen[seen.index("held") : seen.index("free")]
    assert "read" in inside, seen
    assert inside[-1] == "recorded", seen
    assert seen.count("recorded") == 1, seen
    (event,) = await desk.world.events(kind=cast("Any", noun.updated).value)
    assert event.subject == row[noun.id]


@every(OF_AN_ACTION)
async def test_what_belongs_to_an_erased_action_is_not_found_any_more(desk: Caller, noun: AnyNoun) -> None:
    erased, kept = await desk.make(noun), await desk.make(noun)
    await desk.world.report(erased["action_id"], status="completed")
    done = await desk.ask("POST", ERASE_ACTION.path.replace("{action_id}", erased["action_id"]), {"reason": "asked"})
    assert done[0] == 200, done
    assert (await desk.page(noun))["rows"] == [kept]
    for status, problem in await desk.of_id(noun, erased[noun.id]):
        assert (status, problem["code"]) == (404, noun.missing)
    (event,) = [each for each in await desk.world.events(kind=noun.created.value) if each.subject == erased[noun.id]]
    assert event.data is None


def test_no_two_endpoints_list_the_same_rows() -> None:
    lists: list[AnyEndpoint[Any]] = [Paths(noun).list for noun in NOUNS]
    assert len({each.operation for each in lists}) == len(NOUNS)
