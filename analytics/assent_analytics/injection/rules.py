"""Structural rules: concepts near each other, in `rules.toml`, compiled to expressions over a text's letters.

`near` tells piece by piece which rules hold at all; only those are searched, for their places, as an expression. RE2
takes time linear in the text whatever the pattern and the text are.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Set
from importlib.resources import files
from typing import NamedTuple

import re2

from assent_analytics.injection.lexicon import COMMON, Lexicon, read
from assent_analytics.injection.near import SIZE, Near, Step
from assent_analytics.injection.segment import SMALL

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


def steps(pattern: str, lexicon: Lexicon) -> list[Step]:
    """`~n` is up to n words of any kind, anything else a concept or several; `?` may miss."""
    found: list[Step] = []
    gap = 0
    for part in pattern.split():
        if part.startswith("~"):
            gap += int(part[1:])
        else:
            letters = "".join(lexicon.letters(concept) for concept in part.rstrip("?").split("|"))
            found.append(Step(gap, frozenset(letters), part.endswith("?")))
            gap = 0
    return found


def _expression(pattern: list[Step]) -> str:
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
