"""What the exit codes of `assent` mean, in one place; `assent --help` shows them."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    OK = 0
    REFUSED = 1
    USAGE = 2
    UNREACHABLE = 3
    UNAUTHORIZED = 4
    DENIED = 5
    WARNED = 6
    BLOCKED = 7
    INTERRUPTED = 130


MEANING: dict[Exit, str] = {
    Exit.OK: "done",
    Exit.REFUSED: "the service said no, somebody else was first, or a proof does not hold",
    Exit.USAGE: "what was asked cannot be done as given: options, a file, a missing extra",
    Exit.UNREACHABLE: "the service does not answer, or cannot at the moment",
    Exit.UNAUTHORIZED: "no key, a key that is not valid, or one whose role may not do this",
    Exit.DENIED: "blocked by guard, denied by an operator, or expired",
    Exit.WARNED: "a scan found what somebody should look at",
    Exit.BLOCKED: "a scan found what should not reach a model",
    Exit.INTERRUPTED: "interrupted from the keyboard",
}
"""Total over `Exit`, which a test holds."""


def epilog() -> str:
    """The codes as `--help` shows them; the control character is click's mark for text not to be wrapped again."""
    return "\b\n" + "\n".join(["Exit codes:", *(f"{code.value:>5}  {text}" for code, text in MEANING.items())])
