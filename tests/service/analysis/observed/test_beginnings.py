"""The numbers of one policy are those of the policy that would be enforced: of its present rules, since it observes by
them. Counted by hand."""

from __future__ import annotations

from typing import Any

import pytest

from assent.contract.analysis.observed import ObservingPolicy
from assent.contract.control.guard import Decision
from assent.contract.control.policies import Mode, PolicyChange
from tests.service.analysis.observed.test_observed import listed, observe
from tests.service.control.actions.world import DAY, World

REFUNDS: dict[str, Any] = {"action_types": ["refund"]}


async def guarded(world: World, n: int, **call: Any) -> None:
    for _ in range(n):
        await world.guard(**call)


async def only(world: World, **query: Any) -> ObservingPolicy:
    (found,) = (await listed(world, **query)).policies
    return found


def numbers(count: ObservingPolicy) -> tuple[int, int, int, int, int]:
    return count.n, count.warned, count.asked, count.blocked, count.earlier


async def test_edited_rules_begin_anew_and_a_new_name_does_not(world: World) -> None:
    policy = await observe(world, "Limit", "risk_threshold", {"threshold": 50, "action": "block"})
    await guarded(world, 4, risk_score=60)
    narrower = PolicyChange(rules={"threshold": 80, "action": "block"})
    edited = await world.service.policies.update(world.admin, policy.policy_id, narrower)
    await guarded(world, 2, risk_score=60)
    await world.service.policies.update(world.admin, policy.policy_id, PolicyChange(name="Upper limit"))
    await guarded(world, 1, risk_score=90)
    count = await only(world)
    assert (count.name, numbers(count), count.observes_since) == ("Upper limit", (3, 0, 0, 1, 4), edited.updated_at)
    assert count.would_decide is Decision.BLOCK
    alone = await listed(world, policy_id=policy.policy_id)
    assert (alone.total, alone.n, alone.blocked) == (5, 7, 5), "the list keeps the older rows"
    assert [each.earlier for row in alone.decisions for each in row.policies] == [False, True, True, True, True]
    assert alone.policies[0] == count
    back = PolicyChange(rules={"threshold": 50, "action": "block"})
    await world.service.policies.update(world.admin, policy.policy_id, back)
    assert numbers(await only(world)) == (0, 0, 0, 0, 5), "the same rules as once, and a break between"


@pytest.mark.parametrize(
    ("off", "on"),
    [
        (PolicyChange(active=False), PolicyChange(active=True)),
        (PolicyChange(mode=Mode.ENFORCE), PolicyChange(mode=Mode.OBSERVE)),
        (PolicyChange(agent_ids=("a",)), PolicyChange(agent_ids=())),
    ],
)
async def test_a_break_begins_anew(world: World, off: PolicyChange, on: PolicyChange) -> None:
    policy = await observe(world, "No refunds", "block_action_type", REFUNDS)
    await guarded(world, 3)
    await world.service.policies.update(world.admin, policy.policy_id, off)
    await guarded(world, 2, agent_id="b")  # enforced, it decides and would not have changed anything
    again = await world.service.policies.update(world.admin, policy.policy_id, on)
    await guarded(world, 1)
    await guarded(world, 4, action_type="note")
    count = await only(world)
    assert (numbers(count), count.observes_since) == ((5, 0, 0, 1, 3), again.updated_at)
    await world.service.policies.update(world.admin, policy.policy_id, PolicyChange(active=False))
    count = await only(world)
    assert (numbers(count), count.observes_since, count.observed) == ((0, 0, 0, 0, 4), None, True)


async def test_a_policy_is_not_counted_over_what_was_before_it(world: World) -> None:
    await guarded(world, 20)
    await observe(world, "No refunds", "block_action_type", REFUNDS)
    await guarded(world, 2)
    await guarded(world, 1, action_type="note", agent_id="a")
    found = await listed(world)
    assert (found.n, found.blocked, numbers(found.policies[0])) == (23, 2, (3, 0, 0, 2, 0))
    assert numbers(await only(world, agent_id="a")) == (1, 0, 0, 0, 0), "the same filters"
    world.clock.turn(8 * DAY)
    await guarded(world, 1)
    assert numbers(await only(world)) == (1, 0, 0, 1, 0), "the window, too"


async def test_a_policy_that_never_observed_is_named_where_it_is_asked_for(world: World) -> None:
    await observe(world, "No refunds", "block_action_type", REFUNDS)
    enforced = await world.policy("block_action_type", {"action_types": ["wire"]})
    await guarded(world, 2)
    found = await listed(world, policy_id=enforced.policy_id)
    first, other = found.policies
    assert (first.policy_id, first.observed, first.observes_since, numbers(first)) == (
        *(enforced.policy_id, False, None, (0, 0, 0, 0, 0)),
    )
    assert (other.stricter, found.total, found.sessions, found.decisions) == (2, 0, 0, [])


async def test_sessions_are_those_of_the_list(world: World) -> None:
    refunds = await observe(world, "No refunds", "block_action_type", REFUNDS)
    await observe(world, "No wires", "block_action_type", {"action_types": ["wire"]})
    for session_id in ("run 1", "run 1", "run 2"):
        await world.guard(session_id=session_id)
    await world.guard(session_id="run 3", action_type="wire")
    await world.guard(session_id="run 4", action_type="note")
    await world.guard()
    assert (await listed(world)).sessions == 3
    assert (await listed(world, policy_id=refunds.policy_id)).sessions == 2
    assert (await listed(world, session_id="run 1", limit=1)).sessions == 1
