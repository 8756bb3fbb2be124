"""From when on something is a signal: the table `[signals]` of the settings."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

Level = Annotated[float, Meta(ge=0, le=1_000_000)]


class Levels(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A signal is amber from the one, and red from the other. Both have to be given."""

    amber: Level
    red: Level

    def __post_init__(self) -> None:
        if self.red < self.amber:
            raise ValueError(f"red is {self.red:g}, below amber, which is {self.amber:g}")


class Thresholds(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Counts: `autonomy_spike` and `repeated_failures` are exceeded, `assumption_drift` is reached. `high_impact` is a
    risk that is reached. The others are times that are exceeded: hours for loops and running actions, days for
    assumptions, minutes for silent agents."""

    autonomy_spike: Levels = Levels(amber=10, red=20)
    high_impact: Levels = Levels(amber=70, red=90)
    repeated_failures: Levels = Levels(amber=3, red=5)
    stale_loop_hours: Levels = Levels(amber=48, red=96)
    assumption_drift: Levels = Levels(amber=2, red=4)
    stale_assumption_days: Levels = Levels(amber=14, red=30)
    stale_running_hours: Levels = Levels(amber=4, red=24)
    agent_silent_minutes: Annotated[float, Meta(gt=0, le=10_080)] = 10.0
