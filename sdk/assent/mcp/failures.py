"""What a model is told when a tool has no answer: what is wrong, and that it must not act.

A service that is down, slow or broken never lets an action through; the texts say so in words that cannot be taken for
a yes. Keys are taken out of every text, also where something in between has sent one back.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from assent.contract.problems import FieldError
from assent.errors import AssentError

logger = logging.getLogger(__name__)

GUARDING = (
    "DO NOT CARRY OUT THE ACTION: Assent has not allowed it. Tell the user what is wrong; ask again once it is right."
)
REPORTING = (
    "Nothing was confirmed as recorded. Correct the call; where Assent does not answer, tell the user and begin no "
    "further actions until it does."
)
READING = "Nothing was read. This allows nothing: do not act on what it might have said."
AGAIN = "Correct the arguments and call it again; until it has answered, nothing is allowed."
HIDDEN = "[key]"


def wrong_arguments(tool: str, errors: Sequence[FieldError]) -> str:
    lines = [f"- {error.place}: {error.message}" for error in errors]
    return "\n".join(
        [
            f"{tool} was not called, because its arguments are wrong (its schema says what each takes):",
            *lines,
            AGAIN,
        ]
    )


def no_answer(tool: str, error: Exception, consequence: str) -> str:
    """For what is expected to go wrong its own words; for anything else its kind alone, since its words may hold
    anything. Standard error gets those with their traceback."""
    if isinstance(error, AssentError | ValueError):
        return f"{tool} failed: {error}\n{consequence}"
    logger.error("%s failed in a way that nobody expected", tool, exc_info=error)
    return f"{tool} failed: {type(error).__name__} in the MCP server, whose log says more.\n{consequence}"


def without_key(text: str, key: str | None) -> str:
    return text.replace(key, HIDDEN) if key else text
