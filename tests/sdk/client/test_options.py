"""What a grown-up client lets its caller choose and see: options of a twin, the way to the service, pages as one
iteration, the last answer, and a line for each call. Both clients."""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import ssl
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from assent import AsyncClient, Client, ConnectionFailed, InheritedConnections, UnboundAnswer
from assent.client import http_response
from assent.settings import ClientSettings
from tests.sdk.client import samples
from tests.sdk.client.doubles import BASE, Stage, Way, answering, bound
from tests.tiers import deep

HALT = answering(samples.HALT)


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("ASSENT_") or name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)


# The twin of with_options


async def test_a_twin_speaks_for_another_agent_and_the_first_one_stays(way: Way) -> None:
    stage = Stage(way, answering(samples.decision()))
    twin = stage.client.with_options(agent_id="agent-8", timeout=3.5)
    for client in (twin, stage.client):
        answer = client.guard({"action_type": "x"})
        _ = await answer if way == "async" else answer
    assert [b'"agent_id":"agent-8"' in request.content for request in stage.requests] == [True, False]
    assert [request.extensions["timeout"]["connect"] for request in stage.requests] == [3.5, 30.0]
    assert (twin.agent_id, stage.client.agent_id, repr(twin)) == (
        "agent-8",
        "agent-7",
        f"{type(twin).__name__}(base_url={BASE!r}, agent_id='agent-8')",
    )


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"timeout": 0}, ValueError),
        ({"retries": -1}, ValueError),
        ({"retry_seconds": 1e9}, ValueError),
        ({"session": ""}, ValueError),
        ({"session": "two\nlines"}, ValueError),
        ({"session": 7}, TypeError),
        ({"agentid": "x"}, TypeError),
    ],
)
def test_an_option_that_cannot_be_is_refused_by_its_name(
    way: Way, wrong: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error, match=next(iter(wrong))):
        Stage(way, HALT).client.with_options(**wrong)


async def test_answers_of_a_twin_are_bound_to_their_questions(way: Way) -> None:
    def other(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=samples.HALT, headers={"x-request-id": "of another question"})

    stage = Stage(way, other, retries=0)
    stage.client = stage.client.with_options(timeout=1, session="s")
    with pytest.raises(UnboundAnswer):
        await stage("get_halt")


def test_a_twin_in_a_forked_process_does_not_use_what_its_parent_handed_in() -> None:
    def networked(request: httpx.Request) -> httpx.Response:
        response = bound(HALT)(request)
        response.extensions["network_stream"] = object()  # as over a real connection
        return response

    with httpx.Client(transport=httpx.MockTransport(networked)) as http:
        twin = Client(BASE, http_client=http, retries=0).with_options(agent_id="a")
        twin.get_halt()
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                twin.get_halt()
                os.write(write, b"answered")
            except InheritedConnections:
                os.write(write, b"refused")
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        os.close(write)
        assert os.read(read, 100) == b"refused"
        os.close(read)


# The way to the service


def test_the_callers_own_http_client_is_gone_through_and_left_open() -> None:
    seen: list[str] = []
    http = httpx.Client(transport=httpx.MockTransport(HALT), headers={"x-mine": "1"}, base_url="http://own.test:1")
    http.event_hooks["request"].append(lambda request: seen.append(request.headers["x-mine"]))
    with Client(http_client=http) as client:
        assert client.base_url == "http://own.test:1"
        client.get_halt()
    assert (seen, http.is_closed) == (["1"], False)
    http.close()


async def test_and_so_is_an_awaiting_one() -> None:
    async with httpx.AsyncClient(transport=httpx.MockTransport(HALT)) as http:
        async with AsyncClient(BASE, http_client=http) as client:
            await client.get_halt()
        assert not http.is_closed


def test_what_belongs_to_an_http_client_is_not_said_beside_it() -> None:
    with httpx.Client() as http:
        with pytest.raises(TypeError, match="two names for the same"):
            Client(BASE, http=http, http_client=http)
        with pytest.raises(TypeError, match="up to the http client"):
            Client(BASE, http_client=http, proxy="http://proxy.test:3128")
        with pytest.raises(TypeError, match="up to the http client"):
            Client(BASE, http=http, certificates="ca.pem")


def proxy_of(http: httpx.Client | httpx.AsyncClient) -> list[str]:
    """The proxies that an http client has a transport for."""
    pools: list[Any] = [getattr(transport, "_pool", None) for transport in http._mounts.values()]
    return [pool._proxy_url.host.decode() for pool in pools if hasattr(pool, "_proxy_url")]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["of.environment.test"]),
        ({"trust_env": False}, []),
        ({"proxy": "http://me:secret@given.test:3128"}, ["given.test"]),
    ],
)
async def test_the_proxy_is_the_one_given_else_the_environments(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], expected: list[str]
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://of.environment.test:3128")
    with Client(BASE, **options) as client:
        assert proxy_of(client._connections.pool().http) == expected
    async with AsyncClient(BASE, **options) as awaiting:
        assert proxy_of((await awaiting._connections.pool()).http) == expected


def test_a_proxy_that_is_no_address_is_told_without_its_password() -> None:
    with pytest.raises(ValueError, match="proxy is no address") as caught:
        Client(BASE, proxy="nonsense://me:secret@there")
    assert "secret" not in str(caught.value)


def test_certificates_are_read_when_the_client_is_made(tmp_path: Path) -> None:
    wrong = tmp_path / "ca.pem"
    wrong.write_text("no certificate")
    for place in (wrong, tmp_path / "missing.pem"):
        with pytest.raises(ValueError, match=r"certificates is .* cannot be read"):
            Client("https://assent.test", certificates=place)
    context = ssl.create_default_context()
    with Client("https://assent.test", certificates=context) as client:
        assert client._connections._network.verify is context


# Pages as one iteration


def pages(request: httpx.Request) -> httpx.Response:
    """Three pages of actions, of two, two and one."""
    at = int(request.url.params.get("cursor", "0"))
    rows = [samples.action(action_id=f"act_{number}") for number in range(5)][at : at + 2]
    more = str(at + 2) if at + 2 < 5 else None
    return httpx.Response(200, json=samples.ACTIONS | {"actions": rows, "next_cursor": more})


async def all_of(stream: Iterator[Any] | AsyncIterator[Any]) -> list[Any]:
    return [each async for each in stream] if isinstance(stream, AsyncIterator) else list(stream)


async def test_pages_come_as_one_iteration_with_the_filters_of_each(way: Way) -> None:
    stage = Stage(way, pages)
    found = await all_of(stage.client.iterate_actions(status="running", limit=2, agent_id="a b"))
    assert [each.action_id for each in found] == ["act_0", "act_1", "act_2", "act_3", "act_4"]
    assert [dict(request.url.params) for request in stage.requests] == [
        {"agent_id": "a b", "status": "running", "limit": "2"},
        {"agent_id": "a b", "status": "running", "limit": "2", "cursor": "2"},
        {"agent_id": "a b", "status": "running", "limit": "2", "cursor": "4"},
    ]


async def test_a_page_is_asked_for_when_it_is_needed(way: Way) -> None:
    stage = Stage(way, pages)
    first = await stage.take(stage.client.iterate_actions(), 2)
    assert ([each.action_id for each in first], len(stage.requests)) == (["act_0", "act_1"], 1)
    begun = await stage.take(stage.client.iterate_actions(cursor="4"), 1)
    assert [each.action_id for each in begun] == ["act_4"]


async def test_filters_may_be_given_by_their_place(way: Way) -> None:
    stage = Stage(way, answering(samples.DECISIONS))
    assert await all_of(stage.client.iterate_guard_decisions("block", 2)) == []
    assert dict(stage.requests[0].url.params) == {"decision": "block", "limit": "2"}


def test_a_misspelt_filter_is_told_before_anything_is_sent(way: Way) -> None:
    stage = Stage(way, pages)
    with pytest.raises(TypeError, match="agent"):
        asyncio.run(all_of(stage.client.iterate_actions(agent="a")))
    assert stage.requests == []


# The last answer


def seen(stage: Stage) -> Any:
    return stage.client.last_response


async def test_the_last_answer_can_be_looked_at(way: Way) -> None:
    stage = Stage(way, answering(samples.HALT, 200, **{"X-Served-By": "one"}))
    assert seen(stage) is None
    await stage("get_halt")
    last: Any = seen(stage)
    assert (last.method, last.url, last.status) == ("GET", f"{BASE}/api/halt", 200)
    assert last.headers["x-served-by"] == "one"
    assert b'"halted"' in last.body
    assert last.request_id == stage.requests[0].headers["x-request-id"]
    assert "halted" not in repr(last)
    assert stage.client.with_options(timeout=1).last_response is last
    assert pickle.loads(pickle.dumps(last)) == last


async def test_a_refusal_is_looked_at_as_well_and_what_is_large_is_not_kept(
    way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(way, answering({"code": "forbidden", "detail": "no", "status": 403}, 403))
    with pytest.raises(Exception, match="no"):
        await stage("get_halt")
    assert stage.client.last_response.status == 403
    monkeypatch.setattr(http_response, "LONGEST_KEPT", 3)
    stage.client = Stage(way, HALT).client
    assert seen(stage) is None  # over other connections
    await stage("get_halt")
    assert seen(stage).body is None


def test_each_thread_sees_its_own_last_answer() -> None:
    client = Stage("sync", HALT).client
    client.get_halt()
    seen: list[Any] = []
    thread = threading.Thread(target=lambda: seen.append(client.last_response))
    thread.start()
    thread.join()
    assert seen == [None]


async def test_each_task_sees_its_own_last_answer() -> None:
    stage = Stage("async", lambda request: httpx.Response(200, json=samples.HALT))

    async def asked() -> str:
        await stage.client.get_halt()
        await asyncio.sleep(0)
        return str(stage.client.last_response.request_id)

    ids = await asyncio.gather(*(asked() for _ in range(5)))
    assert sorted(ids) == sorted(request.headers["x-request-id"] for request in stage.requests)
    assert stage.client.last_response is None


# A line for each call


async def test_each_request_is_a_line_without_secrets(way: Way, caplog: pytest.LogCaptureFixture) -> None:
    stage = Stage(way, answering(samples.DECISIONS))
    caplog.set_level(logging.DEBUG, "assent")
    await stage("get_guard_decisions", agent_id="ghp_" + "a1B2" * 9)
    await stage("get_guard_decisions", agent_id="two\nlines")
    first, second = (record.getMessage() for record in caplog.records if record.name == "assent.calls")
    assert first.startswith("GET /api/guard?agent_id=[REDACTED")
    assert f", x-request-id {stage.requests[0].headers['x-request-id']}" in first
    assert " 200 in " in first
    assert "\n" not in second
    for line in (first, second):
        assert "sk_secret" not in line
        assert "a1B2" not in line


async def test_so_is_one_that_nobody_answers(way: Way, caplog: pytest.LogCaptureFixture) -> None:
    def gone(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("nobody there")

    stage = Stage(way, gone, retries=1)
    caplog.set_level(logging.DEBUG, "assent.calls")
    with pytest.raises(ConnectionFailed):
        await stage("get_halt")
    lines = [record.getMessage() for record in caplog.records if record.name == "assent.calls"]
    assert len(lines) == 2  # each attempt
    assert all("GET /api/halt no answer after" in line and "nobody there" in line for line in lines)


PROCESS = deep("a process of its own; one of them is in both tiers")
SHOWN = """
import httpx
from assent import Client
def answer(request):
    return httpx.Response(200, json={"halted": False, "reason": None, "since": None, "by": None},
                          headers={"x-request-id": request.headers["x-request-id"]})
for _ in range(2):
    Client("http://a.test", "sk_secret", http_client=httpx.Client(transport=httpx.MockTransport(answer)))
client = Client("http://a.test", "sk_secret", http_client=httpx.Client(transport=httpx.MockTransport(answer)))
try:
    client.get_halt()
except Exception:
    pass
"""


@pytest.mark.parametrize(
    ("debug", "lines"), [("1", 1), pytest.param("0", 0, marks=PROCESS), pytest.param("", 0, marks=PROCESS)]
)
def test_assent_debug_prints_each_call_once_on_standard_error(debug: str, lines: int) -> None:
    environment = {**os.environ, "ASSENT_DEBUG": debug}
    done = subprocess.run(
        [sys.executable, "-c", SHOWN], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert (done.stdout, len(done.stderr.splitlines())) == ("", lines)
    assert "sk_secret" not in done.stderr
    if lines:
        assert done.stderr.startswith("assent: GET /api/halt 200 in ")


def test_a_switch_that_is_none_is_told() -> None:
    with pytest.raises(ValueError, match="ASSENT_DEBUG is 'loud'"):
        ClientSettings.from_environment({"ASSENT_DEBUG": "loud"})
