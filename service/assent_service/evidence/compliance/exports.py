"""Exports: what the map of frameworks is at one moment, kept as a text; and what exports counted, over time.

1. An export is made of the map as everybody is answered it (`mapper`), once, and never changes. So a trend compares
   what was counted when it was counted: that a key was there last month can be read from no table of today.
2. Its length is bounded by what it is made of: the frameworks that there are, their controls, ten records for each kind
   of evidence, and as many earlier counts as TRENDS_SHOWN.
3. A deleted export is in no list and no trend, and its text is no longer in the tables. The log keeps it, as it keeps
   everything.
4. A bundle is made when it is asked for. It signs the export as it is recorded, by the key that is in use then.
5. A trend says what it rests on: the export, its window, the version of the framework and the number of records. Counts
   of other windows or versions are told apart by these members, and nothing is computed across them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Protocol

import msgspec

from assent.contract.events import EventName
from assent.contract.evidence.compliance import ComplianceMap, FrameworkQuery, ReportFormat
from assent.contract.evidence.compliance_exports import (
    CREATE_COMPLIANCE_EXPORT,
    DELETE_COMPLIANCE_EXPORT,
    DOWNLOAD_COMPLIANCE_EXPORT,
    EXPORT_PAYLOAD,
    GET_COMPLIANCE_EXPORT,
    GET_COMPLIANCE_TRENDS,
    LIST_COMPLIANCE_EXPORTS,
    ComplianceBundle,
    ComplianceExport,
    ComplianceExportDetail,
    ComplianceExportRow,
    ComplianceExports,
    ComplianceExportsQuery,
    ComplianceTrend,
    ComplianceTrends,
    ComplianceTrendsQuery,
    CreateComplianceExport,
    DeletedComplianceExport,
    FrameworkCounts,
)
from assent.contract.evidence.proofs import BundleKey
from assent.contract.problems import Code
from assent.proof.canonical import canonical
from assent.proof.dsse import seal
from assent_service.base.clock import Clock, microseconds, moment, new_id
from assent_service.base.problem import refuse
from assent_service.core.call import Call
from assent_service.core.carry import carry
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.core.rows import Filters, find_row, list_rows, of_caller, record, select
from assent_service.evidence.compliance import reports
from assent_service.evidence.compliance.frameworks import framework_named
from assent_service.evidence.compliance.mapper import Mapper
from assent_service.evidence.wallet import WALLET_FENCE, Wallet
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

COMPLIANCE_EXPORTS = Table.of(
    ComplianceExportRow,
    name="compliance_exports",
    meaning="reports on compliance that were kept, one row for each",
    key="export_id",
    created=("compliance_export.created",),
    replaced=("compliance_export.updated",),
)
EXPORT_FENCE = Fence("compliance_export", "export_id")
FILTERS = Filters(COMPLIANCE_EXPORTS, ComplianceExportsQuery)
KEPT = "deleted_at IS NULL"
TRENDS_SHOWN = 30
"""Earlier counts of each framework in a report."""
CAVEAT = (
    "Each count is of the records that an export found then, not of whether a control is met. Compare those of the "
    "same framework_version and window_days only."
)
_COUNTED = f"SELECT {select(COMPLIANCE_EXPORTS)} FROM compliance_exports WHERE"


class ExportChoice(Protocol):
    """What says which export to make: a request for one, or a schedule."""

    @property
    def frameworks(self) -> list[str]: ...
    @property
    def name(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def window_days(self) -> int: ...
    @property
    def include_evidence(self) -> bool: ...
    @property
    def include_remediation(self) -> bool: ...
    @property
    def include_trends(self) -> bool: ...


def format_of(said: str) -> ReportFormat:
    return ReportFormat.JSON if said == "json" else ReportFormat.MARKDOWN


def named(frameworks: Sequence[str]) -> list[str]:
    """Their names as they are kept, each once. Raises `framework_not_found`."""
    return list(dict.fromkeys(framework_named(name).framework for name in frameworks))


def counts_of(found: ComplianceMap) -> FrameworkCounts:
    kinds = {each.evidence: each.n for control in found.controls for each in control.evidence}
    return carry(FrameworkCounts, found.summary, found, records=sum(kinds.values()))


def included(found: ComplianceMap, choice: ExportChoice) -> ComplianceMap:
    """The map as the report shows it."""
    less: dict[str, Any] = {}
    if not choice.include_evidence:
        less["evidence"] = []
    if not choice.include_remediation:
        less["gap_recommendations"] = []
    return msgspec.structs.replace(
        found, controls=[msgspec.structs.replace(control, **less) for control in found.controls]
    )


def points(exports: Sequence[ComplianceExport], framework: str | None, limit: int) -> list[ComplianceTrend]:
    """The newest counts of these exports, which are newest first; in the order in which they were counted."""
    found = [
        carry(ComplianceTrend, export, counts)
        for export in exports
        for counts in export.counts
        if framework in (None, counts.framework)
    ]
    return found[:limit][::-1]


class ComplianceReports:
    """The exports of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks, mapper: Mapper, wallet: Wallet) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self._mapper, self._wallet = mapper, wallet

    async def make(self, principal: Principal, choice: ExportChoice, schedule_id: str | None) -> ComplianceExportRow:
        """The export, which nobody has recorded yet. Raises `framework_not_found` and `projection_behind`."""
        frameworks = named(choice.frameworks)
        window = f"{choice.window_days}d"
        maps = [await self._mapper.map(principal, FrameworkQuery(framework=name, window=window)) for name in frameworks]
        trends: Mapping[str, list[ComplianceTrend]] = {}
        if choice.include_trends:
            trends = {name: (await self._counted(principal, name, TRENDS_SHOWN))[0] for name in frameworks}
        shown = [included(each, choice) for each in maps]
        report = reports.of_export(choice.name, shown, trends, format_of(choice.format))
        content = report.encode()
        now = self._clock()
        return ComplianceExportRow(
            org_id=principal.org_id,
            export_id=new_id("cex_", now),
            name=choice.name,
            frameworks=frameworks,
            format=format_of(choice.format),
            window_days=choice.window_days,
            include_evidence=choice.include_evidence,
            include_remediation=choice.include_remediation,
            include_trends=choice.include_trends,
            since=min(each.since for each in maps),
            until=max(each.until for each in maps),
            counts=[counts_of(each) for each in maps],
            report_digest=f"sha256:{sha256(content).hexdigest()}",
            report_bytes=len(content),
            schedule_id=schedule_id,
            created_by=principal.key_id,
            created_at=moment(now),
            deleted_at=None,
            report=report,
        )

    async def create(self, principal: Principal, said: CreateComplianceExport) -> ComplianceExportRow:
        """Raises as `make` does."""
        made = await self.make(principal, said, None)
        await self._ledger.append(created(made, principal.key_id))
        return made

    async def get(self, principal: Principal, export_id: str) -> ComplianceExportRow:
        """Raises `compliance_export_not_found`, also for a deleted one."""
        found = await find_row(self._ledger, COMPLIANCE_EXPORTS, ComplianceExportRow, principal.org_id, export_id)
        if found is None or found.deleted_at is not None:
            raise refuse(
                Code.COMPLIANCE_EXPORT_NOT_FOUND,
                f"There is no compliance export {export_id[:128]!r} in this organization.",
            )
        return found

    async def bundle(self, principal: Principal, export_id: str) -> ComplianceBundle:
        """Raises `compliance_export_not_found` and `wallet_unavailable`."""
        export = await self.get(principal, export_id)
        signer = await self._wallet.signer(principal.org_id)
        payload = canonical(msgspec.json.decode(msgspec.json.encode(export)))
        return ComplianceBundle(
            payload=export,
            attestation=seal(payload, EXPORT_PAYLOAD, signer.kid, signer.key),
            keys=[carry(BundleKey, signer.jwk)],
        )

    async def delete(self, principal: Principal, export_id: str) -> DeletedComplianceExport:
        """Raises `compliance_export_not_found`, also for one that was deleted before."""
        async with self._locks.hold(EXPORT_FENCE.of(principal.org_id, export_id)):
            before = await self.get(principal, export_id)
            now = self._clock()
            gone = msgspec.structs.replace(before, deleted_at=moment(now), report="")
            await self._ledger.append(_event(EventName.COMPLIANCE_EXPORT_UPDATED, gone, principal.key_id, now))
            return DeletedComplianceExport(deleted=True, export_id=export_id)

    async def page(self, principal: Principal, query: ComplianceExportsQuery) -> ComplianceExports:
        chosen = of_caller(principal)
        chosen.add_all(KEPT, [])
        FILTERS.narrow(chosen, query)
        page = await list_rows(self._ledger, COMPLIANCE_EXPORTS, ComplianceExportRow, chosen, query)
        return ComplianceExports(
            exports=[carry(ComplianceExport, row) for row in page.rows],
            total=page.total,
            next_cursor=page.next_cursor,
        )

    async def trends(self, principal: Principal, query: ComplianceTrendsQuery) -> ComplianceTrends:
        """Raises `framework_not_found`."""
        framework = None if query.framework is None else framework_named(query.framework).framework
        found, exports = await self._counted(principal, framework, query.limit)
        return ComplianceTrends(framework=framework, trends=found, exports=exports, caveat=CAVEAT)

    async def _counted(
        self, principal: Principal, framework: str | None, limit: int
    ) -> tuple[list[ComplianceTrend], int]:
        chosen = of_caller(principal)
        chosen.add_all(KEPT, [])
        chosen.add("list_contains(CAST(frameworks AS VARCHAR[]), ?)", framework)
        rows = await self._ledger.read(
            f"{_COUNTED} {chosen.where} ORDER BY created_at DESC, export_id DESC LIMIT ?", [*chosen.parameters, limit]
        )
        found = points([record(COMPLIANCE_EXPORTS, row, ComplianceExport) for row in rows], framework, limit)
        return found, len({point.export_id for point in found})


def created(export: ComplianceExportRow, actor: str) -> Draft:
    return _event(EventName.COMPLIANCE_EXPORT_CREATED, export, actor, microseconds(export.created_at))


def _event(name: EventName, export: ComplianceExportRow, actor: str, now: int) -> Draft:
    return Draft(org=export.org_id, type=name.value, ts=now, subject=export.export_id, actor=actor, data=encode(export))


def routes(kept: ComplianceReports) -> tuple[Route, ...]:
    @serves(CREATE_COMPLIANCE_EXPORT, unfenced=NEW_ID)
    async def create(call: Call[CreateComplianceExport, None]) -> ComplianceExportDetail:
        export = await kept.create(call.principal, call.body)
        return ComplianceExportDetail(export=export, export_id=export.export_id)

    @serves(LIST_COMPLIANCE_EXPORTS)
    async def list_all(call: Call[None, ComplianceExportsQuery]) -> ComplianceExports:
        return await kept.page(call.principal, call.query)

    @serves(GET_COMPLIANCE_EXPORT)
    async def get(call: Call[None, None], export_id: str) -> ComplianceExportDetail:
        return ComplianceExportDetail(export=await kept.get(call.principal, export_id), export_id=export_id)

    @serves(DOWNLOAD_COMPLIANCE_EXPORT, holds=(WALLET_FENCE,), effects="writes a signing key")
    async def download(call: Call[None, None], export_id: str) -> ComplianceBundle:
        return await kept.bundle(call.principal, export_id)

    @serves(DELETE_COMPLIANCE_EXPORT, holds=(EXPORT_FENCE,))
    async def delete(call: Call[None, None], export_id: str) -> DeletedComplianceExport:
        return await kept.delete(call.principal, export_id)

    @serves(GET_COMPLIANCE_TRENDS)
    async def trends(call: Call[None, ComplianceTrendsQuery]) -> ComplianceTrends:
        return await kept.trends(call.principal, call.query)

    return create, list_all, get, download, delete, trends
