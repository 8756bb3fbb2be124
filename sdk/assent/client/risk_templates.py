"""Risk templates: how an organization rates the risk of its own kinds of actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.control.risk_conditions import RiskRule
from assent.contract.control.risk_templates import (
    CREATE_RISK_TEMPLATE,
    DELETE_RISK_TEMPLATE,
    GET_RISK_TEMPLATE,
    LIST_RISK_TEMPLATES,
    UPDATE_RISK_TEMPLATE,
    TemplateStatus,
)

GivenRules = Sequence[RiskRule | Mapping[str, Any]]
"""Each {"condition": a text `path op value` or a tree, "add": points}."""


class RiskTemplateOperations(Caller):
    @sends(CREATE_RISK_TEMPLATE)
    def create_risk_template(
        self,
        name: str,
        rules: GivenRules | None = None,
        base_risk: int | None = None,
        action_type: str | None = None,
        description: str | None = None,
        status: TemplateStatus | str | None = None,
    ) -> Response:
        """Rate a kind of action: `base_risk` points, 0 to 100, plus -100 to 100 for each rule whose condition holds;
        without `action_type` for every type that has no template of its own. Guard uses it from the next decision on.

        Raises InvalidRequest that names the rule, Forbidden for other keys than an admin's.
        """

    @sends(LIST_RISK_TEMPLATES)
    def list_risk_templates(
        self,
        *,
        action_type: str | None = None,
        status: TemplateStatus | str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Response:
        """The organization's risk templates, in the order of creation. `limit` is 1 to 200."""

    @sends(GET_RISK_TEMPLATE)
    def get_risk_template(self, template_id: str) -> Response:
        """One risk template with its rules and version. Raises NotFound."""

    @sends(UPDATE_RISK_TEMPLATE)
    def update_risk_template(
        self,
        template_id: str,
        *,
        name: str | None = None,
        description: str | None = None,
        action_type: str | None = None,
        base_risk: int | None = None,
        rules: GivenRules | None = None,
        status: TemplateStatus | str | None = None,
    ) -> Response:
        """Change members of a risk template; `rules` are replaced as a whole. Its version goes up, and decisions that
        it rated before can no longer be used. What is not given stays. An empty `action_type` is for every type. Raises
        NotFound, InvalidRequest."""

    @sends(DELETE_RISK_TEMPLATE)
    def delete_risk_template(self, template_id: str) -> Response:
        """Remove a risk template; decisions that it took part in stay as they are. Raises NotFound."""
