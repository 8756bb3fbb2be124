"""Prompts: templates, their versions, and rendering them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.prompts import (
    ACTIVATE_PROMPT_VERSION,
    CREATE_PROMPT_TEMPLATE,
    CREATE_PROMPT_VERSION,
    DELETE_PROMPT_TEMPLATE,
    GET_PROMPT_STATS,
    GET_PROMPT_TEMPLATE,
    GET_PROMPT_VERSION,
    LIST_PROMPT_RUNS,
    LIST_PROMPT_TEMPLATES,
    LIST_PROMPT_VERSIONS,
    RENDER_PROMPT,
    UPDATE_PROMPT_TEMPLATE,
    CreatePromptTemplate,
    CreatePromptVersion,
    DeletedPromptTemplate,
    PromptRuns,
    PromptRunsQuery,
    PromptStats,
    PromptTemplate,
    PromptTemplates,
    PromptTemplatesQuery,
    PromptVersion,
    PromptVersions,
    PromptVersionsQuery,
    RenderedPrompt,
    RenderPrompt,
    UpdatePromptTemplate,
)


class PromptTemplateChanges(TypedDict, total=False):
    """Members to change; the others stay."""

    name: str | None
    description: str | None
    category: str | None


class PromptOperations(Caller):
    @operation
    def create_prompt_template(
        self, name: str, description: str | None = None, category: str | None = None
    ) -> Flow[PromptTemplate]:
        """Begin a prompt; its text comes with its versions. Changing prompts needs an operator's key."""
        given = {"name": name, "description": description, "category": category}
        body = members(CreatePromptTemplate, given, "create_prompt_template")
        return (yield from send(CREATE_PROMPT_TEMPLATE, body=body))

    @operation
    def list_prompt_templates(
        self,
        category: str | None = None,
        *,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Flow[PromptTemplates]:
        """The organization's prompts, newest first."""
        given = {"category": category, "limit": limit, "offset": offset, "cursor": cursor}
        query = members(PromptTemplatesQuery, given, "list_prompt_templates")
        return (yield from send(LIST_PROMPT_TEMPLATES, query=query))

    @operation
    def get_prompt_template(self, template_id: str) -> Flow[PromptTemplate]:
        """One prompt, and which of its versions is active. Raises NotFound."""
        return (yield from send(GET_PROMPT_TEMPLATE, path={"template_id": template_id}))

    @operation
    def update_prompt_template(
        self, template_id: str, **changes: Unpack[PromptTemplateChanges]
    ) -> Flow[PromptTemplate]:
        """Change a prompt's name, description or category. Raises NotFound."""
        body = members(UpdatePromptTemplate, changes, "update_prompt_template")
        return (yield from send(UPDATE_PROMPT_TEMPLATE, path={"template_id": template_id}, body=body))

    @operation
    def delete_prompt_template(self, template_id: str) -> Flow[DeletedPromptTemplate]:
        """Remove a prompt with its versions; its runs stay in the list. Raises NotFound."""
        return (yield from send(DELETE_PROMPT_TEMPLATE, path={"template_id": template_id}))

    @operation
    def create_prompt_version(
        self,
        template_id: str,
        content: str,
        model_hint: str | None = None,
        parameters: Sequence[str | Mapping[str, Any]] | None = None,
        changelog: str | None = None,
    ) -> Flow[PromptVersion]:
        """Add a version; `content` holds placeholders such as `{{ customer }}`. It is rendered by default only once it
        is activated. Raises NotFound."""
        given = {"content": content, "model_hint": model_hint, "parameters": parameters, "changelog": changelog}
        body = members(CreatePromptVersion, given, "create_prompt_version")
        return (yield from send(CREATE_PROMPT_VERSION, path={"template_id": template_id}, body=body))

    @operation
    def list_prompt_versions(
        self, template_id: str, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None
    ) -> Flow[PromptVersions]:
        """The versions of a prompt, newest first. Raises NotFound."""
        given = {"limit": limit, "offset": offset, "cursor": cursor}
        query = members(PromptVersionsQuery, given, "list_prompt_versions")
        return (yield from send(LIST_PROMPT_VERSIONS, path={"template_id": template_id}, query=query))

    @operation
    def get_prompt_version(self, template_id: str, version_id: str) -> Flow[PromptVersion]:
        """One version of a prompt. Raises NotFound."""
        return (yield from send(GET_PROMPT_VERSION, path={"template_id": template_id, "version_id": version_id}))

    @operation
    def activate_prompt_version(self, template_id: str, version_id: str) -> Flow[PromptVersion]:
        """Make this the version that is rendered; the one before no longer is. Raises NotFound."""
        path = {"template_id": template_id, "version_id": version_id}
        return (yield from send(ACTIVATE_PROMPT_VERSION, path=path))

    @operation
    def render_prompt(
        self,
        context: Mapping[str, Any] | str | None = None,
        version_id: str | None = None,
        variables: Mapping[str, Any] | None = None,
        action_id: str | None = None,
        agent_id: str | None = None,
        record: bool | None = None,
        *,
        template_id: str | None = None,
    ) -> Flow[RenderedPrompt]:
        """A prompt's text with its placeholders filled in, once and as text. `context` is a template's id, whose
        active version is rendered, or a mapping with all of it; `variables` holds a value for each placeholder.
        `missing` in the answer names those without one. With `record` the run is kept, without the values.

        Raises ValueError without an id, NotFound for a prompt that is unknown or has no active version.
        """
        said: Mapping[str, Any] = {"template_id": context} if isinstance(context, str) else context or {}
        given = {
            "template_id": template_id,
            "version_id": version_id,
            "variables": variables,
            "action_id": action_id,
            "agent_id": agent_id,
            "record": record,
        }
        body = {**said, **members(RenderPrompt, given, "render_prompt")}
        if not any(body.get(name) for name in ("template_id", "templateId", "version_id", "versionId")):
            raise ValueError("say which prompt to render: give template_id or version_id")
        if body.get("agent_id", body.get("agentId")) is None and self.agent_id is not None:
            body["agent_id"] = self.agent_id
        return (yield from send(RENDER_PROMPT, body=body))

    @operation
    def list_prompt_runs(
        self,
        template_id: str | None = None,
        version_id: str | None = None,
        limit: int | None = None,
        *,
        action_id: str | None = None,
        agent_id: str | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Flow[PromptRuns]:
        """What was rendered with `record`, newest first; `limit` is 1 to 200."""
        given = {"template_id": template_id, "version_id": version_id, "limit": limit, "action_id": action_id}
        more = {"agent_id": agent_id, "offset": offset, "cursor": cursor}
        query = members(PromptRunsQuery, {**given, **more}, "list_prompt_runs")
        return (yield from send(LIST_PROMPT_RUNS, query=query))

    @operation
    def get_prompt_stats(self, template_id: str | None = None) -> Flow[PromptStats]:
        """How often prompts were rendered with `record`, of one template or of all."""
        return (yield from send(GET_PROMPT_STATS, query={"template_id": template_id}))
