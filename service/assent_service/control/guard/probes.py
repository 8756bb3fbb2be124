"""Finding the conditions that hold without evaluating each of them.

A conjunction can only hold when each of its conjuncts does, so one of them is chosen as its *probe*; a disjunction
is probed by one comparison in each of its branches. Conditions with the same kind of probe on the same field are
then answered together:

- `eq` and `in`: a table from value to conditions, one look-up for all of them;
- `contains`: the same table, asked once per member of a list, or once per distinct value for a string;
- `lt`, `lte`, `gt`, `gte`: sorted, so that those whose bound is passed are a prefix or a suffix.

What is left of a condition is evaluated for these candidates only. Conditions without such a probe (`not`, `ne`,
patterns alone, ...) are evaluated one by one; a policy author avoids that with one plain comparison beside them.

The result is a set of policies as a number with one bit each (see `verdict`), so that a condition found through
two branches counts once.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct

from assent.contract.conditions import All, Any_, Compare, Condition, Op, Scalar
from assent_service.control.guard.matching import NUMBERS, SCALARS, Fields, Predicate, compile_condition, every, resolve

Path: TypeAlias = tuple[str, ...]
Key: TypeAlias = str | float | tuple[bool]
# The bit of a condition, and what is left to hold once the probe did: None when that was all.
Candidate: TypeAlias = tuple[int, Predicate | None]
Table: TypeAlias = dict[Key, list[Candidate]]

_RANKS = {Op.EQ: 0, Op.IN: 1, Op.CONTAINS: 2, Op.GTE: 3, Op.GT: 3, Op.LTE: 3, Op.LT: 3}
_ORDERED = frozenset({Op.LT, Op.LTE, Op.GT, Op.GTE})
_NO_PROBE = 4
_MAX_BRANCHES = 32


class Conjunct(Struct, frozen=True):
    """One necessary part of a condition: its tree, and the tree compiled."""

    tree: Condition
    holds: Predicate


class _Route(Struct, frozen=True):
    """One way to find a condition: a probe, and what is left then."""

    probe: Compare
    rest: tuple[Predicate, ...]


def conjuncts(condition: Condition, place: str) -> list[Conjunct]:
    """The parts that all have to hold. Raises ConditionError like `compile_condition`."""
    if isinstance(condition, All):
        branches = enumerate(condition.branches)
        return [part for at, branch in branches for part in conjuncts(branch, f"{place}.all[{at}]")]
    return [Conjunct(condition, compile_condition(condition, place))]


class Probes:
    """The conditions of one organization. `add` them all, then `seal`, then ask `hits`."""

    __slots__ = ("_equal", "_equal_fields", "_member", "_order", "_rest", "_sorted")

    def __init__(self) -> None:
        self._equal: dict[Path, Table] = {}
        # The name of a field at the top, empty for a longer path: most are at the top and need no walk.
        self._equal_fields: list[tuple[str, Path, Table]] = []
        self._member: dict[Path, Table] = {}
        self._order: dict[tuple[Path, Op], list[tuple[float, int, Predicate | None]]] = {}
        self._sorted: list[tuple[Path, Op, list[float], list[Candidate]]] = []
        self._rest: list[Candidate] = []

    def add(self, bit: int, parts: Sequence[Conjunct]) -> None:
        """File one condition, given by its conjuncts, under its best probe."""
        _, routes = _routes(parts)
        if not routes:
            self._rest.append((bit, every([part.holds for part in parts])))
        for route in routes:
            self._file(route.probe, bit, every(list(route.rest)) if route.rest else None)

    def seal(self) -> None:
        """Sort the bounds; nothing may be added later."""
        for path, table in self._equal.items():
            self._equal_fields.append((path[0] if len(path) == 1 else "", path, table))
        for (path, op), bounds in self._order.items():
            bounds.sort(key=lambda bound: bound[0])
            levels = [level for level, _, _ in bounds]
            self._sorted.append((path, op, levels, [(bit, rest) for _, bit, rest in bounds]))

    def hits(self, fields: Fields, applying: int) -> int:
        """The bits of the conditions in `applying` that hold."""
        found = 0
        for name, path, table in self._equal_fields:
            value = fields.get(name) if name else resolve(fields, path)
            if value.__class__ in SCALARS:
                # true and 1 are one key to a dictionary and two values to a policy.
                candidates = table.get((value,) if value.__class__ is bool else value)  # type: ignore[call-overload]  # a scalar
                if candidates:
                    found |= _holding(candidates, fields, applying)
        for path, table in self._member.items():
            for key in _contained(resolve(fields, path), table):
                found |= _holding(table[key], fields, applying)
        for path, op, levels, bounded in self._sorted:
            bound = resolve(fields, path)
            # Not a number compares false with everything, which bisection would not notice.
            if bound.__class__ in NUMBERS and bound == bound:
                found |= _holding(_passed(op, levels, bounded, bound), fields, applying)  # type: ignore[arg-type]  # a number
        return found | _holding(self._rest, fields, applying) if self._rest else found

    def _file(self, probe: Compare, bit: int, rest: Predicate | None) -> None:
        path = tuple(probe.field.split("."))
        if probe.op in _ORDERED:
            assert isinstance(probe.value, int | float)
            self._order.setdefault((path, probe.op), []).append((probe.value, bit, rest))
            return
        values = probe.value if isinstance(probe.value, tuple) else (probe.value,)
        tables = self._member if probe.op is Op.CONTAINS else self._equal
        table = tables.setdefault(path, {})
        for key in dict.fromkeys(_key(value) for value in values):
            table.setdefault(key, []).append((bit, rest))


def _routes(parts: Sequence[Conjunct]) -> tuple[int, list[_Route]]:
    """The best way to find a conjunction, with its rank (0 is best); no routes when there is none."""
    best: tuple[int, list[_Route]] = (_NO_PROBE, [])
    for at, part in enumerate(parts):
        others = tuple(other.holds for n, other in enumerate(parts) if n != at)
        rank, routes = _NO_PROBE, list[_Route]()
        if isinstance(part.tree, Compare):
            rank = _RANKS.get(part.tree.op, _NO_PROBE)
            if rank == 0 and isinstance(part.tree.value, bool):
                rank = _RANKS[Op.LT]  # half of all calls have it: better than nothing
            routes = [_Route(part.tree, others)]
        elif isinstance(part.tree, Any_):
            rank, routes = _branch_routes(part.tree, others)
        if rank < best[0]:
            best = (rank, routes)
    return best


def _branch_routes(tree: Any_, others: tuple[Predicate, ...]) -> tuple[int, list[_Route]]:
    """A disjunction is found through its branches; it is as good as the worst of them."""
    worst, routes = 0, list[_Route]()
    for branch in tree.branches:
        rank, found = _routes(conjuncts(branch, "when"))
        worst = max(worst, rank)
        routes += [_Route(route.probe, route.rest + others) for route in found]
    return (worst, routes) if len(routes) <= _MAX_BRANCHES else (_NO_PROBE, [])


def _key(value: Scalar) -> Key:
    return (value,) if isinstance(value, bool) else value


def _contained(value: object, table: Table) -> Iterable[Key]:
    """The keys of the table that a value contains."""
    if isinstance(value, str):
        return [key for key in table if isinstance(key, str) and key in value]
    if isinstance(value, (list, tuple)):
        # What cannot be a key of a dictionary is in none; a member that comes twice is one key.
        return {key for member in value if isinstance(member, (str, int, float)) and (key := _key(member)) in table}
    return ()


def _passed(op: Op, levels: list[float], bounded: list[Candidate], value: float) -> list[Candidate]:
    if op is Op.GTE:
        return bounded[: bisect_right(levels, value)]
    if op is Op.GT:
        return bounded[: bisect_left(levels, value)]
    if op is Op.LTE:
        return bounded[bisect_left(levels, value) :]
    return bounded[bisect_right(levels, value) :]


def _holding(candidates: list[Candidate], fields: Fields, applying: int) -> int:
    found = 0
    for bit, rest in candidates:
        if (rest is None or rest(fields)) and bit & applying:
            found |= bit
    return found
