"""What flow policies leave alone while they observe. Counted by hand, and by enforcing the same policy."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent.contract.analysis.observed import ObservingPolicy
from assent.contract.control.flows import TellFlow
from assent.contract.control.guard import Decision, Source
from assent.contract.control.policies import Mode, PolicyChange
from assent_service.analysis.observed import untold
from tests.service.analysis.observed.test_observed import IBAN, PAYS, PROSE, listed, observe
from tests.service.control.actions.world import World

READS: dict[str, Any] = {"action_type": "read_file", "parameters": {"path": "bill.txt"}}
DELETES: dict[str, Any] = {"action_type": "delete_file", "parameters": {"path": "bill.txt"}}


async def tell(world: World, session_id: str, user: str) -> None:
    for said in ({"user_text": user}, {"tool": "read_file", "arguments": ["path"], "result": PROSE}):
        await world.service.flows.tell(world.admin, msgspec.convert(said | {"session_id": session_id}, TellFlow))


async def a_day(world: World) -> list[Decision]:
    """Ten calls of told sessions, five of which pay whom only a text names, and 90 of sessions that were told nothing:
    40 write, half of them without a session, and 50 read."""
    decisions = list[Decision]()
    await tell(world, "told", "Please pay the bill")
    await tell(world, "named", f"Please pay 3 to {IBAN}")
    for _ in range(5):
        decisions.append((await world.guard(**PAYS, session_id="told")).decision)
        decisions.append((await world.guard(**PAYS, session_id="named")).decision)
    for number in range(20):
        decisions.append((await world.guard(**PAYS, session_id=f"run {number}")).decision)
        decisions.append((await world.guard(**DELETES)).decision)
    for number in range(50):
        decisions.append((await world.guard(**READS, session_id=f"run {number}")).decision)
    return decisions


def left_alone(count: ObservingPolicy) -> tuple[int, int | None, int]:
    return count.untold, count.untold_writes, count.untold_unknown


async def test_what_observing_leaves_alone_is_what_enforcing_asks_beyond(world: World) -> None:
    policy = await observe(world, "Origins", "flow", {})
    assert set(await a_day(world)) == {Decision.ALLOW}
    (count,) = (await listed(world)).policies
    assert (count.n, count.asked, count.would_decide) == (100, 5, Decision.REQUIRE_APPROVAL)
    assert left_alone(count) == (90, 40, 0)
    await world.service.policies.update(world.admin, policy.policy_id, PolicyChange(mode=Mode.ENFORCE))
    assert (await a_day(world)).count(Decision.REQUIRE_APPROVAL) == 45
    (count,) = (await listed(world)).policies
    assert left_alone(count) == (0, 0, 0), "it does not observe"


async def test_filters_agents_and_decisions_that_are_stricter_anyhow(world: World) -> None:
    await world.guard(**PAYS, agent_id="a")  # before it observes
    await observe(world, "Origins", "flow", {}, agent_ids=["A", "c"])
    await world.policy("block_action_type", {"action_types": ["delete_file"]})
    await world.guard(**PAYS, agent_id="a", session_id="run 1")
    await world.guard(**PAYS, agent_id="c")
    await world.guard(**PAYS, agent_id="b")
    await world.guard(**DELETES, agent_id="a")  # blocked: nothing is asked beyond
    await world.guard(**PAYS, agent_id="a", source=Source.IMPORT)  # nothing is known of history
    await world.service.halts.halt(world.admin, "stop")
    await world.guard(**PAYS, agent_id="a")  # nobody looked at anything
    (count,) = (await listed(world)).policies
    assert left_alone(count) == (3, 2, 0)
    (count,) = (await listed(world, session_id="run 1")).policies
    assert left_alone(count) == (1, 1, 0)
    (count,) = (await listed(world, agent_id="C")).policies
    assert left_alone(count) == (1, 1, 0)


async def test_tools_are_what_the_pack_says_once_it_is_enforced(world: World) -> None:
    said = {"tools": {"send_money": {"effect": "read"}, "ledger": {"effect": "none"}, "look_at": {"effect": "send"}}}
    await observe(world, "Origins", "flow", {"pack": said, "action": "block"})
    await observe(world, "Ledgers", "flow", {"action": "warn"}, agent_ids=["nobody"])
    for tool in ("send_money", "ledger", "look_at", "unheard_of"):
        await world.guard(action_type="x", metadata={"tool": tool})
    found = {each.name: each for each in (await listed(world)).policies}
    assert left_alone(found["Origins"]) == (4, 2, 0), "look_at and unheard_of"
    assert left_alone(found["Ledgers"]) == (0, 0, 0)
    await observe(world, "Refunds", "flow", {"when": {"tool": "refund"}})
    await observe(world, "No flow", "block_action_type", {"action_types": ["ledger"]})
    await world.guard(action_type="x", metadata={"tool": "ledger"})
    found = {each.name: each for each in (await listed(world)).policies}
    assert left_alone(found["Refunds"]) == (1, None, 0)
    assert left_alone(found["No flow"]) == (0, 0, 0)


async def test_what_is_beyond_the_bound_is_unknown(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untold, "MOST_GROUPS", 2)
    await observe(world, "Origins", "flow", {})
    for tool in ("send_money", "send_money", "send_money", "send_mail", "send_mail", "read_file", "send_fax"):
        await world.guard(action_type=tool, parameters={"b": 1, "a": 2} if tool == "send_mail" else {})
    (count,) = (await listed(world)).policies
    assert left_alone(count) == (7, 5, 2)


async def test_what_other_observing_policies_say_of_tools_is_named_while_none_is_enforced(world: World) -> None:
    harmless = {"pack": {"tools": {"send_money": {"effect": "none"}}}}
    first = await observe(world, "Origins", "flow", {})
    second = await observe(world, "Ours", "flow", harmless)
    await observe(world, "Rules alone", "flow", {"pack": {"rules": {"conflict": False}}})
    await tell(world, "told", "Please pay the bill")
    assert (await world.guard(**PAYS, session_id="told")).would_decide is None, "it is read by the pack of Ours"

    async def named() -> dict[str, list[str]]:
        return {each.name: each.read_with for each in (await listed(world)).policies}

    assert await named() == {"Origins": ["Ours"], "Ours": [], "Rules alone": ["Ours"]}
    await world.service.policies.update(world.admin, first.policy_id, PolicyChange(mode=Mode.ENFORCE))
    assert (await world.guard(**PAYS, session_id="told")).decision is Decision.REQUIRE_APPROVAL
    assert set(map(tuple, (await named()).values())) == {()}
    await world.service.policies.update(world.admin, first.policy_id, PolicyChange(mode=Mode.OBSERVE))
    await world.service.policies.update(world.admin, second.policy_id, PolicyChange(active=False))
    assert (await named())["Origins"] == []
