"""What a scan of one text found, put together piece by piece. Pure.

The verdict of a file is its worst piece's; findings are told heaviest first, and the heaviest `MOST` of them are kept,
each with a little of what stands around it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from assent.cli.scan.pieces import DecodedText, Piece
from assent.contract.control.injection import LONGEST_MATCH, InjectionFinding, RiskLevel, ScanRecommendation
from assent.contract.record import Record
from assent.secrets import Finding as Secret
from assent.secrets import find_secrets

if TYPE_CHECKING:
    from assent_analytics.injection import Finding, Scan

MOST = 50
AROUND = 40
"""Characters before and after a match, of its own line."""


class Placed(InjectionFinding, frozen=True, kw_only=True):
    """`line` and `column` count from 1, `position` from 0; all three count characters, not bytes."""

    line: int
    column: int
    reads: str


class FoundSecret(Record, frozen=True, kw_only=True):
    """`matched` is never the secret: how long it is, and how it begins where every key of its kind begins so."""

    pattern: str
    category: str
    severity: str
    matched: str
    position: int
    end: int
    line: int
    column: int


class ScannedFile(Record, frozen=True, kw_only=True):
    """One file's JSON. `invalid` counts what was no text in its encoding and was replaced before the scan; `secrets` is
    None where nobody asked for them, and changes no other member."""

    file: str
    clean: bool
    recommendation: ScanRecommendation
    risk_level: RiskLevel
    score: float
    findings_count: int
    critical_count: int
    categories: list[str]
    findings: list[Placed]
    source: str
    text_digest: str
    characters: int
    encoding: str
    invalid: int
    unread: bool
    version: str
    secrets: list[FoundSecret] | None


class Excerpt(NamedTuple):
    """A match in its line: the piece of text, and where in it the match begins and ends."""

    text: str
    begin: int
    end: int


class FileScan:
    """Grows by a scan for each piece, and by its secrets where `secrets` asks for them."""

    def __init__(self, *, secrets: bool = False) -> None:
        self._secrets: dict[int, FoundSecret] | None = {} if secrets else None
        self.recommendation = ScanRecommendation.ALLOW
        self.risk = RiskLevel.NONE
        self.score = 0.0
        self.unread = False
        self.count = self.critical = 0
        self.categories: dict[str, None] = {}
        self._seen: set[tuple[str, int]] = set()
        self._kept: dict[tuple[str, int], tuple[Placed, Excerpt]] = {}

    def summary(self, file: str, source: str, version: str, reading: DecodedText) -> ScannedFile:
        """`reading` was read to its end."""
        return ScannedFile(
            file=file,
            clean=not self.count,
            recommendation=self.recommendation,
            risk_level=self.risk,
            score=round(self.score, 3),
            findings_count=self.count,
            critical_count=self.critical,
            categories=list(self.categories),
            findings=[placed for placed, _ in self.findings],
            source=source,
            text_digest=reading.digest,
            characters=reading.characters,
            encoding=reading.encoding,
            invalid=reading.invalid,
            unread=self.unread,
            version=version,
            secrets=None if self._secrets is None else [self._secrets[place] for place in sorted(self._secrets)],
        )

    @property
    def findings(self) -> list[tuple[Placed, Excerpt]]:
        """Heaviest first, and right after it the others of the same place."""
        heaviest: dict[tuple[int, int], float] = {}
        for one, _ in self._kept.values():
            place = one.position, one.end
            heaviest[place] = max(one.weight, heaviest.get(place, 0.0))
        return sorted(
            self._kept.values(),
            key=lambda kept: (-heaviest[kept[0].position, kept[0].end], kept[0].position, kept[0].end, -kept[0].weight),
        )

    def add(self, piece: Piece, scan: Scan) -> None:
        if self._secrets is not None:
            # What is cut off at the end of a piece is whole in the next one.
            for secret in map(partial(_secret, piece), find_secrets(piece.text)):
                if (last := self._secrets.get(secret.position)) is None or last.end < secret.end:
                    self._secrets[secret.position] = secret
        self.recommendation = worse(self.recommendation, ScanRecommendation(scan.recommendation))
        self.risk = max(self.risk, RiskLevel(scan.risk_level), key=list(RiskLevel).index)
        self.score = max(self.score, scan.score)
        self.unread = self.unread or scan.unread
        self.categories |= dict.fromkeys(scan.categories)
        for finding in scan.findings:
            # What stands where two pieces overlap is found twice.
            key = finding.rule, piece.begin + finding.position
            if key not in self._seen:
                self._seen.add(key)
                self.count += 1
                self.critical += finding.severity == "critical"
                self._kept[key] = _placed(piece, finding), _excerpt(piece.text, finding.position, finding.end)
        if len(self._kept) > MOST:
            self._kept = {(one.pattern, one.position): (one, around) for one, around in self.findings[:MOST]}


def _secret(piece: Piece, secret: Secret) -> FoundSecret:
    line, column = piece.place(secret.start)
    return FoundSecret(
        pattern=secret.pattern,
        category=secret.category,
        severity=secret.severity,
        matched=secret.matched(piece.text),
        position=piece.begin + secret.start,
        end=piece.begin + secret.end,
        line=line,
        column=column,
    )


def worse(one: ScanRecommendation, other: ScanRecommendation) -> ScanRecommendation:
    return max(one, other, key=list(ScanRecommendation).index)


def _placed(piece: Piece, finding: Finding) -> Placed:
    line, column = piece.place(finding.position)
    return Placed(
        pattern=finding.rule,
        category=finding.category,
        severity=finding.severity,
        says=finding.says,
        matched=finding.matched[:LONGEST_MATCH],
        position=piece.begin + finding.position,
        end=piece.begin + finding.end,
        via=list(finding.via),
        weight=round(finding.weight, 3),
        line=line,
        column=column,
        reads=finding.reads,
    )


def _excerpt(text: str, position: int, end: int) -> Excerpt:
    begin = max(text.rfind("\n", 0, position) + 1, position - AROUND)
    stop = min(end, position + LONGEST_MATCH)
    last = min(stop + AROUND, len(text))
    line_end = text.find("\n", stop, last)
    last = last if line_end < 0 else line_end
    return Excerpt(text[begin:last], position - begin, stop - begin)
