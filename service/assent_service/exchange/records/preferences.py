"""What is known about the people that agents work for: four kinds behind one path."""

from __future__ import annotations

from typing import Any

from assent.contract.exchange.kinds import Kind, KindQuery
from assent.contract.exchange.preferences import (
    GET_PREFERENCES,
    PREFERENCES,
    RECORD_PREFERENCE,
    PreferencesQuery,
    PreferenceType,
    PreferenceView,
    RecordPreference,
)
from assent.contract.problems import Code, FieldError
from assent_service.base.problem import refuse
from assent_service.core import body as bodies
from assent_service.core.call import Answer, Call
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.exchange.records.records import RECORD_FENCES, RecordChange, Records

NEWEST = 5
VIEWS: dict[PreferenceView, PreferenceType] = {
    PreferenceView.OBSERVATIONS: PreferenceType.OBSERVATION,
    PreferenceView.PREFERENCES: PreferenceType.PREFERENCE,
    PreferenceView.MOODS: PreferenceType.MOOD,
    PreferenceView.APPROACHES: PreferenceType.APPROACH,
}


async def record(
    records: Records, principal: Principal, said: RecordPreference, members: dict[str, Any]
) -> tuple[Kind, RecordChange]:
    """Raises `invalid_body` without the member that the type is named after."""
    kind, request = PREFERENCES[said.type]
    if getattr(said, said.type.value) is None:
        raise refuse(
            Code.INVALID_BODY,
            f"{said.type} is required when type is {said.type}; say there what it is.",
            FieldError(place=said.type.value, message="is required"),
        )
    own = {name: value for name, value in members.items() if name != "type"}
    body = bodies.convert(RECORD_PREFERENCE, request, own, strict=False)
    return kind, await records.create(principal, kind, body, own)


async def view(records: Records, principal: Principal, query: PreferencesQuery) -> dict[str, Any]:
    """All of it in short, or the newest of one type with their total."""
    if query.type is not PreferenceView.SUMMARY:
        kind, _ = PREFERENCES[VIEWS[query.type]]
        page = await records.page(principal, kind, KindQuery(agent_id=query.agent_id, limit=query.limit))
        return {"type": query.type, kind.plural: page[kind.plural], "total": page["total"]}
    summary: dict[str, Any] = {}
    for type_, (kind, _) in PREFERENCES.items():
        page = await records.page(principal, kind, KindQuery(agent_id=query.agent_id, limit=NEWEST))
        summary |= {f"{type_.value}_count": page["total"], kind.plural: page[kind.plural]}
    return {"type": query.type, "summary": summary}


def preference_routes(records: Records) -> tuple[Route, ...]:
    @serves(RECORD_PREFERENCE, holds=RECORD_FENCES)
    async def record_one(call: Call[RecordPreference, None]) -> Answer[dict[str, Any]]:
        kind, made = await record(records, call.principal, call.body, call.sent.members)
        members = {"type": kind.name, "id": made.stored.record_id, **await records.answer(kind, made.stored)}
        return Answer(members, 201 if made.new else 200)

    @serves(GET_PREFERENCES)
    async def view_some(call: Call[None, PreferencesQuery]) -> Answer[dict[str, Any]]:
        return Answer(await view(records, call.principal, call.query))

    return record_one, view_some
