"""Text and JSON that a command is given: on the line, in a file, or on standard input; and names of one version ago."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import typer

from assent.cli.failures import Exit, Failure

T = TypeVar("T")

EXAMPLE = '{"action_type": "deploy"}'


def read_text(path: Path) -> str:
    """The file's text, or standard input's for `-`. Raises Failure."""
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror or error}", Exit.USAGE) from None
    except UnicodeDecodeError as error:
        raise Failure(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8", Exit.USAGE) from None


def read_json(given: str, what: str) -> dict[str, Any]:
    """A JSON object: itself, `@FILE`, or `-`. Raises Failure."""
    text = read_text(Path(given[1:])) if given.startswith("@") else read_text(Path("-")) if given == "-" else given
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Failure(f"{what} is no JSON: {error}; give {EXAMPLE}, or @FILE", Exit.USAGE) from None
    if not isinstance(data, dict):
        raise Failure(f"{what} is a {type(data).__name__}; give a JSON object such as {EXAMPLE}", Exit.USAGE)
    return data


def identifier(given: str) -> str:
    """An id as the service makes them. Raises typer.BadParameter for what none can be."""
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.:\-]{0,127}", given):
        raise typer.BadParameter(f"{given!r} is no id; take it from the list as it is shown there")
    return given


def former_name(name: str, now: str) -> Callable[[], None]:
    """What a group of commands does first under a name that it had. It goes to standard error: answers stay."""

    def say() -> None:
        print(f"Note: {name} is {now} now; the former name goes with the next version.", file=sys.stderr)

    return say


def former_option(name: str, now: str) -> Callable[[T | None], T | None]:
    """The callback of a hidden option which is the former name of another one."""

    def heard(given: T | None) -> T | None:
        if given is not None:
            former_name(name, now)()
        return given

    return heard


def under_either(given: T | None, formerly: T | None, option: str) -> T | None:
    """What an option was given, under its name or under its former one. Raises Failure for both."""
    if given is not None and formerly is not None:
        raise Failure(f"give {option} once; its former name means the same", Exit.USAGE)
    return formerly if given is None else given
