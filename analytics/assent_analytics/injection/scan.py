"""Scans a text for instructions that an attacker put there.

The text is folded, read, decoded and read again, `LAYERS` times at most; the evidence of all readings makes the score.
"""

from __future__ import annotations

from typing import NamedTuple

from assent_analytics.injection.decode import pieces
from assent_analytics.injection.fold import Folded
from assent_analytics.injection.segment import Segmenter
from assent_analytics.injection.splice import Spliced
from assent_analytics.injection.verdict import Recommendation, factor, recommend, weight
from assent_analytics.injection.view import Evidence, Reader

LAYERS = 3
AGAIN = 0.3
USUAL = frozenset({"url", "html", "escapes"})
"""Decodings of every day: nobody hides by them, and they say nothing more than the text."""
MOST = 50
"""Findings told; the score has all."""

_READER = Reader()
_SEGMENTER = Segmenter(_READER.lexicon.words)


class Finding(NamedTuple):
    """`position` to `end` are characters of the text as given; `via` are the decodings, outermost first."""

    rule: str
    category: str
    severity: str
    says: str
    position: int
    end: int
    matched: str
    via: tuple[str, ...]
    weight: float


class Scan(NamedTuple):
    """What a scan found. `risk_level` is none, low, medium, high or critical."""

    recommendation: Recommendation
    risk_level: str
    score: float
    categories: tuple[str, ...]
    findings: tuple[Finding, ...]


def scan(text: str, source: str = "user_input") -> Scan:
    """Scan one text of any length. `source` says where it came from: such as user_input, system_prompt, tool_output."""
    folded = Folded(text)
    best: dict[str, tuple[float, Finding]] = {}
    layers: list[Spliced] = []
    reading = folded.text
    for _ in range(LAYERS + 1):
        _, found = _READER.read(reading.lower())
        for one in found:
            finding = _finding(one, text, folded, layers)
            if one.rule.name not in best or finding.weight > best[one.rule.name][0]:
                best[one.rule.name] = finding.weight, finding
        hidden = pieces(reading, _SEGMENTER, _READER.lexicon.told)
        if not hidden:
            break
        layers.append(Spliced(reading, hidden))
        reading = Folded(layers[-1].text).text
    findings = sorted((finding for _, finding in best.values()), key=lambda finding: -finding.weight)
    score = factor(source) * total(findings)
    recommendation = recommend(score)
    risk = {"block": "critical", "warn": "high"}.get(recommendation, "low" if findings else "none")
    return Scan(
        recommendation,
        risk,
        score,
        tuple(dict.fromkeys(finding.category for finding in findings)),
        tuple(findings[:MOST]),
    )


def total(findings: list[Finding]) -> float:
    """The sum of weights, heaviest first; what overlaps a heavier finding of its category says the same again, and
    counts `AGAIN` of its weight."""
    score = 0.0
    for at, finding in enumerate(findings):
        again = any(
            other.category == finding.category and other.position < finding.end and finding.position < other.end
            for other in findings[:at]
        )
        score += finding.weight * (AGAIN if again else 1.0)
    return score


def _finding(evidence: Evidence, text: str, folded: Folded, layers: list[Spliced]) -> Finding:
    start, end, via = evidence.start, evidence.end, evidence.via
    for layer in reversed(layers):
        via = (*layer.via(start, end), *via)
        start, end = layer.span(start, end)
    start, end = folded.span(start, end)
    rule = evidence.rule
    if not USUAL.issuperset(via):
        evidence = evidence._replace(via=via, mentions=0, protects=0, negated=False)
    return Finding(
        rule.name, rule.category, rule.severity, rule.says, start, end, text[start:end], via, weight(evidence)
    )
