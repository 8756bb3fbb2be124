"""The real published Python client, 4.8.0, waiting for an approval on this stream.

Its own polling is put so far apart that only the stream can unblock it within the time that is waited here.
"""

from __future__ import annotations

import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.service.evidence.events.serving import WAIT, Live, action, live

NEVER = 10_000
"""Seconds between two polls."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Live]:
    with live(tmp_path, heartbeat=1.0) as running:
        yield running


class Waiting:
    """A client that waits for its action in a thread; `ended` is set when it goes on, however."""

    def __init__(self, dashclaw: ModuleType, service: Live, action_id: str) -> None:
        url = f"http://127.0.0.1:{service.port}"
        self.client = dashclaw.DashClaw(base_url=url, api_key=service.admin, agent_id="bot")
        self.action_id = action_id
        self.result: Any = None
        self.error: Exception | None = None
        self.ended = threading.Event()
        self._thread = threading.Thread(target=self._wait, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        assert self.ended.wait(WAIT), "the client is still waiting"
        self._thread.join(WAIT)

    def _wait(self) -> None:
        try:
            self.result = self.client.wait_for_approval(self.action_id, timeout=30, interval=NEVER)
        except Exception as error:  # noqa: BLE001 - what it raises is what the test looks at
            self.error = error
        self.ended.set()


def pending(service: Live, action_id: str) -> None:
    service.append(action(service.org_id, action_id=action_id, status="pending_approval", agent_id="bot"))


def approve(service: Live, action_id: str) -> None:
    service.append(
        action(
            service.org_id,
            "action.updated",
            action_id=action_id,
            status="running",
            agent_id="bot",
            approved_by="key_op",
        )
    )


def listening(service: Live) -> None:
    while service.parts.events.readers == 0:
        service.call("GET", "/health")


def test_an_approval_unblocks_it(
    service: Live, published_client: Callable[[str], ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    pending(service, "act_w")
    waiting = Waiting(published_client("4.8.0"), service, "act_w")
    waiting.start()
    listening(service)
    # Something else comes first, and is not mistaken for the decision.
    approve(service, "act_other")
    approve(service, "act_w")
    waiting.end()
    assert waiting.error is None
    assert waiting.result["action"]["approved_by"] == "key_op"


def test_a_denial_unblocks_it_with_its_own_error(service: Live, published_client: Callable[[str], ModuleType]) -> None:
    dashclaw = published_client("4.8.0")
    pending(service, "act_w")
    waiting = Waiting(dashclaw, service, "act_w")
    waiting.start()
    listening(service)
    service.append(
        action(service.org_id, "action.updated", action_id="act_w", status="cancelled", error_message="not today")
    )
    waiting.end()
    assert isinstance(waiting.error, dashclaw.ApprovalDeniedError)
    assert "not today" in str(waiting.error)


def test_a_decision_just_before_it_listens_is_not_missed(
    service: Live, published_client: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    pending(service, "act_w")
    waiting = Waiting(published_client("4.8.0"), service, "act_w")
    approve(service, "act_w")
    # Reading the action would tell it too; here it hears of it on the stream alone.
    heard: list[Any] = []
    connect = waiting.client._connect_sse

    def connect_and_tell(*args: Any) -> Any:
        heard.append(connect(*args))
        return heard[-1]

    monkeypatch.setattr(waiting.client, "_connect_sse", connect_and_tell)
    waiting.start()
    waiting.end()
    assert waiting.error is None
    assert heard[0]["approved_by"] == "key_op"


def test_without_whole_blocks_it_would_still_be_waiting(
    service: Live, published_client: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: the same client under another name, which is sent frames as they are."""
    opener = urllib.request.build_opener()
    opener.addheaders = [("User-Agent", "something-else")]
    monkeypatch.setattr(urllib.request, "urlopen", opener.open)
    pending(service, "act_w")
    waiting = Waiting(published_client("4.8.0"), service, "act_w")
    waiting.start()
    listening(service)
    approve(service, "act_w")
    assert not waiting.ended.wait(2.0)
    service.append(action(service.org_id, text="x" * 9000))
    waiting.end()
    assert waiting.result["action"]["approved_by"] == "key_op"
