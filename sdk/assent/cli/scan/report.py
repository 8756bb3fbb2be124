"""A scanned file for people and pipes. What nobody sees is told by its code point, so no text steers a terminal."""

from __future__ import annotations

import os

import typer

from assent.cli.scan.result import Excerpt, FileScan, FoundSecret, Placed, ScannedFile
from assent.cli.text import clean, fit
from assent.contract.control.injection import LONGEST_MATCH, ScanRecommendation

HEADER = (
    "file",
    "line",
    "column",
    "recommendation",
    "pattern",
    "category",
    "severity",
    "weight",
    "via",
    "reads",
    "says",
)
INDENT = " " * 4
LONGEST_NAME = 200
COLOURS = {
    ScanRecommendation.ALLOW: typer.colors.GREEN,
    ScanRecommendation.WARN: typer.colors.YELLOW,
    ScanRecommendation.BLOCK: typer.colors.RED,
}


def verdict(file: ScannedFile) -> str:
    """One line: `mail.txt: block (critical, score 17.3), 5 findings`."""
    name = fit(clean(file.file), LONGEST_NAME)
    if not file.characters:
        return f"{name}: empty"
    secrets = len(file.secrets or ())
    also = f", {secrets} secret{'s' if secrets > 1 else ''}" if secrets else ""
    if file.clean:
        return f"{name}: allow, {'no injection' if secrets else 'nothing'} found{also}"
    findings = "1 finding" if file.findings_count == 1 else f"{file.findings_count} findings"
    return f"{name}: {file.recommendation} ({file.risk_level}, score {file.score:.1f}), {findings}{also}"


def remarks(file: ScannedFile) -> list[str]:
    """What whoever relies on the verdict has to know."""
    said: list[str] = []
    if file.invalid:
        places = "1 place" if file.invalid == 1 else f"{file.invalid:,} places"
        said.append(f"not valid {file.encoding.upper()} in {places}, read as U+FFFD")
    if file.unread:
        said.append("a part was beyond what is decoded, and was not looked into")
    if file.findings_count > len(file.findings):
        said.append(f"{file.findings_count - len(file.findings)} lighter findings are not shown")
    return said


def row(file: ScannedFile, one: Placed) -> tuple[object, ...]:
    """For a pipe, below `HEADER`."""
    return (
        file.file,
        one.line,
        one.column,
        file.recommendation,
        one.pattern,
        one.category,
        one.severity,
        one.weight,
        " > ".join(one.via),
        one.reads,
        one.says,
    )


def secret_row(file: ScannedFile, one: FoundSecret) -> tuple[object, ...]:
    """The same for a secret, which warns."""
    place = (file.file, one.line, one.column, ScanRecommendation.WARN)
    return (*place, one.pattern, one.category, one.severity, "", "", one.matched, "looks like a secret")


def headline(file: ScannedFile) -> str:
    """The verdict as a terminal shows it; without its colour where NO_COLOR asks for none (no-color.org)."""
    colour = None if os.environ.get("NO_COLOR") else COLOURS[file.recommendation]
    return typer.style(verdict(file), fg=colour, bold=True)


def lines(file: ScannedFile, found: FileScan) -> list[str]:
    """Every finding, for a terminal: where, what it says, the match in its line, and what it reads as."""
    told: list[str] = []
    shown = (0, 0)
    for one, around in found.findings:
        said = f"{one.severity:<8} {one.pattern} ({one.category}, {one.weight:.1f}): {one.says}"
        if (one.position, one.end) == shown:
            told.append(f"{'':<11} {said}")
            continue
        shown = one.position, one.end
        told.append(f"  {f'{one.line}:{one.column}':<9} {said}")
        told.append(INDENT + excerpt(around, cut=one.end - one.position > LONGEST_MATCH))
        if one.via or one.reads != " ".join(one.matched.split()):
            how = f"with {' and '.join(one.via)} undone" if one.via else "which is read as"
            told.append(f"{INDENT}{how}: {clean(one.reads)}")
    for secret in file.secrets or ():
        place = f"{secret.line}:{secret.column}"
        told.append(f"  {place:<9} {secret.severity:<8} {secret.pattern} ({secret.category}): {clean(secret.matched)}")
    return told


def excerpt(around: Excerpt, *, cut: bool) -> str:
    """The match in reverse; `cut` when it goes on."""
    from assent_analytics.injection.marking import segments

    text, parts = around.text.replace("\n", "↵").replace("\r", " ").replace("\t", " "), []
    for piece in segments(text, [(around.begin, around.end)]):
        parts.append(
            typer.style(piece.text, reverse=True, dim=piece.hidden)
            if piece.marked
            else typer.style(piece.text, dim=True)
            if piece.hidden
            else piece.text
        )
    return "".join(parts) + ("…" if cut else "")
