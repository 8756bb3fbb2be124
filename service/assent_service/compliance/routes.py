"""Compliance over HTTP."""

from __future__ import annotations

from assent.contract.compliance import (
    ANALYZE_GAPS,
    GET_COMPLIANCE_EVIDENCE,
    GET_COMPLIANCE_REPORT,
    GET_PROOF_REPORT,
    LIST_FRAMEWORKS,
    MAP_COMPLIANCE,
    Frameworks,
)
from assent_service.compliance.counts import Counts
from assent_service.compliance.frameworks import frameworks
from assent_service.compliance.mapper import Mapper
from assent_service.core.call import Answer, Call
from assent_service.core.clock import Clock
from assent_service.core.route import Route, route
from assent_service.store.ledger import Ledger


def routes(ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    mapper, counts = Mapper(ledger, clock), Counts(ledger, clock)

    @route(LIST_FRAMEWORKS)
    async def listed(_: Call) -> Answer:
        return Answer(Frameworks(frameworks=[each.described() for each in frameworks().values()]))

    @route(MAP_COMPLIANCE)
    async def mapped(call: Call) -> Answer:
        return Answer(await mapper.map(call.principal, call.query))

    @route(ANALYZE_GAPS)
    async def gaps(call: Call) -> Answer:
        return Answer(await mapper.gaps(call.principal, call.query))

    @route(GET_COMPLIANCE_REPORT)
    async def report(call: Call) -> Answer:
        return Answer(await mapper.report(call.principal, call.query))

    @route(GET_COMPLIANCE_EVIDENCE)
    async def evidence(call: Call) -> Answer:
        return Answer(await counts.evidence(call.principal, call.query))

    @route(GET_PROOF_REPORT)
    async def proof(call: Call) -> Answer:
        return Answer(await counts.proof(call.principal, call.query))

    return listed, mapped, gaps, report, evidence, proof
