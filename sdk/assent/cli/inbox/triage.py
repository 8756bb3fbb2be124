"""What each key does: what is selected, decided, held and taken back. Pure: clock, screen and network are given.

1. A key is about the request that the cursor is on, and does something with it only where the list and the card had
   shown that request, with why it was stopped, before the key went down. It, or its like from now on, is allowed only
   once its goal, each reason and each argument was on the screen, to its end, for as long as two presses are one; of
   those that are decided together, each by its own card. Where arguments are more or longer than can be asked for, a
   form asks for a word.
2. A key that a terminal repeats because it is held down does nothing more.
3. What is selected is decided together: one form for all, and a decision of its own for each. It is taken back
   together, too, as far as it has not left.
4. A decision is held as `assent.deciding.Holding` says. The cursor then moves on to the next one that waits.
5. Every press has an outcome: what it did, or why it did nothing.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import uuid4

from assent.cli.approvals import Waiting
from assent.cli.inbox.board import NO_LONGER, Board, Whose, goal_words
from assent.cli.inbox.card import decided_words, not_owed, owed
from assent.cli.inbox.visibility import Visibility
from assent.cli.text import clean, fit
from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval, Verdict
from assent.contract.visible import visible
from assent.deciding import Deciding, DecisionDetails, Held, Holding, Stage, word_for

REPEATED = 0.15
"""Seconds within which the same key again is one that is held down, and what is on the screen was not seen yet."""
NOTICES = 50
UNSEEN = "its goal, why it was stopped and its arguments were not on the screen to their end"
TOO_SOON = "its goal and its arguments had not been on the screen for long enough to be seen"
LIST, CARD = "list", "card"
"""The two parts of the screen that show a request."""


class Key(StrEnum):
    """What a key stands for; the screen says which one."""

    NEXT = "next"
    PREVIOUS = "previous"
    SELECT = "select"
    ALLOW = "allow"
    ALLOW_WITH = "allow with"
    DENY = "deny"
    UNDO = "undo"
    ASK = "ask"
    COMMENT = "comment"
    GRANT = "grant"
    LATER = "later"
    TAKE = "take"


class Did(StrEnum):
    MOVED = "moved"
    STAYED = "stayed"
    SELECTED = "selected"
    UNSELECTED = "unselected"
    DECIDED = "decided"
    ASKS = "asks"
    TAKES = "takes"
    HANDS_BACK = "hands back"
    TAKEN_BACK = "taken back"
    REFUSED = "refused"


@dataclass(frozen=True)
class Outcome:
    """What a press did, and with which requests; `why` says why it did nothing. ASKS is a form that is to be opened."""

    did: Did
    ids: tuple[str, ...] = ()
    why: str = ""


@dataclass
class View:
    """What a part of the screen shows, and since when that is on the screen."""

    action_id: str | None = None
    number: int = 0
    at: float | None = None


class Triage:
    """`now` is the service's time, `seconds` for how long decisions are held. `ticks` gives seconds that only grow, by
    the clock of presses."""

    def __init__(
        self, board: Board, now: Callable[[], datetime], seconds: float, ticks: Callable[[], float] | None = None
    ) -> None:
        self.board, self._now = board, now
        self.holding: Holding[Waiting] = Holding(seconds) if ticks is None else Holding(seconds, ticks)
        self.notices: deque[str] = deque(maxlen=NOTICES)
        self.shown = Visibility(REPEATED)
        self._views: dict[str, View] = {LIST: View(), CARD: View()}
        self._last: tuple[Key, float] | None = None
        self._missed: dict[str, Action] = {}
        self._together: dict[str, str] = {}

    # What is seen.

    def draw(self, part: str, action_id: str | None) -> int:
        """A part of the screen is being drawn with this request, None for one that lacks why it was stopped. The number
        of what it shows, for `paint`."""
        view = self._views[part]
        if action_id != view.action_id:
            self._views[part] = view = View(action_id, view.number + 1)
        return view.number

    def paint(self, part: str, number: int, at: float) -> None:
        """What has this number is on the screen; where the part was drawn anew since with another one, it no longer
        counts."""
        view = self._views[part]
        if view.number == number and view.at is None:
            view.at = at

    def seen(self, at: float) -> bool:
        """Whether list and card showed what the cursor is on at this time, and have shown it since."""
        views = self._views.values()
        return all(view.action_id == self.board.cursor and view.at is not None and view.at <= at for view in views)

    def waits(self, action_id: str) -> bool:
        """Whether it waits for a decision, and none is on its way."""
        return self.board.item(action_id) is not None and self.holding.of(action_id) is None

    def mark(self, action_id: str) -> str:
        """The letter before a line: how it ended, is decided, that it is selected, whose it is, or was escalated."""
        held = self.holding.of(action_id)
        if held is not None:
            return "a" if held.deciding.verdict is Verdict.ALLOW else "d"
        if self.board.item(action_id) is None:
            return "-"
        if action_id in self.board.selected:
            return "x"
        owner = self.board.owner(action_id)
        if owner is Whose.FREE:
            return "^" if action_id in self.board.escalated else " "
        return "i" if owner is Whose.MINE else "o"

    # Presses.

    def press(self, key: Key, at: float) -> Outcome:
        """`at` is when the key went down."""
        repeated = self._last is not None and self._last[0] is key and at - self._last[1] < REPEATED
        self._last = (key, at)
        match key:
            case Key.NEXT | Key.PREVIOUS:
                return self._step(1 if key is Key.NEXT else -1)
            case _ if repeated:
                return refused("the key is held down")
            case Key.UNDO:
                return self._take_back()
            case Key.ALLOW | Key.ALLOW_WITH | Key.DENY | Key.LATER | Key.TAKE if self.board.selected:
                return self._together_with(key, at)
            case Key.TAKE:
                return self._about(at, self._take)
            case Key.COMMENT:
                return self._about(at, lambda item: Outcome(Did.ASKS, (item.action.action_id,)), ended=True)
            case Key.SELECT:
                return self._about(at, self._select)
            case Key.ALLOW | Key.ALLOW_WITH | Key.GRANT:
                return self._about(at, lambda item: self._allow(item, key, at))
            case _:
                return self._about(at, lambda item: Outcome(Did.ASKS, (item.action.action_id,)))

    def _about(self, at: float, act: Callable[[Waiting], Outcome], *, ended: bool = False) -> Outcome:
        """`ended` where it may be about what is decided, or waits no longer."""
        item = self.board.current()
        if item is None:
            return refused("nothing is under the cursor")
        name = item.action.action_id
        if not self.seen(at):
            return refused("this request, with why it was stopped, was not on the screen yet", name)
        if ended:
            return act(item)
        held = self.holding.of(name)
        if held is not None:
            return refused("it has left already" if held.sending else "you have decided on it; u takes that back", name)
        if self.board.item(name) is None:
            return refused("it waits no longer", name)
        return act(item)

    def _step(self, by: int) -> Outcome:
        before = self.board.cursor
        self.board.move(by)
        cursor = self.board.cursor
        if before is None and cursor is None:
            return refused("nothing is listed")
        return Outcome(Did.STAYED if cursor == before else Did.MOVED, () if cursor is None else (cursor,))

    def _select(self, item: Waiting) -> Outcome:
        name = item.action.action_id
        return Outcome(Did.SELECTED if self.board.select(name) else Did.UNSELECTED, (name,))

    def _take(self, item: Waiting) -> Outcome:
        name = item.action.action_id
        return Outcome(Did.HANDS_BACK if self.board.owner(name) is Whose.MINE else Did.TAKES, (name,))

    def _allow(self, item: Waiting, key: Key, at: float) -> Outcome:
        name = item.action.action_id
        looked_at = self.board.looked_at.get(name)
        if looked_at is None:
            return refused("its arguments are still being read", name)
        lacking = self.shown.lacks(name, owed(item, looked_at), at)
        if lacking and self.shown.comes(name, lacking):
            return refused(f"{TOO_SOON}; press it again", name)
        if lacking:
            return refused(f"{UNSEEN}; {self.shown.way(name, lacking)} shows the rest", name)
        if key is not Key.ALLOW or word_for(item.action.risk_score, not_owed(item, looked_at)) is not None:
            return Outcome(Did.ASKS, (name,))
        self.decide([name], Verdict.ALLOW, DecisionDetails())
        return Outcome(Did.DECIDED, (name,))

    def _together_with(self, key: Key, at: float) -> Outcome:
        """All that are selected. A form repeats the arguments of each, so they have to be known."""
        names = self._in_order(self.board.selected)
        if key is Key.TAKE:
            return Outcome(Did.TAKES, names)
        if key is Key.LATER:
            return Outcome(Did.ASKS, names)
        items = [item for item in map(self.board.item, names) if item is not None]
        looked_at = self.board.looked_at
        unread = [item.action for item in items if item.action.action_id not in looked_at]
        if unread and (len(items) > 1 or key is not Key.DENY):
            why = f"the arguments of {_first_of(unread)} were not read yet; they are asked for now"
            return refused(why, *(action.action_id for action in unread))
        unseen = [
            item.action
            for item in items
            if key is not Key.DENY
            and self.shown.lacks(item.action.action_id, owed(item, looked_at[item.action.action_id]), at)
        ]
        if unseen:
            why = f"{_first_of(unseen)}: {UNSEEN}; go there, v and J show the rest"
            return refused(why, *(action.action_id for action in unseen))
        return Outcome(Did.ASKS, names)

    def _take_back(self) -> Outcome:
        """The newest decision that has not left, with what was decided together with it."""
        for newest in reversed(list(self.holding)):
            if newest.sending:
                continue
            batch = [held for held in self.holding if self._together[held.key] == self._together[newest.key]]
            return Outcome(Did.TAKEN_BACK, tuple(held.action_id for held in batch if self._unhold(held)))
        return refused("it has left already" if len(self.holding) else "nothing is held that could be taken back")

    def _unhold(self, held: Held[Waiting]) -> bool:
        """Whether it was taken back."""
        taken = self.holding.take_back(held)
        if taken:
            del self._together[held.key]
        return taken

    def _in_order(self, names: Iterable[str]) -> tuple[str, ...]:
        """As they are listed; what the list does not show stands at the end."""
        listed = [item.action.action_id for item in self.board.listed()]
        return tuple(sorted(names, key=lambda name: (listed.index(name) if name in listed else len(listed), name)))

    # Deciding.

    def decide(self, names: Sequence[str], verdict: Verdict, details: DecisionDetails) -> list[Held[Waiting]]:
        """Hold a decision on each of these that waits, and move on from the one that the cursor is on."""
        taken: list[Held[Waiting]] = []
        together = uuid4().hex
        for name in names:
            item = self.board.item(name)
            if item is not None and self.waits(name):
                end = None if item.approval is None else item.approval.expires_at
                left = None if end is None else (end - self._now()).total_seconds()
                deciding = Deciding(item, verdict, unseen=not_owed(item, self.board.looked_at.get(name)))
                taken.append(self.holding.take(uuid4().hex, deciding, details, left))
                self._together[taken[-1].key] = together
                self.board.selected.discard(name)
        if any(held.action_id == self.board.cursor for held in taken):
            self.advance()
        return taken

    def advance(self) -> None:
        """To the next one that waits, else to the nearest before."""
        listed, place = [item.action.action_id for item in self.board.listed()], self.board.place()
        near = [*listed[place + 1 :], *reversed(listed[:place])]
        self.board.point(next((name for name in near if self.waits(name)), self.board.cursor))

    def attempted(self, held: Held[Waiting]) -> str | None:
        """What came of an attempt to send it, in words; None where it is sent again."""
        if not self.holding.attempted(held):
            return None
        del self._together[held.key]
        made = held.deciding
        said = came_of(held)
        if made.stage is not Stage.OPEN:
            how = NO_LONGER if made.settled is None else decided_words(made.settled)
            self.board.remove(held.action_id, how, decided_here=made.stage is Stage.SENT)
        if made.stage is not Stage.SENT:
            self.notices.append(said)
        return said

    def settled(self, approval: Approval) -> str | None:
        """Somebody, or time, has decided. What the operator has to know of it, in words: that it ended under the
        cursor, was selected, or was decided here and had not left."""
        name, how = approval.action_id, decided_words(approval)
        held = self.holding.of(name)
        if held is not None:
            if not self._unhold(held):
                return None  # its own answer says whether it was this one
            held.deciding.overtaken(approval)
        missed = self._missed.pop(name, None)
        wanted = held is not None or missed is not None or name in self.board.selected
        under = name == self.board.cursor
        action = self.board.remove(name, how) or missed
        if held is None and (action is None or not (wanted or under)):
            return None
        said = came_of(held) if held is not None else f"{goal_words(action)}: {how}" if action is not None else how
        if wanted:
            self.notices.append(said)
        return said

    def read(self, actions: Sequence[Action], total: int) -> list[Action]:
        """The list was read anew. Those that have to be asked about: nothing was heard of how they ended, and somebody
        would miss them."""
        wanted = self.board.selected | {self.board.cursor} | {held.action_id for held in self.holding}
        ended = self.board.replace(actions, total)
        self.shown.keep(lambda name: self.board.item(name) is not None)
        for action in ended:
            held = self.holding.of(action.action_id)
            if action.action_id in wanted and (held is None or not held.sending):
                self._missed[action.action_id] = action
        return list(self._missed.values())


def refused(why: str, *ids: str) -> Outcome:
    return Outcome(Did.REFUSED, ids, why)


def _first_of(actions: Sequence[Action]) -> str:
    """`“Pay”`, `“Pay” and 2 more`."""
    more = f" and {len(actions) - 1} more" if len(actions) > 1 else ""
    return f"{goal_words(actions[0])}{more}"


def came_of(held: Held[Waiting]) -> str:
    """`“Pay”: allowed by ana at ...`, `“Pay” was not denied by you: allowed by ben at ...`, `“Pay” was not denied:
    ...; it still waits`."""
    made, goal = held.deciding, goal_words(held.deciding.item.action)
    did = "allowed" if made.verdict is Verdict.ALLOW else "denied"
    match made.stage:
        case Stage.SENT:
            return f"{goal}: {did if made.settled is None else decided_words(made.settled)}"
        case Stage.OVER:
            how = clean(made.problem) if made.settled is None else decided_words(made.settled)
            return f"{goal} was not {did} by you: {how}"
        case Stage.OPEN:
            return f"{goal} was not {did}: {clean(made.problem)} It still waits."


def unsent(held: Held[Waiting]) -> str:
    """What is known of a decision when the inbox closes before it counts."""
    goal = goal_words(held.deciding.item.action)
    did = "allowed" if held.deciding.verdict is Verdict.ALLOW else "denied"
    if held.sending:
        return f"{goal} was perhaps {did}: the service did not answer. Look whether it still waits."
    return f"{goal} was not {did}: it was not sent. It still waits."


GOAL_IN_BAR = 24


def held_words(holding: Holding[Waiting]) -> str:
    """`allow “Pay” in 4 s, deny “Ship” now; u takes the last one back`. Empty where nothing is on its way."""
    said = [_held_words(held, holding.left(held)) for held in holding]
    takes = any(not held.sending for held in holding)
    return ", ".join(said) + ("; u takes the last one back" if takes else "")


def _held_words(held: Held[Waiting], left: float) -> str:
    action = held.deciding.item.action
    goal = fit(visible(action.declared_goal) or clean(action.action_type), GOAL_IN_BAR)
    what = f"{held.deciding.verdict.value} “{goal}”"
    if held.problem is not None:
        return f"{what} again in {math.ceil(left)} s: {clean(held.problem)}"
    return f"{what} is on its way" if held.sending else f"{what} in {math.ceil(left)} s"
