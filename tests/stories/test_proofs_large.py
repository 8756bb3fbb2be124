"""Bundles as large as may be sent, made to cost as much as they can: each is answered, and guard answers meanwhile."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from assent.contract.evidence.proofs import BUNDLE_LIMIT
from tests.live import WAIT
from tests.stories.problems import refused
from tests.stories.proving import VERIFY, bundle_of, failing
from tests.stories.tenant import Tenant
from tests.tiers import deep

pytestmark = deep("megabytes for each test")


@pytest.fixture(scope="module")
def good(shared_tenant: Tenant) -> dict[str, Any]:
    return bundle_of(shared_tenant, shared_tenant.create())


@contextmanager
def guarded(tenant: Tenant) -> Iterator[list[str]]:
    """Somebody asks guard all the time; its decisions."""
    heard, stopping = list[str](), threading.Event()

    def ask() -> None:
        with httpx.Client(timeout=WAIT, trust_env=False, headers={"x-api-key": tenant.keys["agent"]}) as http:
            while not stopping.is_set():
                answer = http.post(f"{tenant.service.base_url}/api/guard", json={"action_type": "look"})
                heard.append(answer.json().get("decision", answer.text))

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield heard
    finally:
        stopping.set()
        thread.join(2 * WAIT)


def filled(before: bytes, filler: bytes, after: bytes, size: int = BUNDLE_LIMIT) -> bytes:
    """So many times the filler as there is room for, and white space up to the size."""
    room = size - len(before) - len(after)
    return (before + filler * (room // len(filler)) + after).ljust(size)


OPEN = b'{"bundle":{"schema":"svc.proof.v1","a":'
LARGE = {
    "one text": (OPEN + b'"', b"a", b'"}}', "missing required field"),
    "escapes": (OPEN + b'"', b"\\ud83d\\ude00", b'"}}', "missing required field"),
    "texts": (OPEN + b"[", b'"' + b"a" * 50 + b'",', b"1]}}", "missing required field"),
    "white space": (OPEN, b" ", b"1}}", "missing required field"),
}


@pytest.mark.parametrize("name", LARGE)
def test_the_largest_bundle(shared_tenant: Tenant, name: str) -> None:
    before, filler, after, said = LARGE[name]
    body = filled(before, filler, after)
    assert len(body) == BUNDLE_LIMIT
    with guarded(shared_tenant) as heard:
        reply = shared_tenant.send("POST", VERIFY, body, key="auditor")
    assert (reply.status, failing(reply.body)) == (200, {"schema"})
    assert said in reply.body["checks"][0]["detail"]
    assert len(reply.content) < 10_000
    assert len(heard) > 2
    assert set(heard) == {"allow"}


def test_a_bundle_with_as_many_events_as_fit(shared_tenant: Tenant, good: dict[str, Any]) -> None:
    event = good["events"][0] | {"body": "b" * 4400}
    body = json.dumps({"bundle": good | {"events": [event] * 9_000}}).encode()
    assert 0.7 * BUNDLE_LIMIT < len(body) < BUNDLE_LIMIT
    with guarded(shared_tenant) as heard:
        reply = shared_tenant.send("POST", VERIFY, body, key="auditor")
    assert reply.status == 200
    # Each event is in the log, in its place; what is said about it is not what was recorded.
    assert failing(reply.body) == {"bundle_id", "inclusion"}
    assert set(heard) == {"allow"}


def test_one_byte_more_is_too_much(shared_tenant: Tenant) -> None:
    body = filled(OPEN + b'"', b"a", b'"}}') + b" "
    refused(shared_tenant.send("POST", VERIFY, body, key="auditor"), 413, "payload_too_large")


@pytest.mark.parametrize(
    ("filler", "said"), [(b"[],", "2000000 arrays and objects"), (b'"",', "1000000 texts and names")]
)
def test_more_parts_than_any_bundle_has(shared_tenant: Tenant, filler: bytes, said: str) -> None:
    reply = shared_tenant.send("POST", VERIFY, filled(OPEN + b"[", filler, b"1]}}"), key="auditor")
    refused(reply, 413, "payload_too_large")
    assert said in reply.body["detail"]


def test_names_in_an_order_that_makes_sorting_slow(shared_tenant: Tenant, good: dict[str, Any]) -> None:
    """A quicksort of these takes their square, and a stack as deep as there are names."""
    names = {"zz": 1} | {f"{number:07d}": 1 for number in range(150_000)}
    for members in (names, {"policies": [{"rules": names}]}):
        body = json.dumps({"bundle": good | members}).encode()
        with guarded(shared_tenant) as heard:
            reply = shared_tenant.send("POST", VERIFY, body, key="auditor")
        assert reply.status == 200
        assert failing(reply.body) >= ({"bundle_id", "policy_replay"} if "policies" in members else {"schema"})
        assert set(heard) == {"allow"}
    context = {"action_type": "look", "zz": 1} | {f"{number:05d}": 1 for number in range(1000)}
    assert shared_tenant.call("POST", "/api/guard", context, key="agent")["decision"] == "allow"
