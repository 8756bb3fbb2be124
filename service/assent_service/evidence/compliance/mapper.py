"""Mapping the organization's records onto a framework."""

from __future__ import annotations

from assent.contract.evidence.compliance import (
    ANALYZE_GAPS,
    GET_COMPLIANCE_EVIDENCE,
    GET_COMPLIANCE_REPORT,
    GET_PROOF_REPORT,
    LIST_FRAMEWORKS,
    MAP_COMPLIANCE,
    ComplianceEvidence,
    ComplianceGaps,
    ComplianceMap,
    ComplianceReport,
    EvidenceQuery,
    FrameworkQuery,
    Frameworks,
    ProofReportQuery,
    Report,
    ReportFormat,
    ReportQuery,
)
from assent_service.base.clock import Clock, moment
from assent_service.core.call import Call
from assent_service.core.moments import window_of
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.evidence.compliance import reports
from assent_service.evidence.compliance.counts import ComplianceCounts
from assent_service.evidence.compliance.evidence import KINDS, find
from assent_service.evidence.compliance.frameworks import framework_named, frameworks
from assent_service.evidence.compliance.mapping import CAVEAT, counted, gaps, mapped
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


def routes(ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    mapper, counts = Mapper(ledger, clock), ComplianceCounts(ledger, clock)

    @serves(LIST_FRAMEWORKS)
    async def listed(_: Call[None, None]) -> Frameworks:
        return Frameworks(frameworks=[each.described() for each in frameworks().values()])

    @serves(MAP_COMPLIANCE)
    async def mapped(call: Call[None, FrameworkQuery]) -> ComplianceMap:
        return await mapper.map(call.principal, call.query)

    @serves(ANALYZE_GAPS)
    async def gaps(call: Call[None, FrameworkQuery]) -> ComplianceGaps:
        return await mapper.gaps(call.principal, call.query)

    @serves(GET_COMPLIANCE_REPORT)
    async def report(call: Call[None, ReportQuery]) -> ComplianceReport:
        return await mapper.report(call.principal, call.query)

    @serves(GET_COMPLIANCE_EVIDENCE)
    async def evidence(call: Call[None, EvidenceQuery]) -> ComplianceEvidence:
        return await counts.evidence(call.principal, call.query)

    @serves(GET_PROOF_REPORT)
    async def proof(call: Call[None, ProofReportQuery]) -> Report:
        return await counts.proof(call.principal, call.query)

    return listed, mapped, gaps, report, evidence, proof
