"""An answer is bound to its question: what does not carry the id of its request is no answer to it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from assent import Client, GuardBlockedError, InvalidRequest, NotFound, UnboundAnswer
from assent.settings import ClientSettings
from tests.sdk.client import samples
from tests.sdk.client.doubles import Script, Stage, Way, connected, frame, problematic, streaming

OTHER = "0123456789abcdef0123456789abcdef"
Answer = Callable[[httpx.Request], httpx.Response]


def halted(**headers: str) -> httpx.Response:
    return httpx.Response(200, json=samples.HALT, headers={name.replace("_", "-"): it for name, it in headers.items()})


class Answers:
    """One after the other, the last again and again. They are answered as they stand here."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return answer(request)


def right(request: httpx.Request) -> httpx.Response:
    return halted(x_request_id=request.headers["x-request-id"])


def anothers(_: httpx.Request) -> httpx.Response:
    return halted(x_request_id=OTHER)


def stage(way: Way, *answers: Answer, **options: Any) -> Stage:
    return Stage(way, Answers(*answers), bind=False, **options)


async def test_every_attempt_carries_an_id_of_its_own(way: Way) -> None:
    busy = problematic(samples.problem("busy", 503))
    scene = stage(way, lambda _: httpx.Response(503, headers=busy.headers, content=busy.content), anothers, right)
    await scene("get_halt")
    await scene("get_halt")
    ids = [request.headers["x-request-id"] for request in scene.requests]
    assert len(ids) == 4
    assert len(set(ids)) == 4
    assert all(len(each) == 32 and each.isascii() and each.isalnum() for each in ids)


async def test_the_answer_to_another_request_is_thrown_away(way: Way) -> None:
    scene = stage(way, anothers, retries=0)
    with pytest.raises(UnboundAnswer, match="it carries the x-request-id '0123456789abcdef") as caught:
        await scene("get_halt")
    assert (caught.value.answered, caught.value.uncertain) == (OTHER, False)
    with pytest.raises(UnboundAnswer) as caught:
        await scene("update_outcome", samples.ID, status="completed")
    assert caught.value.uncertain is True


async def test_a_decision_that_belongs_to_another_allows_nothing(way: Way) -> None:
    def allowed(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=samples.decision("allow"), headers={"x-request-id": OTHER})

    with pytest.raises(UnboundAnswer):
        await stage(way, allowed, retries=0)("guard", {"action_type": "wipe"})


async def test_what_may_be_repeated_is_asked_again(way: Way) -> None:
    scene = stage(way, anothers, right)
    assert (await scene("get_halt")).halted
    assert len(scene.requests) == 2


@pytest.mark.parametrize("status", [403, 404, 500])
async def test_a_refusal_of_another_request_is_no_refusal_either(way: Way, status: int) -> None:
    def refused(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, json=samples.problem("action_not_found", status), headers={"x-request-id": OTHER})

    with pytest.raises(UnboundAnswer):
        await stage(way, refused, retries=0)("get_action", samples.ID)


async def test_an_answer_without_an_id_is_refused_at_once_and_says_what_to_do(way: Way) -> None:
    scene = stage(way, lambda _: halted())
    with pytest.raises(UnboundAnswer, match=r"Client\(accept_unbound_answers=True\)") as caught:
        await scene("get_halt")
    assert "ASSENT_ACCEPT_UNBOUND_ANSWERS=1" in str(caught.value)
    assert caught.value.answered is None
    assert len(scene.requests) == 1


async def test_it_is_accepted_where_that_was_said_and_another_id_is_not(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSENT_ACCEPT_UNBOUND_ANSWERS", "")
    assert (await stage(way, lambda _: halted(), accept_unbound_answers=True)("get_halt")).halted
    with pytest.raises(UnboundAnswer):
        await stage(way, anothers, accept_unbound_answers=True, retries=0)("get_halt")
    monkeypatch.setenv("ASSENT_ACCEPT_UNBOUND_ANSWERS", "true")
    assert (await stage(way, lambda _: halted())("get_halt")).halted
    with pytest.raises(UnboundAnswer):
        await stage(way, lambda _: halted(), accept_unbound_answers=False)("get_halt")


def test_a_switch_that_is_neither_on_nor_off_is_refused() -> None:
    with pytest.raises(ValueError, match="ASSENT_ACCEPT_UNBOUND_ANSWERS is 'maybe'; give 1 or 0"):
        ClientSettings.from_environment({"ASSENT_ACCEPT_UNBOUND_ANSWERS": "maybe"})


async def test_an_id_that_something_in_between_adds_is_no_harm(way: Way) -> None:
    def both(request: httpx.Request) -> httpx.Response:
        asked = request.headers["x-request-id"]
        return httpx.Response(
            200, json=samples.HALT, headers=[("x-request-id", "of-the-proxy"), ("x-request-id", asked)]
        )

    assert (await stage(way, both)("get_halt")).halted


@pytest.mark.parametrize(
    ("status", "code", "error"),
    [(404, "action_not_found", NotFound), (422, "invalid_body", InvalidRequest), (403, "blocked", GuardBlockedError)],
)
async def test_a_refusal_without_an_id_stays_what_it_is(
    way: Way, status: int, code: str, error: type[Exception]
) -> None:
    body = samples.problem("action_blocked" if code == "blocked" else code, status)
    body["decision"] = samples.decision("block")
    with pytest.raises(error):
        await stage(way, lambda _: problematic(body))("get_action", samples.ID)


async def test_a_failing_check_of_health_without_an_id_is_not_taken_for_one(way: Way) -> None:
    # 503 is one of the answers that health has; whose it is counts as much as with a success.
    def unwell(_: httpx.Request) -> httpx.Response:
        return httpx.Response(503, json={"status": "no", "version": "1", "time": samples.NOW})

    with pytest.raises(UnboundAnswer):
        await stage(way, unwell)("ready")


async def test_a_stream_of_another_request_is_not_listened_to(way: Way) -> None:
    strange = Script(connected(), frame("action.created", {"number": 6}, 6))

    def stream(request: httpx.Request) -> httpx.Response:
        found = streaming(Script(connected(), frame("action.created", {"number": 7}, 7)))
        found.headers["x-request-id"] = request.headers["x-request-id"]
        return found

    def wrong(_: httpx.Request) -> httpx.Response:
        found = streaming(strange)
        found.headers["x-request-id"] = OTHER
        return found

    scene = stage(way, wrong, stream)
    (event,) = await scene.take(scene.client.events(), 1)
    assert event.id == 7
    assert strange.closed
    with pytest.raises(UnboundAnswer):
        await (without := stage(way, lambda _: streaming(Script(connected())), retries=0)).take(
            without.client.events(), 1
        )


async def test_a_file_of_another_request_is_not_read(way: Way) -> None:
    read: list[bytes] = []

    def file(_: httpx.Request) -> httpx.Response:
        found = streaming(Script(lambda: read.append(b"read")), content="application/vnd.apache.arrow.stream")
        found.headers["x-request-id"] = OTHER
        return found

    with pytest.raises(UnboundAnswer):
        await stage(way, file, retries=0)("frame", "actions")
    assert read == []


@contextmanager
def listening(*answers: Callable[[str], bytes]) -> Iterator[tuple[str, list[list[str]]]]:
    """A server that gives its answers in order, over however many connections; the ids asked over each."""
    left = list(answers)
    over: list[list[str]] = []

    def serve(near: socket.socket, asked: list[str]) -> None:
        with near:
            received = b""
            while left:
                while b"\r\n\r\n" not in received:
                    part = near.recv(65536)
                    if not part:
                        return
                    received += part
                head, _, received = received.partition(b"\r\n\r\n")
                (line,) = [each for each in head.split(b"\r\n") if each.lower().startswith(b"x-request-id:")]
                asked.append(line.partition(b":")[2].strip().decode())
                near.sendall(left.pop(0)(asked[-1]))

    def accept(listener: socket.socket) -> None:
        while left:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            over.append([])
            thread = threading.Thread(target=serve, args=(near, over[-1]), daemon=True)
            thread.start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)
        threading.Thread(target=accept, args=(listener,), daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", over


def plain(request_id: str) -> bytes:
    body = httpx.Response(200, json=samples.HALT).content
    return b"HTTP/1.1 200 OK\r\nx-request-id: %s\r\ncontent-length: %d\r\n\r\n%s" % (
        request_id.encode(),
        len(body),
        body,
    )


def test_the_connection_of_a_wrong_answer_is_not_used_again() -> None:
    # The second answer of the first connection would be right again; whoever reads it has lost count.
    with listening(plain, lambda _: plain(OTHER), plain, plain) as (url, over), Client(url, "k", sleep=id) as client:
        for _ in range(3):
            assert client.get_halt().halted
    assert [len(each) for each in over] == [2, 2]
