"""The history of rules from the log, and what moved with a change, in process on a clock of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from assent.contract.analysis.changes import (
    BeforeAfterQuery,
    ChangeWhat,
    EffectMethod,
    EffectStatus,
    RuleChangesQuery,
    RuleKind,
)
from assent.contract.analysis.scoring import CreateScoringProfile
from assent.contract.control.policies import PolicyChange
from assent.contract.control.risk_templates import CreateRiskTemplate, UpdateRiskTemplate
from assent.contract.problems import Code
from assent_service.analysis.changes import Changes
from assent_service.analysis.scoring import Profiles
from assent_service.app import build
from assent_service.base.problem import Refusal
from assent_service.control.risk_templates import RiskTemplateBook
from assent_service.core.locks import EntityLocks
from assent_service.core.settings import Settings
from tests.service.control.actions.world import DAY, HOUR, World, opened

TYPES = {"action_types": ["deploy"]}


def changes_of(world: World) -> Changes:
    return Changes(world.service.ledger, world.clock)


async def test_the_history_says_who_when_and_what_differs_and_stays_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as world:
        at = world.clock.moment
        made = await world.policy("require_approval", TYPES)
        change = PolicyChange(rules={"action_types": ["deploy", "refund"]}, active=False)
        await world.service.policies.update(world.admin, made.policy_id, change)
        await world.service.policies.delete(world.admin, made.policy_id, None)
        locks = EntityLocks(lambda: world.service.ledger.head)
        templates = RiskTemplateBook(world.service.ledger, world.clock, locks)
        wires = await templates.create(world.admin, CreateRiskTemplate(name="wires"))
        await world.service.ledger.caught_up()
        templates.state.load(world.service.ledger.read_now)
        await templates.update(world.admin, wires.id, UpdateRiskTemplate(base_risk=60))
        profiles = Profiles(world.service.ledger, world.clock, locks)
        await profiles.create(world.admin, CreateScoringProfile(name="cheap"))
        stranger = await world.stranger()
        changes = changes_of(world)
        page = await changes.page(world.org_id, RuleChangesQuery(limit=6))
        newest = page.changes
        assert [(each.kind, each.what) for each in newest] == [
            (RuleKind.SCORING_PROFILE, ChangeWhat.CREATED),
            (RuleKind.RISK_TEMPLATE, ChangeWhat.CHANGED),
            (RuleKind.RISK_TEMPLATE, ChangeWhat.CREATED),
            (RuleKind.POLICY, ChangeWhat.REMOVED),
            (RuleKind.POLICY, ChangeWhat.CHANGED),
            (RuleKind.POLICY, ChangeWhat.CREATED),
        ]
        assert {each.by for each in newest} == {world.admin.key_id}
        assert newest[0].by_name is not None
        assert all(each.at >= at for each in newest)
        assert [(each.member, each.before, each.after) for each in newest[4].members] == [
            ("rules", TYPES, {"action_types": ["deploy", "refund"]}),
            ("active", True, False),
        ]
        assert [(each.member, each.before, each.after) for each in newest[1].members] == [("base_risk", 0, 60)]
        assert newest[3].members == []
        assert newest[5].version == made.version
        only = await changes.page(world.org_id, RuleChangesQuery(kind=RuleKind.RISK_TEMPLATE, id=wires.id))
        assert [each.change_id for each in only.changes] == [newest[1].change_id, newest[2].change_id]
        # The default pack that each organization begins with is its history too, and nobody else's.
        assert page.total > 6
        theirs = await changes.page(stranger.org_id, RuleChangesQuery())
        assert {each.what for each in theirs.changes} == {ChangeWhat.CREATED}
        with pytest.raises(Refusal) as refused:
            await changes.before_after(stranger, newest[1].change_id + "0", BeforeAfterQuery())
        assert refused.value.code is Code.CHANGE_NOT_FOUND
        before = page.total
        org_id = world.org_id
        await world.service.ledger.caught_up()
    again = build(Settings(home=str(tmp_path / "home")))
    try:
        assert (await Changes(again.ledger, world.clock).page(org_id, RuleChangesQuery())).total == before
    finally:
        again.ledger.close()
        await again.outside.client.aclose()


async def test_a_policy_that_asks_is_seen_beside_what_it_does_not_reach(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as world:
        await _work(world, days=5)
        made = await world.policy("require_approval", TYPES)
        await _work(world, days=5)
        changes = changes_of(world)
        page = await changes.page(world.org_id, RuleChangesQuery(id=made.policy_id))
        found = await changes.before_after(world.admin, page.changes[0].change_id, BeforeAfterQuery(window="6d"))
        asked = next(each for each in found.measures if each.measure == "asked")
        assert (found.reach, found.basis) == ("decisions of the type deploy", "session")
        assert (found.n, found.touched) == (240, 120)
        # Nobody was asked before and everybody after: no variation on either side.
        assert (asked.estimate, asked.before.mean, asked.after.mean) == (1.0, 0.0, 1.0)
        assert asked.low is not None
        assert 0.8 < asked.low < 1.0
        assert asked.control_after is not None
        assert asked.control_after.mean == 0.0
        assert "+100.0 points" in asked.sentence
        failed = next(each for each in found.measures if each.measure == "failed")
        assert (failed.status, failed.reason) == (EffectStatus.INSUFFICIENT_DATA, "no rows before the change")
        # Nothing that was asked about has ended: it may be anything.
        assert (failed.possible_low, failed.possible_high) == (-1.0, 1.0)
        assert failed.sentence.endswith("cannot be known. No rows before the change.")
        with pytest.raises(Refusal) as refused:
            await changes.before_after(world.admin, page.changes[0].change_id, BeforeAfterQuery(window="5"))
        assert refused.value.code is Code.INVALID_QUERY


async def test_a_profile_reaches_no_decision_and_a_new_change_has_nothing_after_it(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as world:
        await _work(world, days=2)
        profiles = Profiles(world.service.ledger, world.clock, EntityLocks())
        await profiles.create(world.admin, CreateScoringProfile(name="cheap"))
        await world.policy("risk_threshold", {"threshold": 90})
        changes = changes_of(world)
        page = await changes.page(world.org_id, RuleChangesQuery(limit=2))
        policy, profile = [
            await changes.before_after(world.admin, each.change_id, BeforeAfterQuery()) for each in page.changes
        ]
        assert {each.reason for each in policy.measures if each.measure == "asked"} == {"no rows after the change"}
        assert {each.status for each in policy.measures} == {EffectStatus.INSUFFICIENT_DATA}
        assert all("a scoring profile scores what has happened" in each.reason for each in profile.measures)
        assert profile.reach == "no decision in this time"
        assert {each.method for each in profile.measures} == {EffectMethod.INTERRUPTED_TIME_SERIES}


async def _work(world: World, days: int) -> None:
    """A session each hour of half the day, with one decision of each of two types."""
    for _ in range(days):
        for _ in range(12):
            session = f"s{world.clock.now}"
            for action_type in ("deploy", "refund"):
                await world.guard(agent_id="bot", action_type=action_type, session_id=session)
            world.clock.turn(HOUR)
        world.clock.turn(DAY // 2)
