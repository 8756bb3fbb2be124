"""The scan of a text for prompt injections: instructions that an attacker put there.

`scan` gives the score, the risk level, what to do, and the findings with their places. Before it decodes or folds
anything, one look (`Glance`) tells whether a text has markup, signs for letters or hidden pieces at all. Most short
texts have none of it, and pay one search for three; texts that are not ASCII are not asked. Of those, most say no more
than others before them: their words mean nothing to any rule, in an order that was seen, and they are not read at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import re2

from assent_analytics.injection.decode import SIGNS as HIDING
from assent_analytics.injection.decode import Decoder
from assent_analytics.injection.fold import Folded, reads_as
from assent_analytics.injection.lexicon import Segmenter
from assent_analytics.injection.splice import Spliced
from assent_analytics.injection.verdict import WARN, Recommendation, factor, recommend, total, weight
from assent_analytics.injection.view import RuleMatch, TextReader
from assent_analytics.injection.words import SIGNS as LEET
from assent_analytics.injection.work import ScanBudget


def _options() -> re2.Options:
    options = re2.Options()
    options.never_capture = True
    options.max_mem = 16 << 20
    options.encoding = re2.Options.Encoding.LATIN1
    return options


class Glance:
    """Knows the expressions of `markup`."""

    def __init__(self, markup: Iterable[str]) -> None:
        expressions = [*(pattern.encode() for pattern in markup), HIDING, LEET]
        self._any = re2.compile(b"|".join(expressions), _options())

    def plain(self, raw: bytes) -> bool:
        """Whether a lower-case ASCII text has nothing of it."""
        return self._any.search(raw) is None


# Scans a text for instructions that an attacker put there.
#
# The text is folded, read, decoded and read again, `LAYERS` times at most; the evidence of all readings makes the
# score.


LAYERS = 3
USUAL = frozenset({"url", "html", "escapes"})
"""Decodings of every day: nobody hides by them, and they say nothing more than the text."""
MOST = 50
"""Findings told; the score has all."""

SHORT = 1000
"""Characters of a text that may be told to say nothing without reading it."""
DEEP = 100
"""Characters shown of what was not looked into."""
LEAST = 0.1
"""The finding that says so weighs at least this much."""

_READER = TextReader()
_GLANCE = Glance(rule.pattern for rule in _READER.markup.rules)
_DECODER = Decoder(Segmenter(_READER.lexicon.words), _READER.lexicon)


class Finding(NamedTuple):
    """`position` to `end` are characters of the text as given; `via` are the decodings, outermost first; `reads` is
    what stands there once they are undone, its first 200 characters on one line."""

    rule: str
    category: str
    severity: str
    says: str
    position: int
    end: int
    matched: str
    via: tuple[str, ...]
    weight: float
    reads: str = ""


class Scan(NamedTuple):
    """What a scan found. `risk_level` is none, low, medium, high or critical. `unread`: the text hides more than `work`
    allows to look into, which a finding says, and is a reason to warn."""

    recommendation: Recommendation
    risk_level: str
    score: float
    categories: tuple[str, ...]
    findings: tuple[Finding, ...]
    unread: bool = False


_NOTHING = Scan(recommend(0.0), "none", 0.0, (), ())


class _Place:
    """Where a piece of the latest reading stands in the text as given."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = Folded(text)
        self.layers: list[Spliced] = []

    def via(self, start: int, end: int) -> tuple[str, ...]:
        found: tuple[str, ...] = ()
        for layer in reversed(self.layers):
            found = (*layer.via(start, end), *found)
            start, end = layer.span(start, end)
        return found

    def span(self, start: int, end: int) -> tuple[int, int]:
        for layer in reversed(self.layers):
            start, end = layer.span(start, end)
        return self.folded.span(start, end)


def scan(text: str, source: str = "user_input") -> Scan:
    """Scan one text of any length. `source` says where it came from: such as user_input, system_prompt, tool_output."""
    if len(text) <= SHORT and text.isascii() and _is_silent(text.lower()):
        return _NOTHING
    place = _Place(text)
    work = ScanBudget(len(text))
    best: dict[str, Finding] = {}
    unread: tuple[int, int] | None = None
    reading = place.folded.text
    for _ in range(LAYERS + 1):
        lower = reading.lower()
        plain = reading.isascii() and _GLANCE.plain(lower.encode())
        for one in _READER.read(lower, plain, work, not place.layers):
            _keep(one, best, place, reading)
        hidden = [] if plain else _DECODER.pieces(reading, reading.encode("ascii", "replace"), work)
        if work.first is not None and unread is None:
            unread = place.span(*work.first)
        if not hidden:
            break
        place.layers.append(Spliced(reading, hidden))
        reading = Folded(place.layers[-1].text).text
        reading = reading[: work.reading(len(reading))]
    if not best and unread is None:
        return _NOTHING
    findings = sorted(best.values(), key=lambda finding: -finding.weight)
    factored = factor(source)
    score = total(findings)
    if unread is not None:
        findings = [*findings[: MOST - 1], _unread(work.missed, text, *unread, WARN / factored - score)]
        score = max(score, WARN / factored)
    score *= factored
    return _scan_of(score, findings, unread is not None)


def joined(found: Scan, more: Finding, source: str) -> Scan:
    """The scan with a finding of another kind than the rules', weighed with theirs; it never makes less of them."""
    findings = sorted([*found.findings, more], key=lambda finding: -finding.weight)
    return _scan_of(max(found.score, total(findings) * factor(source)), findings, found.unread)


def _scan_of(score: float, findings: Sequence[Finding], unread: bool) -> Scan:
    recommendation = recommend(score)
    risk = {"block": "critical", "warn": "high"}.get(recommendation, "low" if findings else "none")
    return Scan(
        recommendation,
        risk,
        score,
        tuple(dict.fromkeys(finding.category for finding in findings)),
        tuple(findings[:MOST]),
        unread,
    )


def _is_silent(lower: str) -> bool:
    """Whether nothing is found in a short lower-case ASCII text, in any reading; a false No costs time alone."""
    return _GLANCE.plain(lower.encode()) and _READER.is_silent(lower)


def _keep(evidence: RuleMatch, best: dict[str, Finding], place: _Place, reading: str) -> None:
    """The heaviest evidence of each rule, as a finding."""
    rule, start, end = evidence.rule, evidence.start, evidence.end
    reads = reading[start:end], evidence.via
    via = (*place.via(start, end), *evidence.via)
    value = weight(evidence if USUAL.issuperset(via) else evidence._replace(via=via))
    if rule.name not in best or value > best[rule.name].weight:
        start, end = place.span(start, end)
        best[rule.name] = Finding(
            rule.name,
            rule.category,
            rule.severity,
            rule.says,
            start,
            end,
            place.text[start:end],
            via,
            value,
            reads_as(*reads),
        )


def _unread(missed: int, text: str, start: int, end: int, weight: float) -> Finding:
    """Weighs what a warning lacks, so that it never makes a block of one."""
    end = min(end, start + DEEP)
    says = f"hides more than is looked into: {missed:,} characters may say something else"
    shown = text[start:end]
    return Finding(
        "left_unread", "encoding_evasion", "medium", says, start, end, shown, (), max(weight, LEAST), shown[:DEEP]
    )
