"""PCAA: the five checkpoints that an action passes, and how well a window's actions passed them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from assent.contract.endpoint import Endpoint
from assent.contract.record import Query, Record, ShortText
from assent.contract.roles import ANYONE
from assent.contract.window import WindowText


class CheckpointId(StrEnum):
    """In the order in which an action meets them."""

    PRE_ACTION_ADMISSIBILITY = "pre_action_admissibility"
    ACTION_OPEN = "action_open"
    ASSUMPTION_CAPTURE = "assumption_capture"
    APPROVAL = "approval"
    OUTCOME_CLOSURE = "outcome_closure"


class CheckpointStatus(StrEnum):
    """`missing`: expected, and will not come by itself; `pending`: expected, and may still come."""

    COMPLETE = "complete"
    PENDING = "pending"
    MISSING = "missing"
    NOT_REQUIRED = "not_required"
    DENIED = "denied"


class CheckpointCounts(Record, frozen=True, kw_only=True):
    """How many actions of the window stand how at one checkpoint; the five counts add up to the actions."""

    id: CheckpointId
    complete: int
    pending: int
    missing: int
    not_required: int
    denied: int


class PcaaCounts(Record, frozen=True, kw_only=True):
    """The actions that each number is a mean over."""

    checkpointCoverage: int  # noqa: N815 - the published name
    approvalRate: int  # noqa: N815 - the published name
    evidenceCompletion: int  # noqa: N815 - the published name


class PcaaHealth(Record, frozen=True, kw_only=True):
    """Three numbers from 0 to 100 (0 when their `n` is 0) over actions that happened from `since` to `until`.

    `checkpointCoverage`: mean over actions of answered / expected checkpoints, where answered is complete or denied.
    `approvalRate`: share of actions that reached approval. `evidenceCompletion`: mean over actions of observed /
    expected receipts. `assent_analytics.pcaa` has the rules.
    `simulated` counts the actions that a simulator made; they are among the others.
    """

    window: str
    since: datetime
    until: datetime
    checkpointCoverage: float  # noqa: N815 - the published name
    approvalRate: float  # noqa: N815 - the published name
    evidenceCompletion: float  # noqa: N815 - the published name
    n: PcaaCounts
    checkpoints: list[CheckpointCounts]
    simulated: int


class PcaaHealthQuery(Query, frozen=True, kw_only=True):
    window: WindowText = "30d"
    agent_id: ShortText | None = None


GET_PCAA_HEALTH = Endpoint(
    operation="get_pcaa_health",
    method="GET",
    path="/api/pcaa/health",
    summary="Checkpoint coverage, approval rate and evidence completion of a window, each with its n.",
    roles=ANYONE,
    query=PcaaHealthQuery,
    response=PcaaHealth,
)
