"""Fences and the locks that they name."""

from __future__ import annotations

import asyncio

import pytest

from assent_service.core.locks import ACTION_FENCE, EntityLocks, Fence, FenceName, fence_of

BENCH_FENCE = Fence("bench", "park", "bench")
SUN_FENCE = Fence("sun", everywhere=True)


def test_a_name_says_what_it_is_made_of() -> None:
    assert str(BENCH_FENCE) == "bench:{org}:{park}:{bench}"
    assert BENCH_FENCE.of("org_a", "north", "3") == "bench:org_a:north:3"
    assert (str(SUN_FENCE), SUN_FENCE.of()) == ("sun", "sun")


@pytest.mark.parametrize("name", [BENCH_FENCE.of("org_a", "a:b", "3"), SUN_FENCE.of(), ACTION_FENCE.of("org_a", "x")])
def test_a_name_leads_back_to_its_fence(name: FenceName) -> None:
    assert fence_of(name) in (BENCH_FENCE, SUN_FENCE, ACTION_FENCE)
    assert name.startswith(fence_of(name).name)


def test_a_name_takes_all_its_keys() -> None:
    with pytest.raises(ValueError, match=r"bench:\{org\}:\{park\}:\{bench\} takes 3 values, not 2"):
        BENCH_FENCE.of("org_a", "north")


def test_two_fences_of_one_name_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="there are two fences 'bench'"):
        Fence("bench")
    with pytest.raises(ValueError, match="lower-case letters and underscores, not 'a bench'"):
        Fence("a bench")


async def test_who_holds_a_name_is_alone_and_others_wait_in_turn() -> None:
    locks, order = EntityLocks(), list[str]()

    async def sit(who: str, *names: FenceName) -> None:
        async with locks.hold(*names):
            order.append(f"{who} sits")
            await asyncio.sleep(0)
            order.append(f"{who} goes")

    one, other = BENCH_FENCE.of("org_a", "north", "1"), BENCH_FENCE.of("org_a", "north", "2")
    await asyncio.gather(sit("a", one), sit("b", one, other), sit("c", other))
    assert order.index("b sits") > order.index("a goes")
    assert order.index("c sits") < order.index("a goes")


async def test_a_lock_is_free_again_after_an_error() -> None:
    locks, name = EntityLocks(), SUN_FENCE.of()
    with pytest.raises(RuntimeError, match="rain"):
        async with locks.hold(name):
            raise RuntimeError("rain")
    async with asyncio.timeout(20), locks.hold(name):
        pass
