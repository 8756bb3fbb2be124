"""Whether a condition tree holds, by the rules of `assent.contract.conditions`, one comparison after the other.

`matches` takes RE2 (google-re2 on the package index). Where that is not installed the comparison is *unknown*, and so
is a tree that depends on it: with `all` a false branch settles it, with `any` a true one, and otherwise None is the
answer. Another engine would be a guess, since Python's own reads some patterns differently.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from assent.contract.conditions import (
    All,
    Any_,
    Compare,
    Condition,
    Not,
    Op,
    Past,
    SameMembers,
    SameValue,
    Value,
    ValueFrom,
    misplaced,
)
from assent.proof.canonical import CanonicalError, digest

OfSession: TypeAlias = Callable[["ValueFrom | Past"], "bool | None"]
_PATTERN_MEMORY = 1 << 19
"""As guard compiles patterns: one that needs more was never accepted."""


def holds(
    condition: Condition, fields: Mapping[str, object], session: OfSession | None = None, *, doubt: bool = True
) -> bool | None:
    """Whether the tree holds for these fields, plain JSON; None where only RE2 could tell and is not there. `session`
    says whether a leaf about the session holds, and None where nobody can tell: then it counts as `doubt`, and below a
    `not` as the opposite."""
    match condition:
        case Compare():
            return _compare(condition, _value_at(fields, condition.field))
        case SameValue():
            return _has_digest(_value_at(fields, condition.field), condition.digest)
        case SameMembers():
            found = _value_at(fields, condition.field)
            return isinstance(found, Mapping) and set(found) == set(condition.members)
        case ValueFrom() | Past():
            if session is None:
                misplaced(condition)
            known = session(condition)
            return doubt if known is None else known
        case Not(branch):
            inner = holds(branch, fields, session, doubt=not doubt)
            return None if inner is None else not inner
        case All(branches):
            return _settled([holds(branch, fields, session, doubt=doubt) for branch in branches], by=False)
        case Any_(branches):
            return _settled([holds(branch, fields, session, doubt=doubt) for branch in branches], by=True)


def _settled(found: list[bool | None], *, by: bool) -> bool | None:
    if by in found:
        return by
    return None if None in found else not by


def _value_at(fields: Mapping[str, object], path: str) -> object:
    """What a path leads to; None for what is missing, which null is, too."""
    found: object = fields
    for part in path.split("."):
        if not isinstance(found, Mapping):
            return None
        found = found.get(part)
    return found


def _has_digest(found: object, expected: str) -> bool:
    try:
        return found is not None and digest(found) == expected
    except CanonicalError:
        return False


def _compare(leaf: Compare, found: object) -> bool | None:
    if leaf.op is Op.EXISTS:
        return (found is not None) is leaf.value
    if found is None:
        return False
    if leaf.op is Op.MATCHES:
        return _matches(str(leaf.value), found)
    return _COMPARISONS[leaf.op](found, leaf.value)


def _kind(value: object) -> str | None:
    """The kind of a scalar; None for a list or a mapping, which equal nothing."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else None


def _equal(found: object, value: object) -> bool:
    kind = _kind(found)
    return kind is not None and kind == _kind(value) and found == value


def _among(found: object, values: Value) -> bool:
    return isinstance(values, tuple) and any(_equal(found, value) for value in values)


def _contains(found: object, value: Value) -> bool:
    if isinstance(found, str):
        return isinstance(value, str) and value in found
    return isinstance(found, Sequence) and any(_equal(member, value) for member in found)


def _ordered(order: Callable[[float, float], bool]) -> Callable[[object, Value], bool]:
    def compare(found: object, value: Value) -> bool:
        if _kind(found) != "number" or _kind(value) != "number":
            return False
        assert isinstance(found, int | float)
        assert isinstance(value, int | float)
        return order(found, value)

    return compare


def _text(test: Callable[[str, str], bool]) -> Callable[[object, Value], bool]:
    return lambda found, value: isinstance(found, str) and isinstance(value, str) and test(found, value)


_COMPARISONS: dict[Op, Callable[[object, Value], bool]] = {
    Op.EQ: _equal,
    Op.NE: lambda found, value: not _equal(found, value),
    Op.LT: _ordered(lambda found, value: found < value),
    Op.LTE: _ordered(lambda found, value: found <= value),
    Op.GT: _ordered(lambda found, value: found > value),
    Op.GTE: _ordered(lambda found, value: found >= value),
    Op.IN: _among,
    Op.NOT_IN: lambda found, value: not _among(found, value),
    Op.CONTAINS: _contains,
    Op.STARTS_WITH: _text(str.startswith),
    Op.ENDS_WITH: _text(str.endswith),
}


def _matches(pattern: str, found: object) -> bool | None:
    if not isinstance(found, str):
        return False
    search = _searcher(pattern)
    return None if search is None else search(found.encode("utf-8", "replace"))


def _searcher(pattern: str) -> Callable[[bytes], bool] | None:
    """None where RE2 is not installed, or does not take the pattern."""
    try:
        import re2  # pyright: ignore[reportMissingTypeStubs] - it has none
    except ImportError:
        return None
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _PATTERN_MEMORY
    try:
        search = re2.compile(pattern, options).search
    except (re2.error, UnicodeEncodeError):
        return None
    return lambda text: search(text) is not None
