"""Codes, and the problems that carry them. What the documentation says of codes is generated from them. Pure."""

import pickle
import re

import msgspec
import pytest

from assent.contract.problems import Code, FieldError, Problem

EACH = pytest.mark.parametrize("code", list(Code), ids=str)


@EACH
def test_a_code_says_when_and_what_to_do_in_whole_sentences(code: Code) -> None:
    assert 400 <= code.status <= 599
    for sentence in (code.when, code.remedy):
        assert re.fullmatch(r"[A-Z0-9`].*\.", sentence)


@EACH
def test_a_code_is_a_word_wherever_words_go(code: Code) -> None:
    assert (str(code), f"{code}", code.value) == (code.value, code.value, code)
    assert Code(code.value) is code
    assert pickle.loads(pickle.dumps(code)) is code
    assert msgspec.json.decode(msgspec.json.encode([code]), type=list[Code]) == [code]
    assert {code.value: 1}[code] == 1


@pytest.mark.parametrize(
    ("suffix", "status"),
    [("_not_found", 404), ("_exists", 409), ("_mismatch", None), ("invalid_", 400), ("_expired", 410)],
)
def test_codes_of_one_kind_have_one_status(suffix: str, status: int | None) -> None:
    found = {code.status for code in Code if code.endswith(suffix) or code.startswith(suffix)}
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
