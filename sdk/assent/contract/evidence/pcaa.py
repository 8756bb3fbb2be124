"""PCAA: the five checkpoints that an action passes, and how well a window's actions passed them.

`assent.pcaa` has the rules and applies them to one action; `assent_analytics.pcaa` applies them to a table of actions.
What both must agree on stands here.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

from assent.contract.control.guard import Runtime
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


class Enforceability(StrEnum):
    """How far guard reaches into where the agent runs, and so which evidence it can be asked for."""

    ENFORCE_BEFORE_EXECUTE = "enforce_before_execute"
    HOOK_MEDIATED = "hook_mediated"
    OBSERVE_ONLY = "observe_only"


RISK = 60
"""From here on, 0 to 100, an action owes an assumption."""
EXPECTED = timedelta(hours=1)
"""After this an outcome is due."""
LOST = timedelta(hours=24)
"""After this neither outcome nor assumption will come by itself."""
ENFORCEABILITY: Mapping[str, Enforceability] = MappingProxyType(
    {
        Runtime.SDK_SERVICE: Enforceability.ENFORCE_BEFORE_EXECUTE,
        Runtime.CODING_ASSISTANT: Enforceability.HOOK_MEDIATED,
        Runtime.CODING_AGENT: Enforceability.HOOK_MEDIATED,
        Runtime.EVIDENCE_IMPORT: Enforceability.OBSERVE_ONLY,
    }
)
"""The class of each runtime profile; one that is not here is taken for an SDK service, which owes most."""


class PcaaCheckpoint(Record, frozen=True, kw_only=True):
    """How one action stands at one checkpoint.

    `value` is, in the order of the checkpoints: guard's decision, the action's id, the newest assumption's id, the
    approval's state, the action's status. None where there is nothing; it says what is there, not what is owed.
    """

    id: CheckpointId
    status: CheckpointStatus
    value: str | None


class Receipts(Record, frozen=True, kw_only=True):
    """The evidence that one action left, each receipt named by its checkpoint, both lists in the checkpoints' order.

    `expected` is what an action of this class owes so far; `observed` what is there, asked for or not. `completeness`
    is |expected and observed| / |expected|, 0 to 1.
    """

    enforceability: Enforceability
    expected: list[CheckpointId]
    observed: list[CheckpointId]
    completeness: float


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
    expected receipts. `assent.pcaa` has the rules.
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
    action_type: ShortText | None = None


GET_PCAA_HEALTH = Endpoint(
    operation="get_pcaa_health",
    method="GET",
    path="/api/pcaa/health",
    summary="Checkpoint coverage, approval rate and evidence completion of a window, each with its n.",
    roles=ANYONE,
    query=PcaaHealthQuery,
    response=PcaaHealth,
    analyzes=True,
)
