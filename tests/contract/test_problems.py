"""Every code has a status, a meaning, an exception and a row in the documentation."""

import re
from pathlib import Path

import msgspec
import pytest

from assent.contract.openapi_problems import MEANING
from assent.contract.problems import STATUS, Code, FieldError, Problem
from assent.errors import EXCEPTIONS

ERRORS = Path(__file__).parents[2] / "docs" / "errors.md"
EACH = pytest.mark.parametrize("code", list(Code), ids=str)


def rows() -> dict[str, list[str]]:
    """The cells of the documentation's table, by code."""
    lines = [line for line in ERRORS.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]
    return {row[0].strip("`"): row[1:] for row in cells}


def test_every_code_has_a_status_and_nothing_else_has() -> None:
    assert set(STATUS) == set(Code)


def test_every_code_has_a_meaning_and_nothing_else_has() -> None:
    assert set(MEANING) == set(Code)


def test_every_code_has_an_exception_and_nothing_else_has() -> None:
    assert set(EXCEPTIONS) == set(Code)


def test_the_documentation_has_each_code_once_and_no_other() -> None:
    assert list(rows()) == [code.value for code in Code]
    assert len(re.findall(r"^\| `", ERRORS.read_text(encoding="utf-8"), re.MULTILINE)) == len(Code)


@EACH
def test_the_documentation_tells_status_when_and_what_to_do(code: Code) -> None:
    status, exception, when, remedy = rows()[code]
    assert status == str(STATUS[code])
    assert exception == f"`{EXCEPTIONS[code].__name__}`"
    assert when.endswith(".")
    assert remedy.endswith(".")


@pytest.mark.parametrize(
    ("suffix", "status"),
    [("_not_found", 404), ("_exists", 409), ("_mismatch", None), ("invalid_", 400), ("_expired", 410)],
)
def test_codes_of_one_kind_have_one_status(suffix: str, status: int | None) -> None:
    found = {STATUS[code] for code in Code if code.endswith(suffix) or code.startswith(suffix)}
    # A wrong agent is a matter of rights, a wrong idempotency key one of the request, another act than the approved one
    # of how things stand.
    assert found == ({status} if status else {403, 409, 422})


def test_codes_are_published_words() -> None:
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", code) for code in Code)


def problem(**extras: object) -> Problem:
    members = {
        "type": "urn:assent:problem:forbidden",
        "title": "Forbidden",
        "status": 403,
        "detail": "No.",
        "instance": "/api/keys",
        "code": Code.FORBIDDEN,
        "errors": [FieldError(place="body.name", message="too long")],
        "error": "No.",
        "details": ["body.name: too long"],
    }
    return msgspec.convert(members | extras, Problem)


def test_a_problem_has_the_members_of_rfc_9457_and_those_that_published_clients_read() -> None:
    sent = msgspec.json.decode(msgspec.json.encode(problem()))
    assert list(sent) == ["type", "title", "status", "detail", "instance", "code", "errors", "error", "details"]
    assert isinstance(sent["error"], str)
    assert isinstance(sent["details"], list)


def test_extras_are_there_only_when_there_is_something_to_say() -> None:
    sent = msgspec.json.decode(msgspec.json.encode(problem(decision={"decision": "block"})))
    assert sent["decision"] == {"decision": "block"}
    assert "action" not in sent
    assert "approval" not in sent
