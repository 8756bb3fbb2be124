"""What is different in a request from the nearest approved call like it: for a page and a terminal alike. Pure.

    decided = client.get_approvals(agent_id=..., action_type=..., exclude_state="awaiting", limit=DECIDED).approvals
    candidates = candidates_of(decided)                   # whose contexts are worth reading
    found = nearest_of(context, [(item, context_of(item)) for item in candidates], action.authorization_scope)
    found.changes                                         # amount: 40, now 900

What is compared are the members of what guard looked at, by their paths, but for who asked, when, and in which session.
The goal, the systems and whatever else the contract knows are no arguments. What the agent says allows the call is
compared last, and is none either. Values are compared as they were sent, and told as people are shown them
(`marked_value`), of long ones where they differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct

from assent.arguments import SHOWN_ELSEWHERE
from assent.contract.control.approvals import Approval, ApprovalState
from assent.contract.control.inbox import ActionApproval
from assent.contract.names import fold, look_alikes, marked, marked_value
from assent.contract.visible import visible, visible_value

DECIDED, COMPARED = 50, 6
"""Among so many that were decided so many approved ones are compared: those that people approved, and what standing
grants let through only where there is none, since nobody has seen that."""
LONGEST_VALUE, MOST_CHANGES, AROUND = 400, 24, 40
"""Characters of a value, arguments that are listed, and characters on each side of where two texts differ."""
UNLIKE = "it differs in what is not shown"
"""Behind a value that is shown as the one before: it differs beyond its cut, or in characters that look alike."""
BEYOND = "and it differs beyond this"
ALIKE = "in other characters, which look alike"
KEPT = "parameters_digest"
"""Arguments that are kept back, or that hold a secret, are compared by it where what is shown of them is the same."""
KEPT_BACK = "parameters: what is kept back, by its digest"
ALLOWED = "allowed to, as the agent says"
_NOT_COMPARED = frozenset(
    {"agent_id", "agent_name", "session_id", "occurred_at", "source", KEPT, "action_type", "runtime"}
)
_NO_ARGUMENTS = SHOWN_ELSEWHERE - {"parameters", "metadata"}

Path: TypeAlias = tuple[str, ...]
"""Names from the outermost member to the one that is meant."""


class Difference(Struct, frozen=True):
    """One argument that differs, in words; None where it is not there."""

    name: str
    before: str | None
    now: str | None


class Nearest(NamedTuple):
    """The approved call that differs least, what is different, how many `more` differ and are not listed, how many of
    the `arguments` of both together are the same, and among how many approved ones it was looked for."""

    item: ActionApproval
    changes: list[Difference]
    more: int
    same: int
    arguments: int
    among: int


def candidates_of(decided: Iterable[ActionApproval]) -> list[ActionApproval]:
    """Those of these, newest first, beside which a request is put."""
    approved = [each for each in decided if each.approval.state is ApprovalState.APPROVED]
    return ([each for each in approved if each.approval.grant_id is None] or approved)[:COMPARED]


def conditions_words(approval: Approval) -> str:
    """` on the condition “only this once”`; empty where the approval has none."""
    if not approval.conditions:
        return ""
    said = ", ".join(f"“{visible(each)}”" for each in approval.conditions)
    return f" on the condition{'s' if len(approval.conditions) > 1 else ''} {_cut(said)}"


def nearest_of(
    context: Mapping[str, Any],
    approved: Iterable[tuple[ActionApproval, Mapping[str, Any]]],
    authorization_scope: str | None = None,
) -> Nearest | None:
    """Of several that differ alike, the first: give the newest first. None where nothing can be compared.
    `authorization_scope` is what the agent says allows the call."""
    mine = dict(_leaves(context))
    best: tuple[int, ActionApproval, dict[Path, _Leaf], Mapping[str, Any]] | None = None
    looked = 0
    for item, other in approved:
        if not other:
            continue
        looked += 1
        theirs = dict(_leaves(other))
        differ = sum(mine.get(name) != theirs.get(name) for name in mine.keys() | theirs.keys())
        differ += _is_kept_otherwise(context, other)
        if best is None or differ < best[0]:
            best = differ, item, theirs, other
    if best is None or not (mine or context.get(KEPT)):
        return None
    _, item, theirs, other = best
    if _is_kept_otherwise(context, other) or (context.get(KEPT) and context.get("parameters") is None):
        for leaves, of in ((mine, context), (theirs, other)):
            leaves[KEPT_BACK,] = _Leaf(json.dumps(of.get(KEPT)), of.get(KEPT))
    # What the call is given first, then what the agent says of it.
    names = sorted(
        [*mine, *(path for path in theirs if path not in mine)], key=lambda path: not path[0].startswith("param")
    )
    differing = [name for name in names if mine.get(name) != theirs.get(name)]
    given = [name for name in names if name[0] not in _NO_ARGUMENTS]
    changes = [_difference(name, theirs.get(name), mine.get(name)) for name in differing[:MOST_CHANGES]]
    was, now = (_Leaf(said, said) if said else None for said in (item.action.authorization_scope, authorization_scope))
    if was != now:
        changes.append(_difference((ALLOWED,), was, now))
    return Nearest(
        item=item,
        changes=changes,
        more=len(differing[MOST_CHANGES:]),
        same=sum(mine.get(name) == theirs.get(name) for name in given),
        arguments=len(given),
        among=looked,
    )


def _is_kept_otherwise(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether arguments whose shown part is the same have another digest. Where they are shown, either may lack one."""
    mine, theirs, shown = one.get(KEPT), other.get(KEPT), one.get("parameters")
    return mine != theirs and shown == other.get("parameters") and (shown is None or None not in (mine, theirs))


class _Leaf(NamedTuple):
    """A value as it was sent, and as JSON, in which 1 is not true."""

    json: str
    value: Any


def _difference(path: Path, before: _Leaf | None, now: _Leaf | None) -> Difference:
    """What is shown alike and is not says so, and so does what is cut and differs behind the cut, too."""
    name = ".".join(f"“{marked(each)}”" if "." in each else marked(each) for each in path)
    if before is None or now is None:
        was, becomes = (None if each is None else _cut(marked_value(each.value)) for each in (before, now))
        return Difference(name, was, becomes)
    was, becomes = _apart(visible_value(before.value), visible_value(now.value))
    note = ""
    if _cut(was) == _cut(becomes):
        note = f" ({UNLIKE})"
    elif was[LONGEST_VALUE:] != becomes[LONGEST_VALUE:]:
        note = f" ({BEYOND})"
    told = look_alikes(was), look_alikes(becomes)
    if not note and not any(told) and was.casefold() != becomes.casefold() and fold(was) == fold(becomes):
        note = f" ({ALIKE})"
    return Difference(name, _cut(was) + told[0], _cut(becomes) + told[1] + note)


def _apart(one: str, other: str) -> tuple[str, str]:
    """Of two texts that begin or end alike what differs, with some of what is alike around it."""
    begin = alike_until([one, other])
    end = alike_until([one[begin:][::-1], other[begin:][::-1]])
    start = begin - AROUND if begin > 2 * AROUND else 0
    left = end - AROUND if end > 2 * AROUND else 0
    found = (f"{'…' if start else ''}{text[start : len(text) - left]}{'…' if left else ''}" for text in (one, other))
    return next(found), next(found)


def alike_until(texts: Sequence[str]) -> int:
    """With how many characters all of these begin alike."""
    first, last = min(texts), max(texts)
    return next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, _Leaf]]:
    if isinstance(value, Mapping) and (value or not path):
        for name, member in value.items():
            if path or name not in _NOT_COMPARED:
                yield from _leaves(member, (*path, str(name)))
    else:
        yield path, _Leaf(json.dumps(value, ensure_ascii=False), value)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1].rstrip()}…"
