"""Paths, methods, queries and connections that no client of good will would send."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from http.client import BadStatusLine, HTTPResponse
from typing import Any

import httpx
import pytest

from assent.contract.endpoint import AnyEndpoint
from assent.contract.operations import ENDPOINTS
from tests.live import WAIT, LiveService
from tests.stories.problems import refused
from tests.stories.tenant import Reply, Tenant
from tests.tiers import deep

BY_ID = [endpoint for endpoint in ENDPOINTS if "{" in endpoint.path]
LISTS = {"/api/actions": 200, "/api/assumptions": 200, "/api/guard": 1000}
PATHS = sorted({path for endpoint in ENDPOINTS for path in (endpoint.path, *endpoint.also)})


@pytest.fixture(scope="module")
def tenant(service: LiveService, http: httpx.Client) -> Tenant:
    made = Tenant(service, http)
    made.create(action_id="act_there")
    return made


@pytest.fixture(autouse=True)
def nothing_recorded(tenant: Tenant) -> Iterator[None]:
    before = tenant.recorded()
    yield
    assert tenant.recorded() == before


def exchange(tenant: Tenant, request: bytes) -> Reply | None:
    """What comes back for these bytes; None when the connection is just closed."""
    with socket.create_connection(("127.0.0.1", tenant.service.port), timeout=WAIT) as connection:
        connection.sendall(request)
        response = HTTPResponse(connection)
        try:
            response.begin()
        except (ConnectionError, BadStatusLine):
            return None
        return Reply(response.status, httpx.Headers(response.getheaders()), response.read())


def ask(tenant: Tenant, method: str, target: str) -> Reply:
    """A request whose target is sent as it is; clients would tidy it up."""
    head = f"{method} {target} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: {tenant.keys['admin']}\r\n"
    reply = exchange(tenant, f"{head}content-length: 2\r\n\r\n{{}}".encode())
    assert reply is not None
    return reply


TRICKS = {
    "..": 400,
    ".": 400,
    "%2e%2e": 400,
    "..%2f..%2fkeys": 404,
    "act_there%2f..": 404,
    "act_there%2Ftrace%2Fx": 404,
    "%00": 400,
    "act_there%00": 400,
    "act_there%0a": 400,
    "act_there%0d%0ax-evil:1": 400,
    "%20": 400,
    "act%20there": 400,
    "act_there%3f": 400,
    "act_there%23": 400,
    "%25": 400,
    "act_there'--": 400,
    "%22": 400,
    "%c3%a4": 400,
    "%ff%fe": 400,
    "%f0%9f%92%a5": 400,
    "%ef%bc%8e%ef%bc%8e": 400,
    "a" * 128: 404,
    "a" * 129: 400,
    "a" * 1000: 400,
    "*": 400,
    "act_there;x=1": 400,
    "act_none": 404,
}


@deep("bad input of each kind is in the quick tier")
@pytest.mark.parametrize("endpoint", BY_ID, ids=lambda endpoint: str(endpoint.operation))
def test_an_id_that_wants_to_be_more(tenant: Tenant, endpoint: AnyEndpoint[Any]) -> None:
    start, _, rest = endpoint.path.partition("{")
    for trick in TRICKS:
        reply = ask(tenant, endpoint.method, start + trick + rest.partition("}")[2])
        refused(reply, reply.status)
        # What is wrong with the empty body may be said before what is wrong with the id.
        assert reply.status in {400, 404}, f"{trick}: {reply.content!r}"


@pytest.mark.parametrize(("trick", "status"), TRICKS.items(), ids=[name[:24] for name in TRICKS])
def test_reading_by_an_id_that_wants_to_be_more(tenant: Tenant, trick: str, status: int) -> None:
    refused(ask(tenant, "GET", f"/api/actions/{trick}"), status)


NOWHERE = [
    "/",
    "/api",
    "/api/",
    "/api/nothing",
    "/api/guard/x",
    "/api/stream/x",
    "/api/actions/a/b",
    "/api/actions/act_there/approve/x",
    "/API/actions",
    "/api%2factions",
    "/api/actions%2fact_there",
    "/api/actions/act_there%2Ftrace",
    "/etc/passwd",
    "/../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/.env",
    "/%00",
    "/%c3%a4",
    "/" + "x" * 5000,
]


@pytest.mark.parametrize("target", NOWHERE, ids=[target[:40] for target in NOWHERE])
def test_a_path_where_nothing_is(tenant: Tenant, target: str) -> None:
    refused(ask(tenant, "GET", target), 404, "route_not_found")


@deep("bad input of each kind is in the quick tier")
@pytest.mark.parametrize("path", PATHS)
def test_a_method_that_is_not_served(tenant: Tenant, path: str) -> None:
    served = {e.method for e in ENDPOINTS for each in (e.path, *e.also) if each == path}
    target = "/".join("act_there" if part.startswith("{") else part for part in path.split("/"))
    for method in sorted({"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} - served):
        reply = ask(tenant, method, target)
        refused(reply, 405, "method_not_allowed")
        assert reply.headers["allow"] == ", ".join(sorted(served))


@deep("bad input of each kind is in the quick tier")
@pytest.mark.parametrize("name", ["limit", "offset", "days"])
@pytest.mark.parametrize("path", LISTS)
def test_a_number_in_a_query_that_is_none(tenant: Tenant, path: str, name: str) -> None:
    if (path, name) == ("/api/assumptions", "days"):
        return  # it has none
    arabic_three = "%D9%A3"
    for value in (
        "-1",
        "abc",
        "1e99",
        "1.5",
        "NaN",
        "9" * 30,
        "0x10",
        "1%00",
        "%F0%9F%92%A5",
        arabic_three,
        "--",
        "1_0",
    ):
        refused(tenant.send("GET", f"{path}?{name}={value}"), 400, "invalid_query", name)


@pytest.mark.parametrize(("path", "most"), LISTS.items())
def test_a_page_of_no_size(tenant: Tenant, path: str, most: int) -> None:
    for value in ("0", str(most + 1), "1e9"):
        refused(tenant.send("GET", f"{path}?limit={value}"), 400, "invalid_query", "limit")
    assert tenant.send("GET", f"{path}?limit={most}").status == 200


@deep("bad input of each kind is in the quick tier")
@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize(
    "cursor",
    ["x", "!!!!", "bm9uZQ", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5IGE", "LTk5OTk5OTk5OTk5OTk5OTk5OTkgYQ", "%00", "x" * 401],
)
def test_a_cursor_that_is_none(tenant: Tenant, path: str, cursor: str) -> None:
    refused(tenant.send("GET", f"{path}?cursor={cursor}"), 400, "invalid_query", "cursor")


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("/api/actions?status=done", "status"),
        ("/api/actions?decision=maybe", "decision"),
        ("/api/actions?source=elsewhere", "source"),
        ("/api/actions?decision_id=dec_1%20OR%201", "decision_id"),
        ("/api/actions?decision_id=" + "x" * 129, "decision_id"),
        ("/api/data/actions?status=done", "status"),
        ("/api/data/actions?decision=maybe", "decision"),
        ("/api/actions?risk_min=nan", "risk_min"),
        ("/api/actions?risk_min=inf", "risk_min"),
        ("/api/actions?risk_min=101", "risk_min"),
        ("/api/actions?agent_id=" + "x" * 129, "agent_id"),
        ("/api/assumptions?validated=perhaps", "validated"),
        ("/api/assumptions?action_id=a%20b", "action_id"),
        ("/api/stream?types=action.created,nothing", "types"),
        ("/api/stream?types=key.created", "types"),
        ("/api/stream?lastEventId=-1", "lastEventId"),
        ("/api/stream?lastEventId=x", "lastEventId"),
        ("/api/stream?lastEventId=99999999", "Last-Event-ID"),
        ("/api/guard?decision=", None),
        ("/api/actions?decision_id=", None),
        ("/api/data/actions?status=", None),
    ],
)
def test_a_query_that_is_not_allowed(tenant: Tenant, target: str, place: str | None) -> None:
    if place is None:
        assert tenant.send("GET", target).status == 200
    else:
        refused(tenant.send("GET", target), 400, "invalid_query", place)


@pytest.mark.parametrize("target", ["/api/actions?%ff=1", "/api/actions?limit=%ff", "/api/actions?" + "a=1&" * 60])
def test_a_query_that_cannot_be_read(tenant: Tenant, target: str) -> None:
    refused(tenant.send("GET", target), 400, "invalid_query")


def test_of_a_repeated_parameter_the_last_counts_and_strange_ones_do_not(tenant: Tenant) -> None:
    page = tenant.call("GET", "/api/actions?limit=abc&limit=1&status=failed&status=running&__proto__=1&limit[]=7")
    assert len(page["actions"]) == 1
    assert tenant.call("GET", "/api/actions?offset=1000000000")["actions"] == []


@pytest.mark.parametrize("value", ["-1", "x", "99999999999999999999", "1.0", "ä"])
def test_a_place_to_resume_that_is_none(tenant: Tenant, value: str) -> None:
    refused(tenant.send("GET", "/api/stream", last_event_id=value), 400, "invalid_query", "Last-Event-ID")


GET = b"GET /api/halt HTTP/1.1\r\nhost: x\r\nx-api-key: KEY\r\n"
GARBAGE = {
    "nothing but bytes": bytes(range(256)) * 8,
    "a TLS greeting": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 500,
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no version": b"GET /health\r\n\r\n",
    "an unknown version": b"GET /health HTTP/9.9\r\nhost: x\r\n\r\n",
    "a long header": GET + b"x: " + b"y" * 200_000 + b"\r\n\r\n",
    "a header with a non-ASCII name": GET + "schlüssel: 1\r\n\r\n".encode(),
    "a bad length": GET + b"content-length: -5\r\n\r\n",
    "two lengths": GET + b"content-length: 5\r\ncontent-length: 6\r\n\r\nabcdef",
    "a length that is no number": GET + b"content-length: 0x10\r\n\r\n",
    "length and chunks": GET + b"content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "a bad chunk": GET + b"transfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
    "a request and garbage behind it": GET + b"\r\n" + b"\0\xff garbage \r\n\r\n" * 50,
    "a path of raw bytes": b"GET /api/actions/\xff\xfe HTTP/1.1\r\nhost: x\r\nx-api-key: KEY\r\n\r\n",
    "a key of raw bytes": b"GET /api/halt HTTP/1.1\r\nhost: x\r\nx-api-key: \xff\xfe\r\n\r\n",
    "an upgrade": GET + b"connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\r\n",
    "a thousand headers": GET + b"".join(b"x-%d: 1\r\n" % number for number in range(1000)) + b"\r\n",
}


TOO_LARGE = {"a long header", "a thousand headers"}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_on_a_connection_ends_at_most_that_connection(tenant: Tenant, name: str) -> None:
    reply = exchange(tenant, GARBAGE[name].replace(b"KEY", tenant.keys["admin"].encode()))
    assert reply is None or reply.status in ({431} if name in TOO_LARGE else {200, 400, 401, 404, 405, 505})
    assert reply is None or b"Traceback" not in reply.content
    assert tenant.service.alive
    assert tenant.send("GET", "/health", key=None).status == 200


def test_requests_sent_at_once_are_answered_in_order(tenant: Tenant) -> None:
    key = tenant.keys["admin"].encode()
    paths = [b"/api/halt", b"/api/actions/act_there", b"/api/nothing", b"/health"]
    with socket.create_connection(("127.0.0.1", tenant.service.port), timeout=WAIT) as connection:
        connection.sendall(
            b"".join(b"GET %b HTTP/1.1\r\nhost: x\r\nx-api-key: %b\r\n\r\n" % (path, key) for path in paths)
        )
        data = b""
        while data.count(b"HTTP/1.1 ") < len(paths) or not data.endswith(b"}"):
            data += connection.recv(65536)
    assert [part[:3] for part in data.split(b"HTTP/1.1 ")[1:]] == [b"200", b"200", b"404", b"200"]


@deep("bad input of each kind is in the quick tier")
def test_a_body_that_never_comes_holds_nobody_up(tenant: Tenant) -> None:
    with socket.create_connection(("127.0.0.1", tenant.service.port), timeout=WAIT) as connection:
        connection.sendall(
            b"POST /api/guard HTTP/1.1\r\nhost: x\r\nx-api-key: %b\r\ncontent-length: 99\r\n\r\n{"
            % tenant.keys["agent"].encode()
        )
        assert tenant.send("GET", "/api/halt").status == 200
    assert tenant.send("GET", "/api/halt").status == 200
