"""What the inbox knows of the service: reading it, hearing of it, and its absence. The screen draws it.

1. The list, and the kill switch with it, is read when something is heard of an approval or of the switch, when the
   service is back, on `r`, and every 15 seconds.
   What was asked and said about an action is read once the cursor has rested on it, and again when it is heard of.
2. Requests run beside the screen, in threads that end with the process: leaving never waits for an answer.
3. When the service does not answer, what was seen last stays, and nothing can be decided. It is asked again every two
   seconds; its first answer ends that.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from threading import Thread
from typing import TypeVar

from textual.app import App
from textual.message import Message

from assent.cli.failures import Exit
from assent.cli.inbox.board import NO_LONGER, Board, goal_words
from assent.cli.inbox.inbox_client import (
    Follow,
    InboxClient,
    Past,
    WaitingList,
    begin_following,
    told,
)
from assent.cli.inbox.triage import Triage
from assent.cli.outage_watch import gone_words
from assent.cli.text import clean, fit
from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.control.assignments import Assignment
from assent.contract.control.comments import ApprovalComment
from assent.contract.control.escalations import Escalation
from assent.contract.control.halt import Halt
from assent.contract.control.questions import ApprovalQuestion
from assent.contract.control.snoozes import Snooze
from assent.contract.events import Event, EventName
from assent.errors import AssentError, ConnectionFailed, Forbidden, ServerError, Unauthorized, Unavailable
from assent.nearest import Nearest

T = TypeVar("T")

SOON = 0.1
"""Events within so many seconds are one reason to read the list."""
RELIST, RETRY = 15.0, 2.0
AT_ONCE = 25
"""Approvals that are read between two looks at the screen."""


class InboxFeed(App[None]):
    """An application that keeps a board up to date. `away` says that the service does not answer, and since when;
    `halt` is the kill switch, None while it is off."""

    class ScreenCall(Message):
        """Something to be done on the screen, from another thread."""

        def __init__(self, act: Callable[[], None]) -> None:
            super().__init__()
            self.act = act

    def __init__(self, inbox_client: InboxClient, first: WaitingList, hold: float) -> None:
        super().__init__()
        self.inbox_client, self.board = inbox_client, Board()
        self.triage = Triage(self.board, inbox_client.now, hold)
        self.away: str | None = None
        self.halt: Halt | None = None
        self.past: dict[tuple[str, str], Past] = {}
        self.nearest: dict[str, Nearest | None] = {}
        self.questions: dict[str, list[ApprovalQuestion]] = {}
        self.comments: dict[str, list[ApprovalComment]] = {}
        self._since: datetime | None = None
        self._reading = self._again = self._learning = False
        self._assigned_meanwhile: dict[str, Assignment] = {}
        self.board.replace(first.actions, first.total)
        self.board.put_off(first.later)
        self.take_marks(first)

    @property
    def open(self) -> bool:
        """Whether there is a screen: not before it opens, nor once it closes, when answers may still come."""
        return self.is_running and bool(self.screen_stack)

    def forget_past(self, agent_id: str | None, action_type: str) -> None:
        """Something like it was decided: what is known of before is read again."""
        self.past.pop((agent_id or "", action_type), None)
        self.nearest.clear()

    def draw(self) -> None:
        """Show what has changed."""

    def say(self, text: str) -> None:
        """Tell what happened."""

    def settled(self, approval: Approval) -> None:
        """Somebody, or time, has decided."""

    def service_changed(self) -> None:
        """`away` is another than before."""

    def begin(self, follow: Follow) -> None:
        """Follow the stream, and read what is not known yet."""
        self.set_interval(RELIST, self.action_read)
        self.set_interval(RETRY, lambda: self.action_read() if self.away else None)
        begin_following(follow, self)
        self.learn()

    def on_inbox_feed_screen_call(self, message: ScreenCall) -> None:
        if self.open:
            message.act()

    # What is heard; called by the feed's thread.

    def heard(self, event: Event) -> None:
        self.post_message(self.ScreenCall(lambda: self._heard(event)))

    def gone(self) -> None:
        self.post_message(self.ScreenCall(self.action_read))

    def back(self) -> None:
        self.post_message(self.ScreenCall(self.action_read))

    def ended(self, error: Exception) -> None:
        self.post_message(self.ScreenCall(lambda: self.trouble(error)))

    def _heard(self, event: Event) -> None:
        if event.event in (EventName.QUESTION_CREATED, EventName.QUESTION_UPDATED):
            self.questions.pop(str(event.data.get("action_id")), None)
            self.draw()
            return
        if event.event == EventName.COMMENT_CREATED:
            self.comments.pop(str(event.data.get("action_id")), None)
            self.draw()
            return
        if event.event in (EventName.SNOOZE_CREATED, EventName.SNOOZE_UPDATED):
            snooze = told(event, Snooze)
            if snooze is not None:
                self.beside(self.inbox_client.key_id, lambda key_id: self._put_off(snooze, key_id), self.trouble)
            return
        if event.event in (EventName.ASSIGNMENT_CREATED, EventName.ASSIGNMENT_UPDATED):
            assignment = told(event, Assignment)
            if assignment is not None:
                self.assigned(assignment)
            return
        if event.event == EventName.APPROVAL_ESCALATED:
            escalation = told(event, Escalation)
            if escalation is not None:
                self.escalated(escalation)
            return
        approval = told(event, Approval)
        if approval is not None and event.event != EventName.APPROVAL_REQUESTED:
            self.forget_past(approval.agent_id, approval.action_type)
            self.settled(approval)
        self.set_timer(SOON, self.action_read)

    def _put_off(self, snooze: Snooze, key_id: str) -> None:
        """What this key has put off, here or in another session."""
        if snooze.snoozed_by_key == key_id:
            self.snoozed(snooze)

    def snoozed(self, snooze: Snooze) -> None:
        """Leave it out until it is back, or show it again."""
        later = {name: until for name, until in self.board.later.items() if name != snooze.action_id}
        if snooze.until is not None and snooze.returns_at > self.inbox_client.now():
            later[snooze.action_id] = snooze.returns_at
        self.board.put_off(later)
        self.draw()

    def take_marks(self, listing: WaitingList) -> None:
        """Whose they are, what was escalated, and the kill switch, as it was read, but for what was heard meanwhile."""
        self.halt = listing.halt
        self.board.key_id = listing.key_id or self.board.key_id
        self.board.escalated = dict(listing.escalated)
        self.board.assign(listing.assigned | self._assigned_meanwhile)

    def assigned(self, assignment: Assignment) -> None:
        """Show whose it is, if that is news."""
        known = self.board.assigned.get(assignment.action_id)
        if known is None or known.updated_at < assignment.updated_at:
            self._assigned_meanwhile[assignment.action_id] = assignment
            self.board.assign(self.board.assigned | {assignment.action_id: assignment})
            self.draw()

    def escalated(self, escalation: Escalation) -> None:
        """Show that nobody had decided in time, and say so to whom it is for."""
        item = self.board.item(escalation.action_id)
        if item is not None:
            self.board.escalated[escalation.action_id] = escalation
            if self.board.key_id in escalation.operator_keys:
                self.say(f"Escalated to you: {goal_words(item.action)}")
            self.draw()

    # Asking the service, beside the screen.

    def beside(self, work: Callable[[], T], then: Callable[[T], None], failed: Callable[[AssentError], None]) -> Thread:
        """`work` in a thread of its own; what came of it is told on the screen."""

        def run() -> None:
            try:
                result = work()
            except AssentError as error:
                found = error
                self.post_message(self.ScreenCall(lambda: failed(found)))
            except Exception as error:  # noqa: BLE001 - a defect: the screen ends with it
                defect = error
                self.post_message(self.ScreenCall(lambda: _raise(defect)))
            else:
                self.post_message(self.ScreenCall(lambda: then(result)))

        thread = Thread(target=run, daemon=True, name="inbox-request")
        thread.start()
        return thread

    def action_read(self) -> None:
        """Read the list. While it is being read already, once more afterwards."""
        if self._reading:
            self._again = True
            return
        self._reading, self._again = True, False
        self._assigned_meanwhile.clear()
        self.beside(self.inbox_client.listing, self._read, self.trouble)

    def _read(self, listing: WaitingList) -> None:
        self._reading = False
        self._set_away(None)
        missed = self.triage.read(listing.actions, listing.total)
        self.board.put_off(listing.later)
        self.take_marks(listing)
        for action in missed:
            self._ask_who(action)
        self.learn()
        self.draw()
        if self._again:
            self.action_read()

    def _ask_who(self, action: Action) -> None:
        """It has gone, and no event said how."""
        name = action.action_id
        self.say(f"{goal_words(action)}: {NO_LONGER}")
        self.beside(
            lambda: self.inbox_client.approvals([name]).get(name),
            lambda approval: None if approval is None else self.settled(approval),
            self.trouble,
        )

    def learn(self) -> None:
        """Read the approvals that are not known yet, some at a time, those around the cursor first."""
        missing = self.board.missing()
        if self._learning or not missing or self.away:
            return
        self._learning = True
        cursor = self.board.cursor
        wanted = [*([cursor] if cursor in missing else []), *missing][:AT_ONCE]
        self.read_approvals([each for each in wanted if each])

    def read_approvals(self, action_ids: list[str]) -> None:
        self.beside(lambda: self.inbox_client.approvals(action_ids), self._learned, self._unlearned)

    def _learned(self, approvals: dict[str, Approval | None]) -> None:
        self._learning = False
        before = len(self.board.missing())
        self.board.learn(approvals)
        self.draw()
        if len(self.board.missing()) < before:
            self.learn()

    def _unlearned(self, error: AssentError) -> None:
        self._learning = False
        self.trouble(error)

    def trouble(self, error: Exception) -> None:
        """A key that is refused ends the inbox; anything else is waited for."""
        self._reading = False
        if isinstance(error, Unauthorized | Forbidden):
            self.exit(return_code=Exit.UNAUTHORIZED, message=f"Error: {error}")
            return
        self._since = self._since or datetime.now(UTC)
        if isinstance(error, ConnectionFailed):
            self._set_away(gone_words(self._since))
        elif isinstance(error, ServerError | Unavailable):
            since = f"{self._since:%H:%M:%S} UTC"
            self._set_away(f"The service has trouble since {since} ({fit(clean(error.detail), 80)}); trying again")
        else:
            self.say(fit(clean(error), 200))

    def _set_away(self, away: str | None) -> None:
        if self.away and not away:
            self.say("The service answers again.")
        if away is None:
            self._since = None
        if away != self.away:
            self.away = away
            self.service_changed()


def _raise(defect: Exception) -> None:
    raise defect
