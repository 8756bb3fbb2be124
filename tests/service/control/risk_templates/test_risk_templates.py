"""Risk templates in the service: versions, what decisions record, and what a change does to what was decided before."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.control.risk_templates import (
    MOST_TEMPLATES,
    CreateRiskTemplate,
    RiskTemplate,
    RiskTemplatesQuery,
    UpdateRiskTemplate,
)
from assent.contract.problems import Code
from assent.proof.policies import snapshot
from assent.proof.replay import replay
from assent_service.control.risk_templates import RiskTemplateBook, RiskTemplateState
from assent_service.core.principal import Principal
from tests.service.control.actions.world import START, World, locks_of, opened, refused

WIRE: dict[str, Any] = {"action_type": "wire", "amount": 5000}
# An unknown type has the base 20, and 5 for want of history.
PLAIN = 25.0


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as world:
        yield world


def book(world: World) -> RiskTemplateBook:
    service = world.service
    (state,) = [memory for memory in service.memories if isinstance(memory, RiskTemplateState)]
    found = RiskTemplateBook(service.ledger, world.clock, locks_of(service.ledger))
    found.state = state
    return found


async def make(world: World, by: Principal | None = None, **members: Any) -> RiskTemplate:
    said = msgspec.convert({"name": "wires", "base_risk": 60} | members, CreateRiskTemplate)
    return await book(world).create(by or world.admin, said)


async def change(world: World, template: RiskTemplate, **members: Any) -> RiskTemplate:
    said = msgspec.convert(members, UpdateRiskTemplate)
    return await book(world).update(world.admin, template.id, said)


async def test_a_template_holds_from_the_next_decision_on(world: World) -> None:
    assert (await world.guard(**WIRE)).risk_score == PLAIN
    template = await make(world, action_type="wire", rules=[{"condition": "amount > 1000", "add": 15}])
    said = await world.guard(**WIRE)
    assert said.risk_score == 80
    assert said.risk_breakdown == {"base": 20, "template": 55, "history": 5}
    assert (said.risk_template_id, said.risk_template_version, said.risk_template_score) == (template.id, 1, 75)
    assert (await world.guard(action_type="look")).risk_score == PLAIN
    await change(world, template, base_risk=40)
    said = await world.guard(**WIRE)
    assert (said.risk_score, said.risk_template_version, said.risk_template_score) == (60, 2, 55)
    await book(world).delete(world.admin, template.id)
    said = await world.guard(**WIRE)
    assert (said.risk_score, said.risk_template_id) == (PLAIN, msgspec.UNSET)


async def test_what_is_recorded_is_what_is_said(world: World) -> None:
    template = await make(world, action_type="wire")
    await world.guard(**WIRE)
    await world.guard(action_type="look")
    rated, plain = [json.loads(event.data or b"") for event in await world.events(kind="guard.decision")]
    assert rated["risk_template_id"] == template.id
    assert "risk_template_id" not in plain
    rows = await world.service.ledger.read(
        "SELECT risk_template_id, risk_template_version, risk_template_score FROM guard_decisions ORDER BY created_at",
        [],
    )
    assert rows == [(template.id, 1, 60.0), (None, None, None)]


async def test_the_record_replays(world: World) -> None:
    await world.policy("risk_threshold", {"threshold": 70, "action": "block"})
    await make(world, action_type="wire", base_risk=90)
    assert (await world.guard(**WIRE)).decision == "block"
    payload = json.loads((await world.events(kind="guard.decision"))[-1].data or b"")
    policies = msgspec.to_builtins(snapshot(world.service.policies.state.list(world.org_id)))
    assert replay(payload, policies).agrees
    # A verifier that is told another risk finds that the policies do not decide so.
    assert not replay(payload | {"risk_score": 69.0}, policies).agrees


async def test_each_change_is_a_version_and_an_event(world: World) -> None:
    first = await make(world)
    assert (first.version, first.base_risk, first.rules, first.action_type) == (1, 60, [], None)
    second = await change(world, first, base_risk=61)
    assert (second.version, second.base_risk, second.name) == (2, 61, "wires")
    assert await change(world, second, base_risk=61) == second
    assert await change(world, second) == second
    third = await change(world, second, rules=[{"condition": "x == 1", "add": -5}], action_type="wire")
    assert (third.version, third.action_type, third.base_risk) == (3, "wire", 61)
    assert (await change(world, third, action_type="")).action_type is None
    await book(world).delete(world.admin, first.id)
    events = await world.events(kind="risk_template")
    assert [event.type.removeprefix("risk_template.") for event in events] == ["created"] + ["updated"] * 4
    told = [json.loads(event.data or b"") for event in events]
    assert [each["version"] for each in told] == [1, 2, 3, 4, 5]
    assert told[-1]["deleted_at"] == told[-1]["updated_at"]
    assert {event.subject for event in events} == {first.id}


async def test_fields_that_are_not_named_stay(world: World) -> None:
    before = await make(
        world, action_type="wire", description="why", rules=[{"condition": "x == 1", "add": 5}], status="inactive"
    )
    after = await change(world, before, name="other")
    kept = {"version", "updated_at", "updated_by", "name"}
    for name in set(before.__struct_fields__) - kept:
        assert after[name] == before[name], name


async def test_an_inactive_template_rates_nothing(world: World) -> None:
    template = await make(world, action_type="wire", status="inactive")
    generic = await make(world, base_risk=30)
    assert (await world.guard(**WIRE)).risk_template_id == generic.id
    await change(world, template, status="active")
    assert (await world.guard(**WIRE)).risk_template_id == template.id
    await change(world, template, status="inactive")
    assert (await world.guard(**WIRE)).risk_template_id == generic.id


async def test_the_first_of_a_type_counts_whatever_the_clock_says(world: World) -> None:
    first = await make(world, action_type="wire", base_risk=70)
    world.clock.now = START - 10**9
    second = await make(world, action_type="wire", base_risk=90)
    assert second.created_at > first.created_at
    assert (await world.guard(**WIRE)).risk_template_id == first.id


async def test_a_decision_does_not_outlive_the_template_that_rated_it(world: World) -> None:
    async def reused(decision_id: str) -> None:
        await world.create(decision_id=decision_id, **WIRE)

    before = (await world.guard(**WIRE)).decision_id
    template = await make(world, action_type="wire", base_risk=30)
    with pytest.raises(Exception, match="risk template") as found:
        await reused(before)
    assert found.value.code is Code.DECISION_UNUSABLE  # type: ignore[attr-defined]
    said = (await world.guard(**WIRE)).decision_id
    await reused(said)
    for act in (
        lambda: change(world, template, base_risk=31),
        lambda: change(world, template, name="other"),
        lambda: book(world).delete(world.admin, template.id),
    ):
        stale = (await world.guard(**WIRE)).decision_id
        await act()
        async with refused(Code.DECISION_UNUSABLE):
            await reused(stale)
    untouched = (await world.guard(**WIRE)).decision_id
    await make(world, action_type="pay")
    await reused(untouched)


async def test_a_decision_is_reused_after_a_restart_too(tmp_path: Path) -> None:
    """Out of the tables, where a decision without a template has empty columns."""
    async with opened(tmp_path) as world:
        await make(world, action_type="wire", base_risk=30)
        rated = (await world.guard(**WIRE)).decision_id
        plain = (await world.guard(action_type="look")).decision_id
        clock = world.clock
        await world.service.ledger.caught_up()
    async with opened(tmp_path, clock) as world:
        assert (await world.create(decision_id=rated, **WIRE)).action.risk_score == 35
        assert (await world.create(decision_id=plain, action_type="look")).action.risk_score == PLAIN


async def test_memory_is_the_same_from_tables_and_from_events(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        stranger = await world.stranger()
        kept = await make(
            world,
            action_type="wire",
            rules=[{"condition": {"not": {"field": "x", "op": "exists", "value": True}}, "add": 5}],
        )
        for name in ("a", "b"):
            await make(world, name=name)
        await make(world, by=stranger, name="theirs")
        gone = await make(world, name="gone")
        await book(world).delete(world.admin, gone.id)
        await change(world, kept, base_risk=7)
        alive = book(world).state
        await world.service.ledger.caught_up()
        replayed = RiskTemplateState()
        for org_id in (world.org_id, stranger.org_id):
            for event in await world.events(org_id, "risk_template"):
                replayed.fold(event)
        seen = {org: alive.list(org) for org in (world.org_id, stranger.org_id)}
        assert [each.name for each in seen[world.org_id]] == ["wires", "a", "b"]
        assert {org: replayed.list(org) for org in seen} == seen
        clock = world.clock
    async with opened(tmp_path, clock) as world:
        assert {org: book(world).state.list(org) for org in seen} == seen
        assert (await world.guard(**WIRE)).risk_template_version == 2


async def test_another_organization_has_nothing_to_do_with_it(world: World) -> None:
    stranger = await world.stranger()
    theirs = await make(world, by=stranger, action_type="wire", base_risk=99)
    assert (await world.guard(**WIRE)).risk_score == PLAIN
    assert (await world.guard(by=stranger, **WIRE)).risk_score == 100
    async with refused(Code.RISK_TEMPLATE_NOT_FOUND):
        await change(world, theirs, base_risk=0)
    async with refused(Code.RISK_TEMPLATE_NOT_FOUND):
        await book(world).delete(world.admin, theirs.id)
    assert book(world).page(world.org_id, RiskTemplatesQuery()).templates == []


async def test_pages_and_filters(world: World) -> None:
    made = [await make(world, name=str(at), action_type="wire" if at % 2 else None) for at in range(5)]
    await change(world, made[1], status="inactive")

    def names(**query: Any) -> tuple[list[str], int]:
        found = book(world).page(world.org_id, msgspec.convert(query, RiskTemplatesQuery))
        return [each.name for each in found.templates], found.total

    assert names() == (["0", "1", "2", "3", "4"], 5)
    assert names(action_type="wire") == (["1", "3"], 2)
    assert names(action_type="wire", status="active") == (["3"], 1)
    assert names(limit=2, offset=3) == (["3", "4"], 5)
    assert names(offset=9) == ([], 5)


async def test_there_is_an_end_to_how_many(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_TEMPLATES == 1000
    monkeypatch.setattr("assent_service.control.risk_templates.MOST_TEMPLATES", 2)
    for name in ("a", "b"):
        await make(world, name=name)
    async with refused(Code.INVALID_RISK_TEMPLATE):
        await make(world, name="c")


async def test_a_pattern_is_checked_at_the_door(world: World) -> None:
    bad = {"field": "declared_goal", "op": "matches", "value": r"(a)\1"}
    async with refused(Code.INVALID_RISK_TEMPLATE) as found:
        await make(world, rules=[{"condition": "x == 1", "add": 1}, {"condition": bad, "add": 5}])
    assert [error.place for error in found.value.errors] == ["rules[1].condition.value"]
    template = await make(world)
    async with refused(Code.INVALID_RISK_TEMPLATE):
        await change(world, template, rules=[{"condition": bad, "add": 5}])
    assert (await world.guard(**WIRE)).risk_template_version == 1
