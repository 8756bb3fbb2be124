"""The steps of a session, as its page and whoever asks for them see them, on a real data folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.control.flow_steps import FlowStep, FlowSteps, FlowStepsQuery
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.clock import moment
from assent_service.control.flows.rows import flow_id_of
from assent_service.core.principal import Principal
from assent_service.core.rows import write_cursor
from tests.service.control.actions.world import World, opened, refused
from tests.service.control.flows.test_flows import IBAN, PROSE, RUN, flowing, pay, read_the_bill, take_off, tell


async def steps(world: World, by: Principal | None = None, flow_id: str | None = None, **members: Any) -> FlowSteps:
    query = msgspec.convert(members, FlowStepsQuery)
    return await world.service.flows.steps(by or world.admin, flow_id or flow_id_of(world.org_id, RUN), query)


def outline(found: FlowSteps) -> list[str]:
    """Each step in a word or two."""
    asked = [f"{each.asked.action_type}: {each.asked.decision}" if each.asked else "" for each in found.steps]
    told = [f"{each.told.kind} {each.told.tool}".strip() if each.told else "" for each in found.steps]
    return [one or other for one, other in zip(asked, told, strict=True)]


async def test_a_session_is_steps_of_what_was_told_and_asked_in_their_order(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await flowing(world)
        await pay(world, session_id="another one")
        await read_the_bill(world)
        created = await world.create(
            action_type="send_money", parameters={"recipient": IBAN}, session_id=RUN, declared_goal="Pay the bill"
        )
        await pay(world, action_type="get_balance", parameters={"account": IBAN})
        await take_off(world, "untrusted_seen")
        await tell(world, session_id="inside", parent_session_id=RUN, tool="get_contact", result={"name": "Dora"})
        await pay(world, session_id="inside")
        await pay(world, session_id="never told", parent_session_id=RUN, padding="x" * 5000)
        found = await steps(world)
        assert outline(found) == [
            *("user", "result read_file", "send_money: require_approval", "get_balance: allow", "removal"),
            *("result get_contact", "send_money: require_approval", "send_money: require_approval"),
        ]
        assert (found.total, found.missing, found.flow.told, found.flow.complete) == (8, 0, 4, True)
        asked = [each.asked for each in found.steps if each.asked is not None]
        assert (asked[0].action_id, asked[0].status, asked[0].approval) == (
            created.action.action_id,
            "pending_approval",
            "awaiting",
        )
        assert asked[0].flow is not None
        assert [(each.path, each.origin, each.free_call) for each in asked[0].flow.values] == [("recipient", "free", 1)]
        assert asked[0].context is not None
        assert asked[0].context["parameters"] == {"recipient": IBAN}
        assert (asked[1].action_id, asked[1].status, asked[1].approval) == (None, None, None)
        assert [each.session_id for each in asked[2:]] == ["inside", "never told"]
        assert asked[3].context is None, "it is long"
        told = [each.told for each in found.steps if each.told is not None]
        assert [(each.number, each.call, each.text, each.labels) for each in told] == [
            *((1, 0, False, []), (2, 1, True, ["untrusted_seen"]), (3, 1, False, ["untrusted_seen"])),
            (4, 2, False, []),
        ]
        assert (told[2].reason, told[3].session_id) == ("The file is our own.", "inside")
        inner = await steps(world, flow_id=flow_id_of(world.org_id, "inside"))
        assert (inner.flow, outline(inner)) == (found.flow, outline(found)), (
            "a session inside is told into the outermost"
        )
        assert (found.before, found.next_cursor) == (0, None)
    async with opened(tmp_path) as world:
        assert outline(await steps(world)) == outline(found), "also after a restart"


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("apart", [0, 1_000_000])
async def test_steps_are_paged_from_the_last_to_the_first(world: World, limit: int, apart: int) -> None:
    """Also where all of them are of one moment."""
    await flowing(world)
    for number in range(4):
        await tell(world, user_text=f"Pay {number}")
        world.clock.turn(apart)
        await pay(world, to=f"dora {number}")
        await pay(world, to=f"bob {number}")
        world.clock.turn(apart)
    whole = await steps(world)
    assert (whole.before, whole.next_cursor, whole.total) == (0, None, 12)
    found: list[FlowStep] = []
    cursor: str | None = None
    while True:
        page = await steps(world, limit=limit, cursor=cursor)
        assert (page.total, page.missing, len(page.steps)) == (12, 0, min(limit, 12 - len(found)))
        found = [*page.steps, *found]
        assert page.before == 12 - len(found)
        cursor = page.next_cursor
        if cursor is None:
            break
    assert found == whole.steps


@pytest.mark.parametrize("cursor", [write_cursor(moment(0), "told x"), write_cursor(moment(0), "other 1"), "x"])
async def test_a_cursor_that_is_none_of_ours_is_refused(world: World, cursor: str) -> None:
    await tell(world, user_text="Look")
    async with refused(Code.INVALID_QUERY):
        await steps(world, cursor=cursor)


async def test_steps_of_what_was_erased_are_missing_and_counted(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await tell(world, user_text="Please pay the bill in bill.txt")
        created = await world.create(action_type="read_file", session_id=RUN, status="completed")
        await tell(world, tool="read_file", arguments=["path"], result=PROSE, action_id=created.action.action_id)
        erased = await world.http("POST", f"/api/actions/{created.action.action_id}/erase", {"reason": "asked for"})
        assert erased.status_code == 200, erased.text
        found = await steps(world)
        assert outline(found) == ["user"]
        assert (found.missing, found.flow.complete, found.flow.labels) == (1, False, ["untrusted_seen"])


async def test_a_key_of_an_agent_sees_the_steps_of_its_own_sessions(world: World) -> None:
    await flowing(world)
    reader = world.somebody(Role.AGENT, "reader", "reader")
    await tell(world, by=reader, user_text="Look")
    await pay(world, by=reader)
    assert outline(await steps(world, by=reader)) == ["user", "send_money: allow"]
    for by, flow_id in ((world.somebody(Role.AGENT, "payer", "payer"), None), (world.admin, "fl_" + "0" * 32)):
        async with refused(Code.FLOW_NOT_FOUND):
            await steps(world, by=by, flow_id=flow_id)


async def test_a_step_says_which_key_told_it_and_as_which_agent(world: World) -> None:
    pool = world.somebody(name="pool")
    await tell(world, pool, agent_id="clerk", user_text="Look")
    await tell(world, world.somebody(Role.AGENT, "clerk", "clerk"), user_text="Look again")
    inner = {"session_id": "inside", "parent_session_id": RUN}
    await tell(world, pool, agent_id="reader", tool="get_contact", result={"name": "Dora"}, **inner)
    found = await steps(world)
    told = [(each.told.by, each.told.agent_id) for each in found.steps if each.told is not None]
    assert told == [("key_pool", "clerk"), ("key_clerk", "clerk"), ("key_pool", "reader")]
    assert (found.flow.created_by, found.flow.agent_id) == ("key_pool", "clerk")
