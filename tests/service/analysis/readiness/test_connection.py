"""The connection test, over HTTP where it can be, against what is really on the disk."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.control.actions import Action, CreateAction, CreatedAction, UpdateOutcome
from assent.contract.control.approvals import Verdict
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.analysis.readiness import connection
from assent_service.analysis.readiness.connection import StepFailed, read_row
from assent_service.base.problem import refuse
from assent_service.core.principal import Principal
from assent_service.store.event import Event
from tests.service.analysis.readiness.asking import Asking, detail, status
from tests.service.control.actions.world import HOUR, opened

STEPS = ["guard", "log", "tables", "stream", "outcome"]


def passed(found: dict[str, object]) -> list[str]:
    steps = found["steps"]
    assert isinstance(steps, list)
    assert [step["name"] for step in steps] == STEPS
    return [step["name"] for step in steps if step["status"] == "pass"]


async def test_one_action_is_followed_to_its_outcome(asking: Asking) -> None:
    before = len(await asking.world.events())
    found = await asking.test()
    assert (found["passed"], passed(found)) == (True, STEPS)
    action = found["action"]
    assert action["status"] == "completed"
    assert (action["trigger"], action["agent_id"]) == ("connection test", "assent-connection-test")
    assert (action["action_type"], action["source"], found["at"]) == ("connection_test", "live", action["created_at"])
    assert action["decision_id"] in detail(found, "guard")
    milliseconds = [step["milliseconds"] for step in found["steps"]]
    assert milliseconds == sorted(milliseconds)
    assert milliseconds[0] > 0
    events = (await asking.world.events())[before:]
    assert [event.type for event in events] == ["guard.decision.created", "action.created", "action.updated"]
    kept = await asking.send("GET", f"/api/actions/{action['action_id']}")
    assert kept.json()["action"] == action


async def test_the_event_it_names_is_in_the_file_of_the_log(asking: Asking, tmp_path: Path) -> None:
    found = await asking.test()
    (line,) = [
        line
        for file in (tmp_path / "log").glob("*.log")
        for line in file.read_bytes().splitlines()
        if b'"type":"action.created"' in line
    ]
    _, _, leaf, header, _ = line.split(b" ", 4)
    n = msgspec.json.decode(header)["n"]
    assert f"Event {n} " in detail(found, "log")
    assert leaf.decode() in detail(found, "log")


async def test_type_and_goal_are_the_caller_s_and_guard_sees_them(asking: Asking) -> None:
    found = await asking.test(action_type="deploy", declared_goal="see whether it may")
    action = found["action"]
    assert (action["action_type"], action["declared_goal"]) == ("deploy", "see whether it may")
    (decision,) = (await asking.send("GET", "/api/guard")).json()["decisions"]
    assert (decision["action_type"], decision["declared_goal"]) == ("deploy", "see whether it may")


async def test_a_key_bound_to_an_agent_tests_as_that_agent(asking: Asking) -> None:
    found = await asking.test(by="bound")
    assert (found["passed"], found["action"]["agent_id"]) == (True, "bot")


async def test_a_policy_that_blocks_is_said_and_no_outcome_is_made_up(asking: Asking) -> None:
    await asking.world.policy("block_action_type", {"action_types": ["wipe"]})
    found = await asking.test(action_type="wipe")
    assert (found["passed"], passed(found)) == (False, STEPS[:-1])
    assert (found["action"]["status"], found["action"]["decision"]) == ("blocked", "block")
    assert "actions of this type are blocked" in detail(found, "outcome")
    assert "action_type" in detail(found, "outcome")
    last = (await asking.readiness())["last_test"]
    assert (last["action_id"], last["passed"]) == (found["action"]["action_id"], False)


async def test_the_kill_switch_stops_the_test_too(asking: Asking) -> None:
    await asking.world.service.halts.halt(asking.world.admin, "fire")
    found = await asking.test()
    assert (found["passed"], passed(found)) == (False, STEPS[:-1])
    assert "fire" in detail(found, "outcome")


async def test_an_approval_that_it_causes_is_not_left_waiting(asking: Asking) -> None:
    await asking.world.policy("require_approval", {"action_types": ["pay"]})
    found = await asking.test(action_type="pay")
    assert (found["passed"], passed(found)) == (False, STEPS[:-1])
    action = found["action"]
    assert (action["status"], action["decision"]) == ("cancelled", "require_approval")
    assert "need approval" in detail(found, "outcome")
    approval = (await asking.send("GET", f"/api/actions/{action['action_id']}")).json()["approval"]
    assert (approval["state"], approval["decided_by"]) == ("withdrawn", "the operator")
    assert "connection test" in approval["reasoning"]
    waiting = (await asking.send("GET", "/api/actions?status=pending_approval")).json()
    assert waiting["total"] == 0


@pytest.mark.parametrize("verdict", Verdict)
async def test_an_operator_who_is_quicker_than_the_test(
    verdict: Verdict, asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asking.world.policy("require_approval", {"action_types": ["pay"]})
    create = asking.world.service.actions.create

    async def decide_at_once(
        principal: Principal, body: CreateAction, members: dict[str, Any], key: str | None
    ) -> CreatedAction:
        made = await create(principal, body, members, key)
        await asking.world.decide(made.action, verdict)
        return made

    monkeypatch.setattr(asking.world.service.actions, "create", decide_at_once)
    found = await asking.test(action_type="pay")
    assert "changed since" in detail(found, "tables")
    if verdict is Verdict.ALLOW:
        assert (found["passed"], passed(found)) == (True, STEPS)
        assert found["action"]["status"] == "completed"
    else:
        assert (found["passed"], passed(found)) == (False, STEPS[:-1])
        assert found["action"]["status"] == "cancelled"


async def test_it_is_found_again_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        asking = Asking(world)
        await asking.make_keys()
        found = await asking.test()
        clock, keys = world.clock, asking.keys
    clock.turn(HOUR)
    async with opened(tmp_path, clock) as world:
        again = Asking(world)
        again.keys = keys
        last = (await again.readiness())["last_test"]
    assert last == {"action_id": found["action"]["action_id"], "at": found["at"], "passed": True}


async def test_without_room_for_the_action_there_is_nothing_to_follow(asking: Asking) -> None:
    files = asking.world.break_disk()
    files.errors["write"] = errno.ENOSPC
    refused = await asking.send("POST", "/api/readiness/test", by=Role.OPERATOR)
    assert (refused.status_code, refused.json()["code"]) == (503, "storage_unavailable")
    assert asking.world.service.events.readers == 0
    files.errors.clear()
    assert (await asking.test())["passed"]


async def test_tables_that_stop_in_between_are_failed_steps(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stopped(*_: object, **__: object) -> Sequence[object]:
        raise refuse(Code.PROJECTION_BEHIND, "The tables are behind the log: no space left.")

    monkeypatch.setattr(asking.world.service.ledger, "read", stopped)
    found = await asking.test()
    monkeypatch.undo()
    assert (found["passed"], passed(found)) == (False, ["guard", "stream", "outcome"])
    assert "no space left" in detail(found, "tables")
    assert found["action"]["status"] == "failed", "what is recorded says how the test ended"
    assert "log, tables" in found["action"]["error_message"]


async def test_a_log_that_breaks_in_between_is_a_failed_step(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    report = asking.world.service.actions.report
    files = asking.world.break_disk()

    async def break_first(principal: Principal, action_id: str, said: UpdateOutcome) -> Action:
        files.errors["write"] = errno.ENOSPC
        return await report(principal, action_id, said)

    monkeypatch.setattr(asking.world.service.actions, "report", break_first)
    found = await asking.test()
    assert (found["passed"], passed(found)) == (False, STEPS[:-1])
    assert "Nothing was recorded" in detail(found, "outcome")
    assert found["action"]["status"] == "running"


async def test_a_row_or_an_event_that_is_not_what_was_answered_is_seen(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = asking.world.service.ledger
    events_of = ledger.events_of

    async def changed(org_id: str, action_id: str, types: Sequence[str]) -> list[Event]:
        (event,) = await events_of(org_id, action_id, types)
        return [msgspec.structs.replace(event, header=event.header.replace(b"action.created", b"action.updated"))]

    monkeypatch.setattr(ledger, "events_of", changed)
    found = await asking.test()
    assert passed(found) == ["guard", "tables", "stream", "outcome"]
    assert "is not what was answered" in detail(found, "log")
    monkeypatch.undo()

    async def none(*_: object) -> list[Event]:
        return []

    monkeypatch.setattr(ledger, "events_of", none)
    assert "0 events" in detail(await asking.test(), "log")


async def test_another_answer_than_what_was_recorded_is_seen(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    actions = asking.world.service.actions
    create = actions.create

    async def answer_otherwise(
        principal: Principal, body: CreateAction, members: dict[str, Any], key: str | None
    ) -> CreatedAction:
        made = await create(principal, body, members, key)
        return msgspec.structs.replace(made, action=msgspec.structs.replace(made.action, risk_score=99.0))

    monkeypatch.setattr(actions, "create", answer_otherwise)
    found = await asking.test()
    assert passed(found) == ["guard", "stream", "outcome"]
    assert "is not what was answered" in detail(found, "log")
    assert "another action than was answered" in detail(found, "tables")


async def test_a_row_that_is_missing_is_seen(asking: Asking) -> None:
    action = await asking.world.act()
    assert "with status running" in await read_row(asking.world.service.ledger, action)
    with pytest.raises(StepFailed, match="do not have the action"):
        await read_row(asking.world.service.ledger, msgspec.structs.replace(action, action_id="act_none"))


async def test_what_nobody_foresaw_is_a_failed_step_too(
    asking: Asking, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def odd(*_: object) -> list[Event]:
        raise RuntimeError("odd, and nobody's business")

    monkeypatch.setattr(asking.world.service.ledger, "events_of", odd)
    found = await asking.test()
    assert status(found, "log") == "fail"
    assert "RuntimeError" in detail(found, "log")
    assert "nobody's business" not in detail(found, "log")
    assert "nobody's business" in caplog.text


async def test_a_silent_stream_is_a_failed_step(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PATIENCE", 0.05)
    monkeypatch.setattr("assent_service.evidence.events.reading.Subscription.offer", lambda *_: True)
    found = await asking.test()
    assert passed(found) == ["guard", "log", "tables", "outcome"]
    assert "did not bring it" in detail(found, "stream")
    assert asking.world.service.events.readers == 0


async def test_no_reader_is_left_behind_and_tests_may_run_side_by_side(asking: Asking) -> None:
    answers = await asyncio.gather(*(asking.test() for _ in range(5)))
    assert all(answer["passed"] for answer in answers)
    assert len({answer["action"]["action_id"] for answer in answers}) == 5
    assert asking.world.service.events.readers == 0


@pytest.mark.parametrize("body", [{"action_type": ""}, {"action_type": 5}, {"declared_goal": "x" * 2001}, []])
async def test_bad_input_is_refused_and_records_nothing(asking: Asking, body: object) -> None:
    before = len(await asking.world.events())
    answer = await asking.send("POST", "/api/readiness/test", body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")
    assert len(await asking.world.events()) == before
