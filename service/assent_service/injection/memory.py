"""What was scanned lately, by what was said and the source: agents say the same again and again. Long texts are not
remembered."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, Generic, TypeVar

Found = TypeVar("Found")

LONGEST: Final = 4_000
MOST: Final = 16_384
MOST_CHARACTERS: Final = 2_000_000


class Memory(Generic[Found]):
    """What came of texts, or of JSON as bytes; what was asked for longest ago is forgotten first."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str | bytes, str], Found] = OrderedDict()
        self._characters = 0

    def get(self, said: str | bytes, source: str) -> Found | None:
        key = said, source
        found = self._known.get(key)
        if found is not None:
            self._known.move_to_end(key)
        return found

    def put(self, said: str | bytes, source: str, found: Found) -> None:
        if len(said) > LONGEST or (said, source) in self._known:
            return
        self._known[said, source] = found
        self._characters += len(said)
        while len(self._known) > MOST or self._characters > MOST_CHARACTERS:
            (oldest, _), _ = self._known.popitem(last=False)
            self._characters -= len(oldest)
