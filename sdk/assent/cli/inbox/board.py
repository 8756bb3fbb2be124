"""What the list shows, in which order, and where the cursor is; and what stands above and below it. Pure.

1. The cursor is on an action, not on a line: it stays there whatever comes, goes, or is sorted anew. It moves when
   somebody presses a key or a row.
2. What ends under the cursor stays there and says how it ended, until a key moves the cursor, also where nothing else
   is listed. A key that was meant for it would be about its neighbour otherwise, or about what took its place. What was
   decided here goes where nothing else is listed.
3. Newest first, since that agent is still there and waits; the other orders are one key away.
4. What was put off is not shown until it is back, unless somebody wants to see it (`everything`) or is on it. Where
   only one's own or nobody's are looked at (`whose`), neither is another's, unless the cursor is on it.
5. What has ended never waits again, whatever an older list says.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from assent.cli.approvals import Waiting
from assent.cli.inbox.inbox_client import LookedAt
from assent.cli.text import clean, fit, moment, width_of
from assent.contract.conditions import in_words
from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.control.assignments import Assignment
from assent.contract.control.escalations import Escalation
from assent.contract.control.halt import Halt
from assent.contract.visible import visible


class Order(StrEnum):
    NEWEST = "newest first"
    LONGEST = "expires first"
    RISK = "highest risk first"


class Whose(StrEnum):
    """Which requests are looked at, by who takes care of them."""

    ALL = "everybody's"
    MINE = "mine"
    FREE = "nobody's"


NO_LONGER = "waits no longer"
ENDED = 2000
"""How many that have ended are remembered."""


@dataclass
class Board:
    """`words` and `whose` narrow the list; `total` counts what waits, which may be more than was read. `later` is when
    what was put off is back, `assigned` who takes care of what, `escalated` what nobody had decided in time, `key_id`
    one's own key, `looked_at` what guard looked at, each as far as it is known.
    `selected` is what is decided together. `tomb` is what has ended under the cursor, in words."""

    order: Order = Order.NEWEST
    words: str = ""
    cursor: str | None = None
    total: int = 0
    everything: bool = False
    whose: Whose = Whose.ALL
    key_id: str | None = None
    assigned: dict[str, Assignment] = field(default_factory=dict[str, Assignment])
    escalated: dict[str, Escalation] = field(default_factory=dict[str, Escalation])
    later: dict[str, datetime] = field(default_factory=dict[str, datetime])
    looked_at: dict[str, LookedAt] = field(default_factory=dict[str, LookedAt])
    selected: set[str] = field(default_factory=set[str])
    tomb: tuple[Waiting, str] | None = None
    _decided_here: bool = False
    _actions: dict[str, Action] = field(default_factory=dict[str, Action])
    _approvals: dict[str, Approval | None] = field(default_factory=dict[str, Approval | None])
    _ended: OrderedDict[str, None] = field(default_factory=OrderedDict[str, None])

    def listed(self) -> list[Waiting]:
        """What the list shows, in its order."""
        wanted = clean(self.words).casefold().split()
        items = [self._item(action) for name, action in self._actions.items() if self._shows(name)]
        kept = [item for item in items if _has(item, wanted)]
        if self.tomb is not None:
            kept.append(self.tomb[0])
        match self.order:
            case Order.NEWEST:
                return sorted(kept, key=lambda item: item.action.created_at, reverse=True)
            case Order.LONGEST:
                return sorted(kept, key=lambda item: item.action.created_at)
            case Order.RISK:
                return sorted(kept, key=lambda item: (-item.action.risk_score, item.action.created_at))

    def current(self) -> Waiting | None:
        """What the cursor is on; it may have ended there."""
        if self.tomb is not None:
            return self.tomb[0]
        return self.item(self.cursor or "")

    def item(self, action_id: str) -> Waiting | None:
        """One that waits, whether it is shown or not."""
        action = self._actions.get(action_id)
        return None if action is None else self._item(action)

    def place(self) -> int:
        """The cursor's line, counted from 0."""
        return next((at for at, item in enumerate(self.listed()) if item.action.action_id == self.cursor), 0)

    def missing(self) -> list[str]:
        """Those whose approval was not read yet, in the list's order."""
        names = (item.action.action_id for item in self.listed())
        return [name for name in names if name in self._actions and name not in self._approvals]

    def known(self, action_id: str) -> bool:
        """Whether its approval was read; it may be none."""
        return action_id in self._approvals or (self.tomb is not None and self.tomb[0].action.action_id == action_id)

    def ended(self, action_id: str) -> bool:
        """Whether it was here and waits no longer."""
        return action_id in self._ended

    def replace(self, actions: Sequence[Action], total: int) -> list[Action]:
        """The list was read anew. Those that have ended: what it lacks, where it was read whole."""
        now = {action.action_id: action for action in actions if not self.ended(action.action_id)}
        waiting = total - (len(actions) - len(now))
        lacking = {name: action for name, action in self._actions.items() if name not in now}
        if len(actions) < total:
            now, lacking = now | lacking, {}
        for name in lacking:
            self._end(name, NO_LONGER)
        self._actions = now
        self.total = max(waiting, len(now))
        self._begin()
        return list(lacking.values())

    def learn(self, approvals: Mapping[str, Approval | None]) -> None:
        """Approvals were read; those of actions that have left meanwhile are not kept."""
        self._approvals |= {name: approval for name, approval in approvals.items() if name in self._actions}

    def remove(self, action_id: str, how: str, *, decided_here: bool = False) -> Action | None:
        """It waits no longer; `how` stands where it was. The action, if it was there."""
        action = self._end(action_id, how)
        if self.tomb is not None and self.tomb[0].action.action_id == action_id:
            self._decided_here = decided_here
        self._begin()
        return action

    def _end(self, action_id: str, how: str) -> Action | None:
        self._ended[action_id] = None
        while len(self._ended) > ENDED:
            self._ended.popitem(last=False)
        if self.tomb is not None and self.tomb[0].action.action_id == action_id:
            self.tomb = (self.tomb[0], how)
        item = self.item(action_id)
        if item is None:
            return None
        del self._actions[action_id]
        self._approvals.pop(action_id, None)
        self.later.pop(action_id, None)
        self.assigned.pop(action_id, None)
        self.escalated.pop(action_id, None)
        self.selected.discard(action_id)
        self.total = max(0, self.total - 1)
        if action_id == self.cursor:
            self.tomb, self._decided_here = (item, how), False
        return item.action

    def select(self, action_id: str) -> bool:
        """Select it, or no longer; whether it is selected now."""
        if action_id in self.selected:
            self.selected.remove(action_id)
            return False
        self.selected.add(action_id)
        return True

    def put_off(self, later: Mapping[str, datetime]) -> None:
        """All that is put off, and until when. It is not decided on with others that are selected."""
        self.later = dict(later)
        self.selected -= self.later.keys()
        self._begin()

    def wake(self, now: datetime) -> list[str]:
        """What is back now."""
        back = [name for name, until in self.later.items() if until <= now]
        if back:
            self.put_off({name: until for name, until in self.later.items() if name not in back})
        return [name for name in back if name in self._actions]

    def listing(self) -> int:
        """How many are listed that wait; what is put off does not count."""
        return sum(item.action.action_id in self._actions.keys() - self.later.keys() for item in self.listed())

    def read(self) -> int:
        """How many were read of those that wait."""
        return len(self._actions)

    def asleep(self) -> int:
        """How many are put off."""
        return len(self.later.keys() & self._actions.keys())

    def assign(self, assigned: Mapping[str, Assignment]) -> None:
        """Who takes care of what."""
        self.assigned = dict(assigned)
        self._begin()

    def owner(self, action_id: str) -> Whose | None:
        """MINE, or FREE for nobody's; None for another's."""
        assignment = self.assigned.get(action_id)
        if assignment is None or assignment.assigned_to_key is None:
            return Whose.FREE
        return Whose.MINE if assignment.assigned_to_key == self.key_id else None

    def turn_whose(self) -> None:
        """The next choice of whose are looked at; a cursor on what it leaves out goes to the top."""
        choices = list(Whose)
        self.whose = choices[(choices.index(self.whose) + 1) % len(choices)]
        if self.tomb is None and self.cursor is not None and not self._chosen(self.cursor):
            self.point(next((name for name in self._ids() if self._chosen(name)), None))

    def show_everything(self) -> None:
        """What is put off, too; or not, if it was."""
        self.everything = not self.everything

    def move(self, by: int) -> None:
        self.go(self.place() + by)

    def go(self, line: int) -> None:
        """Put the cursor on a line, the nearest one there is; what has ended goes where it alone is listed."""
        ids = self._ids()
        if self.tomb is not None and len(ids) == 1:
            ids = []
        self.point(ids[max(0, min(line, len(ids) - 1))] if ids else None)

    def point(self, action_id: str | None) -> None:
        """Put the cursor on this one, which is listed."""
        if action_id != self.cursor:
            self.tomb, self.cursor = None, action_id

    def narrow(self, words: str) -> None:
        """Show what has all of these words in it."""
        before, self.words = self._ids(), words
        now = self._ids()
        if self.cursor not in now:
            at = before.index(self.cursor) if self.cursor in before else 0
            neighbours = [*before[at + 1 :], *reversed(before[:at]), *now]
            self.point(next((each for each in neighbours if each in now), None))

    def turn(self) -> None:
        """The next order."""
        orders = list(Order)
        self.order = orders[(orders.index(self.order) + 1) % len(orders)]

    def _ids(self) -> list[str]:
        return [item.action.action_id for item in self.listed()]

    def _shows(self, name: str) -> bool:
        return name == self.cursor or (self._chosen(name) and (self.everything or name not in self.later))

    def _chosen(self, name: str) -> bool:
        return self.whose is Whose.ALL or self.owner(name) is self.whose

    def _begin(self) -> None:
        """A cursor that is nowhere goes to the top; on what has ended otherwise than here it stays."""
        if self.tomb is not None and self._decided_here and len(self.listed()) == 1:
            self.point(None)
        if self.cursor is None:
            self.go(0)

    def _item(self, action: Action) -> Waiting:
        return Waiting(action=action, approval=self._approvals.get(action.action_id))


def _has(item: Waiting, words: Sequence[str]) -> bool:
    """Whether all of these stand in it. Its id counts as a whole: a number stands in many by chance."""
    text, name = _text(item), item.action.action_id.casefold()
    return all(word in text or word == name for word in words)


def _text(item: Waiting) -> str:
    action = item.action
    named = (action.declared_goal, action.action_type, action.agent_id, action.agent_name)
    return clean(
        " ".join([*(each for each in named if each), *action.systems_touched, *map(in_words, item.reasons)])
    ).casefold()


LONGEST_GOAL, LONGEST_WHY = 60, 160
KEYS: tuple[tuple[str, str, str], ...] = (
    (
        "a",
        "allow",
        "Allow what the cursor is on, once each reason and argument was on the screen; "
        "A with a reason, conditions or a time limit.",
    ),
    ("d", "deny", "Deny it; the reason is all that the agent is told."),
    ("u", "undo", "Take the last decision back, with all that was decided together, as long as it has not left."),
    ("q", "quit", "Leave. What you have decided is sent; whatever waits goes on waiting."),
    ("?", "help", "These lines."),
    ("x", "select", "Select it, or no longer; a, A, d, s and i then mean all that are selected."),
    ("e", "ask back", "Ask the agent, or offer what you would allow; it decides nothing, and the time runs on."),
    ("s", "later", "Put it off for you alone, until a time; it is back by itself, before it expires at the latest."),
    (
        "/",
        "filter",
        "Show what has these words in goal, agent, type, systems or reasons, or this id; Escape shows all.",
    ),
    ("m", "comment", "Tell the other operators something about it; no agent reads it, and it decides nothing."),
    (
        "f",
        "allow its like",
        "From now on: a standing grant of what is like it, with what that would have covered. "
        "In its form j and k move, x leaves a condition out, u takes that back.",
    ),
    ("i", "mine", "You take care of it, or no longer; it decides nothing, and everybody may decide as before."),
    ("w", "whose", "Show everybody's, yours, or what nobody takes care of."),
    ("n", "what happened", "What came of your decisions, and who was faster."),
    ("r", "read again", "Ask the service now. It is asked anyway when something happens, and every 15 s."),
    ("z", "put off", "Show what you have put off, too; again hides it."),
    ("O", "order", "Newest first, expires first, highest risk first."),
    ("o", "copy link", "Copy the replay link to the terminal's clipboard; nothing is opened."),
    ("t", "light/dark", "Turn the colours."),
    ("j k", "move", "The same as the arrows; g and G go to the first and the last."),
    ("v", "in whole", "Show the goal and the arguments of the card in whole; again shortens what is long."),
    ("J K", "scroll", "Scroll the card; Enter puts the arrows on it, Escape back on the list."),
)
"""Key, short word, what it does; the line at the bottom has as many as fit, in this order."""
NOTHING = "Nothing waits. When a policy stops an agent, its question appears here by itself."


def list_title(board: Board) -> str:
    """`Approvals: 60 waiting, newest first`, `Approvals: 6 of 60 waiting, newest first; mine`. The numbers stand first,
    where a narrow terminal shows them."""
    asleep = board.asleep()
    waiting, listed = board.total - asleep, board.listing()
    chosen = bool(board.words.split()) or board.whose is not Whose.ALL
    what = f"Approvals: {f'{listed} of ' if chosen else ''}{waiting} waiting, {board.order}"
    if board.whose is not Whose.ALL:
        what += f"; {board.whose}"
    if asleep:
        what += f"; {asleep} put off"
    if board.selected:
        what += f"; {len(board.selected)} selected"
    return f"{what}; {board.read()} of them read" if board.read() < board.total else what


def halt_words(halt: Halt) -> str:
    """`The kill switch is on since 2026-11-20T14:02:07Z, by ana: Incident 4711. ...`"""
    since = f" since {moment(halt.changed_at)}" if halt.changed_at else ""
    by = f", by {clean(halt.changed_by)}" if halt.changed_by else ""
    why = f": {fit(clean(halt.reason), LONGEST_WHY)}" if halt.reason else ""
    return f"The kill switch is on{since}{by}{why}. Nothing can be allowed until it is off."


def keys_line(width: int) -> str:
    """As many keys as fit, the most needed ones first."""
    line = ""
    for key, word, _ in KEYS:
        more = f"{line}   {key} {word}" if line else f"{key} {word}"
        if width_of(more) > width:
            break
        line = more
    return line


def goal_words(action: Action) -> str:
    return f"“{fit(visible(action.declared_goal) or clean(action.action_type), LONGEST_GOAL)}”"
