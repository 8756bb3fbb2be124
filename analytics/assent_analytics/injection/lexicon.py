"""The lexicon of the injection scan: which words, of many languages, mean something to the rules.

Each word becomes a letter that stands for its meanings; common misspellings count as the word they stand for. The first
part cuts scripts that have no spaces.

Words of scripts that put no spaces between them, cut at what the lexicon knows: longest first.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from itertools import repeat
from string import ascii_letters

import re2

from assent_analytics.injection.fold import folded, skeleton

RUN = 4
"""Characters between two entries that count as one word."""
SPACELESS = "\u3040-\u9fff\uac00-\ud7a3"
_NEEDED = re.compile(f"[{SPACELESS}]")
_RUNS = re.compile(f"([{SPACELESS}]+)|[^ {SPACELESS}]+")


class Cutter:
    """Knows `entries`."""

    def __init__(self, entries: Iterable[str]) -> None:
        known = set(entries)
        self._single = {entry for entry in known if len(entry) == 1}
        self._longer: dict[str, tuple[str, ...]] = {}
        for entry in sorted(known - self._single, key=lambda entry: (-len(entry), entry)):
            self._longer[entry[:2]] = (*self._longer.get(entry[:2], ()), entry)
        first, single, second = (
            "".join(sorted(chars)) or "\\0"
            for chars in ({entry[0] for entry in known}, self._single, {head[1] for head in self._longer})
        )
        self._may_begin = re.compile(f"[{first}](?:(?=[{second}])|(?<=[{single}]))")

    def needed(self, text: str) -> bool:
        """Whether a text has any characters of such a script."""
        return _NEEDED.search(text) is not None

    def cut(self, text: str) -> list[str]:
        """All words of a text that has spaces for punctuation."""
        words: list[str] = []
        for match in _RUNS.finditer(text):
            if match[1]:
                self._cut(match[1], words)
            else:
                words.append(match[0])
        return words

    def _cut(self, run: str, words: list[str]) -> None:
        longer, single = self._longer, self._single
        free = 0
        for at in [match.start() for match in self._may_begin.finditer(run)]:
            if at < free:
                continue
            for word in longer.get(run[at : at + 2], ()):
                if run.startswith(word, at):
                    break
            else:
                word = run[at]
                if word not in single:
                    continue
            if at > free:
                words += [run[first : min(first + RUN, at)] for first in range(free, at, RUN)]
            words.append(word)
            free = at + len(word)
        words += [run[first : first + RUN] for first in range(free, len(run), RUN)]


# The letter of any word: looked up, or found out and remembered.
#
# Texts say most of their words again and again, so a word is looked at once. Of long texts only those words are looked
# at that may have a meaning, told from the others by one search over all of them.


OTHER = " "
"""The letter of words without a meaning."""
REMEMBERED = 20_000
"""Words of texts whose letter is remembered; beyond that all are forgotten, and learnt anew."""
LONGEST = 40
"""Characters of a word that is remembered."""
_PLAIN = f"{ascii_letters} ".encode()


class LetterTable(dict[str, str]):
    """The letter of any word: of `known` ones at once, of others by `meaning`, which is remembered. Words of ASCII
    letters that begin as none of the `stems`, and from their end as none of the `endings`, have none; of all others
    those may have one that `sift` leaves."""

    def __init__(
        self,
        known: dict[str, str],
        stems: Iterable[str],
        endings: Iterable[str],
        meaning: Callable[[str], str],
        sift: Callable[[list[str]], list[str]],
    ) -> None:
        super().__init__(known)
        begin = "|".join(sorted(stem for stem in stems if stem.isascii())) or "$^"
        end = "|".join(sorted(ending[::-1] for ending in endings)) or "$^"
        self._may_mean = re2.compile(rf"\b(?:{begin})[a-zA-Z]*|[a-zA-Z]*(?:{end})\b".encode())
        self._known = known
        self._meaning = meaning
        self._sift = sift

    def __missing__(self, word: str) -> str:
        letter = self._meaning(word)
        if len(word) <= LONGEST:
            self._remember({word: letter})
        return letter

    def letters(self, words: list[str]) -> str:
        """The letter of each word of a long text. Most words are told to mean nothing without looking at each."""
        unknown = set(words)
        if len(unknown) > REMEMBERED or sum(map(len, unknown)) > REMEMBERED * LONGEST:
            # Too many to remember. A copy, because another thread may make this table forget.
            known = {**self._known, **self}
            unknown.difference_update(known)
            known |= {word: self._meaning(word) for word in self._telling(unknown)}
            return "".join(map(known.get, words, repeat(OTHER)))
        unknown = {word for word in unknown if word not in self}.difference(self._known)
        new = {word: self._meaning(word) for word in self._telling(unknown)}
        self._remember(dict.fromkeys(unknown, OTHER) | new)
        return "".join(map(self.__getitem__, words))

    def _telling(self, words: set[str]) -> Iterator[str]:
        """Those that may have a meaning."""
        joined = " ".join(words)
        raw = joined.encode("ascii", "replace")
        for match in self._may_mean.finditer(raw):
            word = match[0].decode()
            if word in words:
                yield word
        if raw.translate(None, _PLAIN):
            yield from self._sift([word for word in words if not (word.isalpha() and word.isascii())])

    def _remember(self, letters: dict[str, str]) -> None:
        if len(self) + len(letters) > len(self._known) + REMEMBERED:
            self.forget()
        self.update(letters)

    def forget(self) -> None:
        """Only what was known at first stays."""
        self.clear()
        self.update(self._known)


# Words and what they mean to the rules.
#
# A concept (`override`, `prior`, `instruction`) is a list of words of many languages, in `lexicon.toml`. A word that
# belongs to several has a *letter* of its own for that set, so a text becomes one short string of letters, and a rule
# is a regular expression over that string: rules know concepts, and every language's words with them. A word that no
# rule asks about is a space.


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
        self.table = LetterTable(self.words, self.stems, self.begin, self._meaning, self.sift)

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


# Words of a text that has lost its spaces: the lexicon's and common small ones, the longest that fit together.


_SMALL = """
a an and are as at be by can do for from has have how i if in into is it its me my not now of on or our out please so
than that the their them then there they this to up us was we what when who will with would you your
"""
SMALL = frozenset(_SMALL.split())
MOST = 4000
"""Characters looked at; what is beyond stays as it is."""


class Segmenter:
    """Knows words by how they look in leet."""

    def __init__(self, lexicon: Iterable[str]) -> None:
        words = SMALL | {word for word in lexicon if len(word) > 2 and word.isascii() and word.isalpha()}
        self._words = {word.translate(LEET): word for word in sorted(sorted(words, reverse=True), key=len)}
        lengths: dict[str, set[int]] = {}
        for looks in self._words:
            lengths.setdefault(looks[:2], set()).add(len(looks))
        self._lengths = {start: sorted(many) for start, many in lengths.items()}

    def split(self, text: str) -> str:
        """`text` as its words: the split with the largest sum of squared lengths of known words."""
        looks = text[:MOST].lower().translate(LEET)
        words, lengths, size = self._words, self._lengths, len(looks)
        best, length = [0] * (size + 1), [1] * (size + 1)
        for at in range(size - 1, -1, -1):
            most, chosen = best[at + 1], 1
            for many in (1, *lengths.get(looks[at : at + 2], ())):
                if at + many <= size and many * many + best[at + many] > most and looks[at : at + many] in words:
                    most, chosen = many * many + best[at + many], many
            best[at], length[at] = most, chosen
        parts: list[str] = []
        at = unknown = 0
        while at < size:
            word = words.get(looks[at : at + length[at]])
            if word is not None:
                parts += [text[unknown:at], word]
                unknown = at + length[at]
            at += length[at]
        parts.append(text[unknown:])
        return " ".join(part for part in parts if part)
