"""The dialog of a standing grant: the pattern of an action's like, of which conditions can be left out one by one, and
what the grant would have covered so. What is given is what was shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Button, Input, Static, TextArea

from assent.cli.approvals import Waiting
from assent.cli.inbox.card import CardLine
from assent.cli.inbox.dialogs import Ask, QuestionDialog
from assent.cli.inbox.inbox_client import GrantOffer
from assent.cli.inbox.rows import NO_GOAL
from assent.cli.text import clean, wrap
from assent.contract.names import quoted_name
from assent.deciding import WORD, word_for
from assent.granting import ANY, DAYS, USES, opened, part_in_words, parts_of, unbound, unbound_metadata, why_not, would

LookAt = Callable[[frozenset[int]], None]
"""Asks what a grant without the conditions at these places would cover."""


class ConditionList(Static, can_focus=True):
    """The conditions of a pattern, each with a box; a keyboard's focus is on one of them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Down"),
        Binding("k,up", "move(-1)", "Up"),
        Binding("x,space", "tick", "Leave out, or take in again"),
        Binding("u", "undo", "Take that back"),
    ]

    class Changed(Message):
        """Another one is left out, or taken in."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, markup=False)
        self.parts: Sequence[str] = ()
        self.opened: Sequence[str | None] = ()
        """What each leaves open that is left out."""
        self.without: frozenset[int] = frozenset()
        self._ticked: list[int] = []
        self._place = 0

    def show(self, parts: Sequence[str], opened: Sequence[str | None]) -> None:
        self.parts, self.opened = parts, opened
        self._draw_parts()

    def action_move(self, by: int) -> None:
        self._place = max(0, min(self._place + by, len(self.parts) - 1))
        self._draw_parts()

    def action_tick(self) -> None:
        if self._place < len(self.parts):
            self._ticked.append(self._place)
            self._turn(self._place)

    def action_undo(self) -> None:
        if self._ticked:
            self._place = self._ticked.pop()
            self._turn(self._place)

    def _turn(self, place: int) -> None:
        self.without ^= {place}
        self._draw_parts()
        self.post_message(self.Changed())

    def watch_has_focus(self, _has_focus: bool) -> None:
        super().watch_has_focus(_has_focus)
        self._draw_parts()

    def _draw_parts(self) -> None:
        width = max(20, (self.size.width or self.app.size.width) - 6)
        lines: list[Content] = []
        at = 0
        for place, part in enumerate(self.parts):
            current = self.has_focus and place == self._place
            at = len(lines) if current else at
            box = f"{'>' if current else ' '} [{' ' if place in self.without else 'x'}] "
            left = self.opened[place] if place in self.without else None
            for number, line in enumerate(wrap(part if left is None else f"{part}; left open: {left}", width)):
                text = Content(f"{'      ' if number else box}{line}")
                lines.append(text.stylize("bold") if current else text)
        if len(self.without) == len(self.parts):
            lines.append(Content(f"      {ANY}"))
        self.update(Content("\n").join(lines))
        if isinstance(self.parent, Widget):
            self.parent.scroll_to(y=max(0, at - 1), animate=False)


class GrantDialog(QuestionDialog):
    """Answers whether the grant was given: of what is like the action, once it was shown what that would cover."""

    HEAD, VERB = "ALLOW ITS LIKE FROM NOW ON?", "Allow in advance"
    LABEL = f"Reason (stands in each approval); for {DAYS} days, {USES} times"
    LACKS = "Say why; it stands in each approval that it gives."
    LATE = "Nothing is left to decide."
    OFFERS = False

    def __init__(self, item: Waiting, now: datetime, ask: Ask, look: LookAt, beyond: int = 0) -> None:
        """`beyond` is how many of its arguments were not seen to their end."""
        super().__init__(item, now, ask)
        self._cause = word_for(item.action.risk_score, beyond)
        self.offer: GrantOffer | None = None
        """What is shown; None while it is asked for."""
        self._last: GrantOffer | None = None
        self._look = look

    def parts(self) -> Iterator[Widget]:
        yield Static(
            "Where (Shift+Tab: j k move, x leaves one out or takes it in again, u takes that back):",
            id="dialog-where",
            markup=False,
        )
        with VerticalScroll(id="dialog-conditions", can_focus=False):
            yield ConditionList(id="pattern")
        yield Static(f"{self._cause} type {WORD}", id="word-cause", markup=False)
        yield Input(id="word", compact=True)

    def on_mount(self) -> None:
        super().on_mount()
        reason = self.query_one("#reasoning", TextArea)
        reason.text = f"Like: {clean(self.item.action.declared_goal) or NO_GOAL}"
        self._show_cause()
        self._ask_again()

    def _show_cause(self) -> None:
        """Why a word is asked for; nothing where none is."""
        self.query_one("#word-cause", Static).update(f"{self._cause} type {WORD}")
        for each in ("#word-cause", "#word"):
            self.query_one(each).display = self._cause is not None

    def on_condition_list_changed(self) -> None:
        self._ask_again()

    def _ask_again(self) -> None:
        self.offer = None
        self._tell(self.over or "Asking what it would cover…")
        self._look(self.query_one(ConditionList).without)

    def offered(self, offer: GrantOffer) -> None:
        """What it would be is known; unless another condition was left out since."""
        if not self.is_attached or offer.without != self.query_one(ConditionList).without:
            return
        self.offer = self._last = offer
        parts = parts_of(offer.draft)
        words = [part_in_words(each, offer.draft.exact) for each in parts]
        self.query_one(ConditionList).show(words, list(map(opened, parts)))
        open_arguments = unbound(offer.draft)
        if open_arguments is not None:
            self._cause = open_arguments
            self._show_cause()
        self._repeat()
        reason = why_not(offer.draft)
        if reason is not None:
            self.over = f"No grant is used here: {clean(reason)}."
        self._tell(self.over)

    def refused(self, why: str) -> None:
        """What it would be is not known."""
        if self.is_attached:
            self._tell(why)

    def _send_typed(self) -> None:
        if self._cause is not None and self.query_one("#word", Input).value.strip().casefold() != WORD:
            self._tell(self.over or f"{self._cause} type {WORD}.")
        elif self.offer is not None:
            super()._send_typed()

    def _tell(self, text: str) -> None:
        super()._tell(text)
        self.query_one("#send", Button).disabled |= self.offer is None

    def _facts(self, width: int) -> list[CardLine]:
        return super()._facts(width) if self._last is None else _offer_lines(self._last, width)


def _offer_lines(offer: GrantOffer, width: int) -> list[CardLine]:
    """Whose, what, and what it would have covered."""
    draft = offer.draft
    who = ", ".join(map(quoted_name, draft.agent_ids)) or "nobody"
    said = [
        f"{who} may {quoted_name(draft.action_type)}, up to risk {draft.max_risk:g}, where the conditions below hold.",
        *filter(None, [unbound_metadata(draft)]),
        *(clean(each) for each in (would(offer.preview) if offer.preview is not None else ())),
        "This action still waits for your decision. Narrower or wider: assent grants draft, and create.",
    ]
    return [CardLine(line, label=None) for text in said for line in wrap(text, width)]
