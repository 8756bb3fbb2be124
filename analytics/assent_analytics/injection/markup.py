"""Structural rules over what is written: forged roles, templates and borders (`markup.toml`)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files

import re2

from assent_analytics.injection.rules import Hit, Rule


def _options() -> re2.Options:
    options = re2.Options()
    options.never_capture = True
    options.max_mem = 16 << 20
    return options


class _Several:
    """Rules as one expression, and each half of them as one: a text in which none holds costs one search."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rule = rules[0]
        self._any = re2.compile("|".join(rule.pattern for rule in rules), _options())
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
