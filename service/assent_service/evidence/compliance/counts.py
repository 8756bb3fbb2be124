"""Live counts of a window, and the report on policies that is made of them."""

from __future__ import annotations

import msgspec

from assent.contract.evidence.compliance import (
    ComplianceEvidence,
    EvidenceCounts,
    EvidenceQuery,
    ProofReportQuery,
    ReportFormat,
)
from assent.contract.evidence.compliance import Report as ReportAnswer
from assent.contract.window import days_of
from assent_service.base.clock import Clock, moment
from assent_service.core.moments import Window, window_of
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, rows_within
from assent_service.evidence.compliance import reports
from assent_service.store.database import Row
from assent_service.store.ledger import Ledger

_DECISIONS = """
    SELECT action_type, decision, count(*), count(*) FILTER (WHERE source = 'simulated')
    FROM guard_decisions WHERE {chosen} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2
"""
_ACTIONS = """
    SELECT status, count(*), count(*) FILTER (WHERE source = 'simulated'), count(*) FILTER (WHERE verified)
    FROM actions WHERE {chosen} GROUP BY 1 ORDER BY 2 DESC, 1
"""
_APPROVALS = "SELECT count(*), count(*) FILTER (WHERE state IN ('approved', 'denied')) FROM approvals WHERE {chosen}"
_ASSUMPTIONS = "SELECT count(*) FROM assumptions WHERE {chosen}"
_MATCHED = """
    SELECT matched_policies, count(*), max(decision_id) FROM guard_decisions WHERE {chosen} GROUP BY 1
"""
_ACTIVE = """
    SELECT policy_id, name, policy_type, mode FROM policies
    WHERE org_id = ? AND active AND deleted_at IS NULL ORDER BY created_at, policy_id
"""


class ComplianceCounts:
    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger, self._clock = ledger, clock

    async def evidence(self, principal: Principal, query: EvidenceQuery | ProofReportQuery) -> ComplianceEvidence:
        """Raises `invalid_query` for a window that is none, and `projection_behind`."""
        now = self._clock()
        window = window_of(query.window, now)
        decisions = await self._rows(_DECISIONS, principal, window, "occurred_at")
        actions = await self._rows(_ACTIONS, principal, window, "timestamp_start")
        ((asked, decided),) = await self._rows(_APPROVALS, principal, window, "requested_at")
        ((believed,),) = await self._rows(_ASSUMPTIONS, principal, window, "occurred_at")
        counts = EvidenceCounts(
            guard_decisions_total=_sum(decisions, 2),
            guard_decisions_blocked=_sum([row for row in decisions if row[1] == "block"], 2),
            approval_requests=_number(asked),
            approvals_decided=_number(decided),
            action_records_total=_sum(actions, 1),
            actions_verified=_sum(actions, 3),
            assumptions_total=_number(believed),
            simulated=_sum(decisions, 3) + _sum(actions, 2),
            breakdown=[{"action_type": row[0], "decision": row[1], "count": row[2]} for row in decisions],
            action_breakdown=[{"status": row[0], "count": row[1]} for row in actions],
        )
        return ComplianceEvidence(
            window=window.text,
            window_days=days_of(window.text),
            since=window.since,
            until=window.until,
            evidence=counts,
            generated_at=moment(now),
        )

    async def proof(self, principal: Principal, query: ProofReportQuery) -> ReportAnswer:
        """The policies in force with how often each matched in the window, and the counts beside them."""
        evidence = await self.evidence(principal, query)
        window = Window(evidence.window, evidence.since, evidence.until)
        matched = matches(await self._rows(_MATCHED, principal, window, "occurred_at"))
        policies = [
            {
                "policy_id": policy_id,
                "name": name,
                "policy_type": policy_type,
                "mode": mode,
                "matched": matched.get(str(policy_id), NEVER)[0],
                "newest_decision": matched.get(str(policy_id), NEVER)[1],
            }
            for policy_id, name, policy_type, mode in await self._ledger.read(_ACTIVE, [principal.org_id])
        ]
        chosen_format = ReportFormat.JSON if query.format == "json" else ReportFormat.MARKDOWN
        return ReportAnswer(
            report=reports.of_policies(policies, evidence, chosen_format),
            format=chosen_format,
            generated_at=evidence.generated_at,
        )

    async def _rows(self, sql: str, principal: Principal, window: Window, time: str) -> list[Row]:
        chosen: Filter = rows_within(window, time, principal, None)
        return await self._ledger.read(sql.format(chosen=chosen.where), chosen.parameters)


NEVER: tuple[int, str | None] = (0, None)


def matches(rows: list[Row]) -> dict[str, tuple[int, str | None]]:
    """How often each policy matched, and in which decision last, from the lists of policies that matched together with
    how often they did and when last."""
    found: dict[str, tuple[int, str | None]] = {}
    for ids, count, newest in rows:
        for policy_id in msgspec.json.decode(str(ids), type=list[str]):
            n, last = found.get(policy_id, NEVER)
            found[policy_id] = (n + _number(count), max(last or "", str(newest)))
    return found


def _number(value: object) -> int:
    return int(str(value))


def _sum(rows: list[Row], place: int) -> int:
    return sum(_number(row[place]) for row in rows)
