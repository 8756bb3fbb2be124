"""Decisions name the policies that decided, by digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from assent.contract.control.guard import GuardContext, RecordedDecision
from assent.contract.control.policies import Policy
from assent_service.control.guard import GUARD_DECISIONS, PolicySet
from assent_service.core.rows import record, select
from tests.service.control.actions.world import World, opened


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as world:
        yield world


def expected(policies: list[Policy]) -> str:
    """Worked out by another implementation of RFC 8785."""
    taken = [
        {
            "policy_id": each.policy_id,
            "name": each.name,
            "policy_type": each.policy_type,
            "rules": each.rules,
            "agent_ids": each.agent_ids,
            "mode": str(each.mode),
        }
        for each in policies
        if each.active
    ]
    plain: Any = json.loads(json.dumps(taken))
    return "sha256:" + hashlib.sha256(rfc8785.dumps(plain)).hexdigest()


async def digests(world: World) -> list[str | None]:
    rows = await world.service.ledger.read(
        f"SELECT {select(GUARD_DECISIONS)} FROM guard_decisions ORDER BY created_at", []
    )
    return [record(GUARD_DECISIONS, row, RecordedDecision).policy_digest for row in rows]


async def test_a_decision_says_which_policies_decided(world: World) -> None:
    seen = []
    for change in (
        None,
        lambda: world.policy("risk_threshold", {"threshold": 62.5, "action": "warn"}, agent_ids=["zoë"]),
        lambda: world.policy("require_approval", {"action_types": ["wire"]}, active=False),
        lambda: world.policy("require_approval", {"action_types": ["pay"]}, mode="observe"),
    ):
        if change is not None:
            await change()
        await world.guard(action_type="look")
        await world.act(action_type="look")
        seen += [expected(world.service.policies.state.list(world.org_id))] * 2
    assert await digests(world) == seen
    assert len(set(seen)) == 3  # the inactive one decides nothing
    recorded = json.loads((await world.events(kind="guard.decision"))[-1].data or b"")
    assert recorded["policy_digest"] == seen[-1]


async def test_it_is_the_same_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await world.policy("condition", {"when": {"field": "a", "op": "gt", "value": 0.1}, "action": "warn"})
        await world.guard(action_type="look")
        clock = world.clock
    async with opened(tmp_path, clock) as world:
        await world.guard(action_type="look")
        before, after = await digests(world)
    assert before == after
    assert before is not None


async def test_rules_without_a_canonical_form_have_no_digest(world: World) -> None:
    (policy, *_) = world.service.policies.state.list(world.org_id)
    odd = {"name": "lone \ud800"}
    members = {name: getattr(policy, name) for name in Policy.__struct_fields__}
    assert PolicySet([Policy(**(members | odd))]).digest is None
    assert PolicySet([]).digest == "sha256:" + hashlib.sha256(b"[]").hexdigest()


async def test_policies_that_are_tried_out_are_not_digested(world: World) -> None:
    tried = PolicySet(world.service.policies.state.list(world.org_id))
    asked = world.service.guard.question(world.admin, *_context())
    assert (await world.service.guard.decide(asked, tried)).decision.policy_digest is None
    assert (await world.service.guard.decide(asked)).decision.policy_digest == tried.digest


def _context() -> tuple[Any, dict[str, Any]]:
    return GuardContext(action_type="look"), {"action_type": "look"}
