"""What the list shows, in which order, and where the cursor is; and what stands above and below it. Pure.

1. The cursor is on an action, not on a line: it stays there whatever comes, goes, or is sorted anew.
2. When its action leaves, it moves to the one below, else to the one above.
3. Newest first, since that agent is still there and waits; the other orders are one key away.
4. What was put off is not shown until it is back, unless somebody wants to see it (`everything`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from assent.cli.approvals import Waiting
from assent.cli.inbox.card import decided_words
from assent.cli.text import clean, fit, width_of
from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval, Verdict


class Order(StrEnum):
    NEWEST = "newest first"
    LONGEST = "expires first"
    RISK = "highest risk first"


@dataclass
class Board:
    """`words` narrows the list; `total` counts what waits, which may be more than was read. `later` is when what was
    put off is back."""

    order: Order = Order.NEWEST
    words: str = ""
    cursor: str | None = None
    total: int = 0
    everything: bool = False
    later: dict[str, datetime] = field(default_factory=dict[str, datetime])
    _actions: dict[str, Action] = field(default_factory=dict[str, Action])
    _approvals: dict[str, Approval | None] = field(default_factory=dict[str, Approval | None])

    def listed(self) -> list[Waiting]:
        """What the list shows, in its order."""
        wanted = clean(self.words).casefold().split()
        items = [
            self._item(action) for name, action in self._actions.items() if self.everything or name not in self.later
        ]
        kept = [item for item in items if all(word in _text(item) for word in wanted)]
        match self.order:
            case Order.NEWEST:
                return sorted(kept, key=lambda item: item.action.created_at, reverse=True)
            case Order.LONGEST:
                return sorted(kept, key=lambda item: item.action.created_at)
            case Order.RISK:
                return sorted(kept, key=lambda item: (-item.action.risk_score, item.action.created_at))

    def current(self) -> Waiting | None:
        """What the cursor is on."""
        return next((item for item in self.listed() if item.action.action_id == self.cursor), None)

    def place(self) -> int:
        """The cursor's line, counted from 0."""
        return next((at for at, item in enumerate(self.listed()) if item.action.action_id == self.cursor), 0)

    def missing(self) -> list[str]:
        """Those whose approval was not read yet, in the list's order."""
        return [item.action.action_id for item in self.listed() if item.action.action_id not in self._approvals]

    def known(self, action_id: str) -> bool:
        """Whether its approval was read; it may be none."""
        return action_id in self._approvals

    def replace(self, actions: Sequence[Action], total: int) -> Action | None:
        """The list was read anew. The action under the cursor, when it no longer waits."""
        before, under = self._ids(), self._actions.get(self.cursor or "")
        self._actions = {action.action_id: action for action in actions}
        self._approvals = {name: approval for name, approval in self._approvals.items() if name in self._actions}
        self.total = total
        gone = under if under is not None and under.action_id not in self._actions else None
        self._settle(before)
        return gone

    def learn(self, approvals: Mapping[str, Approval | None]) -> None:
        """Approvals were read; those of actions that have left meanwhile are not kept."""
        self._approvals |= {name: approval for name, approval in approvals.items() if name in self._actions}

    def remove(self, action_id: str) -> Action | None:
        """It waits no longer. The action, if it was there."""
        before = self._ids()
        action = self._actions.pop(action_id, None)
        if action is not None:
            self.total = max(0, self.total - 1)
            self._approvals.pop(action_id, None)
            self._settle(before)
        return action

    def put_off(self, later: Mapping[str, datetime]) -> None:
        """All that is put off, and until when."""
        before = self._ids()
        self.later = dict(later)
        self._settle(before)

    def wake(self, now: datetime) -> list[str]:
        """What is back now."""
        back = [name for name, until in self.later.items() if until <= now]
        if back:
            self.put_off({name: until for name, until in self.later.items() if name not in back})
        return [name for name in back if name in self._actions]

    def asleep(self) -> int:
        """How many are put off."""
        return len(self.later.keys() & self._actions.keys())

    def show_everything(self) -> None:
        """What is put off, too; or not, if it was."""
        before = self._ids()
        self.everything = not self.everything
        self._settle(before)

    def move(self, by: int) -> None:
        self.go(self.place() + by)

    def go(self, line: int) -> None:
        """Put the cursor on a line, the nearest one there is."""
        ids = self._ids()
        self.cursor = ids[max(0, min(line, len(ids) - 1))] if ids else None

    def narrow(self, words: str) -> None:
        """Show what has all of these words in it."""
        self.words = words
        self._settle(self._ids())

    def turn(self) -> None:
        """The next order."""
        orders = list(Order)
        self.order = orders[(orders.index(self.order) + 1) % len(orders)]

    def _ids(self) -> list[str]:
        return [item.action.action_id for item in self.listed()]

    def _settle(self, before: list[str]) -> None:
        """The cursor onto something that is shown: where it was, else its neighbour in the list from before."""
        now = self._ids()
        if self.cursor in now:
            return
        at = before.index(self.cursor) if self.cursor in before else 0
        neighbours = [*before[at + 1 :], *reversed(before[:at]), *now]
        self.cursor = next((each for each in neighbours if each in now), None)

    def _item(self, action: Action) -> Waiting:
        return Waiting(action=action, approval=self._approvals.get(action.action_id))


def _text(item: Waiting) -> str:
    action = item.action
    named = (action.declared_goal, action.action_type, action.agent_id, action.agent_name, action.action_id)
    return clean(" ".join([*(each for each in named if each), *action.systems_touched, *item.reasons])).casefold()


LONGEST_GOAL = 60
KEYS: tuple[tuple[str, str, str], ...] = (
    ("a", "allow", "Allow what the cursor is on; a dialog repeats it and takes the reason."),
    ("d", "deny", "Deny it; the reason is all that the agent is told."),
    ("q", "quit", "Leave. Whatever waits goes on waiting."),
    ("?", "help", "These lines."),
    ("e", "ask back", "Ask the agent, or offer what you would allow; it decides nothing, and the time runs on."),
    ("r", "read again", "Ask the service now. It is asked anyway when something happens, and every 15 s."),
    ("/", "filter", "Show what has these words in its goal, agent, type, systems or reasons; Escape shows all."),
    ("s", "later", "Put it off for you alone, until a time; it is back by itself, before it expires at the latest."),
    ("m", "comment", "Tell the other operators something about it; no agent reads it, and it decides nothing."),
    ("f", "allow its like", "From now on: a standing grant of what is like it, with what that would have covered."),
    ("z", "put off", "Show what you have put off, too; again hides it."),
    ("O", "order", "Newest first, expires first, highest risk first."),
    ("o", "copy link", "Copy the replay link to the terminal's clipboard; nothing is opened."),
    ("t", "light/dark", "Turn the colours."),
    ("j k", "move", "The same as the arrows; g and G go to the first and the last."),
    ("J K", "scroll", "Scroll the card; Tab puts the arrows on it."),
)
"""Key, short word, what it does; the line at the bottom has as many as fit, in this order."""
NOTHING = "Nothing waits. When a policy stops an agent, its question appears here by itself."


def list_title(board: Board, shown: int) -> str:
    """`Approvals: 6 waiting, newest first`."""
    asleep = board.asleep()
    what = f"Approvals: {board.total - asleep} waiting, {board.order}"
    if asleep:
        what += f"; {asleep} put off"
    if board.words:
        return f"{what}; {shown} with “{clean(board.words)}”"
    return f"{what}; {shown} of them read" if shown < board.total - asleep else what


def keys_line(width: int) -> str:
    """As many keys as fit, the most needed ones first."""
    line = ""
    for key, word, _ in KEYS:
        more = f"{line}   {key} {word}" if line else f"{key} {word}"
        if width_of(more) > width:
            break
        line = more
    return line


def decided_elsewhere(action: Action, approval: Approval | None) -> str:
    """What the cursor was on is gone."""
    how = decided_words(approval) if approval is not None else "waits no longer"
    return f"{goal_words(action)}: {how}"


def decided_here(action: Action, approval: Approval | None, verdict: Verdict) -> str:
    """What became of a decision that was made here."""
    did = "allowed" if verdict is Verdict.ALLOW else "denied"
    return f"{goal_words(action)}: {did if approval is None else decided_words(approval)}"


def goal_words(action: Action) -> str:
    return f"“{fit(clean(action.declared_goal) or clean(action.action_type), LONGEST_GOAL)}”"
