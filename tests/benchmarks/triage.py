"""Whether triage keeps its promise, what it saves, and what a small alpha costs.

python -m tests.benchmarks.triage [--streams 1000] [--length 10000] [--room 10] [--delay 5] [--only NAME ...] [--audits]

1. Streams of `length` requests from worlds in which it is known what is harmful. Of five, four have a risk below 50.
   How harmful what is below and above is, and when that changes, says each world of `WORLDS`; some answer to what
   triage has done. Harmless ones are known `delay` requests later, harmful ones 40; of what passed nobody ever learns.
2. `broken`: streams in which at some time more than max(alpha * passed, room) harmful actions had passed, which is what
   is promised together with delta; with the upper end of Clopper and Pearson's interval (95%, one-sided).
3. `above`: streams in which at some time from the 1,000th that passed on more than alpha of all that passed so far was
   harmful; the same interval. With a room of alpha * 1,000 that is the promise, too; with a larger one it is not
   promised.
4. `wrong`: streams in which something passed below a threshold of which alpha or more was harmful all along.
5. `fewer`: the share of requests that passed; mean, and the 5th and 95th of a hundred streams. `rate`: harmful ones of
   all that passed, in all streams. `alarms`: a stream. `first`: the median request that passed first.
6. `--audits`: how many audits certify a threshold, by alpha and how many of them are harmful; and by room the first
   audit share, and how many have to have passed until no more than every tenth is audited, if no audit is harmful.
"""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from statistics import fmean, median
from time import process_time

import numpy as np

from assent_analytics.beta import beta_quantile
from assent_analytics.triage import SPARE, Answer, Plan, Triage, audits_needed, passed_bound

ALPHA, DELTA = 0.01, 0.05
BORDER, BELOW = 50.0, 0.8
HARMFUL_AFTER = 40
FROM = 1000
Harm = Callable[[int, float, Triage, int], float]
"""The probability that a request is harmful: its number, its risk, the triage so far, how many passed in all."""


@dataclass(frozen=True)
class World:
    """`make` draws the harm of one stream from a generator and a length; `flat`: alpha or more is harmful all along."""

    make: Callable[[np.random.Generator, int], Harm]
    flat: bool = False


def steps(below: float, above: float = 0.2) -> World:
    return World(lambda random, n: lambda at, risk, triage, passed: below if risk < BORDER else above)


def gradual(random: np.random.Generator, n: int) -> Harm:
    """Odds rise by e in 8 points of risk: 0.02% at 20, 0.7% at 50, 22% at 80."""
    return lambda at, risk, triage, passed: 1 / (1 + exp((90 - risk) / 8))


def flat(share: float) -> World:
    return World(lambda random, n: lambda at, risk, triage, passed: share, flat=True)


def jump(to: float) -> World:
    """What is below becomes more harmful for good, at any time of the middle of the stream."""

    def make(random: np.random.Generator, n: int) -> Harm:
        when = int(random.integers(n // 5, 4 * n // 5))
        return lambda at, risk, triage, passed: (0.001 if at < when else to) if risk < BORDER else 0.2

    return World(make)


def creep(random: np.random.Generator, n: int) -> Harm:
    """What is below becomes more harmful by little and little, from 0.1% to 5%."""
    return lambda at, risk, triage, passed: 0.001 * 50 ** (at / n) if risk < BORDER else 0.2


def waves(random: np.random.Generator, n: int) -> Harm:
    """What is below has 0.05% and 2.5% in turn, 1,000 requests each."""
    return lambda at, risk, triage, passed: (0.0005 if at // 1000 % 2 == 0 else 0.025) if risk < BORDER else 0.2


def lying(random: np.random.Generator, n: int) -> Harm:
    """From a moment on what is risky says that it is not: above and below have the same share."""
    when = int(random.integers(n // 5, 4 * n // 5))
    return lambda at, risk, triage, passed: 0.041 if at >= when else 0.001 if risk < BORDER else 0.2


def waiting(random: np.random.Generator, n: int) -> Harm:
    """An adversary: harmless until something passes, and from then on all is harmful until an alarm."""
    return lambda at, risk, triage, passed: float(passed > 0 and not triage.fallen_back)


def saving(random: np.random.Generator, n: int) -> Harm:
    """An adversary: harmless until 2,000 have passed, then all is harmful."""
    return lambda at, risk, triage, passed: float(passed >= 2000)


WORLDS = {
    "separates": steps(0.001),
    "separates a little": steps(0.003),
    "gradual": World(gradual),
    "flat, 5 %": flat(0.05),
    "flat, alpha": flat(ALPHA),
    "jump to 3 %": jump(0.03),
    "jump to 20 %": jump(0.2),
    "creep": World(creep),
    "waves": World(waves),
    "lying": World(lying),
    "adversary at once": World(waiting),
    "adversary who saves": World(saving),
}


@dataclass(frozen=True)
class Told:
    """What became of one stream."""

    passed: int
    harmful: int
    broken: bool
    above: bool
    alarms: int
    first: int | None


@lru_cache(maxsize=1)
def _keys(n: int) -> list[str]:
    return [str(each) for each in range(n)]


def run(plan: Plan, harm: Harm, random: np.random.Generator, n: int, delay: int) -> Told:
    """One stream."""
    triage = Triage(plan)
    low = random.random(n) < BELOW
    scores = np.where(low, random.random(n) * BORDER, BORDER + random.random(n) * (100 - BORDER)).tolist()
    luck, draws = random.random(n).tolist(), random.random(n).tolist()
    good, bad, keys = deque[int](), deque[int](), _keys(n)
    passed = harmful = 0
    broken = above = False
    first: int | None = None
    for at in range(n):
        while good and good[0] <= at - delay:
            triage.learn(keys[good.popleft()], harmful=False)
        while bad and bad[0] <= at - max(delay, HARMFUL_AFTER):
            triage.learn(keys[bad.popleft()], harmful=True)
        score = scores[at]
        is_harmful = luck[at] < harm(at, score, triage, passed)
        if triage.decide(keys[at], score, draws[at]).answer is not Answer.ALLOW:
            (bad if is_harmful else good).append(at)
            continue
        first = at if first is None else first
        passed, harmful = passed + 1, harmful + is_harmful
        broken = broken or harmful > plan.budget(passed)
        above = above or (passed >= FROM and harmful > plan.alpha * passed)
    return Told(passed, harmful, broken, above, len(triage.status().alarms), first)


def highest(hits: int, n: int) -> float:
    """The upper end of Clopper and Pearson's interval (95%, one-sided)."""
    return 1.0 if hits == n else beta_quantile(0.95, hits + 1, n - hits)


def _line(name: str, world: World, told: list[Told], length: int) -> str:
    n = len(told)
    fewer = sorted(each.passed / length for each in told)
    passed, harmful = sum(each.passed for each in told), sum(each.harmful for each in told)
    firsts = [each.first for each in told if each.first is not None]
    wrong = sum(each.first is not None for each in told) if world.flat else None

    def share(hits: int | None) -> str:
        return "" if hits is None else f"{hits} ({100 * highest(hits, n):.1f} %)"

    return " | ".join(
        [
            f"| {name}",
            share(sum(each.broken for each in told)),
            share(sum(each.above for each in told)),
            share(wrong),
            f"{100 * fmean(fewer):.1f} % ({100 * fewer[n // 20]:.0f} to {100 * fewer[-n // 20 - 1]:.0f})",
            f"{100 * harmful / passed:.2f} %" if passed else "",
            f"{fmean(each.alarms for each in told):.2f}",
            f"{median(firsts):.0f} |" if firsts else "never |",
        ]
    )


def _audits(delta: float) -> Iterator[str]:
    yield "| alpha | 0 harmful | 1 | 2 | 5 |"
    yield "|---|---|---|---|---|"
    plan = Plan(alpha=ALPHA, delta=delta)
    bet = plan.delta_of(0)
    for alpha in (0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001):
        needed = " | ".join(f"{audits_needed(alpha, bet / plan.starts, harmful):,}" for harmful in (0, 1, 2, 5))
        yield f"| {100 * alpha:g} % | {needed} |"
    yield "| room | first share | passed until 10 % at alpha 10 % | 1 % | 0.1 % |"
    yield "|---|---|---|---|---|"
    for room in (5, 10, 20, 50, 100):
        first = next(each for each in plan.shares() if passed_bound(SPARE, (1 - each) / each, bet) <= room)
        tenth = max(room, passed_bound(SPARE, 9, bet))
        yield f"| {room} | {100 * first:g} % | {tenth / 0.1:,.0f} | {tenth / 0.01:,.0f} | {tenth / 0.001:,.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--length", type=int, default=10_000)
    parser.add_argument("--room", type=int, default=10)
    parser.add_argument("--delay", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=list(WORLDS))
    parser.add_argument("--audits", action="store_true")
    given = parser.parse_args()
    if given.audits:
        print("\n".join(_audits(DELTA)))
        return
    print(
        f"{given.streams} streams of {given.length} requests, alpha {ALPHA}, delta {DELTA}, room {given.room}, "
        f"harmless ones known {given.delay} later",
        flush=True,
    )
    print("| world | broken | above | wrong | fewer | rate | alarms | first |\n|---|---|---|---|---|---|---|---|")
    for name in given.only:
        world, begin = WORLDS[name], process_time()
        random = np.random.default_rng([list(WORLDS).index(name), given.length])
        plan = Plan(alpha=ALPHA, delta=DELTA, room=given.room)
        told = [
            run(plan, world.make(random, given.length), random, given.length, given.delay) for _ in range(given.streams)
        ]
        print(_line(name, world, told, given.length), flush=True)
        print(f"<!-- {process_time() - begin:.0f} s of processor time -->", flush=True)


if __name__ == "__main__":
    main()
