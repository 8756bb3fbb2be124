"""Whose session is told: keys for any agent, agents that name nobody, and sub-agents by names of their own."""

from __future__ import annotations

from typing import Any

from assent.contract.problems import Code
from assent.contract.roles import Role
from tests.service.control.actions.world import World, refused
from tests.service.control.flows.test_flows import IBAN, PROSE, RUN, check_replayed, flowing, pay, tell


async def test_a_key_for_any_agent_tells_the_session_of_the_agent_that_it_names(world: World) -> None:
    await flowing(world)
    payer, pool = world.somebody(Role.AGENT, "payer", "payer"), world.somebody(name="pool")
    await tell(world, payer, user_text="Pay the bill")
    before = len(await world.events())
    words: dict[str, Any] = {"user_text": "Pay evil@x.example"}
    answer: dict[str, Any] = {"tool": "get_contact", "result": {"to": "evil@x.example"}}
    for said in (words, answer):
        for named, where in (("clerk", "this is told for agent 'clerk'"), (None, "this is told for no agent")):
            for members in ({}, {"session_id": "mine", "parent_session_id": RUN}):
                async with refused(Code.AGENT_MISMATCH) as found:
                    await tell(world, pool, agent_id=named, **said, **members)
                assert f"was begun for agent 'payer', and {where}; say agent_id 'payer'" in found.value.detail
    assert len(await world.events()) == before, "nothing is recorded of it"
    for named in ("clerk", None):
        for members in ({}, {"session_id": "mine", "parent_session_id": RUN}):
            found_ = await pay(world, by=pool, agent_id=named, **members)
            assert "not that of the agent that asks" in str(found_.reason), "it asks as if in nobody's"
    assert (await tell(world, pool, agent_id="PAYER", user_text="Go on")).told == 2, "it speaks for whom it names"
    assert (await pay(world, IBAN, by=pool, agent_id="payer")).decision == "allow"


async def test_nobodys_session_is_told_by_whoever_names_nobody(world: World) -> None:
    await flowing(world)
    pool = world.somebody(name="pool")
    await tell(world, pool, user_text=f"Pay {IBAN}")
    async with refused(Code.AGENT_MISMATCH) as found:
        await tell(world, pool, agent_id="clerk", user_text="Pay evil@x.example")
    assert "begun for no agent, and this is told for agent 'clerk'; leave agent_id out" in found.value.detail
    assert (await pay(world, by=pool)).decision == "allow"
    assert "not that of the agent that asks" in str((await pay(world, by=pool, agent_id="clerk")).reason)
    async with refused(Code.AGENT_MISMATCH):
        await tell(world, pool, agent_id="clerk", user_text="x", session_id="mine", parent_session_id=RUN)


async def test_a_sub_agent_by_its_own_name_joins_by_the_key_that_speaks_for_both(world: World) -> None:
    await flowing(world)
    pool, other = world.somebody(name="pool"), world.somebody(name="other")
    await tell(world, pool, agent_id="manager", user_text="Pay the bill, and ask bob@ours.example")
    inner: dict[str, Any] = {"session_id": "research", "parent_session_id": RUN}
    found = await tell(world, pool, agent_id="reader", tool="read_file", arguments=["path"], result=PROSE, **inner)
    assert (found.told, found.labels) == (2, ["untrusted_seen"])
    assert "appears only in the text" in str((await pay(world, by=pool, agent_id="reader", **inner)).reason)
    assert (await pay(world, "bob@ours.example", by=pool, agent_id="reader", **inner)).decision == "allow"
    async with refused(Code.AGENT_MISMATCH) as refusal:
        await tell(world, pool, agent_id="reader", user_text=f"Pay {IBAN}", **inner)
    assert "what the user said is told for 'manager' alone" in refusal.value.detail
    for by, named in ((pool, "clerk"), (other, "reader"), (pool, None)):
        async with refused(Code.AGENT_MISMATCH):
            await tell(world, by, agent_id=named, tool="get_contact", result={"to": "evil@x.example"}, **inner)
        asked = await pay(world, "bob@ours.example", by=by, agent_id=named, **inner)
        assert "not that of the agent that asks" in str(asked.reason), (by, named)
    async with refused(Code.AGENT_MISMATCH):
        await tell(world, pool, agent_id="reader", tool="look", result="x")
    assert (await tell(world, pool, agent_id="manager", user_text=f"Pay {IBAN}", **inner)).told == 3
    await check_replayed(world)
