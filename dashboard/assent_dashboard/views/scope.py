"""What a page is asked to look at: how far back, which agent, which type of action; kept in the address and nowhere
else, so a copied link shows the same view.

- A value that means nothing is replaced by the default, and a sentence says which value that was and what would do.
- What is not asked for does not stand in the address; the window always does once a widget has been touched, so that a
  link still means the same when the default changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assent.contract.window import days_of

WINDOWS = ("1d", "7d", "30d", "90d")
DEFAULT_WINDOW = "30d"
LONGEST_NAME = 128
NAMES = ("window", "agent_id", "action_type")


@dataclass(frozen=True)
class Scope:
    """None asks for all."""

    window: str = DEFAULT_WINDOW
    agent_id: str | None = None
    action_type: str | None = None

    @property
    def days(self) -> int:
        return days_of(self.window)

    @property
    def narrowed(self) -> bool:
        """Whether anything but the window leaves rows out."""
        return bool(self.agent_id or self.action_type)

    def address(self) -> dict[str, str]:
        """The query parameters of this view."""
        return {name: str(value) for name in NAMES if (value := getattr(self, name))}


def read(address: Mapping[str, str], default_window: str = DEFAULT_WINDOW) -> tuple[Scope, list[str]]:
    """The scope that an address asks for, and a sentence for each value that means nothing."""
    problems: list[str] = []
    scope = Scope(
        window=read_window(address, problems, default_window),
        agent_id=read_text(address, "agent_id", LONGEST_NAME, problems),
        action_type=read_text(address, "action_type", LONGEST_NAME, problems),
    )
    return scope, problems


def read_window(address: Mapping[str, str], problems: list[str], default: str) -> str:
    given = address.get("window", "").strip()
    if not given:
        return default
    try:
        days_of(given)
    except ValueError as error:
        problems.append(f"{error}. Showing {default} instead.")
        return default
    return given


def read_text(address: Mapping[str, str], name: str, longest: int, problems: list[str]) -> str | None:
    given = address.get(name, "").strip()
    if len(given) > longest:
        problems.append(f"{name} has {len(given)} characters, at most {longest} are possible. Showing without it.")
        return None
    return given or None


def in_words(window: str) -> str:
    """`the last day`, `the last 30 days`."""
    days = days_of(window)
    return "the last day" if days == 1 else f"the last {days} days"
