"""Scorers, scores and runs, as they stand on each other."""

from __future__ import annotations

from assent.contract.evaluations import EvalStats, EvalStatsQuery
from assent_service.core.clock import Clock
from assent_service.core.locks import EntityLocks
from assent_service.core.principal import Principal
from assent_service.evaluations import numbers
from assent_service.evaluations.runs import MakeRests, Runs
from assent_service.evaluations.scorers import ScorerBook
from assent_service.evaluations.scores import Actions, Scores
from assent_service.store.ledger import Ledger


class Evaluations:
    """Judging what agents did, for every organization. `start` and `stop` are the runs'."""

    def __init__(
        self, ledger: Ledger, clock: Clock, locks: EntityLocks, actions: Actions, make_rests: MakeRests
    ) -> None:
        self._ledger, self._clock = ledger, clock
        self.scorers = ScorerBook(ledger, clock, locks)
        self.scores = Scores(ledger, clock, actions, self.scorers)
        self.runs = Runs(ledger, clock, locks, self.scorers, make_rests)

    async def stats(self, principal: Principal, query: EvalStatsQuery) -> EvalStats:
        return await numbers.stats(self._ledger, principal, query, self._clock())

    async def start(self) -> None:
        await self.runs.start()

    async def stop(self) -> None:
        await self.runs.stop()
