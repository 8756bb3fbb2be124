"""The second key: a dialog that repeats what is about to be decided or said, and takes the words.

Enter does not send: in the words it makes a new line. Ctrl+S does, or the button that has the focus, once the dialog
was on the screen. A decision is then held by the screen behind; a question, a comment and a grant are sent from here.
What ends meanwhile is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button, Input, Static, TextArea

from assent.cli.approvals import Waiting
from assent.cli.inbox.batch import batch, differing_unseen, in_short
from assent.cli.inbox.board import KEYS, goal_words
from assent.cli.inbox.card import CardLine, decided_words, facts, goal_lines, not_owed, stopped
from assent.cli.inbox.forms import EARLY, EarlyLetters, Form, FormText, when_typed
from assent.cli.inbox.inbox_client import LookedAt
from assent.cli.inbox.panes import drawn_lines
from assent.cli.text import clean
from assent.contract.control.approvals import Approval, Verdict
from assent.deciding import HIGH_RISK, NOT_ALL, WORD, Deciding, DecisionDetails, expired, withdrawn


class DecisionDialog(EarlyLetters[DecisionDetails]):
    """Answers with the words of the decision; None when it is left. `draft` is what was typed before. With `more` it
    takes conditions and a time limit, too. `looked_at` has the arguments of each. `ids` are those that are still to be
    decided on."""

    AUTO_FOCUS = "#reasoning"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", priority=True),
        Binding("ctrl+s", "send", "Send", priority=True),
    ]

    def __init__(
        self,
        items: Sequence[Waiting],
        verdict: Verdict,
        now: datetime,
        draft: str = "",
        *,
        more: bool = False,
        looked_at: Mapping[str, LookedAt] | None = None,
    ) -> None:
        super().__init__()
        self._looked_at = dict(looked_at or {})
        self._several = len(items) > 1
        self.verdict, self.typed, self.over = verdict, draft, False
        self.away: str | None = None
        by_id = {item.action.action_id: item for item in items}
        unseen = differing_unseen(items, self._looked_at)
        self._deciding = {
            name: Deciding(item, verdict, unseen=not_owed(item, self._looked_at.get(name)) + (name in unseen))
            for name, item in by_id.items()
        }
        self._now, self._draft, self._more = now, draft, more and verdict is Verdict.ALLOW
        self._ended: list[str] = []
        self._problem = ""

    @property
    def ids(self) -> list[str]:
        return list(self._deciding)

    @property
    def reasoning(self) -> str:
        return self.query_one("#reasoning", TextArea).text

    def compose(self) -> ComposeResult:
        allows, count = self.verdict is Verdict.ALLOW, len(self._deciding)
        word = "Allow" if allows else "Deny"
        with Vertical(id="dialog", classes=("allow more" if self._more else "allow") if allows else "deny"):
            what = "this action" if count == 1 else f"these {count} actions, each by itself"
            yield Static(f"{word.upper()} {what}?", id="dialog-title", markup=False)
            with VerticalScroll(id="dialog-facts"):
                yield FormText()
            yield Static(self._label(), id="dialog-label", markup=False)
            yield TextArea(self._draft, id="reasoning", tab_behavior="focus", soft_wrap=True, compact=True)
            if self._more:
                yield Static("Conditions that the agent is asked to keep to, one a line (optional)", markup=False)
                yield TextArea("", id="conditions", tab_behavior="focus", soft_wrap=True, compact=True)
                yield Input(
                    id="minutes", placeholder="Minutes within which it has to be claimed; none: no limit", compact=True
                )
            yield Static(id="dialog-problem", markup=False)
            with Horizontal(id="dialog-buttons"):
                yield Button(f"{word} (Ctrl+S)", id="send", variant="success" if allows else "error", compact=True)
                yield Button("Leave (Esc)", id="leave", compact=True)

    def _label(self) -> str:
        if self.verdict is Verdict.DENY:
            return "Reason (recorded; it is all that the agent is told)"
        highest = max(each.item.action.risk_score for each in self._deciding.values())
        if highest >= HIGH_RISK:
            whose = "Its risk" if len(self._deciding) == 1 else "The highest risk"
            return f"{whose} is {highest:g}: type {WORD}, or the reason (recorded with the decision)"
        if any(each.unseen for each in self._deciding.values()):
            return f"{NOT_ALL} type {WORD}, or the reason (recorded with the decision)"
        return "Reason (optional; recorded with the decision)"

    def on_mount(self) -> None:
        box = self.query_one("#reasoning", TextArea)
        box.move_cursor(box.document.end)
        self.call_after_refresh(self._repeat)

    def on_resize(self) -> None:
        self.call_after_refresh(self._repeat)

    def on_text_area_changed(self) -> None:
        self.typed = self.reasoning

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "send":
            self.action_send()
        else:
            self.action_leave()

    def action_leave(self) -> None:
        """Nothing is decided."""
        when_typed(self, self._leave)

    def _leave(self) -> None:
        self.dismiss(None)

    def action_send(self) -> None:
        early = self.early
        when_typed(self, lambda: self._send_typed(early=early))

    def _send_typed(self, *, early: bool) -> None:
        if self.over or self.away is not None:
            return
        if early:
            self._problem = EARLY
            self.tell()
            return
        details, self._problem = self._details()
        for each in self._deciding.values():
            self._problem = self._problem or each.lacks(details) or ""
        if self._problem:
            self.tell()
        else:
            self.dismiss(details)

    def _details(self) -> tuple[DecisionDetails, str]:
        """What was typed, and what is wrong with it."""
        text, conditions, minutes, problem = self.reasoning, list[str](), None, ""
        if self._more:
            conditions = self.query_one("#conditions", TextArea).text.splitlines()
            given = self.query_one("#minutes", Input).value.strip()
            if given and not (given.isascii() and given.isdecimal() and 1 <= int(given) <= MOST_MINUTES):
                problem = f"Give the time limit as whole minutes from 1 to {MOST_MINUTES}, or nothing."
            elif given:
                minutes = int(given)
        if text.strip().casefold() == WORD and self.verdict is Verdict.ALLOW:
            return DecisionDetails("", conditions, minutes, typed=WORD), problem
        return DecisionDetails(text, conditions, minutes), problem

    def overtaken(self, approval: Approval) -> None:
        """Somebody else was first, or its time has run out; what is left can still be decided."""
        made = self._deciding.pop(approval.action_id, None)
        if made is None:
            return
        alone = not self._deciding and not self._ended
        self._ended.append(
            too_late(approval) if alone else f"{goal_words(made.item.action)}: {decided_words(approval)}"
        )
        self.over = not self._deciding
        self._repeat()
        self.tell()

    def service(self, away: str | None) -> None:
        """`away` says that the service does not answer; None when it does."""
        self.away = away
        self.tell()

    def tell(self) -> None:
        """The lines above the buttons, and what can be pressed."""
        lines = list(self._ended)
        if self._ended and not self.over:
            lines.append(f"{len(self._deciding)} left to decide.")
        if not self.over and self.away is not None:
            lines.append(f"{self.away}. Nothing can be decided until then; your words are kept.")
        elif not self.over and self._problem:
            lines.append(clean(self._problem))
        problem = self.query_one("#dialog-problem", Static)
        problem.update(Content("\n".join(lines)))
        problem.set_class(bool(lines), "wrong")
        self.query_one("#send", Button).disabled = self.over or self.away is not None
        self.query_one("#leave", Button).label = Content("Close (Esc)" if self.over else "Leave (Esc)")
        for part in ("#reasoning", "#dialog-label", "#send"):
            self.query_one(part).display = not self.over
        if self.over:
            self.query_one("#leave", Button).focus()

    def _repeat(self) -> None:
        width = max(20, self.query_one("#dialog-facts").scrollable_content_region.width)
        items = [each.item for each in self._deciding.values()]
        text = self.query_one(FormText)
        if items and self._several:
            text.fill(batch(items, self._looked_at, width))
        elif items:
            text.fill(_repeated(items[0], self._now, width))


MOST_MINUTES = 525_600


def too_late(approval: Approval) -> str:
    """Why nothing is left to decide."""
    if expired(approval):
        return "Too late: it expired. Nobody decided in time; the agent has to ask again."
    if withdrawn(approval):
        return f"Too late: {decided_words(approval)}. Nothing is left to decide."
    return f"Already decided: {decided_words(approval)}. That decision stands."


Ask = Callable[[str, list[str], Callable[[str | None], None]], None]
"""Sends the question and what is offered beside the screen, and calls back with what is wrong, None for nothing."""


class QuestionDialog(EarlyLetters[bool]):
    """Answers whether the question was sent. It is about the action that was under the cursor when it was opened."""

    HEAD, VERB = "ASK THE AGENT?", "Ask"
    LABEL = "Question (recorded, and put to the agent)"
    LACKS = "Say what you want to know."
    LATE = "Nobody is left to ask."
    OFFERS = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", priority=True),
        Binding("ctrl+s", "send", "Send", priority=True),
    ]

    def __init__(self, item: Waiting, now: datetime, ask: Ask) -> None:
        super().__init__()
        self.item, self.sending, self.over = item, False, ""
        self._now, self._ask, self._early = now, ask, ""

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog", classes="allow"):
            yield Static(self.HEAD, id="dialog-title", markup=False)
            with VerticalScroll(id="dialog-facts"):
                yield FormText()
            yield from self.parts()
            yield Static(self.LABEL, id="dialog-label", markup=False)
            yield TextArea("", id="reasoning", tab_behavior="focus", soft_wrap=True, compact=True)
            if self.OFFERS:
                yield Static("Conditions under which you would allow it, one a line (optional)", markup=False)
                yield TextArea("", id="conditions", tab_behavior="focus", soft_wrap=True, compact=True)
            yield Static(id="dialog-problem", markup=False)
            with Horizontal(id="dialog-buttons"):
                yield Button(f"{self.VERB} (Ctrl+S)", id="send", variant="primary", compact=True)
                yield Button("Leave (Esc)", id="leave", compact=True)

    def parts(self) -> Iterator[Widget]:
        """What stands between what the dialog is about and the words."""
        yield from ()

    def on_mount(self) -> None:
        self.query_one("#reasoning", TextArea).focus()
        self.call_after_refresh(self._repeat)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "send":
            self.action_send()
        else:
            self.action_leave()

    def action_leave(self) -> None:
        """While a question is under way there is nothing to leave yet."""
        when_typed(self, self._leave)

    def _leave(self) -> None:
        if not self.sending:
            self.dismiss(False)

    def action_send(self) -> None:
        early = self.early
        when_typed(self, lambda: self._send_in_time(early=early))

    def _send_in_time(self, *, early: bool) -> None:
        self._early = EARLY if early else ""
        if early:
            self._tell(self.over)
        else:
            self._send_typed()

    def _send_typed(self) -> None:
        text = self.query_one("#reasoning", TextArea).text.strip()
        offered = self._offered()
        if self.sending or self.over:
            return
        if not text:
            self._tell(self.LACKS)
            return
        self.sending = True
        self._tell("Sending…")
        self._ask(text, offered, self._answered)

    def _offered(self) -> list[str]:
        lines = self.query_one("#conditions", TextArea).text.splitlines() if self.OFFERS else []
        return [line.strip() for line in lines if line.strip()]

    def overtaken(self, words: str) -> None:
        """The action waits no longer: `words` say why. While the question is under way its answer says so."""
        self.over = f"Too late: {words}. {self.LATE}"
        if not self.sending:
            self._tell(self.over)

    def _answered(self, problem: str | None) -> None:
        self.sending = False
        if not self.is_attached:
            return
        if problem is None:
            self.dismiss(True)
        else:
            self._tell(self.over or problem)

    def _tell(self, text: str) -> None:
        self.query_one("#dialog-problem", Static).update(Content("\n".join(filter(None, (text, self._early)))))
        self.query_one("#send", Button).disabled = self.sending or bool(self.over)

    def _repeat(self) -> None:
        width = max(20, self.query_one("#dialog-facts").scrollable_content_region.width)
        self.query_one(FormText).fill(self._facts(width))

    def _facts(self, width: int) -> list[CardLine]:
        return _repeated(self.item, self._now, width)


class CommentDialog(QuestionDialog):
    """Answers whether the comment was sent. It may also be about what has ended meanwhile."""

    HEAD, VERB = "A COMMENT FOR THE OTHER OPERATORS", "Comment"
    LABEL = "Comment (recorded; no agent reads it)"
    LACKS = "Say something."
    OFFERS = False

    def overtaken(self, words: str) -> None:
        pass


CHOICES: tuple[tuple[str, str, timedelta | None], ...] = (
    ("1", "15 minutes", timedelta(minutes=15)),
    ("2", "1 hour", timedelta(hours=1)),
    ("3", "4 hours", timedelta(hours=4)),
    ("4", "tomorrow at 9 by this machine's clock", None),
)
"""Key, words, and for how long; None is the next morning."""


class LaterDialog(Form[tuple[datetime | None] | None]):
    """Answers until when the action is put off, or that it is brought back: (None,). None where it was left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", priority=True),
        *(Binding(key, f"choose('{key}')", words) for key, words, _ in CHOICES),
        Binding("b", "bring_back", "Bring back"),
    ]

    def __init__(self, items: Sequence[Waiting], now: datetime, later: datetime | None) -> None:
        super().__init__()
        self.items, self._now, self._later = items, now, later

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog", classes="allow"):
            what = "IT" if len(self.items) == 1 else f"THESE {len(self.items)}"
            yield Static(f"PUT {what} OFF, FOR YOU ALONE?", id="dialog-title", markup=False)
            with VerticalScroll(id="dialog-facts"):
                yield FormText()
            yield Static(
                "Nothing of the request changes. It is back by itself, before it expires at the latest.",
                id="dialog-label",
                markup=False,
            )
            with Horizontal(id="dialog-buttons"):
                for key, words, _ in CHOICES:
                    yield Button(f"{words} ({key})", id=f"later-{key}", compact=True)
                if self._later is not None:
                    yield Button("bring back (b)", id="later-b", compact=True)
                yield Button("Leave (Esc)", id="leave", compact=True)
            yield Static(id="dialog-problem", markup=False)

    def on_mount(self) -> None:
        self.call_after_refresh(self._repeat)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        chosen = (event.button.id or "").removeprefix("later-")
        if chosen == "leave":
            self.action_leave()
        elif chosen == "b":
            self.action_bring_back()
        else:
            self.action_choose(chosen)

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_bring_back(self) -> None:
        if self._later is not None and self._in_time():
            self.dismiss((None,))

    def _in_time(self) -> bool:
        """Whether the form was seen before the key; else that is said."""
        if self.early:
            self.call_later(lambda: self.query_one("#dialog-problem", Static).update(Content(EARLY)))
        return not self.early

    def action_choose(self, key: str) -> None:
        if not self._in_time():
            return
        span = next(each for chosen, _, each in CHOICES if chosen == key)
        self.dismiss((morning(self._now) if span is None else self._now + span,))

    def _repeat(self) -> None:
        width = max(20, self.query_one("#dialog-facts").scrollable_content_region.width)
        one = len(self.items) == 1
        lines = [
            line
            for item in self.items
            for line in (_repeated(item, self._now, width) if one else in_short(item, width))
        ]
        self.query_one(FormText).fill(lines)


def morning(now: datetime) -> datetime:
    """Tomorrow at nine, by the clock of this machine."""
    tomorrow = now.astimezone() + timedelta(days=1)
    return tomorrow.replace(hour=9, minute=0, second=0, microsecond=0)


def _repeated(item: Waiting, now: datetime, width: int) -> list[CardLine]:
    """What a dialog is about."""
    lines = goal_lines(item.action, width, key="v shows them on the card")
    return [*lines, *stopped(item, width), *facts(item, now, width)]


class NoticesDialog(ModalScreen[None]):
    """What came of decisions, the newest first."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,n,q,enter", "dismiss", "Close")]

    def __init__(self, notices: Sequence[str]) -> None:
        super().__init__()
        self._notices = notices

    def compose(self) -> ComposeResult:
        lines = [CardLine(f"- {each}") for each in reversed(self._notices)] or [CardLine("Nothing came in between.")]
        with VerticalScroll(id="help"):
            yield Static("Decided by others, or refused; the newest first.\n", markup=False)
            yield Static(drawn_lines(lines), markup=False)
            yield Static("\nEscape closes.", markup=False)


class HelpDialog(ModalScreen[None]):
    """Every key and what it does."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,q,enter", "dismiss", "Close")]

    def compose(self) -> ComposeResult:
        lines = [CardLine(text, label=key) for key, _, text in KEYS]
        with VerticalScroll(id="help"):
            yield Static(drawn_lines(lines), markup=False)
            yield Static("\nEscape closes.", markup=False)
