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

from assent_analytics.injection.cut import Cutter
from assent_analytics.injection.fold import folded, skeleton
from assent_analytics.injection.table import OTHER, Table

LEETED = "\x1f"
"""The letter of words that have one once digits in them are read as letters; no rule asks for it."""
TOLD = ("override", "instruction", "prior", "reveal", "system", "limit", "persona", "send")
LONG = 5
"""Words of these concepts, of so many letters or more, tell a text that was reversed or put through rot13."""
ROT13 = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
COMMON = frozenset(
    ["the", "and", "that", "you", "with", "your", "will", "from", "have", "this", "what", "must", "should", "would"]
) | frozenset(["about", "please", "never", "always"])
COMMON_ELSEWHERE = frozenset(
    ["nicht", "bitte", "jetzt", "eine", "einen", "werden", "vous", "toutes", "avec", "todas", "como", "tudo"]
)
"""Common words that tell it too, in English and elsewhere."""
MISSPELT = """
ignore ignoring disregard disregarding forget previous earlier preceding instruction instructions directions guidelines
override overrule reveal repeat display system prompt prompts pretend unrestricted restrictions limitations developer
password credentials conversation confidential bypass jailbreak everything immediately
"""
"""Words of attacks that are looked for with one letter missing, doubled, or changed with its neighbour."""
REAL = frozenset(["revel", "ignored", "forge", "forgot", "prompt", "repeat", "instruction", "systems", "paramount"])
"""Words that are right as they are."""
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


def mixed(word: str) -> bool:
    """Whether a word has digits among its letters."""
    return not word.isalpha() and not word.isdigit()


def _by_beginning(stems: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Stems by their first letters, longest first."""
    found: dict[str, tuple[str, ...]] = {}
    for stem in sorted(stems, key=lambda stem: (-len(stem), stem)):
        found[stem[:STEM]] = (*found.get(stem[:STEM], ()), stem)
    return found


def misspelt(known: set[str]) -> dict[str, str]:
    """Ways to write the words of `MISSPELT` wrong, that are no other known word."""
    found: dict[str, str] = {}
    for word in sorted(known.intersection(MISSPELT.split())):
        for at in range(1, len(word)):
            before, letter, after = word[:at], word[at], word[at + 1 :]
            turned = word[: at - 1] + letter + word[at - 1] + after
            for wrong in (before + after, before + letter + letter + after, turned):
                if wrong not in known and wrong not in REAL:
                    found.setdefault(wrong, word)
    return found


class Lexicon:
    """Letters of words. `literals` are words that a rule names itself: each is a concept of its own, `'word'`."""

    def __init__(self, concepts: dict[str, set[str]], literals: Iterable[str]) -> None:
        literals = set(literals)
        self._concepts = concepts | {f"'{word}'": {word} for word in literals}
        told = {word for concept in TOLD for word in concepts[concept] if len(word) >= LONG and word.isascii()}
        self.told = frozenset(told)
        known = set[str]().union(*concepts.values())
        tell = {word for word in told if word.isalpha()} | COMMON | COMMON_ELSEWHERE
        begin = {word for word in told if word.endswith("*") and len(word) > LONG}
        self.begin = _by_beginning(word.rstrip("*") for word in begin)
        self._concepts["rot13"] = {word.translate(ROT13) for word in tell | begin} - known - {"dna"}
        self._concepts["reversed"] = {word[::-1] for word in tell} - known - {"dna"}
        plain: dict[str, set[str]] = {}
        stems: dict[str, set[str]] = {}
        for concept, words in self._concepts.items():
            for word in words:
                (stems if word.endswith("*") else plain).setdefault(word.rstrip("*"), set()).add(concept)
        short = [stem for stem in stems if len(stem) < STEM and not spaceless(stem)]
        for stem in short:
            plain.setdefault(stem, set()).update(stems.pop(stem))
        sizes = sorted({len(stem) for stem in stems})
        for word, meant in plain.items():
            meant.update(*(stems[word[:size]] for size in sizes if word[:size] in stems))
        for word, meant in plain.items():
            if spaceless(word):
                # The longest entry is found, so it has to mean what those that it begins with mean.
                meant.update(*(plain[word[:size]] for size in range(2, len(word)) if word[:size] in plain))
        wrong = misspelt(known | literals)
        plain |= {word: plain[right] for word, right in wrong.items()}
        sets = sorted({frozenset(meant) for meant in (*plain.values(), *stems.values())}, key=sorted)
        letters = {meant: chr(0x21 + place) for place, meant in enumerate(sets)}
        self._of: dict[str, str] = {}
        for several, letter in letters.items():
            for concept in several:
                self._of[concept] = self._of.get(concept, "") + letter
        self.words = {word: letters[frozenset(meant)] for word, meant in plain.items()}
        self.leet = {
            word.translate(LEET): word
            for word in sorted(sorted(self.words.keys() - wrong.keys(), reverse=True), key=len)
            if word.isascii() and word.isalpha()
        }
        self.stems: dict[str, list[tuple[str, str]]] = {}
        for stem, meant in sorted(stems.items(), key=lambda item: -len(item[0])):
            self.stems.setdefault(stem[:STEM], []).append((stem, letters[frozenset(meant)]))
        long = {stem.translate(LEET): stem for stem in sorted(stems) if len(stem) >= LONG and stem.isascii()}
        self._leet_stems = {
            head: [(looks, long[looks]) for looks in several] for head, several in _by_beginning(long).items()
        }
        self._backward = min(self.letters("reversed"), default=OTHER)
        self.cutter = Cutter(filter(spaceless, self.words))
        self.table = Table(self.words, self.stems, self.begin, self._meaning, self.sift)

    def letter(self, word: str) -> str:
        """A word's letter; `OTHER` for one that no concept has."""
        found = self.words.get(word)
        if found is not None:
            return found
        for stem, letter in self.stems.get(word[:STEM], ()):
            if word.startswith(stem):
                return letter
        return OTHER

    def _meaning(self, word: str) -> str:
        """The letter of a word that is not in the lexicon as it stands: one that nobody knows and that is not ASCII is
        asked for as what it looks like."""
        if word[:STEM] in self.stems or word in self.words:
            letter = self.letter(word)
            if letter != OTHER:
                return letter
        if not word.isascii():
            return self.letter(skeleton(word))
        if mixed(word):
            return LEETED if self.unleet(word) is not None else OTHER
        turned = self.begin.get(word[: -STEM - 1 : -1])
        return self._backward if turned is not None and word[::-1].startswith(turned) else OTHER

    def sift(self, words: list[str]) -> list[str]:
        """Of words that are not just ASCII letters those that may have a meaning, asked for together."""
        leet, leet_stems, plain, stems = self.leet, self._leet_stems, self.words, self.stems
        digits = [word for word in words if word.isascii()]
        # Whoever is cut out of a script without spaces is known, or nothing.
        foreign = [word for word in words if not word.isascii() and (word[:STEM] in stems or not spaceless(word))]
        as_leet = " ".join(digits).translate(LEET).split(" ")
        as_seen = skeleton(" ".join(foreign)).split(" ")
        return [
            *(
                word
                for word, looks in zip(digits, as_leet, strict=False)
                if looks in leet or looks[:STEM] in leet_stems or word[:STEM] in stems
            ),
            *(
                word
                for word, looks in zip(foreign, as_seen, strict=False)
                if looks in plain or looks[:STEM] in stems or word[:STEM] in stems
            ),
        ]

    def unleet(self, word: str) -> str | None:
        """The word, or its stem, that digits were put into."""
        looks = word.translate(LEET)
        found = self.leet.get(looks)
        if found is None:
            for stem, plain in self._leet_stems.get(looks[:STEM], ()):
                if looks.startswith(stem):
                    return plain
        return found

    def disguised(self, word: str) -> bool:
        """Whether a word has a letter only for what it looks like."""
        return not word.isascii() and self.letter(word) == OTHER and self.table[word] != OTHER

    def letters(self, concept: str) -> str:
        """All letters of words that belong to a concept."""
        if concept not in self._concepts:
            raise ValueError(f"{concept} is not a concept; there are {', '.join(sorted(self._concepts))}")
        return self._of.get(concept, "")


def read(literals: Iterable[str]) -> Lexicon:
    """The lexicon of `lexicon.toml`, with the words that rules name themselves."""
    return Lexicon(_read(), literals)
