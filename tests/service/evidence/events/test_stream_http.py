"""The stream over real HTTP: resuming, blocks, slow readers, and a server that stops with streams open."""

import http.client
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from assent.contract.events import STREAM
from tests.service.evidence.events.serving import WAIT, Live, action, live
from tests.service.evidence.events.sse import Parser, parse


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Live]:
    with live(tmp_path) as running:
        yield running


def read_until(response: http.client.HTTPResponse, parser: Parser, name: str) -> Parser:
    while name not in parser.names():
        chunk = response.read1(65_536)
        assert chunk, f"the stream ended before {name}"
        parser.feed(chunk)
    return parser


def test_events_are_heard_live_with_their_ids(service: Live) -> None:
    with service.stream() as response:
        assert response.status == 200
        assert response.getheader("content-type") == STREAM.content
        connected = read_until(response, Parser(), "connected").heard[-1]
        recorded = service.append(action(service.org_id, number=1), action(service.org_id, number=2))
        parser = Parser()
        while len(parser.heard) < 2:
            parser.feed(response.read1(65_536))
        assert connected.data["last_event_id"] == recorded[0].n - 1
        assert [(each.id, each.data["number"]) for each in parser.heard] == [
            (recorded[0].n, 1),
            (recorded[1].n, 2),
        ]


@pytest.mark.parametrize("by_header", [True, False])
def test_a_reader_that_was_cut_off_resumes_without_gap_or_repeat(service: Live, by_header: bool) -> None:
    seen: list[int] = []
    numbers: list[int] = []
    last = service.append(action(service.org_id, number=-1))[0].n
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            service.append(*(action(service.org_id, number=number + i) for i in range(3)))
            number += 3

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for connection in range(8):
            query = "" if by_header else f"?lastEventId={last}"
            headers = {"Last_Event_ID": str(last)} if by_header else {}
            with service.stream(query, **headers) as response:
                parser = read_until(response, Parser(), "connected")
                for _ in range(connection):
                    parser.feed(response.read1(65_536))
            for each in parser.heard:
                if each.id is not None:
                    seen.append(each.id)
                    numbers.append(each.data["number"])
            last = seen[-1] if seen else last
    finally:
        stop.set()
        writer.join()
    assert len(seen) > 8
    assert seen == list(range(seen[0], seen[0] + len(seen)))
    assert numbers == list(range(len(seen)))


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("", {"Last_Event_ID": "4000000"}),
        ("", {"Last_Event_ID": "mem-12"}),
        ("?lastEventId=4000000", {}),
        ("?lastEventId=-1", {}),
        ("?types=action.sneezed", {}),
        ("?types=key.created", {}),
    ],
)
def test_a_request_that_makes_no_sense_is_a_problem_not_a_stream(
    service: Live, query: str, headers: dict[str, str]
) -> None:
    with service.stream(query, **headers) as response:
        assert response.status == 400
        assert response.getheader("content-type") == "application/problem+json"
        assert b'"code":"invalid_query"' in response.read()
    assert service.parts.events.readers == 0


def test_every_flush_to_urllib_is_whole_blocks(service: Live) -> None:
    with service.stream(User_Agent="Python-urllib/3.11") as response:
        first = response.read(4096)
        assert parse(first).names() == ["connected"]
        for size in (10, 4000, 4040, 5000, 100_000):
            service.append(action(service.org_id, text="x" * size))
            got = b""
            while not parse(got).heard:
                got += response.read(4096)
            assert len(got) % 4096 == 0
            assert len(got) - size < 4096 + 300
            assert parse(got).heard[0].data["text"] == "x" * size


def test_a_reader_who_does_not_read_is_dropped_with_a_place_to_resume(tmp_path: Path) -> None:
    with live(tmp_path, queue=20) as service:
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.settimeout(WAIT)
        raw.connect(("127.0.0.1", service.port))
        raw.sendall(f"GET /api/stream HTTP/1.1\r\nhost: x\r\nx-api-key: {service.admin}\r\n\r\n".encode())
        response = http.client.HTTPResponse(raw)
        response.begin()
        connected = read_until(response, Parser(), "connected").heard[-1].data["last_event_id"]
        newest = 0
        for number in range(600):
            newest = service.append(action(service.org_id, number=number, text="x" * 20_000))[0].n
        # Others are served meanwhile, and nothing of this was held up by the one who does not read.
        with service.stream("?lastEventId=" + str(newest - 1)) as other:
            assert read_until(other, Parser(), "connected").ids() == [newest]
        parser = parse(response.read())
        raw.close()
        seen = parser.ids()
        assert parser.names()[-1] == "reset"
        assert seen == list(range(connected + 1, parser.heard[-1].data["last_event_id"] + 1))
        assert seen[-1] < newest, "it was never too slow"
        with service.stream(Last_Event_ID=str(seen[-1])) as again:
            assert read_until(again, Parser(), "connected").ids() == list(range(seen[-1] + 1, newest + 1))


def test_stopping_with_open_streams_ends_them_cleanly(tmp_path: Path) -> None:
    service = Live(tmp_path)
    service.start()
    rests: list[bytes] = []

    def follow() -> None:
        with service.stream() as response:
            read_until(response, Parser(), "connected")
            ready.wait(WAIT)
            # Raises IncompleteRead when the body ends without its last chunk.
            rests.append(response.read())

    ready = threading.Barrier(13)
    readers = [threading.Thread(target=follow) for _ in range(12)]
    for each in readers:
        each.start()
    ready.wait(WAIT)
    service.append(action(service.org_id, number=1))
    assert service.stop()
    for each in readers:
        each.join(WAIT)
    assert [parse(rest).heard[0].data["number"] for rest in rests] == [1] * 12


def test_a_stuck_reader_does_not_keep_the_server_from_stopping(tmp_path: Path) -> None:
    service = Live(tmp_path)
    service.start()
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.connect(("127.0.0.1", service.port))
    raw.sendall(f"GET /api/stream HTTP/1.1\r\nhost: x\r\nx-api-key: {service.admin}\r\n\r\n".encode())
    while service.parts.events.readers == 0:
        service.call("GET", "/health")
    for number in range(400):
        service.append(action(service.org_id, number=number, text="x" * 20_000))
    assert service.stop()
    raw.close()


def test_a_reader_who_leaves_is_forgotten(service: Live) -> None:
    with service.stream() as response:
        read_until(response, Parser(), "connected")
        assert service.parts.events.readers == 1
    for _ in range(1000):
        if service.parts.events.readers == 0:
            return
        service.call("GET", "/health")
    pytest.fail("its subscription is still there")


def test_revoking_a_key_ends_its_stream(service: Live) -> None:
    made = service.call("POST", "/api/keys", service.admin, {"name": "watcher", "role": "auditor"}).json()
    with service.stream(key=made["api_key"]) as response:
        read_until(response, Parser(), "connected")
        assert service.call("DELETE", f"/api/keys/{made['key']['key_id']}", service.admin).status_code == 200
        assert response.read() == b""
    with service.stream(key=made["api_key"]) as response:
        assert response.status == 401
