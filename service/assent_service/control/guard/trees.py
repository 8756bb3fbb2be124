"""Rules of the house: the tree of a flow policy for one call, by the rules of `assent.contract.conditions`.

A leaf about the session may be such that nobody can tell it. Then it counts as what makes the tree hold, so the tree is
compiled twice: as it may hold, and as it certainly does. Below a `not` the one is the other turned round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from assent.contract.conditions import (
    All,
    Any_,
    Compare,
    Condition,
    Not,
    Past,
    SameMembers,
    SameValue,
    ValueFrom,
    describe,
    misplaced,
    session_leaves,
)
from assent.contract.control.flows import formula_text, is_given
from assent.contract.names import comparable, named
from assent.flows import CallFacts, Monitor, Pack, Trace, monitor, stands_below, uncertain
from assent.flows.provenance import Provenance
from assent_service.control.guard.matching import Fields, compile_condition


class Present(NamedTuple):
    """The call that is asked about: its fields, what is seen of it, and when it is made (seconds since 1970)."""

    fields: Fields
    seen: Trace
    at: float


Holds: TypeAlias = Callable[[Present], bool]


class Tree(Struct, frozen=True, eq=False):
    """`past` has the monitors of its formulas that remember anything, by their texts."""

    may_hold: Holds
    holds: Holds
    text: str
    past: dict[str, Monitor]

    def says(self, now: Present) -> str | None:
        """What the policy says; None where the tree does not hold."""
        if not self.may_hold(now):
            return None
        if self.holds(now):
            return self.text
        seen = now.seen
        return f"{self.text}. {uncertain(told=seen.told, withheld=seen.withheld, gaps=seen.gaps)}"


def compile_tree(when: Condition, pack: Pack, place: str = "rules.when") -> Tree:
    """Raises ConditionError for a pattern, and FlowPackError for a formula that means nothing or names a label that the
    pack does not declare. Both name the place."""
    compared = named(when)
    may_hold, holds = _holds(compared, True, pack, place), _holds(compared, False, pack, place)
    formulas = [leaf.formula for leaf in session_leaves(compared) if isinstance(leaf, Past)]
    past = {formula_text(each): monitor(each, pack.labels) for each in formulas}
    return Tree(may_hold, holds, describe(when), {text: each for text, each in past.items() if each.remembers})


def _holds(tree: Condition, doubt: bool, pack: Pack, place: str) -> Holds:
    """`doubt` is what a leaf counts as that nobody can tell."""
    match tree:
        case Compare():
            test = compile_condition(tree, place)
            return lambda now: test(now.fields)
        case SameValue() | SameMembers():
            misplaced(tree)
        case ValueFrom():
            return lambda now: _known(_comes_from(tree, now), doubt)
        case Past(formula=formula):
            compiled, text = monitor(formula, pack.labels, place), formula_text(formula)
            return lambda now: _known(_passed(compiled, text, now), doubt)
        case Not(branch):
            inner = _holds(branch, not doubt, pack, f"{place}.not")
            return lambda now: not inner(now)
        case All(branches):
            every = [_holds(each, doubt, pack, f"{place}.all[{at}]") for at, each in enumerate(branches)]
            return lambda now: all(part(now) for part in every)
        case Any_(branches):
            some = [_holds(each, doubt, pack, f"{place}.any[{at}]") for at, each in enumerate(branches)]
            return lambda now: any(part(now) for part in some)


def _known(found: bool | None, doubt: bool) -> bool:
    return doubt if found is None else found


def _comes_from(leaf: ValueFrom, now: Present) -> bool | None:
    """None where nobody knows where a value of this argument came from."""
    seen = now.seen
    if seen.withheld:
        return None
    if not is_given(now.fields.get("parameters"), leaf.argument):
        return False
    if not seen.told:
        return None
    there = [(each.origin, stands_below(each.path, leaf.argument)) for each in seen.values]
    origins = [origin for origin, stands in there if stands]
    known = [each for each in origins if each.trusted or seen.complete]
    if any(not _kinds(each).isdisjoint(leaf.origins) for each in known):
        return True
    all_known = len(known) == len(origins) and not any(stands is None for _, stands in there)
    return False if origins and all_known and seen.whole else None


def _kinds(origin: Provenance) -> frozenset[str]:
    return frozenset(["user"]) if origin.trusted else frozenset(origin.kind.split(" and "))


def _passed(compiled: Monitor, text: str, now: Present) -> bool | None:
    """None where the session was told nothing, or a call before is missing that the formula asks about."""
    seen = now.seen
    if compiled.remembers and not (seen.told and seen.recalled):
        return None
    call = CallFacts(comparable(seen.tool), seen.effect, seen.labels, now.at)
    _, found = compiled.step(seen.past.get(text) or compiled.start(), call)
    if compiled.labelled and not (seen.told and seen.complete):
        # A label that is there is there; what was not kept may have put one on.
        return True if found and len(compiled.nodes) == 1 else None
    return found
