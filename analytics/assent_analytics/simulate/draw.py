"""The random actions of a simulated history: who does what at which risk, what guard and operators say, how it ends,
and which assumptions it rests on.

Approvals: who is asked, how long it takes, and what is said.

Each approval comes to one operator in proportion to the shares. The waiting time is log-normal with that operator's
mu and sigma (of the natural logarithm of seconds), the answer is no with that operator's probability, and with
probability `nobody` there will be none. An approval that has no answer within 24 hours expires then. Of what would
be later than the window, nothing has happened yet: the approval waits. Waiting times are therefore censored in the
frames, at the window's end and at 24 hours, and complete in the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assent_analytics.simulate.kinds import TOKENS_IN_SPREAD, TOKENS_OUT_SHIFT, TOKENS_OUT_SPREAD
from assent_analytics.simulate.plan import APPROVAL_LIFE, Layout, Plan
from assent_analytics.simulate.policies import ALLOW, ASK, BLOCK, WARN, SimulatedVerdicts, judge
from assent_analytics.simulate.roster import Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

STATES: tuple[str, ...] = ("awaiting", "approved", "denied", "expired")
AWAITING, APPROVED, DENIED, EXPIRED = range(4)


@dataclass(frozen=True, kw_only=True)
class DrawnApprovals:
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
) -> DrawnApprovals:
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
    return DrawnApprovals(
        action=action,
        requested=requested,
        expires=expires,
        state=state,
        decided=decided,
        operator=operator,
        wait=seconds,
        planted=planted[action],
    )


# Drawing one block of actions: who does what at which risk, what guard says, whether it runs, and how it ends.
#
# Of each action, with the quantities of `kinds` and `roster`:
#
# - agent and type are drawn together, in proportion to shares and mixes, independent of the time;
# - risk and duration follow their z, to which an agent's change adds its size from its beginning on;
# - an action runs at once when it is allowed or warned about, and when its approval is given;
# - k, its exposure, counts the earlier actions of the same agent and type that ran;
# - it fails with P(failure); it ends after its duration. What ends later than the window, and the share `unreported`
#   of all, is still running.
#
# Actions planted to wait have agent and type dealt out in turn, and a risk drawn above the threshold that stops them.


STATUSES: tuple[str, ...] = ("running", "pending_approval", "completed", "failed", "cancelled", "blocked")
RUNNING, PENDING, COMPLETED, FAILED, CANCELLED, BLOCKED = range(6)
MILLISECOND = 1000


@dataclass(frozen=True, kw_only=True)
class Block:
    """One draw, an element for each action in order of time. `ran_from` counts only where `ran`, `end` only where
    `ended`: microseconds since 1970. `failure` is the latent logit of P(failure); z include an agent's change."""

    first: int
    start: NDArray[np.int64]
    pair: NDArray[np.uint16]
    agent: NDArray[np.uint16]
    kind: NDArray[np.uint8]
    risk: NDArray[np.float64]
    verdicts: SimulatedVerdicts
    approvals: DrawnApprovals
    ran: NDArray[np.bool_]
    ran_from: NDArray[np.int64]
    ended: NDArray[np.bool_]
    end: NDArray[np.int64]
    status: NDArray[np.uint8]
    duration: NDArray[np.int64]
    confidence: NDArray[np.uint8]
    tokens_in: NDArray[np.uint32]
    tokens_out: NDArray[np.uint32]
    cost: NDArray[np.float64]
    exposure: NDArray[np.uint32]
    failure: NDArray[np.float64]
    failed: NDArray[np.bool_]
    risk_z: NDArray[np.float64]
    duration_z: NDArray[np.float64]
    changed: NDArray[np.bool_]
    planted: NDArray[np.bool_]


class Exposure:
    """How often each pair has run so far."""

    def __init__(self, pairs: int) -> None:
        self._counts = np.zeros(pairs, np.int64)

    def count(self, pair: NDArray[np.uint16], ran: NDArray[np.bool_]) -> NDArray[np.uint32]:
        """For each action, how many before it of its pair ran; these are added for the next block."""
        order = np.argsort(pair, kind="stable")
        grouped, weights = pair[order], ran[order].astype(np.int64)
        before = np.cumsum(weights) - weights
        begins = np.searchsorted(grouped, np.arange(len(self._counts), dtype=pair.dtype))
        offset = self._counts - before[np.minimum(begins, len(pair) - 1)]
        found = np.empty(len(pair), np.uint32)
        found[order] = before + offset[grouped]
        self._counts += np.bincount(pair[ran], minlength=len(self._counts))
        return found


class Proposals(NamedTuple):
    """What agents want to do, an element for each action."""

    pair: NDArray[np.uint16]
    agent: NDArray[np.uint16]
    kind: NDArray[np.uint8]
    risk: NDArray[np.float64]
    risk_z: NDArray[np.float64]
    duration_z: NDArray[np.float64]


def draw(
    rng: np.random.Generator,
    plan: Plan,
    layout: Layout,
    exposures: Exposure,
    first: int,
    start: NDArray[np.int64],
    planted: NDArray[np.bool_],
) -> Block:
    """The block of actions number `first` and on, which begin at `start`; blocks have to be drawn in order."""
    proposed = propose(rng, layout, start, planted)
    verdicts = judge(proposed.kind, proposed.risk)
    approvals = wait(rng, plan, layout, np.flatnonzero(verdicts.decision == ASK), start, planted)
    ran, ran_from = begin(verdicts, approvals, start)
    exposure = exposures.count(proposed.pair, ran)
    failure = failing(plan, layout, proposed, exposure)
    failed = rng.random(len(start)) < sigmoid(failure)
    duration = durations(layout, proposed)
    end = ran_from + duration * MILLISECOND
    ended = ran & (end <= plan.end) & (rng.random(len(start)) >= plan.unreported)
    tokens_in, tokens_out = tokens(rng, layout, proposed.kind)
    return Block(
        first=first,
        start=start,
        pair=proposed.pair,
        agent=proposed.agent,
        kind=proposed.kind,
        risk=proposed.risk,
        verdicts=verdicts,
        approvals=approvals,
        ran=ran,
        ran_from=ran_from,
        ended=ended,
        end=end,
        status=statuses(verdicts, approvals, ended, failed),
        duration=duration,
        confidence=confidences(layout, proposed.agent, failure),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=np.round((tokens_in + 4.0 * tokens_out) * layout.agent_price[proposed.agent] / 1e6, 6),
        exposure=exposure,
        failure=failure,
        failed=failed,
        risk_z=proposed.risk_z,
        duration_z=proposed.duration_z,
        changed=is_changed(layout, proposed.agent, start),
        planted=planted,
    )


def propose(
    rng: np.random.Generator, layout: Layout, start: NDArray[np.int64], planted: NDArray[np.bool_]
) -> Proposals:
    """Who wants to do what, and at which risk."""
    pair = np.searchsorted(layout.pair_cumulative, rng.random(len(start)), side="right").astype(np.uint16)
    risk_z, duration_z = rng.standard_normal(len(start)), rng.standard_normal(len(start))
    asking = [layout.asking[turn % len(layout.asking)] for turn in range(int(planted.sum()))]
    pair[planted] = [chosen for chosen, _ in asking]
    agent, kind = layout.pair_agent[pair], layout.pair_kind[pair]
    risk_z += shift(layout, Metric.RISK, agent, start)
    duration_z += shift(layout, Metric.DURATION, agent, start)
    for place, (_, threshold) in zip(np.flatnonzero(planted), asking, strict=True):
        risk_z[place] = z_of_risk(layout, int(kind[place]), threshold) + abs(risk_z[place])
    return Proposals(pair, agent, kind, risk_of(layout, kind, risk_z), risk_z, duration_z)


def begin(
    verdicts: SimulatedVerdicts, approvals: DrawnApprovals, start: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which actions run, and from when on."""
    given = approvals.state == APPROVED
    ran: NDArray[np.bool_] = (verdicts.decision == ALLOW) | (verdicts.decision == WARN)
    ran[approvals.action[given]] = True
    ran_from = start.copy()
    ran_from[approvals.action[given]] = approvals.decided[given]
    return ran, ran_from


def failing(plan: Plan, layout: Layout, proposed: Proposals, exposure: NDArray[np.uint32]) -> NDArray[np.float64]:
    """The logit of P(failure)."""
    logit: NDArray[np.float64] = (
        plan.curve.intercept
        + plan.curve.slope / 100 * proposed.risk
        - layout.agent_skill[proposed.agent]
        - layout.agent_learning[proposed.agent] * np.log1p(exposure)
    )
    return logit


def confidences(layout: Layout, agent: NDArray[np.uint16], failure: NDArray[np.float64]) -> NDArray[np.uint8]:
    said = sigmoid(layout.agent_offset[agent] - layout.agent_slope[agent] * failure)
    return np.rint(100 * said).astype(np.uint8)


def durations(layout: Layout, proposed: Proposals) -> NDArray[np.int64]:
    """Milliseconds."""
    mu, sigma = layout.kind_duration[proposed.kind].T
    lasted: NDArray[np.int64] = np.maximum(1, np.rint(np.exp(mu + sigma * proposed.duration_z))).astype(np.int64)
    return lasted


def statuses(
    verdicts: SimulatedVerdicts, approvals: DrawnApprovals, ended: NDArray[np.bool_], failed: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    """Codes in `STATUSES`."""
    status = np.full(len(ended), RUNNING, np.uint8)
    status[ended & ~failed] = COMPLETED
    status[ended & failed] = FAILED
    status[verdicts.decision == BLOCK] = BLOCKED
    stopped = approvals.state != APPROVED
    status[approvals.action[stopped]] = np.where(approvals.state[stopped] == AWAITING, PENDING, CANCELLED)
    return status


def shift(layout: Layout, metric: Metric, agent: NDArray[np.uint16], start: NDArray[np.int64]) -> NDArray[np.float64]:
    """What an agent's change adds to the z of a metric."""
    moved: NDArray[np.float64] = layout.shift_by[metric][agent] * (start >= layout.shift_from[metric][agent])
    return moved


def is_changed(layout: Layout, agent: NDArray[np.uint16], start: NDArray[np.int64]) -> NDArray[np.bool_]:
    changed: NDArray[np.bool_] = np.zeros(len(start), np.bool_)
    for metric in Metric:
        changed |= start >= layout.shift_from[metric][agent]
    return changed


def risk_of(layout: Layout, kind: NDArray[np.uint8], z: NDArray[np.float64]) -> NDArray[np.float64]:
    mean, spread = layout.kind_risk[kind].T
    floor = layout.kind_floor[kind]
    risk: NDArray[np.float64] = np.rint(floor + (100 - floor) * sigmoid(mean + spread * z))
    return risk


def z_of_risk(layout: Layout, kind: int, risk: int) -> float:
    """The z whose risk, before rounding, is `risk`; the least possible one for a risk that the type always has."""
    floor = layout.kind_floor[kind]
    share = max((risk - floor) / (100 - floor), 1e-9)
    mean, spread = layout.kind_risk[kind]
    return float((np.log(share / (1 - share)) - mean) / spread)


def tokens(
    rng: np.random.Generator, layout: Layout, kind: NDArray[np.uint8]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Tokens read and written."""
    mu = layout.kind_tokens[kind]
    read = np.exp(mu + TOKENS_IN_SPREAD * rng.standard_normal(len(kind)))
    written = np.exp(mu + TOKENS_OUT_SHIFT + TOKENS_OUT_SPREAD * rng.standard_normal(len(kind)))
    return np.rint(read).astype(np.uint32), np.rint(written).astype(np.uint32)


def sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-x))


# Assumptions: what an action rests on, whether somebody looked, and whether it held.
#
# An action has up to two beliefs, each with its type's probability; a blocked one has none. They come within the first
# second, or within the action's duration if that is shorter. Of the beliefs of an action that has ended, the share
# LOOKED is judged, and a judged one was wrong with probability WRONG_FAILED when the action failed and WRONG_COMPLETED
# when it did not. The judgement comes with probability EARLY while the action ran, uniformly over that time, and
# otherwise after it, by a log-normal time with ln(seconds) ~ Normal(LATE_MU, LATE_SIGMA); one that would be later than
# the window has not come yet.


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
