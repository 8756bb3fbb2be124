"""Which standing grants a history of approvals speaks for, and how often what they would let through could fail.

1. Looked at is what guard had a person decide, live or imported, of agents with a name; what a grant let through was
   looked at by nobody, and speaks for nothing.
2. An agent's type of action is proposed where people decided on it at least `least` times and always allowed it.
3. Of what was allowed, `failed` of `ran` failed. What did not run, or still does, has no outcome: it is neither success
   nor failure, and counted beside them.
4. The bound is the upper end of Clopper and Pearson's interval for the share that fails, one-sided, at the effective
   number of observations: what shares a session is not so many independent ones (`clusters`, rules 1 and 4). Fewer than
   two clusters have no bound, and nothing is proposed without one, or where it is above `most_failures`. Without any
   failure 20 clusters bound it by 1 - 0.05^(1/20) = 13.9 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import polars as pl

from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision, Source
from assent_analytics.clusters import clustered_proportion
from assent_analytics.frames import Frame, need, one_of

LEAST = 20
MOST_FAILURES = 0.15
CONFIDENCE = 0.95
FACTS = ("agent_id", "action_type", "decision", "source", "state", "grant_id", "outcome", "risk_score", "cluster")
"""The columns of `facts` that are read."""


class FailureBound(NamedTuple):
    """`failed` of `ran`, in so many independent `clusters`; `high` bounds the share that fails, None where fewer than
    two clusters ran."""

    ran: int
    failed: int
    clusters: int
    high: float | None


def failure_bound(failed: Sequence[bool], clusters: Sequence[str], *, confidence: float = CONFIDENCE) -> FailureBound:
    """The bound of rule 4 for what ran: whether each failed, and the cluster of each."""
    codes = {name: code for code, name in enumerate(dict.fromkeys(clusters))}
    found = clustered_proportion(
        [float(each) for each in failed], [codes[name] for name in clusters], confidence=2 * confidence - 1
    )
    return FailureBound(len(failed), sum(failed), len(codes), found.high)


def suggest_grants(
    facts: Frame, *, least: int = LEAST, most_failures: float = MOST_FAILURES, confidence: float = CONFIDENCE
) -> pl.DataFrame:
    """The grants that a history speaks for, by the rules above: `agent_id`, `action_type`, `approved`, `ran`, `failed`,
    `no_outcome`, `clusters`, `failures_high` and `max_risk`, the greatest risk that was allowed. What was asked about
    most comes first, then by name.

    Raises ValueError that names the columns that are missing, and for a `least` below 1.
    """
    if least < 1:
        raise ValueError(f"least is {least}; give 1 or more")
    decided = one_of("state", ApprovalState.APPROVED, ApprovalState.DENIED)
    rows = (
        need(facts, FACTS, "facts")
        .filter(
            one_of("decision", Decision.REQUIRE_APPROVAL)
            & one_of("source", Source.LIVE, Source.IMPORT)
            & pl.col("agent_id").is_not_null()
            & pl.col("grant_id").is_null()
            & decided
        )
        .select(
            pl.col("agent_id", "action_type", "outcome", "cluster").cast(pl.String),
            pl.col("risk_score").cast(pl.Float64),
            denied=one_of("state", ApprovalState.DENIED),
        )
        .collect()
    )
    found = []
    for (agent, kind), group in rows.group_by("agent_id", "action_type", maintain_order=True):
        if group["denied"].any() or group.height < least:
            continue
        ran = group.filter(pl.col("outcome").is_not_null())
        failed = (ran["outcome"] == ActionStatus.FAILED.value).to_list()
        bound = failure_bound(failed, ran["cluster"].fill_null("none").to_list(), confidence=confidence)
        if bound.high is not None and bound.high <= most_failures:
            greatest = group["risk_score"].max()
            found.append((agent, kind, group.height, *bound[:2], group.height - bound.ran, *bound[2:], greatest))
    return pl.DataFrame(found, schema=_suggested_types(), orient="row").sort(
        "approved", "agent_id", "action_type", descending=[True, False, False]
    )


def _suggested_types() -> dict[str, Any]:
    return {
        "agent_id": pl.String,
        "action_type": pl.String,
        "approved": pl.Int64,
        "ran": pl.Int64,
        "failed": pl.Int64,
        "no_outcome": pl.Int64,
        "clusters": pl.Int64,
        "failures_high": pl.Float64,
        "max_risk": pl.Float64,
    }
