"""PCAA over tables: how actions stand at the five checkpoints, how well they passed them, and whose actions miss which.

The head of `assent.pcaa` has the rules, and applies them to one action; here they are expressions over columns, for
tables are long. The constants are the contract's, and a test compares both case by case.

Numbers, each 0 to 100 and 0 where there are no actions:

- checkpoint coverage: mean over actions of answered / expected checkpoints. Answered is complete or denied: a
  checkpoint that says no has done its work, and a good block must not look like a gap.
- approval rate: actions with an approval on record, whatever became of it / actions.
- evidence completion: mean over actions of observed / expected receipts. Only what is expected counts as observed.
"""

from __future__ import annotations

from datetime import datetime

import polars as pl

from assent.contract.control.actions import FINAL, ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision, Source
from assent.contract.evidence.pcaa import (
    ENFORCEABILITY,
    EXPECTED,
    LOST,
    RISK,
    CheckpointId,
    CheckpointStatus,
    Enforceability,
)
from assent_analytics.frames import (
    WEIGHT,
    Frame,
    columns,
    count,
    need,
    one_of,
    present,
    simulated,
    time_type,
    utc,
    weight,
)
from assent_analytics.rates import wilson_band

_STATUS_NAMES = [status.value for status in CheckpointStatus]
_CLASS_NAMES = [each.value for each in Enforceability]

OF_ACTIONS = (
    *("action_id", "decision", "decision_id", "status", "risk_score", "runtime", "source", "declared_goal"),
    *("timestamp_start", "approved_at", "output_summary", "error_message"),
)
"""The columns of the actions that decide how they stand."""
GATHERED = (*OF_ACTIONS, "assumed", "based", "approval_state", "approval_decided_by")
"""`assumed`: an assumption is on record; `based`: one that names its basis; the others are the approval's, if any."""
_CLASSES = {str(runtime): each.value for runtime, each in ENFORCEABILITY.items()}
_OBSERVED = Enforceability.OBSERVE_ONLY.value
_SHOWN = ("action_id", "agent_id", "action_type", "runtime", "timestamp_start", "source", WEIGHT)


def checkpoint_states(actions: Frame, assumptions: Frame, approvals: Frame, now: datetime) -> pl.LazyFrame:
    """One row for each action: a column for each checkpoint (its id) with the status, `enforceability`, and what the
    numbers need: `expected` and `answered` checkpoints, `observed` receipts, `reached_approval`, `simulated`.

    Frames have the tables' columns; assumptions and approvals of other actions are ignored. `now` is aware.
    """
    return judge(gather(actions, assumptions, approvals), now)


def gather(actions: Frame, assumptions: Frame, approvals: Frame) -> pl.LazyFrame:
    """The actions with what the other tables hold on each: the columns `GATHERED`."""
    # Where texts come dictionary-encoded, those of two tables do not compare.
    key = pl.col("action_id").cast(pl.String)
    believed = (
        need(assumptions, ("action_id", "basis"), "assumptions")
        .group_by(key)
        .agg(pl.lit(True).alias("assumed"), present("basis").any().alias("based"))
    )
    asked = (
        need(approvals, ("action_id", "state", "decided_by", "requested_at"), "approvals")
        .group_by(key)
        .agg(
            pl.col("state").sort_by("requested_at").last().alias("approval_state"),
            pl.col("decided_by").sort_by("requested_at").last().alias("approval_decided_by"),
        )
    )
    return (
        need(actions, OF_ACTIONS, "actions")
        .with_columns(key)
        .join(believed, on="action_id", how="left", maintain_order="left")
        .join(asked, on="action_id", how="left", maintain_order="left")
        .with_columns(pl.col("assumed", "based").fill_null(False))
    )


def judge(gathered: Frame, now: datetime) -> pl.LazyFrame:
    """`checkpoint_states` of actions that are gathered already, each or in groups of alike ones with their number."""
    frame = need(gathered, GATHERED, "gathered actions")
    shown = [name for name in _SHOWN if name in columns(frame)]
    judged = frame.with_columns(**_facts(now)).with_columns(**_statuses())
    expected = {each: pl.col(each.value) != CheckpointStatus.NOT_REQUIRED.value for each in CheckpointId}
    answered = [one_of(each.value, CheckpointStatus.COMPLETE, CheckpointStatus.DENIED) for each in CheckpointId]
    observed = [expected[each] & receipt for each, receipt in _receipts().items()]
    return judged.select(
        *shown,
        *(pl.col(each.value).cast(pl.Enum(_STATUS_NAMES)) for each in CheckpointId),
        enforceability=enforceability().cast(pl.Enum(_CLASS_NAMES)),
        expected=pl.sum_horizontal(*expected.values()),
        answered=pl.sum_horizontal(*answered),
        observed=pl.sum_horizontal(*observed),
        reached_approval=pl.col("approval_state").is_not_null(),
        simulated=simulated(frame),
    )


def enforceability() -> pl.Expr:
    """How far guard reaches into an action, by its columns `runtime` and `source`; see `assent.pcaa`."""
    usual = Enforceability.ENFORCE_BEFORE_EXECUTE.value
    by_runtime = pl.col("runtime").cast(pl.String).replace_strict(_CLASSES, default=usual)
    return pl.when(one_of("source", Source.IMPORT)).then(pl.lit(_OBSERVED)).otherwise(by_runtime)


def health(states: Frame) -> pl.LazyFrame:
    """One row: `n` actions, `checkpoint_coverage`, `approval_rate`, `evidence_completion` (0 to 100; 0 when n is 0),
    and how many of the n are `simulated`."""
    times = weight(states)
    coverage = (times * pl.col("answered") / pl.col("expected")).sum()
    evidence = (times * pl.col("observed") / pl.col("expected")).sum()
    return (
        states.lazy()
        .select(
            n=times.sum().cast(pl.Int64) if WEIGHT in columns(states) else pl.len().cast(pl.Int64),
            coverage=coverage,
            reached=count(pl.col("reached_approval"), times),
            evidence=evidence,
            simulated=count(pl.col("simulated"), times),
        )
        .select(
            "n",
            checkpoint_coverage=_percent("coverage"),
            approval_rate=_percent("reached"),
            evidence_completion=_percent("evidence"),
            simulated="simulated",
        )
    )


def checkpoint_counts(states: Frame) -> pl.LazyFrame:
    """Five rows in the checkpoints' order: `id`, and how many actions stand there as `complete`, `pending`, `missing`,
    `not_required` and `denied`; the five add up to the actions."""
    times = weight(states)
    return pl.concat(
        states.lazy().select(
            pl.lit(each.value).alias("id"),
            *(count(one_of(each.value, status.value), times).alias(status.value) for status in CheckpointStatus),
        )
        for each in CheckpointId
    )


def _percent(name: str) -> pl.Expr:
    share = 100.0 * pl.col(name) / pl.col("n")
    # Sums of fractions may end a hair above the whole.
    return pl.when(pl.col("n") > 0).then(share.clip(0.0, 100.0)).otherwise(0.0)


def _facts(now: datetime) -> dict[str, pl.Expr]:
    """What the rules ask, each once."""
    reach = enforceability()
    observes = reach == _OBSERVED
    blocked = one_of("status", ActionStatus.BLOCKED)
    asked = one_of("decision", Decision.REQUIRE_APPROVAL) | pl.col("approval_state").is_not_null()
    asked = asked & ~blocked & ~observes
    matters = asked | (pl.col("risk_score") >= RISK).fill_null(False)
    refused = one_of("approval_state", ApprovalState.DENIED, ApprovalState.EXPIRED, ApprovalState.WITHDRAWN)
    refused = refused & one_of("status", ActionStatus.CANCELLED)
    age = pl.lit(now).cast(time_type()) - pl.max_horizontal(utc("timestamp_start"), utc("approved_at"))
    return {
        "_stopped": one_of("decision", Decision.BLOCK) & ~observes,
        "_asked": asked,
        "_believes": matters & ~blocked & (reach == Enforceability.ENFORCE_BEFORE_EXECUTE.value),
        "_runs": ~blocked & ~refused & ~one_of("status", ActionStatus.PENDING_APPROVAL),
        "_over": one_of("status", *FINAL),
        "_overdue": (age > EXPECTED).fill_null(False),
        "_lost": (age > LOST).fill_null(False) & ~one_of("status", ActionStatus.PENDING_APPROVAL),
    }


def _statuses() -> dict[str, pl.Expr]:
    complete, pending, missing, not_required, denied = (pl.lit(status.value) for status in CheckpointStatus)
    fact = pl.col
    admissibility = (
        pl.when(~present("decision_id")).then(missing).when(fact("_stopped")).then(denied).otherwise(complete)
    )
    assumption = (
        pl.when(~fact("_believes"))
        .then(not_required)
        .when(fact("assumed"))
        .then(complete)
        .when(fact("_over") | fact("_lost"))
        .then(missing)
        .otherwise(pending)
    )
    approval = (
        pl.when(~fact("_asked") | one_of("approval_state", ApprovalState.WITHDRAWN))
        .then(not_required)
        .when(one_of("approval_state", ApprovalState.APPROVED))
        .then(complete)
        .when(one_of("approval_state", ApprovalState.DENIED))
        .then(denied)
        .when(one_of("approval_state", ApprovalState.AWAITING))
        .then(pending)
        .otherwise(missing)
    )
    outcome = (
        pl.when(~fact("_runs"))
        .then(not_required)
        .when(fact("_over"))
        .then(complete)
        .when(fact("_lost"))
        .then(missing)
        .when(fact("_overdue"))
        .then(pending)
        .otherwise(not_required)
    )
    return {
        CheckpointId.PRE_ACTION_ADMISSIBILITY.value: admissibility,
        CheckpointId.ACTION_OPEN.value: pl.when(present("action_id")).then(complete).otherwise(missing),
        CheckpointId.ASSUMPTION_CAPTURE.value: assumption,
        CheckpointId.APPROVAL.value: approval,
        CheckpointId.OUTCOME_CLOSURE.value: outcome,
    }


def _receipts() -> dict[CheckpointId, pl.Expr]:
    decided = one_of("approval_state", ApprovalState.APPROVED, ApprovalState.DENIED)
    return {
        CheckpointId.PRE_ACTION_ADMISSIBILITY: present("decision_id"),
        CheckpointId.ACTION_OPEN: present("action_id") & present("declared_goal"),
        CheckpointId.ASSUMPTION_CAPTURE: pl.col("based").fill_null(False),
        CheckpointId.APPROVAL: decided & present("approval_decided_by"),
        CheckpointId.OUTCOME_CLOSURE: pl.col("_over") & (present("output_summary") | present("error_message")),
    }


# Where the numbers of PCAA health come from: whose actions miss which checkpoints.
#
# 1. `groups` gives the numbers of `pcaa.health` for each value of a column, with 95% intervals. All three are Wilson's
#    (`rates`). Coverage and evidence are means of shares, whose sum stands for the successes: what lies between 0 and 1
#    varies at most as much as a coin of the same mean, so their intervals are, if anything, too wide. They also hold
#    where all actions are alike, and Student's would say that nothing is left open.
# 2. An action is *incomplete* that misses a checkpoint: expected, and it will not come by itself. What is pending may.
# 3. `gaps` counts the missing ones of each checkpoint by agent and action type, of those that were expected.


_CHECKPOINTS = tuple(each.value for each in CheckpointId)
_NUMBERS = ("coverage", "approval", "evidence")


def groups(states: Frame, by: str | None = None) -> pl.LazyFrame:
    """One row for each value of the column `by`, those with most incomplete actions first; one row without it.

    `name`, `n`, `incomplete`, `simulated`, and `coverage`, `approval` and `evidence` (0 to 100, null of no action),
    each with `_low` and `_high`. `states` are those of `pcaa.checkpoint_states` or `pcaa.judge`.
    """
    times, n = weight(states), pl.col("n")
    missing = pl.any_horizontal(one_of(each, CheckpointStatus.MISSING.value) for each in _CHECKPOINTS)
    sums = [
        count(pl.col("expected").is_not_null(), times).alias("n"),
        count(missing, times).alias("incomplete"),
        count(pl.col("simulated"), times).alias("simulated"),
        (times * pl.col("answered") / pl.col("expected")).sum().alias("coverage"),
        count(pl.col("reached_approval"), times).cast(pl.Float64).alias("approval"),
        (times * pl.col("observed") / pl.col("expected")).sum().alias("evidence"),
    ]
    frame = states.lazy()
    if by is None:
        summed = frame.select(sums).with_columns(name=pl.lit(None, pl.String))
    else:
        summed = frame.group_by(pl.col(by).cast(pl.String).alias("name")).agg(sums)
    bands = {each: wilson_band(pl.min_horizontal(pl.col(each), n), n) for each in _NUMBERS}
    return summed.select(
        *("name", "n", "incomplete", "simulated"),
        *(pl.when(n > 0).then(100.0 * pl.col(each) / n).alias(each) for each in _NUMBERS),
        *((100 * low).alias(f"{each}_low") for each, (low, _) in bands.items()),
        *((100 * high).alias(f"{each}_high") for each, (_, high) in bands.items()),
    ).sort("incomplete", "n", "name", descending=[True, True, False])


def gaps(states: Frame) -> pl.LazyFrame:
    """`id`, `agent_id`, `action_type`, `expected`, `missing` (1 or more) and `newest_action_id` (of those that miss
    it, the last by its id), those with most missing first."""
    times = weight(states)
    frame = need(states, ("action_id", "agent_id", "action_type"), "states")
    return (
        pl.concat(_of_checkpoint(frame, each, times) for each in _CHECKPOINTS)
        .filter(pl.col("missing") > 0)
        .sort("missing", "expected", "agent_id", "action_type", "id", descending=[True, True, False, False, False])
    )


def _of_checkpoint(frame: pl.LazyFrame, checkpoint: str, times: pl.Expr) -> pl.LazyFrame:
    missing = one_of(checkpoint, CheckpointStatus.MISSING.value)
    return (
        frame.group_by(pl.col("agent_id", "action_type").cast(pl.String))
        .agg(
            count(~one_of(checkpoint, CheckpointStatus.NOT_REQUIRED.value), times).alias("expected"),
            count(missing, times).alias("missing"),
            pl.col("action_id").cast(pl.String).filter(missing).max().alias("newest_action_id"),
        )
        .select(pl.lit(checkpoint).alias("id"), pl.all())
    )
