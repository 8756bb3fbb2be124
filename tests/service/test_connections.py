"""Who has to go when there are too many connections, or when they take too long; a clock by hand, no sockets."""

from __future__ import annotations

import pytest

from assent.contract.problems import Code
from assent_service.connections import (
    KNOWN_SECONDS,
    LINGER,
    STALLED,
    ConnectionLimits,
    Connections,
    QueuePlace,
    limits_of,
)
from assent_service.core.caller import Callers
from assent_service.core.settings import Settings

HOME, STRANGER, OTHER = "192.0.2.1", "203.0.113.9", "203.0.113.10"


class Wire:
    """A connection that writes down what becomes of it."""

    place: QueuePlace

    def __init__(self, everyone: Connections, peer: str) -> None:
        self.said: list[str] = []
        self.waiting, self.held_up = 0, False
        self._everyone = everyone
        self.let_in = everyone.add(self, peer)

    def too_late(self, code: Code) -> None:
        self.said.append(code)

    def end(self) -> None:
        self.said.append("end")

    def drop(self) -> None:
        self.said.append("drop")

    def takes(self) -> int:
        return self.waiting

    def is_held_up(self) -> bool:
        return self.held_up

    def ask(self, *, key: bool = False) -> None:
        self._everyone.begin_answer(self)
        if key:
            self._everyone.admit(self)

    def rest(self) -> None:
        self._everyone.begin_rest(self)


class World:
    def __init__(self, proxies: tuple[str, ...] = (), *, most: int = 10, each: int = 100) -> None:
        self.now = 1000.0
        limits = ConnectionLimits(connections=most, per_address=each)
        self.everyone = Connections(limits, Callers(proxies), lambda: self.now)

    def opens(self, peer: str, times: int = 1) -> list[Wire]:
        return [Wire(self.everyone, peer) for _ in range(times)]

    def knows(self, peer: str) -> None:
        """A valid key comes from there, on a connection that ends."""
        wire = Wire(self.everyone, peer)
        wire.ask(key=True)
        self.everyone.remove(wire)

    async def after(self, seconds: float) -> None:
        self.now += seconds
        await self.everyone.sweep()


async def test_a_header_has_ten_seconds_whatever_comes_of_it_meanwhile() -> None:
    world = World()
    (silent, slow) = world.opens(STRANGER, 2)
    await world.after(9.9)
    world.everyone.begin_header(slow)
    assert silent.said == slow.said == []
    await world.after(0.1)
    assert silent.said == slow.said == [Code.HEADER_TIMEOUT]


async def test_a_header_on_an_open_connection_has_them_from_its_first_byte() -> None:
    world = World()
    (wire,) = world.opens(STRANGER)
    wire.ask()
    wire.rest()
    await world.after(60)
    world.everyone.begin_header(wire)
    await world.after(9.9)
    world.everyone.begin_header(wire)
    assert wire.said == []
    await world.after(0.2)
    assert wire.said == [Code.HEADER_TIMEOUT]


async def test_a_body_has_thirty_seconds_for_each_byte() -> None:
    world = World()
    (wire,) = world.opens(STRANGER)
    wire.ask()
    for _ in range(3):
        world.everyone.begin_body(wire)
        await world.after(29)
    assert wire.said == []
    await world.after(1)
    assert wire.said == [Code.BODY_TIMEOUT]


async def test_a_body_that_the_service_does_not_read_is_not_late() -> None:
    world = World()
    (wire,) = world.opens(STRANGER)
    wire.ask()
    world.everyone.begin_body(wire)
    wire.held_up = True
    await world.after(31)
    wire.held_up = False
    await world.after(29)
    assert wire.said == []
    await world.after(1)
    assert wire.said == [Code.BODY_TIMEOUT]


async def test_a_connection_at_rest_is_closed_and_one_that_is_answered_never() -> None:
    world = World()
    (resting, answered) = world.opens(STRANGER, 2)
    resting.ask()
    answered.ask()
    resting.rest()
    await world.after(74.9)
    assert resting.said == []
    await world.after(0.2)
    assert resting.said == ["end"]
    await world.after(10_000)
    assert answered.said == []


async def test_a_refused_connection_has_a_second_to_be_read() -> None:
    world = World()
    (wire,) = world.opens(STRANGER)
    world.everyone.begin_end(wire)
    await world.after(LINGER - 0.1)
    assert wire.said == []
    await world.after(0.1)
    assert wire.said == ["drop"]


async def test_a_reader_that_takes_nothing_is_cut_off_and_a_slow_one_is_not() -> None:
    world = World()
    (still, slow) = world.opens(STRANGER, 2)
    for wire in (still, slow):
        wire.ask()
        wire.waiting = 1_000_000
        world.everyone.stall(wire)
    for _ in range(3):
        slow.waiting -= 1
        await world.after(STALLED / 3)
    assert (still.said, slow.said) == (["drop"], [])
    world.everyone.flow(slow)
    await world.after(10 * STALLED)
    assert slow.said == []


async def test_when_all_are_taken_the_oldest_without_a_header_goes_first() -> None:
    world = World(most=10)
    wires = world.opens(STRANGER, 8)
    for wire in wires[:2]:
        wire.ask()
    wires[2].ask()
    wires[2].rest()
    (newcomer,) = world.opens(OTHER)
    assert newcomer.let_in
    assert [wire.said for wire in wires] == [[], [], [], ["drop"], [], [], [], []]
    # Then the oldest at rest, never one that is answered.
    for wire in (*wires[4:], newcomer):
        wire.ask()
    (second,) = world.opens(OTHER)
    assert second.let_in
    assert wires[2].said == ["drop"]
    second.ask()
    (third,) = world.opens(OTHER)
    assert not third.let_in
    assert wires[0].said == wires[1].said == []


async def test_a_fifth_is_kept_for_addresses_that_sent_a_valid_key() -> None:
    world = World(most=10)
    world.knows(HOME)
    strangers = world.opens(STRANGER, 8)
    for wire in strangers:
        wire.ask()
    assert not world.opens(OTHER)[0].let_in
    known = world.opens(HOME, 2)
    assert [wire.let_in for wire in known] == [True, True]


async def test_a_stranger_drives_out_nobody_who_is_known() -> None:
    world = World(most=10)
    world.knows(HOME)
    known = world.opens(HOME, 9)  # none of them with a header yet
    strangers = world.opens(STRANGER, 5)
    assert all(wire.let_in for wire in strangers[:1])
    assert [wire.said for wire in known] == [[]] * 9
    # Among themselves they do.
    assert [wire.said for wire in strangers] == [["drop"]] * 4 + [[]]
    # And somebody known drives out the strangers first.
    assert world.opens(HOME)[0].let_in
    assert strangers[-1].said == ["drop"]


async def test_an_address_is_known_for_ten_minutes_and_while_it_is_there() -> None:
    world = World(most=5)
    world.knows(HOME)
    world.now += KNOWN_SECONDS - 1
    for wire in world.opens(STRANGER, 4):
        wire.ask()
    (known,) = world.opens(HOME)
    assert known.let_in
    known.ask(key=True)
    world.now += 10 * KNOWN_SECONDS
    assert not known.place.stranger
    world.everyone.remove(known)
    world.now += KNOWN_SECONDS + 1
    assert not world.opens(HOME)[0].let_in


async def test_one_address_has_its_own_most_and_pays_with_its_own() -> None:
    world = World(most=100, each=3)
    others = world.opens(OTHER, 2)
    mine = world.opens(STRANGER, 3)
    assert world.opens(STRANGER)[0].let_in
    assert [wire.said for wire in mine] == [["drop"], [], []]
    assert [wire.said for wire in others] == [[], []]
    world = World(most=100, each=3)
    for wire in world.opens(STRANGER, 3):
        wire.ask()
    assert not world.opens(STRANGER)[0].let_in
    assert world.opens(OTHER)[0].let_in


def test_addresses_of_one_ipv6_network_are_one() -> None:
    world = World(most=100, each=2)
    for last in (1, 2):
        world.opens(f"2001:db8:1:2::{last}")[0].ask()
    assert not world.opens("2001:db8:1:2:ffff::1")[0].let_in
    assert world.opens("2001:db8:1:3::1")[0].let_in


def test_a_trusted_proxy_stands_for_many() -> None:
    world = World(("10.0.0.0/8",), most=100, each=2)
    wires = world.opens("10.0.0.1", 50)
    assert all(wire.let_in and not wire.said and not wire.place.stranger for wire in wires)


async def test_what_is_gone_is_not_counted() -> None:
    world = World(most=10)
    for _ in range(1000):
        for wire in world.opens(STRANGER, 3):
            world.everyone.remove(wire)
            world.everyone.remove(wire)
    assert (world.everyone.open, world.everyone.strangers) == (0, 0)
    assert all(wire.let_in for wire in world.opens(STRANGER, 8))


@pytest.mark.parametrize(
    ("files", "most", "each"), [(20_000, 10_000, 2_000), (1_024, 768, 768), (100, 16, 16)], ids=str
)
def test_the_most_follows_what_the_system_lets_a_process_open(files: int, most: int, each: int) -> None:
    limits = limits_of(Settings(), files)
    assert (limits.connections, limits.per_address) == (most, each)
