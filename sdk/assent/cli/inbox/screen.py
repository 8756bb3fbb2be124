"""The full-screen inbox: what is drawn, and which key does what.

The card of what the cursor is on is read once the cursor has rested; what was read is kept until somebody decides.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Static

from assent.cli.approvals import Waiting
from assent.cli.failures import Exit
from assent.cli.inbox.board import decided_elsewhere, decided_here, goal_words, keys_line, list_title
from assent.cli.inbox.card import card, decided_words
from assent.cli.inbox.dialogs import (
    CommentDialog,
    DecisionDialog,
    GrantDialog,
    HelpDialog,
    LaterDialog,
    QuestionDialog,
)
from assent.cli.inbox.inbox_client import Follow, InboxClient, Past, WaitingList
from assent.cli.inbox.panes import CardPane, ListPane
from assent.cli.inbox.reading import RETRY, InboxFeed
from assent.cli.text import clean, moment
from assent.contract.control.approvals import Approval, Verdict
from assent.contract.control.comments import ApprovalComment
from assent.contract.control.grants import Grant
from assent.contract.control.questions import ApprovalQuestion
from assent.contract.control.snoozes import SnoozeDetail
from assent.deciding import Deciding, DecisionDetails, Stage
from assent.errors import ApiError, AssentError

T = TypeVar("T")

REST = 0.15
"""Seconds for which the cursor has to rest before its card is read."""
TICK = 1.0


class Inbox(InboxFeed):
    """`may_decide` is None, or says why this key cannot. `replay` makes a link of an action's id."""

    TITLE = "Assent approvals"
    CSS_PATH = "inbox.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "decide('allow')", "Allow"),
        Binding("d", "decide('deny')", "Deny"),
        Binding("e", "ask", "Ask back"),
        Binding("r", "read", "Read again"),
        Binding("q", "quit", "Quit"),
        Binding("ctrl+c", "interrupt", "Quit"),
        Binding("question_mark", "help", "Help"),
        Binding("slash", "filter", "Filter"),
        Binding("escape", "unfilter", "Show all"),
        Binding("s", "later", "Later"),
        Binding("m", "comment", "Comment"),
        Binding("f", "grant", "Allow its like"),
        Binding("z", "everything", "What is put off, too"),
        Binding("O", "turn", "Order"),
        Binding("o", "copy", "Copy link"),
        Binding("t", "colours", "Light or dark"),
        Binding("j,down", "move(1)", "Down"),
        Binding("k,up", "move(-1)", "Up"),
        Binding("g,home", "go(0)", "First"),
        Binding("G,end", "go(1000000)", "Last"),
        Binding("pagedown", "page(1)", "Page down"),
        Binding("pageup", "page(-1)", "Page up"),
        Binding("J", "scroll_card(3)", "Scroll the card"),
        Binding("K", "scroll_card(-3)", "Scroll the card"),
    ]

    def __init__(
        self,
        inbox_client: InboxClient,
        first: WaitingList,
        follow: Follow,
        replay: Callable[[str], str],
        may_decide: str | None = None,
    ) -> None:
        super().__init__(inbox_client, first)
        self.HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (130, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-short"), (18, "-tall")]
        self._follow, self._replay, self.may_decide = follow, replay, may_decide
        self._said = ""
        self._drafts: dict[tuple[str, Verdict], str] = {}
        self._shown: str | None = None
        self._rest: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield Static(id="away", markup=False)
        yield Input(
            id="filter", placeholder="Words that the action has to have; Enter keeps, Escape shows all", compact=True
        )
        with Container(id="desk"):
            yield ListPane(self.board, self.inbox_client.now)
            yield CardPane()
        yield Static(id="said", markup=False)
        yield Static(id="keys", markup=False)

    def on_mount(self) -> None:
        self.theme = "textual-light" if light_terminal(os.environ.get("COLORFGBG", "")) else "textual-dark"
        self.query_one(ListPane).focus()
        self.set_interval(TICK, self._tick)
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
        under = approval.action_id == self.board.cursor
        action = self.board.remove(approval.action_id)
        dialog = self.dialog
        if dialog is not None and dialog.deciding.item.action.action_id == approval.action_id:
            dialog.overtaken(approval)
        asking = self.screen if self.open else None
        if isinstance(asking, QuestionDialog) and asking.item.action.action_id == approval.action_id:
            asking.overtaken(decided_words(approval))
        if action is not None and under:
            self.say(decided_elsewhere(action, approval))
        self.draw()

    def service_changed(self) -> None:
        if self.dialog is not None:
            self.dialog.service(self.away)
        self.draw()

    # Deciding.

    @property
    def dialog(self) -> DecisionDialog | None:
        found = self.screen if self.open else None
        return found if isinstance(found, DecisionDialog) else None

    def action_decide(self, verdict: str) -> None:
        item = self.board.current()
        if item is None:
            self.say("Nothing is under the cursor.")
        elif self.away is not None:
            self.say("Nothing can be decided while the service does not answer; it is asked again all the time.")
        elif self.may_decide is not None:
            self.say(self.may_decide)
        else:
            name, said = item.action.action_id, Verdict(verdict)
            draft = self._drafts.get((name, said), "")
            dialog = DecisionDialog(Deciding(item=item, verdict=said), self.inbox_client.now(), self._send, draft)

            def left(deciding: Deciding[Waiting] | None) -> None:
                if deciding is not None:
                    self._decided(deciding, dialog.typed)

            self.push_screen(dialog, left)

    def _item(self, verb: str) -> Waiting | None:
        """What the cursor is on, where something can be done with it; otherwise why not is said."""
        item = self.board.current()
        if item is None:
            self.say("Nothing is under the cursor.")
        elif self.away is not None:
            self.say(f"Nothing can be {verb} while the service does not answer; it is tried all the time.")
        elif self.may_decide is not None:
            self.say(self.may_decide)
        else:
            return item
        return None

    def action_ask(self) -> None:
        """Ask the agent about what the cursor is on."""
        item = self._item("asked")
        if item is not None:
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
                    self.say(
                        f"{goal_words(item.action)}: asked. The answer appears on its card; the action still waits."
                    )

            self.push_screen(QuestionDialog(item, self.inbox_client.now(), ask), left)

    def action_comment(self) -> None:
        """Tell the other operators something about what the cursor is on."""
        item = self._item("said")
        if item is not None:
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

    def action_grant(self) -> None:
        """Allow what is like the action under the cursor from now on."""
        item = self._item("given")
        if item is not None:

            def give(reason: str, _: list[str], answered: Callable[[str | None], None]) -> None:
                assert dialog.offer is not None, "it was shown"
                draft = dialog.offer.draft

                def given(grant: Grant) -> None:
                    self.say(f"{goal_words(item.action)}: its like is allowed until {moment(grant.expires_at)}.")
                    answered(None)

                self.beside(lambda: self.inbox_client.give(draft, reason), given, lambda error: answered(_why(error)))

            dialog = GrantDialog(item, self.inbox_client.now(), give)
            self.push_screen(dialog)
            self.beside(
                lambda: self.inbox_client.offer(item.action.action_id),
                dialog.offered,
                lambda error: dialog.refused(_why(error)),
            )

    def action_later(self) -> None:
        """Put off what the cursor is on, or bring it back."""
        item = self._item("put off")
        if item is not None:
            name = item.action.action_id

            def left(chosen: tuple[datetime | None] | None) -> None:
                if chosen is not None:
                    self._put_off_until(item, chosen[0])

            self.push_screen(LaterDialog(item, self.inbox_client.now(), self.board.later.get(name)), left)

    def _put_off_until(self, item: Waiting, until: datetime | None) -> None:
        def put(answer: SnoozeDetail) -> None:
            self.snoozed(answer.snooze)
            state = "is back" if until is None else f"is put off until {moment(answer.snooze.returns_at)}"
            self.say(f"{goal_words(item.action)} {state}; it waits as before.")

        def refused(error: AssentError) -> None:
            self.say(f"{goal_words(item.action)} was not put off: {_why(error)}")

        self.beside(lambda: self.inbox_client.client.snooze_action(item.action.action_id, until), put, refused)

    def action_everything(self) -> None:
        self.board.show_everything()
        self.draw()

    def _send(self, deciding: Deciding[Waiting], reasoning: str, answered: Callable[[], None]) -> None:
        self.beside(
            lambda: deciding.send(self.inbox_client.client, DecisionDetails(reasoning)),
            lambda _: answered(),
            lambda _: answered(),
        )

    def _decided(self, deciding: Deciding[Waiting], typed: str) -> None:
        action = deciding.item.action
        if deciding.stage is Stage.OPEN:
            self._drafts[action.action_id, deciding.verdict] = typed
            return
        self._drafts = {key: text for key, text in self._drafts.items() if key[0] != action.action_id}
        self.past.pop((action.agent_id or "", action.action_type), None)
        self.board.remove(action.action_id)
        if deciding.stage is Stage.SENT:
            self.say(decided_here(action, deciding.settled, deciding.verdict))
        self.action_read()
        self.draw()

    # Drawing.

    def say(self, text: str) -> None:
        """What happened last, until something else does."""
        self._said = f"{self.inbox_client.now():%H:%M:%S}  {text}" if text else ""
        self.draw()

    def draw(self) -> None:
        """Everything that may have changed; the panes draw no more than is seen."""
        if not self.open:
            return
        screen = self.screen_stack[0]
        shown = self.board.listed()
        title = screen.query_one("#title", Static)
        title.update(Content(list_title(self.board, len(shown))))
        away = screen.query_one("#away", Static)
        away.display = self.away is not None
        away.update(Content(f"! {self.away}. What is shown is of before; nothing can be decided." if self.away else ""))
        said = screen.query_one("#said", Static)
        said.display = bool(self._said)
        said.update(Content(self._said))
        screen.query_one("#keys", Static).update(Content(keys_line(self.size.width - 2)))
        screen.query_one(ListPane).redraw()
        self._draw_card()

    def _draw_card(self) -> None:
        pane, item = self.screen_stack[0].query_one(CardPane), self.board.current()
        anew = self._shown != self.board.cursor
        self._shown = self.board.cursor
        if item is None:
            pane.show([], anew=anew)
            return
        action = item.action
        key = (action.agent_id or "", action.action_type)
        past, known = self.past.get(key), self.board.known(action.action_id)
        link = self._replay(action.action_id)
        questions, comments = self.questions.get(action.action_id), self.comments.get(action.action_id)
        later = self.board.later.get(action.action_id)
        lines = card(
            item, past, known, link, self.inbox_client.now(), pane.text_width, questions or (), comments or (), later
        )
        pane.show(lines, anew=anew)
        if anew and self._rest is not None:
            self._rest.stop()
        if anew or ((past is None or questions is None or comments is None) and self._rest is None):
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

    def _asked(self, name: str, found: list[ApprovalQuestion]) -> None:
        self.questions[name] = found
        if self.open:
            self._draw_card()

    def _told(self, name: str, found: list[ApprovalComment]) -> None:
        self.comments[name] = found
        if self.open:
            self._draw_card()

    def _remember(self, agent: str, kind: str, past: Sequence[Past]) -> None:
        self.past[agent, kind] = list(past)
        if self._rest is not None:
            self._rest.stop()
            self._rest = None
        if self.open:
            self._draw_card()

    # Keys.

    def action_move(self, by: int) -> None:
        self.board.move(by)
        self.draw()

    def action_go(self, line: int) -> None:
        self.board.go(line)
        self.draw()

    def action_page(self, by: int) -> None:
        self.action_move(by * max(1, self.query_one(ListPane).size.height - 2))

    def action_scroll_card(self, by: int) -> None:
        self.query_one(CardPane).scroll_relative(y=by, animate=False)

    def action_turn(self) -> None:
        self.board.turn()
        self.draw()

    def action_help(self) -> None:
        self.push_screen(HelpDialog())

    def action_copy(self) -> None:
        """To the terminal's clipboard (OSC 52); the address is on the card, too."""
        if self.board.cursor is not None:
            self.copy_to_clipboard(self._replay(self.board.cursor))
            self.say("The replay link was handed to the terminal's clipboard.")

    def action_colours(self) -> None:
        self.theme = "textual-light" if self.theme == "textual-dark" else "textual-dark"

    def action_interrupt(self) -> None:
        self.exit(return_code=Exit.INTERRUPTED, message="Interrupted.")

    def action_filter(self) -> None:
        box = self.query_one("#filter", Input)
        box.display = True
        box.focus()

    def action_unfilter(self) -> None:
        box = self.query_one("#filter", Input)
        box.value, box.display = "", False
        self.query_one(ListPane).focus()

    @on(Input.Changed, "#filter")
    def narrow(self, event: Input.Changed) -> None:
        self.board.narrow(event.value)
        self.draw()

    @on(Input.Submitted, "#filter")
    def keep_filter(self) -> None:
        self.query_one("#filter", Input).display = bool(self.board.words)
        self.query_one(ListPane).focus()

    @on(ListPane.Pressed)
    def press(self, event: ListPane.Pressed) -> None:
        self.action_go(event.line)


def _why(error: AssentError) -> str:
    return clean(error.detail if isinstance(error, ApiError) else error)


def light_terminal(colours: str) -> bool:
    """What COLORFGBG says, where a terminal sets it: `0;15` is black on white."""
    ground = colours.rpartition(";")[2]
    return ground in ("7", "15")
