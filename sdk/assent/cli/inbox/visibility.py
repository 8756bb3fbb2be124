"""What of each request was on the screen: its goal, why it was stopped, and its arguments. Pure.

A piece is the goal, one reason or one argument, by its whole text. It was shown once every line of it that has to be
seen was, at one width, each for long enough: so it is remembered while the window changes, while the cursor is
elsewhere, and no longer once its text is another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple


class Part(NamedTuple):
    """A line of a piece: the `at`th of `lines`, from 0, at this width."""

    piece: str
    width: int
    at: int
    lines: int


class Drawn(NamedTuple):
    """The request whose card was drawn last: the pieces of which it leaves out what has to be seen, and whether what
    else it has stands above what is seen, and not below."""

    action_id: str
    cut: frozenset[str] = frozenset()
    above: bool = False


class Visibility:
    """`least` is for how many seconds a line has to stay to be seen."""

    def __init__(self, least: float = 0.0) -> None:
        self.drawn: Drawn | None = None
        self._least = least
        self._on: tuple[str, dict[Part, float]] = ("", {})
        self._since: dict[str, dict[str, float]] = {}
        self._parts: dict[str, dict[tuple[str, int, int], set[int]]] = {}

    def saw(self, action_id: str, parts: Iterable[Part], at: float) -> None:
        """These lines of a request are on the screen from now on, and no others."""
        self._count(at)
        before = self._on[1] if self._on[0] == action_id else {}
        self._on = action_id, {part: before.get(part, at) for part in parts}
        self._count(at)

    def lacks(self, action_id: str, pieces: Iterable[str], at: float) -> list[str]:
        """Those that were not on the screen for long enough at this time."""
        self._count(at)
        since = self._since.get(action_id, {})
        return [piece for piece in pieces if piece not in since or since[piece] > at]

    def comes(self, action_id: str, lacking: Iterable[str]) -> bool:
        """Whether these lack nothing but time."""
        begun = {key: set(seen) for key, seen in self._parts.get(action_id, {}).items()}
        for part in self._on[1] if self._on[0] == action_id else ():
            begun.setdefault((part.piece, part.width, part.lines), set()).add(part.at)
        whole = {piece for (piece, _, lines), seen in begun.items() if len(seen) == lines}
        return whole.union(self._since.get(action_id, {})).issuperset(lacking)

    def _count(self, at: float) -> None:
        """What is on the screen, and was at this time for long enough, was seen."""
        action_id, parts = self._on
        since, begun = self._since.setdefault(action_id, {}), self._parts.setdefault(action_id, {})
        for part, begins in sorted(parts.items(), key=lambda found: found[1]):
            if part.piece in since or begins + self._least > at:
                continue
            key = (part.piece, part.width, part.lines)
            seen = begun.setdefault(key, set())
            seen.add(part.at)
            if len(seen) == part.lines:
                since[part.piece] = begins + self._least
                del begun[key]

    def way(self, action_id: str, lacking: Iterable[str]) -> str:
        """The key that shows what is lacking: `v` what the card leaves out, `K` what stands above, `J` the rest."""
        drawn = self.drawn
        if drawn is None or drawn.action_id != action_id:
            return "J"
        return "v" if not drawn.cut.isdisjoint(lacking) else "K" if drawn.above else "J"

    def keep(self, waits: Callable[[str], bool]) -> None:
        """Forget the others."""
        self._since = {name: found for name, found in self._since.items() if waits(name)}
        self._parts = {name: found for name, found in self._parts.items() if waits(name)}
