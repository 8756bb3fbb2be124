"""Read by the type checkers, never called: what the operations of prompts give, on both clients."""

from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.exchange.prompts import (
    DeletedPromptTemplate,
    PromptRuns,
    PromptStats,
    PromptTemplate,
    PromptTemplates,
    PromptVersion,
    PromptVersions,
    RenderedPrompt,
)


def blocking(client: Client) -> None:
    assert_type(client.create_prompt_template("Greeting", category="mail"), PromptTemplate)
    assert_type(client.list_prompt_templates("mail", limit=5), PromptTemplates)
    assert_type(client.get_prompt_template("pt_1"), PromptTemplate)
    assert_type(client.update_prompt_template("pt_1", name="Hello"), PromptTemplate)
    assert_type(client.delete_prompt_template("pt_1"), DeletedPromptTemplate)
    assert_type(client.create_prompt_version("pt_1", "Hello {{ name }}", parameters=["name"]), PromptVersion)
    assert_type(client.list_prompt_versions("pt_1"), PromptVersions)
    assert_type(client.get_prompt_version("pt_1", "pv_1"), PromptVersion)
    assert_type(client.activate_prompt_version("pt_1", "pv_1"), PromptVersion)
    rendered = client.render_prompt(template_id="pt_1", variables={"name": "Ann"})
    assert_type(rendered, RenderedPrompt)
    assert_type(rendered.missing, list[str])
    assert_type(client.render_prompt({"version_id": "pv_1"}, record=True), RenderedPrompt)
    assert_type(client.render_prompt("pt_1"), RenderedPrompt)
    assert_type(client.list_prompt_runs("pt_1", limit=5), PromptRuns)
    assert_type(client.get_prompt_stats("pt_1"), PromptStats)
    assert_type(client.get_prompt_stats().total_runs, int)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.render_prompt("pt_1"), RenderedPrompt)
    assert_type(await client.list_prompt_templates(), PromptTemplates)
