"""Sync: an agent's whole state in one call, section by section. What is there already stays; nothing is taken away."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Example, Record, Request, ShortText
from assent.contract.roles import ACTING

BODY_LIMIT = 10_000_000
Items = list[Any]


class Section(StrEnum):
    """In the order in which they are kept: what others refer to comes first."""

    CONNECTIONS = "connections"
    ACTIONS = "actions"
    DECISIONS = "decisions"
    GOALS = "goals"
    MEMORY = "memory"
    LEARNING = "learning"
    CONTENT = "content"
    INSPIRATION = "inspiration"
    CONTEXT_POINTS = "context_points"
    CONTEXT_THREADS = "context_threads"
    HANDOFFS = "handoffs"
    PREFERENCES = "preferences"
    SNIPPETS = "snippets"
    RELATIONSHIPS = "relationships"
    CAPABILITIES = "capabilities"


LARGEST: dict[Section, int] = {
    Section.CONNECTIONS: 1000,
    Section.ACTIONS: 2000,
    Section.DECISIONS: 2000,
    Section.GOALS: 2000,
    Section.MEMORY: 1,
    Section.LEARNING: 2000,
    Section.CONTENT: 2000,
    Section.INSPIRATION: 2000,
    Section.CONTEXT_POINTS: 5000,
    Section.CONTEXT_THREADS: 1000,
    Section.HANDOFFS: 1000,
    Section.PREFERENCES: 4000,
    Section.SNIPPETS: 1000,
    Section.RELATIONSHIPS: 1000,
    Section.CAPABILITIES: 1000,
}
"""How many items of a section one call may carry; those beyond are named as errors, the others are kept."""


class SyncState(Request, frozen=True, kw_only=True):
    """Every section is what the operation of one such thing takes, many times: `actions` what `create_action` and
    `update_outcome` take, `decisions` and `learning` what `record_decision` does, `goals` what `create_goal` does.

    Items are looked at one by one, so that one that is wrong does not lose the others. `memory` is one object, and
    `preferences` has `observations`, `preferences`, `moods` and `approaches`. `agent_id` counts for every item that
    names none.
    """

    example: ClassVar[Example] = {"goals": [{"title": "No full disks"}]}

    agent_id: ShortText | None = None
    connections: Items | None = None
    actions: Items | None = None
    decisions: Items | None = None
    goals: Items | None = None
    memory: dict[str, Any] | None = None
    learning: Items | None = None
    content: Items | None = None
    inspiration: Items | None = None
    context_points: Items | None = None
    context_threads: Items | None = None
    handoffs: Items | None = None
    preferences: dict[str, Items] | None = None
    snippets: Items | None = None
    relationships: Items | None = None
    capabilities: Items | None = None


class SyncError(Record, frozen=True, kw_only=True):
    """An item that was not kept: its place in the section, the code of the problem and what was wrong."""

    index: int
    code: str
    error: str


class SectionResult(Record, frozen=True, kw_only=True):
    """`synced` counts the items that are kept now, whether this call kept them or an earlier one. `errors` names at
    most 100 of those that are not, and `failed` counts them all."""

    synced: int
    failed: int
    errors: list[SyncError]


class SyncResult(Record, frozen=True, kw_only=True):
    """A result for each section that was sent."""

    results: dict[str, SectionResult]
    total_synced: int
    total_errors: int
    duration_ms: Annotated[int, Meta(ge=0)]


SYNC_STATE = Endpoint(
    operation="sync_state",
    method="POST",
    path="/api/sync",
    summary="Push a full snapshot of an agent's state; each section is reported, and repeating it changes nothing.",
    roles=ACTING,
    request=SyncState,
    response=SyncResult,
    limit=BODY_LIMIT,
    problems=(Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
)
