"""Risk templates: how an organization rates the risk of its own kinds of actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.risk_conditions import RiskRule
from assent.contract.risk_templates import (
    CREATE_RISK_TEMPLATE,
    DELETE_RISK_TEMPLATE,
    LIST_RISK_TEMPLATES,
    UPDATE_RISK_TEMPLATE,
    CreateRiskTemplate,
    DeletedRiskTemplate,
    RiskTemplate,
    RiskTemplates,
    RiskTemplatesQuery,
    TemplateStatus,
    UpdateRiskTemplate,
)

GivenRules = Sequence[RiskRule | Mapping[str, Any]]
"""Each {"condition": a text `path op value` or a tree, "add": points}."""


class RiskTemplateChanges(TypedDict, total=False):
    """Members to change; the others stay. An empty `action_type` is for every type."""

    name: str | None
    description: str | None
    action_type: str | None
    base_risk: int | None
    rules: GivenRules | None
    status: TemplateStatus | str | None


class RiskTemplateFilters(TypedDict, total=False):
    """`limit` is 1 to 200."""

    action_type: str | None
    status: TemplateStatus | str | None
    limit: int | None
    offset: int | None


class RiskTemplateOperations(Caller):
    @operation
    def create_risk_template(
        self,
        name: str,
        rules: GivenRules | None = None,
        base_risk: int | None = None,
        action_type: str | None = None,
        description: str | None = None,
        status: TemplateStatus | str | None = None,
    ) -> Flow[RiskTemplate]:
        """Rate a kind of action: `base_risk` points, 0 to 100, plus -100 to 100 for each rule whose condition holds;
        without `action_type` for every type that has no template of its own. Guard uses it from the next decision on.

        Raises InvalidRequest that names the rule, Forbidden for other keys than an admin's.
        """
        given = {
            "name": name,
            "rules": rules,
            "base_risk": base_risk,
            "action_type": action_type,
            "description": description,
            "status": status,
        }
        return (yield from send(CREATE_RISK_TEMPLATE, body=members(CreateRiskTemplate, given, "create_risk_template")))

    @operation
    def list_risk_templates(self, **filters: Unpack[RiskTemplateFilters]) -> Flow[RiskTemplates]:
        """The organization's risk templates, in the order of creation."""
        query = members(RiskTemplatesQuery, filters, "list_risk_templates")
        return (yield from send(LIST_RISK_TEMPLATES, query=query))

    @operation
    def update_risk_template(self, template_id: str, **updates: Unpack[RiskTemplateChanges]) -> Flow[RiskTemplate]:
        """Change members of a risk template; `rules` are replaced as a whole. Its version goes up, and decisions that
        it rated before can no longer be used. Raises NotFound, InvalidRequest.
        """
        body = members(UpdateRiskTemplate, updates, "update_risk_template")
        return (yield from send(UPDATE_RISK_TEMPLATE, path={"template_id": template_id}, body=body))

    @operation
    def delete_risk_template(self, template_id: str) -> Flow[DeletedRiskTemplate]:
        """Remove a risk template; decisions that it took part in stay as they are. Raises NotFound."""
        return (yield from send(DELETE_RISK_TEMPLATE, path={"template_id": template_id}))
