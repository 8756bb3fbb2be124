"""What agents note down: calendar, goals, content, interactions, ideas, memory, decisions, documents, tokens."""

from __future__ import annotations

from typing import Any

from assent.client.flow import Flow, send
from assent.client.kept import changing, keeping, listing
from assent.client.operation import Caller, operation
from assent.contract.goals import CREATE_GOAL, GET_GOAL, GET_GOALS, UPDATE_GOAL, GoalAnswer, Goals
from assent.contract.journal import (
    CREATE_CALENDAR_EVENT,
    GET_AGENT_DECISIONS,
    GET_CALENDAR_EVENTS,
    GET_CONTENT,
    GET_IDEAS,
    GET_INTERACTIONS,
    GET_MEMORY_HEALTH,
    GET_SHARED_DOC,
    GET_SHARED_DOCS,
    RECORD_CONTENT,
    RECORD_DECISION,
    RECORD_IDEA,
    RECORD_INTERACTION,
    REPORT_MEMORY_HEALTH,
    SAVE_SHARED_DOC,
    AgentDecisionAnswer,
    AgentDecisions,
    CalendarEventAnswer,
    CalendarEvents,
    ContentAnswer,
    Contents,
    IdeaAnswer,
    Ideas,
    InteractionAnswer,
    Interactions,
    MemoryHealthAnswer,
    MemoryReports,
    SharedDocAnswer,
    SharedDocs,
)
from assent.contract.tokens import GET_TOKEN_USAGE, REPORT_TOKEN_USAGE, TokenReports, TokenUsageAnswer


class JournalOperations(Caller):
    @operation
    def create_calendar_event(self, /, summary: str, start_time: str, **fields: Any) -> Flow[CalendarEventAnswer]:
        """Keep an event. `start_time` begins with a date, YYYY-MM-DD; `end_time`, `location`, `description` and
        `attendees` as `CreateCalendarEvent` has them."""
        return (yield from keeping(self, CREATE_CALENDAR_EVENT, fields, {"summary": summary, "start_time": start_time}))

    @operation
    def get_calendar_events(self, /, **filters: Any) -> Flow[CalendarEvents]:
        """A page, newest first; filters are `agent_id`, `search`, `limit`, `offset`, `cursor`."""
        return (yield from listing(GET_CALENDAR_EVENTS, filters))

    @operation
    def create_goal(self, /, title: str, **fields: Any) -> Flow[GoalAnswer]:
        """Keep a goal; `progress` in percent, `status` active unless it is given."""
        return (yield from keeping(self, CREATE_GOAL, fields, {"title": title}))

    @operation
    def get_goals(self, /, **filters: Any) -> Flow[Goals]:
        """A page, newest first; filters are `agent_id`, `status`, `category`, `limit`, `offset`, `cursor`."""
        return (yield from listing(GET_GOALS, filters))

    @operation
    def get_goal(self, goal_id: str) -> Flow[GoalAnswer]:
        """One goal. Raises NotFound."""
        return (yield from send(GET_GOAL, path={"goal_id": goal_id}))

    @operation
    def update_goal(self, /, goal_id: str, **fields: Any) -> Flow[GoalAnswer]:
        """Replace members of a goal, such as `progress` or `status`. Raises NotFound."""
        return (yield from changing(UPDATE_GOAL, {"goal_id": goal_id}, fields))

    @operation
    def record_content(self, /, title: str, **fields: Any) -> Flow[ContentAnswer]:
        """Keep something that was written: `platform`, `url`, `body`, `status`."""
        return (yield from keeping(self, RECORD_CONTENT, fields, {"title": title}))

    @operation
    def get_content(self, /, **filters: Any) -> Flow[Contents]:
        """A page, newest first; filters are `agent_id`, `search`, `limit`, `offset`, `cursor`."""
        return (yield from listing(GET_CONTENT, filters))

    @operation
    def record_interaction(self, /, summary: str, **fields: Any) -> Flow[InteractionAnswer]:
        """Keep what happened with a person: `contact_name`, `direction`, `platform`."""
        return (yield from keeping(self, RECORD_INTERACTION, fields, {"summary": summary}))

    @operation
    def get_interactions(self, /, **filters: Any) -> Flow[Interactions]:
        """A page, newest first; filters are `agent_id`, `search`, `limit`, `offset`, `cursor`."""
        return (yield from listing(GET_INTERACTIONS, filters))

    @operation
    def record_idea(self, /, title: str, **fields: Any) -> Flow[IdeaAnswer]:
        """Keep an idea; `score` is 0 to 100."""
        return (yield from keeping(self, RECORD_IDEA, fields, {"title": title}))

    @operation
    def get_ideas(self, /, **filters: Any) -> Flow[Ideas]:
        """A page, newest first; filters are `agent_id`, `search`, `limit`, `offset`, `cursor`."""
        return (yield from listing(GET_IDEAS, filters))

    @operation
    def get_memory_health(self, /, **filters: Any) -> Flow[MemoryReports]:
        """A page, newest first; filters are `agent_id`, `limit`, `offset`, `cursor`."""
        return (yield from listing(GET_MEMORY_HEALTH, filters))

    @operation
    def record_decision(self, /, decision: str, **fields: Any) -> Flow[AgentDecisionAnswer]:
        """Keep a decision of the agent's own: `context`, `reasoning`, `outcome`, `confidence` in percent."""
        return (yield from keeping(self, RECORD_DECISION, fields, {"decision": decision}))

    @operation
    def get_agent_decisions(self, /, **filters: Any) -> Flow[AgentDecisions]:
        """A page, newest first; filters are `agent_id`, `search`, `limit`, `offset`, `cursor`."""
        return (yield from listing(GET_AGENT_DECISIONS, filters))

    @operation
    def save_shared_doc(self, /, name: str, content: str, **fields: Any) -> Flow[SharedDocAnswer]:
        """Keep a document that every agent reads; the name that is there already gets the new content."""
        return (yield from keeping(self, SAVE_SHARED_DOC, fields, {"name": name, "content": content}))

    @operation
    def get_shared_docs(self, /, **filters: Any) -> Flow[SharedDocs]:
        """A page, newest first; filters are `agent_id`, `search`, `limit`, `offset`, `cursor`."""
        return (yield from listing(GET_SHARED_DOCS, filters))

    @operation
    def get_shared_doc(self, doc_id: str) -> Flow[SharedDocAnswer]:
        """One document. Raises NotFound."""
        return (yield from send(GET_SHARED_DOC, path={"doc_id": doc_id}))

    @operation
    def report_token_usage(self, /, tokens_in: int, tokens_out: int, **fields: Any) -> Flow[TokenUsageAnswer]:
        """Report what a call of a language model took: `model`, `cost_estimate` in US dollars."""
        return (
            yield from keeping(self, REPORT_TOKEN_USAGE, fields, {"tokens_in": tokens_in, "tokens_out": tokens_out})
        )

    @operation
    def get_token_usage(self, /, **filters: Any) -> Flow[TokenReports]:
        """A page, newest first; filters are `agent_id`, `model`, `session_id`, `limit`, `offset`, `cursor`."""
        return (yield from listing(GET_TOKEN_USAGE, filters))

    @operation
    def report_memory_health(
        self,
        health: dict[str, Any] | float,
        entities: list[Any] | None = None,
        topics: list[Any] | None = None,
    ) -> Flow[MemoryHealthAnswer]:
        """Report how the agent's memory is: a score of 0 to 100, or an object; an object with a member `health` is the
        whole report."""
        if isinstance(health, dict) and "health" in health and entities is None and topics is None:
            return (yield from keeping(self, REPORT_MEMORY_HEALTH, health))
        said = {"health": health, "entities": entities, "topics": topics}
        return (yield from keeping(self, REPORT_MEMORY_HEALTH, {}, said))
