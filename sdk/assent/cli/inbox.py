"""The line-based inbox: what waits, numbered; one line decides one of them.

    a 2 looks right    approve number 2, with a reason (the reason may be left out)
    d 1 not today      deny number 1
    r                  read the list again
    q                  leave

Numbers are those of the list last shown. They never move under the operator's fingers: a new arrival is announced, and
takes a number when the list is read again. A decided number is spent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from assent.cli.text import clean, fit, moment, span, width_of
from assent.contract.actions import Action
from assent.contract.approvals import Approval, Verdict

GOAL = 60
SHORTEST = 20
BAR = " | "
HEADER = ("action_id", "type", "agent", "goal", "risk", "why", "requested_at", "expires_at")
HELP = "a N [reason] approves, d N [reason] denies, r reads again, q leaves"


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """An action that waits. `approval` is None when an agent asked by itself and the service keeps no term for it."""

    action: Action
    approval: Approval | None

    @property
    def why(self) -> str:
        reasons = [] if self.approval is None else self.approval.reasons
        return clean("; ".join(reasons)) or "the agent asked for it"


@dataclass(frozen=True, kw_only=True)
class Decide:
    number: int
    verdict: Verdict
    reasoning: str | None


class Refresh:
    """Read the list again."""


class Quit:
    """Leave."""


Command = Decide | Refresh | Quit


def parse_command(line: str, count: int) -> Command:
    """What the operator typed; `count` is how many numbers there are. Raises ValueError with what to type instead."""
    words = line.strip()
    if words.lower() in ("r", ""):
        return Refresh()
    if words.lower() == "q":
        return Quit()
    match = re.fullmatch(r"([adAD])\s*(\d{1,6})(?:\s+(.*))?", words, re.DOTALL)
    if match is None:
        raise ValueError(f"{clean(fit(words, 40))!r} is no command; {HELP}")
    number = int(match[2])
    if not 1 <= number <= count:
        raise ValueError(f"there is no number {number}; the list has {f'1 to {count}' if count else 'none'}")
    verdict = Verdict.ALLOW if match[1].lower() == "a" else Verdict.DENY
    return Decide(number=number, verdict=verdict, reasoning=(match[3] or "").strip() or None)


def list_lines(waiting: list[Waiting], now: datetime, width: int) -> list[str]:
    """The numbered list, one entry a line; the reason gives way where a line would be wider than `width`."""
    return [f"{number:>3}  {_entry(item, now, width - 5)}" for number, item in enumerate(waiting, start=1)]


def _entry(item: Waiting, now: datetime, width: int) -> str:
    action = item.action
    before = [
        clean(action.action_type),
        clean(action.agent_id) or "no agent",
        fit(clean(action.declared_goal), GOAL) or "no goal given",
        f"risk {action.risk_score:g}",
    ]
    after = "no expiry" if item.approval is None else f"expires in {_left(item.approval, now)}"
    room = width - width_of(BAR.join([*before, "", after]))
    return BAR.join([*before, fit(item.why, max(room, SHORTEST)), after])


def row(item: Waiting) -> tuple[object, ...]:
    """The same as columns, for a pipe; the goal is whole."""
    action, approval = item.action, item.approval
    asked, expires = (None, None) if approval is None else (approval.requested_at, approval.expires_at)
    return (
        action.action_id,
        action.action_type,
        action.agent_id,
        action.declared_goal,
        f"{action.risk_score:g}",
        item.why,
        moment(asked or action.created_at),
        moment(expires),
    )


def _left(approval: Approval, now: datetime) -> str:
    return span((approval.expires_at - now).total_seconds())
