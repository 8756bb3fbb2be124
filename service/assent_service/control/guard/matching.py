"""The meaning of a condition tree for one call: a tree becomes a function from fields to true or false.

The rules are those of `assent.contract.conditions`; here they are closures, made once when a policy changes.
Every leaf is a test on a value, with None standing for a missing field, so that the tests also serve the index.

`matches` runs on RE2: linear time for every pattern, unlike Python's own engine. A pattern is in RE2's syntax;
back-references and look-around do not exist there and are refused when the tree is compiled.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from assent.contract.conditions import (
    All,
    Any_,
    Compare,
    Condition,
    ConditionError,
    Not,
    Op,
    SameMembers,
    SameValue,
    Scalar,
    SpecialLeaf,
    Value,
    misplaced,
)
from assent.proof.canonical import CanonicalError, digest

# Fields are plain JSON types, so the exact class tells, faster than isinstance; a boolean is no number.
NUMBERS = frozenset({int, float})
SCALARS = frozenset({str, int, float, bool})

Fields: TypeAlias = Mapping[str, object]
Predicate: TypeAlias = Callable[[Fields], bool]
Test: TypeAlias = Callable[[object], bool]

# Room for a compiled pattern and its cached states. RE2's default of 8 MiB would be 8 GiB for 1000 policies;
# with half a MiB the slowest pattern that still compiles stays in the low milliseconds on 2000 characters.
_PATTERN_MEMORY = 1 << 19


def compile_condition(condition: Condition, place: str = "when") -> Predicate:
    """A function that says whether the tree holds. Raises ConditionError for a pattern RE2 does not accept."""
    match condition:
        case Compare():
            return _leaf(condition, place)
        case Not(branch):
            inner = compile_condition(branch, f"{place}.not")
            return lambda fields: not inner(fields)
        case All(branches):
            return every([compile_condition(b, f"{place}.all[{at}]") for at, b in enumerate(branches)])
        case Any_(branches):
            parts = [compile_condition(b, f"{place}.any[{at}]") for at, b in enumerate(branches)]
            return _some(parts)
        case SameValue(field=field, digest=expected):
            path = tuple(field.split("."))
            return lambda fields: _has_digest(resolve(fields, path), expected)
        case SameMembers(field=field, members=members):
            path, names = tuple(field.split(".")), frozenset(members)
            return lambda fields: isinstance(found := resolve(fields, path), dict) and found.keys() == names
        case SpecialLeaf():
            misplaced(condition)


def _has_digest(found: object, expected: str) -> bool:
    """Whether the value is there and is the one with this digest; what has none is not."""
    try:
        return found is not None and digest(found) == expected
    except CanonicalError:
        return False


def every(parts: list[Predicate]) -> Predicate:
    """All of them, in order; of none, true."""
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        first, second = parts
        return lambda fields: first(fields) and second(fields)

    def run(fields: Fields) -> bool:
        for part in parts:  # noqa: SIM110 - all() with a generator takes twice as long
            if not part(fields):
                return False
        return True

    return run


def resolve(fields: Fields, path: tuple[str, ...]) -> object:
    """The value at a path through nested mappings, or None when it is missing."""
    value: object = fields
    for part in path:
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def equal(left: object, right: Scalar) -> bool:
    """`eq` of the tree: booleans equal booleans only, and nothing but a scalar equals a scalar."""
    return left == right and isinstance(left, bool) is isinstance(right, bool)


def _some(parts: list[Predicate]) -> Predicate:
    def run(fields: Fields) -> bool:
        for part in parts:  # noqa: SIM110 - any() with a generator takes twice as long
            if part(fields):
                return True
        return False

    return run if len(parts) > 1 else parts[0]


def _leaf(leaf: Compare, place: str) -> Predicate:
    test = value_test(leaf.op, leaf.value, f"{place}.value")
    name = leaf.field
    if "." not in name:
        return _bound(leaf, name) or (lambda fields: test(fields.get(name)))
    path = tuple(name.split("."))
    return lambda fields: test(resolve(fields, path))


def _bound(leaf: Compare, name: str) -> Predicate | None:
    """The commonest leftover, a bound on a plain field, in one call instead of two."""
    value = leaf.value
    if not isinstance(value, int | float):
        return None
    if leaf.op is Op.GT:
        return lambda fields: (found := fields.get(name)).__class__ in NUMBERS and found > value  # type: ignore[operator]  # a number
    if leaf.op is Op.GTE:
        return lambda fields: (found := fields.get(name)).__class__ in NUMBERS and found >= value  # type: ignore[operator]  # a number
    return None


def value_test(op: Op, value: Value, place: str = "value") -> Test:
    """The test of one operator against its value; a missing field is passed as None."""
    if op is Op.EXISTS:
        return (lambda found: found is not None) if value is True else (lambda found: found is None)
    if isinstance(value, tuple):
        return _membership(op, value)
    if isinstance(value, str) and op in _STRING_TESTS:
        return _STRING_TESTS[op](value, place)
    if op is Op.CONTAINS:
        return _contains(value)
    if op is Op.EQ:
        if isinstance(value, str):
            return lambda found: found == value
        if isinstance(value, bool):
            return lambda found: found is value
        return lambda found: found == value and found.__class__ in NUMBERS
    if op is Op.NE:
        return lambda found: found is not None and not equal(found, value)
    assert isinstance(value, int | float)
    return _order(op, value)


def _membership(op: Op, values: tuple[Scalar, ...]) -> Test:
    # A set holds 1, 1.0 and true as one; kept apart, each set is asked for its own kind only.
    flags = frozenset(value for value in values if isinstance(value, bool))
    plain = frozenset(value for value in values if not isinstance(value, bool))

    def inside(found: object) -> bool:
        kind = found.__class__
        if kind is bool:
            return found in flags
        return kind in SCALARS and found in plain

    if op is Op.IN:
        return inside
    return lambda found: found is not None and not inside(found)


def _contains(value: Scalar) -> Test:
    text = value if isinstance(value, str) else None

    def run(found: object) -> bool:
        if isinstance(found, str):
            return text is not None and text in found
        if not isinstance(found, (list, tuple)):
            return False
        if text is not None:
            return text in found
        return any(equal(member, value) for member in found)

    return run


def _order(op: Op, value: float) -> Test:
    if op is Op.LT:
        return lambda found: found.__class__ in NUMBERS and found < value  # type: ignore[operator]  # a number
    if op is Op.LTE:
        return lambda found: found.__class__ in NUMBERS and found <= value  # type: ignore[operator]  # a number
    if op is Op.GT:
        return lambda found: found.__class__ in NUMBERS and found > value  # type: ignore[operator]  # a number
    return lambda found: found.__class__ in NUMBERS and found >= value  # type: ignore[operator]  # a number


def _starts_with(value: str, place: str) -> Test:
    return lambda found: isinstance(found, str) and found.startswith(value)


def _ends_with(value: str, place: str) -> Test:
    return lambda found: isinstance(found, str) and found.endswith(value)


def _matches(value: str, place: str) -> Test:
    import re2  # only here: who has no pattern needs no engine

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _PATTERN_MEMORY
    try:
        pattern = re2.compile(value, options)
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0]
        text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(error)
        raise ConditionError(
            place,
            f"is no pattern that RE2 accepts ({text}); RE2 syntax has no back-references and no look-around",
        ) from None
    search = pattern.search

    def run(found: object) -> bool:
        # Bytes spare RE2's wrapper the way back from byte offsets to characters: a third of the time.
        return isinstance(found, str) and search(found.encode("utf-8", "replace")) is not None

    return run


_STRING_TESTS: dict[Op, Callable[[str, str], Test]] = {
    Op.STARTS_WITH: _starts_with,
    Op.ENDS_WITH: _ends_with,
    Op.MATCHES: _matches,
}
