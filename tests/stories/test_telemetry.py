"""A governed action as operators see it from outside: its traces at a collector, the numbers, the access log.

The service runs as it is installed, its exporter is a process of its own, and what they send crosses real HTTP.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from opentelemetry.sdk.trace import TracerProvider
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as classic
from prometheus_client.samples import Sample

from assent import Client
from assent.contract.operations import ENDPOINTS
from assent.errors import GuardBlockedError
from tests.backend import Engine, chosen
from tests.live import WAIT, LiveService, start_service
from tests.service.telemetry.receiver import Receiver, receiving, said
from tests.stories.tenant import Tenant
from tests.tiers import deep

SECRET = "the-goal-that-nobody-outside-may-read"
MOST_SERIES = 2_000
"""Whatever is sent. Routes and methods of the API, each with a class of statuses that was seen, and the fixed ones."""


class Recorded(NamedTuple):
    """The histogram of what every record waits for, to a collector and in the service's own text."""

    exported: str
    scraped: str


RECORDED = {
    Engine.FILES: Recorded("assent.log.fsync.duration", "assent_log_fsync_seconds_count"),
    Engine.POSTGRESQL: Recorded("assent.append.duration", "assent_append_seconds_count"),
}


@dataclass(frozen=True)
class Seen:
    service: LiveService
    receiver: Receiver
    access: Path


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    """A service with everything on."""
    folder = tmp_path_factory.mktemp("telemetry")
    access = folder / "access.log"
    with receiving() as receiver:
        otel: dict[str, Any] = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url,
            "OTEL_METRIC_EXPORT_INTERVAL": "200",
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test",
        }
        with start_service(folder / "home", ASSENT_ACCESS_LOG=str(access), **otel) as service:
            yield Seen(service, receiver, access)
            assert service.alive, service.output[-3000:]


@pytest.fixture
def agent(seen: Seen) -> Iterator[Client]:
    with Client(seen.service.base_url, api_key=seen.service.admin_key, agent_id="bot") as client:
        yield client


def scraped(service: LiveService, **headers: str) -> httpx.Response:
    return httpx.get(f"{service.base_url}/metrics", headers=headers, timeout=WAIT, trust_env=False)


def samples(service: LiveService) -> list[Sample]:
    answer = scraped(service, **{"x-api-key": service.admin_key})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return [sample for family in classic(answer.text) for sample in family.samples]


def children(service: LiveService) -> list[str]:
    """The processes that the service has started and that run."""
    tasks = Path(f"/proc/{service.process.pid}/task").iterdir()
    return [child for task in tasks for child in (task / "children").read_text().split()]


def value(service: LiveService, name: str, **labels: str) -> float:
    (found,) = [each.value for each in samples(service) if each.name == name and each.labels == labels]
    return found


def lines(access: Path, wanted: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """The lines that are wanted, once there is one."""
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        found = [each for each in map(json.loads, access.read_text().splitlines()) if wanted(each)]
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"no such line in:\n{access.read_text()[-3000:]}")


def test_guard_is_a_span_in_the_caller_s_trace(seen: Seen, agent: Client) -> None:
    with TracerProvider().get_tracer("test").start_as_current_span("plan") as span:
        decided = agent.guard(action_type="read", declared_goal=SECRET, session_id="talk-1", tool_name="reader")
    caller = span.get_span_context()
    inner = seen.receiver.span("execute_tool guard", assent__decision_id=decided.decision_id)
    (server,) = [each for each in seen.receiver.spans() if each.span_id == inner.parent_span_id]
    assert inner.trace_id == server.trace_id == caller.trace_id.to_bytes(16, "big")
    assert server.parent_span_id == caller.span_id.to_bytes(8, "big")
    told = said(server.attributes)
    assert (server.name, told["http.request.method"], told["http.route"]) == ("POST /api/guard", "POST", "/api/guard")
    assert told["http.response.status_code"] == 200
    assert server.start_time_unix_nano <= inner.start_time_unix_nano < inner.end_time_unix_nano
    assert inner.end_time_unix_nano <= server.end_time_unix_nano
    assert said(inner.attributes) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.agent.id": "bot",
        "gen_ai.tool.name": "reader",
        "gen_ai.conversation.id": "talk-1",
        "assent.action_type": "read",
        "assent.decision": decided.decision.value,
        "assent.decision_id": decided.decision_id,
        "assent.risk_score": decided.risk_score,
        "assent.policies": len(decided.matched_policies),
        **({"assent.would_decide": decided.would_decide.value} if decided.would_decide else {}),
    }
    (event,) = inner.events
    assert (event.name, said(event.attributes)) == (
        "gen_ai.evaluation.result",
        {
            "gen_ai.evaluation.name": "assent.guard",
            "gen_ai.evaluation.score.label": decided.decision.value,
            "gen_ai.evaluation.score.value": decided.risk_score,
        },
    )


@deep("one story of each kind is in the quick tier")
def test_approval_and_outcome_link_back_to_the_action(seen: Seen, agent: Client) -> None:
    agent.create_policy(name="ask", policy_type="require_approval", rules={"action_types": ["asked"]}, mode="enforce")
    made = agent.create_action(action_type="asked", declared_goal=SECRET, metadata={"tool": "wire_money"})
    assert made.approval is not None
    agent.approve_action(made.action_id, "allow", reasoning=SECRET)
    agent.update_outcome(made.action_id, status="completed", output_summary=SECRET)
    began = seen.receiver.span("execute_tool create_action", assent__action_id=made.action_id)
    told = said(began.attributes)
    assert (told["gen_ai.tool.name"], told["assent.approval.state"]) == ("wire_money", "awaiting")
    approval = seen.receiver.span("assent.approve", assent__action_id=made.action_id)
    outcome = seen.receiver.span("assent.outcome", assent__action_id=made.action_id)
    for later in (approval, outcome):
        assert later.trace_id != began.trace_id
        assert [(link.trace_id, link.span_id) for link in later.links] == [(began.trace_id, began.span_id)]
    assert said(approval.attributes)["assent.approval.state"] == "approved"
    assert said(outcome.attributes)["assent.action.status"] == "completed"


def test_a_blocked_action_is_told_as_one(seen: Seen, agent: Client) -> None:
    agent.create_policy(name="no", policy_type="block_action_type", rules={"action_types": ["forbidden"]})
    before = value(seen.service, "assent_guard_decisions_total", decision="block")
    with pytest.raises(GuardBlockedError) as raised:
        agent.create_action(action_type="forbidden", declared_goal=SECRET)
    span = seen.receiver.span("execute_tool create_action", assent__action_id=raised.value.action_id)
    told = said(span.attributes)
    assert (told["assent.decision"], told["assent.action.status"], told["error.type"]) == ("block",) + ("blocked",) * 2
    assert value(seen.service, "assent_guard_decisions_total", decision="block") == before + 1


def test_nothing_that_was_said_leaves_with_telemetry(seen: Seen, agent: Client) -> None:
    decided = agent.guard(action_type="read", declared_goal=SECRET, parameters={"password": SECRET})
    agent.create_policy(name="never", policy_type="block_action_type", rules={"action_types": ["never"]})
    with pytest.raises(GuardBlockedError):
        agent.create_action(action_type="never", declared_goal=SECRET, reasoning=SECRET, input_summary=SECRET)
    seen.receiver.span("execute_tool guard", assent__decision_id=decided.decision_id)
    httpx.get(f"{seen.service.base_url}/api/actions?agent_id={SECRET}", timeout=WAIT, trust_env=False)
    httpx.get(f"{seen.service.base_url}/{SECRET}", timeout=WAIT, trust_env=False)
    lines(seen.access, lambda line: line["route"] == "other")
    exposed = scraped(seen.service, **{"x-api-key": seen.service.admin_key}).text
    for told in (*(body.decode("latin-1") for _, body in seen.receiver.bodies), seen.access.read_text(), exposed):
        assert SECRET not in told
        assert seen.service.admin_key not in told


def test_the_collector_gets_the_numbers_and_whose_they_are(seen: Seen, agent: Client) -> None:
    agent.guard(action_type="read")
    deadline = time.monotonic() + WAIT
    while "assent.guard.decisions" not in seen.receiver.metrics() and time.monotonic() < deadline:
        time.sleep(0.05)
    metrics = seen.receiver.metrics()
    assert metrics["assent.guard.decisions"].sum.is_monotonic
    assert metrics[RECORDED[chosen()].exported].histogram.data_points[0].count > 0
    resource = said(seen.receiver.traces()[0].resource_spans[0].resource.attributes)
    assert resource["service.name"] == "assent"
    assert resource["deployment.environment.name"] == "test"


def test_the_service_does_not_load_opentelemetry_even_then(seen: Seen) -> None:
    maps = Path(f"/proc/{seen.service.process.pid}/maps").read_text()
    assert "google/_upb" not in maps, "protobuf is the exporter's alone"
    (exporter,) = children(seen.service)
    assert "assent_service.telemetry.exporter" in Path(f"/proc/{exporter}/cmdline").read_text()


def test_numbers_follow_what_happens(seen: Seen, agent: Client) -> None:
    service = seen.service
    agent.create_policy(name="ask 2", policy_type="require_approval", rules={"action_types": ["asked 2"]})
    waiting = value(service, "assent_approvals_waiting")
    denied = value(service, "assent_approvals_total", state="denied")
    counted = value(service, "assent_guard_seconds_count")
    failed = value(service, "assent_outcomes_total", status="failed")
    made = agent.create_action(action_type="asked 2")
    assert value(service, "assent_approvals_waiting") == waiting + 1
    agent.approve_action(made.action_id, "deny", reasoning="No.")
    assert value(service, "assent_approvals_waiting") == waiting
    assert value(service, "assent_approvals_total", state="denied") == denied + 1
    agent.guard(action_type="read")
    assert value(service, "assent_guard_seconds_count") == counted + 1
    running = agent.create_action(action_type="read")
    agent.update_outcome(running.action_id, status="failed")
    assert value(service, "assent_outcomes_total", status="failed") == failed + 1
    assert value(service, RECORDED[chosen()].scraped) > 0
    for name in ("tables", "drift"):
        assert value(service, f"assent_{name}_behind_events") >= 0
        assert value(service, f"assent_{name}_behind_seconds") >= 0
    assert value(service, "assent_stream_readers") == 0


@deep("one story of each kind is in the quick tier")
def test_what_is_only_repeated_is_counted_once(seen: Seen, agent: Client) -> None:
    service = seen.service
    agent.create_policy(name="once", policy_type="block_action_type", rules={"action_types": ["once"]})

    def counted() -> list[float]:
        return [
            value(service, "assent_guard_decisions_total", decision="block"),
            value(service, "assent_guard_decisions_total", decision="allow"),
            value(service, "assent_outcomes_total", status="completed"),
            value(service, "assent_outcomes_total", status="failed"),
            value(service, "assent_outcomes_total", status="partial"),
        ]

    before = counted()
    for _ in range(3):
        status, told = service.call(
            "POST", "/api/actions", {"action_type": "once"}, headers={"idempotency-key": "blocked-once"}
        )
        assert (status, told["code"]) == (403, "action_blocked")
    decided = agent.guard(action_type="read")
    body: dict[str, Any] = {"action_type": "read", "agent_id": "bot", "decision_id": decided.decision_id}
    for _ in range(3):
        status, made = service.call("POST", "/api/actions", body, headers={"idempotency-key": "made-once"})
        assert status in {200, 201}
    action = f"/api/actions/{made['action_id']}"
    ended: list[dict[str, Any]] = [{"status": "completed"}] * 2 + [{"status": "failed", "close_if_running": True}]
    for body in ended:
        assert service.call("PATCH", action, body)[0] == 200
    other = agent.create_action(action_type="read")
    reported = f"/api/actions/{other.action_id}/outcome"
    for status in (200, 409):
        assert service.call("POST", reported, {"status": "failed", "error_message": "No."})[0] == status
    partly = agent.create_action(action_type="read")
    body = {"status": "partial", "progress": {"done": 1}, "summary": "Half."}
    assert service.call("POST", f"/api/actions/{partly.action_id}/outcome", body)[0] == 200
    assert service.call("PATCH", f"/api/actions/{partly.action_id}", {"status": "completed"})[0] == 200
    # One block; the question and two creations that asked anew; what ended, and how.
    assert [after - was for was, after in zip(before, counted(), strict=True)] == [1, 3, 2, 1, 1]


@deep("one story of each kind is in the quick tier")
@pytest.mark.parametrize("accept", ["application/openmetrics-text; version=abc", "text/plain; version=1..0"])
def test_a_version_that_is_none_gets_the_plain_format(seen: Seen, accept: str) -> None:
    answer = scraped(seen.service, accept=accept, **{"x-api-key": seen.service.admin_key})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")


@deep("two thousand requests")
def test_whatever_is_sent_the_number_of_series_has_a_bound(seen: Seen, http: httpx.Client) -> None:
    service = seen.service
    base = service.base_url

    def rush(start: int) -> None:
        for number in range(start, start + 1100):
            name = f"x{number}"
            key = service.admin_key if number % 2 else name
            headers = {"x-api-key": key, "x-org-id": name, "x-request-id": name, "user-agent": name}
            context = {"action_type": name, "agent_id": name, "session_id": name}
            http.post(f"{base}/api/guard", headers=headers, json=context)
            http.request(f"M{number}", f"{base}/{name}/{name}", headers=headers)
            http.get(f"{base}/api/actions/{name}?agent_id={name}", headers=headers)
            if number % 10 == 0:
                http.request(f"M{number}", f"{base}/api/guard", headers=headers)

    for _ in range(3):
        Tenant(service, http)
    rush(0)
    first = {(each.name, *sorted(each.labels.items())) for each in samples(service)}
    rush(10_000)
    second = {(each.name, *sorted(each.labels.items())) for each in samples(service)}
    # What the first rush had not come by: the scrape between the two, once.
    assert second - first <= {
        ("assent_http_requests_total", ("method", "GET"), ("route", "/metrics"), ("status", "2xx"))
    }
    assert len(second) <= MOST_SERIES
    labels = {text for _, *pairs in second for _, text in pairs}
    assert not {text for text in labels if text.startswith(("x", "M"))}


def test_every_label_comes_from_a_fixed_set(seen: Seen) -> None:
    known = {path for endpoint in ENDPOINTS for path in (endpoint.path, *endpoint.also)}
    beside = {"other", "/metrics", "/replay/{action_id}", "/schema"}
    for sample in samples(seen.service):
        if sample.name == "assent_http_requests_total":
            assert sample.labels["route"] in known | beside
            assert sample.labels["method"] in {"GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS", "other"}
            assert sample.labels["status"] in {"1xx", "2xx", "3xx", "4xx", "5xx", "other"}


@deep("one story of each kind is in the quick tier")
def test_the_text_is_what_both_formats_say(seen: Seen) -> None:
    key = {"x-api-key": seen.service.admin_key}
    plain = scraped(seen.service, **key)
    newer = scraped(seen.service, **key, accept="application/openmetrics-text; version=1.0.0")
    assert newer.headers["content-type"].startswith("application/openmetrics-text")
    names = {family.name for family in classic(plain.text)}
    assert {"assent_guard_decisions", "assent_guard_seconds", "process_resident_memory_bytes"} <= names
    found = openmetrics(newer.text)  # type: ignore[no-untyped-call]
    assert {family.name for family in found} == names
    assert not [name for name in names if name.endswith("_created")]


def test_metrics_take_a_key_of_the_first_organization(seen: Seen, http: httpx.Client) -> None:
    service = seen.service
    assert scraped(service).status_code == 401
    assert scraped(service, **{"x-api-key": "wrong"}).status_code == 401
    tenant = Tenant(service, http)
    for role in ("admin", "auditor", "agent", "operator"):
        assert scraped(service, **{"x-api-key": tenant.keys[role]}).status_code == 403
    for role, status in (("auditor", 200), ("agent", 403), ("operator", 403)):
        _, made = service.call("POST", "/api/keys", {"name": role, "role": role})
        assert scraped(service, **{"x-api-key": made["api_key"]}).status_code == status


@deep("one story of each kind is in the quick tier")
def test_every_request_is_one_line(seen: Seen, agent: Client) -> None:
    answer = httpx.get(
        f"{seen.service.base_url}/api/actions/act_missing?key={SECRET}",
        headers={"x-api-key": seen.service.admin_key, "x-request-id": "job-17"},
        timeout=WAIT,
        trust_env=False,
    )
    assert answer.headers["x-request-id"] == "job-17"
    (line,) = lines(seen.access, lambda line: line["request_id"] == "job-17")
    assert set(line) == {
        *("time", "method", "route", "status", "duration_ms", "bytes"),
        *("request_id", "key_id", "org_id", "trace_id"),
    }
    assert (line["method"], line["route"], line["status"]) == ("GET", "/api/actions/{action_id}", 404)
    assert line["bytes"] == len(answer.content)
    assert line["key_id"].startswith("key_")
    assert line["org_id"].startswith("org_")
    assert line["duration_ms"] > 0


@deep("one story of each kind is in the quick tier")
def test_with_everything_off_nothing_is_there(tmp_path: Path) -> None:
    with start_service(tmp_path / "home", ASSENT_METRICS="off") as service:
        answer = scraped(service, **{"x-api-key": service.admin_key})
        assert (answer.status_code, answer.json()["code"]) == (404, "route_not_found")
        assert "x-request-id" not in answer.headers
        assert children(service) == []


@deep("one story of each kind is in the quick tier")
def test_open_metrics_need_no_key(tmp_path: Path) -> None:
    with start_service(tmp_path / "home", ASSENT_METRICS="open", ASSENT_ACCESS_LOG="stderr") as service:
        assert scraped(service).status_code == 200
    (line,) = [json.loads(each) for each in service.output.splitlines() if '"route":"/metrics"' in each]
    assert line["key_id"] is None


@deep("waits for a collector; without one the service starts in other tests, too")
def test_a_collector_that_is_not_there_stops_nothing(tmp_path: Path) -> None:
    nowhere: dict[str, Any] = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_TIMEOUT": "1"}
    with start_service(tmp_path / "home", **nowhere) as service:
        for _ in range(20):
            status, _ = service.call("POST", "/api/guard", {"action_type": "read"})
            assert status == 200
        deadline = time.monotonic() + WAIT
        while not (found := children(service)) and time.monotonic() < deadline:
            time.sleep(0.05)
        (exporter,) = found
        service.kill()
        while runs(exporter) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not runs(exporter), "it ends when the service is killed"


def runs(pid: str) -> bool:
    """Whether a process is there and has not ended, also where nobody collects what has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
