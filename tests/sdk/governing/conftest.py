"""An organization of each test's own, and what a person does there meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from assent.governing import clients
from tests.live import WAIT, LiveService
from tests.stories.tenant import Tenant

Decides = Callable[..., threading.Thread]


@pytest.fixture
def tenant(service: LiveService, http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> Tenant:
    """`wipe` is blocked and `pay` asks for approval; the environment is that of its agent."""
    made = Tenant(service, http)
    made.governed()
    monkeypatch.setenv("ASSENT_BASE_URL", service.base_url)
    monkeypatch.setenv("ASSENT_API_KEY", made.keys["agent"])
    monkeypatch.setenv("ASSENT_AGENT_ID", "bot")
    # A machine that does much besides may need longer than observing may take.
    monkeypatch.setattr("assent.governing.observing.OBSERVE_SECONDS", WAIT)
    return made


@pytest.fixture(autouse=True)
def breakers(monkeypatch: pytest.MonkeyPatch) -> None:
    """None that another test has opened."""
    monkeypatch.setattr("assent.governing.observing._breakers", {})


@pytest.fixture(autouse=True)
def of_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[clients.Clients]:
    """Clients that were not made from another test's environment."""
    fresh = clients.Clients()
    monkeypatch.setattr("assent.governing.governor.OF_PROCESS", fresh)
    yield fresh
    fresh.close()


@pytest.fixture
def decides(tenant: Tenant) -> Iterator[Decides]:
    """Decides on the first action that waits, as soon as it does."""
    begun: list[threading.Thread] = []

    def begin(decision: str = "allow", **more: Any) -> threading.Thread:
        def decide() -> None:
            until = time.monotonic() + WAIT
            with httpx.Client() as http:
                while time.monotonic() < until:
                    headers = {"x-api-key": tenant.keys["operator"]}
                    answer = http.get(f"{tenant.service.base_url}/api/actions?status=pending_approval", headers=headers)
                    for action in answer.json()["actions"]:
                        path = f"{tenant.service.base_url}/api/actions/{action['action_id']}/approve"
                        http.post(path, json={"decision": decision, **more}, headers=headers).raise_for_status()
                        return
                    time.sleep(0.02)

        begun.append(threading.Thread(target=decide))
        begun[-1].start()
        return begun[-1]

    yield begin
    for thread in begun:
        thread.join(WAIT)


@pytest.fixture
def recorded(tenant: Tenant) -> Callable[[], list[dict[str, Any]]]:
    """The organization's actions, in the order in which they were made."""

    def actions() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = tenant.call("GET", "/api/actions")["actions"]
        return found[::-1]

    return actions
