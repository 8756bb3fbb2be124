"""Prompts over HTTP."""

from __future__ import annotations

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
    DeletedPromptTemplate,
)
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.prompts.prompts import Prompts
from assent_service.prompts.runs import Runs


def routes(prompts: Prompts, runs: Runs) -> tuple[Route, ...]:
    return (*_templates(prompts), *_versions(prompts), *_runs(runs))


def _templates(prompts: Prompts) -> tuple[Route, ...]:
    @route(CREATE_PROMPT_TEMPLATE)
    async def create(call: Call) -> Answer:
        return Answer(await prompts.create(call.principal, call.body), 201)

    @route(LIST_PROMPT_TEMPLATES)
    async def list_all(call: Call) -> Answer:
        return Answer(await prompts.page(call.principal, call.query))

    @route(GET_PROMPT_TEMPLATE)
    async def get(call: Call) -> Answer:
        return Answer(await prompts.get(call.principal, call.path["template_id"]))

    @route(UPDATE_PROMPT_TEMPLATE)
    async def update(call: Call) -> Answer:
        return Answer(await prompts.update(call.principal, call.path["template_id"], call.body))

    @route(DELETE_PROMPT_TEMPLATE)
    async def delete(call: Call) -> Answer:
        template_id = call.path["template_id"]
        await prompts.delete(call.principal, template_id)
        return Answer(DeletedPromptTemplate(deleted=True, template_id=template_id))

    return create, list_all, get, update, delete


def _versions(prompts: Prompts) -> tuple[Route, ...]:
    @route(CREATE_PROMPT_VERSION)
    async def create(call: Call) -> Answer:
        return Answer(await prompts.add_version(call.principal, call.path["template_id"], call.body), 201)

    @route(LIST_PROMPT_VERSIONS)
    async def list_all(call: Call) -> Answer:
        return Answer(await prompts.versions(call.principal, call.path["template_id"], call.query))

    @route(GET_PROMPT_VERSION)
    async def get(call: Call) -> Answer:
        template_id, version_id = call.path["template_id"], call.path["version_id"]
        return Answer(await prompts.get_version(call.principal, template_id, version_id))

    @route(ACTIVATE_PROMPT_VERSION)
    async def activate(call: Call) -> Answer:
        template_id, version_id = call.path["template_id"], call.path["version_id"]
        return Answer(await prompts.activate(call.principal, template_id, version_id))

    return create, list_all, get, activate


def _runs(runs: Runs) -> tuple[Route, ...]:
    @route(RENDER_PROMPT)
    async def render(call: Call) -> Answer:
        return Answer(await runs.render(call.principal, call.body))

    @route(LIST_PROMPT_RUNS)
    async def list_all(call: Call) -> Answer:
        return Answer(await runs.page(call.principal, call.query))

    @route(GET_PROMPT_STATS)
    async def stats(call: Call) -> Answer:
        return Answer(await runs.stats(call.principal, call.query))

    return render, list_all, stats
