from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import msgspec
import pytest

from assent import errors
from assent.contract.control.actions import Action
from assent.contract.control.guard import GuardResult
from assent.contract.control.questions import ApprovalQuestion
from assent.contract.people.pairings import PairingStatus
from assent.contract.problems import Code, FieldError
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
)
from tests.sdk.client import samples

FAMILIES: list[type[ApiError]] = [ApiError, *ApiError.__subclasses__()]
ACTION = msgspec.convert(samples.action("cancelled"), Action)


def test_a_code_becomes_what_a_caller_catches() -> None:
    """One of each status, by hand."""
    assert EXCEPTIONS[Code.INVALID_BODY] is EXCEPTIONS[Code.PAYLOAD_TOO_LARGE] is errors.InvalidRequest
    assert EXCEPTIONS[Code.HEADER_TOO_LARGE] is EXCEPTIONS[Code.IDEMPOTENCY_MISMATCH] is errors.InvalidRequest
    assert EXCEPTIONS[Code.METHOD_NOT_ALLOWED] is errors.InvalidRequest
    assert EXCEPTIONS[Code.SIGNATURE_REPLAYED] is errors.Unauthorized
    assert EXCEPTIONS[Code.SELF_APPROVAL] is errors.Forbidden
    assert EXCEPTIONS[Code.ACTION_BLOCKED] is GuardBlockedError
    assert EXCEPTIONS[Code.LOOP_NOT_FOUND] is errors.NotFound
    assert EXCEPTIONS[Code.LOOP_CLOSED] is errors.Conflict
    assert EXCEPTIONS[Code.ACTION_ERASED] is errors.Gone
    assert EXCEPTIONS[Code.TOO_MANY_WAITING] is errors.TooManyRequests
    assert EXCEPTIONS[Code.INTERNAL_ERROR] is errors.ServerError
    assert EXCEPTIONS[Code.BODY_TIMEOUT] is EXCEPTIONS[Code.READ_ONLY] is errors.Unavailable
    assert set(EXCEPTIONS) == set(Code)


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
        (ApprovalDeniedError(decision="deny", reasoning="too risky", action=ACTION), "tell the user what was denied"),
        (ApprovalExpiredError(ACTION), "ask the user whether it is still wanted"),
        (ApprovalTimeoutError("act_1", 300.0), "wait for it again, or tell the user"),
        (NotAwaitingApprovalError(ACTION), "Create a new action"),
        (ConnectionFailed(url="http://127.0.0.1:8484/x", reason="refused"), "assent start"),
        (MissingExtra(what="reading frames", extra="analytics"), "pip install 'assent[analytics]'"),
        (GuardBlockedError(msgspec.convert(samples.decision("block"), GuardResult)), "An operator can change"),
        *[(shape(status=400, code="x", detail="It is wrong"), f"What to do: {shape.advice}") for shape in FAMILIES],
    ],
)
def test_every_message_says_what_to_do_next(error: AssentError, next_step: str) -> None:
    assert next_step in str(error)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (Code.AGENT_MISMATCH, "What to do: Leave `agent_id` out, or use that agent's own key."),
        (Code.FORBIDDEN, "an agent's key can never approve."),
        (Code.TOO_MANY_WAITING, "What to do: Wait until operators have decided some, and withdraw those"),
        (Code.TOO_MANY_FAILED_KEYS, "a valid key is not slowed"),
        (Code.UNAUTHORIZED, "ASSENT_API_KEY"),
    ],
)
def test_a_code_says_what_to_do_about_it_and_not_what_its_family_says(code: Code, said: str) -> None:
    shape = EXCEPTIONS[code]
    assert issubclass(shape, ApiError)
    error = shape(status=code.status, code=code, detail="It is wrong")
    assert said in str(error)
    assert error.advice in str(error)
    assert shape.advice not in str(error)


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


def _all(shape: type[AssentError] = AssentError) -> list[type[AssentError]]:
    """Every class of `assent.errors`."""
    found = [shape] if shape.__module__ == errors.__name__ else []
    for each in shape.__subclasses__():
        found += _all(each)
    return list(dict.fromkeys(found))


PAIRING = {
    "id": "pair_1",
    "pairing_id": "pair_1",
    "agent_id": "agent-7",
    "agent_name": None,
    "algorithm": "RSASSA-PKCS1-v1_5",
    "status": "expired",
    "expires_at": samples.NOW,
    "created_at": samples.NOW,
    "updated_at": samples.NOW,
}
QUESTION = msgspec.convert(
    {
        **dict.fromkeys(("org_id", "question_id", "action_id", "approval_id", "agent_id", "action_type"), "org_1"),
        **dict.fromkeys(("answer", "replaced_by", "answered_by", "answered_by_key", "closed_at")),
        "text": "Why?",
        "conditions": ["only 50 EUR"],
        "state": "open",
        "created_at": samples.NOW,
        "asked_by": "Ann",
        "asked_by_key": "key_1",
    },
    ApprovalQuestion,
)
OF_A_TYPE: dict[Any, object] = {
    str: "some text",
    int: 409,
    float: 1.5,
    bool: True,
    str | None: "other text",
    float | None: 2.5,
    int | None: 100,
    Code | str: Code.ACTION_EXISTS,
    Sequence[FieldError]: (FieldError(place="body.x", message="wrong"),),
    Mapping[str, Any] | None: {"code": "action_exists", "action": {"status": "running", "of": [1, None]}},
    Action: ACTION,
    GuardResult: msgspec.convert(samples.decision("block", reasons=["halted"]), GuardResult),
    PairingStatus: msgspec.convert(PAIRING, PairingStatus),
    ApprovalQuestion: QUESTION,
}
"""What each parameter of an error's constructor is filled with, by its type."""


def _filled(shape: type[AssentError]) -> AssentError:
    """One with every member filled, and one more that somebody has set beside them."""
    constructor = shape.__init__
    if isinstance(constructor, types.FunctionType):
        named = {
            **vars(errors),
            **{each.__name__: each for each in (Action, ApprovalQuestion, GuardResult, PairingStatus)},
        }
        hints = typing.get_type_hints(constructor, named)
        parameters = list(inspect.signature(shape).parameters.values())
        given = {each.name: OF_A_TYPE[hints[each.name]] for each in parameters}
        places = [given.pop(each.name) for each in parameters if each.kind is not inspect.Parameter.KEYWORD_ONLY]
        error = shape(*places, **given)
    else:
        error = shape("it went wrong", 7)
    error.add_note("told by the caller")
    error.beside = ["what", "somebody", "set"]  # type: ignore[attr-defined]
    return error


def _members(error: AssentError) -> dict[str, object]:
    """Everything that can be read from it and is no method."""
    names = [name for name in dir(error) if not name.startswith("__") and name != "problem"]
    found = {name: getattr(error, name, None) for name in names if not callable(getattr(error, name, None))}
    problem = dict(error.problem) if isinstance(error, ApiError) else None
    return {**found, "problem": problem, "args": error.args, "notes": error.__notes__, "text": str(error)}


def _pickled(error: AssentError, protocol: int) -> AssentError:
    found: AssentError = pickle.loads(pickle.dumps(error, protocol))
    return found


WAYS: dict[str, Callable[[AssentError], AssentError]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle of old": lambda error: _pickled(error, 0),
    "pickle": lambda error: _pickled(error, pickle.HIGHEST_PROTOCOL),
    "twice": lambda error: _pickled(copy.deepcopy(error), pickle.HIGHEST_PROTOCOL),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shape", _all())
def test_an_error_survives_being_copied_and_pickled_with_all_its_members(shape: type[AssentError], way: str) -> None:
    error = _filled(shape)
    found = WAYS[way](error)
    assert type(found) is shape
    assert _members(found) == _members(error)
    with pytest.raises(shape):
        raise found


def test_a_deep_copy_shares_nothing_that_can_be_changed() -> None:
    error = ApiError(status=400, code="x", detail="d", problem={"errors": ["one"]})
    copied = copy.deepcopy(error)
    error.problem["errors"].append("two")
    assert copied.problem == {"errors": ["one"]}


def _refused(shape: type[AssentError]) -> None:
    raise _filled(shape)


def test_errors_come_back_from_a_pool_of_processes() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        for shape, future in [(each, pool.submit(_refused, each)) for each in _all()]:
            found = future.exception(60)
            assert type(found) is shape
            assert _members(found) == _members(_filled(shape))
