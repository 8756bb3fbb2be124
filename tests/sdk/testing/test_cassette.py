"""What a service answered is recorded once and replayed without it, and no secret stays in the file."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest

from assent import AsyncClient, Client, governed
from assent.testing import Cassette, FakeService, NotRecorded

SECRET = "ghp_" + "a1B2" * 9


class Served(ThreadingHTTPServer):
    """A fake service behind a real port."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.fake = FakeService()
        self.fake.keep_waiting()
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Served

    def answer(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length") or 0))
        request = httpx.Request(self.command, f"http://x{self.path}", headers=dict(self.headers), content=content)
        response = self.server.fake.transport.handle_request(request)
        body = response.read()
        self.send_response(response.status_code)
        for name in ("content-type", "x-request-id"):
            self.send_header(name, response.headers[name])
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.answer()

    def do_PATCH(self) -> None:
        self.answer()

    def log_message(self, format: str, *args: object) -> None:
        return None


@pytest.fixture
def service() -> Iterator[Served]:
    with Served() as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()
        server.fake.close()


def work(client: Client) -> list[object]:
    verdict = client.guard({"action_type": "look", "declared_goal": f"Look with {SECRET}"})
    made = client.create_action("look", "Look", decision_id=None)
    client.update_outcome(made.action_id, "completed", output_summary=f"saw {SECRET}")
    return [verdict.decision_id, made.action_id, client.get_action(made.action_id).action.output_summary]


def test_what_was_recorded_is_replayed_without_the_service(service: Served, tmp_path: Path) -> None:
    file = tmp_path / "cassettes" / "look.json"
    with Cassette(file) as first, first.http_client() as http:
        assert first.records
        told = work(Client(service.url, "fake-agent", "bot", http_client=http))
    text = file.read_text()
    for secret in (SECRET, "fake-agent"):
        assert secret not in text
    assert [call["method"] for call in json.loads(text)] == ["POST", "POST", "PATCH", "GET"]
    asked = len(service.fake.asked)
    with Cassette(file) as again, again.http_client() as http:
        assert not again.records
        client = Client(service.url, "another-key", "bot", http_client=http)
        assert work(client) == told
        client.get_action(str(told[1]))  # a reading may come more often
        with pytest.raises(NotRecorded, match=r"look\.json has no other POST /api/guard"):
            client.guard({"action_type": "look", "declared_goal": f"Look with {SECRET}"})
        with pytest.raises(NotRecorded, match=r"has no POST /api/actions with this body; next there is nothing"):
            client.create_action("something else")
    assert (len(service.fake.asked), file.read_text()) == (asked, text)


@pytest.mark.parametrize("action_type", ["look", "pay"])
def test_governed_calls_and_tracked_ones_are_replayed(service: Served, tmp_path: Path, action_type: str) -> None:
    service.fake.policies({"name": "Ask", "policy_type": "require_approval", "rules": {"action_types": ["pay"]}})
    service.fake.approve_next(3)
    file, ids, results = tmp_path / "governed.json", [], []
    for _ in range(2):
        with Cassette(file) as cassette, cassette.http_client() as http:
            client = Client(service.url, "fake-agent", "bot", http_client=http)

            @governed(action_type, client=client)
            def work(amount: int) -> int:
                return amount * 2

            results += [work(amount=3), work(amount=3)]  # the same call twice is two actions
            with client.track(action_type, "Once more") as action:
                ids.append(action.action_id)
    assert results == [6, 6, 6, 6]
    assert ids[0] == ids[1]
    assert [each.status for each in service.fake.actions] == ["completed"] * 3


async def test_awaiting_as_well(service: Served, tmp_path: Path) -> None:
    file = tmp_path / "look.json"
    ids = []
    for _ in range(2):
        with Cassette(file) as cassette:
            async with cassette.async_http_client() as http:
                client = AsyncClient(service.url, "fake-agent", http_client=http)
                ids.append((await client.guard({"action_type": "look"})).decision_id)
    assert ids[0] == ids[1]
    assert len(service.fake.asked) == 1


def test_a_failed_recording_is_not_kept(tmp_path: Path) -> None:
    file = tmp_path / "none.json"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    missing = rf"cassette .*none\.json is missing, so this run records, and needs the service at {url}"
    with pytest.raises(NotRecorded, match=missing), Cassette(file) as cassette, cassette.http_client() as http:
        Client(url, "k", http_client=http, retry_seconds=200).get_halt()
    assert not file.exists()


async def test_a_recording_that_awaits_without_a_service_says_so(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
        cassette = Cassette(tmp_path / "none.json")
        async with cassette.async_http_client() as http:
            with pytest.raises(NotRecorded, match="is missing, so this run records"):
                await AsyncClient(url, "k", http_client=http, retry_seconds=200).get_halt()
