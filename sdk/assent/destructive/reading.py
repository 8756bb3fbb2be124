"""A sentence as words with their roles, in the language that it is in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assent.destructive.table import (
    DESTROYING,
    LANGUAGES,
    LATIN,
    LONGEST_WORD,
    NOTHING,
    REMEMBERED,
    Language,
    Roles,
    matters,
    meanings,
)

SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""A letter of a script without spaces between words."""
_WORD = re.compile(r"(?:[^\W_]|[\u0900-\u0963\u0966-\u097f])+|[,()、，]")
_LATIN_WORD = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{1,40}")
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7a3]")),
    ("zh", re.compile(r"[\u3400-\u9fff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
)
_COMMA = frozenset(["comma"])
_harmless: set[str] = set()


class Word(NamedTuple):
    text: str
    roles: Roles


def plain(sentence: str) -> list[str]:
    return _WORD.findall(sentence)


def script(text: str) -> Language | None:
    """The language that the letters tell; None for Latin ones."""
    if text.isascii():
        return None
    return next((LANGUAGES[name] for name, letters in _SCRIPTS if letters.search(text)), None)


def may_destroy(words: Sequence[str]) -> bool:
    """Whether a verb of destruction of any language is among these words, or a command that may be one."""
    for at, word in enumerate(words):
        if word in _harmless:
            continue
        if matters(word[:LONGEST_WORD]):
            return True
        phrases = DESTROYING.get(word)
        if phrases is None:
            _remember_harmless(word)
            continue
        then = words[at + 1][:1] if at + 1 < len(words) else ""
        for phrase, _ in phrases:
            if phrase[1][:1] == then and _begins(words[at : at + len(phrase)], phrase):
                return True
    return False


def _remember_harmless(word: str) -> None:
    """A word that neither matters nor begins anything. Numbers are not remembered: each goal may have another one."""
    if len(word) <= LONGEST_WORD and not word.isdecimal():
        if len(_harmless) >= REMEMBERED:
            _harmless.clear()
        _harmless.add(word)


def likely(words: Sequence[str]) -> list[Language]:
    """The languages that know the most of these words, English first among equals; at most two."""
    known = dict.fromkeys(LATIN, 0)
    for word in words:
        for name in meanings(word[:LONGEST_WORD]):
            if name in known:
                known[name] += 1
    most = max(known.values())
    return [LANGUAGES[name] for name in LATIN if known[name] == most][:2] if most else [LANGUAGES["en"]]


def read(sentence: str, words: Sequence[str], language: Language) -> list[Word]:
    if SPACELESS.search(sentence):
        return list(_cut(sentence, language))
    return list(_phrased(words, language))


def _roles(word: str, language: Language) -> Roles:
    if word in ",()、，":
        return _COMMA
    found = meanings(word[:LONGEST_WORD])
    return found.get(language.name) or found.get("en") or NOTHING


def _phrased(words: Sequence[str], language: Language) -> Iterable[Word]:
    """Words, with those of a phrase as one."""
    english = LANGUAGES["en"]
    at = 0
    while at < len(words):
        for phrase, roles in (*language.phrases.get(words[at], ()), *english.phrases.get(words[at], ())):
            if _begins(words[at : at + len(phrase)], phrase):
                yield Word(" ".join(phrase), NOTHING if "plain" in roles else roles)
                at += len(phrase)
                break
        else:
            roles = _roles(words[at], language)
            yield Word(words[at], NOTHING if "plain" in roles else roles)
            at += 1


def _begins(words: Sequence[str], phrase: Sequence[str]) -> bool:
    """Whether the words are those of a phrase, whose last may be a beginning (`yok et*`)."""
    if len(words) < len(phrase) or tuple(words[:-1]) != tuple(phrase[:-1]):
        return False
    return words[-1].startswith(phrase[-1][:-1]) if phrase[-1].endswith("*") else words[-1] == phrase[-1]


def _cut(sentence: str, language: Language) -> Iterable[Word]:
    """Words of a script without spaces, the longest first; what is between them is no word."""
    at = 0
    while at < len(sentence):
        if not SPACELESS.match(sentence, at):
            found = _WORD.match(sentence, at)
            latin = _LATIN_WORD.match(sentence, at)
            if latin:
                yield Word(latin[0], _roles(latin[0], LANGUAGES["en"]))
            elif found:
                yield Word(found[0], _COMMA)
            at += len(latin[0]) if latin else 1
            continue
        for length in range(min(language.longest, len(sentence) - at), 0, -1):
            roles = language.exact.get(sentence[at : at + length])
            if roles is not None:
                if "plain" not in roles:
                    yield Word(sentence[at : at + length], roles)
                at += length
                break
        else:
            at += 1
