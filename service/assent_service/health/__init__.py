"""Whether the service lives, and whether it can do its work."""

import asyncio
from collections.abc import Callable
from functools import partial

from assent_service.base.clock import SteadyClock
from assent_service.core.foundation import Foundation
from assent_service.health.clock import CLOCK_JUMPS, ClockWatch
from assent_service.health.health import Vitals, routes
from assent_service.store.auditor import Auditor

__all__ = ["CLOCK_JUMPS", "TABLES", "ClockWatch", "Vitals", "open_clock_watch", "open_health"]

TABLES = (CLOCK_JUMPS,)


def open_clock_watch(on: Foundation, turned_back: Callable[[int], object]) -> None:
    """Jumps of a clock that knows of them are recorded; `turned_back` is told by how much windows reach back."""
    steady = on.clock if isinstance(on.clock, SteadyClock) else None
    jumps = ClockWatch(on.ledger, on.clock, steady, on.all_organizations, turned_back)
    on.bring(start=jumps.start, stop=jumps.stop, inspect=jumps.inspect)


def open_health(on: Foundation) -> Vitals:
    """It looks at everything that was brought before it."""
    auditor = Auditor(on.ledger, on.home, on.clock, on.settings.verify_hours)
    on.bring(start=auditor.start, stop=partial(asyncio.to_thread, auditor.stop))
    vitals = Vitals(on.ledger, on.home, on.clock, [auditor.inspect, *on.inspections])
    on.bring(routes=routes(vitals))
    return vitals
