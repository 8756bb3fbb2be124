"""Keys that are not valid, counted: too many of them are answered 429 instead of 401.

- Every address has as many failures a minute as the setting `failed_keys_per_minute` says, and all addresses together
  four times as many (`TOGETHER`). Both are buckets that fill evenly: a rest gives as much as was rested for. Addresses
  are counted by `group_of`, IPv6 ones by their network.
- A valid key is let through whatever its address has done: who shares an address with somebody who guesses (behind one
  proxy, or with an agent that repeats a revoked key) must not be locked out by them. The answers would tell a guesser
  the right key among wrong ones, and are no help: keys that the service makes hold 256 random bits.
- What is shorter than an admin key has to be (`admin_key.SHORTEST`) can be guessed, and no new key is so short. Such a
  text is not even looked up while its address is slowed: an old key of that kind is worth no more tries than the limits
  allow.
- Nothing of a key is kept: neither its text nor a digest of it.

Memory is bounded: the `MOST_ADDRESSES` newest buckets, and sums of `MOST_SUMS` addresses until they are recorded; what
comes from further ones is counted under `OTHERS`.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from assent.contract.problems import Code
from assent_service.base.clock import Clock, system_clock
from assent_service.base.problem import Refusal, refuse
from assent_service.core.caller import Callers, group_of

if TYPE_CHECKING:
    from litestar.types import Scope

PER_MINUTE = 30
TOGETHER = 4
MOST_ADDRESSES = 10_000
MOST_SUMS = 32
OTHERS = "others"


class FailureSum(msgspec.Struct):
    """Failures from one address: how many, how many of those were answered 429, the first and last in microseconds."""

    first: int
    last: int
    failures: int = 0
    refused: int = 0


class _Bucket(msgspec.Struct):
    left: float
    at: float


class FailedKeys:
    """`per_minute` failures for each address. `tick` gives seconds that never go back, `clock` the time of sums."""

    def __init__(
        self,
        callers: Callers | None = None,
        per_minute: int = PER_MINUTE,
        *,
        tick: Callable[[], float] = time.monotonic,
        clock: Clock = system_clock,
    ) -> None:
        self._callers, self._tick, self._clock = callers or Callers(), tick, clock
        self._most = per_minute
        self._by_address: OrderedDict[str, _Bucket] = OrderedDict()
        self._all = _Bucket(per_minute * TOGETHER, tick())
        self._sums: dict[str, FailureSum] = {}

    def check(self, scope: Scope) -> None:
        """Raises `too_many_failed_keys` while the caller's address, or all together, have no failure left."""
        address = group_of(self._callers.address(scope))
        wait = self._wait(address, self._tick())
        if wait > 0:
            self._add(address, refused=True)
            raise _slowed(wait)

    def count(self, scope: Scope) -> None:
        """Count one failure. Raises `too_many_failed_keys` where it is one too many."""
        address, now = group_of(self._callers.address(scope)), self._tick()
        wait = self._wait(address, now)
        self._add(address, refused=wait > 0)
        if wait > 0:
            raise _slowed(wait)
        self._by_address[address].left -= 1
        self._all.left -= 1

    def sums(self) -> dict[str, FailureSum]:
        """What has failed since `take` was called last, by address."""
        return self._sums

    def take(self) -> dict[str, FailureSum]:
        """The sums by address, which begin anew."""
        taken, self._sums = self._sums, {}
        return taken

    def put_back(self, taken: dict[str, FailureSum]) -> None:
        """Sums that could not be recorded; they are taken together with the newer ones the next time."""
        for address, each in taken.items():
            known = self._sum(address, each.first)
            known.first, known.last = min(known.first, each.first), max(known.last, each.last)
            known.failures += each.failures
            known.refused += each.refused

    def _wait(self, address: str, now: float) -> float:
        """Seconds until there is a failure left; 0 when there is one now."""
        bucket = self._by_address.get(address)
        if bucket is None:
            if len(self._by_address) >= MOST_ADDRESSES:
                self._by_address.popitem(last=False)
            bucket = self._by_address[address] = _Bucket(self._most, now)
        else:
            self._by_address.move_to_end(address)
        return max(_missing(bucket, self._most, now), _missing(self._all, self._most * TOGETHER, now))

    def _add(self, address: str, *, refused: bool) -> None:
        now = self._clock()
        known = self._sum(address, now)
        known.last = now
        known.failures += 1
        known.refused += refused

    def _sum(self, address: str, now: int) -> FailureSum:
        name = address if address in self._sums or len(self._sums) < MOST_SUMS else OTHERS
        return self._sums.setdefault(name, FailureSum(now, now))


def _missing(bucket: _Bucket, most: int, now: float) -> float:
    """Fill the bucket up to now; seconds until it holds a whole one."""
    bucket.left = min(most, bucket.left + (now - bucket.at) * most / 60)
    bucket.at = now
    return max(0.0, (1 - bucket.left) * 60 / most)


def _slowed(wait: float) -> Refusal:
    seconds = math.ceil(wait)
    return refuse(
        Code.TOO_MANY_FAILED_KEYS,
        f"Too many requests with an API key that is not valid came from this address, or from all together; the next "
        f"one is looked at in {seconds} s. A valid key is not slowed: check the header x-api-key.",
        retry_after=seconds,
    )
