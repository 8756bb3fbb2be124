"""Refusing a request: one exception for every reason, one shape for every error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET

from assent.contract.one_reading import Twice
from assent.contract.problems import PROBLEM_TYPE, Code, FieldError, Problem
from assent.secrets import displayed, forms, without_own

TITLES: dict[Code, str] = {code: code.replace("_", " ").capitalize() for code in Code}


class Refusal(Exception):
    """A request that cannot be carried out; `extras` are further members of the problem."""

    def __init__(
        self, code: Code, detail: str, errors: Iterable[FieldError] = (), extras: dict[str, Any] | None = None
    ) -> None:
        super().__init__(detail)
        self.code, self.detail, self.errors, self.extras = code, detail, list(errors), extras or {}

    @property
    def status(self) -> int:
        return self.code.status


def refuse(code: Code, detail: str, *errors: FieldError, **extras: Any) -> Refusal:
    """A `Refusal` to raise: `raise refuse(Code.ACTION_NOT_FOUND, "...")`. `retry_after` among the extras is in whole
    seconds and answered in the header `retry-after`."""
    return Refusal(code, detail, errors, extras)


def render(refusal: Refusal, path: str) -> bytes:
    """The problem document of `refusal` for a request to `path` (without its query, which may hold secrets)."""
    lines = [f"{error.place}: {error.message}" for error in refusal.errors]
    problem = Problem(
        type=f"{PROBLEM_TYPE}{refusal.code}",
        title=TITLES[refusal.code],
        status=refusal.status,
        detail=refusal.detail,
        instance=path,
        code=refusal.code,
        errors=refusal.errors,
        error=refusal.detail,
        details=lines,
        decision=refusal.extras.get("decision", UNSET),
        action=refusal.extras.get("action", UNSET),
        approval=refusal.extras.get("approval", UNSET),
        current_status=refusal.extras.get("current_status", UNSET),
    )
    content = msgspec.json.encode(problem)
    # Details and paths repeat what was sent.
    return without_own(content.decode()).encode() if forms() else content


def two_readings(twice: Twice) -> Refusal:
    name = displayed(twice.name)[:40]
    return refuse(
        Code.INVALID_BODY,
        f"The body has two readings: the member {name!r} stands twice in one object.",
        FieldError(place=name, message="stands twice in one object"),
    )
