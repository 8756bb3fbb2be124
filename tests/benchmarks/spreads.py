"""How often the 95% intervals of shrunk rates hold the members' rates: `python -m tests.benchmarks.spreads
[--intervals 4000]`.

Goal: 94% to 96% in groups of 2 to 200 members that have 2 to 200 actions each. Their rates are drawn from beta
distributions that nobody is told. `known` takes the prior that the counts suggest for the truth.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from assent_analytics.shrinkage import among, population, prior, shrunk
from tests.benchmarks.bounds import clopper_pearson

SPREADS = ((8.0, 2.0), (2.0, 2.0), (40.0, 10.0), (0.6, 0.4))
"""The beta distributions of the rates."""
MEMBERS = (2, 3, 5, 10, 50, 200)
LOOKED_AT = 10
"""Members of a group whose intervals are counted."""


def covered(spread: tuple[float, float], members: int, groups: int, seed: int = 1) -> tuple[int, int, int]:
    """How many intervals hold the rate, of how many, and how many of those that take the prior as known."""
    random = np.random.default_rng(seed)
    hits = tried = known = 0
    for _ in range(groups):
        rates = random.beta(*spread, members)
        sizes = np.exp(random.uniform(np.log(2), np.log(201), members)).astype(np.int64)
        counts = list(zip(random.binomial(sizes, rates).tolist(), sizes.tolist(), strict=True))
        group, before = population(counts), prior(counts)
        for (k, n), rate in list(zip(counts, rates, strict=True))[:LOOKED_AT]:
            found, plugged = among(k, n, group), shrunk(k, n, before)
            hits += found.low <= rate <= found.high
            known += plugged.low <= rate <= plugged.high
            tried += 1
    return hits, tried, known


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="spreads")
    parser.add_argument("--intervals", type=int, default=4000, help="about so many for each row")
    each = parser.parse_args(arguments).intervals // len(SPREADS)
    print(f"{'members':>8}{'covered':>9}{'95% interval':>18}{'known':>8}   by beta distribution")
    for members in MEMBERS:
        found = [covered(spread, members, max(1, each // min(members, LOOKED_AT))) for spread in SPREADS]
        hits, tried, known = (sum(one[at] for one in found) for at in range(3))
        low, high = clopper_pearson(hits, tried)
        apart = ", ".join(f"{a:g}/{b:g} {one[0] / one[1]:.1%}" for (a, b), one in zip(SPREADS, found, strict=True))
        print(
            f"{members:8}{hits / tried:9.1%}{f'{low:.1%} to {high:.1%}':>18}{known / tried:8.1%}   {apart}", flush=True
        )


if __name__ == "__main__":
    main(sys.argv[1:])
