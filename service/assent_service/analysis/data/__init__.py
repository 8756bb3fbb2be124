"""Tables as data: whole tables of a window for notebooks and warehouses, and what their columns mean."""

from __future__ import annotations

from assent_service.analysis.data.data import Data, routes
from assent_service.base.pace import Pace
from assent_service.core.foundation import Foundation

__all__ = [
    "Data",
    "Pace",
    "open_data",
]


def open_data(on: Foundation) -> Data:
    data = Data(on.ledger, on.clock)

    def stop() -> None:
        data.exports.stop_all()
        data.exports.close()

    on.bring(routes=routes(data), stop=stop)
    return data
