"""Preferences: what agents learn about the people they work for, and which approaches work."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, UnsetType

from assent.contract.endpoint import Endpoint
from assent.contract.exchange.kinds import BODY_LIMIT, Kind, Percent, Prose, Title, Word
from assent.contract.problems import Code
from assent.contract.record import Example, Limit, Query, Record, Request, ShortText
from assent.contract.roles import ACTING, ANYONE


class PreferenceType(StrEnum):
    """What is said about a person."""

    OBSERVATION = "observation"
    PREFERENCE = "preference"
    MOOD = "mood"
    APPROACH = "approach"


class PreferenceView(StrEnum):
    """What is asked for: all in short, or the newest of one type."""

    SUMMARY = "summary"
    OBSERVATIONS = "observations"
    PREFERENCES = "preferences"
    MOODS = "moods"
    APPROACHES = "approaches"


Scale = Annotated[float, Meta(ge=0, le=100)] | Word


class LogObservation(Request, frozen=True, kw_only=True):
    observation: Prose
    category: Word | None = None
    importance: Scale | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class SetPreference(Request, frozen=True, kw_only=True):
    """`confidence` in percent."""

    preference: Prose
    category: Word | None = None
    confidence: Percent | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class LogMood(Request, frozen=True, kw_only=True):
    mood: Title
    energy: Scale | None = None
    notes: Prose | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class TrackApproach(Request, frozen=True, kw_only=True):
    """`success` says how it went this time; the same approach is counted, not kept twice."""

    approach: Prose
    context: Prose | None = None
    success: bool | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class RecordPreference(Request, frozen=True, kw_only=True):
    """`type` says which of the others is required: the member of its name."""

    example: ClassVar[Example] = {"type": "mood"}

    type: PreferenceType
    observation: Prose | None = None
    preference: Prose | None = None
    mood: Title | None = None
    approach: Prose | None = None
    category: Word | None = None
    importance: Scale | None = None
    confidence: Percent | None = None
    energy: Scale | None = None
    notes: Prose | None = None
    context: Prose | None = None
    success: bool | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class Observation(LogObservation, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    observation_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class Preference(SetPreference, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    preference_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class Mood(LogMood, Record, frozen=True, kw_only=True, omit_defaults=False):
    org_id: str
    mood_id: str
    created_by: str
    created_at: datetime
    updated_at: datetime


class Approach(TrackApproach, Record, frozen=True, kw_only=True, omit_defaults=False):
    """`success` is how it went the last time that somebody said."""

    org_id: str
    approach_id: str
    success_count: int = 0
    fail_count: int = 0
    created_by: str
    created_at: datetime
    updated_at: datetime


class RecordedPreference(Record, frozen=True, kw_only=True):
    """Of the records the one of `type` is there; `id` is its id."""

    type: PreferenceType
    id: str
    observation: Observation | UnsetType = UNSET
    preference: Preference | UnsetType = UNSET
    mood: Mood | UnsetType = UNSET
    approach: Approach | UnsetType = UNSET


class PreferencesQuery(Query, frozen=True, kw_only=True):
    type: PreferenceView = PreferenceView.SUMMARY
    agent_id: ShortText | None = None
    limit: Limit = 50


class PreferenceSummary(Record, frozen=True, kw_only=True):
    """How many there are of each, and the newest five."""

    observation_count: int
    preference_count: int
    mood_count: int
    approach_count: int
    observations: list[Observation]
    preferences: list[Preference]
    moods: list[Mood]
    approaches: list[Approach]


class Preferences(Record, frozen=True, kw_only=True):
    """`summary` is there when it was asked for, else the list that was, with `total`."""

    type: PreferenceView
    summary: PreferenceSummary | UnsetType = UNSET
    observations: list[Observation] | UnsetType = UNSET
    preferences: list[Preference] | UnsetType = UNSET
    moods: list[Mood] | UnsetType = UNSET
    approaches: list[Approach] | UnsetType = UNSET
    total: int | UnsetType = UNSET


def _kind(type_: PreferenceType, row: type[Record], *key: str, upserts: bool = False) -> Kind:
    plural = "approaches" if type_ is PreferenceType.APPROACH else f"{type_.value}s"
    return Kind(
        name=type_.value,
        prefix=f"{type_.value[:3]}_",
        path="/api/preferences",
        singular=type_.value,
        plural=plural,
        row=row,
        named="category" if type_ in (PreferenceType.OBSERVATION, PreferenceType.PREFERENCE) else None,
        key=key,
        upserts=upserts,
    )


PREFERENCES: dict[PreferenceType, tuple[Kind, type[Request]]] = {
    PreferenceType.OBSERVATION: (_kind(PreferenceType.OBSERVATION, Observation), LogObservation),
    PreferenceType.PREFERENCE: (
        _kind(PreferenceType.PREFERENCE, Preference, "category", "preference", upserts=True),
        SetPreference,
    ),
    PreferenceType.MOOD: (_kind(PreferenceType.MOOD, Mood), LogMood),
    PreferenceType.APPROACH: (_kind(PreferenceType.APPROACH, Approach, "approach", upserts=True), TrackApproach),
}
"""What each type is kept as, and what it may say."""

RECORD_PREFERENCE = Endpoint(
    operation="record_preference",
    method="POST",
    path="/api/preferences",
    summary="Keep an observation, a preference, a mood or an approach.",
    roles=ACTING,
    request=RecordPreference,
    response=RecordedPreference,
    statuses=(201, 200),
    problems=(Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
    limit=BODY_LIMIT,
    open_body=True,
)
GET_PREFERENCES = Endpoint(
    operation="get_preferences",
    method="GET",
    path="/api/preferences",
    summary="What is known about the people that agents work for: in short, or one type of it.",
    roles=ANYONE,
    query=PreferencesQuery,
    response=Preferences,
)
