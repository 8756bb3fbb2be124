"""Scanning one text for whoever asks, and what was found before."""

from __future__ import annotations

import asyncio

from assent.contract.injection import (
    InjectionScan,
    InjectionScans,
    InjectionScansQuery,
    RecordedScan,
    ScanPromptInjection,
    SubjectKind,
)
from assent.secrets import redacted
from assent_service.core.clock import Clock
from assent_service.core.locks import EntityLocks
from assent_service.core.principal import Principal
from assent_service.injection.allowed import AllowList, digest_of_text
from assent_service.injection.engine import engine
from assent_service.injection.findings import Subject, answer, draft, recorded
from assent_service.injection.queries import list_scans
from assent_service.injection.scanner import INLINE, Scanner
from assent_service.injection.screen import Mode, Screen
from assent_service.store.ledger import Ledger


class Injection:
    """The scans of every organization. `screen` is for what agents say elsewhere, and does nothing when it is `off`; a
    text by itself is always scanned. What guard and others wait for has a thread of its own, so that nobody who has
    long texts scanned holds them up."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks, mode: Mode) -> None:
        self._ledger, self._clock = ledger, clock
        self.allowed = AllowList(ledger, clock, locks)
        self._asked, self._screened = Scanner("assent-scan"), Scanner("assent-screen")
        self.screen = Screen(self._screened, self.allowed.state, mode)

    async def scan(self, principal: Principal, said: ScanPromptInjection) -> InjectionScan:
        """Raises `agent_mismatch` and `busy`."""
        agent_id = principal.speaks_for(said.agent_id)
        found = self._asked.known.get(said.text, said.source)
        if found is None:
            found = await self._asked.run(len(said.text), lambda: engine().scan(said.text, said.source))
            self._asked.known.put(said.text, said.source, found)
        text_digest = await _digest_as_kept(said.text)
        allowed = bool(found.findings) and self.allowed.state.get(principal.org_id, text_digest) is not None
        scan_id = None
        if found.findings and said.store:
            now = self._clock()
            subject = Subject(principal, SubjectKind.SCAN, "", agent_id, now)
            record: RecordedScan = recorded(
                subject, "text", said.text, said.source, found, text_digest=text_digest, allowed=allowed
            )
            await self._ledger.append(draft(record, now))
            scan_id = record.scan_id
        return answer(said.source, found, text_digest=text_digest, allowed=allowed, scan_id=scan_id)

    async def page(self, principal: Principal, query: InjectionScansQuery) -> InjectionScans:
        return await list_scans(self._ledger, principal, query, self._clock())

    async def start(self) -> None:
        self._screened.prepare()

    async def stop(self) -> None:
        self._asked.close()
        self._screened.close()


async def _digest_as_kept(text: str) -> str:
    """The digest of what guard would see of the text, which is what an operator allows: it has lost its secrets."""
    if len(text) <= INLINE:
        return digest_of_text(redacted(text))
    return await asyncio.to_thread(lambda: digest_of_text(redacted(text)))
