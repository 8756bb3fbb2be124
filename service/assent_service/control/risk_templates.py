"""Risk templates: how an organization rates the risk of its own kinds of actions.

Making, changing and removing risk templates; each change is an event and holds from the next decision on.
"""

from __future__ import annotations

from assent.contract.control.risk_templates import (
    CREATE_RISK_TEMPLATE,
    DELETE_RISK_TEMPLATE,
    GET_RISK_TEMPLATE,
    LIST_RISK_TEMPLATES,
    MOST_TEMPLATES,
    UPDATE_RISK_TEMPLATE,
    CreateRiskTemplate,
    DeletedRiskTemplate,
    RiskTemplate,
    RiskTemplates,
    RiskTemplatesQuery,
    UpdateRiskTemplate,
)
from assent.contract.events import EventName
from assent.contract.problems import Code
from assent_service.base.clock import Clock, microseconds, new_id
from assent_service.base.problem import refuse
from assent_service.control.guard import NO_TEMPLATES, TemplateSet, changed_template, new_template, removed_template
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import decode, encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import record, select
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger, Read
from assent_service.store.tables import Table

__all__ = [
    "RISK_TEMPLATES",
    "TABLES",
    "RiskTemplateBook",
    "open_risk_templates",
]


# Risk templates in memory: a compiled set for each organization that has any, made anew when one changes.


RISK_TEMPLATES = Table.of(
    RiskTemplate,
    name="risk_templates",
    meaning="risk templates as they are now, deleted ones included; earlier versions are in the log",
    key="id",
    created=("risk_template.created",),
    replaced=("risk_template.updated",),
)
TABLES = (RISK_TEMPLATES,)


class RiskTemplateState:
    """Every template that is not deleted, in the order of creation."""

    types = frozenset({EventName.RISK_TEMPLATE_CREATED.value, EventName.RISK_TEMPLATE_UPDATED.value})
    rules = True

    def __init__(self) -> None:
        self._templates: dict[str, dict[str, RiskTemplate]] = {}
        self._compiled: dict[str, TemplateSet] = {}

    def load(self, read: Read) -> None:
        sql = f"SELECT {select(RISK_TEMPLATES)} FROM risk_templates WHERE deleted_at IS NULL ORDER BY created_at, id"
        for row in read(sql, []):
            self._keep(record(RISK_TEMPLATES, row, RiskTemplate))

    def fold(self, event: Event) -> None:
        self._keep(decode(event, RiskTemplate))

    def of(self, org_id: str) -> TemplateSet:
        """The compiled templates, made on the first question after a change."""
        compiled = self._compiled.get(org_id)
        if compiled is None:
            templates = self._templates.get(org_id)
            if templates is None:
                return NO_TEMPLATES
            compiled = self._compiled[org_id] = TemplateSet(templates.values())
        return compiled

    def list(self, org_id: str) -> list[RiskTemplate]:
        return list(self._templates.get(org_id, {}).values())

    def get(self, org_id: str, template_id: str) -> RiskTemplate | None:
        return self._templates.get(org_id, {}).get(template_id)

    def _keep(self, template: RiskTemplate) -> None:
        templates = self._templates.setdefault(template.org_id, {})
        if template.deleted_at is None:
            templates[template.id] = template
        else:
            templates.pop(template.id, None)
            if not templates:
                del self._templates[template.org_id]
        self._compiled.pop(template.org_id, None)


RISK_TEMPLATES_FENCE = Fence("risk_templates")


class RiskTemplateBook:
    """The risk templates of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self.state = RiskTemplateState()

    async def create(self, principal: Principal, said: CreateRiskTemplate) -> RiskTemplate:
        """Raises `invalid_risk_template`."""
        org_id = principal.org_id
        async with self._locks.hold(RISK_TEMPLATES_FENCE.of(org_id)):
            there = self.state.list(org_id)
            if len(there) >= MOST_TEMPLATES:
                raise refuse(
                    Code.INVALID_RISK_TEMPLATE,
                    f"An organization can have {MOST_TEMPLATES} risk templates; remove some first.",
                )
            # The first of a type counts, so one that is made later must say so, also after a clock was set back.
            now = max([self._clock(), *(microseconds(each.created_at) + 1 for each in there)])
            template = new_template(said, org_id=org_id, template_id=new_id("rt_", now), by=principal.key_id, now=now)
            await self._record(EventName.RISK_TEMPLATE_CREATED, template)
            return template

    async def update(self, principal: Principal, template_id: str, said: UpdateRiskTemplate) -> RiskTemplate:
        """Raises `risk_template_not_found` and `invalid_risk_template`."""
        async with self._locks.hold(RISK_TEMPLATES_FENCE.of(principal.org_id)):
            before = self.find(principal.org_id, template_id)
            after = changed_template(before, said, by=principal.key_id, now=self._clock())
            if after is not before:
                await self._record(EventName.RISK_TEMPLATE_UPDATED, after)
            return after

    async def delete(self, principal: Principal, template_id: str) -> DeletedRiskTemplate:
        """Raises `risk_template_not_found`, also for one that was removed before."""
        async with self._locks.hold(RISK_TEMPLATES_FENCE.of(principal.org_id)):
            gone = removed_template(self.find(principal.org_id, template_id), by=principal.key_id, now=self._clock())
            await self._record(EventName.RISK_TEMPLATE_UPDATED, gone)
            return DeletedRiskTemplate(deleted=True, id=template_id)

    def find(self, org_id: str, template_id: str) -> RiskTemplate:
        """Raises `risk_template_not_found` for a foreign template and for a removed one as for an unknown one."""
        found = self.state.get(org_id, template_id)
        if found is None:
            raise refuse(
                Code.RISK_TEMPLATE_NOT_FOUND, f"There is no risk template {template_id[:128]!r} in this organization."
            )
        return found

    def page(self, org_id: str, query: RiskTemplatesQuery) -> RiskTemplates:
        fitting = [
            each
            for each in self.state.list(org_id)
            if query.action_type in (None, each.action_type) and query.status in (None, each.status)
        ]
        return RiskTemplates(templates=fitting[query.offset : query.offset + query.limit], total=len(fitting))

    async def _record(self, name: EventName, template: RiskTemplate) -> None:
        await self._ledger.append(
            Draft(
                org=template.org_id,
                type=name.value,
                ts=microseconds(template.updated_at),
                subject=template.id,
                actor=template.updated_by,
                data=encode(template),
            )
        )


def routes(templates: RiskTemplateBook) -> tuple[Route, ...]:
    @serves(CREATE_RISK_TEMPLATE, holds=(RISK_TEMPLATES_FENCE,))
    async def create(call: Call[CreateRiskTemplate, None]) -> RiskTemplate:
        return await templates.create(call.principal, call.body)

    @serves(LIST_RISK_TEMPLATES)
    async def list_all(call: Call[None, RiskTemplatesQuery]) -> RiskTemplates:
        return templates.page(call.principal.org_id, call.query)

    @serves(GET_RISK_TEMPLATE)
    async def get(call: Call[None, None], template_id: str) -> RiskTemplate:
        return templates.find(call.principal.org_id, template_id)

    @serves(UPDATE_RISK_TEMPLATE, holds=(RISK_TEMPLATES_FENCE,))
    async def update(call: Call[UpdateRiskTemplate, None], template_id: str) -> RiskTemplate:
        return await templates.update(call.principal, template_id, call.body)

    @serves(DELETE_RISK_TEMPLATE, holds=(RISK_TEMPLATES_FENCE,))
    async def delete(call: Call[None, None], template_id: str) -> DeletedRiskTemplate:
        return await templates.delete(call.principal, template_id)

    return create, list_all, get, update, delete


def open_risk_templates(on: Foundation) -> RiskTemplateBook:
    templates = RiskTemplateBook(on.ledger, on.clock, on.locks)
    on.bring(routes=routes(templates), memory=templates.state)
    return templates
