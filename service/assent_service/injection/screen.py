"""Screening: every text that an agent says about one subject, scanned before the subject is recorded.

1. A member that held nothing lately is known as a whole, and so is a text that was scanned lately. The rest is scanned
   together (`together`). Of very large members nothing is looked up or remembered: they are read beside the loop, from
   finding their texts on.
2. A text that is to be warned of or blocked is told in one sentence and recorded with all findings, unless an operator
   allows it. What has findings below that is neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from assent.contract.injection import ScanRecommendation
from assent_service.injection.allowed import digest_of_text
from assent_service.injection.engine import engine
from assent_service.injection.findings import Subject, draft, recorded, told
from assent_service.injection.memory import Memory
from assent_service.injection.scanner import Scanner
from assent_service.injection.state import AllowedState
from assent_service.injection.texts import Said, texts_in
from assent_service.injection.together import scan_together
from assent_service.store.event import Draft

if TYPE_CHECKING:
    from assent_analytics.injection import Scan

LARGE = 65_536
"""Bytes of members from which on all of their reading is done beside the loop."""
MOST_TOLD = 20
"""Sentences about one subject, and texts that are recorded for it."""
_encode = msgspec.json.Encoder().encode


class Noticed(NamedTuple):
    """What screening a subject came to: `says` are sentences, `drafts` the events to be recorded with it."""

    recommendation: ScanRecommendation = ScanRecommendation.ALLOW
    says: tuple[str, ...] = ()
    drafts: tuple[Draft, ...] = ()


NOTHING = Noticed()


class Mode(StrEnum):
    """What guard does with what is to be blocked: block it, or only warn. `off`: nothing is screened at all."""

    BLOCK = "block"
    WARN = "warn"
    OFF = "off"


class _Member(NamedTuple):
    """A member, and as what it is remembered."""

    key: str | bytes
    place: str
    value: object

    def texts(self) -> list[Said]:
        return list(texts_in(self.place, self.value))


class Screen:
    """Screens for every organization; what comes of it in guard is for `mode` to say."""

    def __init__(self, scanner: Scanner, allowed: AllowedState, mode: Mode) -> None:
        self._scanner, self._allowed, self.mode = scanner, allowed, mode
        self._clean: Memory[bool] = Memory()

    async def look(self, subject: Subject, said: Iterable[tuple[str, object]]) -> Noticed:
        """`said` are members and their values, in the order in which they are told. Raises `busy`."""
        if self.mode is Mode.OFF:
            return NOTHING
        source = subject.kind.value
        members = self._unknown(said, source)
        if not members:
            return NOTHING
        size = sum(len(member.key) for member in members)
        if size > LARGE:
            scanned = await self._scanner.run(size, partial(_scan_members, members, source))
        else:
            scanned = await self._scanned(members, source)
        return self._noticed(subject, scanned) if scanned else NOTHING

    def _unknown(self, said: Iterable[tuple[str, object]], source: str) -> list[_Member]:
        """Members of which it is not known that they hold nothing."""
        found: list[_Member] = []
        for place, value in said:
            if isinstance(value, str | dict | list):
                key = value if isinstance(value, str) else _encode(value)
                if self._clean.get(key, source) is None:
                    found.append(_Member(key, place, value))
        return found

    async def _scanned(self, members: Sequence[_Member], source: str) -> list[tuple[Said, Scan]]:
        """The texts in which something was found, in their order; what is told of several together comes last."""
        known = self._scanner.known
        texts = [member.texts() for member in members]
        scans = {each: known.get(each.text, source) for several in texts for each in several}
        unknown = [each for each, scan in scans.items() if scan is None]
        if unknown:
            size = sum(len(each.text) for each in unknown)
            for each, fresh in await self._scanner.run(size, partial(_scan, unknown, source)):
                known.put(each.text, source, fresh)
                scans[each] = fresh
        found = [(each, scan) for each, scan in scans.items() if scan is not None and scan.findings]
        for member, several in zip(members, texts, strict=True):
            if not found or all((scan := scans[each]) is not None and not scan.findings for each in several):
                self._clean.put(member.key, source, True)
        return found

    def _noticed(self, subject: Subject, scanned: Iterable[tuple[Said, Scan]]) -> Noticed:
        worst, says, drafts = ScanRecommendation.ALLOW, list[str](), list[Draft]()
        for each, found in scanned:
            if found.recommendation.value == ScanRecommendation.ALLOW:
                continue
            text_digest = digest_of_text(each.text)
            if self._allowed.get(subject.principal.org_id, text_digest) is not None:
                continue
            worst = _worst(worst, ScanRecommendation(found.recommendation.value))
            if len(says) < MOST_TOLD:
                says.append(told(each.place, found))
                source = subject.kind.value
                record = recorded(subject, each.place, each.text, source, found, text_digest=text_digest, allowed=False)
                drafts.append(draft(record, subject.now))
        return Noticed(worst, tuple(says), tuple(drafts)) if says else NOTHING


def _scan(texts: Iterable[Said], source: str) -> list[tuple[Said, Scan]]:
    return list(scan_together(texts, source, engine().scan))


def _scan_members(members: Iterable[_Member], source: str) -> list[tuple[Said, Scan]]:
    """The texts in which something was found."""
    texts = (each for member in members for each in member.texts())
    return [(each, scan) for each, scan in scan_together(texts, source, engine().scan) if scan.findings]


def _worst(one: ScanRecommendation, other: ScanRecommendation) -> ScanRecommendation:
    order = list(ScanRecommendation)
    return max(one, other, key=order.index)
