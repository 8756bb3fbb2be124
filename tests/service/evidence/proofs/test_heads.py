"""Signed tree heads: when a new one is signed, by which key, and what is kept."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assent.contract.problems import Code
from assent.proof.jwk import load_jwk
from assent.proof.note import verify_checkpoint
from assent_service.base.problem import refuse
from assent_service.evidence.proofs.heads import HeadWithSigner
from assent_service.store.heads import HeadStore as StoredHeads
from tests.service.control.actions.world import MINUTE, World, opened, refused


def kept(home: Path, org_id: str) -> list[int]:
    return [head.size for head in StoredHeads(home).all(org_id)]


async def test_a_head_is_of_the_whole_log_signed_by_the_wallet_and_kept(world: World, tmp_path: Path) -> None:
    await world.act()
    signed = await world.service.proofs.heads.newest(world.org_id)
    events = await world.events()
    assert signed.head.size == len(events), "the key that signs is among them"
    assert events[-1].type == "signing_key.created"
    assert signed.head.root == world.service.ledger.tree.root(world.org_id, len(events)).hex()
    checkpoint = verify_checkpoint(signed.head.checkpoint, load_jwk(signed.signer.jwk))
    assert (checkpoint.origin, checkpoint.size) == (f"assent.local/{world.org_id}", signed.head.size)
    assert signed.head.kid == signed.signer.kid
    assert kept(tmp_path, world.org_id) == [signed.head.size]


async def test_the_same_head_is_given_out_until_it_is_old_or_does_not_reach(world: World, tmp_path: Path) -> None:
    heads = world.service.proofs.heads
    first = await heads.newest(world.org_id)
    await world.act()
    assert (await heads.newest(world.org_id)).head == first.head, "young enough"
    covering = await heads.newest(world.org_id, first.head.size + 1)
    assert covering.head.size == first.head.size + 2, "decision and action"
    await world.act()
    world.clock.turn(5 * MINUTE)
    assert (await heads.newest(world.org_id)).head.size == covering.head.size + 2
    assert kept(tmp_path, world.org_id) == [first.head.size, covering.head.size, covering.head.size + 2]


async def test_an_old_head_of_a_log_that_has_not_grown_is_good(world: World) -> None:
    heads = world.service.proofs.heads
    first = await heads.newest(world.org_id)
    world.clock.turn(60 * MINUTE)
    assert (await heads.newest(world.org_id)).head == first.head


async def test_after_a_rotation_the_next_head_is_by_the_new_key(world: World) -> None:
    heads, wallet = world.service.proofs.heads, world.service.wallet
    first = await heads.newest(world.org_id)
    rotated = await wallet.rotate(world.admin, "yearly")
    after = await heads.newest(world.org_id)
    assert (first.head.kid, after.head.kid) == (first.signer.kid, rotated.key.kid)
    assert after.head.size > first.head.size


async def test_a_head_of_an_earlier_size_is_the_earlier_tree(world: World, tmp_path: Path) -> None:
    heads = world.service.proofs.heads
    early = (await heads.newest(world.org_id)).head
    await world.act()
    late = (await heads.newest(world.org_id, early.size + 1)).head
    assert (await heads.of_size(world.org_id, early.size)).head == early, "it was kept"
    other = (await heads.of_size(world.org_id, early.size - 1)).head
    assert other.root == world.service.ledger.tree.root(world.org_id, early.size - 1).hex()
    assert kept(tmp_path, world.org_id) == [early.size, late.size]


async def test_a_size_that_the_log_has_not_reached_is_refused(world: World) -> None:
    heads = world.service.proofs.heads
    size = (await heads.newest(world.org_id)).head.size
    for wrong in (0, size + 1):
        async with refused(Code.INVALID_QUERY) as found:
            await heads.of_size(world.org_id, wrong)
        assert f"1 to {size}" in found.value.detail


async def test_heads_of_two_organizations_have_nothing_in_common(world: World) -> None:
    stranger = await world.stranger()
    one = (await world.service.proofs.heads.newest(world.org_id)).head
    other = (await world.service.proofs.heads.newest(stranger.org_id)).head
    assert one.origin != other.origin
    assert one.root != other.root
    assert one.kid != other.kid


async def test_a_stop_signs_what_came_since_the_last_head(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        first = (await world.service.proofs.heads.newest(world.org_id)).head
        await world.act()
        await world.service.proofs.stop()
        assert kept(tmp_path, world.org_id) == [first.size, first.size + 2]


async def test_a_stop_makes_no_key_where_nothing_was_ever_signed(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await world.act()
        before = len(await world.events())
        await world.service.proofs.stop()
        assert len(await world.events()) == before
        assert kept(tmp_path, world.org_id) == []


async def test_heads_outlive_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        before = (await world.service.proofs.heads.newest(world.org_id)).head
        clock = world.clock
    async with opened(tmp_path, clock) as world:
        assert (await world.service.proofs.heads.newest(world.org_id)).head == before


async def test_heads_that_do_not_keep_up_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One look that fails is weather; the second in a row is told, until a head is signed again."""
    async with opened(tmp_path, head_seconds=0.05) as world:
        heads = world.service.proofs.heads
        newest, looks, signed = heads.newest, asyncio.Semaphore(0), asyncio.Event()

        async def fails(org_id: str, covering: int = 1) -> HeadWithSigner:
            looks.release()
            raise refuse(Code.WALLET_UNAVAILABLE, "The key is gone.")

        async def signs(org_id: str, covering: int = 1) -> HeadWithSigner:
            head = await newest(org_id, covering)
            signed.set()
            return head

        await world.act()
        monkeypatch.setattr(heads, "newest", fails)
        await heads.start()
        assert heads.inspect().status == "pass"
        async with asyncio.timeout(60):
            for _ in range(3):
                await looks.acquire()
        found = heads.inspect()
        assert (found.name, found.status) == ("heads", "warn")
        assert found.detail.startswith("The newest signed tree head of one organization has been behind the log for ")
        assert world.org_id not in found.detail
        monkeypatch.setattr(heads, "newest", signs)
        async with asyncio.timeout(60):
            await signed.wait()
        await heads.stop()
        assert heads.inspect().status == "pass"
