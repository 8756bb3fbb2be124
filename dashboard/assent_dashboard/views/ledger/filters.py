"""What a look at the ledger asks for, and how that stands in the address.

The address is the only place where it is kept: every run reads it, every widget writes it, so a copied link shows the
same view. The rules:

- `window`, `agent_id`, `action_type`, `status`, `decision`, `view`, `cursor` and `action_id`; others are left alone.
- What is written is said even when it is the default, as far as the window goes, so that a link still means the same
  when the default changes; what is not asked for does not stand there.
- A value that means nothing is replaced by the default, and a sentence says which value that was and what would do.
- Decisions have no status: there it is kept out of the question, and kept in the address for the way back.
- Another filter begins at the first page: a cursor belongs to the list it was cut from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from assent import ActionStatus, Decision
from assent.contract.window import days_of
from assent_dashboard.views.scope import LONGEST_NAME, Scope, read_text, read_window

DEFAULT_WINDOW = "7d"
LONGEST_CURSOR = 400
MEMBERS = ("agent_id", "action_type", "status", "decision", "view", "cursor", "action_id")

E = TypeVar("E", bound=StrEnum)


class View(StrEnum):
    """Which list."""

    ACTIONS = "actions"
    DECISIONS = "decisions"


@dataclass(frozen=True)
class Filters:
    """None asks for all; `cursor` is a page of the list, `action_id` one action of it that is looked at."""

    window: str = DEFAULT_WINDOW
    agent_id: str | None = None
    action_type: str | None = None
    status: ActionStatus | None = None
    decision: Decision | None = None
    view: View = View.ACTIONS
    cursor: str | None = None
    action_id: str | None = None

    @property
    def scope(self) -> Scope:
        return Scope(self.window, self.agent_id, self.action_type)

    @property
    def days(self) -> int:
        return days_of(self.window)

    @property
    def narrowed(self) -> bool:
        """Whether anything but the window leaves rows out."""
        by_status = self.view is View.ACTIONS and self.status is not None
        return by_status or any((self.agent_id, self.action_type, self.decision))

    def address(self) -> dict[str, str]:
        """The query parameters of this view."""
        members = {
            "window": self.window,
            "agent_id": self.agent_id,
            "action_type": self.action_type,
            "status": self.status,
            "decision": self.decision,
            "view": self.view if self.view is not View.ACTIONS else None,
            "cursor": self.cursor,
            "action_id": self.action_id,
        }
        return {name: str(value) for name, value in members.items() if value}

    def opened(self, action_id: str) -> Filters:
        return replace(self, action_id=action_id)

    def closed(self) -> Filters:
        return replace(self, action_id=None)

    def at(self, cursor: str | None) -> Filters:
        return replace(self, cursor=cursor)


def void(address: Mapping[str, str], filters: Filters) -> tuple[str, ...]:
    """The members of an address that were read as if they did not stand there."""
    return tuple(name for name in MEMBERS if name in address and name not in filters.address())


def read(address: Mapping[str, str]) -> tuple[Filters, list[str]]:
    """The filters that an address asks for, and a sentence for each value that means nothing."""
    problems: list[str] = []
    filters = Filters(
        window=read_window(address, problems, DEFAULT_WINDOW),
        agent_id=read_text(address, "agent_id", LONGEST_NAME, problems),
        action_type=read_text(address, "action_type", LONGEST_NAME, problems),
        status=_choice(address, "status", ActionStatus, problems),
        decision=_choice(address, "decision", Decision, problems),
        view=_choice(address, "view", View, problems) or View.ACTIONS,
        cursor=read_text(address, "cursor", LONGEST_CURSOR, problems),
        action_id=read_text(address, "action_id", LONGEST_NAME, problems),
    )
    return filters, problems


def _choice(address: Mapping[str, str], name: str, kind: type[E], problems: list[str]) -> E | None:
    given = address.get(name, "").strip()
    if not given:
        return None
    try:
        return kind(given)
    except ValueError:
        known = ", ".join(kind)
        problems.append(f"{name} is {given[:40]!r}; it can be {known}. Showing without it.")
        return None
