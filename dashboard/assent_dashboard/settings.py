"""What the dashboard reads from the environment of its process."""

from __future__ import annotations

from collections.abc import Mapping

UNDO_SECONDS, LONGEST_UNDO_SECONDS = 5.0, 60.0
UNDO_VARIABLE = "ASSENT_UNDO_SECONDS"
VARIABLES: dict[str, tuple[str, str]] = {
    "ASSENT_UNDO_SECONDS": (
        f"{UNDO_SECONDS:g}",
        "for how long a decision can be taken back on the page of approvals before it leaves, up to "
        f"{LONGEST_UNDO_SECONDS:g}; `0` sends it at once",
    ),
}
"""The default, and what it means."""


def undo_seconds(environment: Mapping[str, str]) -> float:
    """For how long a decision can be taken back; 0 sends it at once. Raises ValueError naming what is allowed."""
    given = environment.get(UNDO_VARIABLE, "")
    try:
        seconds = float(given or UNDO_SECONDS)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= LONGEST_UNDO_SECONDS:
        raise ValueError(f"{UNDO_VARIABLE} is {given!r}; give seconds from 0 to {LONGEST_UNDO_SECONDS:g}.")
    return seconds
