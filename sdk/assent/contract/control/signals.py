"""Signals: what an operator should look at now, over all agents."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from assent.contract.endpoint import Endpoint
from assent.contract.record import Query, Record, ShortText, meaning
from assent.contract.roles import ANYONE


class SignalType(StrEnum):
    """What is wrong; the settings say from when on.

    - `autonomy_spike`: an agent acts more often within an hour than people can follow.
    - `high_impact_low_oversight`: something of high risk that cannot be taken back is running without a scope.
    - `repeated_failures`: an agent fails again and again within a day.
    - `stale_loop`: what an action left open stays open.
    - `assumption_drift`: what an agent believes turns out wrong, several times within a week.
    - `stale_assumption`: nobody has looked whether an assumption holds.
    - `stale_running_action`: an action runs and runs.
    - `agent_silent`: an agent that used to send heartbeats sends none.
    - `outcome_without_approval`: an outcome was reported although nobody had allowed the action.
    """

    AUTONOMY_SPIKE = "autonomy_spike"
    HIGH_IMPACT_LOW_OVERSIGHT = "high_impact_low_oversight"
    REPEATED_FAILURES = "repeated_failures"
    STALE_LOOP = "stale_loop"
    ASSUMPTION_DRIFT = "assumption_drift"
    STALE_ASSUMPTION = "stale_assumption"
    STALE_RUNNING_ACTION = "stale_running_action"
    AGENT_SILENT = "agent_silent"
    OUTCOME_WITHOUT_APPROVAL = "outcome_without_approval"


class Severity(StrEnum):
    RED = "red"
    AMBER = "amber"


class Signal(Record, frozen=True, kw_only=True):
    """`label` says it in a line, `detail` in a sentence, `help` what to do. `since` is when what it is about began: the
    latest of what was counted, or when the action, the loop or the assumption began."""

    type: Annotated[SignalType, meaning("what is wrong")]
    severity: Annotated[Severity, meaning("red or amber, when it came on")]
    label: Annotated[str, meaning("what is wrong, in a line")]
    detail: Annotated[str, meaning("what is wrong, in a sentence")]
    help: Annotated[str, meaning("what to do about it")]
    agent_id: Annotated[str | None, meaning("the agent it concerns")]
    action_id: Annotated[str | None, meaning("the action it concerns")]
    loop_id: Annotated[str | None, meaning("the open loop it concerns")]
    assumption_id: Annotated[str | None, meaning("the assumption it concerns")]
    since: Annotated[datetime, meaning("when what it is about began")]


class SignalsQuery(Query, frozen=True, kw_only=True):
    agent_id: ShortText | None = None


class SignalCounts(Record, frozen=True, kw_only=True):
    red: int
    amber: int
    total: int


class Signals(Record, frozen=True, kw_only=True):
    """The worst ten of each type, red ones first. `counts` are of what is shown; `not_shown` says how many more there
    are of a type."""

    signals: list[Signal]
    counts: SignalCounts
    not_shown: dict[str, int]
    lastUpdated: datetime  # noqa: N815 - the published name


GET_SIGNALS = Endpoint(
    operation="get_signals",
    method="GET",
    path="/api/actions/signals",
    also=("/api/signals",),
    summary="What an operator should look at now, worst first.",
    roles=ANYONE,
    query=SignalsQuery,
    response=Signals,
)
