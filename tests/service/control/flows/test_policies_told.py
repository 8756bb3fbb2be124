"""What whoever makes, changes or imports a flow policy is told of what it does to others."""

from __future__ import annotations

import json

from tests.service.control.actions.world import World
from tests.service.control.flows.test_flows import flowing, without_shipped


async def test_who_makes_a_policy_whose_tools_enforced_ones_read_is_told(world: World) -> None:
    await flowing(world)
    rules = {"pack": {"tools": {"send_email": {"effect": "none"}}}}
    draft = {"name": "New", "policy_type": "flow", "mode": "observe", "rules": rules}
    created = (await world.http("POST", "/api/policies", draft)).json()
    assert "of send_email counts only once it is enforced, since 'flow {}' decides" in created["warnings"][0]
    path = f"/api/policies/{created['policy']['policy_id']}"
    assert (await world.http("PATCH", path, {"active": False})).json()["warnings"] == []
    assert (await world.http("PATCH", path, {"active": True})).json()["warnings"] == created["warnings"]
    assert (await world.http("PATCH", path, {"mode": "enforce"})).json()["warnings"] == []
    pack = (
        "version: 1\npolicies:\n- name: Other\n  policy_type: flow\n  mode: observe\n"
        "  rules: {pack: {tools: {ledger_dump: {answers: trusted}}}}\n"
    )
    imported = (await world.http("POST", "/api/policies/import", {"yaml": pack})).json()
    assert "ledger_dump counts only once it is enforced, since 'flow {}', 'New' decides" in imported["warnings"][0]


async def test_who_imports_less_than_what_is_enforced_is_told(world: World) -> None:
    async def loaded(mode: str, tools: str) -> list[str]:
        policy = f"- name: Ours\n  policy_type: flow\n  mode: {mode}\n  rules: {{pack: {{tools: {tools}}}}}\n"
        pack = f"version: 1\npolicies:\n{policy}"
        found: list[str] = (await world.http("POST", "/api/policies/import", {"yaml": pack})).json()["warnings"]
        return found

    await without_shipped(world)
    assert await loaded("enforce", "{a: {answers: document}, b: {effect: send}, c: {effect: read}}") == []
    assert await loaded("enforce", "{a: {answers: trusted}, b: {effect: send}, d: {effect: send}}") == [
        "The pack of policy 'Ours' says nothing of c any more and says otherwise of a, which counts at once."
    ]
    assert await loaded("enforce", "{a: {answers: trusted}, b: {effect: send}, d: {effect: send}}") == []
    assert await loaded("observe", "{}") == [
        "Policy 'Ours' was enforced, and only observes now: a policy that is imported replaces the one of its name."
    ]
    assert await loaded("observe", "{a: {answers: trusted}}") == []


async def test_an_import_says_which_of_its_policies_are_wrong(world: World) -> None:
    policies = [
        {"name": "Good", "policy_type": "flow", "rules": {}},
        {"name": "Bad", "policy_type": "flow", "rules": {"pack": {"tools": {"x": {"effect": "paint"}}}}},
        {"name": "Worse", "policy_type": "flow", "rules": {"when": {"all": [{"label": "wages"}]}}},
    ]
    before = world.service.policies.state.list(world.org_id)
    pack = json.dumps({"version": 1, "policies": policies})
    answer = await world.http("POST", "/api/policies/import", {"yaml": pack})
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (400, "invalid_policy")
    places = ["policies[1].rules.pack.tools.x.effect", "policies[2].rules.when.all[0].label"]
    assert [each["place"] for each in problem["errors"]] == places
    assert problem["detail"] == (
        f"The policy cannot be used: {places[0]}: is 'paint', expected one of none, read, write, send, destroy. "
        f"Nor can {places[1]}."
    )
    assert world.service.policies.state.list(world.org_id) == before, "it is all or nothing"
