"""Structural rules over what is written: forged roles, templates and borders (`markup.toml`)."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import re2

from assent_analytics.injection.rules import Hit, Rule


def _options() -> re2.Options:
    options = re2.Options()
    options.never_capture = True
    options.max_mem = 64 << 20
    return options


class Markup:
    """The expressions; all of them together are searched first."""

    def __init__(self) -> None:
        raw = tomllib.loads(files(__package__).joinpath("markup.toml").read_text(encoding="utf-8"))
        self.rules = [
            Rule(name, of["category"], of["severity"], float(of["weight"]), of["says"], of["pattern"])
            for name, of in raw.items()
        ]
        self._each = [(rule, re2.compile(rule.pattern, _options())) for rule in self.rules]
        self._any = re2.compile("|".join(rule.pattern for rule in self.rules), _options())

    def hits(self, text: str) -> list[Hit]:
        """Each expression's first place in a lower-case text, in characters."""
        if self._any.search(text) is None:
            return []
        found = ((rule, compiled.search(text)) for rule, compiled in self._each)
        return [Hit(rule, *match.span()) for rule, match in found if match is not None]
