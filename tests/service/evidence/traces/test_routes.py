"""Traces over HTTP."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent.contract.evidence.traces import ActionTrace
from assent.contract.roles import Role
from tests.service.control.actions.world import World


@pytest.mark.parametrize("role", list(Role))
async def test_anybody_with_a_key_may_ask_and_gets_the_whole_trace(world: World, role: Role) -> None:
    action = await world.act(agent_id="bot")
    await world.judge(await world.believe(action), False, "it bounced")
    await world.report(action, status="failed")
    answer = await world.http("GET", f"/api/actions/{action.action_id}/trace", by=role)
    assert answer.status_code == 200
    assert answer.json() == msgspec.json.decode(msgspec.json.encode(await world.trace(action)))
    assert msgspec.json.decode(answer.content, type=ActionTrace).action.status == "failed"
    said = answer.json()["trace"]
    assert said["loops"] == {"total": 0, "open": 0, "resolved": 0, "cancelled": 0, "items": []}
    (cause,) = said["root_cause_indicators"]
    assert (cause["type"], cause["severity"], cause["count"]) == ("invalidated_assumption", "high", 1)


async def test_an_action_that_is_not_there(world: World) -> None:
    answer = await world.http("GET", "/api/actions/act_nobody/trace")
    assert (answer.status_code, answer.json()["code"]) == (404, "action_not_found")


async def test_the_trace_has_what_guard_looked_at_as_it_was_sent(world: World) -> None:
    sent: dict[str, Any] = {"agent_id": "bot", "amount": 12.5, "parameters": {"to": "Zoë"}, "metadata": {"ticket": 7}}
    action = await world.act(**sent)
    said = await world.trace(action)
    assert isinstance(said.context, dict)
    assert {name: said.context[name] for name in sent} == sent
    assert "reasoning" not in said.context
