"""Prompt templates and their versions: making, changing, deleting and listing them, and choosing the version that is
rendered.

Every change of a prompt or of its versions holds the prompt's one lock, so version numbers have no gaps and no
doubles, and of two activations at once the later one stands. Deleting a prompt leaves its versions in the tables, where
nobody finds them, and its runs in the list.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assent.contract.events import EventName
from assent.contract.exchange.prompts import (
    ACTIVATE_PROMPT_VERSION,
    CREATE_PROMPT_TEMPLATE,
    CREATE_PROMPT_VERSION,
    DELETE_PROMPT_TEMPLATE,
    GET_PROMPT_TEMPLATE,
    GET_PROMPT_VERSION,
    LIST_PROMPT_TEMPLATES,
    LIST_PROMPT_VERSIONS,
    UPDATE_PROMPT_TEMPLATE,
    CreatePromptTemplate,
    CreatePromptVersion,
    DeletedPromptTemplate,
    PromptTemplate,
    PromptTemplateRow,
    PromptTemplates,
    PromptTemplatesQuery,
    PromptVersion,
    PromptVersionRow,
    PromptVersions,
    PromptVersionsQuery,
    UpdatePromptTemplate,
)
from assent.contract.problems import Code
from assent_service.base.clock import Clock, new_id
from assent_service.base.problem import refuse
from assent_service.core.call import Call
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.core.rows import Filter, Filters, find_row, list_rows, read_page
from assent_service.exchange.prompts.template import (
    PROMPT_TEMPLATES,
    PROMPT_VERSIONS,
    activated,
    after,
    as_answer,
    begun,
    changed,
    deleted,
    extended,
    version_answer,
)
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

# Prompts, versions and runs from the tables, newest first.


TEMPLATE_FILTERS = Filters(PROMPT_TEMPLATES, PromptTemplatesQuery)


async def list_templates(ledger: Ledger, principal: Principal, query: PromptTemplatesQuery) -> PromptTemplates:
    chosen = Filter(principal.org_id)
    chosen.add_all("deleted_at IS NULL", [])
    TEMPLATE_FILTERS.narrow(chosen, query)
    page = await list_rows(ledger, PROMPT_TEMPLATES, PromptTemplateRow, chosen, query)
    templates = [as_answer(row) for row in page.rows]
    return PromptTemplates(templates=templates, total=page.total, next_cursor=page.next_cursor)


async def list_versions(ledger: Ledger, template: PromptTemplateRow, query: PromptVersionsQuery) -> PromptVersions:
    chosen = Filter(template.org_id)
    chosen.add("template_id = ?", template.template_id)
    page = await read_page(ledger, PROMPT_VERSIONS, PromptVersionRow, chosen, query)
    versions = [version_answer(row, template) for row in page.rows]
    return PromptVersions(versions=versions, total=template.version_count, next_cursor=page.next_cursor)


PROMPT_TEMPLATE_FENCE = Fence("prompt_template", "template_id")


class Prompts:
    """The prompts of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks

    async def create(self, principal: Principal, said: CreatePromptTemplate) -> PromptTemplate:
        now = self._clock()
        template = begun(said, principal, new_id("pt_", now), now)
        await self._ledger.append(_event(EventName.TEMPLATE_CREATED, template, principal, now))
        return as_answer(template)

    async def get(self, principal: Principal, template_id: str) -> PromptTemplate:
        return as_answer(await self.template(principal.org_id, template_id))

    async def update(self, principal: Principal, template_id: str, said: UpdatePromptTemplate) -> PromptTemplate:
        """Raises `template_not_found`. A change that says nothing new records nothing."""
        async with self._held(principal, template_id) as before:
            now = after(before, self._clock())
            template = changed(before, said, principal, now)
            if template is not before:
                await self._ledger.append(_event(EventName.TEMPLATE_UPDATED, template, principal, now))
            return as_answer(template)

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
            return version_answer(version, template)

    async def activate(self, principal: Principal, template_id: str, version_id: str) -> PromptVersion:
        """Raises `template_not_found` and `prompt_version_not_found`. Repeating it records nothing."""
        async with self._held(principal, template_id) as before:
            version = await self.version(before, version_id)
            now = after(before, self._clock())
            template = activated(before, version, principal, now)
            if template is not before:
                await self._ledger.append(_event(EventName.TEMPLATE_UPDATED, template, principal, now))
            return version_answer(version, template)

    async def get_version(self, principal: Principal, template_id: str, version_id: str) -> PromptVersion:
        template = await self.template(principal.org_id, template_id)
        return version_answer(await self.version(template, version_id), template)

    async def page(self, principal: Principal, query: PromptTemplatesQuery) -> PromptTemplates:
        return await list_templates(self._ledger, principal, query)

    async def versions(self, principal: Principal, template_id: str, query: PromptVersionsQuery) -> PromptVersions:
        template = await self.template(principal.org_id, template_id)
        return await list_versions(self._ledger, template, query)

    async def template(self, org_id: str, template_id: str) -> PromptTemplateRow:
        """Raises `template_not_found` for a deleted or foreign prompt as for an unknown one."""
        found = await find_row(self._ledger, PROMPT_TEMPLATES, PromptTemplateRow, org_id, template_id)
        if found is None or found.deleted_at is not None:
            raise refuse(
                Code.TEMPLATE_NOT_FOUND, f"There is no prompt template {template_id[:128]!r} in this organization."
            )
        return found

    async def version(self, template: PromptTemplateRow, version_id: str) -> PromptVersionRow:
        """Raises `prompt_version_not_found` for a version of another prompt, too."""
        found = await self.find_version(template.org_id, version_id)
        if found is None or found.template_id != template.template_id:
            raise refuse(
                Code.PROMPT_VERSION_NOT_FOUND,
                f"Prompt template {template.template_id} has no version {version_id[:128]!r}; list its versions.",
            )
        return found

    async def find_version(self, org_id: str, version_id: str) -> PromptVersionRow | None:
        return await find_row(self._ledger, PROMPT_VERSIONS, PromptVersionRow, org_id, version_id)

    @asynccontextmanager
    async def _held(self, principal: Principal, template_id: str) -> AsyncIterator[PromptTemplateRow]:
        """The prompt as it stands while its lock is held."""
        async with self._locks.hold(PROMPT_TEMPLATE_FENCE.of(principal.org_id, template_id)):
            yield await self.template(principal.org_id, template_id)


def _event(name: EventName, template: PromptTemplateRow, principal: Principal, now: int) -> Draft:
    return Draft(
        org=template.org_id,
        type=name.value,
        ts=now,
        subject=template.template_id,
        actor=principal.key_id,
        data=encode(template),
    )


def routes(prompts: Prompts) -> tuple[Route, ...]:
    return (*_templates(prompts), *_versions(prompts))


def _templates(prompts: Prompts) -> tuple[Route, ...]:
    @serves(CREATE_PROMPT_TEMPLATE, unfenced=NEW_ID)
    async def create(call: Call[CreatePromptTemplate, None]) -> PromptTemplate:
        return await prompts.create(call.principal, call.body)

    @serves(LIST_PROMPT_TEMPLATES)
    async def list_all(call: Call[None, PromptTemplatesQuery]) -> PromptTemplates:
        return await prompts.page(call.principal, call.query)

    @serves(GET_PROMPT_TEMPLATE)
    async def get(call: Call[None, None], template_id: str) -> PromptTemplate:
        return await prompts.get(call.principal, template_id)

    @serves(UPDATE_PROMPT_TEMPLATE, holds=(PROMPT_TEMPLATE_FENCE,))
    async def update(call: Call[UpdatePromptTemplate, None], template_id: str) -> PromptTemplate:
        return await prompts.update(call.principal, template_id, call.body)

    @serves(DELETE_PROMPT_TEMPLATE, holds=(PROMPT_TEMPLATE_FENCE,))
    async def delete(call: Call[None, None], template_id: str) -> DeletedPromptTemplate:
        await prompts.delete(call.principal, template_id)
        return DeletedPromptTemplate(deleted=True, template_id=template_id)

    return create, list_all, get, update, delete


def _versions(prompts: Prompts) -> tuple[Route, ...]:
    @serves(CREATE_PROMPT_VERSION, holds=(PROMPT_TEMPLATE_FENCE,))
    async def create(call: Call[CreatePromptVersion, None], template_id: str) -> PromptVersion:
        return await prompts.add_version(call.principal, template_id, call.body)

    @serves(LIST_PROMPT_VERSIONS)
    async def list_all(call: Call[None, PromptVersionsQuery], template_id: str) -> PromptVersions:
        return await prompts.versions(call.principal, template_id, call.query)

    @serves(GET_PROMPT_VERSION)
    async def get(call: Call[None, None], template_id: str, version_id: str) -> PromptVersion:
        return await prompts.get_version(call.principal, template_id, version_id)

    @serves(ACTIVATE_PROMPT_VERSION, holds=(PROMPT_TEMPLATE_FENCE,))
    async def activate(call: Call[None, None], template_id: str, version_id: str) -> PromptVersion:
        return await prompts.activate(call.principal, template_id, version_id)

    return create, list_all, get, activate
