"""One reading of a text, and every rule that holds in it.

A reading is the folded text, or one in which pieces were decoded. Beside its words as they stand it is read with
letters for digits (leet), reversed, and after rot13, each only where a word gives it away.
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import NamedTuple

from assent_analytics.injection.lexicon import LEETED, ROT13
from assent_analytics.injection.rules import Markup, Rule, Rules
from assent_analytics.injection.words import Leet, Words, letters_of, merged, parts_with, signed
from assent_analytics.injection.work import AGAIN, LOOK, READ, SEEN, ScanBudget

QUOTES = "\"'`"
FAR = 30
CLOSE = 24
REMEMBERED = 4096
"""Strings of letters in which nothing is found; beyond that all are forgotten."""
NEAR = 8
"""Words before and after a hit in which talk about attacks, or a `not`, is looked for."""


class RuleMatch(NamedTuple):
    """A rule held at these characters of the reading. `via` is how the words had to be read; `mentions` how many
    words near it speak of attacks; `negated` if a `not` stands before; `protects` how many
    words around it are of somebody who protects instructions."""

    rule: Rule
    start: int
    end: int
    via: tuple[str, ...]
    mentions: int
    negated: bool
    protects: int


class TextReader:
    """The rules of words and of markup, ready to read."""

    def __init__(self) -> None:
        self.rules = Rules()
        self.markup = Markup()
        self.lexicon = self.rules.lexicon
        self._mention = frozenset(self.lexicon.letters("mention"))
        self._not = frozenset(self.lexicon.letters("negation"))
        self._protect = frozenset(self.lexicon.letters("protect"))
        rot13, reversed_ = self.lexicon.letters("rot13"), self.lexicon.letters("reversed")
        self._given, self._rot13, self._reversed, self._leeted = (
            re.compile(f"[{re.escape(letters)}]") for letters in (rot13 + reversed_ + LEETED, rot13, reversed_, LEETED)
        )
        self._leet = Leet(self.lexicon)
        self._silent: set[str] = set()

    def read(self, text: str, plain: bool, work: ScanBudget, first: bool) -> list[RuleMatch]:
        """All evidence in a reading in lower case. A `plain` one (`Glance`) has neither markup nor signs for letters.
        In the `first` one a rule that holds without anything against it is not looked at again; in others what was
        decoded may weigh more."""
        words = Words(text, self.lexicon)
        found = [] if plain else _marked(self.markup, text, 0, ())
        found += self._hits(words, 0, (), work, set() if first else None)
        if plain and self._given.search(words.letters) is None:
            return found
        for start, end in parts_with(words, self._reversed):
            if work.pay(READ, 3 * AGAIN * (end - start), start, end):
                found += self._backward(text[start:end], start, work)
        for start, end in parts_with(words, self._rot13):
            if work.pay(READ, AGAIN * (end - start), start, end):
                turned = text[start:end].translate(ROT13)
                found += _marked(self.markup, turned, start, ("rot13",))
                found += self._hits(Words(turned, self.lexicon), start, ("rot13",), work)
        for start, end in merged([*parts_with(words, self._leeted), *([] if plain else signed(text))], text):
            if work.pay(READ, 2 * AGAIN * (end - start), start, end):
                leet, changed = self._leet.read(text[start:end])
                if changed:
                    found += self._hits(leet, start, ("leet",), work, changed=changed)
        return found

    def is_silent(self, text: str) -> bool:
        """Whether `read` finds nothing in a short plain ASCII text in lower case; a No may be wrong."""
        letters = letters_of(text, self.lexicon)
        if letters in self._silent:
            return True
        if self._given.search(letters) is not None or self.rules.may_hold(letters):
            return False
        if len(self._silent) >= REMEMBERED:
            self._silent.clear()
        self._silent.add(letters)
        return True

    def _backward(self, text: str, offset: int, work: ScanBudget) -> list[RuleMatch]:
        """The text from its end, and each word from its end where it stands."""
        turned = text[::-1]
        found = _marked(self.markup, turned, 0, ("reversed",))
        found += self._hits(Words(turned, self.lexicon), 0, ("reversed",), work)
        found = [one._replace(start=offset + len(text) - one.end, end=offset + len(text) - one.start) for one in found]
        words = Words(text, self.lexicon)
        words.letters = "".join(self.lexicon.table[word[::-1]] for word in words.words)
        return found + self._hits(words, offset, ("reversed",), work)

    def _hits(
        self,
        words: Words,
        offset: int,
        via: tuple[str, ...],
        work: ScanBudget,
        done: set[str] | None = None,
        changed: Set[str] | None = None,
    ) -> list[RuleMatch]:
        """`offset` is where the words' text stands. Of `changed` words at least one has to be in a hit."""
        found = []
        letters = words.letters
        for hit in self.rules.hits(letters, frozenset() if done is None else done):
            if done is not None and hit.rule.name in done:
                continue
            said = words.words[hit.start : hit.end]
            if changed is not None and changed.isdisjoint(said):
                continue
            start, end = words.span(hit.start, hit.end)
            if not work.pay(LOOK, SEEN, offset + start, offset + len(words.source)):
                break
            how = via or (("lookalikes",) if any(map(self.lexicon.disguised, said)) else ())
            around = letters[max(0, hit.start - NEAR) : hit.start] + letters[hit.end : hit.end + NEAR]
            mentions = sum(map(self._mention.__contains__, around)) + 2 * _quoted(words.source, start, end)
            negated = not self._not.isdisjoint(letters[max(0, hit.start - 5) : hit.start])
            wide = letters[max(0, hit.start - FAR) : hit.start] + letters[hit.end : hit.end + FAR]
            protects = sum(map(self._protect.__contains__, wide))
            found.append(RuleMatch(hit.rule, offset + start, offset + end, how, mentions, negated, protects))
            if done is not None and not (mentions or negated or protects) and (how or words.source.isascii()):
                done.add(hit.rule.name)
        return found


def _marked(markup: Markup, text: str, offset: int, via: tuple[str, ...]) -> list[RuleMatch]:
    return [RuleMatch(hit.rule, offset + hit.start, offset + hit.end, via, 0, False, 0) for hit in markup.hits(text)]


def _quoted(text: str, start: int, end: int) -> bool:
    """Whether these words are what somebody is quoted with, inside a sentence that says more."""
    opened = max(text.rfind(mark, max(0, start - CLOSE), start) for mark in QUOTES)
    return opened >= CLOSE // 2 and any(mark in text[end : end + CLOSE] for mark in QUOTES)
