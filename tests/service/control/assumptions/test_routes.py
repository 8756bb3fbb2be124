"""Assumptions over HTTP: every path that clients use, and who may use it."""

from __future__ import annotations

import pytest

from assent.contract.roles import Role
from tests.service.control.actions.world import World


@pytest.mark.parametrize("path", ["/api/assumptions", "/api/actions/assumptions"])
async def test_a_belief_from_recording_to_judging(world: World, path: str) -> None:
    action = await world.act(agent_id="bot")
    said = {"actionId": action.action_id, "assumption": "the order was paid", "basis": None}
    made = await world.http("POST", path, said, Role.AGENT)
    assert made.status_code == 201
    row = made.json()["assumption"]
    assert made.json()["assumption_id"] == row["assumption_id"]
    one = f"{path}/{row['assumption_id']}"
    wrong = await world.http("PATCH", one, {"validated": False, "invalidated_reason": "it bounced"}, Role.AGENT)
    assert (wrong.status_code, wrong.json()["assumption"]["invalidated"]) == (200, True)
    assert (await world.http("GET", one, by=Role.AUDITOR)).json() == wrong.json()
    listed = (await world.http("GET", f"{path}?drift=true&invalidated=True&limit=5", by=Role.AUDITOR)).json()
    assert listed["assumptions"] == [wrong.json()["assumption"]]
    assert listed["drift_summary"] == {"total": 1, "at_risk": 0, "validated": 0, "invalidated": 1, "unvalidated": 0}
    detail = (await world.http("GET", f"/api/actions/{action.action_id}")).json()
    assert detail["assumptions"] == listed["assumptions"]


async def test_what_is_refused_and_how(world: World) -> None:
    action = await world.act()
    said = {"action_id": action.action_id, "assumption": "the order was paid", "assumption_id": "asm_1"}
    assert (await world.http("POST", "/api/assumptions", said)).status_code == 201
    one = "/api/assumptions/asm_1"
    cases = [
        ("POST", "/api/assumptions", said, Role.ADMIN, 409, "assumption_exists"),
        ("POST", "/api/assumptions", said | {"action_id": "act_nobody"}, Role.ADMIN, 404, "action_not_found"),
        ("POST", "/api/assumptions", said | {"assumption": ""}, Role.ADMIN, 400, "invalid_body"),
        ("POST", "/api/assumptions", said | {"source": "import"}, Role.AGENT, 403, "forbidden"),
        ("POST", "/api/assumptions", said, Role.AUDITOR, 403, "forbidden"),
        ("PATCH", one, {"validated": False}, Role.AGENT, 400, "invalid_body"),
        ("PATCH", one, {}, Role.AGENT, 400, "invalid_body"),
        ("PATCH", "/api/assumptions/asm_nobody", {"validated": True}, Role.AGENT, 404, "assumption_not_found"),
        ("GET", "/api/assumptions/asm_nobody", None, Role.AUDITOR, 404, "assumption_not_found"),
        ("GET", "/api/assumptions?cursor=nonsense", None, Role.AUDITOR, 400, "invalid_query"),
    ]
    for method, path, body, role, status, code in cases:
        answer = await world.http(method, path, body, role)
        assert (answer.status_code, answer.json()["code"]) == (status, code), (method, path, body)
    missing = await world.http("PATCH", one, {"validated": False})
    assert [error["place"] for error in missing.json()["errors"]] == ["invalidated_reason"]
