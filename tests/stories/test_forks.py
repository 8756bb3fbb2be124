"""Sixteen forked processes use one client, and every question gets its own answer; an answer says whose it is."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import httpx
import pytest

from tests.live import ROOT, LiveService, start_service
from tests.stories.forks import blocked_types
from tests.stories.tenant import Tenant
from tests.tiers import deep

pytestmark = deep("sixteen processes at once")

PROCESSES, THREADS = 16, 2
FRESH = "0f" * 16


def forked(tenant: Tenant, way: str, guards: int) -> dict[str, Any]:
    asked = [tenant.service.base_url, tenant.keys["agent"], f"--guards={guards}", f"--way={way}"]
    ran = subprocess.run(
        [sys.executable, "-m", "tests.stories.forks", *asked, f"--processes={PROCESSES}", f"--threads={THREADS}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


@pytest.fixture(scope="module")
def strict(shared_tenant: Tenant) -> Tenant:
    rules = {"action_types": blocked_types(PROCESSES, THREADS)}
    shared_tenant.policy("Nobody wipes", "block_action_type", rules)
    return shared_tenant


def test_forked_processes_get_their_own_answers(strict: Tenant) -> None:
    found = forked(strict, "assent", 850)
    assert found["asked"] >= 850
    assert (found["crossed"], found["let_through"], found["stopped"], found["failed"]) == (0, 0, 0, {})


def test_where_connections_are_shared_all_the_same_nobody_takes_anothers_answer(strict: Tenant) -> None:
    found = forked(strict, "bound", 170)
    assert found["asked"] >= 170
    assert (found["crossed"], found["let_through"], found["stopped"]) == (0, 0, 0)


ANSWERS = {
    "a success": ("GET", "/health", {}, 200),
    "a problem": ("GET", "/api/actions/act_missing", {}, 404),
    "no key": ("GET", "/api/actions", {"x-api-key": ""}, 401),
    "no method": ("DELETE", "/api/guard", {}, 405),
    "nothing there": ("GET", "/nothing/there", {}, 404),
    "an encoded slash": ("GET", "/api/actions/a%2fb", {}, 404),
    "a bad body": ("POST", "/api/guard", {}, 400),
    "a stream": ("GET", "/api/stream", {}, 200),
    "the documentation": ("GET", "/schema", {}, 200),
    "the document, its head": ("HEAD", "/schema/openapi.json", {}, 200),
    "the metrics": ("GET", "/metrics", {}, 200),
    "a redirection": ("GET", "/replay/act_1", {}, 302),
}


def answer(service: LiveService, name: str, request_id: str | bytes) -> httpx.Response:
    method, path, headers, _ = ANSWERS[name]
    named = {name.encode(): value.encode() for name, value in {"x-api-key": service.admin_key, **headers}.items()}
    given = {**named, b"x-request-id": request_id.encode() if isinstance(request_id, str) else request_id}
    with httpx.stream(method, service.base_url + path, headers=given, trust_env=False, timeout=30) as response:
        return response


@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_carries_the_id_of_its_request(service: LiveService, name: str) -> None:
    response = answer(service, name, FRESH)
    assert response.status_code == ANSWERS[name][3]
    assert response.headers.get_list("x-request-id") == [FRESH]


def test_a_service_with_an_access_log_names_it_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("logged") / "home"
    with start_service(home, ASSENT_ACCESS_LOG=str(home.parent / "access.log")) as service:
        for name in ANSWERS:
            assert answer(service, name, FRESH).headers.get_list("x-request-id") == [FRESH], name
        made = answer(service, "a success", "not an id").headers.get_list("x-request-id")
        assert len(made) == 1
        assert made[0] != "not an id"


@pytest.mark.parametrize(
    ("given", "echoed"),
    [
        ("A-z0._9", True),
        ("x" * 128, True),
        ("x" * 129, False),
        ("", False),
        ("a b", False),
        ("a,b", False),
        ("a\tb", False),
        ("<script>", False),
        ("ä".encode(), False),
        (b"a\x80", False),
    ],
)
def test_only_what_is_plainly_an_id_comes_back(service: LiveService, given: str | bytes, echoed: bool) -> None:
    found = answer(service, "a success", given).headers.get_list("x-request-id")
    assert found == ([given] if echoed else [])
