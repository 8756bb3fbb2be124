"""The two panes: the list, of which a window is drawn around the cursor, and the card of what the cursor is on.

A tone is a style of the screen's theme, so that light and dark are both readable. Texts of strangers become Content
from plain strings, never from markup, and were made harmless before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from textual import events
from textual.app import RenderResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget
from textual.widgets import Static

from assent.cli.inbox.board import NOTHING
from assent.cli.inbox.card import LABEL, CardLine
from assent.cli.inbox.rows import HIGH, LOW, MUTED, PLAIN, RAISED, STRONG, Tone, first_line, header, row
from assent.cli.inbox.triage import CARD, LIST, Triage
from assent.cli.inbox.visibility import Drawn, Part
from assent.cli.text import pad


class Painted(Message):
    """What a part of the screen was drawn with is on the screen, by its number."""

    def __init__(self, part: str, number: int) -> None:
        super().__init__()
        self.part, self.number = part, number


class ListPane(Widget, can_focus=True):
    """Draws the board. The screen keeps the board and says when it has changed, with `redraw`."""

    class Pressed(Message):
        """A line was clicked, on which this request was drawn."""

        def __init__(self, action_id: str) -> None:
            super().__init__()
            self.action_id = action_id

    def __init__(self, triage: Triage, now: Callable[[], datetime]) -> None:
        super().__init__(id="list")
        self._triage, self._board, self._now = triage, triage.board, now
        self._top = 0
        self._drawn: list[str] = []

    def redraw(self) -> None:
        self.refresh(layout=True)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """The header and a line for each, at least three, so that the card does not jump with each that comes."""
        return 1 + max(3, len(self._board.listed()))

    def render(self) -> RenderResult:
        items, width = self._board.listed(), self.size.width
        height = max(1, self.size.height - 1)
        self.call_later(self._told, self._triage.draw(LIST, self._board.cursor))
        self._drawn = []
        if not items:
            return Content(
                NOTHING if not self._board.words else "Nothing that waits has these words. Escape shows all."
            )
        self._top = first_line(len(items), self._board.place(), self._top, height)
        now, lines = self._now(), [Content(header(width)).stylize("bold $foreground-muted")]
        for item in items[self._top : self._top + height]:
            name = item.action.action_id
            here = name == self._board.cursor
            self._drawn.append(name)
            known, mark = self._board.known(name), self._triage.mark(name)
            line = drawn(row(item, known, now, width, here=here, mark=mark))
            lines.append(line.stylize("bold on $primary-muted") if here else line)
        return Content("\n").join(lines)

    def on_click(self, event: events.Click) -> None:
        if 1 <= event.y <= len(self._drawn):
            self.post_message(self.Pressed(self._drawn[event.y - 1]))

    def _told(self, number: int) -> None:
        self.post_message(Painted(LIST, number))


class PartsPainted(Message):
    """These parts of the request that is drawn are on the screen."""

    def __init__(self, drawn: Drawn, parts: frozenset[Part]) -> None:
        super().__init__()
        self.drawn, self.parts = drawn, parts


class CardText(Static):
    """The lines of the card; `of` is whose they are, None where they lack why it was stopped."""

    def __init__(self, triage: Triage) -> None:
        super().__init__(id="card-text", markup=False)
        self.of: str | None = None
        self._triage = triage
        self._lines: list[CardLine] = []
        self._painted: tuple[Drawn, frozenset[Part]] | None = None

    def fill(self, lines: list[CardLine], of: str | None) -> None:
        """Nothing is drawn anew where it is what stands there."""
        if (lines, of) != (self._lines, self.of):
            self._lines, self.of = lines, of
            self.update(drawn_lines(lines))

    def render(self) -> RenderResult:
        self.call_later(self._told, self._triage.draw(CARD, self.of))
        return super().render()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Only what stands in `crop` is seen, and nothing behind a dialog."""
        strips = super().render_lines(crop)
        painted = self._seen(crop) if self.app.screen is self.screen else (Drawn(""), frozenset[Part]())
        if painted != self._painted:
            self._painted = painted
            self.call_later(self._tell_parts, *painted)
        return strips

    def _seen(self, crop: Region) -> tuple[Drawn, frozenset[Part]]:
        if self.of is None:
            return Drawn(""), frozenset()
        seen, below = self._in(crop.y, crop.bottom)
        if self._painted is not None and self._painted[0].action_id == self.of:
            seen |= self._painted[1] & self._in(*self._window())[0]  # where a part of it alone was drawn anew
        cut = frozenset(line.cut for line in self._lines if line.cut is not None)
        return Drawn(self.of, cut, not below), seen

    def _window(self) -> tuple[int, int]:
        """The rows of the text that its pane has in sight."""
        pane = self.parent
        assert isinstance(pane, CardPane)
        top = round(pane.scroll_y)
        return top, top + pane.text_height

    def _in(self, top: int, bottom: int) -> tuple[frozenset[Part], bool]:
        """The parts whose rows are all between these, and whether parts stand below them."""
        seen, below, row = set[Part](), False, 0
        heights = self._heights()
        for line, height in zip(self._lines, heights, strict=True):
            if line.part is not None:
                below |= row + height > bottom
                if top <= row and row + height <= bottom:
                    seen.add(line.part)
            row += height
        return frozenset(seen), below

    def _heights(self) -> list[int]:
        """The rows of each line: one, unless the card is narrower than its lines, or a terminal's width of a character
        is another one."""
        width = self.size.width
        if self.visual.get_height({}, width) == len(self._lines):
            return [1] * len(self._lines)
        return [drawn_lines([line]).get_height({}, width) for line in self._lines]

    def _told(self, number: int) -> None:
        self.post_message(Painted(CARD, number))

    def _tell_parts(self, drawn: Drawn, parts: frozenset[Part]) -> None:
        self.post_message(PartsPainted(drawn, parts))


class CardPane(VerticalScroll):
    """The card; it scrolls where it is longer than there is room."""

    def __init__(self, triage: Triage) -> None:
        super().__init__(CardText(triage), id="card")

    @property
    def text_width(self) -> int:
        return max(20, self.scrollable_content_region.width or self.size.width)

    @property
    def text_height(self) -> int:
        return self.scrollable_content_region.height

    def show(self, lines: list[CardLine], *, of: str | None, anew: bool) -> None:
        """`anew` is for another action than before: its card is read from the beginning. `of` as `CardText` has it."""
        self.query_one(CardText).fill(lines, of)
        self.border_title = "J K scroll" if self.max_scroll_y > 0 else ""
        if anew:
            self.scroll_home(animate=False)

    def scroll_most(self, direction: int) -> None:
        """By most of what is in sight, down (1) or up (-1)."""
        lines = max(1, self.scrollable_content_region.height * 4 // 5)
        self.scroll_relative(y=direction * lines, animate=False)


STYLES: dict[Tone, str] = {
    PLAIN: "",
    STRONG: "bold",
    MUTED: "$foreground-muted",
    HIGH: "bold $text-error",
    RAISED: "bold $text-warning",
    LOW: "$text-success",
}


def drawn(pieces: Iterable[tuple[str, Tone]]) -> Content:
    """One line of pieces."""
    return Content.assemble(*((text, STYLES[tone]) if STYLES[tone] else text for text, tone in pieces))


def drawn_lines(lines: Iterable[CardLine]) -> Content:
    """Lines with their labels; a link is one that terminals know (OSC 8), and its address is what is read."""
    return Content("\n").join(_line(line) for line in lines)


def _line(line: CardLine) -> Content:
    text = Content(line.text)
    if STYLES[line.tone]:
        text = text.stylize(STYLES[line.tone])
    if line.link is not None:
        text = text.stylize(Style(link=line.link, underline=True))
    if line.label is None or (line.tone is STRONG and not line.label):
        return text
    return Content.assemble((pad(line.label, LABEL), STYLES[MUTED]), text)
