"""The kill switch over HTTP: who may turn it, who may look, and that everybody hears of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.evidence.events.serving import Live, live
from tests.service.evidence.events.sse import Parser


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Live]:
    with live(tmp_path) as running:
        yield running


def key(service: Live, role: str) -> str:
    made = service.call("POST", "/api/keys", service.admin, {"name": role, "role": role})
    assert made.status_code == 201
    secret: str = made.json()["api_key"]
    return secret


@pytest.mark.parametrize(("role", "may"), [("agent", 403), ("auditor", 403), ("operator", 200), ("admin", 200)])
def test_operators_turn_it_and_everybody_may_look(service: Live, role: str, may: int) -> None:
    secret = key(service, role)
    assert service.call("POST", "/api/halt", secret, {"reason": "stop"}).status_code == may
    seen = service.call("GET", "/api/halt", secret)
    assert (seen.status_code, seen.json()["halted"]) == (200, may == 200)
    assert service.call("DELETE", "/api/halt", secret).status_code == may


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": 5}, {"reason": "x" * 1001}])
def test_a_halt_needs_a_reason(service: Live, body: dict[str, object]) -> None:
    refused = service.call("POST", "/api/halt", service.admin, body)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_body")
    assert service.call("GET", "/api/halt", service.admin).json()["halted"] is False


def test_a_halt_is_heard_on_the_stream_of_a_bound_key(service: Live) -> None:
    bound = service.call("POST", "/api/keys", service.admin, {"name": "b", "agent_id": "bot"}).json()["api_key"]
    with service.stream("?types=halt.changed", key=bound) as response:
        parser = Parser()
        while not parser.heard:
            parser.feed(response.read1(65_536))
        service.call("POST", "/api/halt", service.admin, {"reason": "stop"})
        while len(parser.heard) < 2:
            parser.feed(response.read1(65_536))
    assert parser.heard[1].event == "halt.changed"
    assert (parser.heard[1].data["halted"], parser.heard[1].data["reason"]) == (True, "stop")
