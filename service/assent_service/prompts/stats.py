"""How often prompts were rendered. Only runs that were recorded count; those of deleted prompts do, too.

A prompt goes by its present name, so that one that was renamed is still one.
"""

from __future__ import annotations

import msgspec

from assent.contract.prompts import PromptStats, PromptTotals, RunsOfTemplate, RunsOfVersion
from assent_service.core.clock import DAY, naive
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, of_caller
from assent_service.store.database import Row
from assent_service.store.ledger import Ledger

SHOWN = 50
"""How many templates and versions are listed."""


async def stats(ledger: Ledger, principal: Principal, template_id: str | None, now: int) -> PromptStats:
    """What all runs come to, or those of one prompt."""
    chosen = of_caller(principal)
    chosen.add("template_id = ?", template_id)
    totals = await _totals(ledger, chosen, now)
    return PromptStats(
        **msgspec.structs.asdict(totals),
        overall=totals,
        by_template=[
            RunsOfTemplate(
                template_id=str(template), template_name=str(name), total_runs=_whole(count), avg_length=_number(mean)
            )
            for template, name, count, mean in await _grouped(ledger, chosen, "template_id")
        ],
        by_version=[
            RunsOfVersion(
                template_id=str(template),
                template_name=str(name),
                total_runs=_whole(count),
                avg_length=_number(mean),
                version_id=str(version_id),
                version=_whole(version),
            )
            for template, name, count, mean, version_id, version in await _grouped(
                ledger, chosen, "template_id", "version_id", "version"
            )
        ],
    )


async def _totals(ledger: Ledger, chosen: Filter, now: int) -> PromptTotals:
    (row,) = await ledger.read(
        "SELECT count(*), count(DISTINCT template_id), count(DISTINCT version_id), count(DISTINCT agent_id), "
        "count(*) FILTER (WHERE created_at > ?), count(*) FILTER (WHERE CAST(missing AS VARCHAR) <> '[]'), "
        "avg(rendered_length) "
        f"FROM prompt_runs WHERE {chosen.where}",
        [naive(now - DAY), *chosen.parameters],
    )
    runs, templates, versions, agents, today, incomplete, mean = row
    return PromptTotals(
        total_runs=_whole(runs),
        unique_templates=_whole(templates),
        versions_used=_whole(versions),
        unique_agents=_whole(agents),
        today_count=_whole(today),
        incomplete_count=_whole(incomplete),
        avg_length=None if mean is None else _number(mean),
    )


async def _grouped(ledger: Ledger, chosen: Filter, *columns: str) -> list[Row]:
    """For each value of the columns, of which the first is the prompt: its id, name, runs, their mean length, and then
    the other columns."""
    grouping = ", ".join(("org_id", *columns))
    more = "".join(f", counted.{column}" for column in columns[1:])
    return await ledger.read(
        f"SELECT counted.template_id, template.name, counted.n, counted.mean{more} FROM ("
        f"SELECT {grouping}, count(*) AS n, avg(rendered_length) AS mean FROM prompt_runs "
        f"WHERE {chosen.where} GROUP BY {grouping}) AS counted "
        "JOIN prompt_templates AS template "
        "ON template.org_id = counted.org_id AND template.template_id = counted.template_id "
        f"ORDER BY counted.n DESC, counted.template_id{more} LIMIT {SHOWN}",
        chosen.parameters,
    )


def _whole(value: object) -> int:
    return int(str(value))


def _number(value: object) -> float:
    return float(str(value))
