"""What signals remember is the same whether it was lived through, folded from the log, or loaded from tables that hold
some of it and folded from there."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assent.contract.control.loops import LoopsQuery, RegisterOpenLoop, ResolveOpenLoop
from assent.contract.control.signals import Signal
from assent_service.base.problem import Refusal
from assent_service.core.settings import Levels, Thresholds
from tests.service.control.actions.world import DAY, HOUR, MINUTE, Hands, World, opened
from tests.tiers import examples

LOW = Thresholds(
    autonomy_spike=Levels(amber=2, red=4),
    repeated_failures=Levels(amber=1, red=2),
    assumption_drift=Levels(amber=1, red=2),
)
Step = tuple[str, Any]
STATUSES = ("completed", "failed", "cancelled", "running")
steps = st.one_of(
    st.tuples(st.just("wait"), st.sampled_from([MINUTE, 20 * MINUTE, 3 * HOUR, DAY, 9 * DAY])),
    st.tuples(
        st.just("create"),
        st.fixed_dictionaries(
            {"agent_id": st.sampled_from(["a", "b", None]), "action_type": st.sampled_from(["look", "pay", "wipe"])},
            optional={
                "source": st.sampled_from(["import", "simulated"]),
                "status": st.sampled_from([*STATUSES, "pending_approval"]),
                "reversible": st.booleans(),
                "risk_score": st.integers(60, 100),
                "authorization_scope": st.sampled_from(["", "ticket 7"]),
            },
        ),
    ),
    st.tuples(st.just("report"), st.tuples(st.integers(0, 9), st.sampled_from(STATUSES), st.integers(-3, 3))),
    st.tuples(st.just("decide"), st.tuples(st.integers(0, 9), st.sampled_from(["allow", "deny"]))),
    st.tuples(st.just("believe"), st.tuples(st.integers(0, 9), st.sampled_from([None, "import"]))),
    st.tuples(st.just("judge"), st.tuples(st.integers(0, 9), st.booleans())),
    st.tuples(st.just("leave"), st.integers(0, 9)),
    st.tuples(st.just("close"), st.none()),
    st.tuples(st.just("expire"), st.none()),
    st.tuples(st.just("tell"), st.none()),
)


class Life:
    """A session as it goes on. What the service refuses is part of it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.actions: list[str] = []
        self.beliefs: list[str] = []

    async def take(self, step: Step) -> None:
        with suppress(Refusal):
            await getattr(self, step[0])(step[1])

    async def wait(self, time: int) -> None:
        self.world.clock.turn(time)

    async def create(self, members: dict[str, Any]) -> None:
        try:
            self.actions.append((await self.world.create(**dict(members))).action_id)
        except Refusal as refusal:
            self.actions.append(refusal.extras["action"]["action_id"])

    async def report(self, what: tuple[int, str, int]) -> None:
        ended = (self.world.clock.moment + timedelta(days=what[2])).isoformat()
        members: dict[str, Any] = {"timestamp_end": ended} if what[2] else {}
        await self.world.report(self._one(self.actions, what[0]), status=what[1], **members)

    async def decide(self, what: tuple[int, str]) -> None:
        action = await self.world.service.actions.find(self.world.org_id, self._one(self.actions, what[0]))
        if action is not None:
            await self.world.decide(action, what[1])

    async def believe(self, what: tuple[int, str | None]) -> None:
        made = await self.world.believe(self._one(self.actions, what[0]), source=what[1])
        self.beliefs.append(made.assumption_id)

    async def judge(self, what: tuple[int, bool]) -> None:
        await self.world.judge(self._one(self.beliefs, what[0]), what[1], "wrong")

    async def leave(self, number: int) -> None:
        said = {"action_id": self._one(self.actions, number), "loop_type": "other", "description": "x" * 200}
        await self.world.service.loops.register(self.world.admin, msgspec.convert(said, RegisterOpenLoop))

    async def close(self, _: None) -> None:
        found = (await self.world.service.loops.page(self.world.admin, LoopsQuery())).loops
        if found:
            said = msgspec.convert({"status": "cancelled"}, ResolveOpenLoop)
            await self.world.service.loops.resolve(self.world.admin, found[-1].loop_id, said)

    async def expire(self, _: None) -> None:
        await self.world.service.approvals.expire_overdue()

    async def tell(self, _: None) -> None:
        await self.world.service.announcer.tell()

    def _one(self, ids: list[str], number: int) -> str:
        return ids[number % len(ids)] if ids else "nobody"


def seen(world: World, now: int) -> list[list[Signal]]:
    """Everything that is on now and at some later moments, and what was told of."""
    found = []
    for later in (0, 10 * MINUTE, 5 * HOUR, 3 * DAY, 20 * DAY, 40 * DAY):
        kinds = world.service.signals.current(world.org_id, now + later)
        found.append([signal for kind in kinds.values() for signal in kind.shown])
    return found


def told(world: World) -> dict[Any, int]:
    return dict(world.service.signals.state._told)


def _copy_tables(home: Path, into: Path) -> None:
    into.mkdir(exist_ok=True)
    for file in home.glob("tables.duckdb*"):
        if file.is_file():
            shutil.copy(file, into / file.name)


async def _check(before: list[Step], after: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        async with opened(root / "live", signals=LOW) as world:
            await world.policy("block_action_type", {"action_types": ["wipe"]})
            await world.policy("require_approval", {"action_types": ["pay"]})
            life = Life(world)
            for step in before:
                await life.take(step)
            await world.service.ledger.caught_up()
            _copy_tables(root / "live", root / "then")
            for step in after:
                await life.take(step)
            now = world.clock.now
            lived, known = seen(world, now), told(world)
        for name, tables in (("folded", None), ("loaded", root / "then"), ("all", root / "live")):
            home = root / name
            home.mkdir()
            shutil.copytree(root / "live" / "log", home / "log")
            if tables is not None:
                _copy_tables(tables, home)
            async with opened(home, Hands(now - 1000), signals=LOW) as world:
                assert seen(world, now) == lived, name
                assert told(world) == known, name


@settings(examples(0.25), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, max_size=40), st.lists(steps, max_size=25))
def test_living_folding_and_loading_end_in_the_same_signals(before: list[Step], after: list[Step]) -> None:
    asyncio.run(_check(before, after))
