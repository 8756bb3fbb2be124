"""What is tried again, how often and after which pauses."""

from __future__ import annotations

import json
from pathlib import Path
from traceback import extract_tb
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent import Conflict, ConnectionFailed, GuardBlockedError, InvalidRequest, ServerError, Unavailable
from assent.client.retry import pause
from tests.sdk.client import samples
from tests.sdk.client.doubles import BASE, Handler, Stage, Way, answering, problematic

BEHIND = samples.problem("projection_behind", 503)


def troubled(times: int, trouble: Exception | dict[str, Any], then: Any, *, retry_after: str | None = None) -> Handler:
    """A service that is in trouble `times` times, then answers."""
    left = [times]

    def handler(request: httpx.Request) -> httpx.Response:
        left[0] -= 1
        if left[0] < 0:
            return httpx.Response(200, json=then)
        if isinstance(trouble, Exception):
            raise trouble
        return problematic(trouble, **({} if retry_after is None else {"retry-after": retry_after}))

    return handler


OUTCOME = {
    "outcome": {
        "org_id": "org_1",
        "action_id": "act_1",
        "agent_id": "agent-7",
        "status": "completed",
        "outcome_at": samples.NOW,
        "summary": None,
        "error_message": None,
        "progress": None,
        "elapsed_ms": 5,
        "reported_by": "key_1",
        "created_at": samples.NOW,
    },
    "action": samples.action("completed"),
    "action_id": "act_1",
}
REPEATED: list[tuple[str, tuple[Any, ...], Any]] = [
    ("get_action", ("act_1",), samples.detail("running")),
    ("get_actions", (), samples.ACTIONS),
    ("get_halt", (), samples.HALT),
    ("resume", (), samples.HALT),
    ("revoke_key", ("key_1",), {"key": samples.key(), "revoked": True}),
    ("delete_policy", ("pol_1",), {"deleted": True, "policy_id": "pol_1"}),
    ("create_action", ("deploy",), samples.created()),
    ("guard", ({"action_type": "deploy"},), samples.decision()),
    ("update_outcome", ("act_1", "completed"), {"action": samples.action("completed")}),
    ("report_action_success", ("act_1",), OUTCOME),
    (
        "approve_action",
        ("act_1", "allow"),
        {"success": True, "action": samples.action(), "approval": samples.approval("approved")},
    ),
]
ONCE: list[tuple[str, tuple[Any, ...]]] = [
    ("record_assumption", ({"action_id": "a", "assumption": "b"},)),
    ("validate_assumption", ("asm_1", True)),
    ("halt", ("fire",)),
    ("create_policy", ("p", "risk_threshold", {})),
    ("update_policy", ("pol_1",)),
    ("import_policies", ("a: b",)),
    ("test_policies", ({},)),
    ("accept_action_type", ("refund",)),
    ("create_key", ("ci",)),
    ("create_org", ("Acme", "acme")),
]


def named(value: object) -> str:
    return (
        str(value.get("code", ""))
        if isinstance(value, dict)
        else str(value)
        if isinstance(value, str | Exception)
        else ""
    )


TROUBLES = [httpx.ConnectError("refused"), httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("cut off"), BEHIND]


@pytest.mark.parametrize("trouble", TROUBLES, ids=named)
@pytest.mark.parametrize(("operation", "args", "answer"), REPEATED, ids=named)
async def test_harmless_calls_are_tried_again(
    way: Way, operation: str, args: tuple[Any, ...], answer: Any, trouble: Exception | dict[str, Any]
) -> None:
    stage = Stage(way, troubled(2, trouble, answer))
    await stage(operation, *args)
    assert len(stage.requests) == 3
    # With chance at its upper end: a quarter of a second, then a half.
    assert stage.time.slept == [0.25, 0.5]
    assert len({(r.method, str(r.url), r.content, r.headers.get("idempotency-key")) for r in stage.requests}) == 1


@pytest.mark.parametrize("late", ["service", "proxy"])
async def test_an_analysis_that_is_still_at_work_is_not_begun_again(way: Way, late: str) -> None:
    def handler(_: httpx.Request) -> httpx.Response:
        if late == "service":
            raise httpx.ReadTimeout("slow")
        return httpx.Response(504, text="gateway time-out")

    stage = Stage(way, handler)
    with pytest.raises((ConnectionFailed, ServerError)):
        await stage("get_digest")
    assert len(stage.requests) == 1


@pytest.mark.parametrize(
    "trouble",
    [httpx.ConnectError("refused"), httpx.ConnectTimeout("slow"), httpx.RemoteProtocolError("cut off"), BEHIND],
    ids=named,
)
async def test_an_analysis_that_is_not_at_work_is_tried_again(way: Way, trouble: Exception | dict[str, Any]) -> None:
    stage = Stage(way, troubled(99, trouble, None))
    with pytest.raises((ConnectionFailed, Unavailable)):
        await stage("get_digest")
    assert len(stage.requests) == 4


@pytest.mark.parametrize("trouble", [httpx.ConnectError("refused"), BEHIND], ids=["connection", "503"])
@pytest.mark.parametrize(("operation", "args"), ONCE, ids=named)
async def test_other_calls_are_sent_once(
    way: Way, operation: str, args: tuple[Any, ...], trouble: Exception | dict[str, Any]
) -> None:
    stage = Stage(way, troubled(1, trouble, {}))
    with pytest.raises((ConnectionFailed, Unavailable)):
        await stage(operation, *args)
    assert len(stage.requests) == 1
    assert stage.time.slept == []


async def test_the_last_error_is_raised_after_as_many_retries_as_asked_for(way: Way) -> None:
    stage = Stage(way, troubled(99, BEHIND, {}), retries=5)
    with pytest.raises(Unavailable) as caught:
        await stage("get_action", "act_1")
    assert caught.value.code == "projection_behind"
    assert len(stage.requests) == 6
    assert stage.time.slept == [0.25, 0.5, 1.0, 2.0, 4.0]


async def test_no_retries_means_one_attempt(way: Way) -> None:
    stage = Stage(way, troubled(1, BEHIND, {}), retries=0)
    with pytest.raises(Unavailable):
        await stage("get_action", "act_1")
    assert len(stage.requests) == 1


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        (samples.problem("already_decided", 409), 409, Conflict),
        (samples.problem("invalid_query", 400), 400, InvalidRequest),
        (samples.problem("internal_error", 500), 500, ServerError),
    ],
)
async def test_an_answer_that_is_final_is_not_asked_for_again(
    way: Way, body: dict[str, Any], status: int, error: type[Exception]
) -> None:
    stage = Stage(way, lambda _: problematic(body))
    with pytest.raises(error):
        await stage("get_action", "act_1")
    assert len(stage.requests) == 1


@pytest.mark.parametrize(
    ("header", "slept"),
    [
        ("7", 7.0),
        ("0", 0.25),
        ("60", 60.0),
        ("Fri, 20 Nov 2026 10:00:30 GMT", 30.0),  # the stage's wall clock stands at 10:00:00
        ("Fri, 20 Nov 2026 09:00:00 GMT", 0.25),
        ("soon", 0.25),
        ("-1", 0.25),
    ],
)
async def test_retry_after_is_honoured(way: Way, header: str, slept: float) -> None:
    stage = Stage(way, troubled(1, BEHIND, samples.detail("running"), retry_after=header))
    await stage("get_action", "act_1")
    assert stage.time.slept == [slept]


async def test_a_service_that_asks_for_more_than_a_minute_is_not_waited_for(way: Way) -> None:
    stage = Stage(way, troubled(1, BEHIND, {}, retry_after="61"))
    with pytest.raises(Unavailable) as caught:
        await stage("get_action", "act_1")
    assert caught.value.retry_after == 61.0
    assert stage.time.slept == []


async def test_a_service_that_is_not_ready_is_an_answer_and_no_trouble(way: Way) -> None:
    body = {"ready": False, "checks": [], "time": samples.NOW}
    stage = Stage(way, answering(body, 503))
    assert (await stage("ready")).ready is False
    assert len(stage.requests) == 1


async def test_a_creation_whose_answer_was_lost_is_sent_again_with_its_key(way: Way) -> None:
    stage = Stage(way, troubled(1, httpx.ReadError("reset"), {**samples.created(), "idempotent_replay": True}))
    created = await stage("create_action", "deploy")
    assert created.idempotent_replay is True
    assert [request.headers["idempotency-key"] for request in stage.requests] == ["key-1", "key-1"]
    assert json.loads(stage.requests[0].content) == json.loads(stage.requests[1].content)


@pytest.mark.parametrize(
    ("error", "uncertain", "says"),
    [
        (httpx.ConnectError("[Errno 111] Connection refused"), False, "Connection refused"),
        (httpx.ConnectTimeout(""), False, "no connection within 30 s"),
        (httpx.ReadTimeout(""), True, "no answer within 30 s"),
        (httpx.ReadError(""), True, "ReadError"),
    ],
)
async def test_no_answer_says_where_why_and_what_to_check(
    way: Way, error: Exception, uncertain: bool, says: str
) -> None:
    stage = Stage(way, troubled(1, error, {}), base_url="http://user:pa55@assent.test:8484/base/", retries=0)
    with pytest.raises(ConnectionFailed) as caught:
        await stage("guard", action_type="deploy")
    failed, text = caught.value, str(caught.value)
    assert failed.url == "http://assent.test:8484/base/api/guard"
    assert (failed.uncertain, "may have been carried out" in text) == (uncertain, uncertain)
    assert says in text
    assert "assent start" in text
    assert "ASSENT_BASE_URL" in text
    assert "sk_secret" not in text
    assert "pa55" not in text
    assert str(stage.requests[0].url) == "http://user:pa55@assent.test:8484/base/api/guard"


async def test_a_lost_read_is_not_said_to_have_been_carried_out(way: Way) -> None:
    stage = Stage(way, troubled(1, httpx.ReadTimeout(""), {}), retries=0)
    with pytest.raises(ConnectionFailed) as caught:
        await stage("get_action", "act_1")
    assert caught.value.uncertain is False
    assert caught.value.url == f"{BASE}/api/actions/act_1"


@given(attempt=st.integers(0, 10_000), asked=st.none() | st.floats(0, 120), chance=st.floats(0, 1, exclude_max=True))
def test_a_pause_keeps_its_bounds(attempt: int, asked: float | None, chance: float) -> None:
    seconds = pause(attempt, asked, chance)
    if asked is not None and asked > 60:
        assert seconds is None
        return
    assert seconds is not None
    cap = min(8.0, 0.25 * 2 ** min(attempt, 20))
    assert max(cap / 2, asked or 0) <= seconds <= max(cap, asked or 0)


async def test_the_traceback_of_a_refusal_leaves_the_exchange_out(way: Way) -> None:
    blocked = samples.problem("action_blocked", 403, decision=samples.decision("block"))
    refused = Stage(way, lambda _: problematic(blocked))
    with pytest.raises(GuardBlockedError) as found:
        await refused("create_action", "deploy")
    files = [Path(frame.filename).name for frame in extract_tb(found.tb)]
    assert files[0] == Path(__file__).name, "whoever called is told"
    assert not {"retry.py", "answer.py"} & set(files)
