"""Triage with bounded misses: asking less, under a certified threshold of the risk score.

An organization says which share of the automatically allowed actions may turn out harmful (`alpha`), and with which
probability that may be exceeded (`delta`). Three bets decide what may pass, each with a bound that holds at every time
at once and however often somebody looks (`betting`):

1. A threshold is certified before anything passes below it, by what was asked: a bet that at least `alpha` of it is
   harmful has to be lost.
2. Of what could pass a random share is asked anyway. Of the harmful ones a coin decides which are seen, so what was
   seen bounds how many passed, however the world has changed. Where that bound would exceed `alpha`, everything is
   asked again.
3. A bet on a change finds sooner that more than `alpha` is harmful lately.

`Triage` is the state machine of one stratum: pure, without a clock, a generator or a frame. Guard lets pass by it
(`assent_service.control.triage`), so it is there without anything that only frames need. `triage_readiness`, which
loads those when somebody first asks for it, runs it over a history in which everything was asked: what it would have
let pass, and what is missing until it may.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from assent.contract.control.guard import TriageAnswer as Answer
from assent.contract.control.triage import TriageAlarm as Alarm
from assent.contract.control.triage import TriageAlarmKind as AlarmKind
from assent.contract.control.triage import TriageState as State
from assent_analytics.triage.betting import audits_needed, passed_bound
from assent_analytics.triage.triage import SPARE, Choice, Plan, Promise, Status, Triage, draw_of, says

if TYPE_CHECKING:
    from assent_analytics.triage.readiness import triage_readiness

__all__ = [
    "SPARE",
    "Alarm",
    "AlarmKind",
    "Answer",
    "Choice",
    "Plan",
    "Promise",
    "State",
    "Status",
    "Triage",
    "audits_needed",
    "draw_of",
    "passed_bound",
    "says",
    "triage_readiness",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name != "triage_readiness":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return import_module(f"{__name__}.readiness").triage_readiness
