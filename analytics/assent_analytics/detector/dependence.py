"""How much a stream's values depend on those before them: the number of values that count as one.

Values that follow each other alike carry less than as many independent ones. With the long-run variance of a stationary
sequence of mean 0 and variance 1, tau = 1 + 2 (r_1 + r_2 + ...), the mean of n of them varies as that of n / tau
independent ones. Two estimates of it are taken from what was seen, both from differences, which a change of level
touches in one place only; the larger counts.

1. Short memory. The autocorrelations of lags 1 and 2 are r_k = (v - mean((x_t - x_(t-k))^2) / 2) / v, v being the mean
   square, and divided by no less than 0.5; with phi = r_2 / r_1, at most 0.97, tau = 1 + 2 r_1 / (1 - phi): the sum of
   a geometric series, as an autoregression of order 1 has it, or one with noise added (G. E. P. Box and G. M. Jenkins,
   Time Series Analysis, 1970). It counts in full from 2.5 standard errors 1 / sqrt(n) of r_1 on, not at all up to 1.5,
   and in proportion between.
2. Longer memory. The Haar coefficients (half a block's sum less the other half's) over blocks of 4, 8, ... 256 values,
   squared and divided by the block's length, are 1 on average for independent values and approach tau for blocks longer
   than the memory (D. B. Percival, "On estimation of the wavelet variance", Biometrika 82 (1995), 619-631). From short
   blocks to long ones, each estimate is a mean of its coefficients and 16 times the estimate before it. The newest
   coefficient of each length does not count yet, so that a change does not hide itself. The last estimate counts in
   full from 1.4 on, not at all up to 1.2, and in proportion between.
3. Ranks among few values are mostly noise. So tau of the first 32 values is estimated from the values themselves, by
   the rule of short memory around their mean, with the bias of -(1 + 3 r) / n taken out (M. G. Kendall, "Note on bias
   in the estimation of autocorrelation", Biometrika 41 (1954), 403-404), and counts until there are 256, if it is
   larger.
4. tau is raised to the power 1.5: it is 1 still where nothing depends on anything, and where something does, an
   estimate from few values is rather too large than too small.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt

LEVELS = 8
POWER = 1.5
EVERY, LATER = 8, 4
"""Values after which tau is estimated anew, and after how many turns an estimate counts: a change is not to hide
itself."""
EARLY, EARLY_UNTIL = 32, 256
"""How many values tau is estimated from first, and how long that counts."""
_PRIOR = 16.0
_PHI = 0.97
_PLAIN = 7 + LATER


class Dependence:
    """Takes a sequence of about mean 0 and variance 1, and says its `tau`, at least 1, from what came before. `most` is
    what its mean square counts at most, where one that is larger is rather a change than a stream that wanders: of
    shares, whose first ones after many zeros are far out."""

    __slots__ = (
        "_blocks",
        "_coming",
        "_earlier",
        "_lag_1",
        "_lag_2",
        "_last",
        "_most",
        "_newest",
        "_square",
        "_squares",
        "n",
        "tau",
    )

    def __init__(self, state: Sequence[float] = (), *, most: float = inf) -> None:
        self._most = most
        n, self.tau, *plain = state[:_PLAIN] or (0.0, 1.0, *[0.0] * 5, *[1.0] * LATER)
        self.n = int(n)
        self._square, self._lag_1, self._lag_2, self._last, self._earlier = plain[:5]
        self._coming = plain[5:]
        self._blocks, self._squares, self._newest = (
            list(state[start : start + LEVELS]) or [0.0] * LEVELS
            for start in range(_PLAIN, _PLAIN + 3 * LEVELS, LEVELS)
        )

    def state(self) -> list[float]:
        """All that it knows, to go on with; nothing where it has taken in nothing."""
        if not self.n:
            return []
        plain = [self._square, self._lag_1, self._lag_2, self._last, self._earlier]
        plain += self._coming
        return [float(self.n), self.tau, *plain, *self._blocks, *self._squares, *self._newest]

    def add(self, x: float) -> None:
        n = self.n
        self._square += x * x
        if n > 1:
            self._lag_2 += (x - self._earlier) ** 2
        if n:
            self._lag_1 += (x - self._last) ** 2
        self._earlier, self._last = self._last, x
        self.n = n + 1
        if not n & 1:
            self._blocks[0] = x
            return
        blocks, squares, newest = self._blocks, self._squares, self._newest
        total, length, bits = x, 1.0, n
        for level in range(LEVELS):
            if not bits & 1:
                blocks[level] = total
                break
            bits >>= 1
            length *= 2
            before = blocks[level]
            squares[level] += newest[level]
            newest[level] = (before - total) ** 2 / length
            total += before
        if self.n % EVERY == 0:
            self._coming.append(self._estimate())
            self.tau = self._coming.pop(0)

    def _estimate(self) -> float:
        n = self.n
        mean_square = self._square / n
        variance = min(self._most, mean_square)
        unit = max(0.5, variance)
        first = (variance - self._lag_1 / (2 * (n - 1))) / unit
        tau = _short(first, (variance - self._lag_2 / (2 * (n - 2))) / unit, n)
        scale, blocks = max(1.0, mean_square), 1.0
        for level in range(1, LEVELS):
            many = (n >> (level + 1)) - 1
            if many < 1:
                break
            blocks = (self._squares[level] / scale + _PRIOR * blocks) / (many + _PRIOR)
        if blocks > 1.2:
            tau = max(tau, 1 + (blocks - 1) * min(1.0, (blocks - 1.2) / 0.2))
        return float(tau**POWER)


def early(values: Sequence[float]) -> float:
    """Rule 3, of at least 3 values; 1 where they are all alike."""
    n = len(values)
    mean = sum(values) / n
    variance = sum((each - mean) ** 2 for each in values) / (n - 1)
    if variance <= 0:
        return 1.0
    lags = (sum((x - y) ** 2 for x, y in zip(values[k:], values, strict=False)) / (2 * (n - k)) for k in (1, 2))
    first, second = (1 - each / variance for each in lags)
    return float(_short(first + (1 + 3 * first) / n, second + (1 + 3 * second) / n, n) ** POWER)


def _short(first: float, second: float, n: int) -> float:
    """Rule 1, of the autocorrelations of lags 1 and 2."""
    shown = min(1.0, first * sqrt(n) - 1.5)
    if shown <= 0:
        return 1.0
    first = min(0.98, first)
    return 1 + 2 * first * shown / (1 - min(_PHI, max(0.0, second / first)))
