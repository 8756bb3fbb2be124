"""Prompts: templates, their versions, and what was rendered from them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
    Example,
    Id,
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
from assent.contract.roles import ACTING, ANYONE, OPERATING

Description = Annotated[str, Meta(max_length=2000)]
Content = Annotated[str, Meta(min_length=1, max_length=100_000)]
VariableName = Annotated[str, Meta(min_length=1, max_length=128)]


class CreatePromptTemplate(Request, frozen=True, kw_only=True):
    example: ClassVar[Example] = {"name": "greeting"}

    name: Name
    description: Description | None = None
    category: ShortText | None = None


class UpdatePromptTemplate(Request, frozen=True, kw_only=True):
    """Members to change; the others stay."""

    example: ClassVar[Example] = {"category": "letters"}

    name: Name | None = None
    description: Description | None = None
    category: ShortText | None = None


class CreatePromptVersion(Request, frozen=True, kw_only=True):
    """`content` holds placeholders such as `{{ customer }}`. `parameters` say what they are for: names, or objects of
    the caller's own shape; they are kept as they are and ask for nothing when the prompt is rendered."""

    example: ClassVar[Example] = {"content": "Good day, {{ customer }}."}

    content: Content
    model_hint: Annotated[str, Meta(max_length=256)] | None = None
    parameters: Annotated[list[str | dict[str, Any]], Meta(max_length=200)] | None = None
    changelog: Description | None = None


class RenderPrompt(Request, frozen=True, kw_only=True):
    """The active version of `template_id`, or the version that `version_id` names, active or not. `record` keeps that
    it was rendered, with the names of the variables and without their values."""

    example: ClassVar[Example] = {"template_id": "pt_1", "variables": {"customer": "Acme"}}

    template_id: Id | None = None
    version_id: Id | None = None
    variables: Annotated[dict[VariableName, Any], Meta(max_length=1000)] | None = None
    action_id: Id | None = None
    agent_id: ShortText | None = None
    record: bool | None = None


class PromptTemplateRow(Record, frozen=True, kw_only=True):
    """`active_version` is the number of the version that is rendered, None before one is activated."""

    org_id: OrganizationId
    template_id: Annotated[str, meaning("id of the prompt", frozen=True)]
    name: Annotated[str, meaning("what people call it")]
    description: Annotated[str, meaning("what it is for")]
    category: Annotated[str, meaning("what it belongs to")]
    version_count: Annotated[int, meaning("how many versions were made")]
    active_version: Annotated[
        int | None, meaning("number of the version that is rendered; empty before one is activated")
    ]
    active_version_id: Annotated[str | None, meaning("id of that version")]
    activated_at: Annotated[datetime | None, meaning("when that version was activated")]
    activated_by: Annotated[str | None, meaning("id of the key that activated it")]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that made it", frozen=True)]
    updated_at: Annotated[datetime, meaning("when it last changed, or got a version")]
    updated_by: Annotated[str, meaning("id of the key that did so")]
    deleted_at: Annotated[datetime | None, meaning("when it was removed")]


class PromptTemplate(PromptTemplateRow, frozen=True, kw_only=True):
    """`id` and `template_id` are the same."""

    id: str


class PromptVersionRow(Record, frozen=True, kw_only=True):
    """`version` counts up from 1 within the template. `placeholders` are the names found in the content, in order."""

    org_id: OrganizationId
    version_id: Annotated[str, meaning("id of the version", frozen=True)]
    template_id: Annotated[str, meaning("the prompt that it is a version of", frozen=True)]
    version: Annotated[int, meaning("its number within the prompt, from 1")]
    content: Annotated[str, meaning("the text, with placeholders")]
    model_hint: Annotated[str, meaning("which model it was written for")]
    parameters: Annotated[list[str | dict[str, Any]], meaning("what the placeholders are for, as its author says")]
    placeholders: Annotated[list[str], meaning("names found in the text, in order")]
    changelog: Annotated[str, meaning("what is new in it")]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that made it", frozen=True)]


class PromptVersion(PromptVersionRow, frozen=True, kw_only=True):
    """`id` and `version_id` are the same. Of a template's versions at most one is active."""

    id: str
    is_active: bool


class PromptRunRow(Record, frozen=True, kw_only=True):
    """`template_name` as it was then. `variables` are the names that were given, `missing` the placeholders without a
    value, `rendered_length` the characters of the rendered text, which itself is not kept."""

    org_id: OrganizationId
    run_id: Annotated[str, meaning("id of the run", frozen=True)]
    template_id: Annotated[str, meaning("the prompt", frozen=True)]
    template_name: Annotated[str, meaning("the prompt's name when it was rendered", frozen=True)]
    version_id: Annotated[str, meaning("the version that was rendered", frozen=True)]
    version: Annotated[int, meaning("number of that version within the prompt")]
    variables: Annotated[list[str], meaning("names of the variables that were given")]
    missing: Annotated[list[str], meaning("placeholders that had no value")]
    rendered_length: Annotated[int, meaning("how long the rendered text was", unit="characters")]
    action_id: Annotated[str | None, meaning("the action that it was rendered for, if any", frozen=True)]
    agent_id: Annotated[str | None, meaning("the agent that it was rendered for", frozen=True)]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that asked for it", frozen=True)]


class PromptRun(PromptRunRow, frozen=True, kw_only=True):
    """`id` and `run_id` are the same."""

    id: str


class RenderedPrompt(Record, frozen=True, kw_only=True):
    """`parameters` are the placeholders found in the content; `missing` those of them that had no value and stand in
    the text as they were. `run_id` is None unless the run was recorded."""

    rendered: str
    template_id: str
    version_id: str
    version: int
    model_hint: str
    parameters: list[str]
    missing: list[str]
    run_id: str | None


class PromptTemplatesQuery(Query, frozen=True, kw_only=True):
    category: ShortText | None = None
    limit: Limit = 200
    offset: Offset = 0
    cursor: Cursor | None = None


class PromptTemplates(Record, frozen=True, kw_only=True):
    """Newest first; `total` counts all that fit."""

    templates: list[PromptTemplate]
    total: int
    next_cursor: str | None


class PromptVersionsQuery(Query, frozen=True, kw_only=True):
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class PromptVersions(Record, frozen=True, kw_only=True):
    """Newest first; `total` counts all of the template."""

    versions: list[PromptVersion]
    total: int
    next_cursor: str | None


class PromptRunsQuery(Query, frozen=True, kw_only=True):
    template_id: Id | None = None
    version_id: Id | None = None
    action_id: Id | None = None
    agent_id: ShortText | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class PromptRuns(Record, frozen=True, kw_only=True):
    """Newest first; `total` counts all that fit. Runs of deleted templates stay."""

    runs: list[PromptRun]
    total: int
    next_cursor: str | None


class PromptStatsQuery(Query, frozen=True, kw_only=True):
    template_id: Id | None = None


class PromptTotals(Record, frozen=True, kw_only=True):
    """Counts of recorded runs; `today_count` is of the last 24 hours, `incomplete_count` of runs in which a
    placeholder had no value. `avg_length` is in characters, None without runs."""

    total_runs: int
    unique_templates: int
    versions_used: int
    unique_agents: int
    today_count: int
    incomplete_count: int
    avg_length: float | None


class RunsOfTemplate(Record, frozen=True, kw_only=True):
    template_id: str
    template_name: Annotated[str, meaning("the prompt's present name")]
    total_runs: int
    avg_length: float


class RunsOfVersion(Record, frozen=True, kw_only=True):
    template_id: str
    template_name: str
    version_id: str
    version: int
    total_runs: int
    avg_length: float


class PromptStats(PromptTotals, frozen=True, kw_only=True):
    """`overall` says the same as the members beside it, which older clients ask one template for. Templates and
    versions are the 50 with the most runs."""

    overall: PromptTotals
    by_template: list[RunsOfTemplate]
    by_version: list[RunsOfVersion]


class DeletedPromptTemplate(Record, frozen=True, kw_only=True):
    deleted: bool
    template_id: str


CREATE_PROMPT_TEMPLATE = Endpoint(
    operation="create_prompt_template",
    method="POST",
    path="/api/prompts/templates",
    summary="Begin a prompt; its text comes with its versions.",
    roles=OPERATING,
    request=CreatePromptTemplate,
    response=PromptTemplate,
    statuses=(201,),
)
LIST_PROMPT_TEMPLATES = Endpoint(
    operation="list_prompt_templates",
    method="GET",
    path="/api/prompts/templates",
    summary="The organization's prompts, newest first.",
    roles=ANYONE,
    query=PromptTemplatesQuery,
    response=PromptTemplates,
)
GET_PROMPT_TEMPLATE = Endpoint(
    operation="get_prompt_template",
    method="GET",
    path="/api/prompts/templates/{template_id}",
    summary="One prompt, and which of its versions is active.",
    roles=ANYONE,
    response=PromptTemplate,
    problems=(Code.TEMPLATE_NOT_FOUND,),
)
UPDATE_PROMPT_TEMPLATE = Endpoint(
    operation="update_prompt_template",
    method="PATCH",
    path="/api/prompts/templates/{template_id}",
    summary="Change a prompt's name, description or category.",
    roles=OPERATING,
    request=UpdatePromptTemplate,
    response=PromptTemplate,
    problems=(Code.TEMPLATE_NOT_FOUND, Code.PROJECTION_BEHIND),
)
DELETE_PROMPT_TEMPLATE = Endpoint(
    operation="delete_prompt_template",
    method="DELETE",
    path="/api/prompts/templates/{template_id}",
    summary="Remove a prompt with its versions; what was rendered from it stays in the list of runs.",
    roles=OPERATING,
    response=DeletedPromptTemplate,
    problems=(Code.TEMPLATE_NOT_FOUND, Code.PROJECTION_BEHIND),
)
CREATE_PROMPT_VERSION = Endpoint(
    operation="create_prompt_version",
    method="POST",
    path="/api/prompts/templates/{template_id}/versions",
    summary="Add a version; it is rendered by default only once it is activated.",
    roles=OPERATING,
    request=CreatePromptVersion,
    response=PromptVersion,
    statuses=(201,),
    problems=(Code.TEMPLATE_NOT_FOUND, Code.PROJECTION_BEHIND),
)
LIST_PROMPT_VERSIONS = Endpoint(
    operation="list_prompt_versions",
    method="GET",
    path="/api/prompts/templates/{template_id}/versions",
    summary="The versions of a prompt, newest first.",
    roles=ANYONE,
    query=PromptVersionsQuery,
    response=PromptVersions,
    problems=(Code.TEMPLATE_NOT_FOUND,),
)
GET_PROMPT_VERSION = Endpoint(
    operation="get_prompt_version",
    method="GET",
    path="/api/prompts/templates/{template_id}/versions/{version_id}",
    summary="One version of a prompt.",
    roles=ANYONE,
    response=PromptVersion,
    problems=(Code.TEMPLATE_NOT_FOUND, Code.PROMPT_VERSION_NOT_FOUND),
)
ACTIVATE_PROMPT_VERSION = Endpoint(
    operation="activate_prompt_version",
    method="POST",
    path="/api/prompts/templates/{template_id}/versions/{version_id}",
    summary="Make this the version that is rendered; the one before no longer is.",
    roles=OPERATING,
    response=PromptVersion,
    problems=(Code.TEMPLATE_NOT_FOUND, Code.PROMPT_VERSION_NOT_FOUND, Code.PROJECTION_BEHIND),
)
RENDER_PROMPT = Endpoint(
    operation="render_prompt",
    method="POST",
    path="/api/prompts/render",
    summary="A prompt's text with its placeholders filled in, as text and once.",
    roles=ACTING,
    request=RenderPrompt,
    response=RenderedPrompt,
    problems=(
        Code.TEMPLATE_NOT_FOUND,
        Code.PROMPT_VERSION_NOT_FOUND,
        Code.ACTION_NOT_FOUND,
        Code.AGENT_MISMATCH,
        Code.PROJECTION_BEHIND,
    ),
    # They are filled in for the caller, and not kept.
    keeps_secrets=("variables",),
)
LIST_PROMPT_RUNS = Endpoint(
    operation="list_prompt_runs",
    method="GET",
    path="/api/prompts/runs",
    summary="What was rendered and recorded, newest first.",
    roles=ANYONE,
    query=PromptRunsQuery,
    response=PromptRuns,
)
GET_PROMPT_STATS = Endpoint(
    operation="get_prompt_stats",
    method="GET",
    path="/api/prompts/stats",
    summary="How often prompts and their versions were rendered and recorded.",
    roles=ANYONE,
    query=PromptStatsQuery,
    response=PromptStats,
)
