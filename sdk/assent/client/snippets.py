"""Snippets, preferences and the digest of a day."""

from __future__ import annotations

from typing import Any

from assent.client.flow import Flow, send
from assent.client.kept import keeping, listing
from assent.client.operation import Caller, operation
from assent.contract.digest import GET_DAILY_DIGEST, Digest
from assent.contract.kinds import Deleted
from assent.contract.preferences import (
    GET_PREFERENCES,
    RECORD_PREFERENCE,
    Preferences,
    PreferenceView,
    RecordedPreference,
)
from assent.contract.snippets import (
    DELETE_SNIPPET,
    GET_SNIPPET,
    GET_SNIPPETS,
    SAVE_SNIPPET,
    USE_SNIPPET,
    SnippetAnswer,
    Snippets,
    UseSnippet,
)


class SnippetOperations(Caller):
    @operation
    def save_snippet(self, /, name: str, code: str, **fields: Any) -> Flow[SnippetAnswer]:
        """Keep code by name; a name that is there already gets the new code."""
        return (yield from keeping(self, SAVE_SNIPPET, fields, {"name": name, "code": code}))

    @operation
    def get_snippets(self, /, **filters: Any) -> Flow[Snippets]:
        """A page, newest first; filters are `search`, `language`, `tag`, `agent_id`, `limit`, `offset`, `cursor`."""
        return (yield from listing(GET_SNIPPETS, filters))

    @operation
    def get_snippet(self, snippet_id: str) -> Flow[SnippetAnswer]:
        """One snippet. Raises NotFound."""
        return (yield from send(GET_SNIPPET, path={"snippet_id": snippet_id}))

    @operation
    def delete_snippet(self, snippet_id: str) -> Flow[Deleted]:
        """Take a snippet out of every list. Raises NotFound."""
        return (yield from send(DELETE_SNIPPET, path={"snippet_id": snippet_id}))

    @operation
    def use_snippet(self, snippet_id: str) -> Flow[SnippetAnswer]:
        """Count a use. Raises NotFound."""
        return (yield from send(USE_SNIPPET, path={"snippet_id": snippet_id}, body=UseSnippet()))

    @operation
    def record_preference(self, /, type: str, **fields: Any) -> Flow[RecordedPreference]:
        """Keep an observation, a preference, a mood or an approach, as `type` says; the member of that name is
        required."""
        return (yield from keeping(self, RECORD_PREFERENCE, fields, {"type": type}))

    @operation
    def log_observation(self, /, observation: str, **fields: Any) -> Flow[RecordedPreference]:
        """Keep what was noticed about a person: `category`, `importance`."""
        said = {"type": "observation", "observation": observation}
        return (yield from keeping(self, RECORD_PREFERENCE, fields, said))

    @operation
    def set_preference(self, /, preference: str, **fields: Any) -> Flow[RecordedPreference]:
        """Keep what a person prefers: `category`, `confidence` in percent. The same preference is kept once."""
        said = {"type": "preference", "preference": preference}
        return (yield from keeping(self, RECORD_PREFERENCE, fields, said))

    @operation
    def log_mood(self, /, mood: str, **fields: Any) -> Flow[RecordedPreference]:
        """Keep how a person is: `energy`, `notes`."""
        return (yield from keeping(self, RECORD_PREFERENCE, fields, {"type": "mood", "mood": mood}))

    @operation
    def track_approach(self, /, approach: str, **fields: Any) -> Flow[RecordedPreference]:
        """Count whether an approach worked: `success`, and `context`."""
        said = {"type": "approach", "approach": approach}
        return (yield from keeping(self, RECORD_PREFERENCE, fields, said))

    @operation
    def get_preferences(
        self, type: str = "summary", agent_id: str | None = None, limit: int | None = None
    ) -> Flow[Preferences]:
        """What is known about people: `summary`, or `observations`, `preferences`, `moods` or `approaches`."""
        return (yield from listing(GET_PREFERENCES, {"type": type, "agent_id": agent_id, "limit": limit}))

    @operation
    def get_preference_summary(self) -> Flow[Preferences]:
        """What this agent knows about people, in short."""
        query = {"type": PreferenceView.SUMMARY, "agent_id": self.agent_id}
        return (yield from listing(GET_PREFERENCES, query))

    @operation
    def get_approaches(self, limit: int | None = None) -> Flow[Preferences]:
        """This agent's approaches, with how often each worked."""
        query = {"type": PreferenceView.APPROACHES, "agent_id": self.agent_id, "limit": limit}
        return (yield from listing(GET_PREFERENCES, query))

    @operation
    def get_daily_digest(self, date: str | None = None) -> Flow[Digest]:
        """What was recorded for this agent on a day (YYYY-MM-DD, UTC; today without it), counted."""
        return (yield from listing(GET_DAILY_DIGEST, {"date": date, "agent_id": self.agent_id}))
