"""Snippets, preferences and the digest of a day."""

from __future__ import annotations

from typing import Any

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.exchange.digest import GET_DAILY_DIGEST
from assent.contract.exchange.preferences import (
    GET_PREFERENCES,
    RECORD_PREFERENCE,
    PreferenceView,
)
from assent.contract.exchange.snippets import (
    DELETE_SNIPPET,
    GET_SNIPPET,
    GET_SNIPPETS,
    SAVE_SNIPPET,
    USE_SNIPPET,
)


class SnippetOperations(Caller):
    @sends(SAVE_SNIPPET, own=("agent_id",))
    def save_snippet(self, /, name: str, code: str, **fields: Any) -> Response:
        """Keep code by name; a name that is there already gets the new code."""

    @sends(GET_SNIPPETS)
    def get_snippets(self, /, **filters: Any) -> Response:
        """A page, newest first; filters are `search`, `language`, `tag`, `agent_id`, `limit`, `offset`, `cursor`."""

    @sends(GET_SNIPPET)
    def get_snippet(self, snippet_id: str) -> Response:
        """One snippet. Raises NotFound."""

    @sends(DELETE_SNIPPET, without=("id",))
    def delete_snippet(self, snippet_id: str) -> Response:
        """Take a snippet out of every list. Raises NotFound."""

    @sends(USE_SNIPPET)
    def use_snippet(self, snippet_id: str) -> Response:
        """Count a use. Raises NotFound."""

    @sends(RECORD_PREFERENCE, own=("agent_id",))
    def record_preference(self, /, type: str, **fields: Any) -> Response:
        """Keep an observation, a preference, a mood or an approach, as `type` says; the member of that name is
        required."""

    @sends(RECORD_PREFERENCE, own=("agent_id",), fixed={"type": "observation"})
    def log_observation(self, /, observation: str, **fields: Any) -> Response:
        """Keep what was noticed about a person: `category`, `importance`."""

    @sends(RECORD_PREFERENCE, own=("agent_id",), fixed={"type": "preference"})
    def set_preference(self, /, preference: str, **fields: Any) -> Response:
        """Keep what a person prefers: `category`, `confidence` in percent. The same preference is kept once."""

    @sends(RECORD_PREFERENCE, own=("agent_id",), fixed={"type": "mood"})
    def log_mood(self, /, mood: str, **fields: Any) -> Response:
        """Keep how a person is: `energy`, `notes`."""

    @sends(RECORD_PREFERENCE, own=("agent_id",), fixed={"type": "approach"})
    def track_approach(self, /, approach: str, **fields: Any) -> Response:
        """Count whether an approach worked: `success`, and `context`."""

    @sends(GET_PREFERENCES)
    def get_preferences(self, type: str = "summary", agent_id: str | None = None, limit: int | None = None) -> Response:
        """What is known about people: `summary`, or `observations`, `preferences`, `moods` or `approaches`."""

    @sends(GET_PREFERENCES, own=("agent_id",), fixed={"type": PreferenceView.SUMMARY})
    def get_preference_summary(self) -> Response:
        """What this agent knows about people, in short."""

    @sends(GET_PREFERENCES, own=("agent_id",), fixed={"type": PreferenceView.APPROACHES})
    def get_approaches(self, limit: int | None = None) -> Response:
        """This agent's approaches, with how often each worked."""

    @sends(GET_DAILY_DIGEST, own=("agent_id",))
    def get_daily_digest(self, date: str | None = None) -> Response:
        """What was recorded for this agent on a day (YYYY-MM-DD, UTC; today without it), counted."""
