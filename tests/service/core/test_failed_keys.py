"""How many keys that are not valid an address may try, on a clock of the test's own."""

from __future__ import annotations

from typing import Any

import pytest

from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.core import failed_keys
from assent_service.core.failed_keys import MOST_ADDRESSES, MOST_SUMS, OTHERS, FailedKeys, FailureSum


class Desk:
    """`tried` says how many seconds a failure from `address` has to wait, 0 for one that is answered 401."""

    def __init__(self, per_minute: int = 30) -> None:
        self.now = 1000.0
        self.failed = FailedKeys(per_minute=per_minute, tick=lambda: self.now, clock=lambda: int(self.now * 1e6))

    def tried(self, address: str) -> int:
        return self._asked(self.failed.count, address)

    def looked_up(self, address: str) -> int:
        return self._asked(self.failed.check, address)

    def _asked(self, ask: Any, address: str) -> int:
        try:
            ask({"client": (address, 4711), "headers": []})
        except Refusal as refusal:
            return int(refusal.extras["retry_after"])
        return 0


def test_an_address_has_a_few_dozen_a_minute_and_gets_them_back_evenly() -> None:
    desk = Desk()
    assert [desk.tried("192.0.2.1") for _ in range(31)] == [0] * 30 + [2], "30 a minute are one in two seconds"
    desk.now += 1.9
    assert desk.tried("192.0.2.1") == 1
    desk.now += 0.2
    assert [desk.tried("192.0.2.1") for _ in range(2)] == [0, 2], "what is refused costs nothing of what comes back"
    desk.now += 60
    assert [desk.tried("192.0.2.1") for _ in range(31)] == [0] * 30 + [2]
    desk.now += 86_400
    assert sum(desk.tried("192.0.2.1") == 0 for _ in range(100)) == 30, "no more than a minute's is saved up"


def test_all_addresses_together_have_four_times_as_many() -> None:
    desk = Desk()
    answers = [desk.tried(f"192.0.2.{number}") for number in range(200)]
    assert answers == [0] * 120 + [1] * 80, "120 a minute are one in half a second"
    assert desk.tried("198.51.100.1") == 1


def test_an_address_that_failed_never_is_not_slowed_by_another_ones_failures() -> None:
    desk = Desk()
    assert sum(desk.tried("192.0.2.1") == 0 for _ in range(1000)) == 30
    assert desk.tried("192.0.2.2") == 0


def test_addresses_of_one_ipv6_network_are_one() -> None:
    desk = Desk()
    assert sum(desk.tried(f"2001:db8:1:2::{number:x}") == 0 for number in range(1, 200)) == 30
    assert desk.tried("2001:db8:1:3::1") == 0
    assert list(desk.failed.sums()) == ["2001:db8:1:2::/64", "2001:db8:1:3::/64"]


def test_what_is_too_much_is_a_problem_of_its_own() -> None:
    failed = FailedKeys(per_minute=1, tick=lambda: 0.0)
    caller: Any = {"client": ("192.0.2.1", 1), "headers": []}
    failed.count(caller)
    with pytest.raises(Refusal) as refused:
        failed.count(caller)
    assert (refused.value.code, refused.value.status) == (Code.TOO_MANY_FAILED_KEYS, 429)
    assert refused.value.extras == {"retry_after": 60}


def test_what_can_be_guessed_is_not_looked_up_while_its_address_is_slowed() -> None:
    desk = Desk()
    assert desk.looked_up("192.0.2.1") == 0
    for _ in range(30):
        desk.tried("192.0.2.1")
    assert desk.looked_up("192.0.2.1") == 2
    assert desk.looked_up("192.0.2.2") == 0


def test_memory_is_bounded_however_many_addresses_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failed_keys, "MOST_ADDRESSES", 100)
    desk = Desk(per_minute=1_000_000)
    for number in range(1000):
        desk.tried(f"10.0.{number // 256}.{number % 256}")
        assert len(vars(desk.failed)["_by_address"]) <= 100
    assert MOST_ADDRESSES == 10_000
    sums = desk.failed.sums()
    assert len(sums) == MOST_SUMS + 1
    assert sums[OTHERS].failures == 1000 - MOST_SUMS


def test_sums_say_how_many_and_when_and_begin_anew() -> None:
    desk = Desk(per_minute=2)
    for _ in range(5):
        desk.tried("192.0.2.1")
        desk.now += 0.5
    taken = desk.failed.take()
    assert taken == {"192.0.2.1": FailureSum(1_000_000_000, 1_002_000_000, failures=5, refused=3)}
    assert desk.failed.sums() == {}
    desk.tried("192.0.2.1")
    desk.failed.put_back(taken)
    assert desk.failed.sums() == {"192.0.2.1": FailureSum(1_000_000_000, 1_002_500_000, failures=6, refused=4)}
