"""What a look at the messages asks for, and how that stands in the address.

`view` is one of the five lists; `agent_id` whose they are. Of the inbox: `direction`, `message_type`, `unread=yes`,
`cursor`, and `message_id` for one that is open. Of threads and context: `thread_id` for one that is open. Of the loops:
`status`. A value that means nothing is left out, and a sentence says so; what another view has is left out silently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from assent.contract.loops import LoopStatus
from assent.contract.messages import Direction, MessageType
from assent_dashboard.views.scope import LONGEST_NAME, read_text

E = TypeVar("E", bound=StrEnum)

YES = "yes"
LONGEST_CURSOR = 400


class View(StrEnum):
    """Which list."""

    INBOX = "inbox"
    THREADS = "threads"
    HANDOFFS = "handoffs"
    CONTEXT = "context"
    LOOPS = "loops"


@dataclass(frozen=True)
class Filters:
    """None asks for all."""

    view: View = View.INBOX
    agent_id: str | None = None
    direction: Direction | None = None
    message_type: MessageType | None = None
    unread: bool = False
    status: LoopStatus | None = None
    message_id: str | None = None
    thread_id: str | None = None
    cursor: str | None = None

    @property
    def narrowed(self) -> bool:
        """Whether anything leaves rows out."""
        of_inbox = self.view is View.INBOX and bool(self.direction or self.message_type or self.unread)
        return of_inbox or bool(self.agent_id) or (self.view is View.LOOPS and self.status is not None)

    def address(self) -> dict[str, str]:
        """The query parameters of this look."""
        members = {
            "view": self.view if self.view is not View.INBOX else None,
            "agent_id": self.agent_id,
            "direction": self.direction,
            "message_type": self.message_type,
            "unread": YES if self.unread else None,
            "status": self.status,
            "message_id": self.message_id,
            "thread_id": self.thread_id,
            "cursor": self.cursor,
        }
        return {name: str(value) for name, value in members.items() if value}

    def to(self, view: View) -> Filters:
        """Another list of the same agent."""
        return Filters(view=view, agent_id=self.agent_id)

    def opened(self, message_id: str) -> Filters:
        return replace(self, message_id=message_id)

    def entered(self, thread_id: str) -> Filters:
        return replace(self, thread_id=thread_id, message_id=None)

    def closed(self) -> Filters:
        """The list that it was opened from."""
        return replace(self, message_id=None, thread_id=None)

    def at(self, cursor: str | None) -> Filters:
        return replace(self, cursor=cursor)


def read(address: Mapping[str, str]) -> tuple[Filters, list[str]]:
    """The filters that an address asks for, and a sentence for each value that means nothing."""
    problems: list[str] = []
    view = _choice(address, "view", View, problems) or View.INBOX
    agent_id = read_text(address, "agent_id", LONGEST_NAME, problems)
    if view is View.INBOX:
        return Filters(
            view=view,
            agent_id=agent_id,
            # A box is somebody's; without an agent there is only everything.
            direction=_choice(address, "direction", Direction, problems) if agent_id else None,
            message_type=_choice(address, "message_type", MessageType, problems),
            unread=address.get("unread") == YES,
            message_id=read_text(address, "message_id", LONGEST_NAME, problems),
            cursor=read_text(address, "cursor", LONGEST_CURSOR, problems),
        ), problems
    return Filters(
        view=view,
        agent_id=agent_id,
        status=_choice(address, "status", LoopStatus, problems) if view is View.LOOPS else None,
        thread_id=read_text(address, "thread_id", LONGEST_NAME, problems)
        if view in (View.THREADS, View.CONTEXT)
        else None,
        cursor=read_text(address, "cursor", LONGEST_CURSOR, problems),
    ), problems


def _choice(address: Mapping[str, str], name: str, kind: type[E], problems: list[str]) -> E | None:
    given = address.get(name, "").strip()
    if not given:
        return None
    try:
        return kind(given)
    except ValueError:
        problems.append(f"{name} is {given[:40]!r}; it can be {', '.join(kind)}. Showing without it.")
        return None
