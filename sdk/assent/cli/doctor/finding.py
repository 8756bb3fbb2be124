"""What a check found, and how findings are shown. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from assent.cli.text import clean, pad, wrap

STATUS, NAME = 6, 12


class Mark(StrEnum):
    """`skip` is a check that could not be made, or is not for this machine; it is neither right nor wrong."""

    PASS = "pass"  # noqa: S105 - a word
    WARN = "warn"
    FAIL = "fail"
    SKIP = "skip"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """`todo` says what to do about it; nothing for what is right."""

    name: str
    status: Mark
    detail: str
    todo: str | None = None


def passed(name: str, detail: str) -> Finding:
    return Finding(name=name, status=Mark.PASS, detail=detail)


def skipped(name: str, detail: str) -> Finding:
    return Finding(name=name, status=Mark.SKIP, detail=detail)


def warned(name: str, detail: str, todo: str) -> Finding:
    return Finding(name=name, status=Mark.WARN, detail=detail, todo=todo)


def failed(name: str, detail: str, todo: str) -> Finding:
    return Finding(name=name, status=Mark.FAIL, detail=detail, todo=todo)


def lines(findings: Sequence[Finding], width: int) -> list[str]:
    """For a terminal: nothing is cut, and what is to be done stands below what is wrong."""
    shown: list[str] = []
    indent = " " * (STATUS + NAME)
    for each in findings:
        status = each.status.upper() if each.status is Mark.FAIL else each.status.value
        said = [clean(each.detail), *([f"To do: {clean(each.todo)}"] if each.todo else [])]
        text = [line for part in said for line in wrap(part, max(width - STATUS - NAME, 20))]
        head = f"{pad(status, STATUS)}{pad(each.name, NAME)}"
        shown += [(indent if at else head) + line for at, line in enumerate(text)]
    return shown


def row(what: str, each: Finding) -> tuple[str, str, str, str]:
    """For a pipe."""
    return what, each.name, each.status.value, f"{each.detail} To do: {each.todo}" if each.todo else each.detail
