"""When actions begin: a fixed number of them over a window, with the rhythm of days and weeks.

The window is cut into hours from its beginning. The numbers of actions in them are multinomial with weights

    weight = day * (0.15 + exp(-((h - 10.5) / 2.5)^2) + 0.9 exp(-((h - 15) / 2.2)^2))

with h the hour of the day (UTC) in the middle of the step, and day 1 from Monday to Friday, 0.4 on Saturday, 0.3 on
Sunday. Within an hour they are uniform.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

HOUR = 3_600_000_000
DAY_WEIGHTS = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.4, 0.3])
_EPOCH_WEEKDAY = 3  # 1970-01-01 was a Thursday


def hour_weights(begin: int, hours: int) -> NDArray[np.float64]:
    """The relative weight of each of the `hours` from `begin` (microseconds since 1970)."""
    middle = begin + HOUR * np.arange(hours, dtype=np.int64) + HOUR // 2
    hour = (middle % (24 * HOUR)) / HOUR
    weekday = (middle // (24 * HOUR) + _EPOCH_WEEKDAY) % 7
    shape = 0.15 + np.exp(-(((hour - 10.5) / 2.5) ** 2)) + 0.9 * np.exp(-(((hour - 15) / 2.2) ** 2))
    weights: NDArray[np.float64] = DAY_WEIGHTS[weekday] * shape
    return weights


def arrive(rng: np.random.Generator, actions: int, begin: int, days: int) -> NDArray[np.int64]:
    """`actions` times in microseconds since 1970, ascending, from `begin` on for `days` days."""
    weights = hour_weights(begin, 24 * days)
    counts = rng.multinomial(actions, weights / weights.sum())
    times = np.repeat(begin + HOUR * np.arange(24 * days, dtype=np.int64), counts)
    times += rng.integers(0, HOUR, actions, dtype=np.int64)
    times.sort()
    return times
