"""What agents note down: events of a calendar, content, interactions, ideas, memory, decisions and documents."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from assent.contract.exchange.kinds import (
    CalendarTime,
    Document,
    Kind,
    KindQuery,
    Listing,
    Percent,
    Prose,
    Title,
    Word,
    Words,
    creates,
    gets,
    lists,
)
from assent.contract.record import Example, Record, Request, ShortText


class CreateCalendarEvent(Request, frozen=True, kw_only=True):
    """`start_time` and `end_time` begin with a date, YYYY-MM-DD."""

    example: ClassVar[Example] = {"summary": "Maintenance", "start_time": "2026-11-20"}

    summary: Title
    start_time: CalendarTime
    end_time: CalendarTime | None = None
    location: Title | None = None
    description: Prose | None = None
    attendees: Words | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class CalendarEvent(CreateCalendarEvent, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    event_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class CalendarEventAnswer(Record, frozen=True, kw_only=True):
    event: CalendarEvent
    event_id: str


class CalendarEvents(Listing, frozen=True, kw_only=True):
    events: list[CalendarEvent]


class RecordContent(Request, frozen=True, kw_only=True):
    """Something that the agent wrote or published: `url` is where it stands, `body` the text."""

    example: ClassVar[Example] = {"title": "How disks fill"}

    title: Title
    platform: Word | None = None
    status: Word | None = None
    url: Annotated[str, Meta(max_length=2000)] | None = None
    body: Document | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class Content(RecordContent, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    content_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class ContentAnswer(Record, frozen=True, kw_only=True):
    content: Content
    content_id: str


class Contents(Listing, frozen=True, kw_only=True):
    content: list[Content]


class RecordInteraction(Request, frozen=True, kw_only=True):
    """Something that happened between the agent and a person."""

    example: ClassVar[Example] = {"summary": "Asked Ada for a larger disk."}

    summary: Prose
    contact_name: Word | None = None
    contact_id: Word | None = None
    direction: Word | None = None
    platform: Word | None = None
    type: Word | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class Interaction(RecordInteraction, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    interaction_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class InteractionAnswer(Record, frozen=True, kw_only=True):
    interaction: Interaction
    interaction_id: str


class Interactions(Listing, frozen=True, kw_only=True):
    interactions: list[Interaction]


class RecordIdea(Request, frozen=True, kw_only=True):
    """`score` is 0 to 100, the higher the better."""

    example: ClassVar[Example] = {"title": "Rotate the logs"}

    title: Title
    description: Prose | None = None
    category: Word | None = None
    score: Percent | None = None
    status: Word | None = None
    source: Word | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class Idea(RecordIdea, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    idea_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class IdeaAnswer(Record, frozen=True, kw_only=True):
    idea: Idea
    idea_id: str


class Ideas(Listing, frozen=True, kw_only=True):
    ideas: list[Idea]


Entries = Annotated[list[Any], Meta(max_length=1000)]


class ReportMemoryHealth(Request, frozen=True, kw_only=True):
    """`health` is a score of 0 to 100, or an object with whatever is measured."""

    example: ClassVar[Example] = {"health": 90}

    health: dict[str, Any] | Percent
    entities: Entries | None = None
    topics: Entries | None = None
    agent_id: ShortText | None = None


class MemoryHealth(ReportMemoryHealth, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    snapshot_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class MemoryHealthAnswer(Record, frozen=True, kw_only=True):
    snapshot: MemoryHealth
    snapshot_id: str


class MemoryReports(Listing, frozen=True, kw_only=True):
    snapshots: list[MemoryHealth]


class RecordDecision(Request, frozen=True, kw_only=True):
    """A decision that the agent made and may learn from: no decision of guard's."""

    example: ClassVar[Example] = {"decision": "The logs go first."}

    decision: Prose
    context: Prose | dict[str, Any] | None = None
    reasoning: Prose | None = None
    outcome: Prose | None = None
    confidence: Percent | None = None
    tags: Words | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class AgentDecision(RecordDecision, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    decision_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class AgentDecisionAnswer(Record, frozen=True, kw_only=True):
    decision: AgentDecision
    decision_id: str


class AgentDecisions(Listing, frozen=True, kw_only=True):
    decisions: list[AgentDecision]


class SaveSharedDoc(Request, frozen=True, kw_only=True):
    """A document that every agent of the organization reads and may replace, by its name."""

    example: ClassVar[Example] = {"name": "runbook", "content": "Look at the logs first."}

    name: Title
    content: Document
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class SharedDoc(SaveSharedDoc, Record, frozen=True, kw_only=True, omit_defaults=False):
    """`version` counts how often the content has changed, from 1."""

    org_id: str
    doc_id: str
    version: int = 1
    created_by: str
    created_at: datetime
    updated_at: datetime


class SharedDocAnswer(Record, frozen=True, kw_only=True):
    doc: SharedDoc
    doc_id: str


class SharedDocs(Listing, frozen=True, kw_only=True):
    docs: list[SharedDoc]


class JournalQuery(KindQuery, frozen=True, kw_only=True):
    """`search` looks for a text in what was said, whatever its case."""

    search: Annotated[str, Meta(max_length=200)] | None = None


CALENDAR = Kind(
    name="calendar_event",
    prefix="cal_",
    path="/api/calendar",
    singular="event",
    plural="events",
    row=CalendarEvent,
    named="summary",
    key=("summary", "start_time"),
    searched=("summary", "description", "location"),
)
CONTENT = Kind(
    name="content",
    prefix="cnt_",
    path="/api/content",
    singular="content",
    plural="content",
    row=Content,
    named="title",
    key=("title", "platform"),
    searched=("title", "body"),
)
INTERACTION = Kind(
    name="interaction",
    prefix="int_",
    path="/api/relationships",
    singular="interaction",
    plural="interactions",
    row=Interaction,
    named="contact_name",
    searched=("summary", "contact_name"),
)
IDEA = Kind(
    name="idea",
    prefix="idea_",
    path="/api/inspiration",
    singular="idea",
    plural="ideas",
    row=Idea,
    named="title",
    key=("title",),
    searched=("title", "description"),
)
MEMORY = Kind(
    name="memory_health",
    prefix="mem_",
    path="/api/memory",
    singular="snapshot",
    plural="snapshots",
    row=MemoryHealth,
)
AGENT_DECISION = Kind(
    name="agent_decision",
    prefix="ld_",
    path="/api/learning",
    singular="decision",
    plural="decisions",
    row=AgentDecision,
    searched=("decision", "reasoning", "outcome"),
)
SHARED_DOC = Kind(
    name="shared_doc",
    prefix="doc_",
    path="/api/messages/docs",
    singular="doc",
    plural="docs",
    row=SharedDoc,
    named="name",
    key=("name",),
    upserts=True,
    shared=True,
    versioned=("content",),
    searched=("name", "content"),
)

CREATE_CALENDAR_EVENT = creates(CALENDAR, "create_calendar_event", CreateCalendarEvent, CalendarEventAnswer)
GET_CALENDAR_EVENTS = lists(CALENDAR, "get_calendar_events", JournalQuery, CalendarEvents)
RECORD_CONTENT = creates(CONTENT, "record_content", RecordContent, ContentAnswer)
GET_CONTENT = lists(CONTENT, "get_content", JournalQuery, Contents)
RECORD_INTERACTION = creates(INTERACTION, "record_interaction", RecordInteraction, InteractionAnswer)
GET_INTERACTIONS = lists(INTERACTION, "get_interactions", JournalQuery, Interactions)
RECORD_IDEA = creates(IDEA, "record_idea", RecordIdea, IdeaAnswer)
GET_IDEAS = lists(IDEA, "get_ideas", JournalQuery, Ideas)
REPORT_MEMORY_HEALTH = creates(MEMORY, "report_memory_health", ReportMemoryHealth, MemoryHealthAnswer)
GET_MEMORY_HEALTH = lists(MEMORY, "get_memory_health", KindQuery, MemoryReports)
RECORD_DECISION = creates(AGENT_DECISION, "record_decision", RecordDecision, AgentDecisionAnswer)
GET_AGENT_DECISIONS = lists(AGENT_DECISION, "get_agent_decisions", JournalQuery, AgentDecisions)
SAVE_SHARED_DOC = creates(SHARED_DOC, "save_shared_doc", SaveSharedDoc, SharedDocAnswer)
GET_SHARED_DOCS = lists(SHARED_DOC, "get_shared_docs", JournalQuery, SharedDocs)
GET_SHARED_DOC = gets(SHARED_DOC, "get_shared_doc", SharedDocAnswer)
