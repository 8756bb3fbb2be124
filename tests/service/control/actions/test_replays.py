"""Replays where memory is too small for what was signed within the day: the tables tell, and nobody is pushed out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from assent.contract.problems import Code
from assent_service.base.problem import refuse
from assent_service.control.actions import signature_memory as limits
from tests.service.control.actions.world import DAY, HOUR, World, opened, refused
from tests.service.people.identities.agents import Agent


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "EACH", 2)
    monkeypatch.setattr(limits, "SEEN", 3)


async def signed(agent: Agent, number: int) -> list[dict[str, Any]]:
    """As many creations, each signed and recorded."""
    bodies = [agent.body(declared_goal=f"{number} of {agent.agent_id}") for number in range(number)]
    for body in bodies:
        assert (await agent.send(body)).verified
    return bodies


def watched(world: World, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that the tables are asked about signatures from now on."""
    asked: list[str] = []
    read: Callable[..., Awaitable[Any]] = world.service.ledger.read

    async def reading(sql: str, *arguments: Any, **named: Any) -> Any:
        if "signature_digest" in sql:
            asked.append(sql)
        return await read(sql, *arguments, **named)

    monkeypatch.setattr(world.service.ledger, "read", reading)
    return asked


@pytest.mark.usefixtures("small")
async def test_what_memory_has_lost_is_no_news(world: World) -> None:
    agent = Agent(world)
    await agent.registered()
    bodies = await signed(agent, 6)
    assert world.service.actions.state.seen.size(world.org_id) == 2
    for body in bodies:
        assert (await agent.send(body)).verification == "replayed"
    world.clock.turn(DAY)
    assert (await agent.send(bodies[0])).verified


@pytest.mark.usefixtures("small")
async def test_what_memory_has_lost_is_refused_where_signatures_are_required(tmp_path: Path) -> None:
    async with opened(tmp_path, require_signatures=True) as strict:
        agent = Agent(strict)
        await agent.registered()
        for body in await signed(agent, 4):
            async with refused(Code.SIGNATURE_REPLAYED):
                await agent.send(body)
        assert len(await strict.events(kind="action.created")) == 4


@pytest.mark.usefixtures("small")
async def test_another_organization_pushes_nothing_out(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = await world.stranger()
    quiet, busy = Agent(world), Agent(world, "busy")
    await quiet.registered()
    await busy.registered(stranger)
    (body,) = await signed(quiet, 1)
    for number in range(8):
        assert (await busy.create(stranger, declared_goal=str(number))).verified
    asked = watched(world, monkeypatch)
    assert (await quiet.send(body)).verification == "replayed"
    assert (await quiet.create(declared_goal="another")).verified
    assert asked == [], "the quiet organization asks nothing of the tables"
    # What is asked of the busy one's is asked once for each, and of nobody's but the signed.
    assert (await busy.create(stranger, declared_goal="one more")).verified
    assert len(asked) == 1
    await world.act(stranger)
    assert len(asked) == 1


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("folded", [True, False], ids=["folded", "from the tables"])
async def test_a_restart_knows_what_it_could_not_load(tmp_path: Path, folded: bool) -> None:
    async with opened(tmp_path) as world:
        stranger = await world.stranger()
        busy, quiet = Agent(world), Agent(world, "quiet")
        await busy.registered()
        await quiet.registered(stranger)
        bodies = await signed(busy, 5)
        once = quiet.body()
        await quiet.send(once, stranger)
        if not folded:
            await world.service.ledger.caught_up()
        before = world.service.actions.state.seen
        told, clock = before.snapshot(), world.clock
        assert len(told) == 3
    if folded:
        (tmp_path / "tables.duckdb").unlink()
    async with opened(tmp_path, clock) as world:
        again = world.service.actions.state.seen
        assert again.snapshot() == told
        assert (again.partial(world.org_id), again.partial(stranger.org_id)) == (True, False)
        busy.world = quiet.world = world
        for body in bodies:
            assert (await busy.send(body)).verification == "replayed"
        assert (await quiet.send(once, stranger)).verification == "replayed"
        # The last one that was lost counts for a day like any other.
        clock.turn(DAY - HOUR)
        assert again.partial(world.org_id)


@pytest.mark.usefixtures("small")
async def test_where_the_tables_cannot_tell_nothing_is_verified(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = Agent(world)
    await agent.registered()
    lost, *_ = await signed(agent, 4)

    async def reading(*arguments: Any, **named: Any) -> Any:
        raise refuse(Code.PROJECTION_BEHIND, "The tables are behind.")

    fresh = agent.body(declared_goal="fresh")
    with monkeypatch.context() as broken:
        broken.setattr(world.service.ledger, "read", reading)
        for body in (lost, fresh):
            async with refused(Code.PROJECTION_BEHIND):
                await agent.send(body)
    assert (await agent.send(fresh)).verified, "what was refused was not seen"
    assert (await agent.send(lost)).verification == "replayed"


@pytest.mark.usefixtures("small")
async def test_two_at_once_and_a_revocation_while_the_tables_are_asked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Agent(world)
    await agent.registered()
    await signed(agent, 4)
    body = agent.body(declared_goal="fresh")
    found = await asyncio.gather(*(agent.send(body) for _ in range(3)))
    assert sorted(each.verification for each in found) == ["replayed", "replayed", "verified"]
    read: Callable[..., Awaitable[Any]] = world.service.ledger.read

    async def revoking(sql: str, *arguments: Any, **named: Any) -> Any:
        if "signature_digest" in sql:
            await world.service.identities.revoke(world.admin, agent.agent_id)
        return await read(sql, *arguments, **named)

    monkeypatch.setattr(world.service.ledger, "read", revoking)
    assert (await agent.create(declared_goal="late")).verification == "revoked"
