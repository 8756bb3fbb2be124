"""Calibration over HTTP."""

from __future__ import annotations

from assent.contract.calibration import AUTO_CALIBRATE, GET_CALIBRATION
from assent_service.calibration.report import calibration_report
from assent_service.calibration.scales import auto_calibrate
from assent_service.core.call import Answer, Call
from assent_service.core.clock import Clock
from assent_service.core.route import Route, route
from assent_service.store.ledger import Ledger


def routes(ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    @route(AUTO_CALIBRATE)
    async def scales(call: Call) -> Answer:
        return Answer(await auto_calibrate(ledger, call.principal, call.body, clock()))

    @route(GET_CALIBRATION)
    async def report(call: Call) -> Answer:
        return Answer(await calibration_report(ledger, call.principal, call.query, clock()))

    return scales, report
