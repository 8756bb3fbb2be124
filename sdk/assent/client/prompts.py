"""Prompts: templates, their versions, and rendering them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller
from assent.client.request import members
from assent.contract.exchange.prompts import (
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
    RenderedPrompt,
    RenderPrompt,
)


class PromptOperations(Caller):
    @sends(CREATE_PROMPT_TEMPLATE)
    def create_prompt_template(
        self, name: str, description: str | None = None, category: str | None = None
    ) -> Response:
        """Begin a prompt; its text comes with its versions. Changing prompts needs an operator's key."""

    @sends(LIST_PROMPT_TEMPLATES)
    def list_prompt_templates(
        self,
        category: str | None = None,
        *,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """The organization's prompts, newest first."""

    @sends(GET_PROMPT_TEMPLATE)
    def get_prompt_template(self, template_id: str) -> Response:
        """One prompt, and which of its versions is active. Raises NotFound."""

    @sends(UPDATE_PROMPT_TEMPLATE)
    def update_prompt_template(
        self, template_id: str, *, name: str | None = None, description: str | None = None, category: str | None = None
    ) -> Response:
        """Change a prompt's name, description or category. What is not given stays. Raises NotFound."""

    @sends(DELETE_PROMPT_TEMPLATE)
    def delete_prompt_template(self, template_id: str) -> Response:
        """Remove a prompt with its versions; its runs stay in the list. Raises NotFound."""

    @sends(CREATE_PROMPT_VERSION)
    def create_prompt_version(
        self,
        template_id: str,
        content: str,
        model_hint: str | None = None,
        parameters: Sequence[str | Mapping[str, Any]] | None = None,
        changelog: str | None = None,
    ) -> Response:
        """Add a version; `content` holds placeholders such as `{{ customer }}`. It is rendered by default only once it
        is activated. Raises NotFound."""

    @sends(LIST_PROMPT_VERSIONS)
    def list_prompt_versions(
        self, template_id: str, *, limit: int | None = None, offset: int | None = None, cursor: str | None = None
    ) -> Response:
        """The versions of a prompt, newest first. Raises NotFound."""

    @sends(GET_PROMPT_VERSION)
    def get_prompt_version(self, template_id: str, version_id: str) -> Response:
        """One version of a prompt. Raises NotFound."""

    @sends(ACTIVATE_PROMPT_VERSION)
    def activate_prompt_version(self, template_id: str, version_id: str) -> Response:
        """Make this the version that is rendered; the one before no longer is. Raises NotFound."""

    @calls(RENDER_PROMPT)
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

    @sends(LIST_PROMPT_RUNS)
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
    ) -> Response:
        """What was rendered with `record`, newest first; `limit` is 1 to 200."""

    @sends(GET_PROMPT_STATS)
    def get_prompt_stats(self, template_id: str | None = None) -> Response:
        """How often prompts were rendered with `record`, of one template or of all."""
