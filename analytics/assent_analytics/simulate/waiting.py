"""Approvals: who is asked, how long it takes, and what is said.

Each approval comes to one operator in proportion to the shares. The waiting time is log-normal with that operator's
mu and sigma (of the natural logarithm of seconds), the answer is no with that operator's probability, and with
probability `nobody` there will be none. An approval that has no answer within 24 hours expires then. Of what would
be later than the window, nothing has happened yet: the approval waits. Waiting times are therefore censored in the
frames, at the window's end and at 24 hours, and complete in the truth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assent_analytics.simulate.plan import APPROVAL_LIFE, Layout, Plan

STATES: tuple[str, ...] = ("awaiting", "approved", "denied", "expired")
AWAITING, APPROVED, DENIED, EXPIRED = range(4)


@dataclass(frozen=True, kw_only=True)
class Approvals:
    """`action` are places in the block. `decided`, in microseconds since 1970, counts where the state is not awaiting;
    `wait` is in seconds and infinite where nobody will ever answer."""

    action: NDArray[np.int64]
    requested: NDArray[np.int64]
    expires: NDArray[np.int64]
    state: NDArray[np.uint8]
    decided: NDArray[np.int64]
    operator: NDArray[np.uint8]
    wait: NDArray[np.float64]
    planted: NDArray[np.bool_]


def wait(
    rng: np.random.Generator,
    plan: Plan,
    layout: Layout,
    action: NDArray[np.int64],
    start: NDArray[np.int64],
    planted: NDArray[np.bool_],
) -> Approvals:
    """The approvals that the actions at the places `action` ask for, as they stand at the end of the window."""
    count = len(action)
    drawn = np.searchsorted(layout.operator_cumulative, rng.random(count), side="right")
    operator = np.minimum(drawn, len(plan.operators) - 1).astype(np.uint8)
    mu, sigma = layout.operator_wait[operator].T
    seconds = np.exp(mu + sigma * rng.standard_normal(count))
    denied = rng.random(count) < layout.operator_denies[operator]
    seconds[rng.random(count) < plan.nobody] = np.inf
    requested = start[action]
    expires = requested + APPROVAL_LIFE
    # Infinity has no whole number; anything from the life of an approval on means the same.
    taken = np.minimum(seconds * 1e6, APPROVAL_LIFE).astype(np.int64)
    decided = requested + taken
    state = np.where(denied, DENIED, APPROVED).astype(np.uint8)
    state[decided >= expires] = EXPIRED
    state[(decided > plan.end) | planted[action]] = AWAITING
    return Approvals(
        action=action,
        requested=requested,
        expires=expires,
        state=state,
        decided=decided,
        operator=operator,
        wait=seconds,
        planted=planted[action],
    )
