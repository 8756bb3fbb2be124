"""One look over a text for all that is not words: markup, signs for letters, pieces that hide another text.

Most short texts have none of it, and pay one search for three. Texts that are not ASCII are not asked.
"""

from __future__ import annotations

from collections.abc import Iterable

import re2

from assent_analytics.injection.decode import SIGNS as HIDING
from assent_analytics.injection.leet import SIGNS as LEET


def _options() -> re2.Options:
    options = re2.Options()
    options.never_capture = True
    options.max_mem = 16 << 20
    options.encoding = re2.Options.Encoding.LATIN1
    return options


class Glance:
    """Knows the expressions of `markup`."""

    def __init__(self, markup: Iterable[str]) -> None:
        expressions = [*(pattern.encode() for pattern in markup), HIDING, LEET]
        self._any = re2.compile(b"|".join(expressions), _options())

    def plain(self, raw: bytes) -> bool:
        """Whether a lower-case ASCII text has nothing of it."""
        return self._any.search(raw) is None
