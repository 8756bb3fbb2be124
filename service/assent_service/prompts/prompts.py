"""Making prompts, giving them versions, and choosing the one that is rendered.

Every change of a prompt or of its versions holds the prompt's one lock, so version numbers have no gaps and no
doubles, and of two activations at once the later one stands. Deleting a prompt leaves its versions in the tables, where
nobody finds them, and its runs in the list.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assent.contract.events import EventName
from assent.contract.problems import Code
from assent.contract.prompts import (
    CreatePromptTemplate,
    CreatePromptVersion,
    PromptTemplate,
    PromptTemplates,
    PromptTemplatesQuery,
    PromptVersion,
    PromptVersions,
    PromptVersionsQuery,
    StoredPromptTemplate,
    StoredPromptVersion,
    UpdatePromptTemplate,
)
from assent_service.core.clock import Clock, new_id
from assent_service.core.find import find_row
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.prompts import queries
from assent_service.prompts.tables import PROMPT_TEMPLATES, PROMPT_VERSIONS
from assent_service.prompts.template import activated, after, begun, changed, deleted, extended, shown, shown_version
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger


class Prompts:
    """The prompts of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks

    async def create(self, principal: Principal, said: CreatePromptTemplate) -> PromptTemplate:
        now = self._clock()
        template = begun(said, principal, new_id("pt_", now), now)
        await self._ledger.append(_event(EventName.TEMPLATE_CREATED, template, principal, now))
        return shown(template)

    async def get(self, principal: Principal, template_id: str) -> PromptTemplate:
        return shown(await self.template(principal.org_id, template_id))

    async def update(self, principal: Principal, template_id: str, said: UpdatePromptTemplate) -> PromptTemplate:
        """Raises `template_not_found`. A change that says nothing new records nothing."""
        async with self._held(principal, template_id) as before:
            now = after(before, self._clock())
            template = changed(before, said, principal, now)
            if template is not before:
                await self._ledger.append(_event(EventName.TEMPLATE_UPDATED, template, principal, now))
            return shown(template)

    async def delete(self, principal: Principal, template_id: str) -> None:
        """Raises `template_not_found`, also when it was deleted before."""
        async with self._held(principal, template_id) as before:
            now = after(before, self._clock())
            gone = deleted(before, principal, now)
            await self._ledger.append(_event(EventName.TEMPLATE_UPDATED, gone, principal, now))

    async def add_version(self, principal: Principal, template_id: str, said: CreatePromptVersion) -> PromptVersion:
        """Raises `template_not_found`, and `invalid_body` for parameters that cannot be kept."""
        async with self._held(principal, template_id) as before:
            now = after(before, self._clock())
            template, version = extended(before, said, principal, new_id("pv_", now), now)
            await self._ledger.append(
                Draft(
                    org=version.org_id,
                    type=EventName.PROMPT_VERSION_CREATED.value,
                    ts=now,
                    subject=version.version_id,
                    actor=principal.key_id,
                    data=encode(version),
                ),
                _event(EventName.TEMPLATE_UPDATED, template, principal, now),
            )
            return shown_version(version, template)

    async def activate(self, principal: Principal, template_id: str, version_id: str) -> PromptVersion:
        """Raises `template_not_found` and `prompt_version_not_found`. Repeating it records nothing."""
        async with self._held(principal, template_id) as before:
            version = await self.version(before, version_id)
            now = after(before, self._clock())
            template = activated(before, version, principal, now)
            if template is not before:
                await self._ledger.append(_event(EventName.TEMPLATE_UPDATED, template, principal, now))
            return shown_version(version, template)

    async def get_version(self, principal: Principal, template_id: str, version_id: str) -> PromptVersion:
        template = await self.template(principal.org_id, template_id)
        return shown_version(await self.version(template, version_id), template)

    async def page(self, principal: Principal, query: PromptTemplatesQuery) -> PromptTemplates:
        return await queries.list_templates(self._ledger, principal, query)

    async def versions(self, principal: Principal, template_id: str, query: PromptVersionsQuery) -> PromptVersions:
        template = await self.template(principal.org_id, template_id)
        return await queries.list_versions(self._ledger, template, query)

    async def template(self, org_id: str, template_id: str) -> StoredPromptTemplate:
        """Raises `template_not_found` for a deleted or foreign prompt as for an unknown one."""
        found = await find_row(self._ledger, PROMPT_TEMPLATES, StoredPromptTemplate, org_id, template_id)
        if found is None or found.deleted_at is not None:
            raise refuse(
                Code.TEMPLATE_NOT_FOUND, f"There is no prompt template {template_id[:128]!r} in this organization."
            )
        return found

    async def version(self, template: StoredPromptTemplate, version_id: str) -> StoredPromptVersion:
        """Raises `prompt_version_not_found` for a version of another prompt, too."""
        found = await self.find_version(template.org_id, version_id)
        if found is None or found.template_id != template.template_id:
            raise refuse(
                Code.PROMPT_VERSION_NOT_FOUND,
                f"Prompt template {template.template_id} has no version {version_id[:128]!r}; list its versions.",
            )
        return found

    async def find_version(self, org_id: str, version_id: str) -> StoredPromptVersion | None:
        return await find_row(self._ledger, PROMPT_VERSIONS, StoredPromptVersion, org_id, version_id)

    @asynccontextmanager
    async def _held(self, principal: Principal, template_id: str) -> AsyncIterator[StoredPromptTemplate]:
        """The prompt as it stands while its lock is held."""
        async with self._locks.hold(f"prompt_template:{principal.org_id}:{template_id}"):
            yield await self.template(principal.org_id, template_id)


def _event(name: EventName, template: StoredPromptTemplate, principal: Principal, now: int) -> Draft:
    return Draft(
        org=template.org_id,
        type=name.value,
        ts=now,
        subject=template.template_id,
        actor=principal.key_id,
        data=encode(template),
    )
