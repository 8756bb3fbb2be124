"""The scan for prompt injections over HTTP: one text scanned for whoever asks, and the list of past scans, newest
first."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from assent.contract.control.injection import (
    ALLOW_TEXT,
    GET_ALLOWED_TEXTS,
    GET_INJECTION_SCANS,
    REMOVE_ALLOWED_TEXT,
    SCAN_PROMPT_INJECTION,
    AllowedTextAnswer,
    AllowedTexts,
    AllowText,
    InjectionScan,
    InjectionScans,
    InjectionScansQuery,
    RecordedScan,
    ScanPromptInjection,
    ScanRecommendation,
    SubjectKind,
)
from assent.contract.problems import Code, FieldError
from assent.secrets import redacted
from assent_service.base.clock import DAY, Clock, naive
from assent_service.base.problem import refuse
from assent_service.control.injection.allowed import ALLOWED_TEXT_FENCE, AllowList, digest_of_text
from assent_service.control.injection.findings import INJECTION_SCANS, Subject, answer, draft, recorded
from assent_service.control.injection.scanner import INLINE, Scanner
from assent_service.control.injection.screen import Mode, Screen
from assent_service.core.call import Answer, Call
from assent_service.core.locks import EntityLocks
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.core.rows import Filter, Filters, of_caller, read_page
from assent_service.store.ledger import Ledger

if TYPE_CHECKING:
    from assent_analytics.injection.classifier import Classifier

# Recorded scans from the tables, newest first.


FILTERS = Filters(INJECTION_SCANS, InjectionScansQuery, {"days": None})


async def list_scans(ledger: Ledger, principal: Principal, query: InjectionScansQuery, now: int) -> InjectionScans:
    """An agent's key sees its own agent's. Raises `invalid_query` for a cursor that is not one of ours."""
    chosen = _filter(principal, query, now)
    rows = await ledger.read(
        f"SELECT recommendation, count(*) FROM injection_scans WHERE {chosen.where} GROUP BY recommendation",
        chosen.parameters,
    )
    counts = {str(name): int(str(number)) for name, number in rows}
    page = await read_page(ledger, INJECTION_SCANS, RecordedScan, chosen, query)
    return InjectionScans(
        scans=page.rows,
        total=sum(counts.values()),
        by_recommendation={each.value: counts.get(each.value, 0) for each in ScanRecommendation},
        next_cursor=page.next_cursor,
    )


def _filter(principal: Principal, query: InjectionScansQuery, now: int) -> Filter:
    chosen = of_caller(principal)
    FILTERS.narrow(chosen, query)
    if query.days is not None:
        chosen.add("created_at >= ?", naive(now - query.days * DAY))
    return chosen


class Injection:
    """The scans of every organization. `screen` is for what agents say elsewhere, and does nothing when it is `off`; a
    text by itself is always scanned. What guard and others wait for has a thread of its own, so that nobody who has
    long texts scanned holds them up."""

    def __init__(
        self, ledger: Ledger, clock: Clock, locks: EntityLocks, mode: Mode, classifier: Classifier | None = None
    ) -> None:
        self._ledger, self._clock = ledger, clock
        self.allowed = AllowList(ledger, clock, locks)
        self._asked, self._screened = Scanner("assent-scan", classifier), Scanner("assent-screen", classifier)
        self.screen = Screen(self._screened, self.allowed.state, mode)

    async def scan(self, principal: Principal, said: ScanPromptInjection) -> InjectionScan:
        """Raises `agent_mismatch` and `busy`."""
        agent_id = principal.speaks_for(said.agent_id)
        found = self._asked.known.get(said.text, said.source)
        if found is None:
            found = await self._asked.run(len(said.text), lambda: self._asked.scan(said.text, said.source))
            self._asked.remember(said.text, said.source, found)
        text_digest = await _digest_without_secrets(said.text)
        allowed = bool(found.findings) and self.allowed.state.get(principal.org_id, text_digest) is not None
        scan_id = None
        if found.findings and said.store:
            now = self._clock()
            subject = Subject(principal, SubjectKind.SCAN, "", agent_id, now)
            record: RecordedScan = recorded(
                subject,
                "text",
                said.text,
                said.source,
                found,
                text_digest=text_digest,
                allowed=allowed,
                version=self._asked.version,
            )
            await self._ledger.append(draft(record, now))
            scan_id = record.scan_id
        return answer(
            said.source,
            found,
            text_digest=text_digest,
            allowed=allowed,
            version=self._asked.version,
            scan_id=scan_id,
        )

    async def page(self, principal: Principal, query: InjectionScansQuery) -> InjectionScans:
        return await list_scans(self._ledger, principal, query, self._clock())

    async def start(self) -> None:
        self._screened.prepare()

    async def stop(self) -> None:
        self._asked.close()
        self._screened.close()


async def _digest_without_secrets(text: str) -> str:
    """The digest of what guard would see of the text, which is what an operator allows: it has lost its secrets."""
    if len(text) <= INLINE:
        return digest_of_text(redacted(text))
    return await asyncio.to_thread(lambda: digest_of_text(redacted(text)))


_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def routes(injection: Injection) -> tuple[Route, ...]:
    @serves(SCAN_PROMPT_INJECTION, unfenced=NEW_ID)
    async def scan(call: Call[ScanPromptInjection, None]) -> InjectionScan:
        return await injection.scan(call.principal, call.body)

    @serves(GET_INJECTION_SCANS)
    async def list_all(call: Call[None, InjectionScansQuery]) -> InjectionScans:
        return await injection.page(call.principal, call.query)

    @serves(ALLOW_TEXT, holds=(ALLOWED_TEXT_FENCE,))
    async def allow(call: Call[AllowText, None]) -> Answer[AllowedTextAnswer]:
        allowed, new = await injection.allowed.allow(call.principal, call.body)
        return Answer(allowed, 201 if new else 200)

    @serves(GET_ALLOWED_TEXTS)
    async def list_allowed(call: Call[None, None]) -> AllowedTexts:
        return injection.allowed.page(call.principal.org_id)

    @serves(REMOVE_ALLOWED_TEXT, holds=(ALLOWED_TEXT_FENCE,))
    async def remove(call: Call[None, None], text_digest: str) -> AllowedTextAnswer:
        if not _DIGEST.fullmatch(text_digest):
            raise refuse(
                Code.INVALID_PATH,
                f"text_digest in the path must be sha256: and 64 hexadecimal digits in lower case, and is "
                f"{text_digest[:80]!r}.",
                FieldError(place="text_digest", message="not a digest"),
            )
        return await injection.allowed.remove(call.principal, text_digest)

    return scan, list_all, allow, list_allowed, remove
