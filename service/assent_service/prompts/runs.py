"""Rendering prompts, and recording that it was done.

Rendering without `record` changes nothing. A run says which version was rendered, for which agent and action, which
variables were given and how long the text was. It holds neither the values nor the text: they may be secret, and
whoever needs them has them.
"""

from __future__ import annotations

from typing import Protocol

from assent.contract.actions import Action
from assent.contract.events import EventName
from assent.contract.problems import Code, FieldError
from assent.contract.prompts import (
    PromptRuns,
    PromptRunsQuery,
    PromptStats,
    PromptStatsQuery,
    RenderedPrompt,
    RenderPrompt,
    StoredPromptRun,
    StoredPromptTemplate,
    StoredPromptVersion,
)
from assent_service.core.clock import Clock, moment, new_id
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.prompts import queries, stats
from assent_service.prompts.prompts import Prompts
from assent_service.prompts.rendering import Rendering, render
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger


class Actions(Protocol):
    """What a run needs of the action that it belongs to."""

    async def visible(self, principal: Principal, action_id: str) -> Action: ...


class Runs:
    """What is rendered from the prompts of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, prompts: Prompts, actions: Actions) -> None:
        self._ledger, self._clock, self._prompts, self._actions = ledger, clock, prompts, actions

    async def render(self, principal: Principal, said: RenderPrompt) -> RenderedPrompt:
        """Raises `invalid_body` without any id and for what gets too long, `template_not_found`,
        `prompt_version_not_found` also for a prompt without an active version, `action_not_found`, `agent_mismatch`."""
        agent_id = principal.speaks_for(said.agent_id)
        template, version = await self._chosen(principal, said)
        action = None if said.action_id is None else await self._actions.visible(principal, said.action_id)
        rendering = render(version.content, said.variables or {})
        run_id = None
        if said.record:
            if agent_id is None and action is not None:
                agent_id = action.agent_id
            run_id = await self._record(principal, said, template, version, rendering, agent_id)
        return RenderedPrompt(
            rendered=rendering.text,
            template_id=template.template_id,
            version_id=version.version_id,
            version=version.version,
            model_hint=version.model_hint,
            parameters=version.placeholders,
            missing=rendering.missing,
            run_id=run_id,
        )

    async def page(self, principal: Principal, query: PromptRunsQuery) -> PromptRuns:
        return await queries.list_runs(self._ledger, principal, query)

    async def stats(self, principal: Principal, query: PromptStatsQuery) -> PromptStats:
        return await stats.stats(self._ledger, principal, query.template_id, self._clock())

    async def _chosen(
        self, principal: Principal, said: RenderPrompt
    ) -> tuple[StoredPromptTemplate, StoredPromptVersion]:
        """The version that is asked for, with its prompt."""
        template_id = said.template_id
        if template_id is None:
            template_id = await self._template_of(principal, said.version_id)
        template = await self._prompts.template(principal.org_id, template_id)
        version_id = said.version_id or template.active_version_id
        if version_id is None:
            raise refuse(
                Code.PROMPT_VERSION_NOT_FOUND,
                f"Prompt template {template_id} has {template.version_count} versions and none is active; activate "
                "one, or name one with version_id.",
            )
        return template, await self._prompts.version(template, version_id)

    async def _template_of(self, principal: Principal, version_id: str | None) -> str:
        if version_id is None:
            error = FieldError(place="template_id", message="or version_id is required")
            raise refuse(Code.INVALID_BODY, "Say which prompt to render: give template_id or version_id.", error)
        version = await self._prompts.find_version(principal.org_id, version_id)
        if version is None:
            raise refuse(
                Code.PROMPT_VERSION_NOT_FOUND,
                f"There is no prompt version {version_id[:128]!r} in this organization.",
            )
        return version.template_id

    async def _record(
        self,
        principal: Principal,
        said: RenderPrompt,
        template: StoredPromptTemplate,
        version: StoredPromptVersion,
        rendering: Rendering,
        agent_id: str | None,
    ) -> str:
        now = self._clock()
        run = StoredPromptRun(
            org_id=principal.org_id,
            run_id=new_id("pr_", now),
            template_id=template.template_id,
            template_name=template.name,
            version_id=version.version_id,
            version=version.version,
            variables=list(said.variables or ()),
            missing=rendering.missing,
            rendered_length=len(rendering.text),
            action_id=said.action_id,
            agent_id=agent_id,
            created_at=moment(now),
            created_by=principal.key_id,
        )
        await self._ledger.append(
            Draft(
                org=run.org_id,
                type=EventName.PROMPT_RUN_CREATED.value,
                ts=now,
                subject=run.run_id,
                actor=principal.key_id,
                data=encode(run),
                action=run.action_id,
            )
        )
        return run.run_id
