"""Registering, replacing and revoking; what is recorded of it, and what a restart remembers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.people.identities import Algorithm, RegisterIdentity
from assent.contract.problems import Code
from assent.proof.public_key import fingerprint
from assent_service.base.clock import moment
from tests.service.control.actions.world import SECOND, World, opened, refused
from tests.service.people.identities.agents import Agent


async def events(world: World) -> list[str]:
    return [event.type for event in await world.events(kind="identity")]


async def test_an_agent_has_one_identity(world: World) -> None:
    agent, service = Agent(world), world.service
    first = await agent.registered()
    assert (first.agent_id, first.algorithm, first.public_key) == ("bot", Algorithm.ED25519, agent.pem)
    assert first.fingerprint == fingerprint(service.identities.state.key(first))
    assert (first.pairing_id, first.revoked_at, first.registered_by) == (None, None, world.admin.key_id)
    assert await agent.registered() == first
    assert await events(world) == ["identity.created"]
    successor = Agent(world, algorithm=Algorithm.RSA)
    second = await successor.registered()
    assert (second.identity_id, second.created_at) == (first.identity_id, first.created_at)
    assert (second.algorithm, second.fingerprint != first.fingerprint) == (Algorithm.RSA, True)
    assert second.updated_at > first.updated_at
    assert service.identities.all(world.admin) == [second]
    assert await events(world) == ["identity.created", "identity.updated"]


async def test_revoking_is_at_once_and_registering_again_lifts_it(world: World) -> None:
    agent, identities = Agent(world), world.service.identities
    before = await agent.registered()
    world.clock.turn(SECOND)
    revoked = await identities.revoke(world.admin, "bot")
    assert (revoked.revoked_at, revoked.revoked_by) == (moment(world.clock.now), world.admin.key_id)
    assert await identities.revoke(world.admin, "bot") == revoked
    assert identities.all(world.admin) == [revoked]
    again = await agent.registered()
    assert (again.revoked_at, again.revoked_by, again.identity_id) == (None, None, before.identity_id)
    assert await events(world) == ["identity.created", "identity.updated", "identity.updated"]


async def test_whoever_has_none_cannot_lose_it(world: World) -> None:
    stranger = await world.stranger()
    await Agent(world).registered()
    for by, agent_id in ((world.admin, "nobody"), (stranger, "bot")):
        async with refused(Code.IDENTITY_NOT_FOUND):
            await world.service.identities.revoke(by, agent_id)
    assert world.service.identities.all(stranger) == []
    assert await Agent(world, "bot").registered(stranger) != (await Agent(world, "bot").registered())


async def test_one_key_for_two_at_once_is_one_identity(world: World) -> None:
    agent = Agent(world)
    found = await asyncio.gather(*(agent.registered() for _ in range(5)))
    assert len({each.identity_id for each in found}) == 1
    assert await events(world) == ["identity.created"]


@pytest.mark.parametrize("folded", [True, False], ids=["folded", "from the tables"])
async def test_a_restart_remembers_every_key(tmp_path: Path, folded: bool) -> None:
    async with opened(tmp_path) as world:
        bot, other = Agent(world), Agent(world, "other", Algorithm.RSA)
        await bot.registered()
        await other.registered()
        await world.service.identities.revoke(world.admin, "other")
        told = world.service.identities.all(world.admin)
        if not folded:
            await world.service.ledger.caught_up()
        clock = world.clock
    if folded:
        (tmp_path / "tables.duckdb").unlink()
    async with opened(tmp_path, clock) as world:
        assert world.service.identities.all(world.admin) == told
        bot.world = other.world = world
        assert (await bot.create()).verified
        assert (await other.create()).verification == "revoked"


@pytest.mark.parametrize(
    "said",
    [
        {"agent_id": "with space", "public_key": "x"},
        {"agent_id": "", "public_key": "x"},
        {"agent_id": "a/b", "public_key": "x"},
        {"agent_id": "bot", "public_key": ""},
        {"agent_id": "bot", "public_key": "x" * 20_000},
        {"agent_id": "bot", "public_key": "x", "algorithm": "RS256"},
        {"agent_id": "bot"},
    ],
    ids=str,
)
def test_what_the_body_cannot_be(said: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(said, RegisterIdentity)


async def test_a_key_that_is_no_good_is_refused_and_nothing_recorded(world: World) -> None:
    async with refused(Code.INVALID_PUBLIC_KEY) as found:
        await world.service.identities.register(world.admin, RegisterIdentity(agent_id="bot", public_key="secret"))
    assert [error.place for error in found.value.errors] == ["public_key"]
    assert "secret" not in found.value.detail
    assert await events(world) == []
