"""The engine, loaded when it is first needed: no start should wait while its rules are read."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from assent_analytics.injection import Scan


class Engine(NamedTuple):
    """`version` names the rules."""

    scan: Callable[[str, str], Scan]
    version: str


@cache
def engine() -> Engine:
    from assent_analytics.injection import VERSION, scan

    return Engine(scan, VERSION)


def is_loaded() -> bool:
    return engine.cache_info().currsize > 0
