"""Plain records over HTTP: for each verb one handler that every kind is served by, and what a few kinds can besides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assent.contract.actions import ActionStatus
from assent.contract.digest import GET_DAILY_DIGEST
from assent.contract.kinds import Deleted, OfKind, Verb
from assent.contract.knowledge import SEARCH_KNOWLEDGE_COLLECTION, SYNC_KNOWLEDGE_COLLECTION
from assent.contract.preferences import GET_PREFERENCES, RECORD_PREFERENCE
from assent.contract.problems import Code, FieldError
from assent.contract.purchases import PURCHASE, RECORD_PURCHASE
from assent.contract.records import RECORD_ENDPOINTS
from assent.contract.sessions import GET_SESSION_EVENTS
from assent.contract.snippets import SNIPPET, USE_SNIPPET
from assent.contract.workflows import DUPLICATE_WORKFLOW_TEMPLATE, LAUNCH_WORKFLOW_TEMPLATE, WORKFLOW
from assent_service.actions import Actions
from assent_service.core.call import Answer, Call
from assent_service.core.clock import Clock, moment
from assent_service.core.problem import refuse
from assent_service.core.route import Handler, Route, route
from assent_service.records import knowledge, preferences, purchases, rules, sessions, workflows
from assent_service.records.digests import Digests
from assent_service.records.records import Records
from assent_service.store.ledger import Ledger


def routes(records: Records, digests: Digests, actions: Actions, ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    return (
        *generated(records),
        *_snippets(records, clock),
        *_preferences(records),
        *_knowledge(records, ledger, clock),
        *_actions(records, actions, ledger),
        *_reading(records, digests, ledger),
    )


def generated(records: Records) -> tuple[Route, ...]:
    """The routes of every endpoint that its kind declares."""
    return tuple(
        Route(each, HANDLERS[each.verb](records, each)) for each in RECORD_ENDPOINTS if isinstance(each, OfKind)
    )


def _creating(records: Records, endpoint: OfKind[Any]) -> Handler:
    async def create(call: Call) -> Answer:
        made = await records.create(call.principal, endpoint.kind, call.body, call.members, _parent(endpoint, call))
        return Answer(await records.answer(endpoint.kind, made.stored), 201 if made.new else 200)

    return create


def _listing(records: Records, endpoint: OfKind[Any]) -> Handler:
    async def list_all(call: Call) -> Answer:
        return Answer(await records.page(call.principal, endpoint.kind, call.query, _parent(endpoint, call)))

    return list_all


def _getting(records: Records, endpoint: OfKind[Any]) -> Handler:
    async def get(call: Call) -> Answer:
        found = await records.visible(call.principal, endpoint.kind, call.path[endpoint.kind.id_name])
        return Answer(await records.answer(endpoint.kind, found))

    return get


def _updating(records: Records, endpoint: OfKind[Any]) -> Handler:
    async def update(call: Call) -> Answer:
        record_id = call.path[endpoint.kind.id_name]
        after = await records.update(call.principal, endpoint.kind, record_id, call.body, call.members)
        return Answer(await records.answer(endpoint.kind, after))

    return update


def _deleting(records: Records, endpoint: OfKind[Any]) -> Handler:
    async def delete(call: Call) -> Answer:
        record_id = call.path.get(endpoint.kind.id_name) or call.query.id
        if not record_id:
            raise refuse(
                Code.INVALID_QUERY,
                f"Which {endpoint.kind.spoken}? Give its id in the path, or as ?id=.",
                FieldError(place="id", message="is required"),
            )
        await records.delete(call.principal, endpoint.kind, record_id)
        return Answer(Deleted(deleted=True, id=record_id))

    return delete


def _parent(endpoint: OfKind[Any], call: Call) -> str | None:
    within = endpoint.kind.within
    return None if within is None else call.path[within.id_name]


HANDLERS: dict[Verb, Callable[[Records, OfKind[Any]], Handler]] = {
    Verb.CREATE: _creating,
    Verb.LIST: _listing,
    Verb.GET: _getting,
    Verb.UPDATE: _updating,
    Verb.DELETE: _deleting,
}


def _snippets(records: Records, clock: Clock) -> tuple[Route, ...]:
    @route(USE_SNIPPET)
    async def use(call: Call) -> Answer:
        at = moment(clock()).isoformat()

        def used(data: dict[str, Any]) -> dict[str, Any]:
            return data | {"use_count": int(data.get("use_count", 0)) + 1, "last_used_at": at}

        stored = await records.change(call.principal, SNIPPET, call.path["snippet_id"], used)
        return Answer(await records.answer(SNIPPET, stored))

    return (use,)


def _preferences(records: Records) -> tuple[Route, ...]:
    @route(RECORD_PREFERENCE)
    async def record(call: Call) -> Answer:
        kind, made = await preferences.record(records, call.principal, call.body, call.members)
        members = {"type": kind.name, "id": made.stored.record_id, **await records.answer(kind, made.stored)}
        return Answer(members, 201 if made.new else 200)

    @route(GET_PREFERENCES)
    async def view(call: Call) -> Answer:
        return Answer(await preferences.view(records, call.principal, call.query))

    return record, view


def _knowledge(records: Records, ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    @route(SYNC_KNOWLEDGE_COLLECTION)
    async def sync(call: Call) -> Answer:
        return Answer(await knowledge.sync(records, ledger, clock, call.principal, call.path["collection_id"]))

    @route(SEARCH_KNOWLEDGE_COLLECTION)
    async def search(call: Call) -> Answer:
        found = await knowledge.search(records, ledger, call.principal, call.path["collection_id"], call.body)
        return Answer(found)

    return sync, search


def _actions(records: Records, actions: Actions, ledger: Ledger) -> tuple[Route, ...]:
    @route(DUPLICATE_WORKFLOW_TEMPLATE)
    async def duplicate(call: Call) -> Answer:
        copy = await workflows.duplicate(records, call.principal, call.path["template_id"], call.body)
        return Answer(await records.answer(WORKFLOW, copy), 201)

    @route(LAUNCH_WORKFLOW_TEMPLATE)
    async def launch(call: Call) -> Answer:
        template_id = call.path["template_id"]
        template, created = await workflows.launch(records, actions, call.principal, template_id, call.body)
        members = {
            "action": created.action,
            "action_id": created.action_id,
            "decision": created.decision,
            "template_id": template_id,
            "version": template.data.get("version", 1),
        }
        return Answer(members, _status(created.action.status))

    @route(RECORD_PURCHASE)
    async def buy(call: Call) -> Answer:
        stored, created = await purchases.buy(records, actions, ledger, call.principal, call.body, call.members)
        members = {
            "purchase": rules.public(PURCHASE, stored),
            "purchase_id": stored.record_id,
            "action": created.action,
            "action_id": created.action_id,
            "decision": created.decision,
        }
        return Answer(members, _status(created.action.status))

    return duplicate, launch, buy


def _status(status: ActionStatus) -> int:
    return 202 if status is ActionStatus.PENDING_APPROVAL else 201


def _reading(records: Records, digests: Digests, ledger: Ledger) -> tuple[Route, ...]:
    @route(GET_SESSION_EVENTS)
    async def events_of(call: Call) -> Answer:
        return Answer(await sessions.events_of(records, ledger, call.principal, call.path["session_id"]))

    @route(GET_DAILY_DIGEST)
    async def digest(call: Call) -> Answer:
        return Answer(await digests.of(call.principal, call.query))

    return events_of, digest
