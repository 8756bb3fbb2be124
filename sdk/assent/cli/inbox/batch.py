"""What a form about several requests says of each: who wants what, and its arguments in one line. Pure.

Arguments that differ between them stand first, and share the line where they are too long for it; of one that begins
alike in all, it is then the rest that is shown. Where something has no room stands an ellipsis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assent.cli.approvals import Waiting
from assent.cli.inbox.board import LONGEST_GOAL
from assent.cli.inbox.card import CardLine, given_arguments
from assent.cli.inbox.inbox_client import LookedAt
from assent.cli.inbox.rows import NO_AGENT, NO_GOAL
from assent.cli.text import clean, fit, width_of, wrap
from assent.contract.visible import visible

BETWEEN = "; "
NARROWEST = 12
"""Columns that an argument has at least, with its name."""
NONE_KNOWN = "no arguments are known"


def in_short(item: Waiting, width: int) -> list[CardLine]:
    """One of several."""
    action = item.action
    undone = "" if action.reversible else ", CANNOT BE UNDONE"
    who = clean(action.agent_name or action.agent_id) or NO_AGENT
    what = f"{who}, {clean(action.action_type)}, risk {action.risk_score:g}{undone}"
    text = f"- {fit(visible(action.declared_goal) or NO_GOAL, LONGEST_GOAL)} ({what})"
    return [CardLine(line if at == 0 else f"  {line}", label=None) for at, line in enumerate(wrap(text, width - 2))]


def batch(items: Sequence[Waiting], looked_at: Mapping[str, LookedAt], width: int) -> list[CardLine]:
    """Each of them, with its arguments in one line."""
    given = [dict(given_arguments(item.action, looked_at[item.action.action_id].parameters)) for item in items]
    lines: list[CardLine] = []
    for item, its in zip(items, given, strict=True):
        lines += [*in_short(item, width), CardLine(f"  {arguments_line(its, given, width - 2)}", label=None)]
    return lines


def arguments_line(its: Mapping[str, str], given: Sequence[Mapping[str, str]], width: int) -> str:
    """`its` arguments beside those of all, as far as they fit."""
    if not its:
        return fit(NONE_KNOWN, width)
    differ = [name for name in its if any(each.get(name) != its[name] for each in given)]
    cells = {name: _cell(name, text) for name, text in its.items()}
    room = width - len(BETWEEN) * len(differ)
    if differ and sum(width_of(cells[name]) for name in differ) > room:
        share = max(NARROWEST, room // len(differ))
        for name in differ:
            if width_of(cells[name]) > share:
                alike = _alike([each.get(name, "") for each in given])
                text = its[name] if alike < share // 2 else f"…{its[name][alike - 2 :]}"
                cells[name] = fit(_cell(name, text), share)
    return fit(BETWEEN.join(cells[name] for name in [*differ, *(name for name in its if name not in differ)]), width)


def _cell(name: str, text: str) -> str:
    return f"{name}: {text}" if name else text


def _alike(texts: Sequence[str]) -> int:
    """With how many characters all of these begin alike."""
    first, last = min(texts), max(texts)
    return next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
