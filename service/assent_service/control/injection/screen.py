"""Screening: every text that an agent says about one subject, scanned before the subject is recorded.

1. A member that held nothing lately is known as a whole, and so is a text that was scanned lately. The rest is scanned
   together (`scan_together`). Of very large members nothing is looked up or remembered: they are read beside the loop,
   from finding their texts on.
2. A text that is to be warned of or blocked is told in one sentence and recorded with all findings, unless an operator
   allows it. What has findings below that is neither.
3. Of what a session is told nothing is recorded but that orders were found (`holds_orders`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from assent.contract.control.injection import ScanRecommendation
from assent_service.control.injection.allowed import AllowedState, digest_of_text
from assent_service.control.injection.findings import Subject, draft, finding_sentence, recorded
from assent_service.control.injection.scanner import ScanMemory, Scanner
from assent_service.control.injection.texts import Passage, scan_together, texts_in
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

    def texts(self) -> list[Passage]:
        return list(texts_in(self.place, self.value))


Scans = dict[Passage, "Scan | None"]
ScanText = Callable[[str, str], "Scan"]


class Screen:
    """Screens for every organization; what comes of it in guard is for `mode` to say."""

    def __init__(self, scanner: Scanner, allowed: AllowedState, mode: Mode) -> None:
        self._scanner, self._allowed, self.mode = scanner, allowed, mode
        self._clean: ScanMemory[bool] = ScanMemory()

    async def look(self, subject: Subject, said: Iterable[tuple[str, object]]) -> Noticed:
        """`said` are members and their values, in the order in which they are told. Raises `busy`."""
        scanned = await self._read(said, subject.kind.value)
        return self._noticed(subject, scanned) if scanned else NOTHING

    async def holds_orders(self, org_id: str, source: str, said: Iterable[tuple[str, object]]) -> bool:
        """Whether a text is to be warned of or blocked that no operator allows, for who records nothing of the texts
        themselves. Raises `busy`."""
        return self._are_orders(org_id, await self._read(said, source))

    def holds_orders_at_once(self, org_id: str, source: str, said: Iterable[tuple[str, object]]) -> bool | None:
        """The same where it is read within the call; None for what has to be waited for."""
        scanned = self._read_at_once(said, source)
        return None if scanned is None else self._are_orders(org_id, scanned)

    def _are_orders(self, org_id: str, scanned: Sequence[tuple[Passage, Scan]]) -> bool:
        return any(
            found.recommendation.value != ScanRecommendation.ALLOW
            and self._allowed.get(org_id, digest_of_text(each.text)) is None
            for each, found in scanned
        )

    async def _read(self, said: Iterable[tuple[str, object]], source: str) -> list[tuple[Passage, Scan]]:
        """The texts in which something was found."""
        if self.mode is Mode.OFF:
            return []
        members = self._unknown(said, source)
        if not members:
            return []
        size = _size(members)
        if size > LARGE:
            return await self._scanner.run(size, partial(_scan_members, members, source, self._scanner.scan))
        return await self._scanned(members, source)

    def look_at_once(self, subject: Subject, said: Iterable[tuple[str, object]]) -> Noticed | None:
        """`look` where it is read within the call; None for what has to be waited for."""
        scanned = self._read_at_once(said, subject.kind.value)
        if scanned is None:
            return None
        return self._noticed(subject, scanned) if scanned else NOTHING

    def _read_at_once(self, said: Iterable[tuple[str, object]], source: str) -> list[tuple[Passage, Scan]] | None:
        if self.mode is Mode.OFF:
            return []
        members = self._unknown(said, source)
        if not members:
            return []
        if not self._scanner.reads_at_once(_size(members)):
            return None
        if len(members) == 1 and self._is_clean(members[0], source):
            return []
        texts, scans = self._known(members, source)
        unknown = [each for each, scan in scans.items() if scan is None]
        if unknown:
            self._remember(_scan(unknown, source, self._scanner.scan), scans, source)
        return self._found(members, texts, scans, source)

    def _is_clean(self, member: _Member, source: str) -> bool:
        """Whether a member that is one text holds nothing: a new goal is all that is new of most requests."""
        text = member.value
        if not isinstance(text, str) or self._scanner.known.get(text, source) is not None:
            return False
        scan = self._scanner.scan(text, source)
        if scan.findings:
            self._scanner.remember(text, source, scan)
            return False
        self._clean.put(text, source, True)
        return True

    def _unknown(self, said: Iterable[tuple[str, object]], source: str) -> list[_Member]:
        """Members of which it is not known that they hold nothing."""
        found: list[_Member] = []
        for place, value in said:
            if isinstance(value, str | dict | list):
                key = value if isinstance(value, str) else _encode(value)
                if self._clean.get(key, source) is None:
                    found.append(_Member(key, place, value))
        return found

    async def _scanned(self, members: Sequence[_Member], source: str) -> list[tuple[Passage, Scan]]:
        """The texts in which something was found, in their order; what is told of several together comes last."""
        texts, scans = self._known(members, source)
        unknown = [each for each, scan in scans.items() if scan is None]
        if unknown:
            size = sum(len(each.text) for each in unknown)
            reading = partial(_scan, unknown, source, self._scanner.scan)
            self._remember(await self._scanner.run(size, reading), scans, source)
        return self._found(members, texts, scans, source)

    def _known(self, members: Sequence[_Member], source: str) -> tuple[list[list[Passage]], Scans]:
        """The texts of each member, and what is known of each."""
        known = self._scanner.known
        texts = [member.texts() for member in members]
        return texts, {each: known.get(each.text, source) for several in texts for each in several}

    def _remember(self, fresh: Iterable[tuple[Passage, Scan]], scans: Scans, source: str) -> None:
        for each, scan in fresh:
            self._scanner.remember(each.text, source, scan)
            scans[each] = scan

    def _found(
        self, members: Sequence[_Member], texts: Sequence[list[Passage]], scans: Scans, source: str
    ) -> list[tuple[Passage, Scan]]:
        found = [(each, scan) for each, scan in scans.items() if scan is not None and scan.findings]
        for member, several in zip(members, texts, strict=True):
            if not found or all((scan := scans[each]) is not None and not scan.findings for each in several):
                self._clean.put(member.key, source, True)
        return found

    def _noticed(self, subject: Subject, scanned: Iterable[tuple[Passage, Scan]]) -> Noticed:
        worst, says, drafts = ScanRecommendation.ALLOW, list[str](), list[Draft]()
        for each, found in scanned:
            if found.recommendation.value == ScanRecommendation.ALLOW:
                continue
            text_digest = digest_of_text(each.text)
            if self._allowed.get(subject.principal.org_id, text_digest) is not None:
                continue
            worst = _worst(worst, ScanRecommendation(found.recommendation.value))
            if len(says) < MOST_TOLD:
                says.append(finding_sentence(each.place, found))
                source = subject.kind.value
                record = recorded(
                    subject,
                    each.place,
                    each.text,
                    source,
                    found,
                    text_digest=text_digest,
                    allowed=False,
                    version=self._scanner.version,
                )
                drafts.append(draft(record, subject.now))
        return Noticed(worst, tuple(says), tuple(drafts)) if says else NOTHING


def _size(members: Iterable[_Member]) -> int:
    return sum(len(member.key) for member in members)


def _scan(texts: Iterable[Passage], source: str, scan: ScanText) -> list[tuple[Passage, Scan]]:
    return list(scan_together(texts, source, scan))


def _scan_members(members: Iterable[_Member], source: str, scan: ScanText) -> list[tuple[Passage, Scan]]:
    """The texts in which something was found."""
    texts = (each for member in members for each in member.texts())
    return [(each, found) for each, found in scan_together(texts, source, scan) if found.findings]


def _worst(one: ScanRecommendation, other: ScanRecommendation) -> ScanRecommendation:
    order = list(ScanRecommendation)
    return max(one, other, key=order.index)
