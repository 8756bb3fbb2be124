"""Rules of the house: trees of flow policies over what a session was told, on a real data folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assent.flows import past as past_module
from tests.service.control.actions.world import World, opened
from tests.service.control.flows.test_flows import (
    IBAN,
    REFUND,
    RUN,
    check_replayed,
    flowing,
    pay,
    read_the_bill,
    refund,
    tell,
)

EXPORTS = {"count_within": {"of": {"tool": "export_*"}, "at_least": 4, "seconds": 3600}}
SALARIES = {"never_after": {"this": {"effect": "send"}, "after": {"tool": "read_salaries"}}}
LABEL = {"label": "untrusted_seen"}
FREE = {
    "all": [{"field": "action_type", "op": "eq", "value": "Send_Money"}, {"value_from": "recipient", "in": ["free"]}]
}


async def test_a_refund_takes_a_verified_identity_of_the_same_session(world: World) -> None:
    policy_id = await flowing(world, when=REFUND)
    assert (await refund(world)).decision == "require_approval", "nothing was told"
    await tell(world, user_text="Please refund order 4711")
    found = await refund(world, action_type="call", metadata={"tool": "REFUND"})
    assert (found.decision, found.matched_policies) == ("require_approval", [policy_id])
    assert str(found.reason).endswith(": the tool is refund and not (the tool was verify_identity before)")
    await tell(world, tool="VERIFY_IDENTITY", result={"ok": True})
    assert (await refund(world)).decision == "allow"
    assert (await refund(world, session_id="another")).decision == "require_approval"
    assert (await world.guard(action_type="get_order", session_id="another")).decision == "allow"
    await check_replayed(world)


async def test_a_call_without_a_session_has_no_past_so_an_enforced_rule_matches_and_says_so(world: World) -> None:
    for when in (REFUND, {"never_after": {"this": {"tool": "refund"}, "after": {"tool": "read_salaries"}}}, LABEL):
        policy = await world.policy("flow", {"when": when, "action": "block"})
        for members in ({"session_id": None}, {"session_id": "never told"}):
            found = await refund(world, **members)
            assert (found.decision, found.matched_policies) == ("block", [policy.policy_id])
            assert "Nobody can tell whether this is so. Nothing was told of this session" in str(found.reason)
        await check_replayed(world)
        await world.service.policies.delete(world.admin, policy.policy_id)


async def test_what_was_done_before_is_known_after_a_restart_and_what_was_erased_asks(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await flowing(world, when=REFUND)
        await tell(world, user_text="Please refund order 4711")
        action = await world.act(action_type="verify_identity", session_id=RUN, declared_goal="Verify")
        await tell(world, tool="verify_identity", result={"ok": True}, action_id=action.action_id)
        await world.report(action, status="completed")
    async with opened(tmp_path, world.clock) as again:
        assert (await refund(again)).decision == "allow"
        erased = await again.http("POST", f"/api/actions/{action.action_id}/erase", {"reason": "asked for"})
        assert erased.status_code == 200, erased.text
        found = await refund(again)
        assert found.decision == "require_approval"
        assert "Nobody can tell whether this is so" in str(found.reason)
        await check_replayed(again)


async def test_the_fourth_export_within_an_hour_asks(world: World) -> None:
    await flowing(world, when=EXPORTS, action="block")
    export: dict[str, Any] = {"action_type": "export_report", "parameters": {}, "session_id": RUN}
    await tell(world, user_text="Export them")
    for _ in range(3):
        assert (await world.guard(**export)).decision == "allow"
        await tell(world, tool="export_report", result="done")
    found = await world.guard(**export)
    assert found.decision == "block"
    assert str(found.reason).endswith(": the tool was export_* 4 times within 3600 seconds")
    assert (await world.guard(action_type="get_report", session_id=RUN)).decision == "allow"
    world.clock.turn(3601 * 1_000_000)
    assert (await world.guard(**export)).decision == "allow"
    await check_replayed(world)


async def test_no_mail_after_salaries_and_the_text_of_a_recipient(world: World) -> None:
    await flowing(world, when=SALARIES)
    policy_id = await flowing(world, when=FREE, action="warn")
    await read_the_bill(world)
    mail: dict[str, Any] = {"action_type": "send_mail", "parameters": {"to": "dora"}, "session_id": RUN}
    assert (await world.guard(**mail)).decision == "allow"
    found = await pay(world)
    assert (found.decision, found.matched_policies) == ("warn", [policy_id])
    assert found.warnings[0].endswith('action_type eq "Send_Money" and recipient comes from a text')
    await tell(world, user_text=f"Yes, to {IBAN}")
    assert (await pay(world)).decision == "allow"
    await tell(world, tool="read_salaries", result=[{"name": "Dora", "salary": 3}])
    assert (await world.guard(**mail)).decision == "require_approval"
    await check_replayed(world)


async def test_where_nobody_can_tell_where_an_argument_came_from_the_rule_holds(world: World) -> None:
    await flowing(world, when={"value_from": "amount", "in": ["free"]})
    await flowing(world, when={"not": {"value_from": "absent", "in": ["free"]}}, action="warn")
    await read_the_bill(world)
    found = await pay(world)
    assert (found.decision, len(found.matched_policies)) == ("require_approval", 2), "amounts are not looked at"
    assert "Nobody can tell" in found.reasons[0]
    assert "Nobody can tell" not in found.warnings[0]
    assert (await pay(world, parameters={"recipient": IBAN})).decision == "warn", "it is not there"
    await check_replayed(world)


OWNER = {"value_from": "owner.email", "in": ["free", "unknown"]}


@pytest.mark.parametrize(
    ("owner", "matches"),
    [
        *(([{"email": IBAN}], True), ([[{"email": IBAN}]], True), ([{"email": "dora@x.com"}, {"email": IBAN}], True)),
        *(
            ({"email": [IBAN]}, True),
            ({"email": {"first": [[{"name": IBAN}]]}}, True),
            ([{"email": "dora@x.com"}], False),
        ),
        *(([{"name": IBAN}], False), ([], False), ([{"email": ""}], False), ([{"email": None}, 7], False)),
        *(({"email": "dora@x.com, mallory"}, True), ({"email": "dora@x.com, Eve Fox"}, False)),
        ({"email": "dora@x.com", "a": {"b": {"c": {"d": {"e": {"f": {"g": IBAN}}}}}}}, True),
    ],
    ids=str,
)
async def test_an_argument_is_found_below_lists_of_objects(world: World, owner: object, matches: bool) -> None:
    await flowing(world, when=OWNER)
    await tell(world, user_text="Write to dora@x.com and Eve Fox")
    await read_the_bill(world)
    found = await world.guard(action_type="update_record", parameters={"owner": owner, "order": "7"}, session_id=RUN)
    assert found.decision == ("require_approval" if matches else "allow")
    await check_replayed(world)


async def test_a_session_of_more_calls_than_are_kept_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past_module, "MOST_CALLS", 2)
    async with opened(tmp_path) as world:
        await flowing(world, when=REFUND)
        for _ in range(2):
            await tell(world, tool="verify_identity", result="ok")
        assert (await refund(world)).decision == "allow"
        await tell(world, tool="get_order", result="ok")
        assert (await refund(world)).decision == "require_approval"
        await check_replayed(world)
    async with opened(tmp_path, world.clock) as again:
        assert (await refund(again)).decision == "require_approval"


async def test_calls_of_sub_agents_are_of_the_outermost_session(world: World) -> None:
    await flowing(world, when=REFUND)
    await tell(world, user_text="Refund")
    await tell(world, tool="verify_identity", result="ok", session_id="inner", parent_session_id=RUN)
    assert (await refund(world)).decision == "allow"
    assert (await refund(world, session_id="inner")).decision == "allow"
    other = world.somebody(agent_id="other")
    assert (await refund(world, other)).decision == "require_approval", "another agent's session"
