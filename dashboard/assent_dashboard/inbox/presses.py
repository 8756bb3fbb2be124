"""The presses of a session that were answered, by their keys, and what came of them otherwise than was pressed. It
stays until somebody dismisses it, whichever page shows it. Not safe by itself: its owner holds a lock."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from assent_dashboard.inbox.changes import Answer, Otherwise, Press
from assent_dashboard.inbox.rows import Row

ANSWERS, OTHERWISE = 4000, 200
"""How many answered presses are remembered, and of how many, the latest, it is told that they came otherwise."""


@dataclass
class AnsweredPress:
    """A press that was answered, and how it stands; `batch` is the key of the first that was pressed with it, `row` the
    request when it was pressed, None where it was not in the list."""

    press: Press
    batch: str
    answer: Answer
    row: Row | None
    dismissed: bool = False


class AnsweredPresses:
    def __init__(self) -> None:
        self._by_key: OrderedDict[str, AnsweredPress] = OrderedDict()

    def of(self, key: str) -> AnsweredPress | None:
        return self._by_key.get(key)

    def remember(self, press: Press, batch: str, answer: Answer, row: Row | None) -> Answer:
        self._by_key[press.key] = AnsweredPress(press, batch, answer, row)
        while len(self._by_key) > ANSWERS:
            self._by_key.popitem(last=False)
        return answer

    def otherwise(self) -> list[Otherwise]:
        """What nobody has dismissed, the latest press last."""
        found = [
            Otherwise(key=key, row=each.row, answer=each.answer)
            for key, each in self._by_key.items()
            if not each.answer.ok and not each.dismissed
        ]
        return found[-OTHERWISE:]

    def dismiss(self, keys: Iterable[str]) -> list[str]:
        """Those of them that were not dismissed before."""
        now: list[str] = []
        for key in keys:
            given = self._by_key.get(key)
            if given is not None and not given.dismissed:
                given.dismissed = True
                now.append(key)
        return now
