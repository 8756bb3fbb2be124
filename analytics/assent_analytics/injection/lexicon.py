"""Words and what they mean to the rules.

A concept (`override`, `prior`, `instruction`) is a list of words of many languages, in `lexicon.toml`. A word that
belongs to several has a *letter* of its own for that set, so a text becomes one short string of letters, and a rule
is a regular expression over that string: rules know concepts, and every language's words with them. A word that no
rule asks about is a space.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.resources import files

from assent_analytics.injection.fold import folded

OTHER = " "
"""The letter of words without a meaning."""
TOLD = ("override", "instruction", "prior", "reveal", "system", "limit", "persona", "send")
LONG = 5
"""Words of these concepts, of so many letters or more, tell a text that was reversed or put through rot13."""
ROT13 = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
COMMON = frozenset(
    ["the", "and", "that", "you", "with", "your", "will", "from", "have", "this", "what", "must", "should", "would"]
) | frozenset(["about", "please", "never", "always"])
"""Common words that tell it too."""
STEM = 4
"""Stems are looked up by their first letters; none is shorter."""


LEET = str.maketrans("034578962@$+|!il", "oeastbggzast1111")
"""Digits and signs as the letters that they stand for, and what looks like 1 as 1: `all` and `4ll` are both a11."""


def _read() -> dict[str, set[str]]:
    raw = tomllib.loads(files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8"))
    return {
        concept: {"".join(map(folded, word)).lower() for line in lines.values() for word in line.split()}
        for concept, lines in raw.items()
    }


def spaceless(word: str) -> bool:
    """Whether a word is of a script without spaces (Chinese, Japanese, Korean)."""
    return "\u3040" <= word[0] <= "\u9fff" or "\uac00" <= word[0] <= "\ud7a3"


class Lexicon:
    """Letters of words. `literals` are words that a rule names itself: each is a concept of its own, `'word'`."""

    def __init__(self, concepts: dict[str, set[str]], literals: Iterable[str]) -> None:
        self._concepts = concepts | {f"'{word}'": {word} for word in literals}
        told = {word for concept in TOLD for word in concepts[concept] if len(word) >= LONG and word.isascii()}
        self.told = frozenset(told)
        known = set[str]().union(*concepts.values())
        tell = {word for word in told if word.isalpha()} | COMMON
        self._concepts["rot13"] = {word.translate(ROT13) for word in tell} - known - {"dna"}
        self._concepts["reversed"] = {word[::-1] for word in tell} - known - {"dna"}
        plain: dict[str, set[str]] = {}
        stems: dict[str, set[str]] = {}
        for concept, words in self._concepts.items():
            for word in words:
                (stems if word.endswith("*") else plain).setdefault(word.rstrip("*"), set()).add(concept)
        short = [stem for stem in stems if len(stem) < STEM and not spaceless(stem)]
        for stem in short:
            plain.setdefault(stem, set()).update(stems.pop(stem))
        for stem, meant in stems.items():
            for word, more in plain.items():
                if word.startswith(stem):
                    more |= meant
        sets = sorted({frozenset(meant) for meant in (*plain.values(), *stems.values())}, key=sorted)
        letters = {meant: chr(0x21 + place) for place, meant in enumerate(sets)}
        self._letters = letters
        self.words = {word: letters[frozenset(meant)] for word, meant in plain.items()}
        self.leet = {
            word.translate(LEET): word for word in sorted(self.words, key=len) if word.isascii() and word.isalpha()
        }
        self.stems: dict[str, list[tuple[str, str]]] = {}
        for stem, meant in sorted(stems.items(), key=lambda item: -len(item[0])):
            self.stems.setdefault(stem[:STEM], []).append((stem, letters[frozenset(meant)]))
        self.spaceless: dict[str, list[str]] = {}
        for word in sorted(filter(spaceless, self.words), key=len, reverse=True):
            self.spaceless.setdefault(word[0], []).append(word)

    def letter(self, word: str) -> str:
        """A word's letter; `OTHER` for one that no concept has."""
        found = self.words.get(word)
        if found is not None:
            return found
        for stem, letter in self.stems.get(word[:STEM], ()):
            if word.startswith(stem):
                return letter
        return OTHER

    def letters(self, concept: str) -> str:
        """All letters of words that belong to a concept."""
        if concept not in self._concepts:
            raise ValueError(f"{concept} is not a concept; there are {', '.join(sorted(self._concepts))}")
        return "".join(letter for meant, letter in self._letters.items() if concept in meant)


def read(literals: Iterable[str]) -> Lexicon:
    """The lexicon of `lexicon.toml`, with the words that rules name themselves."""
    return Lexicon(_read(), literals)
