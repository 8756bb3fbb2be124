"""Scans and findings in words. Pure; what strangers wrote is made harmless here."""

from __future__ import annotations

from assent.contract.control.injection import (
    InjectionFinding,
    InjectionScan,
    RecordedScan,
    ScanRecommendation,
    SubjectKind,
)
from assent_dashboard.views import words

BADGES: dict[str, str] = {
    ScanRecommendation.BLOCK: ":red-badge[:material/block: block]",
    ScanRecommendation.WARN: ":orange-badge[:material/warning: warn]",
    ScanRecommendation.ALLOW: ":gray-badge[:material/check: allow]",
}
KINDS: dict[SubjectKind, str] = {
    SubjectKind.GUARD_DECISION: "a question to guard",
    SubjectKind.MESSAGE: "a message",
    SubjectKind.HANDOFF: "a handoff",
    SubjectKind.ASSUMPTION: "an assumption",
    SubjectKind.SCAN: "a text that was scanned by itself",
}
SHADES = {"critical": "red", "high": "orange", "medium": "gray", "low": "gray"}


def spoken(name: str) -> str:
    return name.replace("_", " ")


def badges(scan: RecordedScan | InjectionScan) -> str:
    """The verdict, and what it holds for; Markdown."""
    said = [BADGES[scan.recommendation], f":violet-badge[risk {scan.risk_level.value}]"]
    if scan.allowed:
        said.append(":green-badge[:material/verified: allowed by an operator]")
    if scan.unread:
        said.append(":orange-badge[:material/visibility_off: partly unread]")
    return " ".join(said)


def where(scan: RecordedScan) -> str:
    """`declared_goal of a question to guard by `payer``; Markdown."""
    by = f" by {words.code(scan.agent_id)}" if scan.agent_id else ""
    if scan.subject_kind is SubjectKind.SCAN:
        return f"{KINDS[scan.subject_kind].capitalize()}{by.replace(' by ', ' for ', 1)}"
    return f"{words.code(scan.field)} of {KINDS[scan.subject_kind]}{by}"


def summary(scan: RecordedScan) -> str:
    """The heaviest finding in a sentence; Markdown."""
    heaviest = max(scan.findings, key=lambda finding: finding.weight)
    more = scan.findings_count - 1
    also = f", and {words.several(more, 'other finding')}" if more else ""
    return f"{words.plain(heaviest.says[:1].upper() + heaviest.says[1:])}{also}."


def finding(found: InjectionFinding, reads: str = "") -> str:
    """What it says, how bad that is, and what had to be undone; Markdown. `reads` is what it came to."""
    shade = SHADES.get(found.severity, "gray")
    line = (
        f":{shade}-badge[{words.plain(found.severity)}] **{words.plain(spoken(found.pattern))}**: "
        f"{words.plain(found.says)} · {words.plain(spoken(found.category))} · weight {found.weight:.1f} · "
        f"characters {words.amount(found.position)} to {words.amount(found.end)}"
    )
    if found.via:
        undone = ", then ".join(words.plain(spoken(each)) for each in found.via)
        line += f"  \n:material/lock_open: hidden by {undone}" + (f"; it reads {words.code(reads)}" if reads else "")
    elif reads and reads != " ".join(found.matched.split()):
        line += f"  \n:material/spellcheck: it reads {words.code(reads)}"
    return line
