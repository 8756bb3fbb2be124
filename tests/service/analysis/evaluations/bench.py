"""Evaluations over a service in process, and what tests ask of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from assent.contract.analysis.evaluations import (
    CreateEvalRun,
    CreateScore,
    EvalRun,
    EvalRunDetail,
    EvalScore,
    RunStatus,
)
from assent.contract.analysis.scorers import CreateScorer, Scorer, ScorerChange
from assent_service.analysis.evaluations import Evaluations
from assent_service.core.principal import Principal
from tests.service.control.actions.world import World, locks_of


class Rests:
    """Never rests, and counts how often it was asked to."""

    def __init__(self, recorded: Callable[[], int]) -> None:
        self.recorded = recorded
        self.asked: list[int] = []

    def rest(self) -> float:
        self.asked.append(self.recorded())
        return 0.0

    def resume(self) -> None: ...


class Bench:
    """`by` is the admin unless somebody else is named."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.rests: list[Rests] = []
        service = world.service
        self.evaluations = Evaluations(
            service.ledger, world.clock, locks_of(service.ledger), service.actions, self._rests
        )

    async def scorer(
        self, scorer_type: str, config: Any, name: str = "a scorer", by: Principal | None = None, **members: Any
    ) -> Scorer:
        said = CreateScorer(name=name, scorer_type=scorer_type, config=config, **members)
        return await self.evaluations.scorers.create(by or self.world.admin, said)

    async def change(self, scorer: Scorer, by: Principal | None = None, **members: Any) -> Scorer:
        return await self.evaluations.scorers.update(by or self.world.admin, scorer.id, ScorerChange(**members))

    async def score(self, action_id: str, score: float, by: Principal | None = None, **members: Any) -> EvalScore:
        said = msgspec.convert(
            {"scorer_name": "people", **members, "action_id": action_id, "score": score}, CreateScore
        )
        return await self.evaluations.scores.create(by or self.world.admin, said)

    async def begin(self, scorer: Scorer, by: Principal | None = None, **filters: Any) -> EvalRun:
        body = {"name": "a run", "scorer_id": scorer.id, "action_filters": filters or None}
        return await self.evaluations.runs.create(by or self.world.admin, msgspec.convert(body, CreateEvalRun))

    async def ended(self, run: EvalRun, by: Principal | None = None) -> EvalRunDetail:
        for _ in range(2000):
            detail = await self.evaluations.runs.detail(by or self.world.admin, run.id)
            if detail.run.status is not RunStatus.RUNNING:
                return detail
            await asyncio.sleep(0.005)
        raise AssertionError("the run does not end")

    async def run(self, scorer: Scorer, **filters: Any) -> EvalRunDetail:
        return await self.ended(await self.begin(scorer, **filters))

    def _rests(self, recorded: Callable[[], int]) -> Rests:
        self.rests.append(Rests(recorded))
        return self.rests[-1]
