"""Risk templates in memory: a compiled set for each organization that has any, made anew when one changes."""

from __future__ import annotations

from assent.contract.events import EventName
from assent.contract.risk_templates import RiskTemplate
from assent_service.core.payload import decode
from assent_service.core.rows import record, select
from assent_service.guard import NO_TEMPLATES, TemplateSet
from assent_service.risk_templates.tables import RISK_TEMPLATES
from assent_service.store.event import Event
from assent_service.store.ledger import Read


class RiskTemplateState:
    """Every template that is not deleted, in the order of creation."""

    types = frozenset({EventName.RISK_TEMPLATE_CREATED.value, EventName.RISK_TEMPLATE_UPDATED.value})

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
