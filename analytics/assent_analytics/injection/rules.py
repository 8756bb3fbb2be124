"""The rules of the injection scan: which patterns of meanings, roles and markup in a text point to an injection.

The rules are in `rules.toml` and `markup.toml`; what they find is a `Hit`. The first part tells, before any expression
is searched:

Which rules hold somewhere in a string of letters, in time that does not depend on what the letters are.

A set of places is one integer, a bit for each. A pattern is followed from class to class: the places after its first
class, moved on by as many words as may lie between, those of them where the second class stands, and so on. Patterns
that begin alike are followed together, as a tree. An automaton would be as quick on prose, but one for all patterns has
states without number, and texts can be made that visit them all (measured: two seconds for a megabyte).

Before that the letters are asked whether any pattern has all its classes among them: in most short texts none has.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import reduce
from importlib.resources import files
from operator import or_
from typing import NamedTuple

import re2

from assent_analytics.injection.lexicon import COMMON, SMALL, Lexicon, read

SIZE = 2048
"""Letters looked at together."""
_BITS = [1 << place for place in range(SIZE)]


class PatternStep(NamedTuple):
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

    def __init__(self, patterns: list[list[list[PatternStep]]], commonness: Mapping[str, int]) -> None:
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

    def _plant(self, node: _Node, steps: list[PatternStep], rule: int, missed: int = 0) -> None:
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


# Structural rules: concepts near each other, in `rules.toml`, compiled to expressions over a text's letters.
#
# `near` tells piece by piece which rules hold at all; only those are searched, for their places, as an expression. RE2
# takes time linear in the text whatever the pattern and the text are.


HITS = 30
"""Hits of one rule that are looked at in a piece."""


class Rule(NamedTuple):
    """`pattern` is over letters; the rest is as in `rules.toml`."""

    name: str
    category: str
    severity: str
    weight: float
    says: str
    pattern: str


class Hit(NamedTuple):
    """A rule held from word `start` to before word `end`."""

    rule: Rule
    start: int
    end: int


def _class(letters: frozenset[str]) -> str:
    return "[" + "".join(f"\\x{{{ord(letter):x}}}" for letter in sorted(letters)) + "]"


def steps(pattern: str, lexicon: Lexicon) -> list[PatternStep]:
    """`~n` is up to n words of any kind, anything else a concept or several; `?` may miss."""
    found: list[PatternStep] = []
    gap = 0
    for part in pattern.split():
        if part.startswith("~"):
            gap += int(part[1:])
        else:
            letters = "".join(lexicon.letters(concept) for concept in part.rstrip("?").split("|"))
            found.append(PatternStep(gap, frozenset(letters), part.endswith("?")))
            gap = 0
    return found


def _expression(pattern: list[PatternStep]) -> str:
    return "".join(
        (f".{{0,{step.gap}}}?" if step.gap else "") + _class(step.letters) + ("?" if step.optional else "")
        for step in pattern
    )


def _options() -> re2.Options:
    options = re2.Options()
    options.dot_nl = True
    options.never_capture = True
    options.max_mem = 4 << 20
    return options


class Rules:
    """The rules, and the lexicon that they speak of."""

    def __init__(self) -> None:
        raw = tomllib.loads(files(__package__).joinpath("rules.toml").read_text(encoding="utf-8"))
        patterns = [pattern for rule in raw.values() for pattern in rule["any"]]
        self.lexicon = read(sorted({word for pattern in patterns for word in re.findall(r"'([^\s|]+)'", pattern)}))
        read_as = {name: [steps(pattern, self.lexicon) for pattern in rule["any"]] for name, rule in raw.items()}
        self.rules = [
            Rule(
                name,
                rule["category"],
                rule["severity"],
                float(rule["weight"]),
                rule["says"],
                "|".join(map(_expression, read_as[name])),
            )
            for name, rule in raw.items()
        ]
        self._each = [re2.compile(rule.pattern, _options()) for rule in self.rules]
        common = [letter for word in SMALL | COMMON for letter in [self.lexicon.words.get(word)] if letter]
        self._near = Near(list(read_as.values()), Counter(common))

    def may_hold(self, letters: str) -> bool:
        """Whether the letters have all that some rule asks for, in whatever order."""
        return bool(self._near.begun(letters))

    def hits(self, letters: str, done: Set[str] = frozenset()) -> Iterator[Hit]:
        """Every rule that holds, at its first places in each piece of the text; those of the rules that are `done`
        (asked for each piece) are left out."""
        near = self._near
        for first in range(0, max(1, len(letters) - near.longest), SIZE - near.longest):
            piece = letters[first : first + SIZE]
            yield from self._found(piece, first, done)

    def _found(self, piece: str, first: int, done: Set[str]) -> Iterator[Hit]:
        far = self._near.longest
        for number, ends in sorted(self._near.holding(piece).items()):
            rule, compiled, free = self.rules[number], self._each[number], 0
            for _ in range(HITS):
                if not ends or rule.name in done:
                    break
                last = (ends & -ends).bit_length() - 1
                begun = max(free, last - far)
                raw = piece[begun : last + far].encode()
                match = compiled.search(raw)
                if match is not None:
                    start = begun + len(raw[: match.start()].decode())
                    free = begun + len(raw[: match.end()].decode())
                    yield Hit(rule, first + start, first + free)
                free = max(free, last + 1)
                ends = ends >> free << free


# Structural rules over what is written: forged roles, templates and borders (`markup.toml`).


def _markup_options() -> re2.Options:
    options = re2.Options()
    options.never_capture = True
    options.max_mem = 16 << 20
    return options


class _Several:
    """Rules as one expression, and each half of them as one: a text in which none holds costs one search."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rule = rules[0]
        self._any = re2.compile("|".join(rule.pattern for rule in rules), _markup_options())
        middle = len(rules) // 2
        self._halves = [_Several(rules[:middle]), _Several(rules[middle:])] if middle else []

    def hits(self, raw: bytes) -> Iterator[Hit]:
        match = self._any.search(raw)
        if match is not None and self._halves:
            for half in self._halves:
                yield from half.hits(raw)
        elif match is not None:
            yield Hit(self._rule, *match.span())


class Markup:
    """The expressions."""

    def __init__(self) -> None:
        raw = tomllib.loads(files(__package__).joinpath("markup.toml").read_text(encoding="utf-8"))
        self.rules = [
            Rule(name, of["category"], of["severity"], float(of["weight"]), of["says"], of["pattern"])
            for name, of in raw.items()
        ]
        self._all = _Several(self.rules)

    def hits(self, text: str) -> list[Hit]:
        """Each expression's first place in a lower-case text, in characters."""
        raw = text.encode()
        found = list(self._all.hits(raw))
        return found if text.isascii() else [_in_characters(hit, raw) for hit in found]


def _in_characters(hit: Hit, raw: bytes) -> Hit:
    start = len(raw[: hit.start].decode())
    return Hit(hit.rule, start, start + len(raw[hit.start : hit.end].decode()))
