"""What a prompt is, and what becomes of it. Pure.

1. A prompt's versions are numbered from 1 in the order in which they were made; a version never changes.
2. The prompt itself says which of its versions is active, so there cannot be two. A new version is not active.
3. Activating the version that is active changes nothing, and neither does a change that says nothing new.
4. The times of a prompt's changes rise, even when the clock steps back; so its newest version is the last one.
"""

from __future__ import annotations

import msgspec

from assent.contract.exchange.prompts import (
    CreatePromptTemplate,
    CreatePromptVersion,
    PromptRunRow,
    PromptTemplate,
    PromptTemplateRow,
    PromptVersion,
    PromptVersionRow,
    UpdatePromptTemplate,
)
from assent_service.base.clock import microseconds, moment
from assent_service.core.faithful import digest_of
from assent_service.core.principal import Principal
from assent_service.exchange.prompts.rendering import placeholders
from assent_service.store.tables import Table

PROMPT_TEMPLATES = Table.of(
    PromptTemplateRow,
    name="prompt_templates",
    meaning="prompts by name, each with the version that is active",
    key="template_id",
    created=("prompt_template.created",),
    replaced=("prompt_template.updated",),
)
PROMPT_VERSIONS = Table.of(
    PromptVersionRow,
    name="prompt_versions",
    meaning="the texts of prompts; a version never changes",
    key="version_id",
    created=("prompt_version.created",),
)
PROMPT_RUNS = Table.of(
    PromptRunRow,
    name="prompt_runs",
    meaning="prompts that were rendered and recorded, without the values that were filled in and without the text",
    key="run_id",
    created=("prompt_run.created",),
)


def begun(said: CreatePromptTemplate, principal: Principal, template_id: str, now: int) -> PromptTemplateRow:
    at = moment(now)
    return PromptTemplateRow(
        org_id=principal.org_id,
        template_id=template_id,
        name=said.name,
        description=said.description or "",
        category=said.category or "general",
        version_count=0,
        active_version=None,
        active_version_id=None,
        activated_at=None,
        activated_by=None,
        created_at=at,
        created_by=principal.key_id,
        updated_at=at,
        updated_by=principal.key_id,
        deleted_at=None,
    )


def changed(
    template: PromptTemplateRow, said: UpdatePromptTemplate, principal: Principal, now: int
) -> PromptTemplateRow:
    """The prompt after the change; the same object when it says nothing new."""
    new = {
        "name": template.name if said.name is None else said.name,
        "description": template.description if said.description is None else said.description,
        "category": template.category if said.category is None else said.category or "general",
    }
    if all(template[name] == value for name, value in new.items()):
        return template
    return msgspec.structs.replace(template, **new, updated_at=moment(now), updated_by=principal.key_id)


def extended(
    template: PromptTemplateRow, said: CreatePromptVersion, principal: Principal, version_id: str, now: int
) -> tuple[PromptTemplateRow, PromptVersionRow]:
    """The prompt with one version more, and that version. Raises `invalid_body` for parameters that cannot be kept."""
    digest_of(said.parameters or [], "parameters")
    version = PromptVersionRow(
        org_id=template.org_id,
        version_id=version_id,
        template_id=template.template_id,
        version=template.version_count + 1,
        content=said.content,
        model_hint=said.model_hint or "",
        parameters=said.parameters or [],
        placeholders=placeholders(said.content),
        changelog=said.changelog or "",
        created_at=moment(now),
        created_by=principal.key_id,
    )
    after = msgspec.structs.replace(
        template, version_count=version.version, updated_at=moment(now), updated_by=principal.key_id
    )
    return after, version


def activated(
    template: PromptTemplateRow, version: PromptVersionRow, principal: Principal, now: int
) -> PromptTemplateRow:
    """The prompt with this version active; the same object when it is so already."""
    if template.active_version_id == version.version_id:
        return template
    return msgspec.structs.replace(
        template,
        active_version=version.version,
        active_version_id=version.version_id,
        activated_at=moment(now),
        activated_by=principal.key_id,
        updated_at=moment(now),
        updated_by=principal.key_id,
    )


def deleted(template: PromptTemplateRow, principal: Principal, now: int) -> PromptTemplateRow:
    return msgspec.structs.replace(
        template, deleted_at=moment(now), updated_at=moment(now), updated_by=principal.key_id
    )


def after(template: PromptTemplateRow, now: int) -> int:
    """When the next change happens: now, and in any case later than the one before."""
    return max(now, microseconds(template.updated_at) + 1)


def as_answer(template: PromptTemplateRow) -> PromptTemplate:
    """As it crosses the wire, with its id under both names."""
    return PromptTemplate(id=template.template_id, **msgspec.structs.asdict(template))


def version_answer(version: PromptVersionRow, template: PromptTemplateRow) -> PromptVersion:
    active = version.version_id == template.active_version_id
    return PromptVersion(id=version.version_id, is_active=active, **msgspec.structs.asdict(version))
