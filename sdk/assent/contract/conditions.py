"""The condition tree of a general policy: what it looks like and what it means. Evaluating it lives elsewhere.

A tree is plain data, from JSON or YAML, in one of four shapes:

    {"all": [TREE, ...]}        every branch holds
    {"any": [TREE, ...]}        at least one branch holds
    {"not": TREE}               the branch does not hold
    {"field": "risk_score", "op": "gte", "value": 60}

Every evaluator of the tree (one call at a time in the service, columns of history in the analytics) keeps to
this meaning:

- `field` is a path. It is split at its dots and each part is looked up in a mapping: `metadata.ticket.queue`.
  A key that itself contains a dot cannot be reached. A path is *missing* when a part is absent, when something
  on the way is not a mapping, or when what it leads to is null.
- A missing field makes every comparison false, `ne` and `not_in` included. Only `exists` tells: it is true
  when (field is present) equals its value. `not` turns a false comparison into true, whatever made it false.
- `eq`: same kind and same value. Kinds are string, number and boolean: 1 and 1.0 are equal, 1 and true are
  not, 1 and "1" are not. Strings compare by code point, case-sensitively. A list or a mapping equals nothing.
- `ne`: the field is present and `eq` is false.
- `lt`, `lte`, `gt`, `gte`: both are numbers and stand in that order; a string or a boolean is no number.
- `in`: `eq` with at least one of the values. `not_in`: the field is present and `in` is false.
- `contains`: in a string, the value is a string and occurs in it; in a list, one member is `eq` to the value;
  anything else, a mapping too, contains nothing.
- `starts_with`, `ends_with`: a string with that beginning or end. An empty value is the beginning of all.
- `matches`: the RE2 pattern is found somewhere in the string; anchor it with ^ and $ to mean the whole.

Beside what is sent, guard gives the fields `risk_score`, `agent_risk_score`, `risk_factors` (a list of names) and
`destructive` (true or false: whether the goal speaks of destruction, `assent.destructive`).

The tree of a standing grant has leaves about a whole value as well, which make it the one that was looked at:

    {"field": "parameters.to", "digest": "sha256:..."}    the value is the one with this digest, whatever its kind
    {"field": "parameters", "members": ["to", "body"]}     it is a mapping with exactly these names, null ones included

The digest is that of `assent.proof.canonical`: 1 and 1.0 are equal, the order of members does not matter. A missing
value, and one without a digest, is none that has it.

Numbers are finite and whole numbers lie within ±(2^53 - 1), so that every reader sees the same one.

The tree of a policy of kind `flow` has leaves about the session as well:

    {"value_from": "recipient", "in": ["free", "unknown"]}    where a value of the call came from
    {"label": "salaries"}   {"tool": "export_*"}   {"effect": "send"}
    {"before": F}   {"since": {"this": F, "from": F}}   {"never_after": {"this": F, "after": F}}
    {"count_within": {"of": F, "at_least": 4, "seconds": 3600}}    this call included; or "calls": 20

- `value_from` names an argument by its path, as `recipient` or `owner.email`, and holds when a value there, in
  a list of objects, too, is of one of these origins: `user` (who said it, or an operator who approved it), `leaf` (a
  field of an answer), `free` (a text), `unknown`. A leaf that stands in a text, too, is of both.
- F is a formula of `assent.flows.past`: `label`, `tool`, `effect`, these four, and `all`, `any`, `not` of formulas. It
  is about calls of the session that have answered, in their order, and the call that is asked about is the last.
- A leaf that nobody can tell counts as what makes the tree hold: no session, one that was told nothing or not all of
  it, an argument whose origin is not looked at, such as an amount. A policy that observes leaves a call alone that has
  no session, or one that was told nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from math import isfinite
from typing import NoReturn, TypeAlias

from msgspec import Struct

MAX_DEPTH = 16
MAX_NODES = 256
MAX_STRING = 2000
MAX_LIST = 500
MAX_FIELD = 256
MAX_INTEGER = 2**53 - 1

Scalar: TypeAlias = str | int | float | bool
Value: TypeAlias = Scalar | tuple[Scalar, ...]


class Op(StrEnum):
    """The comparisons; the module says what each one means."""

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LTE = "lte"
    GT = "gt"
    GTE = "gte"
    IN = "in"
    NOT_IN = "not_in"
    CONTAINS = "contains"
    STARTS_WITH = "starts_with"
    ENDS_WITH = "ends_with"
    MATCHES = "matches"
    EXISTS = "exists"


class Compare(Struct, frozen=True, kw_only=True):
    """A leaf. `value` is a tuple for `in` and `not_in`, one scalar for all others."""

    field: str
    op: Op
    value: Value


class SpecialLeaf(Struct, frozen=True, kw_only=True):
    """A leaf that not every tree has: about the session in those of flow policies, about a whole value in those of
    standing grants."""


class SameValue(SpecialLeaf, frozen=True, kw_only=True):
    """`digest` is that of the value at the path."""

    field: str
    digest: str


class SameMembers(SpecialLeaf, frozen=True, kw_only=True):
    """`members` are all names of the mapping at the path, each once."""

    field: str
    members: tuple[str, ...]


class ValueFrom(SpecialLeaf, frozen=True, kw_only=True):
    """`argument` is the path of a call's argument, `origins` are some of ORIGINS."""

    argument: str
    origins: tuple[str, ...]


class Past(SpecialLeaf, frozen=True, kw_only=True):
    """A formula of `assent.flows.past` as plain data, whose one member is its operator."""

    formula: dict[str, object]


class All(Struct, frozen=True):
    branches: tuple["Condition", ...]


class Any_(Struct, frozen=True):  # noqa: N801 - the trailing underscore keeps typing's Any apart
    branches: tuple["Condition", ...]


class Not(Struct, frozen=True):
    branch: "Condition"


Condition: TypeAlias = All | Any_ | Not | Compare | SameValue | SameMembers | ValueFrom | Past

ORIGINS = {"user": "the user", "leaf": "a field of an answer", "free": "a text", "unknown": "nowhere"}
"""Where a value may come from, and how people say it."""
PAST = frozenset({"label", "tool", "effect", "before", "since", "count_within", "never_after"})
"""Operators of formulas that are leaves of a tree."""
_SHAPES = '{"all": [...]}, {"any": [...]}, {"not": ...} or {"field": ..., "op": ..., "value": ...}'
_WHOLE = ({"field", "digest"}, {"field", "members"})
_DIGEST = re.compile("sha256:[0-9a-f]{64}")
_NUMBER_OPS = frozenset({Op.LT, Op.LTE, Op.GT, Op.GTE})
_LIST_OPS = frozenset({Op.IN, Op.NOT_IN})
_STRING_OPS = frozenset({Op.STARTS_WITH, Op.ENDS_WITH, Op.MATCHES})


class ConditionError(ValueError):
    """A tree that cannot be read. `place` is where in it (`when.all[2].value`), `message` what and what instead."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place = place
        self.message = message


def parse(data: object, place: str = "when", *, session: bool = False, whole: bool = False) -> Condition:
    """Read a decoded JSON or YAML tree. Raises ConditionError at the first place that is wrong.

    `place` is the name of the root in error messages; `session` allows leaves about the session, of whose formulas only
    the size is checked here, and `whole` those about a whole value. Limits: MAX_DEPTH levels, MAX_NODES nodes in all,
    parts of formulas included, strings of MAX_STRING and lists of MAX_LIST.
    """
    return _Reader(session, whole).node(data, place, 1)


def session_leaves(condition: Condition) -> Iterator[ValueFrom | Past]:
    """The leaves about the session, in the order in which they stand."""
    match condition:
        case ValueFrom() | Past():
            yield condition
        case Not(branch):
            yield from session_leaves(branch)
        case All(branches) | Any_(branches):
            for each in branches:
                yield from session_leaves(each)
        case Compare() | SameValue() | SameMembers():
            pass


def misplaced(leaf: SpecialLeaf) -> NoReturn:
    """For readers of trees that have none of these, as `parse` has seen to."""
    raise AssertionError(f"{type(leaf).__name__} is for trees of another kind")


def to_data(condition: Condition) -> dict[str, object]:
    """The tree as plain data again; `parse(to_data(c)) == c`."""
    match condition:
        case All(branches):
            return {"all": [to_data(branch) for branch in branches]}
        case Any_(branches):
            return {"any": [to_data(branch) for branch in branches]}
        case Not(branch):
            return {"not": to_data(branch)}
        case Compare(field=field, op=op, value=value):
            plain = list(value) if isinstance(value, tuple) else value
            return {"field": field, "op": op.value, "value": plain}
        case SameValue(field=field, digest=digest):
            return {"field": field, "digest": digest}
        case SameMembers(field=field, members=members):
            return {"field": field, "members": list(members)}
        case ValueFrom(argument=argument, origins=origins):
            return {"value_from": argument, "in": list(origins)}
        case Past(formula=formula):
            return dict(formula)


def describe(condition: Condition, limit: int = 200) -> str:
    """The tree as one line for people, cut to `limit` characters: `risk_score gte 60 and reversible eq false`."""
    text = _described(condition, top=True)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def abbreviated(value: object) -> str:
    """A value as an error message may repeat it: its JSON-like form, cut at 60 characters."""
    text = repr(value) if isinstance(value, Scalar | None) else f"a {_kind(value)}"
    return text if len(text) <= 60 else text[:57] + "..."


WORDS = {
    Op.EQ: "is",
    Op.NE: "is there and is not",
    Op.LT: "is below",
    Op.LTE: "is at most",
    Op.GT: "is above",
    Op.GTE: "is at least",
    Op.IN: "is one of",
    Op.NOT_IN: "is there and is none of",
    Op.CONTAINS: "contains",
    Op.STARTS_WITH: "begins with",
    Op.ENDS_WITH: "ends with",
    Op.MATCHES: "matches the pattern",
    Op.EXISTS: "is there",
}
"""Each comparison as people say it."""
_LEAF = re.compile(
    rf"(?P<before>^|: |[( ])(?P<field>[A-Za-z_][\w.]*) (?P<op>{'|'.join(Op)}) "
    r"(?P<value>\"[^\"]*?(?:\"|\.\.\.(?=$|; ))|\[(?:\"[^\"]*\"|[\w.,+ -])*\]|\[[^\]]*?\.\.\.(?=$|; )|"
    r"-?\d[\d.e+-]*|true|false)"
)
_ITEM = re.compile(r"\"([^\"]*)\"|\"([^\"]*)$|([^\",\s]+)")


def in_words(reason: str) -> str:
    """What `describe` wrote, as people say it: `risk score is at least 60 and action type is one of “pay” or “refund”`;
    where it was cut stands an ellipsis. Other texts stay as they are."""
    return _LEAF.sub(_escaped, reason)


def _escaped(found: re.Match[str]) -> str:
    field, op, value = found["field"].replace("_", " "), Op(found["op"]), found["value"]
    if op is Op.EXISTS:
        return f"{found['before']}{field} {'is there' if value == 'true' else 'is not there'}"
    return f"{found['before']}{field} {WORDS[op]} {_value_in_words(value)}"


def _value_in_words(value: str) -> str:
    """What `_written` wrote, whole or cut by `describe`."""
    if value[0] not in '["':
        return value
    found = list(_ITEM.finditer(value.removesuffix("...").removeprefix("[").removesuffix("]")))
    items = [_item_in_words(each) for each in found]
    if not value.endswith("..."):
        return f"{', '.join(items[:-1])} or {items[-1]}" if len(items) > 1 else "".join(items)
    last = found[-1] if found else None
    if last is None or (last[2] is None and not value.endswith(f"{last[3]}...")):
        items.append("…")
    elif last[3] is not None:
        items[-1] += "…"
    return ", ".join(items)


def _item_in_words(found: re.Match[str]) -> str:
    whole, cut, bare = found.groups()
    if whole is not None:
        return f"“{whole}”"
    return bare if cut is None else f"“{cut}…”"


class _Reader:
    """One reading of one tree; counts its nodes."""

    def __init__(self, session: bool, whole: bool) -> None:
        self.session = session
        self.whole = whole
        self.nodes = 0

    def count(self, place: str, depth: int) -> None:
        self.nodes += 1
        if depth > MAX_DEPTH:
            raise ConditionError(place, f"is nested deeper than {MAX_DEPTH} levels; flatten the tree")
        if self.nodes > MAX_NODES:
            raise ConditionError(place, f"the tree has more than {MAX_NODES} nodes; split it into several policies")

    def node(self, data: object, place: str, depth: int) -> Condition:
        self.count(place, depth)
        if not isinstance(data, Mapping):
            raise ConditionError(place, f"is {abbreviated(data)}, expected one of {_SHAPES}")
        keys = set(data)
        if keys == {"all"}:
            return All(self.branches(data["all"], f"{place}.all", depth))
        if keys == {"any"}:
            return Any_(self.branches(data["any"], f"{place}.any", depth))
        if keys == {"not"}:
            return Not(self.node(data["not"], f"{place}.not", depth + 1))
        if keys == {"field", "op", "value"}:
            return _compare(data, place)
        if keys in _WHOLE:
            if not self.whole:
                raise ConditionError(place, "is about a whole value, which only a standing grant may ask for")
            return _same(data, place)
        about_session = keys == {"value_from", "in"} or (len(keys) == 1 and keys <= PAST)
        if about_session and not self.session:
            raise ConditionError(place, "is about the session, which only a policy of kind flow is asked about")
        if keys == {"value_from", "in"}:
            return _value_from(data, place)
        if about_session:
            self.formula(data, place, depth)
            return Past(formula=dict(data))
        found = ", ".join(sorted(abbreviated(key) for key in keys)[:8]) or "nothing"
        raise ConditionError(place, f"has the members {found}, expected exactly one of {_SHAPES}")

    def branches(self, data: object, place: str, depth: int) -> tuple[Condition, ...]:
        if not isinstance(data, Sequence) or isinstance(data, str | bytes):
            raise ConditionError(place, f"is {abbreviated(data)}, expected a list of conditions")
        if not data:
            raise ConditionError(place, "is empty, expected at least one condition")
        return tuple(self.node(item, f"{place}[{at}]", depth + 1) for at, item in enumerate(data))

    def formula(self, data: object, place: str, depth: int) -> None:
        """How large a formula is; `assent.flows.past` says what it may be."""
        if isinstance(data, Mapping):
            for key, each in data.items():
                where = f"{place}.{abbreviated(key) if not isinstance(key, str) else key[:MAX_FIELD]}"
                if isinstance(each, Mapping):
                    self.count(where, depth + 1)
                self.formula(each, where, depth + 1)
        elif isinstance(data, Sequence) and not isinstance(data, str | bytes):
            for at, each in enumerate(data):
                self.count(f"{place}[{at}]", depth + 1)
                self.formula(each, f"{place}[{at}]", depth + 1)
        else:
            _scalar(data, place)


def _value_from(data: Mapping[str, object], place: str) -> ValueFrom:
    argument, origins = data["value_from"], data["in"]
    if not isinstance(argument, str) or not argument or len(argument) > MAX_FIELD or "" in argument.split("."):
        raise ConditionError(
            f"{place}.value_from",
            f"is {abbreviated(argument)}, expected the path of an argument such as recipient or owner.email, of 1 to "
            f"{MAX_FIELD} characters and without empty parts",
        )
    if not isinstance(origins, Sequence) or isinstance(origins, str | bytes) or not origins:
        raise ConditionError(f"{place}.in", f"is {abbreviated(origins)}, expected a list of {', '.join(ORIGINS)}")
    for at, each in enumerate(origins):
        if not isinstance(each, str) or each not in ORIGINS:
            raise ConditionError(f"{place}.in[{at}]", f"is {abbreviated(each)}, expected one of {', '.join(ORIGINS)}")
    return ValueFrom(argument=argument, origins=tuple(dict.fromkeys(origins)))


def _same(data: Mapping[str, object], place: str) -> SameValue | SameMembers:
    field = _path(data, place)
    if "digest" in data:
        digest = data["digest"]
        if not isinstance(digest, str) or _DIGEST.fullmatch(digest) is None:
            raise ConditionError(
                f"{place}.digest", f"is {abbreviated(digest)}, expected sha256: and 64 lower-case hexadecimal digits"
            )
        return SameValue(field=field, digest=digest)
    members = data["members"]
    if not isinstance(members, Sequence) or isinstance(members, str | bytes) or not members:
        raise ConditionError(f"{place}.members", f"is {abbreviated(members)}, expected a list of at least one name")
    if len(members) > MAX_LIST:
        raise ConditionError(f"{place}.members", f"has {len(members)} names, at most {MAX_LIST} are allowed")
    for at, each in enumerate(members):
        if not isinstance(each, str) or len(each) > MAX_STRING:
            raise ConditionError(
                f"{place}.members[{at}]", f"is {abbreviated(each)}, expected a name of at most {MAX_STRING} characters"
            )
    return SameMembers(field=field, members=tuple(dict.fromkeys(members)))


def _compare(data: Mapping[str, object], place: str) -> Compare:
    field = _path(data, place)
    op = data["op"]
    if not isinstance(op, str) or op not in Op.__members__.values():
        raise ConditionError(f"{place}.op", f"is {abbreviated(op)}, expected one of {', '.join(Op)}")
    return Compare(field=field, op=Op(op), value=_value(Op(op), data["value"], f"{place}.value"))


def _path(data: Mapping[str, object], place: str) -> str:
    field = data["field"]
    if not isinstance(field, str) or not field or len(field) > MAX_FIELD or "" in field.split("."):
        raise ConditionError(
            f"{place}.field",
            f"is {abbreviated(field)}, expected a path such as risk_score or metadata.team, "
            f"of 1 to {MAX_FIELD} characters and without empty parts",
        )
    return field


def _value(op: Op, data: object, place: str) -> Value:
    if op in _LIST_OPS:
        if not isinstance(data, Sequence) or isinstance(data, str | bytes) or not data:
            raise ConditionError(place, f"is {abbreviated(data)}, {op} expects a list of at least one value")
        if len(data) > MAX_LIST:
            raise ConditionError(place, f"has {len(data)} values, at most {MAX_LIST} are allowed")
        return tuple(_scalar(item, f"{place}[{at}]") for at, item in enumerate(data))
    if op is Op.EXISTS:
        if not isinstance(data, bool):
            raise ConditionError(place, f"is {abbreviated(data)}, exists expects true or false")
        return data
    if op in _NUMBER_OPS and (isinstance(data, bool) or not isinstance(data, int | float)):
        raise ConditionError(place, f"is {abbreviated(data)}, {op} expects a number")
    if op in _STRING_OPS and not isinstance(data, str):
        raise ConditionError(place, f"is {abbreviated(data)}, {op} expects a string")
    return _scalar(data, place)


def _scalar(data: object, place: str) -> Scalar:
    if isinstance(data, str):
        if len(data) > MAX_STRING:
            raise ConditionError(place, f"has {len(data)} characters, at most {MAX_STRING} are allowed")
        return data
    if isinstance(data, bool):
        return data
    if isinstance(data, int):
        if abs(data) > MAX_INTEGER:
            raise ConditionError(place, "is a whole number beyond ±(2^53 - 1), which not every reader keeps exactly")
        return data
    if isinstance(data, float):
        if not isfinite(data):
            raise ConditionError(place, f"is {data}, expected a finite number")
        return data
    raise ConditionError(place, f"is {abbreviated(data)}, expected a string, a number, true or false")


def _described(condition: Condition, *, top: bool = False) -> str:
    match condition:
        case Compare(field=field, op=op, value=value):
            return f"{field} {op} {_written(value)}"
        case SameValue() | SameMembers():
            return whole_words(condition)
        case ValueFrom() | Past():
            return session_words(condition)
        case Not(branch):
            return f"not ({_described(branch, top=True)})"
        case All(branches):
            text = " and ".join(_described(branch) for branch in branches)
        case Any_(branches):
            text = " or ".join(_described(branch) for branch in branches)
    return text if top or len(branches) == 1 else f"({text})"


def whole_words(leaf: SameValue | SameMembers) -> str:
    """A leaf about a whole value as a clause: `parameters has to, body and no other members`."""
    if isinstance(leaf, SameMembers):
        return f"{leaf.field} has {', '.join(leaf.members)} and no other members"
    return f"{leaf.field} is exactly the value with the digest {leaf.digest[:19]}"


def session_words(leaf: ValueFrom | Past) -> str:
    """A leaf about the session as a clause: `recipient comes from a text or nowhere`."""
    if isinstance(leaf, ValueFrom):
        said = [ORIGINS[each] for each in leaf.origins]
        said = [each if each == "nowhere" else f"from {each}" for each in said]
        return f"{leaf.argument} comes {' or '.join(said)}"
    return _formula(leaf.formula, "is")


def _formula(data: object, verb: str) -> str:
    """A formula as a clause, as far as it is one; `verb` is `was` for calls before this one."""
    if not isinstance(data, Mapping) or len(data) != 1:
        return abbreviated(data)
    operator, given = next(iter(data.items()))
    members = given if isinstance(given, Mapping) else {}
    match operator:
        case "tool" | "effect":
            return f"the {operator} {verb} {given}"
        case "label":
            return f"the label {given} {'holds' if verb == 'is' else 'held'}"
        case "not":
            return f"not ({_formula(given, verb)})"
        case "all" | "any" if isinstance(given, Sequence) and not isinstance(given, str):
            text = (" and " if operator == "all" else " or ").join(_formula(each, verb) for each in given)
            return text if len(given) == 1 else f"({text})"
        case "before":
            return f"{_formula(given, 'was')} before"
        case "since":
            return f"{_formula(members.get('this'), verb)} ever since {_formula(members.get('from'), 'was')}"
        case "never_after":
            return f"{_formula(members.get('this'), verb)} after {_formula(members.get('after'), 'was')}"
        case "count_within":
            within = f"{members['seconds']} seconds" if "seconds" in members else f"{members.get('calls')} calls"
            return f"{_formula(members.get('of'), 'was')} {members.get('at_least')} times within {within}"
        case _:
            return abbreviated(data)


def _written(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_written(item) for item in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _kind(value: object) -> str:
    if isinstance(value, Mapping):
        return "mapping"
    return "list" if isinstance(value, Sequence) and not isinstance(value, str | bytes) else type(value).__name__
