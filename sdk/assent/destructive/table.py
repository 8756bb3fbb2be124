"""The table of words, `words.toml`: what a word means in each language, found in a few look-ups.

A *role* is what a word does in a sentence (`erase`, `storage`, `soft`, ...); the table says what each one means.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, TypeAlias

from assent.destructive.fold import folded

Roles: TypeAlias = frozenset[str]
NOTHING: Roles = frozenset()
SPACELESS = ("zh", "ja", "ko")
"""Languages whose words are found wherever they stand."""
REMEMBERED = 8192
_SHORTEST, _DIGITS = 2, 12

_FOLDER = files("assent.destructive")
_DATA = _FOLDER.joinpath("words.toml").read_bytes()


def _version() -> str:
    """Over the words and over what reads them."""
    found = sha256(_DATA)
    for name in ("fold.py", "phrase.py", "reading.py", "sentences.py", "table.py"):
        found.update(_FOLDER.joinpath(name).read_bytes())
    return found.hexdigest()[:_DIGITS]


VERSION = _version()
"""Of the table as it is shipped; the same version, the same answer for the same goal."""


class Language:
    """`head` is the noun of a phrase that is its head, first or last; `object` where what is acted on stands."""

    def __init__(self, name: str, lines: Mapping[str, str]) -> None:
        self.name, self.head, self.object = name, lines["head"], lines["object"]
        self.exact: dict[str, Roles] = {}
        self.beginnings: dict[str, Roles] = {}
        self.inside: dict[str, Roles] = {}
        self.phrases: dict[str, list[tuple[tuple[str, ...], Roles]]] = {}
        for role, text in lines.items():
            if role not in ("head", "object"):
                for word in _words(text):
                    self._file(word, frozenset({role}))
        for phrases in self.phrases.values():
            phrases.sort(key=lambda phrase: -len(phrase[0]))
        self.longest = max(map(len, self.exact), default=0)

    def _file(self, word: str, role: Roles) -> None:
        if "_" in word and self.name not in SPACELESS:
            words = tuple(word.split("_"))
            self.phrases.setdefault(words[0], []).append((words, role))
            return
        bare = word.replace("_", " ").strip("*")
        place = self.inside if word[0] == "*" else self.beginnings if word[-1] == "*" else self.exact
        place[bare] = place.get(bare, NOTHING) | role


def _words(text: str) -> Iterable[str]:
    for word in text.split():
        plain = folded(word.strip("*"))
        yield f"{'*' if word[0] == '*' else ''}{plain}{'*' if word[-1] == '*' else ''}"


def _read() -> tuple[dict[str, Language], re.Pattern[str], frozenset[str]]:
    raw: dict[str, dict[str, Any]] = tomllib.loads(_DATA.decode())
    commands = raw.pop("commands")
    known = {name: Language(name, lines) for name, lines in raw.items()}
    pattern = re.compile("|".join(f"(?:{each})" for each in commands["patterns"]))
    return known, pattern, frozenset(commands["with"].split())


LANGUAGES, COMMANDS, COMMAND_WORDS = _read()
LATIN = ("en", "de", "fr", "es", "pt", "it", "nl", "pl", "tr")
"""Languages that are told apart by their words; the others by their letters."""


VERBS = frozenset(["erase", "slang", "shed", "tidy", "cut", "stop", "format", "reset", "revoke", "state", "last"])
LONGEST_WORD = 40
"""Letters of a word that are looked at."""
Phrased: TypeAlias = tuple[tuple[str, ...], Roles]


def _together(kind: str) -> dict[str, dict[str, Roles]]:
    """What each language that has spaces files under a kind: by the word, then by the language."""
    found: dict[str, dict[str, Roles]] = {}
    for name, language in LANGUAGES.items():
        if name not in SPACELESS:
            for word, roles in getattr(language, kind).items():
                found.setdefault(word, {})[name] = roles
    return found


_EXACT, _BEGINNINGS, _INSIDE = _together("exact"), _together("beginnings"), _together("inside")
_LONGEST_BEGINNING = max(map(len, _BEGINNINGS))
_HOLDS_ONE = re.compile("|".join(map(re.escape, sorted(_INSIDE))))
DESTROYING: Mapping[str, list[Phrased]] = {
    first: [each for language in LANGUAGES.values() for each in language.phrases.get(first, ()) if each[1] & VERBS]
    for language in LANGUAGES.values()
    for first in language.phrases
}
"""The phrases of any language that are a verb of destruction, by their first word."""


def matters(word: str) -> bool:
    """Whether a word is a verb of destruction anywhere, or may begin a command that is one."""
    return word in COMMAND_WORDS if word.isdecimal() else _matters(word)


@lru_cache(maxsize=REMEMBERED)
def _matters(word: str) -> bool:
    return word in COMMAND_WORDS or any(not roles.isdisjoint(VERBS) for roles in meanings(word).values())


def meanings(word: str) -> Mapping[str, Roles]:
    """What a word means by itself, for each language that knows it. A word as it stands in a language's table says all;
    otherwise its longest beginning does, and every word inside it."""
    return {} if word.isdecimal() else _meanings(word)


@lru_cache(maxsize=REMEMBERED)
def _meanings(word: str) -> Mapping[str, Roles]:
    exact = _EXACT.get(word, {})
    found: dict[str, Roles] = {}
    for length in range(min(len(word), _LONGEST_BEGINNING), _SHORTEST, -1):
        for name, roles in _BEGINNINGS.get(word[:length], {}).items():
            found.setdefault(name, roles)
    if _HOLDS_ONE.search(word):
        for start in range(len(word) - _SHORTEST):
            for end in range(start + _SHORTEST + 1, len(word) + 1):
                for name, roles in _INSIDE.get(word[start:end], {}).items():
                    found[name] = found.get(name, NOTHING) | roles
    return found | exact
