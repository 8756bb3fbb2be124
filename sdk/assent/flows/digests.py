"""Keyed digests of values: what a session keeps instead of contents.

A word's digest is BLAKE2b with the organization's key, 64 bits. A value of several words adds up theirs as a
polynomial, d1 * P + d2 and so on modulo 2^64, so that a text is hashed once for each different word: the digest of two
words that follow each other is that of the value which they are. Who has no key learns from digests only which values
are equal. Two different values of a session with 65,536 digests are taken for one with probability 2^-32 at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

from assent.flows.addresses import addresses, hosts, plain_address
from assent.flows.spelling import (
    FEWEST_DIGITS,
    bare_number,
    edged,
    grouped_numbers,
    parts,
    raw_words,
    resolved,
    scalar_text,
    spelled,
    telling,
    unescaped,
    visible,
)
from assent.flows.wordings import as_compared, barred_commands, orders_entry, said_commands, said_names

P = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1
REMEMBERED = 8192
"""Words of which a digester remembers the digest."""
LONGEST_REMEMBERED = 64
SHORTEST_KEY, LONGEST_KEY = 16, 64
_COMMAND, _NAME, _HOST, _ENTRY = "\0", "\0\0", "\0\0\0", "\0\0\0\0"
"""Before what is no word, so that no word has its digest."""


class ValueDigest(NamedTuple):
    """One value, ready to be looked up. `whole` is None for a value without letters and digits; `links` are its only
    word or each two words that follow each other; `joined` is the number that its groups are. `alike` is a number with
    nothing between its digits, and without zeros before it: texts are looked through for these, and nothing else.
    `exact` is a value that does what its signs say, as it is written: it is compared by this alone."""

    whole: int | None
    links: tuple[int, ...]
    joined: int | None = None
    alike: tuple[int, ...] = ()
    exact: int | None = None


class TextDigest(NamedTuple):
    """`words` of the text in its order; `others` are parts of words and numbers in groups. `edged` are the words as a
    value would have them, with what is at their edges, and `addresses` the web addresses in it as wholes."""

    words: list[int]
    others: list[int]
    edged: list[int]
    addresses: list[int]

    def whole(self) -> int | None:
        return combined(self.edged)

    def all(self) -> Iterator[int]:
        """Words, parts, and each two words that follow each other."""
        yield from self.words
        yield from self.others
        yield from self.addresses
        yield from pairs(self.words)
        if self.edged != self.words:
            yield from pairs(self.edged)


class Digester:
    """Makes the digests of one organization. It remembers words, and belongs to one thread."""

    def __init__(self, key: bytes) -> None:
        """Raises ValueError for a key that is not of 16 to 64 bytes."""
        if not SHORTEST_KEY <= len(key) <= LONGEST_KEY:
            raise ValueError(f"the key has {len(key)} bytes; give {SHORTEST_KEY} to {LONGEST_KEY}")
        self._keyed = blake2b(key=key, digest_size=8, person=b"assent.flows")
        self._known: dict[str, tuple[int, tuple[int, ...], int, bool]] = {}
        """Of texts: a word's digest, those of its parts, that of the word with its edges, and whether it may be of an
        address."""
        self._words: dict[str, int] = {}
        """Of values, whose parts nobody needs."""

    def word(self, word: str) -> int:
        """Of a word in its spelling."""
        hashed = self._keyed.copy()
        hashed.update(word.encode("utf-8", "surrogatepass"))
        return int.from_bytes(hashed.digest(), "big")

    def text(self, text: str) -> TextDigest:
        seen = visible(text)
        plain = unescaped(seen)
        found = self._read(seen)
        if seen is not text:
            found.addresses.extend(map(self.word, addresses(text)))
        if plain is not seen:
            found.others.extend(self._read(plain).all())
        return found

    def _read(self, text: str) -> TextDigest:
        """Of a visible text, its escapes as they are written."""
        known, words, others, with_edges = self._known, [], list[int](), list[int]()
        leads = False
        for raw in raw_words(text):
            entry = known.get(raw) or self._entry(raw)
            if entry[0]:
                words.append(entry[0])
                with_edges.append(entry[2])
            if entry[1]:
                others.extend(entry[1])
                leads |= entry[3]
        if len(text) >= FEWEST_DIGITS:
            others.extend(self.word(each) for each in grouped_numbers(text))
        wholes = list(map(self.word, dict.fromkeys(addresses(text)))) if leads else []
        return TextDigest(words, others, with_edges, wholes)

    def telling_words(self, text: str) -> list[int]:
        """Of the words of a line that may tell one record from another (`spelling.telling`)."""
        return [(self._known.get(raw) or self._entry(raw))[0] for raw in telling(text)]

    def value(self, value: object) -> ValueDigest:
        """Of a text, a number or a truth value. Raises TypeError for anything else."""
        text = scalar_text(value)
        if text is None:
            raise TypeError(f"a value is {type(value).__name__}; give a text, a number or a truth value")
        text = visible(text)
        known, words = self._words, list[int]()
        for raw in raw_words(text):
            digest = known.get(raw)
            if digest is None:
                digest = self._word_of(raw)
            if digest:
                words.append(digest)
        groups = grouped_numbers(text) if len(words) > 1 or "-" in text else []
        alone = len(groups) == 1 and len(groups[0]) == sum(map(str.isalnum, text))
        number = bare_number(text) if text[-1:].isdecimal() else ""
        return ValueDigest(
            combined(words),
            tuple(words) if len(words) == 1 else tuple(pairs(words)),
            self.word(groups[0]) if alone else None,
            tuple(self.word(each) for each in dict.fromkeys((number, number.lstrip("0")))) if number else (),
        )

    def address(self, text: str) -> ValueDigest:
        """Of a text that is a web address, compared as a whole (`assent.flows.addresses`)."""
        digest = self.word(plain_address(text))
        return ValueDigest(digest, (digest,))

    def command(self, text: str) -> ValueDigest:
        """Of a command, which is what it is as a whole (`assent.flows.wordings`)."""
        return self.value(text)._replace(exact=self.word(_COMMAND + as_compared(text)))

    def name(self, text: str) -> ValueDigest:
        """Of what is called so with its signs."""
        return self.value(text)._replace(exact=self.word(_NAME + as_compared(text)))

    def file_host(self, host: str) -> int:
        """Of a host that is called like a file."""
        return self.word(_HOST + host)

    def entry(self) -> int:
        """Of the order of an entry in a calendar or a list (`assent.flows.wordings`)."""
        return self.word(_ENTRY)

    def said(self, text: str) -> set[int]:
        """What a user says with a text: its words, commands and names as they are written, commands that it forbids,
        the hosts of its addresses, and that it orders an entry."""
        return {
            *([self.entry()] if orders_entry(text) else ()),
            *self.text(text).all(),
            *(self.word(_COMMAND + each) for each in said_commands(text)),
            *(barred(self.word(_COMMAND + each)) for each in barred_commands(text)),
            *(self.word(_NAME + each) for each in said_names(text)),
            *map(self.file_host, hosts(text)),
        }

    def _entry(self, raw: str) -> tuple[int, tuple[int, ...], int, bool]:
        if raw.isalnum() and raw.isascii():
            digest = self.word(raw.lower())
            entry: tuple[int, tuple[int, ...], int, bool] = (digest, (), digest, False)
        else:
            entry = self._spelled_entry(raw)
        if len(self._known) >= REMEMBERED:
            self._known.clear()
        if len(raw) <= LONGEST_REMEMBERED:
            self._known[raw] = entry
        return entry

    def _word_of(self, raw: str) -> int:
        if raw.isalnum() and raw.isascii():
            digest = self.word(raw.lower())
        else:
            path = resolved(raw)
            word = spelled(path)
            digest = self.word(edged(path, word)) if word else 0
        if len(self._words) >= REMEMBERED:
            self._words.clear()
        if len(raw) <= LONGEST_REMEMBERED:
            self._words[raw] = digest
        return digest

    def _spelled_entry(self, raw: str) -> tuple[int, tuple[int, ...], int, bool]:
        leads = ("." in raw and ("/" in raw or "?" in raw or "#" in raw)) or "://" in raw
        raw = resolved(raw)
        word = spelled(raw)
        # 0 stands for a word that is none; that a digest is 0 has probability 2^-64.
        digest = self.word(word) if word else 0
        joined = bare_number(word)
        others = tuple(self.word(each) for each in [*parts(raw, word), *([joined] if joined else [])])
        if leads and digest and not others:
            # What leads somewhere is looked at again.
            others = (digest,)
        named = edged(raw, word) if word else ""
        if named == word:
            return digest, others, digest, leads
        with_edges = self.word(named)
        return digest, (*others, with_edges), with_edges, leads


def barred(command: int) -> int:
    """The digest of a command being forbidden."""
    return ((command ^ MASK) * P) & MASK


def combined(words: list[int]) -> int | None:
    """The digest of the value that has these words."""
    if not words:
        return None
    whole = words[0]
    for each in words[1:]:
        whole = (whole * P + each) & MASK
    return whole


def pairs(words: list[int]) -> Iterator[int]:
    """The digest of each two words that follow each other."""
    return ((one * P + other) & MASK for one, other in pairwise(words))
