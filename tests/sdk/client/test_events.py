"""Following the stream: without gap, without repeat, across whatever happens to a connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from assent import (
    AsyncClient,
    Client,
    ConnectionFailed,
    Event,
    EventName,
    Forbidden,
    ServerError,
    Unauthorized,
    Unavailable,
)
from assent.errors import AssentError
from tests.sdk.client import samples
from tests.sdk.client.doubles import BASE, Script, Stage, Way, connected, frame, problematic, streaming

Part = Script | httpx.Response | Exception


def play(*parts: Part) -> Callable[[httpx.Request], httpx.Response]:
    """A service whose stream plays these parts, one for each connection."""
    waiting = list(parts)

    def handler(request: httpx.Request) -> httpx.Response:
        part = waiting.pop(0)
        if isinstance(part, Exception):
            raise part
        return streaming(part) if isinstance(part, Script) else part

    return handler


def resumed(stage: Stage) -> list[str | None]:
    return [request.headers.get("last-event-id") for request in stage.requests]


def created(number: int) -> bytes:
    return frame("action.created", {"action_id": f"act_{number}"}, number)


def numbers(events: list[Event]) -> list[int]:
    return [event.id for event in events]


async def test_events_are_typed_and_housekeeping_is_left_out(way: Way) -> None:
    script = Script(b": welcome\n\n", connected(), created(6), b": heartbeat\n\n", created(7))
    stage = Stage(way, play(script))
    events = await stage.take(stage.client.events(), 2)
    assert events == [
        Event(id=6, event="action.created", data={"action_id": "act_6"}),
        Event(id=7, event="action.created", data={"action_id": "act_7"}),
    ]
    (request,) = stage.requests
    assert str(request.url) == f"{BASE}/api/stream"
    assert request.headers["accept"] == "text/event-stream"
    assert request.headers["x-api-key"] == "sk_secret"
    assert "last-event-id" not in request.headers
    assert script.closed


@pytest.mark.parametrize(
    ("types", "query"),
    [
        ([EventName.ACTION_CREATED, "approval.decided"], "?types=action.created%2Capproval.decided&agent_id=a%201"),
        ("action.created,halt.changed", "?types=action.created%2Chalt.changed&agent_id=a%201"),
        ([], "?agent_id=a%201"),
        (None, "?agent_id=a%201"),
    ],
)
async def test_filters_and_a_starting_point_are_sent(way: Way, types: Any, query: str) -> None:
    stage = Stage(way, play(Script(created(6))))
    await stage.take(stage.client.events(types, agent_id="a 1", last_event_id=0), 1)
    assert str(stage.requests[0].url) == f"{BASE}/api/stream{query}"
    assert resumed(stage) == ["0"]


@pytest.mark.parametrize("cut", [httpx.ReadError("reset"), httpx.ReadTimeout(""), httpx.RemoteProtocolError("cut")])
async def test_a_drop_is_resumed_after_the_last_event_that_was_handed_out(way: Way, cut: Exception) -> None:
    half = created(8)[:20]
    stage = Stage(
        way,
        play(
            Script(connected(5), created(6), created(7), half, cut),
            Script(created(8), created(9), connected(9)),  # ends in good order
            Script(connected(9), created(10)),
        ),
    )
    assert numbers(await stage.take(stage.client.events(), 5)) == [6, 7, 8, 9, 10]
    assert resumed(stage) == [None, "7", "9"]


async def test_a_drop_before_the_first_event_resumes_where_connected_said(way: Way) -> None:
    stage = Stage(way, play(Script(connected(41)), Script(created(42), connected(42))))
    assert numbers(await stage.take(stage.client.events(), 1)) == [42]
    assert resumed(stage) == [None, "41"]


async def test_a_reset_is_resumed(way: Way) -> None:
    slow = frame("reset", {"last_event_id": 6, "reason": "the reader is too slow"})
    stage = Stage(way, play(Script(connected(5), created(6), slow), Script(created(7), connected(7), created(8))))
    assert numbers(await stage.take(stage.client.events(), 3)) == [6, 7, 8]
    assert resumed(stage) == [None, "6"]


async def test_a_reset_that_says_more_than_was_heard_makes_no_gap(way: Way) -> None:
    stage = Stage(
        way,
        play(Script(connected(5), created(6), frame("reset", {"last_event_id": 99})), Script(created(7), created(8))),
    )
    assert numbers(await stage.take(stage.client.events(), 3)) == [6, 7, 8]
    assert resumed(stage) == [None, "6"]


async def test_a_reset_before_the_first_event_is_taken_at_its_word(way: Way) -> None:
    stage = Stage(way, play(Script(frame("reset", {"last_event_id": 9})), Script(created(10))))
    assert numbers(await stage.take(stage.client.events(), 1)) == [10]
    assert resumed(stage) == [None, "9"]


async def test_what_is_sent_twice_is_handed_out_once(way: Way) -> None:
    stage = Stage(
        way, play(Script(created(6), created(7)), Script(created(6), created(7), created(8), created(8), created(9)))
    )
    assert numbers(await stage.take(stage.client.events(), 4)) == [6, 7, 8, 9]


SPOILED = {
    "no JSON": b'id: 7\nevent: action.created\ndata: {"action_id": \n\n',
    "no record": b"id: 7\nevent: action.created\ndata: [1]\n\n",
    "nested without end": b"id: 7\nevent: action.created\ndata: " + b"[" * 10_000 + b"\n\n",
    "no id": b"event: action.created\ndata: {}\n\n",
    "an id that is none": b"id: x\nevent: action.created\ndata: {}\n\n",
    "a lower id": b"id: 5\nevent: action.created\ndata: {}\n\n",
}


@pytest.mark.parametrize("bad", SPOILED.values(), ids=SPOILED)
async def test_an_event_whose_frame_cannot_be_read_is_asked_for_again(way: Way, bad: bytes) -> None:
    good = Script(created(7), created(8))
    stage = Stage(way, play(Script(connected(5), created(6), bad, created(8)), good))
    assert numbers(await stage.take(stage.client.events(), 3)) == [6, 7, 8]
    assert resumed(stage) == [None, "6"]


@pytest.mark.parametrize("bad", SPOILED.values(), ids=SPOILED)
async def test_an_event_that_cannot_be_read_again_ends_the_stream(way: Way, bad: bytes) -> None:
    stage = Stage(way, play(*(Script(connected(5), created(6), bad, created(8)) for _ in range(2))))
    with pytest.raises(ServerError, match="an event behind 6 that cannot be read, twice") as caught:
        await stage.take(stage.client.events(), 2)
    assert caught.value.code == "unreadable_answer"


async def test_what_is_no_event_is_passed_over(way: Way) -> None:
    nothing = [b"\xff\xfe\x00garbage\n\n", frame("connected", "nonsense"), frame("connected", {"last_event_id": True})]
    handed_out = b"id: 6\nevent: action.created\ndata: no JSON\n\n"
    stage = Stage(way, play(Script(*nothing, created(6), handed_out, created(9))))
    assert numbers(await stage.take(stage.client.events(), 2)) == [6, 9]


async def test_pauses_grow_while_nothing_is_heard_and_start_anew_after_something(way: Way) -> None:
    down = httpx.ConnectError("refused")
    stage = Stage(
        way,
        play(
            Script(created(6)),
            down,
            down,
            problematic(samples.problem("shutting_down", 503)),
            Script(created(7)),
            Script(created(8)),
        ),
    )
    assert numbers(await stage.take(stage.client.events(), 3)) == [6, 7, 8]
    assert stage.time.slept == [0.25, 0.5, 1.0, 2.0, 0.25]
    assert resumed(stage) == [None, "6", "6", "6", "6", "7"]


async def test_a_restart_that_takes_longer_than_the_retries_is_sat_out(way: Way) -> None:
    down = [httpx.ConnectError("refused")] * 20
    gateway = [httpx.Response(502, text="bad gateway"), httpx.Response(200, text="<html>maintenance</html>")]
    stage = Stage(way, play(Script(connected(5)), *down, *gateway, Script(created(6))), retries=1)
    assert numbers(await stage.take(stage.client.events(), 1)) == [6]
    assert max(stage.time.slept) == 8.0


async def test_the_service_may_ask_for_another_pause(way: Way) -> None:
    busy = problematic(samples.problem("shutting_down", 503), **{"retry-after": "20"})
    stage = Stage(way, play(Script(b"retry: 3000\n", created(6)), busy, Script(created(7))))
    await stage.take(stage.client.events(), 2)
    assert stage.time.slept == [3.0, 20.0]


@pytest.mark.parametrize(
    ("code", "status", "error"), [("unauthorized", 401, Unauthorized), ("agent_mismatch", 403, Forbidden)]
)
@pytest.mark.parametrize("before", [[], [Script(created(6))]], ids=["at once", "after events"])
async def test_a_refusal_ends_the_stream(
    way: Way, code: str, status: int, error: type[AssentError], before: list[Script]
) -> None:
    parts = [Script(*part.cues) for part in before]
    stage = Stage(way, play(*parts, problematic(samples.problem(code, status))))
    with pytest.raises(error):
        await stage.take(stage.client.events(), 2)
    assert len(stage.requests) == len(before) + 1


@pytest.mark.parametrize(
    ("trouble", "error"),
    [
        (lambda: httpx.ConnectError("refused"), ConnectionFailed),
        (lambda: problematic(samples.problem("projection_behind", 503)), Unavailable),
    ],
)
async def test_a_first_connection_that_fails_is_given_up_after_the_retries(
    way: Way, trouble: Callable[[], Part], error: type[AssentError]
) -> None:
    stage = Stage(way, play(*(trouble() for _ in range(9))), retries=2)
    with pytest.raises(error):
        await stage.take(stage.client.events(), 1)
    assert len(stage.requests) == 3


async def test_something_that_is_no_stream_is_said_at_once(way: Way) -> None:
    stage = Stage(way, play(httpx.Response(200, text="<html>hello</html>")))
    with pytest.raises(ServerError, match="not with an event stream"):
        await stage.take(stage.client.events(), 1)


def test_leaving_a_loop_closes_the_connection() -> None:
    script = Script(created(6), created(7))
    stage = Stage("sync", play(script))
    for event in stage.client.events():
        assert event.id == 6
        break
    del event
    import gc

    gc.collect()
    assert script.closed


async def test_an_http_client_that_runs_the_app_itself_cannot_stream_and_says_so() -> None:
    class InProcess(httpx.Client):
        app = object()

    class AsyncInProcess(httpx.AsyncClient):
        app = object()

    with pytest.raises(AssentError, match="cannot stream"):
        next(Client(BASE, "k", http=InProcess()).events())
    with pytest.raises(AssentError, match="cannot stream"):
        await anext(AsyncClient(BASE, "k", http=AsyncInProcess()).events())
