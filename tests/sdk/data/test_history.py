"""Importing history: what is recorded, once and for all, wherever a run is cut short."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assent import ConnectionFailed
from assent.data.calls import CallKey
from assent.data.history import Summary, import_history, plan_import
from assent.data.mapping import Mapping, ToolMeaning
from assent.data.records import Origin, ids_of
from assent.data.transcripts import survey
from tests.sdk.data.fake_service import Crash, FakeService

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
VERDICTS = {"cancel": "block", "book": "require_approval", "look": "warn"}


def verdict(action_type: str) -> str:
    return VERDICTS.get(action_type, "allow")


def asks(*calls: tuple[str | None, str, str]) -> dict[str, object]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": id_, "function": {"name": name, "arguments": args}} for id_, name, args in calls],
    }


def episode(task: int, *messages: dict[str, object], reward: float = 1.0) -> dict[str, object]:
    return {"task_id": task, "trial": 0, "reward": reward, "messages": list(messages)}


EPISODES = [
    episode(0, {"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}),
    episode(
        1,
        {"role": "user", "content": "cancel my flight, bitte schön"},
        asks(("a", "look", '{"id": 7}'), ("b", "cancel", '{"id": 7}')),
        {"role": "tool", "tool_call_id": "b", "content": "Error: too late"},
        {"role": "tool", "tool_call_id": "a", "content": "x" * 5000},
        asks(("a", "pay", "{broken")),
        {"role": "tool", "tool_call_id": "a", "content": ""},
        reward=0.0,
    ),
    episode(2, asks(("a", "book", "{}"))),
    episode(3, {"role": "user", "content": "y" * 3000}, asks(("a", "book", "{}")), {"role": "tool", "content": "ok"}),
]
CALLS = 5


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "demo.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in EPISODES), encoding="utf-8")
    return path


def run(
    service: FakeService, file: Path, *, now: datetime = NOW, jobs: int = 1, mapping: Mapping | None = None
) -> Summary:
    origin = Origin(dataset="demo", source_file=file.name, agent_id="demo-agent")
    with service.client() as client:
        plan = plan_import(client, file, survey(file), origin, mapping or {}, timedelta(days=30), now, jobs=jobs)
        return import_history(client, plan)


def test_each_call_is_recorded_with_verdict_assumption_and_outcome(file: Path) -> None:
    service = FakeService(verdict)
    mapping = {"cancel": ToolMeaning(systems=["bookings"], reversible=False, risk=70)}
    summary = run(service, file, mapping=mapping)
    assert (summary.episodes, summary.calls, summary.new) == (3, CALLS, CALLS)
    assert summary.verdicts == {"allow": 1, "warn": 1, "require_approval": 2, "block": 1}
    assert (summary.completed, summary.already_there, summary.failed_calls, summary.unanswered) == (0, 0, 1, 1)

    cancel = service.actions[ids_of("demo", CallKey(episode="1/0", message_index=1, call_index=1)).action_id]
    assert (cancel["decision"], cancel["status"], cancel["source"], cancel["runtime"]) == (
        "block", "failed", "import", "evidence_import"
    )  # fmt: skip
    assert (cancel["systems_touched"], cancel["reversible"], cancel["risk_score"]) == (["bookings"], False, 70)
    assert cancel["error_message"] == cancel["output_summary"] == "Error: too late"
    assert cancel["session_id"] == "demo:1/0"
    assert cancel["declared_goal"] == 'cancel {"id":7}'
    where = {"episode": "1/0", "message_index": 1, "call_index": 1, "reward": 0.0, "tool": "cancel"}
    assert cancel["metadata"].items() >= where.items()
    assert cancel["metadata"]["arguments"] == {"id": 7}

    by_tool = {action["metadata"]["tool"]: action for action in service.actions.values()}
    assert by_tool["look"]["output_summary"] == "x" * 3999 + "…"
    assert (by_tool["pay"]["status"], by_tool["pay"]["output_summary"]) == ("completed", "")
    assert by_tool["pay"]["input_summary"] == by_tool["pay"]["metadata"]["arguments"] == "{broken"
    told = {item["action_id"]: item["assumption"] for item in service.assumptions.values()}
    assert told[cancel["action_id"]] == "cancel my flight, bitte schön"
    assert sorted(map(len, told.values())) == [29, 29, 29, 2000]
    unanswered = next(action for action in service.actions.values() if action["session_id"] == "demo:2/0")
    assert (unanswered["status"], unanswered["timestamp_end"]) == ("running", None)


def test_times_lie_in_the_window_in_the_order_of_the_file(file: Path) -> None:
    service = FakeService(verdict)
    run(service, file)
    times = [datetime.fromisoformat(action["timestamp_start"]) for action in service.actions.values()]
    start = NOW - timedelta(days=30)
    assert times == [
        start,
        start + timedelta(seconds=6),
        start + timedelta(seconds=12),
        start + timedelta(days=10),
        start + timedelta(days=20),
    ]
    first = next(iter(service.actions.values()))
    assert datetime.fromisoformat(first["timestamp_end"]) == start + timedelta(seconds=2)


def test_a_second_import_reads_and_writes_nothing(file: Path) -> None:
    service = FakeService(verdict)
    first = run(service, file)
    before = json.dumps(service.records(), default=str)
    service.requests.clear()
    second = run(service, file, now=NOW + timedelta(days=3), mapping={"cancel": ToolMeaning(action_type="other")})
    assert {method for method, _ in service.requests} == {"GET"}
    assert json.dumps(service.records(), default=str) == before
    assert (second.new, second.completed, second.already_there) == (0, 0, CALLS)
    assert (second.verdicts, second.window) == (first.verdicts, first.window)


@pytest.mark.parametrize("lose_answer", [False, True])
@pytest.mark.parametrize("jobs", [1, 4])
def test_a_run_cut_short_anywhere_is_completed_by_the_next(file: Path, jobs: int, lose_answer: bool) -> None:
    clean = FakeService(verdict)
    run(clean, file)
    steps = len(clean.requests)
    assert steps == 1 + CALLS + 4 + 4  # the look for an earlier run; creations, assumptions, outcomes
    for step in range(1, steps + 1):
        service = FakeService(verdict)
        service.crash_at, service.lose_answer = step, lose_answer
        with pytest.raises(Crash):
            run(service, file, jobs=jobs)
        recorded = bool(service.actions)
        service.crash_at = None
        summary = run(service, file, now=NOW + timedelta(hours=7), jobs=jobs)
        expected = clean if recorded else FakeService(verdict)
        if not recorded:
            run(expected, file, now=NOW + timedelta(hours=7))
        assert service.records() == expected.records(), f"cut at step {step}"
        assert summary.calls == summary.new + summary.completed + summary.already_there == CALLS
        assert summary.verdicts == {"allow": 1, "warn": 1, "require_approval": 2, "block": 1}


def test_many_at_once_record_what_one_after_the_other_does(file: Path) -> None:
    one, many = FakeService(verdict), FakeService(verdict)
    run(one, file, jobs=1)
    run(many, file, jobs=8)
    assert one.records() == many.records()


def test_a_file_that_has_grown_adds_only_what_is_new(file: Path) -> None:
    service = FakeService(verdict)
    run(service, file)
    before = {name: dict(action) for name, action in service.actions.items()}
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(episode(9, asks(("a", "look", "{}")), {"role": "tool", "content": "ok"})) + "\n")
    summary = run(service, file, now=NOW + timedelta(days=1))
    assert (summary.new, summary.already_there) == (1, CALLS)
    assert {name: service.actions[name] for name in before} == before


def test_an_action_that_another_import_made_meanwhile_is_taken_as_there(file: Path) -> None:
    service = FakeService(verdict)
    run(service, file)
    first = ids_of("demo", CallKey(episode="1/0", message_index=1, call_index=0)).action_id
    del service.actions[first]  # so that this run believes to be the first
    service.creations = {key: value for key, value in service.creations.items() if value[1] != first}
    service.assumptions = {key: value for key, value in service.assumptions.items() if value["action_id"] != first}
    summary = run(service, file, now=NOW + timedelta(days=1))
    assert (summary.new, summary.already_there) == (1, CALLS - 1)


def test_an_error_stops_the_run_and_is_raised(file: Path) -> None:
    service = FakeService(verdict)
    origin = Origin(dataset="demo", source_file=file.name, agent_id="demo")
    with service.client() as client:
        plan = plan_import(client, file, survey(file), origin, {}, timedelta(days=1), NOW, jobs=2)
    service.client = None  # type: ignore[assignment, method-assign]  # nobody answers any more
    from assent import Client

    with Client("http://127.0.0.1:9", "k", retries=0) as nobody, pytest.raises(ConnectionFailed):
        import_history(nobody, plan)
