"""The backtest over HTTP."""

from __future__ import annotations

from assent.contract.backtest import BACKTEST
from assent_service.backtest.backtests import Backtests
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route


def routes(backtests: Backtests) -> tuple[Route, ...]:
    @route(BACKTEST)
    async def backtest(call: Call) -> Answer:
        return Answer(await backtests.run(call.principal, call.body))

    return (backtest,)
