"""Creations with and without signatures: every row of the table in `signatures`, and what is recorded."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from assent.contract.control.actions import Verification
from assent.contract.people.identities import Algorithm
from assent.contract.problems import Code
from assent.proof.signing import decode_signature, verifies
from assent_service.base.problem import Refusal
from assent_service.control.actions import signatures
from assent_service.store.event import Event
from tests.service.control.actions.world import DAY, HOUR, World, opened, refused
from tests.service.people.identities.agents import Agent


@pytest.fixture
async def strict(tmp_path: Path) -> AsyncIterator[World]:
    """A service that requires signatures."""
    async with opened(tmp_path / "strict", require_signatures=True) as world:
        yield world


async def created(world: World) -> list[Event]:
    return await world.events(kind="action.created")


@pytest.mark.parametrize("algorithm", Algorithm)
async def test_a_good_signature(world: World, algorithm: Algorithm) -> None:
    agent = Agent(world, algorithm=algorithm)
    identity = await agent.registered()
    body = agent.body(metadata={"a": [1.0, None, {"ü": 1e16}]}, risk_score=30, agent_name=None)
    action = await agent.send(body)
    assert (action.verified, action.verification) == (True, Verification.VERIFIED)
    (event,) = await created(world)
    told = json.loads(event.data or b"")
    signature = decode_signature(body["_signature"])
    assert signature is not None
    assert told["signature_digest"] == sha256(signature).hexdigest()
    assert told["signed_with"] == identity.fingerprint
    assert "_signature" not in (event.data or b"").decode()
    # What came of it changes nothing of how it was signed.
    assert (await world.report(action, status="completed")).verification == "verified"


async def test_a_large_body_is_verified_beside_the_loop_and_a_revocation_meanwhile_counts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Agent(world)
    await agent.registered()
    assert (await agent.create(metadata={"much": "x" * signatures.LARGE})).verified
    begun, revoked = threading.Event(), threading.Event()

    def slowly(*arguments: Any) -> bool:
        begun.set()
        assert revoked.wait(40), "nobody else had a turn"
        return verifies(*arguments)

    monkeypatch.setattr(signatures, "verifies", slowly)
    creating = asyncio.create_task(agent.create(metadata={"more": "x" * signatures.LARGE}))
    async with asyncio.timeout(60):
        await asyncio.to_thread(begun.wait)
        await world.service.identities.revoke(world.admin, agent.agent_id)
        revoked.set()
        assert (await creating).verification == "revoked"


async def test_an_unsigned_one_and_a_signature_of_somebody_unknown(world: World) -> None:
    agent = Agent(world)
    assert (await world.act(agent_id="bot")).verification == "unsigned"
    unknown = await agent.create()
    assert (unknown.verified, unknown.verification) == (False, Verification.UNKNOWN_KEY)
    # Nobody could say whether it was good, so it is not remembered either.
    await agent.registered()
    assert (await agent.create()).verified
    assert (await world.act(agent_id="bot")).verification == "unsigned"
    assert (await world.act()).verification == "unsigned"
    nameless = {"action_type": "refund", "_signature": "c2ln"}
    assert (await agent.send(nameless)).verification == "unknown_key"


async def bad_bodies(world: World) -> dict[str, dict[str, Any]]:
    agent, other = Agent(world), Agent(world, "other")
    await agent.registered()
    await other.registered()
    good = agent.body(cost_estimate=5, declared_goal="see")
    return {
        "of another agent": {**good, "_signature": other.body(cost_estimate=5)["_signature"]},
        "said by another agent": {**good, "agent_id": "other"},
        "a member changed": {**good, "cost_estimate": 6},
        "a member more": {**good, "reversible": False},
        "a member less": {name: value for name, value in good.items() if name != "declared_goal"},
        "a member spelled otherwise": {
            "declaredGoal" if name == "declared_goal" else name: value for name, value in good.items()
        },
        "no base64": {**good, "_signature": "?"},
        "empty": {**good, "_signature": ""},
        "too short": {**good, "_signature": good["_signature"][:40]},
        "made up": {**good, "_signature": "QUJD" * 22},
    }


async def test_a_bad_signature_is_refused_and_leaves_nothing(world: World) -> None:
    for kind, body in (await bad_bodies(world)).items():
        before = len(await world.events())
        with pytest.raises(Refusal) as found:
            await Agent(world).send(body)
        assert found.value.code is Code.SIGNATURE_INVALID, kind
        assert len(await world.events()) == before, kind


async def test_the_text_counts_and_not_what_is_understood_of_it(world: World) -> None:
    agent = Agent(world)
    await agent.registered()
    body = agent.body(cost_estimate=5)
    twice = json.dumps(body).replace('"cost_estimate": 5', '"cost_estimate": 5, "cost_estimate": 5').encode()
    respelled = {name: value for name, value in body.items() if name != "_signature"}
    for raw in (twice, json.dumps(respelled | {"_signature": 1}).encode().replace(b"5", b"5.5"), b""):
        async with refused(Code.SIGNATURE_INVALID):
            await world.service.actions.create(world.admin, _said(body), body, None, raw)
    spaced = json.dumps(body, indent=3, sort_keys=True).replace("refund", "\\u0072efund").encode()
    made = await world.service.actions.create(world.admin, _said(body), body, None, spaced)
    assert made.action.verified


def _said(body: dict[str, Any]) -> Any:
    import msgspec

    from assent.contract.control.actions import CreateAction

    return msgspec.convert(body, CreateAction)


async def test_the_second_sight_is_recorded_as_one(world: World) -> None:
    agent = Agent(world)
    await agent.registered()
    body = agent.body()
    first, second, third = [await agent.send(body) for _ in range(3)]
    assert [each.verification for each in (first, second, third)] == ["verified", "replayed", "replayed"]
    assert [each.verified for each in (first, second, third)] == [True, False, False]
    assert len({each.action_id for each in (first, second, third)}) == 3


async def test_of_two_at_once_one_is_the_first(world: World) -> None:
    agent = Agent(world)
    await agent.registered()
    body = agent.body()
    found = await asyncio.gather(*(agent.send(body) for _ in range(4)))
    assert sorted(each.verification for each in found) == ["replayed", "replayed", "replayed", "verified"]


async def test_a_retry_is_no_replay(strict: World) -> None:
    agent = Agent(strict)
    await agent.registered()
    body = agent.body()
    first = await agent.send(body, key="once")
    assert await agent.send(body, key="once") == first
    async with refused(Code.SIGNATURE_REPLAYED):
        await agent.send(body, key="twice")
    named = agent.body(action_id="mine")
    await agent.send(named)
    async with refused(Code.ACTION_EXISTS):
        await agent.send(named)


async def test_what_could_not_be_recorded_was_not_seen(world: World) -> None:
    agent = Agent(world)
    await agent.registered()
    body = agent.body()
    files = world.break_disk()
    files.errors["write"] = 28
    async with refused(Code.STORAGE_UNAVAILABLE):
        await agent.send(body)
    files.errors.clear()
    assert (await agent.send(body)).verified


async def test_a_blocked_attempt_is_evidence_with_its_signature(world: World) -> None:
    agent = Agent(world)
    await agent.registered()
    await world.policy("block_action_type", {"action_types": ["wipe"]})
    body = agent.body(action_type="wipe")
    for expected in ("verified", "replayed"):
        async with refused(Code.ACTION_BLOCKED) as blocked:
            await agent.send(body)
        assert blocked.value.extras["action"]["verification"] == expected


@pytest.mark.parametrize("folded", [True, False], ids=["folded", "from the tables"])
async def test_a_restart_forgets_no_signature_of_the_last_day(tmp_path: Path, folded: bool) -> None:
    async with opened(tmp_path) as world:
        agent = Agent(world)
        await agent.registered()
        old, young = agent.body(declared_goal="old"), agent.body(declared_goal="young")
        await agent.send(old)
        world.clock.turn(HOUR)
        action = await agent.send(young)
        await world.report(action, status="completed")
        if not folded:
            await world.service.ledger.caught_up()
        told = world.service.actions.state.seen.snapshot()
        clock = world.clock
    if folded:
        (tmp_path / "tables.duckdb").unlink()
    async with opened(tmp_path, clock) as world:
        assert world.service.actions.state.seen.snapshot() == told
        assert len(told) == 2
        agent.world = world
        clock.turn(DAY - HOUR // 2)
        assert (await agent.send(old)).verified  # a day is over
        assert (await agent.send(young)).verification == "replayed"


async def test_a_revoked_agent(world: World) -> None:
    agent = Agent(world)
    await agent.registered()
    await world.service.identities.revoke(world.admin, "bot")
    revoked = await agent.create()
    assert (revoked.verified, revoked.verification) == (False, Verification.REVOKED)


async def test_another_organization_s_identity_is_none_here(world: World) -> None:
    stranger = await world.stranger()
    agent = Agent(world)
    await agent.registered(stranger)
    assert (await agent.create()).verification == "unknown_key"
    assert (await agent.create(stranger)).verified


async def test_where_signatures_are_required(strict: World) -> None:
    agent = Agent(strict)
    # Nobody knows these yet: they pass, and say what they are.
    assert (await strict.act(agent_id="bot")).verification == "unsigned"
    assert (await agent.create()).verification == "unknown_key"
    assert (await strict.act()).verification == "unsigned"
    await agent.registered()
    count = len(await created(strict))
    async with refused(Code.SIGNATURE_REQUIRED):
        await strict.act(agent_id="bot")
    async with refused(Code.SIGNATURE_REQUIRED):
        await strict.act(strict.somebody(agent_id="bot"))
    assert len(await created(strict)) == count
    body = agent.body(declared_goal="once")
    assert (await agent.send(body)).verified
    async with refused(Code.SIGNATURE_REPLAYED):
        await agent.send(body)
    assert len(await created(strict)) == count + 1
    # History is told by an admin, after the fact.
    assert (await strict.act(agent_id="bot", source="import")).verification == "unsigned"


async def test_who_was_revoked_does_not_get_rid_of_the_duty(strict: World) -> None:
    agent = Agent(strict)
    await agent.registered()
    await strict.service.identities.revoke(strict.admin, "bot")
    for code, asked in (
        (Code.SIGNATURE_REQUIRED, strict.act(agent_id="bot")),
        (Code.SIGNATURE_INVALID, agent.create()),
    ):
        expected: AbstractAsyncContextManager[Any] = refused(code)
        async with expected:
            await asked
    assert await created(strict) == []


async def test_rows_from_before_there_were_signatures_say_unsigned(world: World) -> None:
    from assent.contract.control.actions import Action
    from assent_service.control.actions import ACTIONS
    from assent_service.core.rows import record, select

    action = await world.act(agent_id="bot")
    (row,) = await world.service.ledger.read(f"SELECT {select(ACTIONS)} FROM actions")
    names = [column.name for column in ACTIONS.columns]
    older = tuple(None if name == "verification" else value for name, value in zip(names, row, strict=True))
    assert record(ACTIONS, older, Action) == action
