"""Mapping the organization's records onto a framework."""

from __future__ import annotations

from assent.contract.compliance import (
    ComplianceGaps,
    ComplianceMap,
    ComplianceReport,
    FrameworkQuery,
    ReportFormat,
    ReportQuery,
)
from assent_service.compliance import reports
from assent_service.compliance.evidence import find
from assent_service.compliance.frameworks import framework_named
from assent_service.compliance.kinds import KINDS
from assent_service.compliance.mapping import CAVEAT, counted, gaps, mapped
from assent_service.core.clock import Clock, moment
from assent_service.core.principal import Principal
from assent_service.core.window import window_of
from assent_service.store.ledger import Ledger


class Mapper:
    """`ledger` has the records that evidence is looked for in."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger, self._clock = ledger, clock

    async def map(self, principal: Principal, query: FrameworkQuery | ReportQuery) -> ComplianceMap:
        """Raises `framework_not_found`, `invalid_query` for a window that is none, and `projection_behind`."""
        framework = framework_named(query.framework)
        now = self._clock()
        window = window_of(query.window, now)
        wanted = {name for control in framework.controls for name in control.evidence}
        found = {name: await find(self._ledger, principal, KINDS[name], window) for name in sorted(wanted)}
        policies = await self._in_force(principal)
        controls = [mapped(control, found, policies) for control in framework.controls]
        return ComplianceMap(
            framework=framework.framework,
            title=framework.title,
            framework_version=framework.version,
            source=framework.source,
            project=await self._project(principal),
            window=window.text,
            since=window.since,
            until=window.until,
            generated_at=moment(now),
            summary=counted(controls),
            controls=controls,
            caveat=CAVEAT,
        )

    async def gaps(self, principal: Principal, query: FrameworkQuery) -> ComplianceGaps:
        """Raises as `map` does."""
        whole = await self.map(principal, query)
        lacking = gaps(whole.controls)
        return ComplianceGaps(
            framework=whole.framework,
            framework_version=whole.framework_version,
            generated_at=whole.generated_at,
            total_gaps=len(lacking),
            gaps=lacking,
            recommendations=list(dict.fromkeys(words for each in lacking for words in each.gap_recommendations)),
        )

    async def report(self, principal: Principal, query: ReportQuery) -> ComplianceReport:
        """Raises as `map` does."""
        whole = await self.map(principal, query)
        chosen = ReportFormat.JSON if query.format == "json" else ReportFormat.MARKDOWN
        return ComplianceReport(
            framework=whole.framework,
            report=reports.of_map(whole, chosen),
            format=chosen,
            summary=whole.summary,
            generated_at=whole.generated_at,
        )

    async def _in_force(self, principal: Principal) -> list[str]:
        rows = await self._ledger.read(
            f"SELECT policy_id FROM policies WHERE org_id = ? AND {KINDS['policies'].only} "
            "ORDER BY created_at, policy_id",
            [principal.org_id],
        )
        return [str(row[0]) for row in rows]

    async def _project(self, principal: Principal) -> str:
        rows = await self._ledger.read("SELECT name FROM organizations WHERE org_id = ?", [principal.org_id])
        return str(rows[0][0])
