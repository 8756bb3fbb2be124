"""What happens to a governed call when Assent cannot be asked, or cannot be told: enforcing, and observing."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest

from assent import AssentError, AsyncClient, Client, Conflict, ConnectionFailed, NotConfigured, Unauthorized, governed
from assent.governing import Ended, Governor, ToolCall
from assent.governing.governor import waiting
from tests.live import WAIT, start_service
from tests.sdk.client.doubles import bound
from tests.stories.tenant import Tenant

Recorded = Callable[[], list[dict[str, Any]]]
How = Literal["enforce", "observe"]


def nowhere() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


def answered(answer: httpx.Response | Exception) -> Client:
    def handler(request: httpx.Request) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

    http = httpx.Client(transport=httpx.MockTransport(bound(handler)), base_url="http://assent.test")
    return Client(api_key="k", http=http, retries=0, say=lambda _: None)


TROUBLES = {
    "nobody there": lambda: Client(nowhere(), "k", retries=0, say=lambda _: None),
    "too slow": lambda: answered(httpx.ReadTimeout("slow")),
    "broken": lambda: answered(httpx.Response(500)),
    "garbage": lambda: answered(httpx.Response(201, content=b"<html>hello</html>")),
    "a redirect": lambda: answered(httpx.Response(302, headers={"location": "/elsewhere"})),
    "an empty object": lambda: answered(httpx.Response(201, json={})),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_what_cannot_be_asked_about_does_not_run_unless_it_is_only_observed(
    trouble: str, caplog: pytest.LogCaptureFixture
) -> None:
    ran: list[int] = []
    with TROUBLES[trouble]() as client:
        with pytest.raises(AssentError):
            governed("look", client=client)(ran.append)(1)
        assert ran == []
        observed = governed("look", client=client, mode="observe")(ran.append)
        with caplog.at_level(logging.WARNING, "assent.governing"):
            observed(2)
            observed(3)
    assert ran == [2, 3]
    assert [record.levelname for record in caplog.records] == ["WARNING"], "told once"


def test_without_a_key_the_error_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSENT_API_KEY", raising=False)
    monkeypatch.delenv("ASSENT_BASE_URL", raising=False)

    @governed
    def look() -> int:
        return 1

    with pytest.raises(NotConfigured, match=r"ASSENT_API_KEY is not set\. Set ASSENT_API_KEY.*ASSENT_BASE_URL"):
        look()
    monkeypatch.setenv("ASSENT_API_KEY", "two words")
    with pytest.raises(NotConfigured, match="api_key holds a space") as caught:
        look()
    assert "two words" not in str(caught.value)
    monkeypatch.setenv("ASSENT_API_KEY", "k")
    monkeypatch.setenv("ASSENT_BASE_URL", "assent")
    with pytest.raises(NotConfigured, match="base_url is 'assent'"):
        look()


async def test_without_a_key_nothing_is_awaited_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSENT_API_KEY", raising=False)

    async def look() -> int:
        return 1

    with pytest.raises(NotConfigured):
        await governed(look)()
    assert await governed(mode="observe")(look)() == 1


def test_a_key_that_is_not_known_stops_it(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSENT_API_KEY", "assent_unknown")
    ran: list[int] = []
    with pytest.raises(Unauthorized):
        governed("look")(ran.append)(1)
    assert ran == []


@pytest.mark.parametrize("mode", ["enforce", "observe"])
def test_a_call_that_ran_gives_its_result_though_nobody_could_be_told(
    mode: How, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assent.governing.observing.OBSERVE_SECONDS", WAIT)
    with start_service(tmp_path / "home") as service, Client(service.base_url, service.admin_key, retries=0) as client:

        @governed(client=client, mode=mode)
        def look() -> int:
            service.kill()
            return 7

        with caplog.at_level(logging.WARNING, "assent.governing"):
            assert look() == 7
    assert "the call ran, but its outcome could not be reported" in caplog.text


def test_observing_stops_nothing_and_records_what_guard_said(tenant: Tenant, recorded: Recorded) -> None:
    ran: list[str] = []
    for action_type in ("look", "wipe", "pay"):
        governed(action_type, mode="observe")(ran.append)(action_type)
    assert ran == ["look", "wipe", "pay"]
    (action,) = recorded()
    assert (action["action_type"], action["status"]) == ("look", "completed")
    decisions = tenant.call("GET", "/api/guard")["decisions"]
    assert [each["decision"] for each in decisions] == ["require_approval", "block", "allow"]
    assert action["decision_id"] == decisions[-1]["decision_id"]


async def test_observing_awaits_too(tenant: Tenant, recorded: Recorded) -> None:
    @governed(mode="observe")
    async def wipe() -> int:
        return 1

    @governed(mode="observe")
    async def look() -> int:
        raise KeyError("gone")

    assert await wipe() == 1
    with pytest.raises(KeyError):
        await look()
    assert [(action["action_type"], action["status"]) for action in recorded()] == [("look", "failed")]


def test_observing_survives_a_goal_that_cannot_be_made() -> None:
    @governed("look", mode="observe", declared_goal=lambda given: str(given["nothing"]))
    def broken() -> int:
        return 3

    assert broken() == 3


def test_a_body_may_end_without_completing(tenant: Tenant, recorded: Recorded) -> None:
    def ends(status: Any) -> Any:
        def body() -> str:
            raise Ended("told", status, "as the framework says")

        return Governor().run(ToolCall(name="look"), body)

    assert [ends("failed"), ends("cancelled"), ends(None)] == ["told"] * 3
    assert [action["status"] for action in recorded()] == ["failed", "cancelled", "running"]
    assert recorded()[0]["error_message"] == "as the framework says"


def test_a_refusal_can_be_the_result_and_what_the_body_raises_cannot(tenant: Tenant) -> None:
    told: list[AssentError] = []

    def refused(error: AssentError) -> str:
        told.append(error)
        return "no"

    def body() -> str:
        raise ConnectionFailed(url="http://elsewhere", reason="gone")

    governor = Governor()
    assert governor.run(ToolCall(name="wipe"), body, refused) == "no"
    with pytest.raises(ConnectionFailed):
        governor.run(ToolCall(name="look"), body, refused)
    assert len(told) == 1


def test_a_call_with_a_key_is_found_again_and_runs_once(tenant: Tenant, recorded: Recorded) -> None:
    ran: list[int] = []
    governor, call = Governor(approval_timeout=0), ToolCall(name="pay", arguments={"amount": 3}, key="call-1")
    asked = waiting(governor.asked(call))
    assert asked is not None
    assert waiting(governor.asked(call)) == asked
    with pytest.raises(AssentError, match="nobody decided"):
        governor.run(call, lambda: ran.append(1))
    tenant.call("POST", f"/api/actions/{asked.action_id}/approve", {"decision": "allow"}, key="operator")
    assert waiting(governor.asked(call)) is None
    governor.run(call, lambda: ran.append(2))
    for again in (governor.asked, lambda call: governor.run(call, lambda: ran.append(3))):
        with pytest.raises(AssentError, match="is completed already: this call was made before"):
            again(call)
    assert ran == [2]
    assert len(recorded()) == 1


def test_a_call_with_a_key_that_goes_on_in_two_places_runs_in_one_of_them(tenant: Tenant, recorded: Recorded) -> None:
    ran: list[str] = []
    call = ToolCall(name="pay", arguments={"amount": 3}, key="call-1")
    asked = waiting(Governor().asked(call))
    assert asked is not None
    tenant.call("POST", f"/api/actions/{asked.action_id}/approve", {"decision": "allow"}, key="operator")

    def first() -> str:
        with ThreadPoolExecutor() as elsewhere, pytest.raises(Conflict, match="it counts once"):
            elsewhere.submit(Governor().run, call, lambda: ran.append("second")).result()
        (action,) = recorded()
        assert (action["status"], action["duration_ms"]) == ("running", None), "the second says nothing of the first"
        return "done"

    assert Governor().run(call, first) == "done"
    assert ran == []
    assert recorded()[0]["status"] == "completed"


def test_a_governor_takes_what_it_can_use() -> None:
    with pytest.raises(TypeError, match="async_client is a Client; give AsyncClient"):
        Governor(async_client=Client())  # type: ignore[arg-type]
    assert isinstance(AsyncClient(), AsyncClient)
