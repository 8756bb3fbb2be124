"""PCAA over tables: how actions stand at the five checkpoints, and how well they passed them.

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

from assent.contract.actions import FINAL, ActionStatus
from assent.contract.approvals import ApprovalState
from assent.contract.guard import Decision, Source
from assent.contract.pcaa import (
    ENFORCEABILITY,
    EXPECTED,
    LOST,
    RISK,
    CheckpointId,
    CheckpointStatus,
    Enforceability,
)
from assent_analytics.frames import UTC, WEIGHT, Frame, columns, count, need, one_of, present, simulated, utc, weight

STATUS = pl.Enum([status.value for status in CheckpointStatus])
CLASS = pl.Enum([each.value for each in Enforceability])

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
        *(pl.col(each.value).cast(STATUS) for each in CheckpointId),
        enforceability=enforceability().cast(CLASS),
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
    refused = one_of("approval_state", ApprovalState.DENIED, ApprovalState.EXPIRED)
    refused = refused & one_of("status", ActionStatus.CANCELLED)
    age = pl.lit(now).cast(UTC) - pl.max_horizontal(utc("timestamp_start"), utc("approved_at"))
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
        pl.when(~fact("_asked"))
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
