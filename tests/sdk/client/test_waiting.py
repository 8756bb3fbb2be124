"""wait_for_approval in each of its endings, against a scripted service on a clock that only moves when told."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx
import pytest

from assent import (
    ApprovalDeniedError,
    ApprovalExpiredError,
    ApprovalTimeoutError,
    ApprovalWithdrawnError,
    ConnectionFailed,
    NotAwaitingApprovalError,
    NotFound,
    Unauthorized,
)
from tests.sdk.client import samples
from tests.sdk.client.doubles import BASE, Cue, Script, Stage, Way, again, connected, frame, problematic, streaming

State = dict[str, Any] | Exception | httpx.Response
WAITING = samples.detail("pending_approval", "awaiting")
APPROVED = samples.detail("running", "approved")
DECIDED = frame("approval.decided", samples.approval("approved"), 9)
RUNNING = samples.action("running", approved_by="ops", approval_id="apr_1")
UPDATED = frame("action.updated", {**RUNNING, "change": {"kind": "approval"}}, 10)
CONNECTION = httpx.ConnectError("refused")
GONE = problematic(samples.problem("action_not_found", 404))
BETWEEN = [
    httpx.Response(404, text="<html>not here"),
    httpx.Response(403, text="<html>blocked"),
    httpx.Response(302, headers={"location": "https://login.invalid"}),
    httpx.Response(409, json={"error": "conflict"}),
    httpx.Response(503, text="<html>later"),
]
"""What something between client and service answers by itself."""
NO_STREAM = httpx.Response(404, text="no such thing")


class Service:
    """Plays a stream for each connection (none: 404) and tells the state; a list of states is told one by one."""

    def __init__(self, *streams: Script | httpx.Response | Exception, states: list[State] | None = None) -> None:
        self.streams = list(streams)
        self.states = states or [WAITING]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/stream":
            part = self.streams.pop(0) if self.streams else NO_STREAM
            if isinstance(part, Exception):
                raise part
            return streaming(part) if isinstance(part, Script) else again(part)
        assert request.url.path == f"/api/actions/{samples.ID}"
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        if isinstance(state, Exception):
            raise state
        return again(state) if isinstance(state, httpx.Response) else httpx.Response(200, json=state)

    def becomes(self, state: State) -> Callable[[], None]:
        def change() -> None:
            self.states[:] = [state]

        return change

    def script(self, *cues: Cue) -> Service:
        self.streams.append(Script(*cues))
        return self


LOOK = f"/api/actions/{samples.ID}"


async def test_the_decision_unblocks_over_the_stream_alone(way: Way) -> None:
    stage = Stage(way, Service().script(connected(), b": heartbeat\n\n", DECIDED + UPDATED))
    action = await stage("wait_for_approval", samples.ID)
    assert (action.action_id, action.status, action.approved_by) == (samples.ID, "running", "ops")
    assert stage.time.slept == []
    assert stage.paths == ["/api/stream", LOOK, LOOK]  # at opening and at connected, not after the decision


async def test_the_action_has_a_moment_to_follow_its_decision(way: Way) -> None:
    stage = Stage(way, Service().script(connected(), DECIDED + UPDATED[:40], UPDATED[40:]))
    await stage("wait_for_approval", samples.ID)
    assert stage.paths == ["/api/stream", LOOK, LOOK]


@pytest.mark.parametrize(
    "behind",
    [
        b"",
        UPDATED[:40],
        frame("action.updated", {"action_id": samples.ID}, 10),
        frame("action.updated", samples.action("running", action_id="act_other"), 10),
        frame("approval.decided", samples.approval("approved"), 10),
        connected(),
    ],
    ids=["nothing", "half of it", "not whole", "another action", "another event", "connected"],
)
async def test_a_decision_without_its_action_is_looked_up_at_once(way: Way, behind: bytes) -> None:
    service = Service()
    service.script(connected(), service.becomes(APPROVED), DECIDED + behind)
    stage = Stage(way, service)
    assert (await stage("wait_for_approval", samples.ID)).status == "running"
    assert stage.time.slept == []
    assert stage.paths == ["/api/stream", LOOK, LOOK, LOOK]


async def test_a_denial_an_expiry_and_a_withdrawal_arrive_over_the_stream_alone(way: Way) -> None:
    cancelled = frame("action.updated", samples.action("cancelled"), 10)
    ends = {
        "denied": ("approval.decided", ApprovalDeniedError),
        "expired": ("approval.expired", ApprovalExpiredError),
        "withdrawn": ("approval.withdrawn", ApprovalWithdrawnError),
    }
    for state, (name, error) in ends.items():
        decided = frame(name, samples.approval(state, reasoning="no"), 9)
        stage = Stage(way, Service().script(connected(), decided + cancelled))
        with pytest.raises(error):
            await stage("wait_for_approval", samples.ID)
        assert stage.paths == ["/api/stream", LOOK, LOOK]


async def test_it_says_once_that_it_waits_and_where_to_look(way: Way) -> None:
    service = Service(states=[WAITING, WAITING, APPROVED])
    stage = Stage(way, service, base_url="http://user:pa55@assent.test:8484/")
    await stage("wait_for_approval", samples.ID)
    assert stage.said == [f"Waiting for approval of {samples.ID}: {BASE}/replay/{samples.ID}"]


@pytest.mark.parametrize("status", ["running", "pending"])
async def test_it_does_not_say_that_it_waits_where_it_does_not(way: Way, status: str) -> None:
    for state in (samples.detail(status), APPROVED):
        stage = Stage(way, Service(states=[state]))
        await stage("wait_for_approval", samples.ID)
        assert stage.said == [f"{samples.ID} may run: http://assent.test:8484/replay/{samples.ID}"]


async def test_it_says_so_on_standard_output(way: Way, capsys: pytest.CaptureFixture[str]) -> None:
    stage = Stage(way, Service(states=[WAITING, GONE]), say=print)
    with pytest.raises(NotFound):
        await stage("wait_for_approval", samples.ID)
    assert capsys.readouterr().out == f"Waiting for approval of {samples.ID}: {BASE}/replay/{samples.ID}\n"


async def test_the_stream_is_open_before_the_state_is_read(way: Way) -> None:
    stage = Stage(way, Service(Script(connected()), states=[APPROVED]))
    await stage("wait_for_approval", samples.ID)
    assert stage.paths == ["/api/stream", f"/api/actions/{samples.ID}"]
    query = stage.requests[0].url.params
    told = {
        "action.updated",
        "approval.decided",
        "approval.expired",
        "approval.withdrawn",
        "approval_question.created",
    }
    assert set(query["types"].split(",")) == {*told, "pairing.updated"}  # of all that may be waited for


async def test_a_decision_between_the_first_look_and_the_subscription_is_not_missed(way: Way) -> None:
    # The headers come before the service has subscribed; the decision falls in between and is never streamed.
    service = Service()
    service.script(service.becomes(APPROVED), connected())
    stage = Stage(way, service)
    assert (await stage("wait_for_approval", samples.ID)).status == "running"
    assert stage.time.slept == []


@pytest.mark.parametrize("event", ["approval.decided", "approval.expired", "approval.withdrawn", "action.updated"])
async def test_each_event_that_tells_of_the_action_counts(way: Way, event: str) -> None:
    service = Service()
    service.script(connected(), service.becomes(APPROVED), frame(event, {"action_id": samples.ID}, 7))
    stage = Stage(way, service)
    await stage("wait_for_approval", samples.ID)
    assert stage.time.slept == []


async def test_events_of_other_actions_and_garbage_are_not_looked_at(way: Way) -> None:
    service = Service()
    noise = [
        frame("approval.decided", {"action_id": "act_other"}, 6),
        frame("action.created", {"action_id": samples.ID}, 7),
        b"event: approval.decided\ndata: {broken\n\n",
        b"event: approval.decided\ndata: [1]\n\n",
        b"event: approval.decided\ndata: {}\n\n",
        b"\xff\xfe\x00 garbage \r\r\n\n",
        b"data: " + b"[" * 5000 + b"\n\n",
    ]
    service.script(connected(), *noise, service.becomes(APPROVED), DECIDED)
    stage = Stage(way, service)
    await stage("wait_for_approval", samples.ID)
    assert stage.paths.count(f"/api/actions/{samples.ID}") == 3  # at opening, at connected, at the decision


async def test_a_denial_raises_with_the_operators_words(way: Way) -> None:
    denied = samples.detail("cancelled", "denied", reasoning="not on a Friday", decided_by="ops")
    service = Service()
    service.script(connected(), service.becomes(denied), frame("approval.decided", {"action_id": samples.ID}, 7))
    with pytest.raises(ApprovalDeniedError) as caught:
        await Stage(way, service)("wait_for_approval", samples.ID)
    assert (caught.value.decision, caught.value.reasoning) == ("deny", "not on a Friday")
    assert caught.value.action.status == "cancelled"


async def test_a_denial_without_words_has_those_of_the_action(way: Way) -> None:
    denied = samples.detail("cancelled", "denied")
    denied["action"]["error_message"] = "Denied by a human operator."
    with pytest.raises(ApprovalDeniedError) as caught:
        await Stage(way, Service(states=[denied]))("wait_for_approval", samples.ID)
    assert caught.value.reasoning == "Denied by a human operator."


async def test_an_approval_that_runs_out_raises(way: Way) -> None:
    service = Service()
    expired = samples.detail("cancelled", "expired")
    service.script(connected(), service.becomes(expired), frame("approval.expired", {"action_id": samples.ID}, 7))
    with pytest.raises(ApprovalExpiredError):
        await Stage(way, service)("wait_for_approval", samples.ID)


@pytest.mark.parametrize("status", ["running", "pending"])
async def test_an_action_that_needs_no_approval_may_go_on_at_once(way: Way, status: str) -> None:
    stage = Stage(way, Service(states=[samples.detail(status)]))
    assert (await stage("wait_for_approval", samples.ID)).status == status
    assert stage.time.slept == []


@pytest.mark.parametrize("status", ["running", "completed", "failed"])
async def test_an_approved_action_is_returned_whatever_became_of_it(way: Way, status: str) -> None:
    stage = Stage(way, Service(states=[samples.detail(status, "approved")]))
    assert (await stage("wait_for_approval", samples.ID)).status == status


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled", "blocked"])
async def test_an_action_that_is_over_and_was_never_approved_is_an_error(way: Way, status: str) -> None:
    stage = Stage(way, Service(states=[samples.detail(status)]))
    with pytest.raises(NotAwaitingApprovalError, match=f"{samples.ID} is {status}"):
        await stage("wait_for_approval", samples.ID)
    assert stage.time.slept == []


async def test_an_action_made_pending_by_its_client_is_waited_for(way: Way) -> None:
    stage = Stage(way, Service(states=[samples.detail("pending_approval"), APPROVED]))
    await stage("wait_for_approval", samples.ID)
    assert stage.time.slept == [5.0]


async def test_without_a_stream_the_state_is_polled(way: Way) -> None:
    stage = Stage(way, Service(states=[WAITING, WAITING, WAITING, APPROVED]))
    await stage("wait_for_approval", samples.ID, interval=2.0)
    assert stage.time.slept == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    "refusal", [CONNECTION, httpx.Response(200, text="<html>"), problematic(samples.problem("shutting_down", 503))]
)
async def test_a_stream_that_cannot_be_had_is_tried_again_beside_polling(way: Way, refusal: Any) -> None:
    service = Service(refusal, states=[WAITING])
    service.script(connected(), service.becomes(APPROVED), DECIDED)
    stage = Stage(way, service)
    await stage("wait_for_approval", samples.ID)
    assert stage.time.slept == [5.0]


@pytest.mark.parametrize("answer", BETWEEN)
async def test_what_something_in_between_answers_ends_no_wait(way: Way, answer: httpx.Response) -> None:
    """Quick: a scripted service."""
    stage = Stage(way, Service(states=[WAITING, answer, answer, APPROVED]))
    found = await stage("wait_for_approval", samples.ID)
    assert found.status == "running"


async def test_a_stream_that_drops_at_once_is_not_hammered(way: Way) -> None:
    drops = [Script(connected(), httpx.ReadError("reset")) for _ in range(3)]
    stage = Stage(way, Service(*drops, states=[*[WAITING] * 6, APPROVED]))
    await stage("wait_for_approval", samples.ID)
    assert stage.time.slept == [5.0, 5.0, 5.0]


async def test_a_stream_that_lasted_is_replaced_at_once_and_the_state_is_read_again(way: Way) -> None:
    service = Service()
    stage = Stage(way, service)

    def later() -> None:
        stage.time.now += 60.0

    service.script(connected(), later, httpx.ReadError("reset"))
    # Decided while there was no stream: only the look after reopening can tell.
    service.script(connected())
    service.states[:] = [WAITING, WAITING, APPROVED]
    await stage("wait_for_approval", samples.ID)
    assert stage.time.slept == []
    assert stage.paths.count("/api/stream") == 2


async def test_a_stream_that_stays_silent_is_given_up_for_polling(way: Way) -> None:
    service = Service()
    stage = Stage(way, service)

    def silence() -> None:
        stage.time.now += 20.0

    service.script(silence, httpx.ReadTimeout(""))
    service.states[:] = [WAITING, WAITING, WAITING, APPROVED]
    await stage("wait_for_approval", samples.ID)
    assert stage.paths.count("/api/stream") == 1
    assert stage.time.slept == [5.0, 5.0]


async def test_a_timeout_is_an_error_of_its_own(way: Way) -> None:
    stage = Stage(way, Service())
    with pytest.raises(ApprovalTimeoutError) as caught:
        await stage("wait_for_approval", samples.ID, timeout=12.0)
    assert isinstance(caught.value, TimeoutError)
    assert (caught.value.timeout, caught.value.action_id) == (12.0, samples.ID)
    assert stage.time.slept == [5.0, 5.0, 2.0]
    assert stage.time.now == 1012.0


async def test_no_time_at_all_is_one_look(way: Way) -> None:
    stage = Stage(way, Service())
    with pytest.raises(ApprovalTimeoutError):
        await stage("wait_for_approval", samples.ID, timeout=0)
    assert stage.paths == [f"/api/actions/{samples.ID}"]
    approved = Stage(way, Service(states=[APPROVED]))
    assert (await approved("wait_for_approval", samples.ID, timeout=0)).status == "running"


async def test_a_service_that_never_answered_ends_the_wait(way: Way) -> None:
    stage = Stage(way, Service(CONNECTION, states=[CONNECTION]), retries=1)
    with pytest.raises(ConnectionFailed):
        await stage("wait_for_approval", samples.ID)


async def test_a_service_that_restarts_meanwhile_does_not(way: Way) -> None:
    down: list[State] = [
        CONNECTION,
        problematic(samples.problem("shutting_down", 503)),
        httpx.Response(502, text="bad gateway"),
    ]
    stage = Stage(way, Service(states=[WAITING, *down, APPROVED]), retries=0)
    await stage("wait_for_approval", samples.ID)
    assert stage.time.slept == [5.0] * 4


async def test_a_service_that_stays_away_ends_in_the_timeout_on_time(way: Way) -> None:
    stage = Stage(way, Service(states=[WAITING, CONNECTION]), retries=3)
    with pytest.raises(ApprovalTimeoutError):
        await stage("wait_for_approval", samples.ID, timeout=30.0)
    # The last look may take one interval more.
    assert 1030.0 <= stage.time.now <= 1035.0


@pytest.mark.parametrize(
    ("code", "status", "error"), [("action_not_found", 404, NotFound), ("unauthorized", 401, Unauthorized)]
)
async def test_a_refusal_ends_the_wait_at_any_time(way: Way, code: str, status: int, error: type[Exception]) -> None:
    refused = problematic(samples.problem(code, status))
    calm: list[State] = [WAITING]
    for before in (calm[:0], calm):
        stage = Stage(way, Service(states=[*before, refused]))
        with pytest.raises(error):
            await stage("wait_for_approval", samples.ID)


async def test_the_stream_is_closed_whatever_the_ending(way: Way) -> None:
    for state in (APPROVED, samples.detail("cancelled", "denied"), problematic(samples.problem("unauthorized", 401))):
        script = Script(connected())
        stage = Stage(way, Service(script, states=[state]))
        with suppress(ApprovalDeniedError, Unauthorized):
            await stage("wait_for_approval", samples.ID)
        assert script.closed


async def test_a_link_cannot_be_led_astray_by_an_id(way: Way) -> None:
    answers = [NO_STREAM, httpx.Response(200, json=WAITING)]
    stage = Stage(way, lambda _: again(answers.pop(0) if answers else GONE))
    with pytest.raises(NotFound):
        await stage("wait_for_approval", "../x\n?a")
    assert stage.said == [f"Waiting for approval of ../x\n?a: {BASE}/replay/..%2Fx%0A%3Fa"]
