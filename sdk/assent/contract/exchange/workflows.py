"""Workflow templates: steps that are described once and launched as governed actions."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from assent.contract.control.actions import Action
from assent.contract.control.guard import GuardResult
from assent.contract.endpoint import Endpoint
from assent.contract.exchange.kinds import (
    Kind,
    KindQuery,
    Listing,
    Prose,
    Title,
    Word,
    Words,
    creates,
    gets,
    lists,
    updates,
)
from assent.contract.problems import Code
from assent.contract.record import AgentRisk, Example, Record, Request, ShortText, meaning
from assent.contract.roles import ACTING

Steps = Annotated[list[dict[str, Any]], Meta(max_length=200)]


class CreateWorkflowTemplate(Request, frozen=True, kw_only=True):
    """`steps` are kept as they are; nothing here runs them. `model_strategy_id` names a model strategy."""

    example: ClassVar[Example] = {"name": "clean up"}

    name: Title
    description: Prose | None = None
    objective: Prose | None = None
    steps: Steps | None = None
    variables: dict[str, Any] | list[Any] | None = None
    model_strategy_id: ShortText | None = None
    status: Word = "draft"
    tags: Words | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class UpdateWorkflowTemplate(Request, frozen=True, kw_only=True):
    """What is left out stays as it is. Other `steps` make another version."""

    example: ClassVar[Example] = {"objective": "Room on every disk"}

    name: Title | None = None
    description: Prose | None = None
    objective: Prose | None = None
    steps: Steps | None = None
    variables: dict[str, Any] | list[Any] | None = None
    model_strategy_id: ShortText | None = None
    status: Word | None = None
    tags: Words | None = None
    metadata: dict[str, Any] | None = None


class WorkflowTemplate(CreateWorkflowTemplate, Record, frozen=True, kw_only=True, omit_defaults=False):
    """`version` counts how often the steps have changed, from 1."""

    org_id: str
    template_id: Annotated[str, meaning("id of the workflow template")]
    version: int = 1
    duplicated_from: str | None = None
    created_by: str
    created_at: datetime
    updated_at: datetime


class WorkflowTemplateAnswer(Record, frozen=True, kw_only=True):
    template: WorkflowTemplate
    template_id: str


class WorkflowTemplates(Listing, frozen=True, kw_only=True):
    templates: list[WorkflowTemplate]


class WorkflowsQuery(KindQuery, frozen=True, kw_only=True):
    status: Word | None = None


class DuplicateWorkflowTemplate(Request, frozen=True, kw_only=True):
    """`name` of the copy; without it, the old one with "(copy)" behind."""

    example: ClassVar[Example] = {"name": "clean up, shorter"}

    name: Title | None = None


class LaunchWorkflowTemplate(Request, frozen=True, kw_only=True):
    """What the action is created with; `declared_goal` is the template's objective unless it is given."""

    example: ClassVar[Example] = {"agent_id": "janitor"}

    agent_id: ShortText | None = None
    action_type: Annotated[str, Meta(min_length=1, max_length=128)] | None = None
    declared_goal: Annotated[str, Meta(max_length=2000)] | None = None
    variables: dict[str, Any] | None = None
    risk_score: AgentRisk | None = None
    session_id: ShortText | None = None
    parent_session_id: Annotated[ShortText | None, meaning("the session in which that one was begun")] = None


class LaunchedWorkflow(Record, frozen=True, kw_only=True):
    """The action that stands for the workflow from here on; report its outcome when the steps are through."""

    action: Action
    action_id: str
    decision: GuardResult
    template_id: str
    version: int


WORKFLOW = Kind(
    name="workflow_template",
    prefix="wf_",
    path="/api/workflows/templates",
    singular="template",
    plural="templates",
    row=WorkflowTemplate,
    named="name",
    key=("name",),
    shared=True,
    versioned=("steps",),
)

CREATE_WORKFLOW_TEMPLATE = creates(WORKFLOW, "create_workflow_template", CreateWorkflowTemplate, WorkflowTemplateAnswer)
LIST_WORKFLOW_TEMPLATES = lists(WORKFLOW, "list_workflow_templates", WorkflowsQuery, WorkflowTemplates)
GET_WORKFLOW_TEMPLATE = gets(WORKFLOW, "get_workflow_template", WorkflowTemplateAnswer)
UPDATE_WORKFLOW_TEMPLATE = updates(WORKFLOW, "update_workflow_template", UpdateWorkflowTemplate, WorkflowTemplateAnswer)
DUPLICATE_WORKFLOW_TEMPLATE = Endpoint(
    operation="duplicate_workflow_template",
    method="POST",
    path="/api/workflows/templates/{template_id}/duplicate",
    summary="Copy a template as a new draft.",
    roles=ACTING,
    request=DuplicateWorkflowTemplate,
    response=WorkflowTemplateAnswer,
    statuses=(201,),
    problems=(Code.RECORD_NOT_FOUND, Code.PROJECTION_BEHIND),
)
LAUNCH_WORKFLOW_TEMPLATE = Endpoint(
    operation="launch_workflow_template",
    method="POST",
    path="/api/workflows/templates/{template_id}/launch",
    summary="Create the action of a workflow; guard decides on it, and nothing runs here.",
    roles=ACTING,
    request=LaunchWorkflowTemplate,
    response=LaunchedWorkflow,
    statuses=(201, 202),
    problems=(Code.RECORD_NOT_FOUND, Code.AGENT_MISMATCH, Code.ACTION_BLOCKED, Code.PROJECTION_BEHIND),
)
