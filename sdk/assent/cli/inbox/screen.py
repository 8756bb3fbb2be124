"""The full-screen inbox: what is drawn, which key does what, and what is sent when it closes.

The card of what the cursor is on is read once the cursor has rested; what was read is kept until somebody decides.

1. Keys of the list are taken one after another as they come, each before the next one is looked at. So a key after
   one that opens a dialog or the filter goes there, and never to the list behind.
2. Decisions leave one after another, from here. Leaving in order sends what is held; whoever is killed sends nothing.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from threading import Event, Thread
from types import FrameType
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Static

from assent.cli.approvals import Waiting
from assent.cli.failures import Exit
from assent.cli.inbox.board import goal_words, halt_words, keys_line, list_title
from assent.cli.inbox.card import card, decided_words, not_owed
from assent.cli.inbox.dialogs import (
    CommentDialog,
    DecisionDialog,
    HelpDialog,
    LaterDialog,
    NoticesDialog,
    QuestionDialog,
)
from assent.cli.inbox.forms import Form
from assent.cli.inbox.grant_dialog import GrantDialog
from assent.cli.inbox.inbox_client import Follow, InboxClient, LookedAt, Past, WaitingList
from assent.cli.inbox.panes import CardPane, ListPane, Painted, PartsPainted
from assent.cli.inbox.reading import RETRY, InboxFeed
from assent.cli.inbox.triage import Did, Key, Outcome, held_words, refused, unsent
from assent.cli.text import clean, moment
from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval, Verdict
from assent.contract.control.assignments import Assignment
from assent.contract.control.comments import ApprovalComment
from assent.contract.control.grants import Grant
from assent.contract.control.questions import ApprovalQuestion
from assent.contract.control.snoozes import SnoozeDetail
from assent.deciding import UNDO_SECONDS, DecisionDetails, Held
from assent.errors import ApiError, AssentError
from assent.nearest import Nearest

REST = 0.15
"""Seconds for which the cursor has to rest before its card is read."""
TICK, LOOK = 1.0, 0.1
"""Seconds between two drawings, and between two looks at what is to be sent."""
CLOSING_SECONDS = 5.0
"""How long the screen may take to close once the process is asked to end."""
LEAVE_SECONDS = 15.0
"""For how long what is held is tried when the inbox closes."""
PRESSES: dict[str, Key] = {
    "j": Key.NEXT,
    "down": Key.NEXT,
    "k": Key.PREVIOUS,
    "up": Key.PREVIOUS,
    "x": Key.SELECT,
    "a": Key.ALLOW,
    "A": Key.ALLOW_WITH,
    "d": Key.DENY,
    "u": Key.UNDO,
    "e": Key.ASK,
    "m": Key.COMMENT,
    "f": Key.GRANT,
    "s": Key.LATER,
    "i": Key.TAKE,
}
ALWAYS = frozenset({Key.NEXT, Key.PREVIOUS, Key.UNDO})
"""What can be done while the service does not answer, and by whoever may not decide."""
LAST = 1_000_000
SCROLLING = frozenset({"up", "down", "home", "end", "pageup", "pagedown"})


class Inbox(InboxFeed):
    """`may_decide` is None, or says why this key cannot. `replay` makes a link of an action's id."""

    TITLE = "Assent approvals"
    CSS_PATH = "inbox.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "interrupt", "Quit")]

    def __init__(
        self,
        inbox_client: InboxClient,
        first: WaitingList,
        follow: Follow,
        replay: Callable[[str], str],
        may_decide: str | None = None,
        hold: float = UNDO_SECONDS,
    ) -> None:
        super().__init__(inbox_client, first, hold)
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (130, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-short"), (18, "-tall"), (32, "-high")]
        self._follow, self._replay, self.may_decide = follow, replay, may_decide
        self.leaving = False
        self._said = self._kept = ""
        self._refused = False
        self._whole: str | None = None
        self._looking: set[str] = set()
        self._drafts: dict[tuple[str, Verdict], str] = {}
        self._shown: str | None = None
        self._rest: Timer | None = None
        self._on_its_way: tuple[Held[Waiting], Thread] | None = None
        self._acts: dict[str, Callable[[], object]] = {
            "r": self.action_read,
            "q": self.leave,
            "question_mark": lambda: self.push_screen(HelpDialog()),
            "n": lambda: self.push_screen(NoticesDialog(list(self.triage.notices))),
            "slash": self._filter,
            "escape": self._unfilter,
            "enter": lambda: self.screen.set_focus(self.query_one(CardPane)),
            "z": self._show_everything,
            "w": self._turn_whose,
            "O": self._turn,
            "o": self._copy,
            "t": self._colours,
            "v": self._turn_whole,
            "g": lambda: self._go(0),
            "home": lambda: self._go(0),
            "G": lambda: self._go(LAST),
            "end": lambda: self._go(LAST),
            "pagedown": lambda: self._page(1),
            "pageup": lambda: self._page(-1),
            "J": lambda: self.query_one(CardPane).scroll_most(1),
            "K": lambda: self.query_one(CardPane).scroll_most(-1),
        }

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield Static(id="away", markup=False)
        yield Static(id="halt", markup=False)
        box = Input(
            id="filter",
            placeholder="Words of goal, agent, type, systems or reasons, or a whole id; Enter keeps, Escape shows all",
            compact=True,
        )
        # The first widget that can have the focus gets it before the style sheet hides it, and with it the first keys.
        box.can_focus = False
        yield box
        with Container(id="desk"):
            yield ListPane(self.triage, self.inbox_client.now)
            yield CardPane(self.triage)
        yield Static(id="held", markup=False)
        yield Static(id="said", markup=False)
        yield Static(id="keys", markup=False)

    def on_mount(self) -> None:
        self.theme = "textual-light" if light_terminal(os.environ.get("COLORFGBG", "")) else "textual-dark"
        self.query_one(ListPane).focus()
        self.set_interval(TICK, self._tick)
        self.set_interval(LOOK, self._send_due)
        self.begin(self._follow)
        self.draw()

    def on_resize(self) -> None:
        self.call_after_refresh(self.draw)

    def _tick(self) -> None:
        back = self.board.wake(self.inbox_client.now())
        if back:
            self.say(f"{len(back)} that you had put off {'is' if len(back) == 1 else 'are'} back.")
        self.draw()

    # What is told while it is open.

    def settled(self, approval: Approval) -> None:
        """Somebody, or time, has decided."""
        said = self.triage.settled(approval)
        if self.dialog is not None:
            self.dialog.overtaken(approval)
        asking = self.screen if self.open else None
        if isinstance(asking, QuestionDialog) and asking.item.action.action_id == approval.action_id:
            asking.overtaken(decided_words(approval))
        if said is not None:
            self.say(said)
        self.draw()

    def service_changed(self) -> None:
        if self.dialog is not None:
            self.dialog.service(self.away)
        self.draw()

    @property
    def dialog(self) -> DecisionDialog | None:
        found = self.screen if self.open else None
        return found if isinstance(found, DecisionDialog) else None

    # Keys.

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.InputEvent) and not event.is_forwarded and self.open:
            form = self.screen
            if isinstance(form, Form):
                form.key_at = event.time
        if isinstance(event, events.Key) and not event.is_forwarded and self._take(event):
            return
        await super().on_event(event)

    def _take(self, event: events.Key) -> bool:
        """Whether it is a key of the list; what it does is done."""
        if not self.open or len(self.screen_stack) > 1:
            return False
        if self._refused:
            self.say("")
        if self.focused is self.query_one("#filter"):
            if event.key not in ("enter", "escape"):
                return False
            self._unfilter() if event.key == "escape" else self._keep_filter()
            return True
        if event.key in SCROLLING and self.focused is self.query_one(CardPane):
            return False
        if event.key in PRESSES or event.key in self._acts:
            self._kept = ""
        if event.key in PRESSES:
            self.press(PRESSES[event.key], event.time)
        elif event.key in self._acts:
            self._acts[event.key]()
        else:
            return False
        return True

    def press(self, key: Key, at: float) -> Outcome:
        """What a key of the list does; `at` is when it went down."""
        if key not in ALWAYS and self.may_decide is not None:
            outcome = refused(self.may_decide)
        elif key not in ALWAYS and self.away is not None:
            outcome = refused(
                "Nothing can be decided while the service does not answer; it is asked again all the time."
            )
        else:
            outcome = self.triage.press(key, at)
        self._show(key, outcome)
        return outcome

    def _show(self, key: Key, outcome: Outcome) -> None:
        item = self.board.item(outcome.ids[0]) if outcome.ids else None
        match outcome.did:
            case Did.REFUSED:
                self.say(f"Not taken ({key}): {outcome.why}")
                self._refused = True
                self._look_at(outcome.ids)
            case Did.SELECTED:
                self._look_at(outcome.ids)
            case Did.TAKEN_BACK:
                alone = "It waits again." if item is None else f"{goal_words(item.action)} waits again."
                self.say(
                    alone if len(outcome.ids) == 1 else f"{len(outcome.ids)} that were decided together wait again."
                )
            case Did.ASKS:
                self._open(key, outcome.ids)
            case Did.DECIDED:
                self._send_due()
            case Did.TAKES | Did.HANDS_BACK:
                self._assign(outcome.ids, mine=outcome.did is Did.TAKES)
            case _:
                pass
        self.draw()

    def _open(self, key: Key, names: Sequence[str]) -> None:
        """The form of this key about these."""
        items = [item for item in map(self.board.item, names) if item is not None]
        under = self.board.current()
        if not items and under is not None:
            items = [under]
        match key:
            case Key.DENY:
                self._ask_decision(items, Verdict.DENY)
            case Key.ALLOW | Key.ALLOW_WITH:
                self._ask_decision(items, Verdict.ALLOW, more=key is Key.ALLOW_WITH)
            case Key.LATER:
                self._ask_when(items)
            case Key.ASK:
                self._ask(items[0])
            case Key.COMMENT:
                self._comment(items[0])
            case _:
                self._grant(items[0])

    # Deciding.

    def _ask_decision(self, items: list[Waiting], verdict: Verdict, *, more: bool = False) -> None:
        alone = (items[0].action.action_id, verdict) if len(items) == 1 else None
        draft = "" if alone is None else self._drafts.get(alone, "")
        looked_at = self.board.looked_at
        dialog = DecisionDialog(items, verdict, self.inbox_client.now(), draft, more=more, looked_at=looked_at)

        def left(details: DecisionDetails | None) -> None:
            if details is not None:
                self.triage.decide(dialog.ids, verdict, details)
                self._send_due()
            elif alone is not None:
                self._drafts[alone] = dialog.typed
            self.draw()

        self.push_screen(dialog, left)

    def _send_due(self) -> None:
        """Send the next decision whose time has come, beside the screen; one after another."""
        if self._on_its_way is not None or self.leaving:
            return
        held = self.triage.holding.leaving()
        if held is not None:
            thread = self.beside(lambda: self._send(held), lambda _: self._sent(held), self.trouble)
            self._on_its_way = (held, thread)
            self.draw()

    def _send(self, held: Held[Waiting]) -> None:
        held.deciding.send(self.inbox_client.client, held.details)

    def _sent(self, held: Held[Waiting]) -> None:
        if self._on_its_way is None or self._on_its_way[0] is not held:
            return
        self._on_its_way = None
        said = self.triage.attempted(held)
        if said is not None:
            action = held.deciding.item.action
            self._drafts = {key: text for key, text in self._drafts.items() if key[0] != action.action_id}
            self.forget_past(action.agent_id, action.action_type)
            self.say(said)
            self.action_read()
        self._send_due()
        self.draw()

    # Leaving.

    def leave(self, code: int = Exit.OK, message: str | None = None) -> None:
        """Close in order; what is held is sent by `finish`."""
        self.leaving = True
        self.exit(return_code=code, message=message)

    async def action_quit(self) -> None:
        self.leave()

    def action_interrupt(self) -> None:
        self.leave(Exit.INTERRUPTED, "Interrupted.")

    def finish(self, seconds: float = LEAVE_SECONDS) -> tuple[list[str], bool]:
        """Once the screen is closed: send what is held, where it was left in order. What became of it, in words, and
        whether something was not sent."""
        end, holding, said = time.monotonic() + seconds, self.triage.holding, list[str]()
        holding.release()
        while self.leaving and time.monotonic() < end and (found := self._on_its_way or self._begun()) is not None:
            held, thread = found
            thread.join(max(0.0, end - time.monotonic()))
            if thread.is_alive():
                break
            self._on_its_way = None
            words = self.triage.attempted(held)
            if words is not None:
                said.append(words)
            time.sleep(max(0.0, min(holding.wait() or 0.0, end - time.monotonic())))
        return [*said, *map(unsent, holding)], bool(holding)

    def _begun(self) -> tuple[Held[Waiting], Thread] | None:
        """The next decision, on its way."""
        held = self.triage.holding.leaving()
        if held is None:
            return None
        thread = Thread(target=self._send, args=(held,), daemon=True, name="inbox-request")
        thread.start()
        return held, thread

    # What is said and put off.

    def _ask(self, item: Waiting) -> None:
        """Ask the agent."""
        name = item.action.action_id

        def ask(text: str, offered: list[str], answered: Callable[[str | None], None]) -> None:
            self.beside(
                lambda: self.inbox_client.client.ask_question(name, text, conditions=offered or None),
                lambda _: answered(None),
                lambda error: answered(_why(error)),
            )

        def left(sent: bool | None) -> None:
            if sent:
                self.questions.pop(name, None)
                self.say(f"{goal_words(item.action)}: asked. The answer appears on its card; the action still waits.")

        self.push_screen(QuestionDialog(item, self.inbox_client.now(), ask), left)

    def _comment(self, item: Waiting) -> None:
        """Tell the other operators something."""
        name = item.action.action_id

        def comment(text: str, _: list[str], answered: Callable[[str | None], None]) -> None:
            self.beside(
                lambda: self.inbox_client.client.add_comment(name, text),
                lambda _: answered(None),
                lambda error: answered(_why(error)),
            )

        def left(sent: bool | None) -> None:
            if sent:
                self.comments.pop(name, None)
                self.say(f"{goal_words(item.action)}: comment recorded.")

        self.push_screen(CommentDialog(item, self.inbox_client.now(), comment), left)

    def _grant(self, item: Waiting) -> None:
        """Allow what is like the action from now on."""

        def give(reason: str, _: list[str], answered: Callable[[str | None], None]) -> None:
            offer = dialog.offer
            assert offer is not None, "it was shown"

            def given(grant: Grant) -> None:
                self.say(f"{goal_words(item.action)}: its like is allowed until {moment(grant.expires_at)}.")
                answered(None)

            self.beside(lambda: self.inbox_client.give(offer, reason), given, lambda error: answered(_why(error)))

        def look(without: frozenset[int]) -> None:
            self.beside(
                lambda: self.inbox_client.offer(item.action.action_id, without),
                dialog.offered,
                lambda error: dialog.refused(_why(error)),
            )

        beyond = not_owed(item, self.board.looked_at.get(item.action.action_id))
        dialog = GrantDialog(item, self.inbox_client.now(), give, look, beyond)
        self.push_screen(dialog)

    def _ask_when(self, items: list[Waiting]) -> None:
        """Put them off, or bring the one back."""
        later = self.board.later.get(items[0].action.action_id) if len(items) == 1 else None

        def left(chosen: tuple[datetime | None] | None) -> None:
            if chosen is not None:
                for item in items:
                    self._put_off_until(item, chosen[0])

        self.push_screen(LaterDialog(items, self.inbox_client.now(), later), left)

    def _put_off_until(self, item: Waiting, until: datetime | None) -> None:
        def put(answer: SnoozeDetail) -> None:
            self.snoozed(answer.snooze)
            if until is not None and self.board.cursor == item.action.action_id:
                self.triage.advance()
            state = "is back" if until is None else f"is put off until {moment(answer.snooze.returns_at)}"
            self.say(f"{goal_words(item.action)} {state}; it waits as before.")

        def refused(error: AssentError) -> None:
            self.say(f"{goal_words(item.action)} was not put off: {_why(error)}")

        self.beside(lambda: self.inbox_client.client.snooze_action(item.action.action_id, until), put, refused)

    def _assign(self, names: Sequence[str], *, mine: bool) -> None:
        """Take these, or hand the one back."""

        def assign() -> list[Assignment]:
            to = self.inbox_client.key_id() if mine else None
            return [self.inbox_client.client.assign_action(name, to).assignment for name in names]

        def done(found: list[Assignment]) -> None:
            for each in found:
                self.assigned(each)
            item = self.board.item(names[0])
            what = goal_words(item.action) if len(names) == 1 and item is not None else f"{len(names)} requests"
            self.say(f"{what}: yours." if mine else f"{what}: handed back, it is nobody's.")

        self.beside(assign, done, lambda error: self.say(f"Not assigned: {_why(error)}"))

    # Drawing.

    def say(self, text: str) -> None:
        """What happened last, until something else does; why a key was not taken, until the next key. That something
        ended otherwise than was decided or meant stays beside it until a key of the list is pressed."""
        self._refused = False
        line = f"{self.inbox_client.now():%H:%M:%S}  {text}" if text else ""
        if text in self.triage.notices:
            self._kept, self._said = line, ""
        else:
            self._said = line
        self.draw()

    def _said_lines(self) -> str:
        """What stays first, so that it is seen where there is little room."""
        notices = len(self.triage.notices)
        what = "1 decision or selected request" if notices == 1 else f"{notices} decisions or selected requests"
        several = f"{what} ended otherwise; n tells how."
        told = [each for each in (self._kept, self._said) if each]
        return "\n".join([*told, several] if told and notices > (1 if self._kept else 0) else told)

    def draw(self) -> None:
        """Everything that may have changed; the panes draw no more than is seen."""
        if not self.open:
            return
        screen = self.screen_stack[0]
        title = screen.query_one("#title", Static)
        title.update(Content(list_title(self.board)))
        away = screen.query_one("#away", Static)
        away.display = self.away is not None
        away.update(Content(f"! {self.away}. What is shown is of before; nothing can be decided." if self.away else ""))
        halt = screen.query_one("#halt", Static)
        halt.display = self.halt is not None
        halt.update(Content("" if self.halt is None else f"! {halt_words(self.halt)}"))
        held = screen.query_one("#held", Static)
        bar = held_words(self.triage.holding)
        held.display = bool(bar)
        held.update(Content(bar))
        said = screen.query_one("#said", Static)
        lines = self._said_lines()
        said.display = bool(lines)
        said.update(Content(lines))
        screen.query_one("#keys", Static).update(Content(keys_line(self.size.width - 2)))
        screen.query_one(ListPane).redraw()
        self._draw_card()

    def _draw_card(self) -> None:
        pane, item = self.screen_stack[0].query_one(CardPane), self.board.current()
        anew = self._shown != self.board.cursor
        self._shown = self.board.cursor
        if item is None:
            pane.show([], of=None, anew=anew)
            return
        action = item.action
        key = (action.agent_id or "", action.action_type)
        past, known = self.past.get(key), self.board.known(action.action_id)
        link = self._replay(action.action_id)
        questions, comments = self.questions.get(action.action_id), self.comments.get(action.action_id)
        later, tomb = self.board.later.get(action.action_id), self.board.tomb
        lines = card(
            item,
            None if past is None else past.decided,
            known,
            link,
            self.inbox_client.now(),
            pane.text_width,
            questions or (),
            comments or (),
            later,
            tomb[1] if tomb is not None else None,
            self.board.assigned.get(action.action_id),
            self.board.escalated.get(action.action_id),
            self.board.looked_at.get(action.action_id),
            self.nearest.get(action.action_id),
            whole=self._whole == action.action_id,
            height=pane.text_height,
        )
        pane.show(lines, of=action.action_id if known else None, anew=anew)
        self._compare(action, past)
        if anew and self._rest is not None:
            self._rest.stop()
        lacking = past is None or questions is None or comments is None or action.action_id not in self.board.looked_at
        if anew or (lacking and self._rest is None):
            self._rest = self.set_timer(REST, self._rested)

    def _rested(self) -> None:
        """The cursor has rested: read what its card still lacks."""
        self._rest = None
        item = self.board.current()
        if item is None or self.away:
            return
        agent, kind, name = item.action.agent_id, item.action.action_type, item.action.action_id
        if agent is not None and (agent, kind) not in self.past:
            self._rest = self.set_timer(RETRY, self._rested)  # should it fail
            self.beside(
                lambda: self.inbox_client.past(agent, kind),
                lambda past: self._remember(agent, kind, past),
                self.trouble,
            )
        if not self.board.known(name):
            self.read_approvals([name])
        if name not in self.questions:
            self.beside(lambda: self.inbox_client.questions(name), lambda found: self._asked(name, found), self.trouble)
        if name not in self.comments:
            self.beside(lambda: self.inbox_client.comments(name), lambda found: self._told(name, found), self.trouble)
        self._look_at([name])

    def _look_at(self, names: Sequence[str]) -> None:
        """Read what guard looked at, where it was not read yet."""
        for name in names:
            if name not in self.board.looked_at and name not in self._looking and self.board.item(name) is not None:
                self._looking.add(name)
                self.beside(partial(self.inbox_client.looked_at, name), partial(self._came, name), self._missed)

    def _compare(self, action: Action, past: Past | None) -> None:
        """Look for the nearest call that was approved, once it is known what guard looked at and what was decided."""
        name, found = action.action_id, self.board.looked_at.get(action.action_id)
        if past is None or found is None or name in self.nearest or self.away:
            return
        self.nearest[name] = None

        def compared(nearest: Nearest | None) -> None:
            if self.past.get((action.agent_id or "", action.action_type)) is past:
                self.nearest[name] = nearest
                if self.open:
                    self._draw_card()

        def missed(error: AssentError) -> None:
            self.set_timer(RETRY, lambda: self.nearest.pop(name, None))
            self.trouble(error)

        self.beside(lambda: self.inbox_client.nearest(action, found.context, past), compared, missed)

    def _missed(self, error: AssentError) -> None:
        """It is asked again."""
        self._looking.clear()
        self.trouble(error)

    def _came(self, name: str, found: LookedAt) -> None:
        self._looking.discard(name)
        self.board.looked_at[name] = found
        if self.open:
            self._draw_card()

    def _asked(self, name: str, found: list[ApprovalQuestion]) -> None:
        self.questions[name] = found
        if self.open:
            self._draw_card()

    def _told(self, name: str, found: list[ApprovalComment]) -> None:
        self.comments[name] = found
        if self.open:
            self._draw_card()

    def _remember(self, agent: str, kind: str, past: Past) -> None:
        self.past[agent, kind] = past
        if self._rest is not None:
            self._rest.stop()
            self._rest = None
        if self.open:
            self._draw_card()

    @on(Painted)
    def painted(self, message: Painted) -> None:
        self.triage.paint(message.part, message.number, message.time)

    @on(PartsPainted)
    def parts_painted(self, message: PartsPainted) -> None:
        shown = self.triage.shown
        shown.saw(message.drawn.action_id, message.parts, message.time)
        shown.drawn = message.drawn

    # Looking around.

    def _go(self, line: int) -> None:
        self.board.go(line)
        self.draw()

    def _page(self, by: int) -> None:
        self.board.move(by * max(1, self.query_one(ListPane).size.height - 2))
        self.draw()

    def _turn_whole(self) -> None:
        self._whole = None if self._whole == self.board.cursor else self.board.cursor
        self.draw()

    def _turn(self) -> None:
        self.board.turn()
        self.draw()

    def _show_everything(self) -> None:
        self.board.show_everything()
        self.draw()

    def _turn_whose(self) -> None:
        self.board.turn_whose()
        self.draw()

    def _copy(self) -> None:
        """To the terminal's clipboard (OSC 52); the address is on the card, too."""
        if self.board.cursor is not None:
            self.copy_to_clipboard(self._replay(self.board.cursor))
            self.say("The replay link was handed to the terminal's clipboard.")

    def _colours(self) -> None:
        self.theme = "textual-light" if self.theme == "textual-dark" else "textual-dark"

    def _filter(self) -> None:
        box = self.query_one("#filter", Input)
        box.display = box.can_focus = True
        self.screen.set_focus(box)

    def _unfilter(self) -> None:
        box = self.query_one("#filter", Input)
        box.value = ""
        self.board.narrow("")
        self._leave_filter(box)
        self.draw()

    def _keep_filter(self) -> None:
        self._leave_filter(self.query_one("#filter", Input))

    def _leave_filter(self, box: Input) -> None:
        self.screen.set_focus(self.query_one(ListPane))
        box.display = box.can_focus = bool(box.value)

    @on(Input.Changed, "#filter")
    def narrow(self, event: Input.Changed) -> None:
        self.board.narrow(event.value)
        box = self.query_one("#filter", Input)
        box.display = bool(event.value) or self.focused is box
        self.draw()

    @on(ListPane.Pressed)
    def point(self, event: ListPane.Pressed) -> None:
        if any(item.action.action_id == event.action_id for item in self.board.listed()):
            self.board.point(event.action_id)
            self.draw()


def run_inbox(inbox: Inbox) -> None:
    """Until it is left. A terminal that is closed and a process that is asked to end leave in order: what is held is
    sent. A terminal that takes nothing any more keeps the screen from closing, so that is not waited for."""
    closed = Event()

    def end_anyhow(code: int) -> None:
        if closed.wait(CLOSING_SECONDS):
            return
        try:
            inbox.leaving = True
            inbox.finish()
        finally:
            os._exit(code)

    async def opened() -> None:
        loop = asyncio.get_running_loop()

        def ends(number: int, _: FrameType | None) -> None:
            # Not by the loop, which may be what waits for the terminal.
            loop.call_soon_threadsafe(inbox.leave, 128 + number)
            Thread(target=end_anyhow, args=(128 + number,), name="inbox-end", daemon=True).start()

        before = {each: signal.signal(each, ends) for each in (signal.SIGHUP, signal.SIGTERM)}
        try:
            await inbox.run_async()
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    try:
        asyncio.run(opened())
    finally:
        closed.set()


def _why(error: AssentError) -> str:
    return clean(error.detail if isinstance(error, ApiError) else error)


def light_terminal(colours: str) -> bool:
    """What COLORFGBG says, where a terminal sets it: `0;15` is black on white."""
    ground = colours.rpartition(";")[2]
    return ground in ("7", "15")
