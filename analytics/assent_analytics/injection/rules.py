"""Structural rules: concepts near each other, in `rules.toml`, compiled to expressions over a text's letters.

All patterns together are one expression, searched first: a text in which none holds costs one search. Only then is
each rule searched by itself. RE2 takes time linear in the text whatever the pattern and the text are.
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from itertools import islice
from typing import NamedTuple

import re2

from assent_analytics.injection.lexicon import Lexicon, read

PLACES = 24
"""Places of any rule around which each is searched; a text with more is searched as a whole."""
AROUND = 24
"""Words before and after such a place."""
HITS = 3
"""Hits of one rule that are looked at; a text that says it more often says nothing new."""


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


def _class(letters: str) -> str:
    return "[" + "".join(f"\\x{{{ord(letter):x}}}" for letter in sorted(set(letters))) + "]"


def _compile(pattern: str, lexicon: Lexicon) -> str:
    """`~n` is up to n words of any kind, anything else a concept or several; `?` may miss."""
    parts: list[str] = []
    for part in pattern.split():
        if part.startswith("~"):
            parts.append(f".{{0,{int(part[1:])}}}?")
        else:
            one = _class("".join(lexicon.letters(concept) for concept in part.rstrip("?").split("|")))
            parts.append(one + "?" if part.endswith("?") else one)
    return "".join(parts)


def _options() -> re2.Options:
    options = re2.Options()
    options.dot_nl = True
    options.never_capture = True
    options.max_mem = 64 << 20
    return options


class Rules:
    """The rules, and the lexicon that they speak of."""

    def __init__(self) -> None:
        raw = tomllib.loads(files(__package__).joinpath("rules.toml").read_text(encoding="utf-8"))
        patterns = [pattern for rule in raw.values() for pattern in rule["any"]]
        self.lexicon = read(sorted({word for pattern in patterns for word in re.findall(r"'([^\s|]+)'", pattern)}))
        self.rules = [
            Rule(
                name,
                rule["category"],
                rule["severity"],
                float(rule["weight"]),
                rule["says"],
                "|".join(_compile(pattern, self.lexicon) for pattern in rule["any"]),
            )
            for name, rule in raw.items()
        ]
        self._each = [(rule, re2.compile(rule.pattern, _options())) for rule in self.rules]
        self._any = re2.compile("|".join(rule.pattern for rule in self.rules), _options())

    def hits(self, letters: str) -> list[Hit]:
        """Every rule that holds, at its first places. Where few places are found each rule is searched around them
        only, otherwise in the whole text."""
        spans = [match.span() for match in islice(self._any.finditer(letters), PLACES)]
        if len(spans) == PLACES:
            return self._within(letters, 0, len(letters))
        windows: list[tuple[int, int]] = []
        for start, end in spans:
            first, last = max(0, start - AROUND), end + AROUND
            if windows and first <= windows[-1][1]:
                windows[-1] = windows[-1][0], last
            else:
                windows.append((first, last))
        return [hit for first, last in windows for hit in self._within(letters, first, last)]

    def _within(self, letters: str, first: int, last: int) -> list[Hit]:
        part = letters[first:last]
        return [
            Hit(rule, first + match.start(), first + match.end())
            for rule, compiled in self._each
            for match in islice(compiled.finditer(part), HITS)
        ]
