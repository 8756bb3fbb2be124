"""Screening: every text that an agent says about one subject, scanned before the subject is recorded.

1. A member that held nothing lately is known as a whole, and so is a text that was scanned lately. Most of the rest
   holds nothing either, so it is first read together, in groups of GROUP characters, an empty line between two texts.
   Only where that finds anything is each text of the group scanned by itself.
2. A text that is to be warned of or blocked is told in one sentence and recorded with all findings, unless an operator
   allows it. What has findings below that is neither.
3. After ONE_BY_ONE texts by themselves, a group that finds something counts as one text: a document made of a hundred
   thousand suspicious scraps must not take seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from assent.contract.injection import ScanRecommendation
from assent_service.injection.allowed import digest_of_text
from assent_service.injection.findings import Subject, draft, recorded, told
from assent_service.injection.memory import Memory
from assent_service.injection.scanner import Scanner
from assent_service.injection.state import AllowedState
from assent_service.injection.texts import Said, texts_in
from assent_service.store.event import Draft

if TYPE_CHECKING:
    from assent_analytics.injection import Scan

GROUP = 4_000
ONE_BY_ONE = 1_000
MOST_TOLD = 20
"""Sentences about one subject, and texts that are recorded for it."""
BETWEEN = "\n\n"
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
    """A member as it is remembered, and its texts."""

    key: str | bytes
    texts: list[Said]


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
        scanned = await self._scanned([each for member in members for each in member.texts], source)
        self._remember(members, scanned, source)
        return self._noticed(subject, scanned) if scanned else NOTHING

    def _unknown(self, said: Iterable[tuple[str, object]], source: str) -> list[_Member]:
        """Members of which it is not known that they hold nothing."""
        found: list[_Member] = []
        for place, value in said:
            if isinstance(value, str | dict | list):
                key = value if isinstance(value, str) else _encode(value)
                if self._clean.get(key, source) is None:
                    found.append(_Member(key, list(texts_in(place, value))))
        return found

    def _remember(self, members: Sequence[_Member], scanned: Sequence[tuple[Said, Scan]], source: str) -> None:
        """The members that hold nothing; none where something is told of several texts together."""
        spoken = {each for each, _ in scanned}
        if spoken and not spoken.issubset({each for member in members for each in member.texts}):
            return
        for member in members:
            if spoken.isdisjoint(member.texts):
                self._clean.put(member.key, source, True)

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

    async def _scanned(self, texts: Sequence[Said], source: str) -> list[tuple[Said, Scan]]:
        """Those in which something was found, in their order."""
        known: list[tuple[Said, Scan]] = []
        unknown: list[Said] = []
        for each in texts:
            scan = self._scanner.known.get(each.text, source)
            if scan is None:
                unknown.append(each)
            elif scan.findings:
                known.append((each, scan))
        if not unknown:
            return known
        fresh = await self._fresh(unknown, source)
        if not known or not fresh:
            return known or fresh
        place = {each: at for at, each in enumerate(texts)}
        return sorted((*known, *fresh), key=lambda found: place.get(found[0], len(texts)))

    async def _fresh(self, texts: Sequence[Said], source: str) -> list[tuple[Said, Scan]]:
        groups = _groups(texts)
        together = await self._scanner.scan([_joined(group) for group in groups], source)
        found: list[tuple[Said, Scan]] = []
        left = ONE_BY_ONE
        for group, scan in zip(groups, together, strict=True):
            apart = [scan] * len(group)
            if scan.findings and len(group) > left:
                found.append((Said(f"{group[0].place} to {group[-1].place}", _joined(group)), scan))
                continue
            if scan.findings and len(group) > 1:
                left -= len(group)
                apart = await self._scanner.scan([each.text for each in group], source)
            for each, own in zip(group, apart, strict=True):
                self._scanner.known.put(each.text, source, own)
                if own.findings:
                    found.append((each, own))
        return found


def _groups(texts: Iterable[Said]) -> list[list[Said]]:
    """Neighbours whose lengths together are at most GROUP; a longer text is alone."""
    groups: list[list[Said]] = []
    room = 0
    for each in texts:
        size = len(each.text) + len(BETWEEN)
        if size > room or not groups:
            groups.append([])
            room = GROUP
        groups[-1].append(each)
        room -= size
    return groups


def _joined(group: Sequence[Said]) -> str:
    return group[0].text if len(group) == 1 else BETWEEN.join(each.text for each in group)


def _worst(one: ScanRecommendation, other: ScanRecommendation) -> ScanRecommendation:
    order = list(ScanRecommendation)
    return max(one, other, key=order.index)
