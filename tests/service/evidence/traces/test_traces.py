"""Traces on a running service, without HTTP."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import msgspec

from assent.contract.control.actions import Action
from assent.contract.control.guard import GuardResult
from assent.contract.control.policies import PolicyChange
from assent.contract.evidence.traces import ActionTrace
from assent.contract.problems import Code
from tests.service.control.actions.world import DAY, HOUR, MINUTE, SECOND, World, opened, refused


def ids(actions: list[Action]) -> list[str]:
    return [action.action_id for action in actions]


async def test_an_uneventful_action(world: World) -> None:
    made = await world.create(agent_id="bot")
    found = await world.trace(made.action)
    assert (found.action, found.approval, found.decision) == (made.action, None, made.decision)
    trace = found.trace
    assert (trace.parent_chain, trace.sub_actions, trace.related_actions, trace.changes) == ([], [], [], [])
    assert trace.root_cause_indicators == []
    assert (trace.loops.total, trace.loops.items, trace.assumptions.total) == (0, [], 0)
    # It crosses the wire and comes back the same.
    assert msgspec.json.decode(msgspec.json.encode(found), type=ActionTrace) == found


async def test_every_change_is_told_with_what_it_replaced_and_by_whom(world: World) -> None:
    action = await world.act(agent_id="bot", metadata={"order": 7})
    first = await world.report(action, world.somebody(name="Bob"), status="completed", output_summary="sent")
    second = await world.report(action, world.somebody(name="Eve"), status="failed", error_message="it came back")
    outcome, correction = (await world.trace(action)).trace.changes
    assert (outcome.kind, outcome.by, outcome.at) == ("outcome", "Bob", first.updated_at)
    assert outcome.replaced == {"status": "running", "output_summary": None, "timestamp_end": None, "duration_ms": None}
    assert (outcome.changed["status"], outcome.changed["output_summary"]) == ("completed", "sent")
    assert (correction.kind, correction.by, correction.at) == ("correction", "Eve", second.updated_at)
    assert correction.replaced == {"status": "completed", "error_message": None}
    assert correction.changed == {"status": "failed", "error_message": "it came back"}


async def test_it_is_proven_since_the_first_head_that_covers_it(world: World) -> None:
    heads = world.service.proofs.heads
    action = await world.act(agent_id="bot")
    assert (await world.trace(action)).trace.proof is None, "nothing is signed because somebody looks"
    first = (await heads.newest(world.org_id)).head
    await world.act(agent_id="other")
    await heads.newest(world.org_id, first.size + 1)
    proof = (await world.trace(action)).trace.proof
    assert proof is not None
    assert (proof.size, proof.signed_at) == (first.size, first.signed_at)
    await world.report(action, status="completed")
    assert (await world.trace(action)).trace.proof is None, "its end is not covered yet"
    there = (await heads.newest(world.org_id, first.size + 3)).head
    again = (await world.trace(action)).trace.proof
    assert again is not None
    assert again.size == there.size


async def test_assumptions_are_counted(world: World) -> None:
    action = await world.act()
    made = [await world.believe(action, assumption=f"belief {n}") for n in range(4)]
    await world.judge(made[0], True)
    await world.judge(made[1], False, "wrong")
    found = (await world.trace(action)).trace.assumptions
    assert (found.total, found.validated, found.invalidated, found.unvalidated) == (4, 1, 1, 2)
    assert [item.assumption_id for item in found.items] == [each.assumption_id for each in made]


async def test_parents_are_followed_twenty_steps(world: World) -> None:
    for number in range(25):
        await world.act(action_id=f"a{number}", parent_action_id=f"a{number - 1}" if number else None)
    assert ids((await world.trace("a24")).trace.parent_chain) == [f"a{number}" for number in range(23, 3, -1)]
    assert ids((await world.trace("a3")).trace.parent_chain) == ["a2", "a1", "a0"]
    assert ids((await world.trace("a3")).trace.sub_actions) == ["a4"]


async def test_parents_that_go_round_in_a_circle_or_are_unknown_end_the_chain(world: World) -> None:
    await world.act(action_id="a", parent_action_id="c")
    await world.act(action_id="b", parent_action_id="a")
    await world.act(action_id="c", parent_action_id="b")
    assert ids((await world.trace("a")).trace.parent_chain) == ["c", "b"]
    await world.act(action_id="self", parent_action_id="self")
    found = (await world.trace("self")).trace
    assert (found.parent_chain, found.sub_actions) == ([], [])
    await world.act(action_id="orphan", parent_action_id="nobody")
    assert (await world.trace("orphan")).trace.parent_chain == []


async def test_related_actions_are_the_same_agents_within_the_hour(world: World) -> None:
    early = await world.act(agent_id="bot")
    world.clock.turn(HOUR)
    parent = await world.act(agent_id="bot")
    await world.act(agent_id="other")
    action = await world.act(agent_id="bot", parent_action_id=parent.action_id)
    sub = await world.act(agent_id="bot", parent_action_id=action.action_id)
    near = await world.act(agent_id="bot", parent_action_id=parent.action_id)
    world.clock.turn(HOUR - MINUTE)
    late = await world.act(agent_id="bot")
    world.clock.turn(2 * MINUTE)
    await world.act(agent_id="bot")
    found = (await world.trace(action)).trace
    assert early.timestamp_start < action.timestamp_start - timedelta(hours=1)
    assert (ids(found.parent_chain), ids(found.sub_actions)) == ([parent.action_id], [sub.action_id])
    assert ids(found.related_actions) == [late.action_id, near.action_id]


async def test_of_many_related_actions_the_newest_twenty(world: World) -> None:
    made = [await world.act(agent_id="bot") for _ in range(24)]
    assert (
        ids((await world.trace(made[10])).trace.related_actions)
        == [each.action_id for each in reversed(made) if each is not made[10]][:20]
    )


async def test_without_an_agent_nothing_is_related(world: World) -> None:
    await world.act()
    assert (await world.trace(await world.act())).trace.related_actions == []


async def test_a_bound_key_sees_no_other_agents_rows(world: World) -> None:
    bot = world.somebody(agent_id="bot")
    boss = await world.act(agent_id="boss")
    action = await world.act(bot, parent_action_id=boss.action_id)
    mine = await world.act(bot, parent_action_id=action.action_id)
    theirs = await world.act(agent_id="helper", parent_action_id=action.action_id)
    found = (await world.trace(action, bot)).trace
    assert (found.parent_chain, ids(found.sub_actions)) == ([], [mine.action_id])
    everything = (await world.trace(action)).trace
    assert ids(everything.parent_chain) == [boss.action_id]
    assert ids(everything.sub_actions) == [mine.action_id, theirs.action_id]
    async with refused(Code.ACTION_NOT_FOUND):
        await world.trace(boss, bot)


async def test_organizations_with_the_same_ids_do_not_meet(world: World) -> None:
    other = await world.stranger()
    for by, what in ((world.admin, "mine"), (other, "theirs")):
        await world.act(by, action_id="a", agent_id="bot", declared_goal=what)
        await world.act(by, action_id="b", agent_id="bot", declared_goal=what, parent_action_id="a")
        await world.act(by, action_id="c", agent_id="bot", declared_goal=what, parent_action_id="b")
        await world.act(by, action_id="d", agent_id="bot", declared_goal=what)
        await world.believe("b", by, assumption=what)
        await world.report("b", by, status="failed", error_message=what)
    for by, what in ((world.admin, "mine"), (other, "theirs")):
        found = (await world.trace("b", by)).trace
        around = [*found.parent_chain, *found.sub_actions, *found.related_actions]
        assert [(each.action_id, each.declared_goal) for each in around] == [("a", what), ("c", what), ("d", what)]
        assert [item.assumption for item in found.assumptions.items] == [what]
        assert [change.changed["error_message"] for change in found.changes] == [what]
    async with refused(Code.ACTION_NOT_FOUND):
        await world.trace("unknown")
    only_mine = await world.act()
    async with refused(Code.ACTION_NOT_FOUND):
        await world.trace(only_mine, other)


async def test_an_invalidated_assumption_before_and_after_the_failure(world: World) -> None:
    action = await world.act()
    early, late = [await world.believe(action, assumption=text) for text in ("early", "late")]
    await world.judge(early, False, "it bounced")
    await world.report(action, status="failed")
    assert [(cause.severity, cause.count) for cause in await world.causes(action)] == [("high", 1)]
    await world.judge(late, False, "no such order")
    causes = await world.causes(action)
    assert [(cause.type, cause.severity) for cause in causes] == [
        ("invalidated_assumption", "high"),
        ("invalidated_assumption", "medium"),
    ]
    assert [cause.detail[0]["assumption_id"] for cause in causes] == [early.assumption_id, late.assumption_id]
    # It did not fail after all: the correction takes the hints away, and stays in the trace.
    await world.report(action, status="completed")
    assert await world.causes(action) == []


async def test_failures_of_the_same_agent_and_type_repeat_themselves(world: World) -> None:
    too_old = await world.failed(agent_id="bot")
    world.clock.turn(DAY)
    counted = [await world.failed(agent_id="bot") for _ in range(2)]
    await world.failed(agent_id="bot", action_type="mail")
    await world.failed(agent_id="other")
    await world.failed()
    await world.report(await world.act(agent_id="bot"), status="completed")
    action = await world.failed(agent_id="bot")
    assert await world.causes(action) == []
    counted.append(await world.failed(agent_id="bot"))
    action = await world.failed(agent_id="bot")
    (cause,) = await world.causes(action)
    assert (cause.type, cause.severity, cause.count) == ("repeated_failure", "medium", 4)
    counted.insert(2, (await world.trace(counted[-1])).action)
    named = {row["action_id"] for row in cause.detail}
    assert {each.action_id for each in counted} < named
    assert too_old.action_id not in named
    assert action.action_id not in named


async def test_a_policy_that_changed_meanwhile(world: World) -> None:
    policy = await world.policy("risk_threshold", {"threshold": 0, "action": "warn"})
    action = await world.act()
    assert action.decision == "warn"
    await world.service.policies.update(world.admin, policy.policy_id, PolicyChange(active=False))
    other = await world.stranger()
    await world.service.policies.delete(other, world.service.policies.state.list(other.org_id)[0].policy_id)
    await world.report(action, status="failed")
    await world.service.policies.delete(world.admin, policy.policy_id)
    (cause,) = await world.causes(action)
    assert (cause.type, cause.severity, cause.count) == ("policy_changed", "medium", 1)
    assert [(row["policy_id"], row["event"], row["matched"]) for row in cause.detail] == [
        (policy.policy_id, "policy.updated", True)
    ]


async def test_denied_expired_and_blocked(world: World) -> None:
    await world.policy("require_approval", {"action_types": ["refund"]})
    policy = await world.policy("block_action_type", {"action_types": ["wire"]})
    denied, expired = await world.act(), await world.act()
    await world.decide(denied, "deny", world.operator("Ann"), why="too much")
    world.clock.turn(25 * HOUR)
    await world.service.approvals.expire_overdue()
    found = await world.trace(denied)
    assert found.approval is not None
    assert (found.approval.state, found.approval.decided_by) == ("denied", "Ann")
    assert [(change.kind, change.by, change.changed["status"]) for change in found.trace.changes] == [
        ("denial", "Ann", "cancelled")
    ]
    (cause,) = found.trace.root_cause_indicators
    assert (cause.type, cause.severity, cause.detail[0]["reasoning"]) == ("approval_denied", "high", "too much")
    (cause,) = await world.causes(expired)
    assert (cause.type, cause.detail[0]["approval_id"]) == ("approval_expired", expired.approval_id)
    attempt = await world.blocked(action_type="wire")
    found = await world.trace(attempt.extras["action"]["action_id"])
    assert isinstance(found.decision, GuardResult)
    (cause,) = found.trace.root_cause_indicators
    assert cause.type == "blocked_by_policy"
    assert cause.detail == [
        {
            "decision_id": found.decision.decision_id,
            "reason": found.decision.reason,
            "matched_policies": [policy.policy_id],
        }
    ]


async def test_the_trace_is_the_same_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        parent = await world.act(agent_id="bot")
        action = await world.act(agent_id="bot", parent_action_id=parent.action_id)
        await world.believe(action)
        world.clock.turn(SECOND)
        await world.report(action, status="failed")
        before = await world.trace(action)
        clock = world.clock
    async with opened(tmp_path, clock) as world:
        assert await world.trace(action) == before
