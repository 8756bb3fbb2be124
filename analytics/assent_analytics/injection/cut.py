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
