"""How an answer becomes a record or an exception."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent import (
    ApiError,
    AssentError,
    Code,
    Conflict,
    Decision,
    FieldError,
    Forbidden,
    Gone,
    GuardBlockedError,
    InvalidRequest,
    NotFound,
    ServerError,
    TooManyRequests,
    Unauthorized,
    Unavailable,
)
from assent.client.answer import read
from assent.client.flow import Answer
from assent.contract.control.actions import GET_ACTION
from tests.sdk.client import samples
from tests.sdk.client.doubles import Stage, Way, answering, bound, problematic

KEY = "assent_" + "5d-aB3_x" * 5
OF_STATUS = {
    400: InvalidRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    405: InvalidRequest,
    408: Unavailable,
    409: Conflict,
    410: Gone,
    413: InvalidRequest,
    422: InvalidRequest,
    429: TooManyRequests,
    431: InvalidRequest,
    500: ServerError,
    503: Unavailable,
}


@pytest.mark.parametrize("code", [code for code in Code if code is not Code.ACTION_BLOCKED])
async def test_every_code_becomes_its_exception(way: Way, code: Code) -> None:
    errors = [{"place": "risk_score", "message": "is 101, expected at most 100"}]
    body = samples.problem(code.value, code.status, "It is wrong; mend it.", errors=errors, approval={"by": "ops"})
    stage = Stage(way, lambda _: problematic(body), retries=0)
    with pytest.raises(ApiError) as caught:
        await stage("get_action", "act_1")
    error = caught.value
    assert type(error) is OF_STATUS[code.status]
    assert (error.status, error.code, error.detail) == (code.status, code, "It is wrong; mend it.")
    assert isinstance(error.code, Code)
    assert error.errors == (FieldError(place="risk_score", message="is 101, expected at most 100"),)
    assert error.problem["approval"] == {"by": "ops"}
    assert "risk_score: is 101" in str(error)
    assert f"What to do: {error.advice}" in str(error)


async def test_a_blocked_creation_raises_with_guards_decision(way: Way) -> None:
    decision = samples.decision("block", reasons=["touches production"], matched_policies=["pol_1"], risk_score=95)
    body = samples.problem("action_blocked", 403, decision=decision, action=samples.action("blocked"))
    stage = Stage(way, lambda _: problematic(body))
    with pytest.raises(GuardBlockedError) as caught:
        await stage("create_action", "deploy")
    error = caught.value
    assert error.decision.decision is Decision.BLOCK
    assert (error.reasons, error.warnings, error.matched_policies) == (["touches production"], [], ["pol_1"])
    assert (error.risk_score, error.action_id) == (95, samples.ID)
    assert "touches production" in str(error)
    assert samples.ID in str(error)


@pytest.mark.parametrize("action", [None, 7, {"action_id": 7}, {}])
async def test_a_block_counts_whatever_stands_for_the_attempt(way: Way, action: Any) -> None:
    body = samples.problem("action_blocked", 403, decision=samples.decision("block"), action=action)
    stage = Stage(way, lambda _: problematic(body))
    with pytest.raises(GuardBlockedError) as caught:
        await stage("create_action", "deploy")
    assert caught.value.action_id is None


@pytest.mark.parametrize("decision", [None, "block", {"decision": "block"}])
async def test_a_block_whose_decision_cannot_be_read_is_still_refused(way: Way, decision: Any) -> None:
    stage = Stage(way, lambda _: problematic(samples.problem("action_blocked", 403, decision=decision)))
    with pytest.raises(Forbidden) as caught:
        await stage("create_action", "deploy")
    assert caught.value.code is Code.ACTION_BLOCKED


async def test_guard_raises_on_block_unless_told_not_to(way: Way) -> None:
    stage = Stage(way, answering(samples.decision("block", reasons=["no"])))
    with pytest.raises(GuardBlockedError) as caught:
        await stage("guard", action_type="deploy")
    assert caught.value.action_id is None
    result = await stage("guard", {"action_type": "deploy"}, raise_on_block=False)
    assert result.decision is Decision.BLOCK


@pytest.mark.parametrize("verdict", ["allow", "warn", "require_approval"])
async def test_guard_returns_every_other_verdict(way: Way, verdict: str) -> None:
    stage = Stage(way, answering(samples.decision(verdict)))
    assert (await stage("guard", action_type="deploy")).decision == verdict


@pytest.mark.parametrize(
    ("status", "shape"),
    [*OF_STATUS.items(), (402, ApiError), (418, ApiError), (502, ServerError), (504, ServerError)],
)
async def test_a_code_of_next_year_goes_by_its_status(way: Way, status: int, shape: type[ApiError]) -> None:
    stage = Stage(way, lambda _: problematic(samples.problem("brand_new", status)), retries=0)
    with pytest.raises(ApiError) as caught:
        await stage("get_action", "act_1")
    assert type(caught.value) is shape
    assert caught.value.code == "brand_new"


@pytest.mark.parametrize(
    ("status", "body", "shape", "says"),
    [
        (502, b"<html>Bad gateway</html>", ServerError, "Bad gateway"),
        (500, b"", ServerError, "without a problem document"),
        (401, b"nope", Unauthorized, "ASSENT_API_KEY"),
        (404, b'["list"]', NotFound, "list"),
        (400, b'{"error": "Validation failed", "errors": "not a list"}', InvalidRequest, "Validation failed"),
        (403, b'{"code": 7, "detail": ["x"], "title": "Forbidden!"}', Forbidden, "Forbidden!"),
        (500, b"[" * 100_000, ServerError, "without a problem document"),
        (500, b"\xff\xfe", ServerError, "without a problem document"),
    ],
)
async def test_answers_of_something_in_between_are_told_apart_too(
    way: Way, status: int, body: bytes, shape: type[ApiError], says: str
) -> None:
    stage = Stage(way, lambda _: httpx.Response(status, content=body), retries=0)
    with pytest.raises(shape) as caught:
        await stage("get_action", "act_1")
    assert caught.value.status == status
    assert says in str(caught.value)
    assert "What to do" in str(caught.value)
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize("body", [b"", b"{}", b"<html>", b'{"action": 7}', b"\xff", b"null", b"[" * 100_000])
async def test_a_success_that_cannot_be_read_is_a_server_error(way: Way, body: bytes) -> None:
    stage = Stage(way, lambda _: httpx.Response(200, content=body))
    with pytest.raises(ServerError) as caught:
        await stage("get_action", "act_1")
    assert caught.value.code == "unreadable_answer"
    assert "ActionDetail" in str(caught.value)
    assert "ASSENT_BASE_URL" in str(caught.value)


async def test_a_redirect_is_not_followed_and_says_where_it_leads(way: Way) -> None:
    moved = httpx.Response(301, headers={"location": "https://user:pa55@assent.test/api?x-api-key=1"})
    stage = Stage(way, lambda _: moved)
    with pytest.raises(ApiError) as caught:
        await stage("get_halt")
    assert "points to https://assent.test/api;" in str(caught.value)
    assert len(stage.requests) == 1


async def test_a_problem_with_status_200_is_not_taken_for_a_record(way: Way) -> None:
    body = samples.problem("projection_behind", 503)
    answer = httpx.Response(200, json=body, headers={"content-type": "application/problem+json"})
    stage = Stage(way, lambda _: answer, retries=0)
    with pytest.raises(Unavailable):
        await stage("get_action", "act_1")


@given(status=st.integers(200, 599), body=st.binary(max_size=200), problem=st.booleans())
def test_no_answer_raises_anything_but_our_own(status: int, body: bytes, problem: bool) -> None:
    headers = {"content-type": "application/problem+json" if problem else "application/json", "retry-after": "x"}
    with pytest.raises(AssentError):
        read(GET_ACTION, Answer(status, headers, body), "http://a.test/x", datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("content", ["application/problem+json", "text/html"])
def test_an_error_never_shows_the_key_that_was_sent(content: str) -> None:
    shown = f"your headers {{'x-api-key': '{KEY}'}} " + "x" * 200 + f" x-api-key: {KEY}"
    page = shown if content == "text/html" else json.dumps({"code": "odd", "detail": shown, "title": shown})
    refuse = bound(lambda _: httpx.Response(400, content=page.encode(), headers={"content-type": content}))
    with pytest.raises(ApiError) as caught:
        Stage("sync", refuse, retries=0).client.get_policies()
    assert KEY not in f"{caught.value} {caught.value!r} {vars(caught.value)}"
    assert "[REDACTED:" in str(caught.value)
