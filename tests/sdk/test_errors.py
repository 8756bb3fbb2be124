from __future__ import annotations

import inspect
import subprocess
import sys

import msgspec
import pytest

from assent import errors
from assent.contract.actions import Action
from assent.contract.guard import GuardResult
from assent.contract.problems import STATUS, Code
from assent.errors import (
    EXCEPTIONS,
    ApiError,
    ApprovalDeniedError,
    ApprovalError,
    ApprovalExpiredError,
    ApprovalTimeoutError,
    AssentError,
    ConnectionFailed,
    GuardBlockedError,
    MissingExtra,
    NotAwaitingApprovalError,
    family,
)
from tests.sdk.client import samples

FAMILIES: list[type[ApiError]] = [ApiError, *ApiError.__subclasses__()]
ACTION = msgspec.convert(samples.action("cancelled"), Action)


def test_every_code_has_its_exception() -> None:
    assert set(EXCEPTIONS) == set(Code)


@pytest.mark.parametrize("code", Code)
def test_the_exception_of_a_code_is_the_one_of_its_status(code: Code) -> None:
    expected = GuardBlockedError if code is Code.ACTION_BLOCKED else family(STATUS[code])
    assert EXCEPTIONS[code] is expected


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    drawn: dict[str, str] = {}
    above: list[str] = []
    assert errors.__doc__ is not None
    for line in errors.__doc__.partition("\n\n")[2].splitlines():
        name = line.strip().partition(" ")[0]
        depth = (len(line) - len(line.lstrip())) // 2
        above[depth:] = [name]
        drawn[name] = above[depth - 1] if depth else "Exception"
    defined = {
        name: shape.__bases__[0].__name__
        for name, shape in inspect.getmembers(errors, inspect.isclass)
        if issubclass(shape, Exception)
    }
    assert drawn == defined


@pytest.mark.parametrize(
    ("error", "next_step"),
    [
        (ApprovalDeniedError(decision="deny", reasoning="too risky", action=ACTION), "create a new one"),
        (ApprovalExpiredError(ACTION), "create the action again"),
        (ApprovalTimeoutError("act_1", 300.0), "call wait_for_approval again"),
        (NotAwaitingApprovalError(ACTION), "Create a new action"),
        (ConnectionFailed(url="http://127.0.0.1:8484/x", reason="refused"), "assent start"),
        (MissingExtra(what="reading frames", extra="analytics"), "pip install 'assent[analytics]'"),
        (GuardBlockedError(msgspec.convert(samples.decision("block"), GuardResult)), "ask an operator"),
        *[(shape(status=400, code="x", detail="It is wrong"), f"What to do: {shape.advice}") for shape in FAMILIES],
    ],
)
def test_every_message_says_what_to_do_next(error: AssentError, next_step: str) -> None:
    assert next_step in str(error)


def test_the_endings_of_a_wait_are_siblings() -> None:
    endings = (ApprovalDeniedError, ApprovalExpiredError, ApprovalTimeoutError, NotAwaitingApprovalError)
    for one in endings:
        assert [other for other in endings if issubclass(one, other)] == [one]
        assert issubclass(one, ApprovalError)


def test_a_timeout_and_a_missing_part_are_what_python_calls_them_too() -> None:
    assert issubclass(ApprovalTimeoutError, TimeoutError)
    assert issubclass(MissingExtra, ImportError)


def test_a_denial_carries_the_operators_words() -> None:
    error = ApprovalDeniedError(decision="deny", reasoning="too risky", action=ACTION)
    assert (error.decision, error.reasoning, error.action, error.action_id) == (
        "deny",
        "too risky",
        ACTION,
        samples.ID,
    )
    assert "too risky" in str(error)
    assert "no reason given" in str(ApprovalDeniedError(decision="deny", reasoning=None, action=ACTION))


def test_a_problem_cannot_be_changed_behind_the_errors_back() -> None:
    problem = {"code": "x"}
    error = ApiError(status=400, code="x", detail="d", problem=problem)
    problem["code"] = "y"
    assert error.problem == {"code": "x"}


def test_errors_can_be_had_without_httpx() -> None:
    script = "import sys, assent.errors; print('httpx' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
