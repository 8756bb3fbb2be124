"""What every form of the inbox does alike: it sends nothing before somebody could see it, and loses no letter.

1. A key that sends counts where the form, with what it is about, was on the screen before the key went down. An earlier
   one is refused and said: what was typed stays.
2. Letters that are typed before the box is there go into it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual import events, on
from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.message import Message
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.strip import Strip
from textual.widgets import Static, TextArea

from assent.cli.inbox.card import CardLine
from assent.cli.inbox.panes import drawn_lines

EARLY = "Not taken: the form was not on the screen yet when that key was pressed. Press it again."


def when_typed(dialog: Screen[Any], do: Callable[[], None]) -> None:
    """`do` after the letters that were typed before. Keys of the dialog are looked at as they come, while letters wait
    in the text's own queue: whoever types fast would send a text without its end."""
    (dialog.focused or dialog).call_later(do)


class FormText(Static):
    """What a form is about. It tells its form once that is on the screen."""

    class Painted(Message):
        """It is on the screen."""

    def __init__(self) -> None:
        super().__init__(id="dialog-text", markup=False)
        self._filled = self._told = False

    def fill(self, lines: list[CardLine]) -> None:
        self._filled = True
        self.update(drawn_lines(lines))

    def render_lines(self, crop: Region) -> list[Strip]:
        strips = super().render_lines(crop)
        if self._filled and not self._told:
            self._told = True
            self.call_later(self._tell)
        return strips

    def _tell(self) -> None:
        self.post_message(self.Painted())


class Form(ModalScreen[ScreenResultType]):
    """`key_at` is when the last key or press of the mouse went down since it was opened; the inbox says so."""

    def __init__(self) -> None:
        super().__init__()
        self.key_at: float | None = None
        self.drawn_at: float | None = None

    @on(FormText.Painted)
    def painted(self, message: FormText.Painted) -> None:
        self.drawn_at = self.drawn_at or message.time

    @property
    def early(self) -> bool:
        """Whether the key that is looked at went down before the form was seen."""
        return self.drawn_at is None or (self.key_at is not None and self.key_at < self.drawn_at)


class EarlyLetters(Form[ScreenResultType]):
    """A dialog that keeps the letters which are typed before its box is there. What has keys of its own takes none."""

    def on_key(self, event: events.Key) -> None:
        """What nobody took: neither the box nor a button."""
        elsewhere = self.focused is not None and not isinstance(self.focused, TextArea | VerticalScroll)
        if event.is_printable and event.character is not None and not elsewhere:
            self.query_one("#reasoning", TextArea).insert(event.character)
            event.stop()
