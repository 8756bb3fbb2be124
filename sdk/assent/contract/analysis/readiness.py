"""Readiness of a workspace: the settings view's runtime profiles, states, shares, checks and connection test."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import ClassVar

from assent.contract.control.actions import Action
from assent.contract.control.guard import ActionType, Goal, Runtime
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Example, Record, Request
from assent.contract.roles import OPERATING, READING

TEST_COUNTS_FOR = timedelta(hours=24)
"""A connection test that passed no longer ago verifies a workspace."""
LEAST_ROWS, LEAST_PERCENT = 20, 95
"""From so many rows on, a share below so many per cent keeps a workspace from being verified."""


class RuntimeProfile(Record, frozen=True, kw_only=True):
    """How one kind of runtime is governed: approval and evidence behaviour only, not where it is hosted."""

    runtime: Runtime
    name: str
    governance_range: str
    surface_path: str
    approval: str
    evidence: str


RUNTIME_PROFILES: tuple[RuntimeProfile, ...] = (
    RuntimeProfile(
        runtime=Runtime.CODING_ASSISTANT,
        name="Local coding-assistant runtime",
        governance_range="l2 -> l3",
        surface_path="runtime-adapter + control-plane",
        approval="Terminal-first approval channel",
        evidence="Built-in governed tool provenance",
    ),
    RuntimeProfile(
        runtime=Runtime.CODING_AGENT,
        name="Governed coding-agent runtime",
        governance_range="l2 -> l3",
        surface_path="runtime-adapter + control-plane",
        approval="Inline operator approvals in the coding session",
        evidence="Runtime-reported governed tool metadata",
    ),
    RuntimeProfile(
        runtime=Runtime.SDK_SERVICE,
        name="SDK service runtime (self-built or embedded agents)",
        governance_range="l1 -> l2 -> l3",
        surface_path="embedded-sdk + control-plane",
        approval="Server-mediated approval handoff",
        evidence="SDK-declared agent and tool metadata",
    ),
)


class ReadinessState(StrEnum):
    BLOCKED = "blocked"
    NEEDS_ATTENTION = "needs_attention"
    READY_UNVERIFIED = "ready_unverified"
    VERIFIED = "verified"


class StateMeaning(Record, frozen=True, kw_only=True):
    """A state as people read it: what it is called, what it means, what to do next."""

    state: ReadinessState
    title: str
    meaning: str
    next_step: str


STATE_MEANINGS: tuple[StateMeaning, ...] = (
    StateMeaning(
        state=ReadinessState.BLOCKED,
        title="Blocked",
        meaning="A core check fails, so actions cannot be governed right now.",
        next_step="Mend the failing check below; agents get an error instead of a verdict until then.",
    ),
    StateMeaning(
        state=ReadinessState.NEEDS_ATTENTION,
        title="Needs attention",
        meaning="Actions are governed, and something waits for an operator.",
        next_step="Look at each warning below and settle it.",
    ),
    StateMeaning(
        state=ReadinessState.READY_UNVERIFIED,
        title="Ready but not fully verified",
        meaning="Core checks pass; deeper validation or operator follow-up is pending.",
        next_step="Run the connection test and look at the shares that are below 95 %.",
    ),
    StateMeaning(
        state=ReadinessState.VERIFIED,
        title="Verified",
        meaning="All checks pass, a connection test passed within a day, and every share with enough rows holds.",
        next_step="Nothing to do.",
    ),
)


class ReadinessCheck(Record, frozen=True, kw_only=True):
    """`core` checks block when one of them fails. `status` is pass, warn or fail; `detail` says what to do.

    In this order: log, tables, disk, evidence, drift, wallet, heads, clock_jumps and admin_key, which are core;
    agent_keys, halt, policies, approvals, webhooks, self_decisions, clock and, in the service's first organization,
    failed_keys.
    """

    name: str
    core: bool
    status: str
    detail: str


class ReadinessShare(Record, frozen=True, kw_only=True):
    """A share of the last 7 days: governed, approval or proof. `percent` is 0 to 100, None when `n` is 0 or the share
    is not `available` (then both counts are 0); `meaning` says what is divided by what."""

    name: str
    available: bool
    percent: float | None
    count: int
    n: int
    meaning: str


class ConnectionStep(Record, frozen=True, kw_only=True):
    """One thing that the connection test looked at. `status` is pass or fail; `milliseconds` since the test began."""

    name: str
    status: str
    detail: str
    milliseconds: float


class ConnectionTest(Record, frozen=True, kw_only=True):
    """One action, followed from guard through the log to the tables and the stream, as it is at the end.

    Steps in this order: guard, log, tables, stream, outcome. `passed` says that each of them did; the action is then
    `completed`. Where a policy stops the action, the last step fails and says what to do.
    """

    passed: bool
    at: datetime
    action: Action
    steps: list[ConnectionStep]


class LastTest(Record, frozen=True, kw_only=True):
    """The newest connection test of the organization, taken from its recorded action."""

    action_id: str
    at: datetime
    passed: bool


class UnknownType(Record, frozen=True, kw_only=True):
    """A type that agents asked guard about and that is not among the known ones. `agents` are up to ten of them."""

    action_type: str
    count: int
    last_seen: datetime
    agents: list[str]


class KnownTypesSummary(Record, frozen=True, kw_only=True):
    """What the active policies of kind known_types have on their lists, and the unknown types of the last 30 days that
    are live or imported, the newest first, 100 at most; `unknown_total` counts all."""

    known: list[str]
    unknown: list[UnknownType]
    unknown_total: int


class WorkspaceReadiness(Record, frozen=True, kw_only=True):
    """The readiness summary. `checked_at` is the service's time of this very answer; `simulated` counts the actions
    of the last 7 days that a simulator made. `known_types` is None where no active policy knows types, or the tables do
    not answer."""

    state: ReadinessState
    title: str
    meaning: str
    next_step: str
    checked_at: datetime
    checks: list[ReadinessCheck]
    shares: list[ReadinessShare]
    last_test: LastTest | None
    profiles: list[RuntimeProfile]
    states: list[StateMeaning]
    simulated: int
    known_types: KnownTypesSummary | None = None


class CheckConnection(Request, frozen=True, kw_only=True):
    """The test action; both members have a default that says what it is."""

    example: ClassVar[Example] = {"action_type": "connection_test"}

    action_type: ActionType = "connection_test"
    declared_goal: Goal = "Check that an action can be governed from end to end"


GET_READINESS = Endpoint(
    operation="get_readiness",
    method="GET",
    path="/api/readiness",
    summary="The readiness summary of the workspace: state, checks, shares, runtime profiles.",
    roles=READING,
    response=WorkspaceReadiness,
)
TEST_CONNECTION = Endpoint(
    operation="test_connection",
    method="POST",
    path="/api/readiness/test",
    summary="Create one action and follow it through the log.",
    roles=OPERATING,
    request=CheckConnection,
    response=ConnectionTest,
    problems=(Code.PROJECTION_BEHIND,),
)
