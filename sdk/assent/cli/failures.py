"""How a command ends when something is wrong: `Error: ...` on standard error, and the exit code that says what kind.

Modules of the SDK are imported here only when something has gone wrong, so that `assent --help` does not pay for them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager

import typer

from assent.cli.exits import Exit


class Failure(Exception):
    """What a command itself finds wrong; `exit` says what kind."""

    def __init__(self, message: str, exit: Exit) -> None:
        super().__init__(message)
        self.exit = exit


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
    from assent.data.schedule import WindowError
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
