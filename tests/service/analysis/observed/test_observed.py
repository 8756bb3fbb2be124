"""Which calls observing policies would have made stricter, in process on a clock of the test's own.

What is expected is counted by hand, call by call, and reasons are those that the same policies give once enforced.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from assent.contract.analysis.observed import ObservedDecisions, ObservedDecisionsQuery
from assent.contract.control.flows import TellFlow
from assent.contract.control.guard import Decision, Source
from assent.contract.control.policies import Mode, Policy, PolicyChange, PolicyDraft
from assent.contract.problems import Code
from assent_service.analysis.observed import ObservedCalls
from assent_service.base.problem import Refusal
from assent_service.core.principal import Principal
from tests.service.control.actions.world import DAY, World

IBAN = "DE89370400440532013000"
PROSE = f"Dear customer, kindly pay the open amount to {IBAN} this week, or write to eve@evil.example about it."
TYPES = ["refund", "wire", "note"]
PAYS: dict[str, Any] = {"action_type": "send_money", "parameters": {"recipient": IBAN, "amount": 3}, "risk_score": 1}


async def listed(world: World, by: Principal | None = None, **query: Any) -> ObservedDecisions:
    return await ObservedCalls(world.service.ledger, world.clock).list(
        by or world.admin, msgspec.convert(query, ObservedDecisionsQuery)
    )


async def observe(world: World, name: str, policy_type: str, rules: dict[str, Any], **members: Any) -> Policy:
    made = await world.policy(policy_type, rules, mode=Mode.OBSERVE, **members)
    return await world.service.policies.update(world.admin, made.policy_id, PolicyChange(name=name))


def counts(found: ObservedDecisions) -> dict[str, tuple[int, int, int]]:
    return {each.name: (each.warned, each.asked, each.blocked) for each in found.policies}


async def test_a_week_of_calls_counted_by_hand(world: World) -> None:
    asks = await observe(world, "Ask for refunds", "require_approval", {"action_types": ["refund"]})
    warns = await observe(world, "Warn from 50", "risk_threshold", {"threshold": 50, "action": "warn"})
    await observe(world, "No wires", "block_action_type", {"action_types": ["wire"]})
    await world.policy("risk_threshold", {"threshold": 70, "action": "require_approval"})
    await world.guard(agent_id="a", action_type="note", risk_score=10)  # nobody minds
    await world.guard(agent_id="a", action_type="note", risk_score=60)  # a warning
    await world.guard(agent_id="a", action_type="note", risk_score=75)  # asked anyway; the warning adds nothing
    await world.guard(agent_id="b", action_type="wire", risk_score=80)  # asked, and would have been blocked
    await world.guard(agent_id="b", action_type="refund", risk_score=10, session_id="s 1")  # asked
    opened_action = await world.act(agent_id="b", action_type="refund", risk_score=60)  # asked, and warned by the other
    found = await listed(world)
    assert (found.n, found.warned, found.asked, found.blocked, found.total) == (6, 1, 2, 1, 4)
    assert counts(found) == {"Warn from 50": (2, 0, 0), "Ask for refunds": (0, 2, 0), "No wires": (0, 0, 1)}
    assert [(each.name, each.n) for each in found.tools] == [("refund", 2), ("note", 1), ("wire", 1)]
    newest, refund, wire, note = found.decisions
    assert [(each.decision, each.would_decide) for each in found.decisions] == [
        (Decision.ALLOW, Decision.REQUIRE_APPROVAL),
        (Decision.ALLOW, Decision.REQUIRE_APPROVAL),
        (Decision.REQUIRE_APPROVAL, Decision.BLOCK),
        (Decision.ALLOW, Decision.WARN),
    ]
    assert [[(said.name, said.would_decide, said.reason) for said in each.policies] for each in (newest, wire)] == [
        [
            ("Ask for refunds", Decision.REQUIRE_APPROVAL, "actions of this type need approval"),
            ("Warn from 50", Decision.WARN, "the risk score is 50 or more"),
        ],
        # That it would be warned of, too, is milder than what was decided.
        [("No wires", Decision.BLOCK, "actions of this type are blocked")],
    ]
    assert (newest.action_id, refund.action_id) == (opened_action.action_id, None)
    assert (refund.session_id, note.agent_id) == ("s 1", "a")
    assert {each.policy_id for each in found.policies if each.observes_since is None} == set()
    only = await listed(world, policy_id=warns.policy_id)
    assert [each.decision_id for each in only.decisions] == [newest.decision_id, note.decision_id]
    assert (only.total, only.n, only.asked) == (2, 6, 2)
    assert (await listed(world, policy_id=asks.policy_id, agent_id="a")).total == 0
    assert (await listed(world, session_id="s 1")).decisions == [refund]
    first = await listed(world, limit=3)
    rest = await listed(world, limit=3, cursor=first.next_cursor)
    assert [*first.decisions, *rest.decisions] == found.decisions
    assert rest.next_cursor is None


async def test_a_policy_speaks_as_it_was_then(world: World) -> None:
    policy = await observe(world, "Limit", "risk_threshold", {"threshold": 20, "action": "warn"})
    await world.guard(risk_score=30)
    change = PolicyChange(name="Lower limit", rules={"threshold": 25, "action": "block"})
    await world.service.policies.update(world.admin, policy.policy_id, change)
    at = world.clock.moment
    await world.guard(risk_score=40)
    await world.service.policies.update(world.admin, policy.policy_id, PolicyChange(mode=Mode.ENFORCE))
    await world.guard(risk_score=50)
    found = await listed(world)
    assert [(row.would_decide, *((each.name, each.reason) for each in row.policies)) for row in found.decisions] == [
        (Decision.BLOCK, ("Lower limit", "the risk score is 25 or more")),
        (Decision.WARN, ("Limit", "the risk score is 20 or more")),
    ]
    (only,) = found.policies
    assert (only.name, only.observes_since, only.n, only.warned, only.blocked, only.earlier) == (
        *("Lower limit", None, 0, 0, 0, 2),
    )
    assert [each.earlier for row in found.decisions for each in row.policies] == [True, True]
    await world.service.policies.update(world.admin, policy.policy_id, PolicyChange(mode=Mode.OBSERVE))
    (again,) = (await listed(world)).policies
    assert again.observes_since is not None
    assert again.observes_since > at
    await world.service.policies.delete(world.admin, policy.policy_id, None)
    (gone,) = (await listed(world, policy_id=policy.policy_id)).policies
    assert (gone.observes_since, gone.stricter, gone.earlier) == (None, 0, 2)


async def test_a_flow_policy_says_which_value_from_where_goes_where(world: World) -> None:
    policy = await observe(world, "Origins", "flow", {})
    told: dict[str, Any] = {"session_id": "run 1"}
    for said in ({"user_text": "Please pay the bill"}, {"tool": "read_file", "arguments": ["path"], "result": PROSE}):
        await world.service.flows.tell(world.admin, msgspec.convert(told | said, TellFlow))
    assert (await world.guard(**PAYS, **told, metadata={"tool": "bank.pay"})).decision is Decision.ALLOW
    ((row,), (tool,)) = ((await listed(world)).decisions, (await listed(world)).tools)
    assert [each.reason for each in row.policies] == [
        "This account number (recipient) appears only in the text of what read_file answered, read in the step before; "
        "the user never named it."
    ]
    assert (row.tool, tool.name, tool.n) == ("bank.pay", "bank.pay", 1)
    # Enforced, the policy says the same.
    await world.service.policies.update(world.admin, policy.policy_id, PolicyChange(mode=Mode.ENFORCE))
    assert (await world.guard(**PAYS, **told)).reasons == [f"Origins: {row.policies[0].reason}"]


async def test_every_reason_is_the_one_that_enforcing_gives(world: World) -> None:
    """The same random policies and calls, observed in one organization and enforced in another."""
    chance, stranger = random.Random(7), await world.stranger()
    for policy in world.service.policies.state.list(stranger.org_id):
        await world.service.policies.delete(stranger, policy.policy_id, None)
    for number in range(8):
        policy_type, rules = drawn(chance, number)
        for by, mode in ((world.admin, Mode.OBSERVE), (stranger, Mode.ENFORCE)):
            draft = PolicyDraft(name=f"policy {number}", policy_type=policy_type, rules=rules, mode=mode)
            await world.service.policies.create(by, draft)
    expected: list[tuple[Decision, set[str]]] = []
    for _ in range(60):
        call: dict[str, Any] = {"action_type": chance.choice(TYPES), "region": chance.choice(TYPES)}
        call["risk_score"] = chance.randint(0, 99)
        assert (await world.guard(**call)).decision is Decision.ALLOW
        enforced = await world.guard(stranger, **call)
        if enforced.decision is not Decision.ALLOW:
            expected.append((enforced.decision, {*enforced.reasons, *enforced.warnings}))
    found = (await listed(world, limit=200)).decisions
    assert [
        (row.would_decide, {f"{each.name}: {each.reason}" for each in row.policies}) for row in reversed(found)
    ] == expected
    assert len(expected) > 30
    for count in (await listed(world)).policies:
        alone = await listed(world, policy_id=count.policy_id, limit=200)
        named = [each.would_decide for row in found for each in row.policies if each.policy_id == count.policy_id]
        assert (count.warned, count.asked, count.blocked) == tuple(named.count(each) for each in list(Decision)[1:])
        assert (len(alone.decisions), alone.total) == (len(named), len(named))
    nobody = await listed(world, stranger)
    assert (nobody.n, nobody.total, {each.observes_since for each in nobody.policies}) == (60, 0, set())


def drawn(chance: random.Random, number: int) -> tuple[str, dict[str, Any]]:
    action, kinds = chance.choice(["warn", "require_approval", "block"]), chance.sample(TYPES, 1 + number % 2)
    leaves = [{"field": "region", "op": "in", "value": kinds}, {"field": "risk_score", "op": "gte", "value": 9}]
    return (
        ("risk_threshold", {"threshold": 20 * number, "action": action}),
        ("condition", {"when": {"all": leaves}, "action": action}),
        ("known_types", {"action_types": kinds, "action": action}),
        ("require_approval", {"action_types": kinds}),
    )[number % 4]


async def test_a_reached_limit_a_webhook_and_an_organization_that_is_not_ones_own(world: World) -> None:
    limit = await observe(world, "Limit", "rate_limit", {"max_actions": 1, "window_minutes": 60, "action": "block"})
    await world.act(agent_id="a")
    await world.act(agent_id="a")
    (row,) = (await listed(world)).decisions
    assert [each.reason for each in row.policies] == ["1 or more actions in 60 minutes"]
    stranger = await world.stranger()
    theirs = await listed(world, stranger)
    assert (theirs.n, theirs.total) == (0, 0)
    assert limit.policy_id not in {each.policy_id for each in theirs.policies}
    with pytest.raises(Refusal) as refused:
        await listed(world, stranger, policy_id=limit.policy_id)
    assert refused.value.code is Code.POLICY_NOT_FOUND
    # A webhook that nobody answers stands for what it was told to, and no words of it are kept.
    url = "https://hook.invalid/"
    await observe(world, "Hook", "webhook_check", {"url": url, "timeout_ms": 1000, "on_timeout": "block"})
    await world.guard(agent_id="c")
    newest = (await listed(world)).decisions[0]
    assert (newest.would_decide, [(each.name, each.would_decide, each.reason) for each in newest.policies]) == (
        Decision.BLOCK,
        [("Hook", None, None)],
    )
    hook = newest.policies[0].policy_id
    only = await listed(world, policy_id=hook)
    assert [each.decision_id for each in only.decisions] == [newest.decision_id]
    assert counts(only) == {"Limit": (0, 0, 1), "Hook": (0, 0, 1)}


async def test_a_tool_is_what_the_request_calls_it(world: World) -> None:
    await observe(world, "All", "risk_threshold", {"threshold": 0, "action": "warn"})
    said: list[dict[str, Any]] = [
        {"metadata": {"tool": "bank.pay"}, "tool": "other"},
        {"metadata": {"tool": "  "}, "tool": "bank.pay"},
        {"metadata": {"tool": 7}, "tool_name": "crm"},
        {"tool": ["crm"]},
    ]
    for each in said:
        await world.guard(action_type="note", **each)
    found = await listed(world)
    assert [row.tool for row in reversed(found.decisions)] == ["bank.pay", "bank.pay", "crm", "note"]
    assert [(each.name, each.n) for each in found.tools] == [("bank.pay", 2), ("crm", 1), ("note", 1)]


async def test_windows(world: World) -> None:
    await observe(world, "All", "risk_threshold", {"threshold": 0, "action": "warn"})
    for _ in range(3):
        await world.guard(agent_id="a")
        world.clock.turn(4 * DAY)
    now = world.clock.moment
    made = [each.occurred_at for each in (await listed(world, window="30d")).decisions]
    assert len(made) == 3
    assert (await listed(world)).n == 1
    assert (await listed(world, since=made[1])).n == 2
    assert (await listed(world, until=made[1])).n == 2
    assert [each.occurred_at for each in (await listed(world, since=made[1], until=made[1])).decisions] == [made[1]]
    happened = now - timedelta(days=40)
    await world.guard(agent_id="a", source=Source.IMPORT, occurred_at=happened)
    before = await listed(world, window="60d", source=Source.IMPORT)
    assert (before.n, before.imported, before.total, before.simulated) == (1, 1, 1, 0)


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ({"window": "7"}, "window"),
        ({"window": "30d", "since": datetime(2026, 1, 1, tzinfo=UTC)}, "window"),
        ({"since": datetime(2026, 1, 2, tzinfo=UTC), "until": datetime(2026, 1, 1, tzinfo=UTC)}, "since"),
        ({"since": datetime(1990, 1, 1, tzinfo=UTC)}, "since"),
    ],
)
async def test_windows_that_are_none(world: World, query: dict[str, Any], place: str) -> None:
    with pytest.raises(Refusal) as refused:
        await listed(world, **query)
    assert (refused.value.code, [each.place for each in refused.value.errors]) == (Code.INVALID_QUERY, [place])
