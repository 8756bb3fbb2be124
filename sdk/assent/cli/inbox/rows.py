"""A line of the list: risk, times, type, agent and goal, in the columns that the width has room for. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from assent.cli.approvals import Waiting
from assent.cli.text import GAP, clean, fit, pad, span, width_of
from assent.contract.control.actions import Action
from assent.contract.visible import visible
from assent.deciding import asked_by, names_of

Tone = str
PLAIN, STRONG, MUTED, HIGH, RAISED, LOW = "plain", "strong", "muted", "high", "raised", "low"
HIGH_RISK, RAISED_RISK = 70, 40
SOON = 600
"""Seconds before its end from which a line says so louder."""
NO_GOAL, NO_AGENT = "no goal given", "no agent"
HERE, ELSEWHERE = "> ", "  "


@dataclass(frozen=True)
class Columns:
    """How wide each is; 0 is one that there is no room for. The goal takes what is left."""

    risk: int
    waits: int
    left: int
    type: int
    agent: int


def columns(width: int) -> Columns:
    if width >= 100:
        return Columns(risk=10, waits=5, left=5, type=16, agent=18)
    if width >= 84:
        return Columns(risk=9, waits=5, left=5, type=12, agent=14)
    if width >= 72:
        return Columns(risk=9, waits=0, left=5, type=12, agent=14)
    return Columns(risk=9, waits=0, left=4, type=10, agent=0)


def header(width: int) -> str:
    cells = zip(("RISK", "WAITS", "LEFT", "TYPE", "AGENT"), _widths(columns(width)), strict=True)
    shown = [pad(name, size) for name, size in cells if size]
    return fit(GAP.join([*shown, "GOAL"]).join([ELSEWHERE * 2, ""]), width)


def row(
    item: Waiting, known: bool, now: datetime, width: int, *, here: bool, mark: str = " "
) -> list[tuple[str, Tone]]:
    """The line in pieces, each with its tone; `known` says whether the approval was read, `here` whether the cursor is
    on it. `mark` is a letter before it: selected, decided, ended."""
    action, sizes = item.action, columns(width)
    left, tone = _left(item, known, now)
    given = (
        (f"{int(action.risk_score)} {risk_tone(action.risk_score)}", risk_tone(action.risk_score)),
        (span((now - asked(item)).total_seconds()), PLAIN),
        (left, tone),
        (clean(action.action_type), PLAIN),
        (_agent(action, sizes.agent), PLAIN),
    )
    line: list[tuple[str, Tone]] = [(f"{HERE if here else ELSEWHERE}{mark} ", STRONG)]
    for (text, tone), size in zip(given, _widths(sizes), strict=True):
        if size:
            line.append((pad(fit(text, size), size) + GAP, tone))
    room = width - sum(width_of(text) for text, _ in line)
    return [*line, (pad(fit(visible(action.declared_goal) or NO_GOAL, max(room, 1)), max(room, 1)), PLAIN)]


def risk_tone(risk: float) -> Tone:
    """The word beside the number, so that it is not told by colour alone."""
    return HIGH if risk >= HIGH_RISK else RAISED if risk >= RAISED_RISK else LOW


def asked(item: Waiting) -> datetime:
    return item.action.created_at if item.approval is None else item.approval.requested_at


def first_line(count: int, at: int, before: int, height: int) -> int:
    """Which line stands on top of a list of `height` lines so that line `at` is seen; `before` stood there so far."""
    top = min(before, at)
    top = max(top, at - height + 1)
    return max(0, min(top, count - height))


def _left(item: Waiting, known: bool, now: datetime) -> tuple[str, Tone]:
    if item.approval is None:
        return ("none", MUTED) if known else ("…", MUTED)
    seconds = (item.approval.expires_at - now).total_seconds()
    return (f"{span(seconds)}!", HIGH) if seconds < SOON else (span(seconds), PLAIN)


def _agent(action: Action, room: int) -> str:
    """Who asks. Where there is no room for name and id it is the id, which nobody gives themselves."""
    whole = asked_by(action) or NO_AGENT
    return whole if width_of(whole) <= room else next(reversed(names_of(action)), NO_AGENT)


def _widths(sizes: Columns) -> Sequence[int]:
    return sizes.risk, sizes.waits, sizes.left, sizes.type, sizes.agent
