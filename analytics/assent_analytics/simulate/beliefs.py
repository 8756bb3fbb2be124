"""Assumptions: what an action rests on, whether somebody looked, and whether it held.

An action has up to two beliefs, each with its type's probability; a blocked one has none. They come within the first
second, or within the action's duration if that is shorter. Of the beliefs of an action that has ended, the share
LOOKED is judged, and a judged one was wrong with probability WRONG_FAILED when the action failed and WRONG_COMPLETED
when it did not. The judgement comes with probability EARLY while the action ran, uniformly over that time, and
otherwise after it, by a log-normal time with ln(seconds) ~ Normal(LATE_MU, LATE_SIGMA); one that would be later than
the window has not come yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from assent_analytics.simulate.draw import BLOCKED, MILLISECOND, Block
from assent_analytics.simulate.plan import Layout, Plan

LOOKED, EARLY = 0.7, 0.3
WRONG_FAILED, WRONG_COMPLETED = 0.35, 0.04
LATE_MU, LATE_SIGMA = log(2 * 3600), 1.3
SECOND = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Beliefs:
    """`action` are places in the block; `judged_at`, in microseconds since 1970, counts where `judged`."""

    action: NDArray[np.int64]
    at: NDArray[np.int64]
    judged: NDArray[np.bool_]
    wrong: NDArray[np.bool_]
    judged_at: NDArray[np.int64]


def believe(rng: np.random.Generator, plan: Plan, layout: Layout, block: Block) -> Beliefs:
    """The beliefs of a block, by action, as they stand at the end of the window."""
    first, second = layout.kind_beliefs[block.kind].T
    count = (rng.random(len(block.kind)) < first).astype(np.int64) + (rng.random(len(block.kind)) < second)
    count[block.status == BLOCKED] = 0
    action = np.repeat(np.arange(len(block.kind)), count)
    size = len(action)
    start, lasted = block.start[action], block.duration[action] * MILLISECOND
    at = start + (rng.random(size) * np.minimum(lasted, SECOND)).astype(np.int64)
    early = rng.random(size) < EARLY
    during = block.ran_from[action] + (rng.random(size) * lasted).astype(np.int64)
    later = np.exp(LATE_MU + LATE_SIGMA * rng.standard_normal(size)) * SECOND
    judged_at = np.where(early, np.maximum(at, during), block.end[action] + later.astype(np.int64))
    judged = block.ended[action] & (rng.random(size) < LOOKED) & (judged_at <= plan.end)
    wrong = rng.random(size) < np.where(block.failed[action], WRONG_FAILED, WRONG_COMPLETED)
    return Beliefs(action=action, at=np.minimum(at, plan.end), judged=judged, wrong=wrong & judged, judged_at=judged_at)
