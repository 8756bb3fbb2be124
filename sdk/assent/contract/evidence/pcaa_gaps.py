"""PCAA gaps: who leaves checkpoints unanswered, and which, in a window."""

from __future__ import annotations

from datetime import datetime

from assent.contract.endpoint import Endpoint
from assent.contract.evidence.pcaa import CheckpointCounts, CheckpointId
from assent.contract.record import Query, Record, ShortText
from assent.contract.roles import ANYONE
from assent.contract.window import WindowText

MOST_GROUPS, MOST_GAPS = 50, 100


class PcaaGapsQuery(Query, frozen=True, kw_only=True):
    window: WindowText = "30d"
    agent_id: ShortText | None = None
    action_type: ShortText | None = None


class PcaaEstimate(Record, frozen=True, kw_only=True):
    """A number of PCAA health from 0 to 100 with its 95% interval; None, and 0 to 100, of no action."""

    value: float | None
    low: float
    high: float


class PcaaGroup(Record, frozen=True, kw_only=True):
    """The numbers of PCAA health over the `n` actions of one agent, action type or runtime; `name` is None where the
    actions do not say. `incomplete` of them miss a checkpoint that will not come by itself."""

    name: str | None
    n: int
    incomplete: int
    coverage: PcaaEstimate
    approval: PcaaEstimate
    evidence: PcaaEstimate
    simulated: int


class PcaaGap(Record, frozen=True, kw_only=True):
    """`missing` of the `expected` actions of an agent and type lack this checkpoint; `newest_action_id` is the newest
    recorded one that does."""

    id: CheckpointId
    agent_id: str | None
    action_type: str
    expected: int
    missing: int
    newest_action_id: str


class PcaaGaps(Record, frozen=True, kw_only=True):
    """Actions that happened from `since` to `until`: `all` together and how they stand at each checkpoint, then by
    agent, action type and runtime, each with most incomplete actions first, 50 at most; `gaps` with most missing first,
    100 at most. `not_shown` says how many more there are of each."""

    window: str
    since: datetime
    until: datetime
    all: PcaaGroup
    checkpoints: list[CheckpointCounts]
    by_agent: list[PcaaGroup]
    by_type: list[PcaaGroup]
    by_runtime: list[PcaaGroup]
    gaps: list[PcaaGap]
    not_shown: dict[str, int]


GET_PCAA_GAPS = Endpoint(
    operation="get_pcaa_gaps",
    method="GET",
    path="/api/pcaa/gaps",
    summary="Which agents and action types leave which checkpoints unanswered, with their numbers and intervals.",
    roles=ANYONE,
    query=PcaaGapsQuery,
    response=PcaaGaps,
    analyzes=True,
)
