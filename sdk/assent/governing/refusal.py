"""What a model is told of a call that did not run: what was refused, why, which action it was, and what to do."""

from __future__ import annotations

from assent.errors import (
    ApprovalDeniedError,
    ApprovalExpiredError,
    ApprovalTimeoutError,
    AssentError,
    GuardBlockedError,
)


def refusal(name: str, error: AssentError) -> str:
    """The result that a model gets from the tool `name` instead of the tool's own."""
    match error:
        case GuardBlockedError():
            why, then = "it is not allowed", "Do not try it again in other words; tell the user what was not allowed."
        case ApprovalDeniedError():
            why, then = "a person denied it", "Do not try it again; tell the user what was denied and why."
        case ApprovalTimeoutError():
            why, then = "nobody has approved it yet", "Tell the user that it waits for an approval, and under which id."
        case ApprovalExpiredError():
            why, then = "nobody approved it in time", "Ask the user whether it is still wanted before you try it again."
        case _:
            why, then = "Assent could not allow it", "Nothing was done. Tell the user; do not work around it."
    return f"{name} did not run: {why}. {error} {then}"
