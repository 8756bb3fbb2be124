"""What the dashboard reads from the environment of its process."""

from __future__ import annotations

from assent.deciding import LONGEST_UNDO_SECONDS, UNDO_SECONDS

VARIABLES: dict[str, tuple[str, str]] = {
    "ASSENT_UNDO_SECONDS": (
        f"{UNDO_SECONDS:g}",
        "for how long a decision can be taken back before it leaves, on the page of approvals and in the inbox of "
        f"`assent approvals`, up to {LONGEST_UNDO_SECONDS:g}; `0` sends it at once",
    ),
}
"""The default, and what it means."""
