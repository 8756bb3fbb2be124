"""What triage would have done in a history in which everything was asked, stratum by stratum, and how it stands now.

1. Looked at are requests that guard had a person decide by rules alone: no standing grant, nothing that was drawn to
   find out. Each decision counts once. `simulated` counts those that a simulator made up.
2. What triage may never let through is `kept`, and asked as before: what is not said to be reversible, what the scan
   for prompt injections matched, what one of the policies `always` matched (give those that ask always, and webhooks),
   and what has no risk score.
3. Harmful is what a person denied and what failed; harmless what a person allowed and was completed. The rest will
   never be known, and counts as harmful: expired, withdrawn, cancelled, and what waits or runs for longer than
   `horizon`. What waits or runs for less is not known yet. A column `harmful` (true, false, empty: not known yet) says
   otherwise.
4. Requests are decided in the order in which they were asked, and labels come when they came: at the denial, or at the
   end of the action. Draws come from `seed` and the id of the decision.
5. `fewer` is the share of all requests, kept ones included, that would have passed. Since all of them were asked, how
   many of those were harmful is known, and told: `passed_harmful`, beside `bound`, which is all that audits would have
   shown. A failure of what passed is learnt, since the agent tells it. A history says how it would have been if
   operators and agents had done the same.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any

import polars as pl

from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision, Source, TriageAnswer
from assent.contract.control.injection import SCAN_POLICY
from assent_analytics.frames import Frame, has, need, one_of, time_type, utc
from assent_analytics.triage.triage import Plan, Triage, draw_of, says

FACTS = (
    *("decision_id", "decision", "source", "risk_score", "reversible", "matched_policies", "state", "outcome"),
    *("occurred_at", "requested_at", "decided_at", "timestamp_end"),
)
HARMFUL = "harmful"
HORIZON = timedelta(days=7)


def triage_readiness(
    facts: Frame,
    plan: Plan,
    *,
    by: str = "action_type",
    always: Collection[str] = (),
    horizon: timedelta = HORIZON,
    seed: str = "",
) -> pl.DataFrame:
    """One row for each stratum, those with most requests first: the column `by`; `requests`, `kept` of them,
    `simulated`; `harmful` of those with a label, `missing` of these because nobody will know, `not_known` yet; `fewer`,
    `passed`, `passed_harmful`; and how it stands: `state`, `epoch`, `threshold`, `tested`, `needed`, `audit_share`,
    `bound`, `budget`, `alarms`, `says` (`assent_analytics.triage.Status`). `facts` are those of
    `assent_analytics.facts`.

    `plan.strata` is taken as it is: with more strata than that, delta holds for each so many of them. Raises ValueError
    that names missing columns, for a `by` that is one of the columns told, and for a horizon that is not above zero.
    """
    if by in _types():
        raise ValueError(f"by is {by!r}, which is a column of the answer; give another one, such as action_type")
    if horizon <= timedelta(0):
        raise ValueError(f"horizon is {horizon}; give a time above zero")
    rows = _requests(facts, by, always, horizon)
    told = [
        (name, *_told(plan, stratum, seed))
        for (name,), stratum in rows.partition_by(by, as_dict=True, maintain_order=True).items()
    ]
    return pl.DataFrame(told, schema={by: rows.schema[by], **_types()}, orient="row").sort(
        "requests", by, descending=[True, False]
    )


def _requests(facts: Frame, by: str, always: Collection[str], horizon: timedelta) -> pl.DataFrame:
    """One row for each request of rule 1, in their order: `by`, `key`, `score`, `kept`, `harmful`, `at`, `known_at`."""
    frame = need(facts, (by, *FACTS), "facts")
    drawn = pl.col("propensity") < 1 if has(facts, "propensity") else pl.lit(False)
    granted = pl.col("grant_id").is_not_null() if has(facts, "grant_id") else pl.lit(False)
    never = [SCAN_POLICY, *always]
    policies = pl.col("matched_policies").cast(pl.String).fill_null("")
    ended = pl.coalesce(utc("timestamp_end"), utc("decided_at"), utc("occurred_at"))
    last = pl.max_horizontal(
        pl.col(name).cast(time_type()).max() for name in ("occurred_at", "decided_at", "timestamp_end")
    )
    asked = pl.coalesce(utc("requested_at"), utc("occurred_at"))
    denied, failed = one_of("state", ApprovalState.DENIED), one_of("outcome", ActionStatus.FAILED)
    fine = one_of("state", ApprovalState.APPROVED) & one_of("outcome", ActionStatus.COMPLETED)
    over = one_of("state", ApprovalState.EXPIRED, ApprovalState.WITHDRAWN) | (asked + horizon < last)
    label = pl.col(HARMFUL) if has(facts, HARMFUL) else pl.when(denied | failed).then(True).when(fine).then(False)
    missing = label.is_null() & over
    return (
        frame.with_columns(last=last)
        .filter(
            one_of("decision", Decision.REQUIRE_APPROVAL)
            & pl.col("decision_id").is_not_null()
            & asked.is_not_null()
            & ~drawn.fill_null(False)
            & ~granted
        )
        .select(
            by,
            key=pl.col("decision_id").cast(pl.String),
            score=pl.col("risk_score").cast(pl.Float64),
            kept=~pl.col("reversible").cast(pl.Boolean).fill_null(False)
            | pl.any_horizontal(policies.str.contains(f'"{name}"', literal=True) for name in never)
            | ~pl.col("risk_score").cast(pl.Float64).is_between(0, 100).fill_null(False),
            harmful=pl.when(missing).then(True).otherwise(label),
            missing=missing,
            at=asked,
            known_at=pl.when(label.is_null()).then(asked + horizon).otherwise(pl.max_horizontal(asked, ended)),
            failed=failed,
            simulated=one_of("source", Source.SIMULATED),
        )
        .unique("key", keep="first")
        .sort("at", "key")
        .collect()
    )


def _told(plan: Plan, rows: pl.DataFrame, seed: str) -> tuple[Any, ...]:
    triage = Triage(plan)
    eligible = rows.filter(~pl.col("kept"))
    requests, labels = eligible.to_dicts(), eligible.filter(pl.col(HARMFUL).is_not_null()).to_dicts()
    # Of one moment requests come first: their labels are not known yet.
    events = [(row["at"], False, row["key"], row) for row in requests]
    events += [(row["known_at"], True, row["key"], row) for row in labels]
    passed: set[str] = set()
    for _, is_label, key, row in sorted(events, key=lambda event: event[:3]):
        if is_label:
            # Whether a person would have denied what passed, nobody would have known; a failure, yes.
            if key not in passed or row["failed"]:
                triage.learn(key, harmful=row[HARMFUL])
        elif triage.decide(key, row["score"], draw_of(seed, key)).answer is TriageAnswer.ALLOW:
            passed.add(key)
    known = rows[HARMFUL].drop_nulls()
    passed_harmful = sum(row[HARMFUL] for row in labels if row["key"] in passed)
    status = triage.status()
    return (
        rows.height,
        int(rows["kept"].sum()),
        int(rows["simulated"].sum()),
        int(known.sum()),
        int(rows["missing"].sum()),
        rows.height - known.len(),
        len(passed) / rows.height,
        len(passed),
        passed_harmful,
        *(status.state.value, status.epoch, status.threshold, status.tested, status.needed, status.audit_share),
        *(status.bound, status.budget, len(status.alarms)),
        says(status),
    )


def _types() -> dict[str, Any]:
    whole = dict.fromkeys(("requests", "kept", "simulated", "harmful", "missing", "not_known"), pl.Int64)
    stands = {
        "state": pl.String,
        "epoch": pl.Int64,
        "threshold": pl.Float64,
        "tested": pl.Int64,
        "needed": pl.Int64,
        "audit_share": pl.Float64,
        "bound": pl.Int64,
        "budget": pl.Float64,
        "alarms": pl.Int64,
        "says": pl.String,
    }
    return {**whole, "fewer": pl.Float64, "passed": pl.Int64, "passed_harmful": pl.Int64, **stands}
