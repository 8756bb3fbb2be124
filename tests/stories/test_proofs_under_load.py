"""Proofs are asked for while agents work: every one that is given out holds, and outlives a kill -9."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import httpx
import msgspec

from assent.contract.evidence.wallet import Jwks
from assent.proof.note import read_checkpoint
from tests.live import ADMIN_KEY, SETTINGS, WAIT, LiveService, start_service
from tests.stories.load import Load, set_policies
from tests.stories.proving import PROOF, VERIFY, failing, log_verify, offline
from tests.stories.tenant import Tenant
from tests.tiers import deep

pytestmark = deep("test_kill has one in the quick tier")

CLIENTS, AGENTS = 20, 4


class Asker:
    """Somebody who asks for one proof after the other and keeps what it gets, until told or until nobody answers."""

    def __init__(self, service: LiveService, key: str, paths: Sequence[str], stopping: threading.Event) -> None:
        self._service, self._key, self._paths, self._stopping = service, key, paths, stopping
        self.bundles: list[dict[str, Any]] = []
        self.heads: list[dict[str, Any]] = []
        self.others: list[tuple[int, dict[str, Any]]] = []

    def run(self) -> None:
        connection = HTTPConnection("127.0.0.1", self._service.port, timeout=WAIT)
        number = 0
        try:
            while not self._stopping.is_set():
                connection.request("GET", self._paths[number % len(self._paths)], headers={"x-api-key": self._key})
                response = connection.getresponse()
                self._keep(response.status, json.loads(response.read()))
                number += 1
        except (OSError, HTTPException, ValueError):
            return
        finally:
            connection.close()

    def _keep(self, status: int, answer: dict[str, Any]) -> None:
        if status != 200:
            self.others.append((status, answer))
        elif "attestation" in answer:
            self.bundles.append(answer)
        else:
            self.heads.append(answer.get("second", answer))


def started(workers: Sequence[Callable[[], None]]) -> list[threading.Thread]:
    threads = [threading.Thread(target=worker) for worker in workers]
    for thread in threads:
        thread.start()
    return threads


def joined(threads: Sequence[threading.Thread]) -> None:
    for thread in threads:
        thread.join(2 * WAIT)
        assert not thread.is_alive()


def wait_for(condition: Callable[[], bool]) -> None:
    """At least a second, since the longer it goes on the more can go wrong."""
    began = time.monotonic()
    while time.monotonic() < began + 1 or not condition():
        assert time.monotonic() < began + WAIT, "nothing came of it"
        time.sleep(0.05)


def about(action_id: str) -> str:
    return f"{PROOF}?format=bundle&action_id={action_id}"


def test_many_ask_while_agents_create(tenant: Tenant) -> None:
    tenant.governed()
    actions = [tenant.create(agent_id=f"agent-{number}") for number in range(10)]
    stopping, made = threading.Event(), list[str]()

    def create() -> None:
        with httpx.Client(timeout=WAIT, trust_env=False) as http:
            while not stopping.is_set():
                answer = http.post(
                    f"{tenant.service.base_url}/api/actions",
                    json={"action_type": "look"},
                    headers={"x-api-key": tenant.keys["agent"]},
                )
                assert answer.status_code == 201, answer.content
                made.append(answer.json()["action_id"])

    def paths(number: int) -> list[str]:
        others = ["/api/log/head", "/api/log/consistency?from=3", f"{PROOF}?format=bundle"]
        return [about(actions[number % len(actions)]), others[number % 3], about(actions[(number + 3) % len(actions)])]

    askers = [Asker(tenant.service, tenant.keys["auditor"], paths(number), stopping) for number in range(CLIENTS)]
    threads = started([*(asker.run for asker in askers), *[create] * AGENTS])
    try:
        wait_for(lambda: all(asker.bundles for asker in askers) and len(made) > AGENTS)
    finally:
        stopping.set()
    joined(threads)
    assert [other for asker in askers for other in asker.others] == []
    assert all(asker.bundles for asker in askers)
    assert len(made) > AGENTS
    keys = msgspec.convert(tenant.call("GET", f"/.well-known/jwks.json?org_id={tenant.org_id}"), Jwks)
    bundles = {bundle["bundle_id"]: bundle for asker in askers for bundle in asker.bundles}
    for bundle in bundles.values():
        assert failing(offline(bundle, keys)) == set()
    late = tenant.call("GET", about(made[-1]))
    for bundle in (late, *list(bundles.values())[:5]):
        assert failing(tenant.call("POST", VERIFY, {"bundle": bundle})) == set()
    one_log([head for asker in askers for head in asker.heads])


def one_log(heads: Sequence[dict[str, Any]]) -> dict[int, str]:
    """Root by size: no two heads of one size have two."""
    roots: dict[int, str] = {}
    for head in heads:
        assert roots.setdefault(head["size"], head["root"]) == head["root"]
    return roots


def head_of(bundle: dict[str, Any]) -> dict[str, Any]:
    note = bundle["checkpoint"]
    checkpoint = read_checkpoint(note)[0]
    return {"size": checkpoint.size, "root": checkpoint.root.hex(), "checkpoint": note}


def test_what_was_given_out_before_a_kill_holds_after_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    # A new head for nearly every question, and one every now and then by itself.
    (home / "assent.toml").write_text(SETTINGS.replace("head_seconds = 3600", "head_seconds = 0.02"))
    service, stopping = start_service(home), threading.Event()
    try:
        set_policies(service)
        actions = [service.call("POST", "/api/actions", {"action_type": "lookup"})[1]["action_id"] for _ in range(4)]
        paths = [*map(about, actions), "/api/log/head"]
        askers = [Asker(service, ADMIN_KEY, paths[turn:] + paths[:turn], stopping) for turn in range(len(paths))]
        load = Load(service, "p", connections=6)
        threads = started([asker.run for asker in askers])
        wait_for(lambda: all(len(asker.bundles) > 2 for asker in askers))
    finally:
        service.kill()
    heard = load.join()
    joined(threads)
    assert not heard.unexpected, heard.unexpected[:3]
    assert heard.acknowledged > 50
    assert [other for asker in askers for other in asker.others] == []
    bundles = {bundle["bundle_id"]: bundle for asker in askers for bundle in asker.bundles}
    heads = [head for asker in askers for head in asker.heads] + [head_of(bundle) for bundle in bundles.values()]
    roots = one_log(heads)
    assert len(bundles) >= 4
    assert len(roots) >= 2
    with start_service(home) as service:
        for size, root in roots.items():
            status, grown = service.call("GET", f"/api/log/consistency?from={size}")
            assert (status, grown["first"]["root"]) == (200, root)
        keys = msgspec.convert(service.call("GET", "/.well-known/jwks.json", key=None)[1], Jwks)
        for number, bundle in enumerate(bundles.values()):
            assert failing(offline(bundle, keys)) == set()
            if number % 5 == 0:
                status, found = service.call("POST", VERIFY, {"bundle": bundle})
                assert (status, failing(found)) == (200, set())
    newest_head = max(heads, key=lambda head: int(head["size"]))
    assert log_verify(home, newest_head["checkpoint"], at=tmp_path)[0] == 0
