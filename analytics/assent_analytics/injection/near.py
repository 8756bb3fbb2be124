"""Which rules hold somewhere in a string of letters, in time that does not depend on what the letters are.

A set of places is one integer, a bit for each. A pattern is followed from class to class: the places after its first
class, moved on by as many words as may lie between, those of them where the second class stands, and so on. Patterns
that begin alike are followed together, as a tree. An automaton would be as quick on prose, but one for all patterns has
states without number, and texts can be made that visit them all (measured: two seconds for a megabyte).

Before that the letters are asked whether any pattern has all its classes among them: in most short texts none has.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import NamedTuple

SIZE = 2048
"""Letters looked at together."""
_BITS = [1 << place for place in range(SIZE)]


class Step(NamedTuple):
    """One of `letters`, after up to `gap` letters of any kind; it may miss if it is `optional`."""

    gap: int
    letters: frozenset[str]
    optional: bool


class _Branch(NamedTuple):
    """What follows a class: `more` lists how the places so far are spread (bits to move by, one after another), and
    the classes that may stand there, as (class, rules that hold then, what follows)."""

    moves: tuple[int, ...]
    classes: tuple[tuple[int, tuple[int, ...], tuple[_Branch, ...]], ...]


class _Node:
    def __init__(self) -> None:
        self.next: dict[tuple[int, int], _Node] = {}
        self.rules: set[int] = set()


class Near:
    """Patterns of rules: `patterns[n]` are those of rule n. `commonness` tells how common the words of a letter are."""

    def __init__(self, patterns: list[list[list[Step]]], commonness: Mapping[str, int]) -> None:
        self._numbers: dict[frozenset[str], int] = {}
        root = _Node()
        keyed: list[tuple[frozenset[str], list[frozenset[str]], list[frozenset[str]]]] = []
        self.longest = 0
        for rule, several in enumerate(patterns):
            for steps in several:
                self.longest = max(self.longest, sum(step.gap + 1 for step in steps))
                needed = [step.letters for step in steps if not step.optional]
                rarest = min(
                    needed,
                    key=lambda letters: (sum(commonness.get(letter, 0) for letter in letters), len(letters)),
                )
                first = next(at for at, step in enumerate(steps) if not step.optional)
                keyed.append((rarest, needed, [step.letters for step in steps[: first + 1]]))
                self._plant(root, steps, rule)
        self._of: dict[str, tuple[int, ...]] = {}
        for letters, number in self._numbers.items():
            for letter in letters:
                self._of[letter] = (*self._of.get(letter, ()), number)
        self._masks = {letter: sum(1 << number for number in numbers) for letter, numbers in self._of.items()}
        needs: dict[str, set[tuple[int, tuple[int, ...]]]] = {}
        for rarest, needed, begun in keyed:
            mask = sum({1 << self._numbers[letters] for letters in needed})
            for letter in rarest:
                needs.setdefault(letter, set()).add((mask, tuple(self._numbers[letters] for letters in begun)))
        self._needs = {letter: tuple(sorted(masks)) for letter, masks in needs.items()}
        self._rare = frozenset(needs)
        self._asked = frozenset(self._masks)
        self._roots = {number: (tuple(node.rules), _branches(node)) for (_, number), node in root.next.items()}

    def _plant(self, node: _Node, steps: list[Step], rule: int, missed: int = 0) -> None:
        if not steps:
            node.rules.add(rule)
            return
        step, rest = steps[0], steps[1:]
        if step.optional:
            self._plant(node, rest, rule, missed + step.gap)
        number = self._numbers.setdefault(step.letters, len(self._numbers))
        self._plant(node.next.setdefault((missed + step.gap, number), _Node()), rest, rule)

    def begun(self, letters: str) -> set[int]:
        """First classes of the patterns that have all their classes among these letters."""
        found: set[int] = set()
        rare = self._rare.intersection(letters)
        if rare:
            present = reduce(or_, map(self._masks.__getitem__, self._asked.intersection(letters)))
            for letter in rare:
                for mask, first in self._needs[letter]:
                    if mask & present == mask:
                        found.update(first)
        return found

    def holding(self, letters: str) -> dict[int, int]:
        """The rules that hold somewhere in at most `SIZE` letters, each with the places of last letters."""
        begun = self.begun(letters)
        if not begun:
            return {}
        places: dict[str, int] = {}
        get = places.get
        for letter, bit in zip(letters, _BITS, strict=False):
            if letter != " ":
                places[letter] = get(letter, 0) | bit
        classes: dict[int, int] = {}
        at = classes.get
        for letter, bits in places.items():
            for number in self._of.get(letter, ()):
                classes[number] = at(number, 0) | bits
        found: dict[int, int] = {}
        for number in begun & classes.keys():
            rules, after = self._roots[number]
            bits = classes[number]
            for rule in rules:
                found[rule] = found.get(rule, 0) | bits
            _follow(bits, after, classes, found)
        return found


def _follow(places: int, branches: tuple[_Branch, ...], classes: dict[int, int], found: dict[int, int]) -> None:
    places <<= 1
    for moves, follow in branches:
        for many in moves:
            places |= places << many
        for number, rules, after in follow:
            here = classes.get(number)
            if here is not None:
                both = places & here
                if both:
                    for rule in rules:
                        found[rule] = found.get(rule, 0) | both
                    if after:
                        _follow(both, after, classes, found)


def _order(item: tuple[tuple[int, int], _Node]) -> tuple[int, int]:
    return item[0]


def _branches(node: _Node) -> tuple[_Branch, ...]:
    """Branches by the words that may lie between, fewest first: each spreads the places of the one before further."""
    found: list[_Branch] = []
    covered = 1
    for gap in sorted({gap for gap, _ in node.next}):
        moves = []
        while covered < gap + 1:
            moves.append(min(covered, gap + 1 - covered))
            covered += moves[-1]
        classes = tuple(
            (number, tuple(below.rules), _branches(below))
            for (own, number), below in sorted(node.next.items(), key=_order)
            if own == gap
        )
        found.append(_Branch(tuple(moves), classes))
    return tuple(found)
