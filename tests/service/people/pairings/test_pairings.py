"""Pairings from asking to approval or expiry: who may, what is recorded, what a restart remembers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from assent.contract.people.identities import Algorithm
from assent.contract.people.pairings import CreatePairing, Pairing, PairingsQuery, PairingState
from assent.contract.problems import Code
from assent_service.base.clock import moment
from assent_service.base.problem import Refusal
from assent_service.people import pairings as limits
from tests.service.control.actions.world import DAY, MINUTE, SECOND, World, opened, refused
from tests.service.people.identities.agents import Agent

LIFE = 15 * MINUTE


async def events(world: World, kind: str = "pairing") -> list[str]:
    return [event.type for event in await world.events(kind=kind)]


async def listed(world: World, status: PairingState = PairingState.PENDING, limit: int = 50) -> list[Pairing]:
    return await world.service.pairings.page(world.admin, PairingsQuery(status=status, limit=limit))


async def test_asking(world: World) -> None:
    agent = Agent(world)
    pairing = await agent.asks(agent_name="The bot")
    assert (pairing.status, pairing.agent_id, pairing.agent_name) == ("pending", "bot", "The bot")
    assert (pairing.id, pairing.algorithm, pairing.public_key) == (pairing.pairing_id, Algorithm.ED25519, agent.pem)
    assert (pairing.created_at, pairing.expires_at) == (moment(world.clock.now), moment(world.clock.now + LIFE))
    assert await listed(world) == [pairing]
    shown = msgspec.to_builtins(world.service.pairings.status(pairing.id))
    # Open to anybody who knows the id: no key, nothing of the organization.
    assert set(shown) == {
        *("id", "pairing_id", "agent_id", "agent_name", "algorithm"),
        *("status", "expires_at", "created_at", "updated_at"),
    }


async def test_asking_again_is_one_pairing_while_it_waits(world: World) -> None:
    agent = Agent(world)
    first, *others = await asyncio.gather(*(agent.asks() for _ in range(5)))
    assert others == [first] * 4
    assert (await Agent(world).asks()).id != first.id  # another key
    twin = Agent(world, "twin")
    twin.signer = agent.signer
    assert (await twin.asks()).id != first.id  # another agent
    world.clock.turn(LIFE)
    assert (await agent.asks()).id != first.id
    assert await events(world) == ["pairing.created"] * 4


async def test_approval_binds_the_key(world: World) -> None:
    agent, boss = Agent(world), world.admin
    pairing = await agent.asks(world.somebody(agent_id="bot"))
    assert (await agent.create()).verification == "unknown_key"
    approved = await world.service.pairings.approve(boss, pairing.id)
    now = moment(world.clock.now)
    assert (approved.pairing.status, approved.pairing.approved_by, approved.pairing.approved_at) == (
        "approved",
        boss.name,
        now,
    )
    assert (approved.identity.agent_id, approved.identity.fingerprint) == ("bot", pairing.fingerprint)
    assert (approved.identity.pairing_id, approved.identity.created_at) == (pairing.id, now)
    assert world.service.pairings.status(pairing.id).status == "approved"
    assert (await agent.create(declared_goal="now")).verified
    assert await listed(world) == []
    assert await listed(world, PairingState.APPROVED) == [approved.pairing]
    # One write: the identity and the pairing's change stand side by side.
    recorded = [event for event in await world.events() if event.type in ("identity.created", "pairing.updated")]
    assert [event.type for event in recorded] == ["identity.created", "pairing.updated"]
    assert recorded[1].n == recorded[0].n + 1


async def test_of_two_admins_one_approves(world: World) -> None:
    pairing = await Agent(world).asks()
    asked = [world.service.pairings.approve(world.admin, pairing.id) for _ in range(2)]
    results = await asyncio.gather(*asked, return_exceptions=True)
    refusals = [each for each in results if isinstance(each, Refusal)]
    assert [each.code for each in refusals] == [Code.PAIRING_DECIDED]
    assert world.admin.name in refusals[0].detail
    assert await events(world) == ["pairing.created", "pairing.updated"]
    async with refused(Code.PAIRING_DECIDED):
        await world.service.pairings.approve(world.admin, pairing.id)


async def test_a_new_pairing_replaces_the_key_and_lifts_a_revocation(world: World) -> None:
    old, new = Agent(world), Agent(world, algorithm=Algorithm.RSA)
    await old.registered()
    await world.service.identities.revoke(world.admin, "bot")
    pairing = await new.asks()
    identity = (await world.service.pairings.approve(world.admin, pairing.id)).identity
    assert (identity.revoked_at, identity.algorithm) == (None, Algorithm.RSA)
    assert (await new.create()).verified
    async with refused(Code.SIGNATURE_INVALID):
        await old.create()


async def test_time_passes(world: World) -> None:
    pairings = world.service.pairings
    pairing = await Agent(world).asks()
    world.clock.now = int(pairing.expires_at.timestamp() * 1_000_000) - 2000
    assert pairings.status(pairing.id).status == "pending"  # one microsecond of the clock's millisecond is left
    world.clock.turn(1000)
    expired = pairings.status(pairing.id)
    assert (expired.status, expired.updated_at) == ("expired", pairing.expires_at)
    assert await listed(world) == []
    async with refused(Code.PAIRING_EXPIRED):
        await pairings.approve(world.admin, pairing.id)
    assert await events(world) == ["pairing.created"]
    assert await pairings.expire_overdue() == 1
    assert await pairings.expire_overdue() == 0
    assert await events(world) == ["pairing.created", "pairing.updated"]
    assert pairings.status(pairing.id) == expired
    assert [each.status for each in await listed(world, PairingState.EXPIRED)] == ["expired"]


async def test_a_list_of_expired_ones_leaves_none_out_that_nobody_noticed(world: World) -> None:
    pairing = await Agent(world).asks()
    world.clock.turn(LIFE)
    assert [each.id for each in await listed(world, PairingState.EXPIRED)] == [pairing.id]


async def test_an_approved_pairing_does_not_expire(world: World) -> None:
    pairing = await Agent(world).asks()
    await world.service.pairings.approve(world.admin, pairing.id)
    world.clock.turn(DAY)
    assert await world.service.pairings.expire_overdue() == 0
    assert world.service.pairings.status(pairing.id).status == "approved"


async def test_what_cannot_be_recorded_is_tried_again(world: World) -> None:
    pairing = await Agent(world).asks()
    world.clock.turn(LIFE)
    files = world.break_disk()
    files.errors["write"] = 28
    assert await world.service.pairings.expire_overdue() == 0
    assert world.service.pairings.status(pairing.id).status == "expired"
    files.errors.clear()
    world.clock.turn(SECOND)
    assert await world.service.pairings.expire_overdue() == 1


async def test_another_organization_s_pairing_is_not_there(world: World) -> None:
    stranger = await world.stranger()
    pairing = await Agent(world).asks()
    for by, id_ in ((stranger, pairing.id), (world.admin, "pair_nobody")):
        async with refused(Code.PAIRING_NOT_FOUND):
            await world.service.pairings.approve(by, id_)
    async with refused(Code.PAIRING_NOT_FOUND):
        world.service.pairings.status("pair_nobody")
    assert await world.service.pairings.page(stranger, PairingsQuery()) == []
    assert world.service.pairings.status(pairing.id).status == "pending"


async def test_whose_key_it_is(world: World) -> None:
    pairings, agent = world.service.pairings, Agent(world)
    bound = world.somebody(agent_id="bot")
    said = CreatePairing(public_key=agent.pem, algorithm=Algorithm.ED25519)
    assert (await pairings.create(bound, said)).agent_id == "bot"
    async with refused(Code.AGENT_MISMATCH):
        await Agent(world, "other").asks(bound)
    async with refused(Code.INVALID_BODY) as nameless:
        await pairings.create(world.admin, said)
    assert [error.place for error in nameless.value.errors] == ["agent_id"]


async def test_no_more_wait_than_may(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "WAITING_AT_MOST", 3)
    agents = [Agent(world, f"bot-{number}") for number in range(4)]
    waiting = [await agent.asks() for agent in agents[:3]]
    async with refused(Code.TOO_MANY_PAIRINGS):
        await agents[3].asks()
    assert await agents[0].asks() == waiting[0]
    await world.service.pairings.approve(world.admin, waiting[0].id)
    await agents[3].asks()
    # Those whose time has passed do not count, noticed or not; nor do those of others.
    world.clock.turn(LIFE)
    for agent in agents[:3]:
        await agent.asks()
    await agents[0].asks(await world.stranger())


async def test_one_agent_cannot_keep_the_others_from_asking(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "WAITING_OF_AGENT", 2)
    keys = [Agent(world, "bot") for _ in range(3)]
    waiting = [await agent.asks() for agent in keys[:2]]
    async with refused(Code.TOO_MANY_PAIRINGS):
        await keys[2].asks()
    assert await keys[0].asks() == waiting[0]
    assert (await Agent(world, "other").asks()).agent_id == "other"
    world.clock.turn(LIFE)
    assert (await keys[2].asks()).status == "pending"


async def test_pages_are_newest_first(world: World) -> None:
    ids = [(await Agent(world, f"bot-{number}").asks()).id for number in range(5)]
    assert [each.id for each in await listed(world, limit=3)] == ids[:1:-1]
    for id_ in ids:
        await world.service.pairings.approve(world.admin, id_)
    assert [each.id for each in await listed(world, PairingState.APPROVED, limit=2)] == ids[:2:-1]


@pytest.mark.parametrize("folded", [True, False], ids=["folded", "from the tables"])
async def test_a_restart_goes_on_where_it_was(tmp_path: Path, folded: bool) -> None:
    async with opened(tmp_path) as world:
        waiting, approved, late = [Agent(world, name) for name in ("waiting", "approved", "late")]
        old = await late.asks()
        world.clock.turn(LIFE)
        await world.service.pairings.expire_overdue()
        done, open_ = await approved.asks(), await waiting.asks()
        await world.service.pairings.approve(world.admin, done.id)
        ids = (old.id, done.id, open_.id)
        told = [world.service.pairings.status(id_) for id_ in ids]
        if not folded:
            await world.service.ledger.caught_up()
        clock = world.clock
    if folded:
        (tmp_path / "tables.duckdb").unlink()
    async with opened(tmp_path, clock) as world:
        assert [world.service.pairings.status(id_) for id_ in ids] == told
        assert await listed(world) == [open_]
        clock.turn(LIFE)
        assert await world.service.pairings.expire_overdue() == 1


@pytest.mark.parametrize("minutes", [0.5, 60])
async def test_how_long_one_waits_is_a_setting(tmp_path: Path, minutes: float) -> None:
    async with opened(tmp_path, pairing_minutes=minutes) as world:
        pairing = await Agent(world).asks()
        assert (pairing.expires_at - pairing.created_at).total_seconds() == minutes * 60
