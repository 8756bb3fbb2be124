"""Unicode's normal forms of texts that strangers wrote, in a time that grows with their length alone.

Whoever normalizes a text puts the marks of each letter in order, and `unicodedata` takes the square of their number for
it: 100,000 marks on one letter take ten seconds. No writing needs more than 30 (UAX 15, Stream-Safe Text Format), and
from the 31st on they are left out here. That format puts a joiner between them instead; it would fall out again with
whatever nobody sees, and leave one run of them all.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, TypeAlias
from unicodedata import combining, normalize

MOST_MARKS = 30
"""On one letter, each as it is written."""
Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]

_RUN = re.compile(rf"[^\w\x00-\x7f]{{{MOST_MARKS + 1},}}")
"""Where so many marks may stand in a row: whatever is neither ASCII nor a letter nor a digit."""
_VOICING = re.compile("[\uff9e\uff9f]")
"""Letters that become marks (voiced Katakana of half width)."""
_VOICED_RUN = re.compile(rf"(?:[^\w\x00-\x7f]|{_VOICING.pattern}){{{MOST_MARKS + 1},}}")


def normal(form: Form, text: str) -> str:
    """A text in this form, with at most 30 marks on each letter."""
    return text if text.isascii() else normalize(form, bounded(text))


def bounded(text: str) -> str:
    """A text without the marks of a letter behind the 30th."""
    if len(text) <= MOST_MARKS or text.isascii():
        return text
    run = _VOICED_RUN if _VOICING.search(text) else _RUN
    return run.sub(_bounded_run, text)


def _bounded_run(found: re.Match[str]) -> str:
    kept, marks = list[str](), 0
    for char in found[0]:
        marks = marks + 1 if _is_mark(char) else 0
        if marks <= MOST_MARKS:
            kept.append(char)
    return "".join(kept)


@lru_cache(maxsize=4096)
def _is_mark(char: str) -> bool:
    """Whether it is put in order with the marks before it, in any form."""
    return combining(normalize("NFKD", char)[0]) != 0
