"""Ids of ours: made at their time, and never twice."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

from assent_service.base.clock import AT_ONCE, minted, new_id

NOW = 1_772_442_000_123_456


def test_an_id_is_a_uuid_of_version_7_of_its_millisecond() -> None:
    made = new_id("act_", NOW)
    assert minted(made) == NOW // 1000 * 1000
    assert (len(made), made[:4], made[16], made[20] in "89ab") == (36, "act_", "7", True)


def test_no_two_are_alike_whoever_asks() -> None:
    with ThreadPoolExecutor(8) as pool:
        made = [
            each for part in pool.map(lambda _: [new_id("", NOW) for _ in range(AT_ONCE)], range(40)) for each in part
        ]
    assert len(set(made)) == 40 * AT_ONCE


def test_a_process_that_was_forked_makes_others() -> None:
    new_id("", NOW)  # so that there are some to share
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, "\n".join(new_id("", NOW) for _ in range(AT_ONCE)).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answered:
        theirs = answered.read().split()
    os.waitpid(child, 0)
    ours = [new_id("", NOW) for _ in range(AT_ONCE)]
    assert len(theirs) == AT_ONCE
    assert not set(theirs) & set(ours)


def test_every_random_bit_is_used() -> None:
    ones = 0
    for _ in range(4 * AT_ONCE):
        value = int(new_id("", NOW), 16)
        ones |= (value >> 64 & 0xFFF) << 62 | value & (1 << 62) - 1
    assert ones == (1 << 74) - 1
