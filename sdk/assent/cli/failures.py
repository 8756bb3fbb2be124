"""How a command ends when something is wrong: `Error: ...` on standard error, and the exit code that says what kind.

`assent --help` shows what the codes mean.

Modules of the SDK are imported here only when something has gone wrong, so that `assent --help` does not pay for them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from enum import IntEnum

import typer


class Exit(IntEnum):
    OK = 0
    REFUSED = 1
    USAGE = 2
    UNREACHABLE = 3
    UNAUTHORIZED = 4
    DENIED = 5
    WARNED = 6
    BLOCKED = 7
    FOLDER = 8
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
    Exit.FOLDER: "the data folder cannot be used as it is: a person has to look, starting again changes nothing",
    Exit.INTERRUPTED: "interrupted from the keyboard",
}
"""Total over `Exit`, which a test holds."""


def epilog() -> str:
    """The codes as `--help` shows them; the control character is click's mark for text not to be wrapped again."""
    return "\b\n" + "\n".join(["Exit codes:", *(f"{code.value:>5}  {text}" for code, text in MEANING.items())])


class Failure(Exception):
    """What a command itself finds wrong; `exit` says what kind."""

    def __init__(self, message: str, exit: Exit) -> None:
        super().__init__(message)
        self.exit = exit


class LastingFailure(Failure):
    """One that the same command meets again, however often it is given."""


@contextmanager
def reporting() -> Generator[None]:
    """Turn every expected error into its line and its exit code; what nobody expected stays a traceback."""
    try:
        yield
    except BrokenPipeError:
        # Whoever was reading has gone (`assent ... | head`); the interpreter must not complain about it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(Exit.OK) from None
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        raise typer.Exit(Exit.INTERRUPTED) from None
    except Exception as error:
        code = exit_of(error)
        if code is None:
            raise
        print(f"Error: {error}", file=sys.stderr)
        raise typer.Exit(code) from None


def exit_of(error: Exception) -> Exit | None:
    """The exit code of an error; None for one that is a defect of the program."""
    from assent import errors
    from assent.data.mapping import MappingError
    from assent.data.records import WindowError
    from assent.data.transcripts import TranscriptError

    match error:
        case Failure():
            return error.exit
        case errors.ConnectionFailed() | errors.Unavailable() | errors.ServerError():
            return Exit.UNREACHABLE
        case errors.Unauthorized() | errors.Forbidden():
            return Exit.UNAUTHORIZED
        case errors.Gone() | errors.GuardBlockedError() | errors.ApprovalError():
            return Exit.DENIED
        case errors.MissingExtra() | TranscriptError() | MappingError() | WindowError():
            return Exit.USAGE
        case errors.AssentError():
            return Exit.REFUSED
        case _:
            return None
