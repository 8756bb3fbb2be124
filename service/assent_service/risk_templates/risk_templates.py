"""Making, changing and removing risk templates; each change is an event and holds from the next decision on."""

from __future__ import annotations

from assent.contract.events import EventName
from assent.contract.problems import Code
from assent.contract.risk_templates import (
    MOST_TEMPLATES,
    CreateRiskTemplate,
    DeletedRiskTemplate,
    RiskTemplate,
    RiskTemplates,
    RiskTemplatesQuery,
    UpdateRiskTemplate,
)
from assent_service.core.clock import Clock, microseconds, new_id
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.risk_templates.change import changed, made, removed
from assent_service.risk_templates.state import RiskTemplateState
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger


class RiskTemplateBook:
    """The risk templates of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self.state = RiskTemplateState()

    async def create(self, principal: Principal, said: CreateRiskTemplate) -> RiskTemplate:
        """Raises `invalid_risk_template`."""
        org_id = principal.org_id
        async with self._locks.hold(f"risk_templates:{org_id}"):
            there = self.state.list(org_id)
            if len(there) >= MOST_TEMPLATES:
                raise refuse(
                    Code.INVALID_RISK_TEMPLATE,
                    f"An organization can have {MOST_TEMPLATES} risk templates; remove some first.",
                )
            # The first of a type counts, so one that is made later must say so, also after a clock was set back.
            now = max([self._clock(), *(microseconds(each.created_at) + 1 for each in there)])
            template = made(said, org_id=org_id, template_id=new_id("rt_", now), by=principal.key_id, now=now)
            await self._record(EventName.RISK_TEMPLATE_CREATED, template)
            return template

    async def update(self, principal: Principal, template_id: str, said: UpdateRiskTemplate) -> RiskTemplate:
        """Raises `risk_template_not_found` and `invalid_risk_template`."""
        async with self._locks.hold(f"risk_templates:{principal.org_id}"):
            before = self.find(principal.org_id, template_id)
            after = changed(before, said, by=principal.key_id, now=self._clock())
            if after is not before:
                await self._record(EventName.RISK_TEMPLATE_UPDATED, after)
            return after

    async def delete(self, principal: Principal, template_id: str) -> DeletedRiskTemplate:
        """Raises `risk_template_not_found`, also for one that was removed before."""
        async with self._locks.hold(f"risk_templates:{principal.org_id}"):
            gone = removed(self.find(principal.org_id, template_id), by=principal.key_id, now=self._clock())
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
