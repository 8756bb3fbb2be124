"""The editor of a policy's condition: rows of field, comparison and value, in groups of which all or any hold, and the
values as lines that somebody can type.

Keys: `policy_when_<path>_field`, `_op`, `_value`, `_remove` of a row and `_group`, `_add`, `_nest`, `_remove` of a
group, where the path is `root` or the places from there on (`0_1`).
"""

from __future__ import annotations

import json
import re
from math import isfinite

import streamlit as st

from assent.contract.conditions import MAX_FIELD, MAX_STRING, WORDS, Op
from assent_dashboard.views import words
from assent_dashboard.views.policies import tree
from assent_dashboard.views.policies.draft import EditedPolicy
from assent_dashboard.views.policies.tree import Path, Tree
from assent_dashboard.views.policies.widgets import changed, show

FIELDS = (
    "risk_score",
    "action_type",
    "agent_id",
    "declared_goal",
    "systems_touched",
    "reversible",
    "risk_factors",
    "destructive",
    "agent_risk_score",
    "runtime",
    "session_id",
)
GROUPS = {"all": "All of these hold", "any": "Any of these holds", "not": "This does not hold"}
THERE = {True: "yes", False: "no"}
NUMBERS = (Op.LT, Op.LTE, Op.GT, Op.GTE)
HINT = (
    'A number, true or false mean what they look like; quotes make a text of them: "60". Lists are separated by commas.'
)


def draw_condition(draft: EditedPolicy) -> None:
    when = draft.rules.get("when")
    st.markdown("**When**")
    if not isinstance(when, dict) or not tree.drawable(when):
        st.info(
            f"This condition has {words.several(tree.size(when), 'part')}, more than a form can show well. Edit it as "
            "YAML.",
            icon=":material/account_tree:",
        )
        return
    _draw(draft, when, (), when)


def _draw(draft: EditedPolicy, root: Tree, path: Path, node: Tree) -> None:
    if tree.kind(node) == "row":
        if path:
            _row(draft, root, path, node)
            return
        with st.container(border=True, gap="small"):
            _row(draft, root, path, node)
            _add(draft, path)
        return
    with st.container(border=True, gap="small", key=_key(path, "box")):
        _group(draft, path, node)
        for place, branch in enumerate(tree.branches(node)):
            _draw(draft, root, (*path, place), branch)
        if tree.kind(node) != "not":
            _add(draft, path)


def _row(draft: EditedPolicy, root: Tree, path: Path, node: Tree) -> None:
    op = Op(node["op"])
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key=_key(path, "row")):
        _field(draft, path, str(node["field"]))
        _op(draft, path, op)
        _value(draft, path, op, node["value"])
        if path:
            _remove(draft, path, "Remove this row", alone=tree.size(root) <= 2)


def _field(draft: EditedPolicy, path: Path, name: str) -> None:
    key = _key(path, "field")
    show(key, name)

    options = FIELDS if name in FIELDS else (name, *FIELDS)
    st.selectbox(
        "Field",
        options,
        key=key,
        format_func=words.clean,
        accept_new_options=True,
        on_change=changed(key, lambda new: _change(draft, path, field=str(new or "")[:MAX_FIELD])),
        width=190,
        label_visibility="collapsed",
    )


def _op(draft: EditedPolicy, path: Path, op: Op) -> None:
    key = _key(path, "op")
    show(key, op.value)

    def take(new: Op) -> None:
        value = _now(draft, path)["value"]
        _change(draft, path, op=new.value, value=fitting(new, value))

    st.selectbox(
        "Comparison",
        [each.value for each in Op],
        key=key,
        format_func=lambda each: WORDS[Op(each)],
        on_change=changed(key, lambda new: take(Op(new))),
        width=175,
        label_visibility="collapsed",
    )


def _value(draft: EditedPolicy, path: Path, op: Op, value: object) -> None:
    if op is Op.EXISTS:
        key = _key(path, "there")
        show(key, bool(value))
        st.selectbox(
            "Is it there",
            list(THERE),
            key=key,
            format_func=lambda each: THERE[each],
            on_change=changed(key, lambda new: _change(draft, path, value=bool(new))),
            width=190,
            label_visibility="collapsed",
        )
        return
    key = _key(path, "value")
    show(key, to_line(op, value))
    st.text_input(
        f"Value. {HINT}",
        key=key,
        max_chars=10 * MAX_STRING,
        placeholder="Value",
        on_change=changed(key, lambda new: _change(draft, path, value=from_line(op, str(new)))),
        width=190,
        label_visibility="collapsed",
    )


def _group(draft: EditedPolicy, path: Path, node: Tree) -> None:
    key = _key(path, "group")
    show(key, tree.kind(node))

    def take(new: str) -> None:
        draft.change_rules(when=tree.regroup(draft.rules["when"], path, new))

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "How these go together",
            list(GROUPS),
            key=key,
            format_func=lambda each: GROUPS[each],
            on_change=changed(key, lambda new: take(str(new))),
            width=200,
            label_visibility="collapsed",
        )
        if path:
            _remove(draft, path, "Remove this group")


def _add(draft: EditedPolicy, path: Path) -> None:
    def add(new: Tree) -> None:
        draft.change_rules(when=tree.add(draft.rules["when"], path, new))

    with st.container(horizontal=True, gap="small"):
        st.button("Add a row", key=_key(path, "add"), icon=":material/add:", on_click=add, args=(tree.row(),))
        nested = {"any": [tree.row(), tree.row()]}
        st.button("Add a group", key=_key(path, "nest"), icon=":material/account_tree:", on_click=add, args=(nested,))


def _remove(draft: EditedPolicy, path: Path, says: str, *, alone: bool = False) -> None:
    def remove() -> None:
        draft.change_rules(when=tree.remove(draft.rules["when"], path))

    st.button(
        "Remove",
        key=_key(path, "remove"),
        icon=":material/close:",
        type="tertiary",
        help=says,
        disabled=alone,
        on_click=remove,
    )


def fitting(op: Op, value: object) -> object:
    """The value, or as much of it as the comparison can take."""
    if op is Op.EXISTS:
        return True
    if op in LISTS:
        return list(value) if isinstance(value, list | tuple) else [value]
    if isinstance(value, list | tuple):
        value = value[0] if value else ""
    if op in TEXTS:
        return value if isinstance(value, str) else to_line(Op.EQ, value)
    if op in NUMBERS and (isinstance(value, bool) or not isinstance(value, int | float)):
        return 0
    return value


def _now(draft: EditedPolicy, path: Path) -> Tree:
    return tree.at(draft.rules["when"], path)


def _change(draft: EditedPolicy, path: Path, **members: object) -> None:
    draft.change_rules(when=tree.put(draft.rules["when"], path, {**_now(draft, path), **members}))


def _key(path: Path, name: str) -> str:
    return f"policy_when_{'_'.join(map(str, path)) or 'root'}_{name}"


# The value of a condition's row as a line that somebody can type, and back.
#
# - A number, `true` and `false` mean what they look like; anything else is a text.
# - Quotes make a text of anything: `"60"` is no number. They are JSON's, so `"a\nb"` has two lines.
# - Lists are separated by commas; a text with a comma is quoted.
# - The operators that take nothing but text take the line as it is.


LISTS = frozenset({Op.IN, Op.NOT_IN})
TEXTS = frozenset({Op.STARTS_WITH, Op.ENDS_WITH, Op.MATCHES})
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_DIGITS = 400
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def to_line(op: Op, value: object) -> str:
    if op in LISTS and isinstance(value, list | tuple):
        return ", ".join(_written(each, listed=True) for each in value)
    if op in TEXTS and isinstance(value, str):
        return value if _bare_text(value) else json.dumps(value)
    return _written(value)


def from_line(op: Op, line: str) -> object:
    if op in LISTS:
        return [_read(each) for each in _split(line)]
    if op in TEXTS:
        quoted = _unquoted(line)
        return line if quoted is None else quoted
    return _read(line.strip())


def _written(value: object, *, listed: bool = False) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if not isinstance(value, str):
        return json.dumps(value)
    bare = _bare_text(value) and value == value.strip() and bool(value) and _read(value) == value
    return value if bare and not (listed and ("," in value or '"' in value)) else json.dumps(value)


def _read(text: str) -> str | int | float | bool:
    if text in ("true", "false"):
        return text == "true"
    if len(text) <= _DIGITS and _NUMBER.fullmatch(text):
        number = int(text) if _WHOLE.fullmatch(text) else float(text)
        if isfinite(number):
            return number
    quoted = _unquoted(text)
    return text if quoted is None else quoted


def _bare_text(text: str) -> bool:
    """Whether a line shows every character, and is not taken for quoted."""
    return text.isprintable() and _unquoted(text) is None


def _unquoted(text: str) -> str | None:
    if not _QUOTED.fullmatch(text):
        return None
    try:
        read = json.loads(text)
    except ValueError:
        return None
    return read if isinstance(read, str) else None


def _split(line: str) -> list[str]:
    """The parts between the commas that are in no quotes; empty ones are left out."""
    parts = [match.group().strip() for match in re.finditer(r'(?:\s*"(?:[^"\\]|\\.)*"\s*(?=,|$))|[^,]+', line)]
    return [part for part in parts if part]
