"""What the service remembers is the same however it came to remember it.

A random session is lived through. Then memory is made anew twice: from the log alone, and from tables as they were
somewhere on the way plus the log's tail behind them. All three must agree, and so must what guard makes of them.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.control.policies import PolicyChange
from assent_service.base.problem import Refusal
from assent_service.control.approvals import ApprovalStore
from tests.service.control.actions.world import DAY, HOUR, MINUTE, SECOND, Hands, World, opened
from tests.tiers import examples

AGENTS = ("a", "b", None)
TYPES = ("refund", "wire", "pay", "mail")
WINDOWS = (MINUTE, HOUR, DAY, 7 * DAY)

Step = tuple[str, Any]

steps = st.one_of(
    st.tuples(st.just("wait"), st.sampled_from([SECOND, MINUTE, 6 * MINUTE, 2 * HOUR, DAY, 12 * DAY])),
    st.tuples(
        st.just("ask"), st.tuples(st.sampled_from(AGENTS), st.sampled_from(TYPES), st.sampled_from([None, "k1", "k2"]))
    ),
    st.tuples(
        st.just("create"),
        st.fixed_dictionaries(
            {"agent_id": st.sampled_from(AGENTS), "action_type": st.sampled_from(TYPES)},
            optional={
                "key": st.sampled_from(["k1", "k2"]),
                "action_id": st.sampled_from(["one", "two"]),
                "days_ago": st.integers(0, 40),
                "risk_score": st.integers(0, 100),
                "status": st.sampled_from(["completed", "failed", "pending_approval", "blocked"]),
            },
        ),
    ),
    st.tuples(st.just("bring"), st.none()),
    st.tuples(
        st.just("report"),
        st.tuples(st.integers(0, 99), st.sampled_from(["completed", "failed", "running", "cancelled"])),
    ),
    st.tuples(st.just("decide"), st.tuples(st.integers(0, 99), st.sampled_from(["allow", "deny"]))),
    st.tuples(st.just("expire"), st.none()),
    st.tuples(st.just("limit"), st.integers(1, 5)),
    st.tuples(st.just("unlimit"), st.none()),
)


@dataclass
class Life:
    """A session as it goes on. What the service refuses is part of it."""

    world: World
    actions: list[str] = field(default_factory=list)
    asked: list[tuple[str, str | None, str]] = field(default_factory=list)

    async def take(self, step: Step) -> None:
        name, value = step
        with suppress(Refusal):
            await getattr(self, name)(value)

    async def wait(self, time: int) -> None:
        self.world.clock.turn(time)

    async def ask(self, what: tuple[str | None, str, str | None]) -> None:
        agent_id, action_type, key = what
        said = await self.world.guard(agent_id=agent_id, action_type=action_type, key=key)
        self.asked.append((said.decision_id, agent_id, action_type))

    async def create(self, what: dict[str, Any]) -> None:
        members = dict(what)
        days = members.pop("days_ago", None)
        if days is not None:
            then = self.world.clock.moment - timedelta(days=days)
            source = "import" if days % 2 else "simulated"
            members |= {"source": source, "occurred_at": then.isoformat()}
        try:
            made = await self.world.create(key=members.pop("key", None), **members)
        except Refusal as refusal:
            self.actions += [refusal.extras["action"]["action_id"]] if "action" in refusal.extras else []
        else:
            self.actions.append(made.action_id)

    async def bring(self, _: None) -> None:
        if self.asked:
            decision_id, agent_id, action_type = self.asked[-1]
            await self.create({"decision_id": decision_id, "agent_id": agent_id, "action_type": action_type})

    async def report(self, what: tuple[int, str]) -> None:
        if self.actions:
            await self.world.report(self.actions[what[0] % len(self.actions)], status=what[1])

    async def decide(self, what: tuple[int, str]) -> None:
        store = _store(self.world)
        if store.awaiting:
            waiting = list(store.awaiting.values())[what[0] % len(store.awaiting)]
            action = await self.world.service.actions.find(waiting.org_id, waiting.action_id)
            assert action is not None
            await self.world.decide(action, what[1])

    async def expire(self, _: None) -> None:
        await self.world.service.approvals.expire_overdue()

    async def limit(self, most: int) -> None:
        await self.world.policy("rate_limit", {"max_actions": most, "window_minutes": 60, "action": "warn"})

    async def unlimit(self, _: None) -> None:
        policies = self.world.service.policies
        for policy in policies.state.list(self.world.org_id):
            if policy.policy_type == "rate_limit" and policy.active:
                await policies.update(self.world.admin, policy.policy_id, PolicyChange(active=False))


@dataclass
class Memory:
    """What three ways of remembering are compared by."""

    keys: dict[tuple[str, str | None, str], str]
    repeats: dict[bytes, str]
    decisions: set[tuple[str, str]]
    awaiting: dict[tuple[str, str], Approval]
    overdue: list[str]
    histories: dict[Any, tuple[int, int, int]]
    risks: dict[Any, float]
    rates: dict[tuple[str, int], int]
    actions: dict[str, Action | None]


async def remembered(world: World, action_ids: list[str], now: int) -> Memory:
    """Everything by a clock that stands at `now`."""
    service, state = world.service, world.service.guard.state
    largest = service.policies.state.of(world.org_id).max_actions
    world.clock.now = now
    histories = state.histories.snapshot(now)
    store = _store(world)
    awaiting = dict(store.awaiting)
    overdue = store.overdue(now + 2 * DAY)
    for approval in overdue:
        store.put_back(approval)
    window = state.rates(world.org_id)
    return Memory(
        keys=service.actions.state.snapshot(),
        repeats=state.repeats.snapshot(now),
        decisions=state.recent.snapshot(now),
        awaiting=awaiting,
        overdue=sorted({approval.approval_id for approval in overdue}),
        histories={key: (each.total, each.failed, each.last_hour) for key, each in histories.items()},
        risks={key: each.mean_risk for key, each in histories.items() if each.mean_risk is not None},
        rates={
            (agent, length): min(window.count(agent, now - length), largest)
            for agent in AGENTS
            if agent is not None
            for length in WINDOWS
        },
        actions={action_id: await service.actions.find(world.org_id, action_id) for action_id in action_ids},
    )


def _store(world: World) -> ApprovalStore:
    return next(memory for memory in world.service.memories if isinstance(memory, ApprovalStore))


def _copy_tables(home: Path, into: Path) -> None:
    """The database as it is, with what it has not folded in yet."""
    into.mkdir(exist_ok=True)
    for file in home.glob("tables.duckdb*"):
        if file.is_file():
            shutil.copy(file, into / file.name)


def _lay_out(home: Path, log: Path, tables: Path | None) -> None:
    home.mkdir()
    shutil.copytree(log, home / "log")
    if tables is not None:
        _copy_tables(tables, home)


async def _live(home: Path, tables: Path, before: list[Step], after: list[Step]) -> tuple[Memory, list[str], int]:
    async with opened(home) as world:
        await world.policy("block_action_type", {"action_types": ["wire"]})
        await world.policy("require_approval", {"action_types": ["pay"]})
        life = Life(world)
        for step in before:
            await life.take(step)
        await world.service.ledger.caught_up()
        _copy_tables(home, tables)
        for step in after:
            await life.take(step)
        now = world.clock.now + SECOND
        return await remembered(world, life.actions, now), life.actions, now


async def _anew(home: Path, log: Path, tables: Path | None, action_ids: list[str], now: int) -> Memory:
    """Memory of a service that starts on this log and on these tables, or on none."""
    _lay_out(home, log, tables)
    async with opened(home, Hands(now)) as world:
        return await remembered(world, action_ids, now)


async def _check(before: list[Step], after: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        lived, action_ids, now = await _live(root / "live", root / "then", before, after)
        log = root / "live" / "log"
        folded = await _anew(root / "folded", log, None, action_ids, now)
        loaded = await _anew(root / "loaded", log, root / "then", action_ids, now)
    for found in (folded, loaded):
        assert found.risks == pytest.approx(lived.risks)
        found.risks = lived.risks
        assert found == lived


@settings(examples(0.25), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, max_size=40), st.lists(steps, max_size=25))
def test_living_folding_and_loading_end_in_the_same_memory(before: list[Step], after: list[Step]) -> None:
    asyncio.run(_check(before, after))


def test_a_limit_in_the_tail_counts_what_the_tables_hold() -> None:
    acted: Step = ("create", {"agent_id": "a", "action_type": "mail"})
    asyncio.run(_check([acted, acted], [("limit", 5), acted]))


def test_a_blocked_attempt_that_ran_after_all_counts_however_it_is_remembered() -> None:
    attempt: Step = ("create", {"agent_id": "a", "action_type": "wire"})
    asyncio.run(_check([("limit", 5), attempt], [("report", (0, "completed"))]))
    asyncio.run(_check([("limit", 5), attempt, ("report", (0, "completed"))], []))


async def test_an_outcome_is_no_further_action(world: World) -> None:
    """Nor is a correction of it; a failure that was none after all is taken back."""

    async def counted() -> tuple[int, int, int]:
        found = (await world.guard(agent_id="bot", action_type="pay")).predictive_risk.statistical
        return found.total_actions, round(found.failure_rate * found.total_actions), found.velocity

    for _ in range(2):
        await world.act(agent_id="bot", action_type="pay")
    action = await world.act(agent_id="bot", action_type="pay")
    assert await counted() == (3, 0, 3)
    await world.report(action, status="failed")
    assert await counted() == (3, 1, 3)
    await world.report(action, status="completed")
    assert await counted() == (3, 0, 3)


@pytest.mark.parametrize(("source", "failures"), [("import", 4), ("simulated", 0)])
async def test_only_what_happened_adds_to_the_risk(source: str, failures: int, tmp_path: Path) -> None:
    """Four failures of an agent of the same name: guard knows those that happened, before and after a restart."""
    async with opened(tmp_path / "home") as world:
        then = (world.clock.moment - timedelta(days=2)).isoformat()
        for _ in range(4):
            await world.act(agent_id="bot", action_type="pay", status="failed", source=source, occurred_at=then)
        said = await world.guard(agent_id="bot", action_type="pay")
        assert said.predictive_risk.statistical.total_actions == failures
        clock = world.clock
    async with opened(tmp_path / "home", clock) as world:
        again = await world.guard(agent_id="bot", action_type="pay")
        assert again.predictive_risk == said.predictive_risk
        assert again.risk_score == said.risk_score
