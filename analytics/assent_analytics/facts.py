"""Facts: the tables of the evidence as one, a row for each action (`assent.contract.analysis.facts.Fact`).

1. A row is an action, with its decision by `decision_id`, its approval by `approval_id`, and how many assumptions there
   are about it. With `attempts`, each decision that no action has is a row too: what guard was asked and what did not
   become an action, above all what was blocked. These have no `action_id`, `status`, `tool` and cost.
2. What two tables know is the action's own, else the decision's.
3. `outcome` is completed or failed, else empty, and then `censored` says why: what did not run, or still does, has no
   outcome (decision 0206). It is neither success nor failure.
4. `cluster` is that of rule 1 of `clusters`; `hour` and `weekday` are in UTC.
5. `propensity` is the decision's own where the table says it, else 1: rules leave nothing to chance. `grant_id` is the
   approval's where the table says it: what a standing grant let through was asked of nobody.
6. Decisions, approvals and assumptions that are not among the rows given leave their columns empty: facts are as
   complete as the windows of the four tables.

`facts` does this for frames, `facts_sql` says the same in the SQL of DuckDB; a test proves that both agree.
"""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from assent.contract.analysis.facts import Censored, Fact
from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision
from assent_analytics.clusters import cluster_names
from assent_analytics.frames import Frame, has, need, utc

_SHARED = (
    *("decision_id", "agent_id", "session_id", "action_type", "runtime", "source"),
    *("decision", "would_decide", "risk_score", "agent_risk_score"),
)
_OF_ACTIONS = (
    *("action_id", "approval_id", "parent_action_id", "swarm_id", "systems_touched", "model"),
    *("reversible", "confidence", "approved_by", "approved_at", "status"),
    *("timestamp_start", "timestamp_end", "duration_ms", "cost_estimate", "tokens_in", "tokens_out"),
)
_OF_DECISIONS = (
    *("matched_policies", "observed_policies", "policy_version"),
    *("risk_breakdown", "risk_template_id", "risk_template_score"),
)
_OF_APPROVALS = ("state", "requested_at", "decided_at", "decided_by")

ACTIONS = (*_SHARED, *_OF_ACTIONS, "metadata")
DECISIONS = (*_SHARED, *_OF_DECISIONS, "predictive_risk", "occurred_at")
APPROVALS = ("approval_id", *_OF_APPROVALS)
ASSUMPTIONS = ("action_id", "validated", "invalidated")
"""The columns that are read of each table."""
PROPENSITY = "propensity"
"""Read of the decisions where they have it."""
GRANT = "grant_id"
"""Read of the approvals where they have it."""
COLUMNS = Fact.__struct_fields__

_ENDED = (ActionStatus.COMPLETED.value, ActionStatus.FAILED.value)
_UNDECIDED = (ApprovalState.DENIED.value, ApprovalState.EXPIRED.value, ApprovalState.WITHDRAWN.value)
_TEXTS = frozenset(
    {
        *("action_id", "decision_id", "approval_id", "parent_action_id", "agent_id", "swarm_id", "session_id"),
        *("action_type", "systems_touched", "model", "runtime", "source", "decision", "would_decide"),
        *("matched_policies", "observed_policies", "risk_breakdown", "risk_template_id"),
        *("state", "decided_by", "grant_id", "approved_by", "status"),
    }
)
_TIMES = frozenset({"occurred_at", "requested_at", "decided_at", "approved_at", "timestamp_start", "timestamp_end"})
_NUMBERS = frozenset({"risk_score", "agent_risk_score", "risk_template_score", "cost_estimate"})


def facts(
    actions: Frame, decisions: Frame, approvals: Frame, assumptions: Frame, *, attempts: bool = False
) -> pl.LazyFrame:
    """One row for each action in the order of the actions, then with `attempts` one for each decision that no action
    has, in the order of the decisions. Columns are those of `Fact`, in their order.

    Raises ValueError that names the columns that are missing.
    """
    names = (*DECISIONS, PROPENSITY) if has(decisions, PROPENSITY) else DECISIONS
    decided = need(decisions, names, "decisions").select(_typed(name).name.prefix("d_") for name in names)
    of_approvals = (*APPROVALS, GRANT) if has(approvals, GRANT) else APPROVALS
    asked = need(approvals, of_approvals, "approvals").select(_typed(name).name.prefix("p_") for name in of_approvals)
    believed = (
        need(assumptions, ASSUMPTIONS, "assumptions")
        .group_by(pl.col("action_id").cast(pl.String).alias("s_action_id"))
        .agg(
            pl.len().cast(pl.Int64).alias("assumptions"),
            *(pl.col(name).sum().cast(pl.Int64).alias(f"assumptions_{name}") for name in ("validated", "invalidated")),
        )
    )
    acted = need(actions, ACTIONS, "actions").select(_typed(name) for name in ACTIONS)
    rows = acted.join(decided, left_on="decision_id", right_on="d_decision_id", how="left", maintain_order="left")
    rows = rows.with_columns(pl.col("decision_id").alias("d_decision_id"))
    if attempts:
        alone = decided.join(acted, left_on="d_decision_id", right_on="decision_id", how="anti", maintain_order="left")
        rows = pl.concat([rows, alone], how="diagonal")
    rows = rows.join(asked, left_on="approval_id", right_on="p_approval_id", how="left", maintain_order="left")
    rows = rows.join(believed, left_on="action_id", right_on="s_action_id", how="left", maintain_order="left")
    told = rows.select(
        *(pl.coalesce(name, f"d_{name}").alias(name) for name in _SHARED),
        *_OF_ACTIONS,
        *(pl.col(f"d_{name}").alias(name) for name in _OF_DECISIONS),
        *(pl.col(f"p_{name}").alias(name) for name in _OF_APPROVALS),
        *(pl.col(name).fill_null(0) for name in ("assumptions", "assumptions_validated", "assumptions_invalidated")),
        thread_id=_said("metadata", "thread_id"),
        tool=pl.coalesce(_said("metadata", "tool"), _said("metadata", "tool_name")),
        risk_history=_said("d_predictive_risk", "total_adjustment").cast(pl.Float64),
        occurred_at=pl.coalesce("d_occurred_at", "timestamp_start"),
        **{GRANT: pl.col(f"p_{GRANT}") if GRANT in of_approvals else pl.lit(None, pl.String)},
        **{PROPENSITY: pl.col(f"d_{PROPENSITY}").cast(pl.Float64) if PROPENSITY in names else pl.lit(None, pl.Float64)},
    )
    cluster, basis = cluster_names(["session_id", "thread_id", "agent_id", "occurred_at"])
    ended = pl.col("status").is_in(_ENDED)
    return told.with_columns(
        pl.when(pl.col("decision_id").is_not_null()).then(pl.col(PROPENSITY).fill_null(1.0)).alias(PROPENSITY),
        cluster=cluster,
        cluster_basis=basis,
        hour=pl.col("occurred_at").dt.hour().cast(pl.Int64),
        weekday=pl.col("occurred_at").dt.weekday().cast(pl.Int64),
        waited_seconds=(pl.col("decided_at") - pl.col("requested_at")).dt.total_microseconds() / 1_000_000,
        outcome=pl.when(ended).then(pl.col("status")),
        censored=_censored(),
    ).select(COLUMNS)


def _typed(name: str) -> pl.Expr:
    if name in _TIMES:
        return utc(name)
    if name in _TEXTS or name in ("metadata", "predictive_risk"):
        return pl.col(name).cast(pl.String)
    return pl.col(name).cast(pl.Float64) if name in _NUMBERS else pl.col(name)


def _said(column: str, member: str) -> pl.Expr:
    """A member of JSON that is text, null where it is empty."""
    value = pl.col(column).str.json_path_match(f"$.{member}")
    return pl.when(value != "").then(value)


def _censored() -> pl.Expr:
    status, state = pl.col("status"), pl.col("state")
    cancelled = status == ActionStatus.CANCELLED.value
    waited = pl.col("approval_id").is_not_null() & pl.col("approved_by").is_null()
    cases: list[tuple[pl.Expr, str | None]] = [
        (status.is_in(_ENDED), None),
        (pl.col("action_id").is_null() & (pl.col("decision") == Decision.BLOCK.value), Censored.BLOCKED.value),
        (pl.col("action_id").is_null(), Censored.NOT_BEGUN.value),
        (status == ActionStatus.BLOCKED.value, Censored.BLOCKED.value),
        *((cancelled & (state == each), each) for each in _UNDECIDED),
        (cancelled & waited, Censored.NOT_APPROVED.value),
        (cancelled, Censored.CANCELLED.value),
        (status == ActionStatus.PENDING_APPROVAL.value, Censored.AWAITING.value),
    ]
    chosen: pl.Expr = pl.lit(Censored.RUNNING.value)
    for condition, value in reversed(cases):
        chosen = pl.when(condition).then(pl.lit(value, pl.String)).otherwise(chosen)
    return chosen


def facts_sql(decisions: Collection[str], approvals: Collection[str] = (), *, attempts: bool = False) -> str:
    """The same rows as one SELECT of DuckDB over tables `actions`, `decisions`, `approvals` and `assumptions`, in no
    order. `decisions` and `approvals` are the names of those tables' columns. Times need `SET TimeZone = 'UTC'`."""
    own = f"d.{PROPENSITY}" if PROPENSITY in decisions else "NULL"
    said = "nullif({0}->>'$.{1}', '')".format
    statuses, states = (", ".join(map(repr, each)) for each in (_ENDED, _UNDECIDED))
    hour = "CAST(CAST(floor(epoch(occurred_at) / 3600) AS BIGINT) AS VARCHAR)"
    key = {name: f"nullif({name}, '')" for name in ("session_id", "thread_id", "agent_id")}
    columns = [
        *(f"coalesce(a.{name}, d.{name}) AS {name}" for name in _SHARED),
        *(f"a.{name}" for name in _OF_ACTIONS),
        *(f"d.{name}" for name in _OF_DECISIONS),
        *(f"p.{name}" for name in _OF_APPROVALS),
        f"{f'p.{GRANT}' if GRANT in approvals else 'CAST(NULL AS VARCHAR)'} AS {GRANT}",
        *(
            f"coalesce(s.{name}, 0) AS {name}"
            for name in ("assumptions", "assumptions_validated", "assumptions_invalidated")
        ),
        f"{said('a.metadata', 'thread_id')} AS thread_id",
        f"coalesce({said('a.metadata', 'tool')}, {said('a.metadata', 'tool_name')}) AS tool",
        f"CAST({said('d.predictive_risk', 'total_adjustment')} AS DOUBLE) AS risk_history",
        "coalesce(d.occurred_at, a.timestamp_start) AS occurred_at",
        f"CASE WHEN coalesce(a.decision_id, d.decision_id) IS NOT NULL THEN coalesce({own}, 1.0::DOUBLE) END"
        f" AS {PROPENSITY}",
    ]
    derived = {
        "cluster": f"coalesce('session:' || {key['session_id']}, 'thread:' || {key['thread_id']}, "
        f"'hour:' || {hour} || ':' || {key['agent_id']}, 'agent:' || {key['agent_id']}, 'none')",
        "cluster_basis": f"CASE WHEN {key['session_id']} IS NOT NULL THEN 'session' "
        f"WHEN {key['thread_id']} IS NOT NULL THEN 'thread' WHEN {key['agent_id']} IS NULL THEN 'unknown' "
        "WHEN occurred_at IS NOT NULL THEN 'agent and hour' ELSE 'agent' END",
        "hour": "hour(occurred_at)",
        "weekday": "isodow(occurred_at)",
        "waited_seconds": "(epoch_us(decided_at) - epoch_us(requested_at)) / 1000000",
        "outcome": f"CASE WHEN status IN ({statuses}) THEN status END",
        "censored": f"CASE WHEN status IN ({statuses}) THEN NULL "
        f"WHEN action_id IS NULL AND decision = '{Decision.BLOCK}' THEN '{Censored.BLOCKED}' "
        f"WHEN action_id IS NULL THEN '{Censored.NOT_BEGUN}' "
        f"WHEN status = '{ActionStatus.BLOCKED}' THEN '{Censored.BLOCKED}' "
        f"WHEN status = '{ActionStatus.CANCELLED}' AND state IN ({states}) THEN state "
        f"WHEN status = '{ActionStatus.CANCELLED}' AND approval_id IS NOT NULL AND approved_by IS NULL "
        f"THEN '{Censored.NOT_APPROVED}' "
        f"WHEN status = '{ActionStatus.CANCELLED}' THEN '{Censored.CANCELLED}' "
        f"WHEN status = '{ActionStatus.PENDING_APPROVAL}' THEN '{Censored.AWAITING}' "
        f"ELSE '{Censored.RUNNING}' END",
    }
    shown = ", ".join(f"{derived[name]} AS {name}" if name in derived else name for name in COLUMNS)
    join = "FULL" if attempts else "LEFT"
    return f"""
SELECT {shown} FROM (
  SELECT {", ".join(columns)}
  FROM actions AS a
  {join} JOIN decisions AS d ON d.decision_id = a.decision_id
  LEFT JOIN approvals AS p ON p.approval_id = a.approval_id
  LEFT JOIN (
    SELECT action_id, count(*) AS assumptions, CAST(sum(CAST(validated AS INTEGER)) AS BIGINT) AS assumptions_validated,
      CAST(sum(CAST(invalidated AS INTEGER)) AS BIGINT) AS assumptions_invalidated
    FROM assumptions GROUP BY action_id
  ) AS s ON s.action_id = a.action_id
) AS told"""  # noqa: S608 - names of columns and words of the contract
