"""Conditions found through probes hold exactly when evaluating them says so."""

import itertools
import math
from typing import Any

from assent.contract.conditions import Condition, parse
from assent_service.control.guard.matching import compile_condition
from assent_service.control.guard.probes import Probes, conjuncts

VALUES: list[Any] = ["x", "", "xy", "1", 0, 1, 1.0, -1, 59.5, 60, True, False, None, math.nan, math.inf, 10**400]
FOUND: list[Any] = [*VALUES, [], ["x"], [1, True], [True, "xy", "x", "x"], [[1]], [None], {"x": 1}, ("x", 1.0)]
SCALARS = ["x", "", "1", 0, 1, 1.0, 59.5, 60, True, False]
EVERYTHING = -1


def leaves() -> list[dict[str, Any]]:
    pairs: list[tuple[str, Any]] = list(itertools.product(("eq", "ne", "contains"), SCALARS))
    pairs += itertools.product(("lt", "lte", "gt", "gte"), (0, 1, 59.5, 60))
    pairs += itertools.product(("in", "not_in"), (["x", 1], [True], [1.0, 1, "1"], [False, 60]))
    pairs += itertools.product(("starts_with", "ends_with", "matches"), ("x", ""))
    pairs += [("exists", True), ("exists", False)]
    return [{"field": "f", "op": op, "value": value} for op, value in pairs]


def filed(trees: list[Condition]) -> Probes:
    probes = Probes()
    for number, tree in enumerate(trees):
        probes.add(1 << number, conjuncts(tree, "when"))
    probes.seal()
    return probes


def agree(trees: list[Condition], contexts: list[dict[str, Any]]) -> None:
    probes = filed(trees)
    predicates = [compile_condition(tree) for tree in trees]
    for context in contexts:
        hits = probes.hits(context, EVERYTHING)
        expected = sum(1 << number for number, holds in enumerate(predicates) if holds(context))
        wrong = hits ^ expected
        assert not wrong, (context, [trees[n] for n in range(len(trees)) if wrong >> n & 1])


def test_every_operator_on_every_kind_of_value() -> None:
    agree([parse(leaf) for leaf in leaves()], [{}, *({"f": value} for value in FOUND)])


def test_the_same_through_a_path() -> None:
    trees = [parse({**leaf, "field": "a.f"}) for leaf in leaves()]
    agree(trees, [{}, {"a": 1}, {"a": None}, {"a.f": "x"}, *({"a": {"f": value}} for value in FOUND)])


def test_pairs_of_comparisons_joined_in_every_way() -> None:
    few = [leaf for number, leaf in enumerate(leaves()) if number % 4 == 0]
    trees = []
    for one, other in itertools.product(few, few):
        second = {**other, "field": "g"}
        trees += [parse({"all": [one, second]}), parse({"any": [one, second]})]
        trees.append(parse({"all": [{"any": [one, second]}, {"not": {"all": [one, second]}}]}))
    contexts = [{"f": one, "g": other} for one, other in itertools.product(FOUND[::3], FOUND[1::3])]
    agree(trees, contexts)


def test_only_applying_conditions_are_reported() -> None:
    probes = filed([parse({"field": "f", "op": "eq", "value": 1}), parse({"field": "f", "op": "ne", "value": 2})])
    assert probes.hits({"f": 1}, 0b11) == 0b11
    assert probes.hits({"f": 1}, 0b01) == 0b01
    assert probes.hits({"f": 1}, 0b10) == 0b10
    assert probes.hits({"f": 1}, 0) == 0


def test_a_condition_found_through_several_branches_counts_once() -> None:
    branch = {"field": "f", "op": "eq", "value": 1}
    assert filed([parse({"any": [branch, branch, {**branch, "op": "gte"}]})]).hits({"f": 1}, EVERYTHING) == 1


def test_a_disjunction_of_many_branches_is_still_found() -> None:
    branches = [{"field": "f", "op": "eq", "value": number} for number in range(100)]
    trees = [parse({"any": branches})]
    agree(trees, [{"f": number} for number in (-1, 0, 50, 99, 100)])
