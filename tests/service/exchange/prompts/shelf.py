"""The prompts of a world, as an admin's unless it says whose."""

from __future__ import annotations

from typing import Any

import msgspec

from assent.contract.exchange.prompts import (
    CreatePromptTemplate,
    CreatePromptVersion,
    PromptRuns,
    PromptRunsQuery,
    PromptStats,
    PromptStatsQuery,
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
from assent_service.core.principal import Principal
from assent_service.exchange.prompts import PromptRenderings, Prompts
from tests.service.control.actions.world import World, locks_of


class Shelf:
    def __init__(self, world: World) -> None:
        self.world = world
        self.prompts = Prompts(world.service.ledger, world.clock, locks_of(world.service.ledger))
        self.runs = PromptRenderings(world.service.ledger, world.clock, self.prompts, world.service.actions)

    async def begin(self, name: str = "Greeting", by: Principal | None = None, **said: Any) -> PromptTemplate:
        return await self.prompts.create(by or self.world.admin, CreatePromptTemplate(name=name, **said))

    async def get(self, template: PromptTemplate, by: Principal | None = None) -> PromptTemplate:
        return await self.prompts.get(by or self.world.admin, template.template_id)

    async def update(self, template: PromptTemplate, by: Principal | None = None, **said: Any) -> PromptTemplate:
        body = UpdatePromptTemplate(**said)
        return await self.prompts.update(by or self.world.admin, template.template_id, body)

    async def delete(self, template: PromptTemplate, by: Principal | None = None) -> None:
        await self.prompts.delete(by or self.world.admin, template.template_id)

    async def add(
        self, template: PromptTemplate, content: str = "Hello {{ name }}", by: Principal | None = None, **said: Any
    ) -> PromptVersion:
        body = CreatePromptVersion(content=content, **said)
        return await self.prompts.add_version(by or self.world.admin, template.template_id, body)

    async def activate(self, version: PromptVersion, by: Principal | None = None) -> PromptVersion:
        return await self.prompts.activate(by or self.world.admin, version.template_id, version.version_id)

    async def version(self, version: PromptVersion, by: Principal | None = None) -> PromptVersion:
        return await self.prompts.get_version(by or self.world.admin, version.template_id, version.version_id)

    async def active(self, content: str = "Hello {{ name }}", name: str = "Greeting") -> PromptVersion:
        """The active version of a new prompt."""
        return await self.activate(await self.add(await self.begin(name), content))

    async def page(self, by: Principal | None = None, **query: Any) -> PromptTemplates:
        return await self.prompts.page(by or self.world.admin, PromptTemplatesQuery(**query))

    async def versions(self, template: PromptTemplate, by: Principal | None = None, **query: Any) -> PromptVersions:
        return await self.prompts.versions(by or self.world.admin, template.template_id, PromptVersionsQuery(**query))

    async def render(self, by: Principal | None = None, **said: Any) -> RenderedPrompt:
        return await self.runs.render(by or self.world.admin, msgspec.convert(said, RenderPrompt))

    async def listed(self, by: Principal | None = None, **query: Any) -> PromptRuns:
        return await self.runs.page(by or self.world.admin, PromptRunsQuery(**query))

    async def stats(self, by: Principal | None = None, template_id: str | None = None) -> PromptStats:
        return await self.runs.stats(by or self.world.admin, PromptStatsQuery(template_id=template_id))
