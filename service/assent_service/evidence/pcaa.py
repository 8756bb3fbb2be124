"""PCAA over HTTP: how well a window's actions passed the five checkpoints, whose actions miss which, and one action
with its proof."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Protocol

import msgspec
import polars as pl

from assent.contract.evidence.pcaa import (
    EXPECTED,
    GET_PCAA_HEALTH,
    LOST,
    RISK,
    CheckpointCounts,
    PcaaCounts,
    PcaaHealth,
    PcaaHealthQuery,
)
from assent.contract.evidence.pcaa_actions import GET_PCAA_ACTION, PcaaAction
from assent.contract.evidence.pcaa_gaps import (
    GET_PCAA_GAPS,
    MOST_GAPS,
    MOST_GROUPS,
    PcaaGap,
    PcaaGaps,
    PcaaGapsQuery,
    PcaaGroup,
)
from assent.contract.evidence.proofs import ProofBundle, ProofSnapshot
from assent.contract.evidence.traces import ActionTrace
from assent.contract.prepared import prepared
from assent.pcaa import checkpoint_states_of, enforceability_of, facts_of, receipts_of
from assent_analytics import pcaa
from assent_service.base.clock import Clock
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.moments import Window, window_of
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import rows_within
from assent_service.evidence.proofs import HEAD_FENCES
from assent_service.store.ledger import Ledger

__all__ = [
    "action_routes",
    "open_pcaa",
]


# PCAA health of a window, by the rules of `assent_analytics.pcaa`.
#
# The rules look at few things of an action, so the database gives each combination of them once, with its number: a
# million actions become a few hundred rows. What only has to be there is given as a mark, a risk as 0 or the threshold,
# and the time at which an action began as one that stands for its age: fresh, overdue or lost.


# An assumption or an approval is recorded after its action happened; the day allows for clocks that were set.
CLOCKS = timedelta(days=1)
INSTANT = timedelta(microseconds=1)

# What it is by comes first; then the newest recorded action of the group, where that is asked for.
_GATHERED = """
    SELECT
        {by}
        {action} AS action_id,
        a.decision,
        CASE WHEN a.decision_id <> '' THEN 'x' END AS decision_id,
        a.status,
        CASE WHEN a.risk_score >= ? THEN ? ELSE 0 END AS risk_score,
        a.runtime,
        a.source,
        CASE WHEN a.declared_goal <> '' THEN 'x' END AS declared_goal,
        CASE WHEN a.began < ? THEN ? WHEN a.began < ? THEN ? ELSE ? END AS timestamp_start,
        CAST(NULL AS TIMESTAMP) AS approved_at,
        CASE WHEN a.output_summary <> '' THEN 'x' END AS output_summary,
        CASE WHEN a.error_message <> '' THEN 'x' END AS error_message,
        b.action_id IS NOT NULL AS assumed,
        coalesce(b.named = 1, FALSE) AS based,
        p.state AS approval_state,
        CASE WHEN p.decided_by <> '' THEN 'x' END AS approval_decided_by,
        count(*) AS n
    FROM (
        SELECT
            *,
            CASE WHEN approved_at > timestamp_start THEN approved_at ELSE timestamp_start END AS began,
            CASE WHEN risk_score >= ? OR approval_id IS NOT NULL OR decision = 'require_approval' THEN action_id END
                AS matters
        FROM actions WHERE {chosen}
    ) AS a
    LEFT JOIN (
        SELECT action_id, max(CASE WHEN basis <> '' THEN 1 ELSE 0 END) AS named
        FROM assumptions WHERE org_id = ? AND created_at >= ? GROUP BY action_id
    ) AS b ON b.action_id = a.matters
    LEFT JOIN (
        SELECT approval_id, state, decided_by FROM approvals WHERE org_id = ? AND created_at >= ?
    ) AS p ON p.approval_id = a.approval_id
    GROUP BY {groups}
"""
_COLUMNS = 15
"""How many of the columns are grouped by, beside what it is by."""


async def health(ledger: Ledger, principal: Principal, query: PcaaHealthQuery, now: int) -> PcaaHealth:
    """Raises `invalid_query` for a window that is none, and `projection_behind`."""
    window = window_of(query.window, now)
    gathered = await gather(ledger, principal, window, query.agent_id, query.action_type)
    # Polars works in threads of its own; the event loop must not wait for them.
    numbers, counts = await asyncio.to_thread(_fold, gathered, window.until)
    n = numbers["n"]
    return PcaaHealth(
        window=window.text,
        since=window.since,
        until=window.until,
        checkpointCoverage=numbers["checkpoint_coverage"],
        approvalRate=numbers["approval_rate"],
        evidenceCompletion=numbers["evidence_completion"],
        n=PcaaCounts(checkpointCoverage=n, approvalRate=n, evidenceCompletion=n),
        checkpoints=msgspec.convert(counts, prepared(list[CheckpointCounts])),
        simulated=numbers["simulated"],
    )


async def gather(
    ledger: Ledger,
    principal: Principal,
    window: Window,
    agent_id: str | None,
    action_type: str | None = None,
    by: Sequence[str] = (),
) -> pl.DataFrame:
    """What `pcaa.judge` asks of the window's actions that the caller may see, alike ones together as `n`; with `by`,
    those that have these columns in common, too. The action that stands for a group is its newest recorded one."""
    chosen = rows_within(window, "timestamp_start", principal, agent_id)
    chosen.add("action_type = ?", action_type)
    since, now = (at.replace(tzinfo=None) for at in (window.since - CLOCKS, window.until))
    lost, overdue = now - LOST, now - EXPECTED
    # All but the action's id, which follows on those that it is by.
    places = [*range(1, len(by) + 1), *range(len(by) + 2, len(by) + 2 + _COLUMNS)]
    return await ledger.frame(
        _GATHERED.format(
            chosen=chosen.where,
            by="".join(f"a.{column}, " for column in by),
            action="max(a.action_id)" if by else "'x'",
            groups=", ".join(str(place) for place in places),
        ),
        [
            *(RISK, RISK),
            *(lost, lost - INSTANT, overdue, overdue - INSTANT, now),
            RISK,
            *chosen.parameters,
            *(principal.org_id, since),
            *(principal.org_id, since),
        ],
    )


def _fold(gathered: pl.DataFrame, now: datetime) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    states = pcaa.judge(gathered, now).collect()
    numbers, counts = pl.collect_all([pcaa.health(states), pcaa.checkpoint_counts(states)])
    return numbers.row(0, named=True), counts.to_dicts()


# PCAA gaps of a window, by the rules of `assent_analytics.pcaa`; what `health` asks, by agent and type.


GROUPED = {"by_agent": "agent_id", "by_type": "action_type", "by_runtime": "runtime"}


async def gaps(ledger: Ledger, principal: Principal, query: PcaaGapsQuery, now: int) -> PcaaGaps:
    """Raises `invalid_query` for a window that is none, and `projection_behind`."""
    window = window_of(query.window, now)
    gathered = await gather(
        ledger, principal, window, query.agent_id, query.action_type, by=("agent_id", "action_type")
    )
    # Polars works in threads of its own; the event loop must not wait for them.
    return await asyncio.to_thread(_gaps, gathered, window)


def _gaps(gathered: pl.DataFrame, window: Window) -> PcaaGaps:
    states = pcaa.judge(gathered, window.until).collect()
    everything, counts, found, *grouped = pl.collect_all(
        [
            pcaa.groups(states),
            pcaa.checkpoint_counts(states),
            pcaa.gaps(states),
            *(pcaa.groups(states, column) for column in GROUPED.values()),
        ]
    )
    by = dict(zip(GROUPED, grouped, strict=True))
    return PcaaGaps(
        window=window.text,
        since=window.since,
        until=window.until,
        all=_group(everything.row(0, named=True)),
        checkpoints=msgspec.convert(counts.to_dicts(), prepared(list[CheckpointCounts])),
        by_agent=[_group(row) for row in by["by_agent"].head(MOST_GROUPS).iter_rows(named=True)],
        by_type=[_group(row) for row in by["by_type"].head(MOST_GROUPS).iter_rows(named=True)],
        by_runtime=[_group(row) for row in by["by_runtime"].head(MOST_GROUPS).iter_rows(named=True)],
        gaps=msgspec.convert(found.head(MOST_GAPS).to_dicts(), prepared(list[PcaaGap])),
        not_shown={
            **{name: max(0, frame.height - MOST_GROUPS) for name, frame in by.items()},
            "gaps": max(0, found.height - MOST_GAPS),
        },
    )


def _group(row: Mapping[str, Any]) -> PcaaGroup:
    estimates = {
        name: {"value": row[name], "low": row[f"{name}_low"], "high": row[f"{name}_high"]}
        for name in ("coverage", "approval", "evidence")
    }
    return msgspec.convert(dict(row) | estimates, prepared(PcaaGroup))


# One action as PCAA sees it: its trace, its proof and its bundle, all three of the same moment.
#
# Each is read by itself, and the action may go on meanwhile. So the trace is read between the snapshot and the bundle:
# when both are about the same certificate, nothing that it is made of was recorded in between, and the trace is of that
# state, too. Otherwise they are read again. An action that changes faster than that, three times over, is answered with
# what was read last: each of the three is then right by itself, and the checkpoints are those of the trace.


ATTEMPTS = 3

Found = tuple[ProofSnapshot, ActionTrace, ProofBundle]


class Traces(Protocol):
    """What this needs of the traces noun. Raises `action_not_found`, also for what the caller may not see, and
    `action_erased`."""

    async def trace(self, principal: Principal, action_id: str) -> ActionTrace: ...


class Proofs(Protocol):
    """What this needs of the proofs noun. Both raise `action_not_found`, and what signing raises."""

    async def snapshot(self, principal: Principal, action_id: str) -> ProofSnapshot: ...

    async def bundle(self, principal: Principal, action_id: str) -> ProofBundle: ...


async def pcaa_action(traces: Traces, proofs: Proofs, principal: Principal, action_id: str) -> PcaaAction:
    """Raises `action_not_found`, `action_erased` (its proof alone is left), and what signing raises."""
    proof, replay, export = await _together(traces, proofs, principal, action_id)
    action = replay.action
    # The certificate judges by the moment of its head, and no two parts of one answer may differ.
    facts, now = facts_of(action, replay.trace.assumptions.items, replay.approval), proof.head.signed_at
    return PcaaAction(
        action_id=action.action_id,
        replay=replay,
        proof=proof,
        export=export,
        checkpoints=list(checkpoint_states_of(facts, now)),
        enforceability=enforceability_of(facts.runtime, facts.source),
        receipts=receipts_of(facts, now),
        externality=action.externality,
    )


async def _together(traces: Traces, proofs: Proofs, principal: Principal, action_id: str) -> Found:
    found = await _read(traces, proofs, principal, action_id)
    for _ in range(ATTEMPTS - 1):
        proof, _, export = found
        if proof.digest == export.digest:
            break
        found = await _read(traces, proofs, principal, action_id)
    return found


async def _read(traces: Traces, proofs: Proofs, principal: Principal, action_id: str) -> Found:
    proof = await proofs.snapshot(principal, action_id)
    replay = await traces.trace(principal, action_id)
    return proof, replay, await proofs.bundle(principal, action_id)


def routes(ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    @serves(GET_PCAA_HEALTH)
    async def get_health(call: Call[None, PcaaHealthQuery]) -> PcaaHealth:
        return await health(ledger, call.principal, call.query, clock())

    @serves(GET_PCAA_GAPS)
    async def get_gaps(call: Call[None, PcaaGapsQuery]) -> PcaaGaps:
        return await gaps(ledger, call.principal, call.query, clock())

    return get_health, get_gaps


def action_routes(traces: Traces, proofs: Proofs) -> tuple[Route, ...]:
    @serves(GET_PCAA_ACTION, holds=HEAD_FENCES, effects="writes a signing key")
    async def get_action(call: Call[None, None], action_id: str) -> PcaaAction:
        return await pcaa_action(traces, proofs, call.principal, action_id)

    return (get_action,)


def open_pcaa(on: Foundation, traces: Traces, proofs: Proofs) -> None:
    on.bring(routes=[*routes(on.ledger, on.clock), *action_routes(traces, proofs)])
