"""What the inbox says beside the list and the card: its state, what happened, which keys there are. Pure."""

from __future__ import annotations

from assent.cli.inbox.board import Board
from assent.cli.inbox.card import decided_words
from assent.cli.text import clean, fit, width_of
from assent.contract.actions import Action
from assent.contract.approvals import Approval, Verdict

LONGEST_GOAL = 60
KEYS: tuple[tuple[str, str, str], ...] = (
    ("a", "allow", "Allow what the cursor is on; a dialog repeats it and takes the reason."),
    ("d", "deny", "Deny it; the reason is all that the agent is told."),
    ("q", "quit", "Leave. Whatever waits goes on waiting."),
    ("?", "help", "These lines."),
    ("r", "read again", "Ask the service now. It is asked anyway when something happens, and every 15 s."),
    ("/", "filter", "Show what has these words in its goal, agent, type, systems or reasons; Escape shows all."),
    ("s", "order", "Newest first, expires first, highest risk first."),
    ("o", "copy link", "Copy the replay link to the terminal's clipboard; nothing is opened."),
    ("t", "light/dark", "Turn the colours."),
    ("j k", "move", "The same as the arrows; g and G go to the first and the last."),
    ("J K", "scroll", "Scroll the card; Tab puts the arrows on it."),
)
"""Key, short word, what it does; the line at the bottom has as many as fit, in this order."""
NOTHING = "Nothing waits. When a policy stops an agent, its question appears here by itself."


def title(board: Board, shown: int) -> str:
    """`Approvals: 6 waiting, newest first`."""
    what = f"Approvals: {board.total} waiting, {board.order}"
    if board.words:
        return f"{what}; {shown} with “{clean(board.words)}”"
    return f"{what}; {shown} of them read" if shown < board.total else what


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
