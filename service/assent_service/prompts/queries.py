"""Prompts, versions and runs from the tables, newest first."""

from __future__ import annotations

import msgspec

from assent.contract.prompts import (
    PromptRun,
    PromptRuns,
    PromptRunsQuery,
    PromptTemplates,
    PromptTemplatesQuery,
    PromptVersions,
    PromptVersionsQuery,
    StoredPromptRun,
    StoredPromptTemplate,
    StoredPromptVersion,
)
from assent_service.core.page import read_page
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, of_caller
from assent_service.prompts.tables import PROMPT_RUNS, PROMPT_TEMPLATES, PROMPT_VERSIONS
from assent_service.prompts.template import shown, shown_version
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table


async def list_templates(ledger: Ledger, principal: Principal, query: PromptTemplatesQuery) -> PromptTemplates:
    chosen = Filter(principal.org_id)
    chosen.add_all("deleted_at IS NULL", [])
    chosen.add("category = ?", query.category)
    page = await read_page(
        ledger,
        PROMPT_TEMPLATES,
        StoredPromptTemplate,
        chosen,
        cursor=query.cursor,
        limit=query.limit,
        offset=query.offset,
    )
    total = await _count(ledger, PROMPT_TEMPLATES, chosen)
    return PromptTemplates(templates=[shown(row) for row in page.rows], total=total, next_cursor=page.next_cursor)


async def list_versions(ledger: Ledger, template: StoredPromptTemplate, query: PromptVersionsQuery) -> PromptVersions:
    chosen = Filter(template.org_id)
    chosen.add("template_id = ?", template.template_id)
    page = await read_page(
        ledger,
        PROMPT_VERSIONS,
        StoredPromptVersion,
        chosen,
        cursor=query.cursor,
        limit=query.limit,
        offset=query.offset,
    )
    versions = [shown_version(row, template) for row in page.rows]
    return PromptVersions(versions=versions, total=template.version_count, next_cursor=page.next_cursor)


async def list_runs(ledger: Ledger, principal: Principal, query: PromptRunsQuery) -> PromptRuns:
    chosen = of_caller(principal)
    chosen.add("template_id = ?", query.template_id)
    chosen.add("version_id = ?", query.version_id)
    chosen.add("action_id = ?", query.action_id)
    chosen.add("agent_id = ?", query.agent_id)
    page = await read_page(
        ledger, PROMPT_RUNS, StoredPromptRun, chosen, cursor=query.cursor, limit=query.limit, offset=query.offset
    )
    total = await _count(ledger, PROMPT_RUNS, chosen)
    runs = [PromptRun(id=run.run_id, **msgspec.structs.asdict(run)) for run in page.rows]
    return PromptRuns(runs=runs, total=total, next_cursor=page.next_cursor)


async def _count(ledger: Ledger, table: Table, chosen: Filter) -> int:
    ((count,),) = await ledger.read(f"SELECT count(*) FROM {table.name} WHERE {chosen.where}", chosen.parameters)
    return int(str(count))
