"""What an action is done with and how far it reaches: what is kept of it, and what policies see."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from assent.contract.control.actions import Action
from assent.contract.control.externality import (
    AccountProvenance,
    DataClassification,
    DestinationVisibility,
    Externality,
)
from assent.contract.problems import Code
from assent.proof.act import act_digest
from assent_service.control.actions import ACTIONS
from assent_service.core.rows import record, select
from tests.service.control.actions.world import World, refused
from tests.tiers import deep

ORDER = {"order": 7, "amount": 12.5, "für": "Zoë"}
OF_ORDER = "sha256:" + hashlib.sha256('{"amount":12.5,"für":"Zoë","order":7}'.encode()).hexdigest()
OF_NOTHING = "sha256:" + hashlib.sha256(b"{}").hexdigest()
REACH = {
    "destination_visibility": "public",
    "account_provenance": "third_party",
    "data_classification": "restricted",
    "reversal_bound_seconds": 0,
}
WHERE = {"when": {"field": "externality.data_classification", "op": "in", "value": ["confidential", "restricted"]}}


async def row(world: World, action: Action) -> Action:
    sql = f"SELECT {select(ACTIONS)} FROM actions WHERE action_id = ?"
    (found,) = await world.service.ledger.read(sql, [action.action_id])
    return record(ACTIONS, found, Action)


@pytest.mark.parametrize(
    "said",
    [{"parameters": ORDER}, {"parameters_digest": OF_ORDER}, {"parameters": ORDER, "parameters_digest": OF_ORDER}],
)
async def test_of_parameters_the_digest_is_kept(world: World, said: dict[str, Any]) -> None:
    action = await world.act(**said)
    assert action.parameters_digest == OF_ORDER
    assert await row(world, action) == action
    assert "parameters" not in json.loads((await world.events(kind="action.created"))[0].data or b"")


async def test_without_any_there_is_no_digest(world: World) -> None:
    action = await world.act()
    assert (action.parameters_digest, action.externality) == (None, None)
    assert await row(world, action) == action
    empty = await world.act(parameters={})
    assert empty.parameters_digest == OF_NOTHING


async def test_a_digest_of_other_parameters_is_refused(world: World) -> None:
    wrong: dict[str, Any] = {"parameters": ORDER | {"order": 8}, "parameters_digest": OF_ORDER}
    async with refused(Code.INVALID_BODY) as found:
        await world.create(**wrong)
    assert [error.place for error in found.value.errors] == ["parameters_digest"]
    async with refused(Code.INVALID_BODY):
        await world.guard(**wrong)
    assert [event.type for event in await world.events() if event.type.startswith(("action", "guard"))] == []


async def test_policies_see_parameters_as_they_came(world: World) -> None:
    await world.policy(
        "condition", {"when": {"field": "parameters.amount", "op": "gt", "value": 10}, "action": "block"}
    )
    assert (await world.guard(parameters={"amount": 10})).decision == "allow"
    assert (await world.guard(parameters={"amount": 10.5})).decision == "block"
    refusal = await world.blocked(parameters={"amount": 11})
    assert refusal.extras["action"]["parameters_digest"] is not None
    context = json.loads((await world.events(kind="guard.decision"))[-1].data or b"")["context"]
    assert context["parameters"] == {"amount": 11}


async def test_policies_see_externality(world: World) -> None:
    await world.policy("condition", WHERE | {"action": "require_approval"})
    await world.policy(
        "condition",
        {
            "when": {
                "all": [
                    {"field": "externality.reversal_bound_seconds", "op": "lt", "value": 60},
                    {"field": "externality.destination_visibility", "op": "eq", "value": "public"},
                ]
            },
            "action": "warn",
        },
    )
    assert (await world.guard(externality=REACH)).decision == "require_approval"
    assert (await world.guard(externality=REACH | {"data_classification": "internal"})).decision == "warn"
    assert (await world.guard(externality={"data_classification": "internal"})).decision == "allow"
    assert (await world.guard(externality={})).decision == "allow"
    assert (await world.guard()).decision == "allow"
    created = await world.create(externality=REACH)
    assert created.approval is not None


async def test_externality_is_kept_with_the_action(world: World) -> None:
    action = await world.act(externality=REACH)
    assert action.externality == Externality(
        destination_visibility=DestinationVisibility.PUBLIC,
        account_provenance=AccountProvenance.THIRD_PARTY,
        data_classification=DataClassification.RESTRICTED,
        reversal_bound_seconds=0,
    )
    assert action.externality.reversal_bound_seconds == 0
    assert await row(world, action) == action
    partly = await world.act(externality={"reversal_bound_seconds": 3600})
    assert partly.externality == Externality(reversal_bound_seconds=3600)
    done = await world.report(partly, status="completed")
    assert (await row(world, done)).externality == partly.externality


further = deep("further values that are wrong in a like way")


@pytest.mark.parametrize("path", ["/api/guard", "/api/actions"])
@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"externality": {"destination_visibility": "secret"}}, "externality.destination_visibility"),
        pytest.param({"externality": {"account_provenance": "OWN"}}, "externality.account_provenance", marks=further),
        pytest.param({"externality": {"data_classification": 3}}, "externality.data_classification", marks=further),
        ({"externality": {"reversal_bound_seconds": -1}}, "externality.reversal_bound_seconds"),
        pytest.param(
            {"externality": {"reversal_bound_seconds": 1.5}}, "externality.reversal_bound_seconds", marks=further
        ),
        pytest.param(
            {"externality": {"reversal_bound_seconds": "60"}}, "externality.reversal_bound_seconds", marks=further
        ),
        pytest.param(
            {"externality": {"reversal_bound_seconds": True}}, "externality.reversal_bound_seconds", marks=further
        ),
        pytest.param(
            {"externality": {"reversal_bound_seconds": 2**53}}, "externality.reversal_bound_seconds", marks=further
        ),
        ({"externality": "public"}, "externality"),
        pytest.param({"externality": []}, "externality", marks=further),
        ({"parameters": [1]}, "parameters"),
        pytest.param({"parameters": "amount=1"}, "parameters", marks=further),
        ({"parameters": {"amount": 2**60}}, "parameters.amount"),
        ({"parameters_digest": OF_ORDER.upper()}, "parameters_digest"),
        pytest.param({"parameters_digest": OF_ORDER[:-1]}, "parameters_digest", marks=further),
        ({"parameters_digest": OF_ORDER + "\n"}, "parameters_digest"),
        pytest.param({"parameters_digest": OF_ORDER.removeprefix("sha256:")}, "parameters_digest", marks=further),
        ({"parameters_digest": 5}, "parameters_digest"),
    ],
)
async def test_what_is_wrong_is_named(world: World, path: str, members: dict[str, Any], place: str) -> None:
    answer = await world.http("POST", path, {"action_type": "refund"} | members)
    assert answer.status_code == 400, answer.content
    assert [error["place"] for error in answer.json()["errors"]] == [place]
    assert [event.type for event in await world.events() if event.type.startswith(("action", "guard"))] == []


@pytest.mark.parametrize(
    ("asked", "created", "usable"),
    [
        ({"parameters": ORDER}, {"parameters": ORDER}, True),
        ({"parameters_digest": OF_ORDER}, {"parameters_digest": OF_ORDER}, True),
        ({"parameters": ORDER}, {"parameters": ORDER | {"order": 8}}, False),
        ({"parameters": ORDER}, {}, False),
        ({"parameters_digest": OF_ORDER}, {"parameters_digest": OF_NOTHING}, False),
        ({}, {"parameters_digest": OF_ORDER}, False),
        ({"externality": REACH}, {"externality": REACH}, True),
        ({"externality": REACH}, {"externality": REACH | {"reversal_bound_seconds": 1}}, False),
        ({"externality": REACH}, {}, False),
    ],
)
async def test_a_decision_is_used_for_the_same_parameters_and_reach_only(
    world: World, asked: dict[str, Any], created: dict[str, Any], *, usable: bool
) -> None:
    said = await world.guard(agent_id="bot", **asked)
    body = {"agent_id": "bot", "decision_id": said.decision_id, **created}
    if usable:
        assert (await world.create(**body)).decision == said
        return
    async with refused(Code.DECISION_UNUSABLE) as found:
        await world.create(**body)
    assert "another context" in found.value.detail


async def test_the_same_key_with_other_parameters_is_another_creation(world: World) -> None:
    first = await world.create(key="k1", parameters=ORDER, externality=REACH)
    again = await world.create(key="k1", parameters=ORDER, externality=REACH)
    assert (again.action, again.idempotent_replay) == (first.action, True)
    others: list[dict[str, Any]] = [{"parameters": {}, "externality": REACH}, {"parameters": ORDER}]
    for other in others:
        async with refused(Code.IDEMPOTENCY_MISMATCH):
            await world.create(key="k1", **other)


async def test_history_keeps_them_too(world: World) -> None:
    action = await world.act(source="import", parameters=ORDER, externality=REACH, status="completed")
    assert (action.parameters_digest, action.externality is not None) == (OF_ORDER, True)


async def test_the_approval_is_for_exactly_this(world: World) -> None:
    await world.policy("require_approval", {"action_types": ["refund"]})
    created = await world.create(declared_goal="zurück", systems_touched=["b", "a"], parameters=ORDER)
    assert created.approval is not None
    assert created.approval.act_digest == act_digest("refund", "zurück", ["b", "a"], OF_ORDER)
    assert (created.approval.systems_touched, created.approval.parameters_digest) == (["b", "a"], OF_ORDER)
