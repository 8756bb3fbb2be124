"""Escalation: told once, after the minutes that a policy says, to a group of the rota; it decides nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.control.approvals import Approval
from assent.contract.control.escalations import Escalation, EscalationsQuery
from assent.contract.control.policies import PolicyChange
from assent.contract.people.keys import CreateKey
from assent.contract.people.rota import DAYS, OperatorGroup, SetRota
from assent.contract.roles import Role
from assent_service.base.clock import moment
from assent_service.control.escalations import Step, due
from tests.sdk.client import samples
from tests.service.control.actions.world import HOUR, MINUTE, START, Hands, World, opened
from tests.tiers import deep

AT = moment(START)
ALWAYS = {"days": list(DAYS), "start": "00:00", "end": "00:00"}


async def asks(world: World, minutes: int = 10, group: str = "Leads", **more: Any) -> str:
    rules = {"action_types": ["refund"], "escalate_after_minutes": minutes, "escalate_to": group}
    return (await world.policy("require_approval", rules, **more)).policy_id


async def listed(world: World, **query: Any) -> list[Escalation]:
    return (await world.service.escalations.page(world.admin, EscalationsQuery(**query))).escalations


async def rota(world: World, *groups: dict[str, Any]) -> None:
    body = msgspec.to_builtins(SetRota(groups=tuple(msgspec.convert(each, OperatorGroup) for each in groups)))
    answered = await world.http("POST", "/api/rota", body)
    assert answered.status_code == 200, answered.text


async def test_it_is_told_once_to_the_group_with_its_members(world: World) -> None:
    made = await world.service.keys.create(world.admin, CreateKey(name="ana", role=Role.OPERATOR))
    await rota(world, {"name": "leads", "members": ["ana", "ben"], "shifts": [ALWAYS]})
    policy_id = await asks(world)
    action = await world.act(agent_id="bot")
    world.clock.turn(9 * MINUTE)
    assert await world.service.escalations.escalate() == 0
    world.clock.turn(MINUTE)
    both = await asyncio.gather(world.service.escalations.escalate(), world.service.escalations.escalate())
    assert sorted(both) == [0, 1], "whoever looks, once"
    assert await world.service.escalations.escalate() == 0
    (event,) = await world.events(kind="approval.escalated")
    assert (event.actor, event.action) == ("system", None)
    (told,) = await listed(world, current=True)
    assert msgspec.json.decode(event.data or b"", type=Escalation) == told
    assert (told.action_id, told.policy_id, told.after_minutes) == (action.action_id, policy_id, 10)
    assert (told.escalated_to, told.on_shift, told.operators) == ("Leads", True, ["ana"])
    assert told.operator_keys == [made.key.key_id]
    assert await world.service.actions.visible(world.admin, action.action_id) == action, "nothing of it changes"
    await world.decide(action, "allow", world.operator("Zoe"))
    assert await listed(world, current=True) == []
    assert await listed(world, current=False, action_id=action.action_id) == [told]


async def test_what_has_ended_or_was_asked_by_another_policy_is_not_told_of(world: World) -> None:
    await asks(world)
    await world.policy("require_approval", {"action_types": ["deploy"]})
    decided, withdrawn = await world.act(agent_id="bot"), await world.act(agent_id="bot")
    await world.act(action_type="deploy")
    await world.decide(decided, "deny")
    await world.withdraw(withdrawn)
    world.clock.turn(11 * MINUTE)
    assert await world.service.escalations.escalate() == 0
    late = await world.act(agent_id="bot")
    world.clock.turn(24 * HOUR)
    assert await world.service.escalations.escalate() == 0, f"{late.action_id} has expired"
    assert await world.events(kind="approval.escalated") == []


async def test_what_the_policy_says_now_counts(world: World) -> None:
    policy_id = await asks(world, minutes=60)
    await world.act(agent_id="bot")
    world.clock.turn(30 * MINUTE)
    assert await world.service.escalations.escalate() == 0
    sooner = {"action_types": ["refund"], "escalate_after_minutes": 20, "escalate_to": "Nobody's"}
    await world.service.policies.update(world.admin, policy_id, PolicyChange(rules=sooner))
    assert await world.service.escalations.escalate() == 1
    (told,) = await listed(world)
    assert (told.escalated_to, told.on_shift, told.operators) == ("Nobody's", False, []), "a group without anybody"
    await world.act(agent_id="bot")
    await world.service.policies.update(world.admin, policy_id, PolicyChange(active=False))
    world.clock.turn(30 * MINUTE)
    assert await world.service.escalations.escalate() == 0


async def test_another_organizations_policy_and_rows_are_its_own(world: World) -> None:
    await asks(world)
    await world.act(agent_id="bot")
    stranger = await world.stranger()
    world.clock.turn(11 * MINUTE)
    assert await world.service.escalations.escalate() == 1
    assert (await world.service.escalations.page(stranger, EscalationsQuery())).total == 0


@deep("two services on one folder")
async def test_it_is_told_once_across_a_restart(tmp_path: Path) -> None:
    clock = Hands()
    async with opened(tmp_path / "home", clock) as world:
        await asks(world)
        await world.act(agent_id="bot")
        await world.act(agent_id="bot", declared_goal="another")
        clock.turn(11 * MINUTE)
        assert await world.service.escalations.escalate() == 2
        await world.act(agent_id="bot", declared_goal="a third")
    async with opened(tmp_path / "home", clock) as world:
        assert await world.service.escalations.escalate() == 0
        clock.turn(11 * MINUTE)
        assert await world.service.escalations.escalate() == 1
        assert len(await world.events(kind="approval.escalated")) == 3


@pytest.mark.parametrize(
    ("matched", "minutes", "step"),
    [
        (["p1"], 9, None),
        (["p1"], 10, "p1"),
        (["p1", "p2"], 5, "p2"),
        (["p2", "p1"], 4, None),
        (["p3"], 60, None),
        ([], 60, None),
        (["p1"], 24 * 60, None),
    ],
)
def test_what_is_due_by_hand(matched: list[str], minutes: int, step: str | None) -> None:
    """Of two policies the one that is due first; what has expired is nobody's any more."""
    steps = {"p1": Step("p1", 10, "Leads"), "p2": Step("p2", 5, "Others")}
    asked = msgspec.structs.replace(
        msgspec.convert(samples.approval("awaiting"), Approval),
        matched_policies=matched,
        requested_at=AT,
        expires_at=moment(START + 24 * HOUR),
    )
    found = due(asked, steps, moment(START + minutes * MINUTE))
    assert (found and found.policy_id) == step


async def test_whoever_makes_a_policy_that_escalates_to_nobody_is_told_so(world: World) -> None:
    async def made(name: str, group: str) -> tuple[str, list[str]]:
        rules = {"action_types": ["refund"], "escalate_after_minutes": 5, "escalate_to": group}
        answered = await world.http(
            "POST", "/api/policies", {"name": name, "policy_type": "require_approval", "rules": rules}
        )
        assert answered.status_code == 201, answered.text
        body = answered.json()
        return str(body["policy"]["policy_id"]), list(body["warnings"])

    async def check() -> tuple[str, str]:
        found = (await world.http("GET", "/api/readiness")).json()["checks"]
        return next((each["status"], each["detail"]) for each in found if each["name"] == "policies")

    first, said = await made("Refunds", "Leads")
    assert said == [
        "Policy 'Refunds' escalates to 'Leads', which is no group of the rota: what nobody decides in time is marked, "
        "and nobody is told. Say who is in that group (`assent rota set`), or name another one."
    ]
    assert await check() == ("warn", said[0])
    # A group without a valid key is as good as none; the name counts in any spelling.
    await rota(world, {"name": "leads", "members": ["ana"], "shifts": [ALWAYS]})
    assert "has no member with a valid key of an operator or admin" in (await check())[1]
    await world.service.keys.create(world.admin, CreateKey(name="ana", role=Role.OPERATOR))
    assert (await check())[0] == "pass"
    assert (await world.http("GET", f"/api/policies/{first}")).json()["warnings"] == []
    changed = await world.http("PATCH", f"/api/policies/{first}", {"rules": {"action_types": ["refund"]}})
    assert changed.json()["warnings"] == []
    _, said = await made("More refunds", "Owners")
    assert len(said) == 1
    await world.http("PATCH", f"/api/policies/{first}", {"active": False})
    pack = (
        "version: 1\npolicies:\n- name: From a pack\n  policy_type: require_approval\n  rules:\n"
        "    action_types: [pay]\n    escalate_after_minutes: 5\n    escalate_to: Night\n"
    )
    imported = (await world.http("POST", "/api/policies/import", {"yaml": pack})).json()
    assert [each.split(" escalates")[0] for each in imported["warnings"]] == [
        "Policy 'More refunds'",
        "Policy 'From a pack'",
    ]
