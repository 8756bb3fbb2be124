"""Erasing in process: what comes at the same time, what a crash leaves behind, and what memory makes of it."""

from __future__ import annotations

import asyncio
import shutil
from base64 import b64encode
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from assent.contract.control.actions import Action
from assent.contract.events import EventName
from assent.contract.people.keys import CreateKey
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service import rebuild
from assent_service.base.problem import Refusal
from assent_service.control.erasure import ErasureRow
from assent_service.store.event import Draft, Event
from tests.service.control.actions.world import DAY, HOUR, Hands, World, opened
from tests.stories.memories import three_ways

SECRET: dict[str, Any] = {"declared_goal": "xylomarker", "agent_id": "bot"}


async def erase(world: World, action: Action | str, reason: str = "ticket 7") -> httpx.Response:
    action_id = action if isinstance(action, str) else action.action_id
    return await world.http("POST", f"/api/actions/{action_id}/erase", {"reason": reason})


async def ended(world: World, **members: Any) -> Action:
    """An action that has failed, with an assumption that nobody has looked at."""
    action = await world.act(**(SECRET | members))
    await world.believe(action, assumption="xylomarker holds")
    return await world.report(action, status="failed", error_message="xylomarker")


async def erasures(world: World) -> list[Event]:
    return await world.events(kind=EventName.EVIDENCE_ERASED.value)


def note(action: Action) -> Draft:
    return Draft(action.org_id, "loop.updated", 1, "loop_1", "key_1", b'{"xylomarker":1}', action.action_id)


async def test_what_the_event_says(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action = await ended(world, idempotency_key="my key")
        answer = (await erase(world, action)).json()
        (event,) = await erasures(world)
        stored = msgspec.json.decode(event.data or b"", type=ErasureRow)
        assert (event.subject, event.action, event.actor) == (action.action_id, action.action_id, stored.erased_by_key)
        assert stored.also == [action.decision_id] == [stored.decision_id]
        assert (stored.agent_id, stored.reason, stored.erased_by) == ("bot", "ticket 7", "http")
        assert b"my key" not in event.body
        assert b"xylomarker" not in event.body
        # The decision, the action, the assumption and the outcome.
        assert answer["events"] == 4
        assert [each.type for each in await world.events() if each.erased] == [
            "guard.decision.created",
            "action.created",
            "assumption.created",
            "action.updated",
        ]


async def test_scores_that_were_given_before_it_was_recorded_are_erased_too(tmp_path: Path) -> None:
    team = {"name": "team", "data_source": "metadata_field", "data_config": {"field": "team"}}
    async with opened(tmp_path) as world:
        profile = (await world.http("POST", "/api/scoring/profiles", {"name": "care", "dimensions": [team]})).json()

        async def score(action_id: str) -> None:
            body = {"profile_id": profile["id"], "action": {"action_id": action_id, "metadata": {"team": "xylomarker"}}}
            assert (await world.http("POST", "/api/scoring/score", body)).status_code == 200

        for action_id in ("early", "other"):
            await score(action_id)
        action = await ended(world, action_id="early")
        await score("early")
        assert (await erase(world, action)).status_code == 200
        left = (await world.http("GET", "/api/scoring/score")).json()["scores"]
        assert [each["action_id"] for each in left] == ["other"]
        events = await world.events(kind=EventName.PROFILE_SCORE_CREATED.value)
        assert [b"xylomarker" in event.body for event in events] == [False, True, False]


async def test_of_many_at_once_one_erases(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action = await ended(world)
        answers = await asyncio.gather(*(erase(world, action) for _ in range(5)))
        assert sorted(each.status_code for each in answers) == [200, 410, 410, 410, 410]
        assert len(await erasures(world)) == 1


async def test_what_was_under_way_comes_too_late(tmp_path: Path) -> None:
    """A request may have looked at the action before, and speak only afterwards."""
    async with opened(tmp_path) as world:
        action, other = await ended(world), await ended(world)
        await erase(world, action)
        before = len(await world.events())
        with pytest.raises(Refusal) as found:
            await world.service.ledger.append(note(other), note(action))
        assert found.value.code is Code.ACTION_ERASED
        assert len(await world.events()) == before
        await world.service.ledger.append(note(other))


async def test_what_was_handed_over_before_is_covered(tmp_path: Path) -> None:
    """Nothing that is recorded before the erasure escapes it, known of or not."""
    async with opened(tmp_path) as world:
        action = await ended(world)
        ledger = world.service.ledger
        late = [asyncio.ensure_future(ledger.append(note(action))) for _ in range(20)]
        answer = await erase(world, action)
        done = await asyncio.gather(*late, return_exceptions=True)
        recorded = [each for each in done if isinstance(each, list)]
        assert recorded
        assert answer.json()["events"] == 4 + len(recorded)
        assert all(each.erased for each in await world.events(kind="loop.updated"))


async def test_a_write_that_fails_erases_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action = await ended(world)
        key = await _admin_key(world)
        files = world.break_disk()
        files.room = 0
        reply = await _erase_with(world, action, key)
        assert (reply.status_code, reply.json()["code"]) == (503, "storage_unavailable")
        files.room = None
        assert (await world.report(action, output_summary="it goes on")).output_summary == "it goes on"
        assert (await _erase_with(world, action, key)).status_code == 200


async def test_what_a_crash_leaves_is_finished_at_the_next_start(tmp_path: Path) -> None:
    """The erasure is durable, and nothing has followed from it: tables, bodies and files are as they were."""
    home, crashed = tmp_path / "home", tmp_path / "crashed"
    clock = Hands()
    async with opened(home, clock) as world:
        action, other = await ended(world), await ended(world)
        await world.service.ledger.caught_up()
    shutil.copytree(home, crashed)
    async with opened(home, clock) as world:
        await erase(world, action)
    (before,), (after,) = ((each / "log").glob("*.log") for each in (crashed, home))
    content = before.read_bytes() + after.read_bytes()[before.stat().st_size :]
    before.write_bytes(content)
    assert b"xylomarker" in content
    assert content != after.read_bytes()
    rebuilt = tmp_path / "rebuilt"
    shutil.copytree(crashed / "log", rebuilt / "log")
    async with opened(crashed, clock) as world:
        with pytest.raises(Refusal) as found:
            await world.service.actions.visible(world.admin, action.action_id)
        assert found.value.code is Code.ACTION_ERASED
        assert await world.service.actions.visible(world.admin, other.action_id) == other
        assert [each.erased for each in await world.events()].count(True) == 4
        assert await world.service.ledger.read("SELECT 1 FROM actions WHERE action_id = ?", [action.action_id]) == []
    assert before.read_bytes() == after.read_bytes()
    rebuild.run(rebuilt)
    assert (rebuilt / "log" / after.name).read_bytes() == after.read_bytes()


async def test_memory_is_the_same_however_it_came_by(tmp_path: Path) -> None:
    home, clock = tmp_path / "home", Hands()
    async with opened(home, clock) as world:
        await world.policy("require_approval", {"action_types": ["pay"]})
        for number in range(3):
            await ended(world, key=f"k{number}")
        waiting = await world.act(action_type="pay", **SECRET)
        await world.decide(waiting, "deny", why="xylomarker")
        await world.act(action_type="pay", agent_id="other")
        await world.guard(agent_id="bot")
        action = await ended(world, idempotency_key="k")
        unallowed = await world.act(action_type="pay", **SECRET)
        await world.decide(unallowed, "allow")
        await world.report(unallowed, status="completed")
        for each in (waiting, action, unallowed):
            assert (await erase(world, each)).status_code == 200
        live = world.service.actions.erasures.snapshot()
        assert len(live) == 3
    found = three_ways(home, tmp_path / "work", clock.now)
    assert found["as_it_is"] == found["folded"] == found["rebuilt"]
    for folder in ("as_it_is", "folded", "rebuilt"):
        async with opened(tmp_path / "work" / folder, clock) as world:
            assert world.service.actions.erasures.snapshot() == live


async def test_live_memory_forgets_the_content(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action = await ended(world, key="k")
        service = world.service
        workspace = service.signals.state.of(world.org_id)
        assert [what.action_id for _, what in workspace.beliefs.oldest()] == [action.action_id]
        assert service.actions.state.get(world.org_id, action.action_id) is not None
        counted = service.guard.state.histories.of(world.org_id, "bot", "refund", world.clock.now)
        await erase(world, action)
        assert service.actions.state.get(world.org_id, action.action_id) is None
        assert service.actions.state.creation(world.org_id, "bot", "k") is None
        assert list(workspace.beliefs.oldest()) == []
        assert service.guard.state.recent.get(world.org_id, action.decision_id, world.clock.now) is None
        assert service.guard.state.histories.of(world.org_id, "bot", "refund", world.clock.now) == counted


async def test_an_idempotency_key_answers_as_long_as_it_would_have(tmp_path: Path) -> None:
    clock = Hands()
    async with opened(tmp_path, clock) as world:
        made = await world.create(key="k", **SECRET)
        await world.report(made.action, status="completed")
        await erase(world, made.action_id)
        with pytest.raises(Refusal) as found:
            await world.create(key="k", **SECRET)
        assert found.value.code is Code.ACTION_ERASED
        stranger = await world.stranger()
        assert not (await world.create(stranger, key="k", action_type="refund")).idempotent_replay
    async with opened(tmp_path, clock) as world:
        with pytest.raises(Refusal) as found:
            await world.create(key="k", agent_id="bot", action_type="another body")
        assert found.value.code is Code.ACTION_ERASED
        clock.turn(DAY + HOUR)
        assert (await world.create(key="k", **SECRET)).idempotent_replay is False


async def test_imported_history_never_comes_back(tmp_path: Path) -> None:
    clock = Hands()
    then = (clock.moment - timedelta(days=90)).isoformat()
    history = SECRET | {"source": "import", "occurred_at": then, "status": "completed"}
    async with opened(tmp_path, clock) as world:
        made = await world.create(key="k", **history)
        await erase(world, made.action_id)
        clock.turn(40 * DAY)
    async with opened(tmp_path, clock) as world:
        with pytest.raises(Refusal) as found:
            await world.create(key="k", **history)
        assert found.value.code is Code.ACTION_ERASED
        assert not (await world.create(key="k2", **history)).idempotent_replay


async def _admin_key(world: World) -> str:
    return (await world.service.keys.create(world.admin, CreateKey(name="boss", role=Role.ADMIN))).api_key


async def _erase_with(world: World, action: Action, key: str) -> httpx.Response:
    transport = httpx.ASGITransport(app=world.service.app)  # type: ignore[arg-type]  # Litestar's own ASGI types
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        path = f"/api/actions/{action.action_id}/erase"
        return await client.post(path, json={"reason": "x"}, headers={"x-api-key": key})


async def test_a_purchase_goes_with_the_action_that_stands_for_it(tmp_path: Path) -> None:
    """It repeats what the action says. Those that were recorded by older services do not name it in their headers."""
    said = ("declared_goal", "purchase_reason", "context_gap", "expected_value")
    body = {"provider": "Shop", "spend_amount": 5, **dict.fromkeys(said, "xylomarker")}
    async with opened(tmp_path) as world:
        bought = (await world.http("POST", "/api/x402/purchases", body)).json()
        other = (await world.http("POST", "/api/x402/purchases", body | {"spend_amount": 6})).json()
        (event,) = [each for each in await world.events() if each.subject == bought["purchase_id"]]
        assert event.action == bought["action_id"]
        before = msgspec.json.decode(event.data or b"") | {"record_id": "pur_before"}
        await world.service.ledger.append(
            Draft(event.org, event.type, event.ts, "pur_before", "key_1", msgspec.json.encode(before))
        )
        await world.report(bought["action_id"], status="completed")
        erased = (await erase(world, bought["action_id"])).json()
        assert erased["events"] == 5  # the decision, the action, both purchases, the outcome
        left = (await world.http("GET", "/api/x402/purchases")).json()["purchases"]
        assert [each["purchase_id"] for each in left] == [other["purchase_id"]]
        checked = await world.http("POST", "/api/governance/proof/verify", {"action_id": bought["action_id"]})
        assert checked.json()["ok"], checked.text
        checked = await world.http("POST", "/api/governance/proof/verify", {"action_id": other["action_id"]})
        assert checked.json()["ok"], checked.text
        again = Draft(event.org, "record.updated", event.ts, "pur_x", "key_1", b"{}", bought["action_id"])
        with pytest.raises(Refusal, match="erased just now"):
            await world.service.ledger.append(again)
    logged = b"".join(path.read_bytes() for path in (tmp_path / "log").glob("*.log"))
    assert [b"xylomarker" in line for line in logged.splitlines() if b"pur_before" in line] == [False, False]
    rebuild.run(tmp_path)
    async with opened(tmp_path) as world:
        left = (await world.http("GET", "/api/x402/purchases")).json()["purchases"]
        assert [each["purchase_id"] for each in left] == [other["purchase_id"]]


async def test_a_file_that_came_too_late_is_not_left_behind(tmp_path: Path) -> None:
    """A message had seen the action before its erasure, and stores what is attached to it before it is refused."""
    late = {"filename": "a.txt", "mime_type": "text/plain", "data": b64encode(b"xylomarker").decode()}
    async with opened(tmp_path) as world:
        action = await ended(world)
        body = {"from_agent_id": "bot", "body": "b", "attachments": [late]}
        world.service.ledger.ended.add(action.org_id, action.action_id)
        refused = await world.http("POST", "/api/messages", body | {"action_id": action.action_id})
        assert refused.json()["code"] == "action_erased"
        assert [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()] == []
        sent = await world.http("POST", "/api/messages", body)
        refused = await world.http("POST", "/api/messages", body | {"action_id": action.action_id})
        assert refused.json()["code"] == "action_erased"
        attached = sent.json()["message"]["attachments"][0]["id"]
        assert (await world.http("GET", f"/api/messages/attachments?id={attached}")).content == b"xylomarker"
