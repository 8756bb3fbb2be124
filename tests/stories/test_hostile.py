"""Connections of somebody who means no good, over real sockets: each gets its answer or its end, and guard goes on."""

from __future__ import annotations

import json
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.live import ADMIN_KEY, SETTINGS, LiveService, start_service
from tests.tiers import deep

KEY = f"x-api-key: {ADMIN_KEY}\r\n".encode()
HEALTH = b"GET /health HTTP/1.1\r\nhost: test\r\n\r\n"
ASK = {"action_type": "deploy", "declared_goal": "Release 1.4.0 to staging", "agent_id": "release-bot"}
CHUNKED = b"POST /api/guard HTTP/1.1\r\nhost: test\r\ntransfer-encoding: chunked\r\n" + KEY + b"\r\n"
TIMES = """
header_seconds = 1
body_seconds = 1
keep_alive_seconds = 2
connections = 120
connections_per_address = 100
"""
WAIT = 20.0
SOON = 10.0
"""Far less than what a header that is joined piece by piece takes, far more than an answer."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    home = tmp_path_factory.mktemp("hostile") / "home"
    home.mkdir(mode=0o700)
    (home / "assent.toml").write_text(TIMES + SETTINGS)
    with start_service(home) as running:
        yield running


def connect(service: LiveService) -> socket.socket:
    wire = socket.create_connection(("127.0.0.1", service.port), timeout=WAIT)
    wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return wire


def send(wire: socket.socket, *pieces: bytes, pause: float = 0.0) -> None:
    """Whatever of it is taken: the service may have ended the connection by then."""
    try:
        for piece in pieces:
            wire.sendall(piece)
            time.sleep(pause)
    except OSError:
        pass


def the_end(wire: socket.socket) -> bytes:
    """All that comes until the service ends the connection."""
    found = bytearray()
    try:
        while piece := wire.recv(65_536):
            found += piece
    except ConnectionResetError:
        pass
    return bytes(found)


def answers(wire: socket.socket) -> list[tuple[int, dict[str, Any], bytes]]:
    """Status, JSON object and header of each answer until the connection ends."""
    rest, found = the_end(wire), []
    while rest:
        head, rest = rest.split(b"\r\n\r\n", 1)
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        found.append((int(head.split()[1]), json.loads(rest[:length]), head.lower()))
        rest = rest[length:]
    return found


def refusal(wire: socket.socket) -> tuple[int, str]:
    """Status and code of the only answer, which has to be a problem that ends the connection."""
    ((status, problem, head),) = answers(wire)
    assert b"content-type: application/problem+json" in head
    assert b"connection: close" in head
    assert problem["status"] == status
    assert problem["type"] == f"urn:assent:problem:{problem['code']}"
    assert problem["detail"] == problem["error"] != ""
    return status, problem["code"]


def guard(service: LiveService) -> None:
    assert service.call("POST", "/api/guard", ASK, timeout=SOON)[0] == 200


BEGIN = b"GET /health HTTP/1.1\r\nhost: test\r\nlong: "
REFUSED: dict[str, tuple[list[bytes], tuple[int, str]]] = {
    "a header of one field without end": ([BEGIN, *[b"a" * 10_000] * 10], (431, "header_too_large")),
    "a field in one piece": ([BEGIN + b"a" * 65_536 + b"\r\n\r\n"], (431, "header_too_large")),
    "a name without end": ([BEGIN + b"x\r\n", *[b"a" * 10_000] * 10], (431, "header_too_large")),
    "an address without end": ([b"GET /", *[b"a" * 10_000] * 10], (431, "header_too_large")),
    "101 fields": ([b"GET /health HTTP/1.1\r\n" + b"a: b\r\n" * 101 + b"\r\n"], (431, "header_too_large")),
    "a header that stops": ([BEGIN], (408, "header_timeout")),
    "a body that stops": (
        [b"POST /api/guard HTTP/1.1\r\ncontent-length: 9\r\n" + KEY + b"\r\n{"],
        (408, "body_timeout"),
    ),
    "no HTTP": ([b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"], (400, "invalid_http")),
    "a header with LF alone": ([b"GET /health HTTP/1.1\nhost: test\n\n"], (400, "invalid_http")),
    "two lengths": ([b"GET /health HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\n"], (400, "invalid_http")),
    "length and chunks": ([CHUNKED[:-2] + b"content-length: 2\r\n\r\n{}"], (400, "invalid_http")),
    "CONNECT": ([b"CONNECT mail.invalid:25 HTTP/1.1\r\n\r\n"], (400, "invalid_http")),
    "a body behind Upgrade": (
        [b"POST /api/guard HTTP/1.1\r\nconnection: upgrade\r\nupgrade: h2c\r\ncontent-length: 2\r\n" + KEY + b"\r\n{}"],
        (400, "invalid_http"),
    ),
    "a chunk larger than numbers are": ([CHUNKED, b"F" * 17 + b"\r\n"], (400, "invalid_http")),
    "a chunk larger than bodies are": ([CHUNKED + b"FFFFFFFF\r\n", b"x" * 1_000_001], (413, "payload_too_large")),
    "101 trailers": ([CHUNKED + b"2\r\n{}\r\n0\r\n", *[b"a: b\r\n"] * 101, b"\r\n"], (431, "header_too_large")),
    "more than a megabyte": (
        [b"POST /api/guard HTTP/1.1\r\ncontent-length: 1000001\r\n" + KEY + b"\r\n"],
        (413, "payload_too_large"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_request_that_is_none_gets_a_problem_and_the_end(service: LiveService, case: str) -> None:
    pieces, expected = REFUSED[case]
    with connect(service) as wire:
        send(wire, *pieces)
        assert refusal(wire) == expected


@pytest.mark.parametrize("piece", [b"0", b"5;" + b"x", b"5;" + b'a="b";'], ids=["zeros", "extension", "extensions"])
def test_a_line_of_a_chunk_that_never_ends(service: LiveService, piece: bytes) -> None:
    with connect(service) as wire:
        send(wire, CHUNKED, piece, *[piece[-1:] * 1_000] * 30, pause=0.005)
        assert refusal(wire) == (400, "invalid_http")


def test_what_is_right_is_answered_however_it_comes(service: LiveService) -> None:
    with connect(service) as wire:
        send(wire, *(bytes([each]) for each in HEALTH))
        send(wire, b"GET /health HTTP/1.1\r\n" + b"a: b\r\n" * 100 + b"\r\n")
        send(wire, b"GET /health HTTP/1.1\r\nlong: " + b"a" * 65_000, b"a" * 400 + b"\r\n\r\n")
        send(wire, b"GET /health HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n" + HEALTH)
        assert [status for status, _, _ in answers(wire)] == [200] * 5


def test_trailers_are_no_headers(service: LiveService) -> None:
    """A key behind the body is not looked at, and neither is anything else."""
    ask = CHUNKED.replace(b"host: test", b"connection: close")
    without = ask.replace(KEY, b"")
    body = json.dumps(ASK).encode()
    chunk = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n"
    with connect(service) as wire:
        send(wire, without + chunk + KEY + b"\r\n")
        assert [(status, problem["code"]) for status, problem, _ in answers(wire)] == [(401, "unauthorized")]
    with connect(service) as wire:
        send(wire, ask + chunk + b"x-api-key: another\r\n\r\n")
        assert [status for status, _, _ in answers(wire)] == [200]


@deep("slow or many connections; the protocol is tried in the process")
def test_a_header_in_small_pieces_costs_what_it_is_long(service: LiveService) -> None:
    """Quadratic joining took 14 to 20 s of everybody's time. A slow machine may need more than a header's time to send
    so many: then it is asked again."""
    for _ in range(10):
        with connect(service) as wire:
            began = time.monotonic()
            send(wire, BEGIN, *[b"a" * 16] * 5_000)
            found = refusal(wire)
            assert time.monotonic() - began < SOON
        if found != (408, "header_timeout"):
            break
    assert found == (431, "header_too_large")


@deep("slow or many connections; the protocol is tried in the process")
def test_a_header_that_never_ends_keeps_nobody_waiting(service: LiveService) -> None:
    with connect(service) as wire:
        wire.sendall(BEGIN)
        began = time.monotonic()
        for _ in range(300):
            send(wire, b"a" * 262_144)
        guard(service)
        assert time.monotonic() - began < SOON


def test_garbage_behind_a_request_comes_after_its_answer(service: LiveService) -> None:
    with connect(service) as wire:
        send(wire, HEALTH + HEALTH + b"GARBAGE\r\n\r\n")
        found = answers(wire)
    assert [status for status, _, _ in found] == [200, 200, 400]
    assert found[-1][1]["code"] == "invalid_http"


def test_requests_that_wait_for_no_answer_are_64(service: LiveService) -> None:
    with connect(service) as wire:
        send(wire, HEALTH * 500)
        found = answers(wire)
    assert [status for status, _, _ in found] == [200] * 65 + [503]
    assert found[-1][1]["code"] == "busy"


@deep("slow or many connections; the protocol is tried in the process")
def test_a_silent_connection_is_closed_without_a_word(service: LiveService) -> None:
    began = time.monotonic()
    with connect(service) as silent, connect(service) as resting:
        send(resting, HEALTH)
        assert the_end(silent) == b""
        assert 0.9 < time.monotonic() - began < SOON
        assert [status for status, _, _ in answers(resting)] == [200]
        assert time.monotonic() - began > 1.9


@deep("slow or many connections; the protocol is tried in the process")
def test_a_slow_body_may_be_slow_but_not_still(service: LiveService) -> None:
    body = json.dumps(ASK).encode()
    head = (
        b"POST /api/guard HTTP/1.1\r\nconnection: close\r\ncontent-length: "
        + str(len(body)).encode()
        + b"\r\n"
        + KEY
        + b"\r\n"
    )
    third = len(body) // 3
    with connect(service) as wire:
        send(wire, head, body[:third], body[third : 2 * third], body[2 * third :], pause=0.6)
        assert [status for status, _, _ in answers(wire)] == [200]


def test_a_body_that_waits_to_be_asked_for(service: LiveService) -> None:
    body = json.dumps(ASK).encode()
    head = b"POST /api/guard HTTP/1.1\r\nconnection: close\r\nexpect: 100-continue\r\ncontent-length: "
    with connect(service) as wire:
        send(wire, head + str(len(body)).encode() + b"\r\n" + KEY + b"\r\n")
        assert wire.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        send(wire, body)
        assert [status for status, _, _ in answers(wire)] == [200]


def test_two_keys_are_refused_whichever_is_right(service: LiveService) -> None:
    other = b"x-api-key: another\r\n"
    for keys in (KEY + KEY, KEY + other, other + KEY):
        with connect(service) as wire:
            send(wire, b"GET /api/actions HTTP/1.1\r\n" + keys + b"connection: close\r\n\r\n")
            ((status, problem, _),) = answers(wire)
            assert (status, problem["code"]) == (400, "invalid_http")
            assert "x-api-key" in problem["detail"]


@deep("slow or many connections; the protocol is tried in the process")
def test_more_connections_than_there_may_be(service: LiveService) -> None:
    """Those that have not asked anything go, the oldest first, and whoever asks is served."""
    with ExitStack() as stack:
        half_open = [stack.enter_context(connect(service)) for _ in range(100)]
        for wire in half_open[:50]:
            send(wire, BEGIN)
        began = time.monotonic()
        for _ in range(30):
            guard(service)
        assert time.monotonic() - began < SOON
        assert the_end(half_open[0]) == b""
    guard(service)


def test_all_connections_busy_refuses_the_next(service: LiveService) -> None:
    """Each holds a stream of events, which is an answer that does not end."""
    stream = b"GET /api/stream HTTP/1.1\r\n" + KEY + b"\r\n"
    with ExitStack() as stack:
        for _ in range(100):
            # One after the other: a connection that was not read yet would be closed for a newer one.
            wire = stack.enter_context(connect(service))
            wire.sendall(stream)
            assert wire.recv(12) == b"HTTP/1.1 200"
        with connect(service) as one_more:
            assert refusal(one_more) == (503, "too_many_connections")
    deadline = time.monotonic() + WAIT
    while service.call("GET", "/health")[0] != 200:
        assert time.monotonic() < deadline


def test_the_service_may_open_as_many_files_as_the_system_lets_it(service: LiveService) -> None:
    soft, hard = resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE)
    assert soft == hard


@deep("a thousand connections")
def test_a_start_with_few_files_takes_more_than_a_thousand_half_open(tmp_path: Path) -> None:
    """1,024 of them stopped everything, since that is the limit that a process starts with."""
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 2_000, "this test itself opens more than a thousand"
    with start_service(tmp_path / "home", module="tests.stories.few_files") as running, ExitStack() as stack:
        for _ in range(1_050):
            send(stack.enter_context(connect(running)), BEGIN)
        guard(running)


@deep("slow or many connections; the protocol is tried in the process")
def test_the_body_limit_is_a_setting(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "assent.toml").write_text("body_megabytes = 2.5\n" + SETTINGS)
    large = ASK | {"metadata": {"text": "x" * 2_000_000}}
    with start_service(home) as running:
        assert running.call("POST", "/api/guard", large)[0] == 200
        status, problem = running.call("POST", "/api/guard", ASK | {"metadata": {"text": "x" * 2_500_000}})
        assert (status, problem["code"]) == (413, "payload_too_large")
