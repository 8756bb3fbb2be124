"""Risk templates: how an organization rates the risk of its own kinds of actions, beside the service's formula.

For an action the first active template of exactly its type counts, else the first active one without a type; first is
the one created first. Its risk is `base_risk` plus what its rules add, kept within 0 to 100. Guard takes the greatest
of that, its own formula and the agent's estimate, so a template raises the risk of an action and never lowers it; then
comes what the agent's history adds. The decision says which template in which version gave what.

A rule's condition looks at the guard context as policies do; `risk_score` in it is the agent's own estimate, because
the final score is not known yet, and `risk_factors` are the names of what the formula added.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Protocol, TypeVar

from msgspec import Meta

from assent.contract.control.risk_conditions import MOST_RULES, RiskRule
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import (
    Example,
    Limit,
    Name,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    ShortText,
    meaning,
)
from assent.contract.roles import ADMIN, ANYONE

MOST_TEMPLATES = 1000
"""Templates of an organization."""

Description = Annotated[str, Meta(max_length=2000)]
Points = Annotated[int, Meta(ge=0, le=100)]
RiskRules = Annotated[list[RiskRule], Meta(max_length=MOST_RULES)]


class TemplateStatus(StrEnum):
    """Only an `active` template takes part in decisions."""

    ACTIVE = "active"
    INACTIVE = "inactive"


class CreateRiskTemplate(Request, frozen=True, kw_only=True):
    """Without `action_type`, or with an empty one, the template is for every type that has none of its own."""

    example: ClassVar[Example] = {"name": "wires"}

    name: Name
    description: Description | None = None
    action_type: ShortText | None = None
    base_risk: Points = 0
    rules: RiskRules | None = None
    status: TemplateStatus | None = None


class UpdateRiskTemplate(Request, frozen=True, kw_only=True):
    """Members to change; the others stay. An empty `action_type` makes it a template for every type; `rules` are
    replaced as a whole. What has changed in truth raises the template's version."""

    example: ClassVar[Example] = {"base_risk": 60}

    name: Name | None = None
    description: Description | None = None
    action_type: ShortText | None = None
    base_risk: Points | None = None
    rules: RiskRules | None = None
    status: TemplateStatus | None = None


class RiskTemplate(Record, frozen=True, kw_only=True):
    """`action_type` is null for a template of every type. `version` counts up from 1 with each change; every version
    stays in the log as the event that made it. `rules` are as they were given."""

    id: Annotated[str, meaning("id of the template", frozen=True)]
    org_id: OrganizationId
    name: Annotated[str, meaning("what people call it")]
    description: Annotated[str | None, meaning("what it is for")]
    action_type: Annotated[
        str | None, meaning("the actions that it rates; empty means every type without a template of its own")
    ]
    base_risk: Annotated[int, meaning("its risk before rules add to it", unit="0-100")]
    rules: Annotated[list[RiskRule], meaning("conditions and the points that they add")]
    status: Annotated[TemplateStatus, meaning("active or inactive")]
    version: Annotated[int, meaning("how often it was made or changed")]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that made it")]
    updated_at: Annotated[datetime, meaning("when it was last changed")]
    updated_by: Annotated[str, meaning("id of the key that changed it last")]
    deleted_at: Annotated[datetime | None, meaning("when it was removed")]


class RiskTemplatesQuery(Query, frozen=True, kw_only=True):
    """`action_type` is compared as it stands: templates of every type are not among those of one."""

    action_type: ShortText | None = None
    status: TemplateStatus | None = None
    limit: Limit = 200
    offset: Offset = 0


class RiskTemplates(Record, frozen=True, kw_only=True):
    """In the order of creation, which decides between templates of one type; `total` counts all that fit."""

    templates: list[RiskTemplate]
    total: int


class DeletedRiskTemplate(Record, frozen=True, kw_only=True):
    deleted: bool
    id: str


class Choosable(Protocol):
    """What the choice looks at."""

    @property
    def action_type(self) -> str | None: ...
    @property
    def status(self) -> TemplateStatus: ...


T = TypeVar("T", bound=Choosable)


def choose(templates: Iterable[T], action_type: str) -> T | None:
    """The template for an action of this type, out of those of an organization in the order of creation; None when
    there is none."""
    generic: T | None = None
    for template in templates:
        if template.status is not TemplateStatus.ACTIVE:
            continue
        if template.action_type == action_type:
            return template
        if template.action_type is None and generic is None:
            generic = template
    return generic


CREATE_RISK_TEMPLATE = Endpoint(
    operation="create_risk_template",
    method="POST",
    path="/api/scoring/risk-templates",
    summary="Rate a kind of action; guard uses the template from the next decision on.",
    roles=ADMIN,
    request=CreateRiskTemplate,
    response=RiskTemplate,
    statuses=(201,),
    problems=(Code.INVALID_RISK_TEMPLATE,),
    refuses_secrets=True,
)
LIST_RISK_TEMPLATES = Endpoint(
    operation="list_risk_templates",
    method="GET",
    path="/api/scoring/risk-templates",
    summary="The organization's risk templates, in the order of creation.",
    roles=ANYONE,
    query=RiskTemplatesQuery,
    response=RiskTemplates,
)
GET_RISK_TEMPLATE = Endpoint(
    operation="get_risk_template",
    method="GET",
    path="/api/scoring/risk-templates/{template_id}",
    summary="One risk template with its rules and version.",
    roles=ANYONE,
    response=RiskTemplate,
    problems=(Code.RISK_TEMPLATE_NOT_FOUND,),
)
UPDATE_RISK_TEMPLATE = Endpoint(
    operation="update_risk_template",
    method="PATCH",
    path="/api/scoring/risk-templates/{template_id}",
    summary="Change a risk template; its version goes up, and decisions made before can no longer be used.",
    roles=ADMIN,
    request=UpdateRiskTemplate,
    response=RiskTemplate,
    problems=(Code.INVALID_RISK_TEMPLATE, Code.RISK_TEMPLATE_NOT_FOUND),
    refuses_secrets=True,
)
DELETE_RISK_TEMPLATE = Endpoint(
    operation="delete_risk_template",
    method="DELETE",
    path="/api/scoring/risk-templates/{template_id}",
    summary="Remove a risk template; decisions that it took part in stay as they are.",
    roles=ADMIN,
    response=DeletedRiskTemplate,
    problems=(Code.RISK_TEMPLATE_NOT_FOUND,),
)
