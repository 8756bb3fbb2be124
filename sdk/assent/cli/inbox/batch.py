"""What a form about several requests says of each: who wants what, and its arguments in one line. Pure.

Arguments that differ between them stand first, and share the line where they are too long for it; of one that begins
alike in all, it is then the rest that is shown. Where something has no room stands an ellipsis, and how many arguments
have none.

Two are alike where goal, agent, type, systems, arguments, what allows it and whether it can be undone were sent alike
and the risk is the same. Others whose lines would be the same get one more, from where they differ; what differs in
nothing that is shown says so, and takes the word.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assent.arguments import reach_of
from assent.cli.approvals import Waiting
from assent.cli.inbox.board import LONGEST_GOAL
from assent.cli.inbox.card import CardLine, given_arguments, goal_text
from assent.cli.inbox.inbox_client import LookedAt
from assent.cli.inbox.rows import NO_AGENT
from assent.cli.text import clean, fit, span, width_of, wrap
from assent.contract.control.actions import Action
from assent.contract.names import quoted_name
from assent.deciding import asked_by
from assent.nearest import ALLOWED, alike_until

BETWEEN = "; "
NARROWEST = 12
"""Columns that an argument has at least, with its name."""
NONE_KNOWN = "no arguments are known"


def in_short(item: Waiting, width: int) -> list[CardLine]:
    """One of several."""
    action = item.action
    what = [asked_by(action) or NO_AGENT, quoted_name(action.action_type), _touched(action), _risk(action)]
    what += [f"{label} {value}" for label, value in _reach(action)]
    what += [] if action.reversible else ["CANNOT BE UNDONE"]
    text = f"- {fit(goal_text(action), LONGEST_GOAL)} ({', '.join(what)})"
    return [CardLine(line if at == 0 else f"  {line}", label=None) for at, line in enumerate(wrap(text, width - 2))]


def _touched(action: Action) -> str:
    systems = ", ".join(map(quoted_name, action.systems_touched))
    return f"touches {systems}" if systems else "names no system"


def _reach(action: Action) -> list[tuple[str, str]]:
    return [(label.lower(), value) for label, value in reach_of(action.externality, span)]


def _risk(action: Action) -> str:
    return f"risk {round(action.risk_score, 1):g}"


def batch(items: Sequence[Waiting], looked_at: Mapping[str, LookedAt], width: int) -> list[CardLine]:
    """Each of them, with its arguments in one line."""
    given = [dict(given_arguments(item.action, looked_at[item.action.action_id])) for item in items]
    blocks = [
        [*in_short(item, width), CardLine(f"  {arguments_line(its, given, width - 2)}", label=None)]
        for item, its in zip(items, given, strict=True)
    ]
    told = [_told(item.action, looked_at[item.action.action_id]) for item in items]
    _tell_apart(blocks, told, width)
    return [line for block in blocks for line in block]


def differing_unseen(items: Sequence[Waiting], looked_at: Mapping[str, LookedAt]) -> set[str]:
    """The ids of those that are not alike and are in all that is shown."""
    known = [item.action for item in items if item.action.action_id in looked_at]
    found = defaultdict[str, list[tuple[str, _ComparedRequest]]](list)
    for action in known:
        told = _told(action, looked_at[action.action_id])
        found[repr(told.shown)].append((action.action_id, told))
    return {name for alike in found.values() if len({told.sent for _, told in alike}) > 1 for name, _ in alike}


class _ComparedRequest(NamedTuple):
    """What has to be the same of two that are alike: by what it is called, as it is shown, and as it was sent."""

    shown: dict[str, str]
    sent: tuple[str, ...]


def _told(action: Action, looked_at: LookedAt) -> _ComparedRequest:
    """Arguments in the order of their names as they are shown: nothing is said by that in which they came."""
    agent, agent_id = clean(action.agent_name), clean(action.agent_id)
    shown = {"goal": goal_text(action), "agent": agent, "id of the agent": agent_id, "type": clean(action.action_type)}
    sent: list[Any] = [action.declared_goal, action.agent_name, action.agent_id, action.action_type]
    shown |= {"systems": _touched(action), "risk": _risk(action), "way back": "" if action.reversible else "none"}
    sent += [action.systems_touched, _risk(action), action.reversible]
    shown |= dict(_reach(action)) | {ALLOWED: clean(action.authorization_scope)}
    sent += [*(value for _, value in _reach(action)), action.authorization_scope]
    given = given_arguments(action, looked_at)
    own: list[Any] = [*looked_at.members, action.parameters_digest][: len(given)]
    for value, (name, text) in sorted(zip(own, given, strict=True), key=lambda each: each[1]):
        shown[f"argument {name}" if name else "arguments"] = text
        sent.append(value)
    return _ComparedRequest(shown, tuple(json.dumps(each, sort_keys=True) for each in sent))


def _tell_apart(blocks: Sequence[list[CardLine]], told: Sequence[_ComparedRequest], width: int) -> None:
    """Each time, of those whose lines are the same and that are not alike, from where they differ first: so they become
    fewer, until only those are left that are shown alike in everything."""
    while apart := [(group, name) for group in _shown_alike(blocks, told) if (name := _differing(told, group))]:
        for group, name in apart:
            texts = [told[at].shown.get(name) for at in group]
            start = max(0, alike_until([text or "" for text in texts]) - 2)
            for at, text in zip(group, texts, strict=True):
                blocks[at].extend(_difference(name, text, start, width))
    for group in _shown_alike(blocks, told):
        said = f"differs in what is not shown: {', '.join(_unseen([told[at] for at in group]))}"
        for at in group:
            blocks[at].extend(CardLine(f"  {line}", label=None) for line in wrap(said, width - 2))


def _shown_alike(blocks: Sequence[Sequence[CardLine]], told: Sequence[_ComparedRequest]) -> list[list[int]]:
    """The places of those that have the same lines and are not alike."""
    same = defaultdict[str, list[int]](list)
    for at, block in enumerate(blocks):
        same[repr([line.text for line in block])].append(at)
    return [group for group in same.values() if len({told[at].sent for at in group}) > 1]


def _differing(told: Sequence[_ComparedRequest], group: Sequence[int]) -> str | None:
    """What is first shown otherwise of one of them than of another; None where nothing is."""
    shown = [told[at].shown for at in group]
    names = dict.fromkeys(name for each in shown for name in each)
    return next((name for name in names if len({each.get(name) for each in shown}) > 1), None)


def _unseen(alike: Sequence[_ComparedRequest]) -> list[str]:
    """What was sent otherwise of one of these than of another, and is shown alike."""
    sent = zip(*(each.sent for each in alike), strict=True)
    return [name for name, values in zip(alike[0].shown, sent, strict=True) if len(set(values)) > 1]


def _difference(name: str, text: str | None, start: int, width: int) -> list[CardLine]:
    if text is None:
        return [CardLine(fit(f"  differs: it has no {name}", width), label=None)]
    begins = "…" if start else ""
    return [
        CardLine(fit(f"  differs in its {name}", width), label=None),
        CardLine(f"    {fit(begins + text[start:], width - 4)}", label=None),
    ]


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
                alike = alike_until([each.get(name, "") for each in given])
                text = its[name] if alike < share // 2 else f"…{its[name][alike - 2 :]}"
                cells[name] = fit(_cell(name, text), share)
    return _joined([cells[name] for name in [*differ, *(name for name in its if name not in differ)]], width)


def _joined(cells: Sequence[str], width: int) -> str:
    """These in one line; where it ends before they do, it says how many more there are."""
    line = ""
    for at, cell in enumerate(cells):
        begins = f"{line}{BETWEEN}" if line else ""
        left = len(cells) - at - 1
        rest = f"{BETWEEN}and {left} more" if left else ""
        if width_of(begins + cell + rest) <= width:
            line = begins + cell
            continue
        room = width - width_of(begins + rest)
        if room >= NARROWEST:
            return f"{begins}{fit(cell, room)}{rest}"
        return fit(f"{begins}and {left + 1} more" if line else cell, width)
    return line


def _cell(name: str, text: str) -> str:
    return f"{name}: {text}" if name else text
