"""Words of scripts that put no spaces between them, cut at what the lexicon knows: longest first."""

from __future__ import annotations

import re
from collections.abc import Iterable

RUN = 4
"""Characters between two entries that count as one word."""
SPACELESS = "\u3040-\u9fff\uac00-\ud7a3"
_NEEDED = re.compile(f"[{SPACELESS}]")
_RUNS = re.compile(f"([{SPACELESS}]+)|[^ {SPACELESS}]+")


class Cutter:
    """Knows `entries`."""

    def __init__(self, entries: Iterable[str]) -> None:
        self._known = frozenset(entries)
        lengths: dict[str, set[int]] = {}
        for entry in self._known:
            lengths.setdefault(entry[0], set()).add(len(entry))
        self._lengths = {first: tuple(sorted(many, reverse=True)) for first, many in lengths.items()}

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
        known, lengths = self._known, self._lengths
        free = 0
        for at in [place for place, char in enumerate(run) if char in lengths]:
            if at < free:
                continue
            for many in lengths[run[at]]:
                word = run[at : at + many]
                if word in known:
                    if at > free:
                        words += [run[first : min(first + RUN, at)] for first in range(free, at, RUN)]
                    words.append(word)
                    free = at + many
                    break
        words += [run[first : first + RUN] for first in range(free, len(run), RUN)]
