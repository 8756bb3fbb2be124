"""The size of a terminal that is followed while it is resized."""

from __future__ import annotations

import os

EXPORTED = ("COLUMNS", "LINES")


def follow_the_terminal() -> None:
    """For a command that goes on while the terminal is resized: its size is asked of the terminal from here on.

    COLUMNS and LINES, where a shell exported them, hold the size of an earlier moment and would win over it.
    """
    for name in EXPORTED:
        os.environ.pop(name, None)
