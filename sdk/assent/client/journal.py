"""What agents note down: calendar, goals, content, interactions, ideas, memory, decisions, documents, tokens; and an
agent's whole state in one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.exchange.goals import CREATE_GOAL, GET_GOAL, GET_GOALS, UPDATE_GOAL
from assent.contract.exchange.journal import (
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
    MemoryHealthAnswer,
    ReportMemoryHealth,
)
from assent.contract.exchange.sync import SYNC_STATE, SyncResult
from assent.contract.exchange.tokens import GET_TOKEN_USAGE, REPORT_TOKEN_USAGE


class JournalOperations(Caller):
    @sends(CREATE_CALENDAR_EVENT, own=("agent_id",))
    def create_calendar_event(self, /, summary: str, start_time: str, **fields: Any) -> Response:
        """Keep an event. `start_time` begins with a date, YYYY-MM-DD; `end_time`, `location`, `description` and
        `attendees` as `CreateCalendarEvent` has them."""

    @sends(GET_CALENDAR_EVENTS)
    def get_calendar_events(self, /, **filters: Any) -> Response:
        """A page, newest first; filters are `agent_id`, `search`, `limit`, `offset`, `cursor`."""

    @sends(CREATE_GOAL, own=("agent_id",))
    def create_goal(self, /, title: str, **fields: Any) -> Response:
        """Keep a goal; `progress` in percent, `status` active unless it is given."""

    @sends(GET_GOALS)
    def get_goals(self, /, **filters: Any) -> Response:
        """A page, newest first; filters are `agent_id`, `status`, `category`, `limit`, `offset`, `cursor`."""

    @sends(GET_GOAL)
    def get_goal(self, goal_id: str) -> Response:
        """One goal. Raises NotFound."""

    @sends(UPDATE_GOAL)
    def update_goal(self, /, goal_id: str, **fields: Any) -> Response:
        """Replace members of a goal, such as `progress` or `status`. Raises NotFound."""

    @sends(RECORD_CONTENT, own=("agent_id",))
    def record_content(self, /, title: str, **fields: Any) -> Response:
        """Keep something that was written: `platform`, `url`, `body`, `status`."""

    @sends(GET_CONTENT)
    def get_content(self, /, **filters: Any) -> Response:
        """A page, newest first; filters are `agent_id`, `search`, `limit`, `offset`, `cursor`."""

    @sends(RECORD_INTERACTION, own=("agent_id",))
    def record_interaction(self, /, summary: str, **fields: Any) -> Response:
        """Keep what happened with a person: `contact_name`, `direction`, `platform`."""

    @sends(GET_INTERACTIONS)
    def get_interactions(self, /, **filters: Any) -> Response:
        """A page, newest first; filters are `agent_id`, `search`, `limit`, `offset`, `cursor`."""

    @sends(RECORD_IDEA, own=("agent_id",))
    def record_idea(self, /, title: str, **fields: Any) -> Response:
        """Keep an idea; `score` is 0 to 100."""

    @sends(GET_IDEAS)
    def get_ideas(self, /, **filters: Any) -> Response:
        """A page, newest first; filters are `agent_id`, `search`, `limit`, `offset`, `cursor`."""

    @sends(GET_MEMORY_HEALTH)
    def get_memory_health(self, /, **filters: Any) -> Response:
        """A page, newest first; filters are `agent_id`, `limit`, `offset`, `cursor`."""

    @sends(RECORD_DECISION, own=("agent_id",))
    def record_decision(self, /, decision: str, **fields: Any) -> Response:
        """Keep a decision of the agent's own: `context`, `reasoning`, `outcome`, `confidence` in percent."""

    @sends(GET_AGENT_DECISIONS)
    def get_agent_decisions(self, /, **filters: Any) -> Response:
        """A page, newest first; filters are `agent_id`, `search`, `limit`, `offset`, `cursor`."""

    @sends(SAVE_SHARED_DOC, own=("agent_id",))
    def save_shared_doc(self, /, name: str, content: str, **fields: Any) -> Response:
        """Keep a document that every agent reads; the name that is there already gets the new content."""

    @sends(GET_SHARED_DOCS)
    def get_shared_docs(self, /, **filters: Any) -> Response:
        """A page, newest first; filters are `agent_id`, `search`, `limit`, `offset`, `cursor`."""

    @sends(GET_SHARED_DOC)
    def get_shared_doc(self, doc_id: str) -> Response:
        """One document. Raises NotFound."""

    @sends(REPORT_TOKEN_USAGE, own=("agent_id",))
    def report_token_usage(self, /, tokens_in: int, tokens_out: int, **fields: Any) -> Response:
        """Report what a call of a language model took: `model`, `cost_estimate` in US dollars."""

    @sends(GET_TOKEN_USAGE)
    def get_token_usage(self, /, **filters: Any) -> Response:
        """A page, newest first; filters are `agent_id`, `model`, `session_id`, `limit`, `offset`, `cursor`."""

    @calls(REPORT_MEMORY_HEALTH, without=("agent_id",))
    def report_memory_health(
        self,
        health: dict[str, Any] | float,
        entities: list[Any] | None = None,
        topics: list[Any] | None = None,
    ) -> Flow[MemoryHealthAnswer]:
        """Report how the agent's memory is: a score of 0 to 100, or an object; an object with a member `health` is the
        whole report."""
        report: dict[str, Any] = {"health": health, "entities": entities, "topics": topics}
        if isinstance(health, dict) and "health" in health and entities is None and topics is None:
            report = health
        report = {"agent_id": self.agent_id} | report
        body = members(ReportMemoryHealth, report, "report_memory_health")
        return (yield from send(REPORT_MEMORY_HEALTH, body=body))

    @operation
    def sync_state(self, state: Mapping[str, Any]) -> Flow[SyncResult]:
        """Push a full snapshot: `actions`, `decisions`, `goals`, and the further sections of
        `assent.contract.exchange.sync.SyncState`. `results` says for each section how many items are kept and which
        are not; repeating the call changes nothing.
        """
        return (yield from send(SYNC_STATE, body={"agent_id": self.agent_id, **state}, idempotent=True))
