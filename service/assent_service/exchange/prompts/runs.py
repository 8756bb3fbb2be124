"""Rendering prompts, recording that it was done, and how often.

Rendering without `record` changes nothing. A run says which version was rendered, for which agent and action, which
variables were given and how long the text was. It holds neither the values nor the text: they may be secret, and
whoever needs them has them.
"""

from __future__ import annotations

import msgspec

from assent.contract.events import EventName
from assent.contract.exchange.prompts import (
    GET_PROMPT_STATS,
    LIST_PROMPT_RUNS,
    RENDER_PROMPT,
    PromptRun,
    PromptRunRow,
    PromptRuns,
    PromptRunsQuery,
    PromptStats,
    PromptStatsQuery,
    PromptTemplateRow,
    PromptTotals,
    PromptVersionRow,
    RenderedPrompt,
    RenderPrompt,
    RunsOfTemplate,
    RunsOfVersion,
)
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import DAY, Clock, moment, naive, new_id
from assent_service.base.problem import refuse
from assent_service.control.actions import Actions
from assent_service.core.call import Call
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.core.rows import Filter, Filters, list_rows, of_caller
from assent_service.exchange.prompts.prompts import Prompts
from assent_service.exchange.prompts.rendering import Rendering, render
from assent_service.exchange.prompts.template import (
    PROMPT_RUNS,
)
from assent_service.store.database import Row
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger


class PromptRenderings:
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
        return await list_runs(self._ledger, principal, query)

    async def stats(self, principal: Principal, query: PromptStatsQuery) -> PromptStats:
        return await stats(self._ledger, principal, query.template_id, self._clock())

    async def _chosen(self, principal: Principal, said: RenderPrompt) -> tuple[PromptTemplateRow, PromptVersionRow]:
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
        template: PromptTemplateRow,
        version: PromptVersionRow,
        rendering: Rendering,
        agent_id: str | None,
    ) -> str:
        now = self._clock()
        run = PromptRunRow(
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


# How often prompts were rendered. Only runs that were recorded count; those of deleted prompts do, too.
#
# A prompt goes by its present name, so that one that was renamed is still one.


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


RUN_FILTERS = Filters(PROMPT_RUNS, PromptRunsQuery)


async def list_runs(ledger: Ledger, principal: Principal, query: PromptRunsQuery) -> PromptRuns:
    chosen = of_caller(principal)
    RUN_FILTERS.narrow(chosen, query)
    page = await list_rows(ledger, PROMPT_RUNS, PromptRunRow, chosen, query)
    runs = [PromptRun(id=run.run_id, **msgspec.structs.asdict(run)) for run in page.rows]
    return PromptRuns(runs=runs, total=page.total, next_cursor=page.next_cursor)


def run_routes(runs: PromptRenderings) -> tuple[Route, ...]:
    @serves(RENDER_PROMPT, unfenced=NEW_ID)
    async def render(call: Call[RenderPrompt, None]) -> RenderedPrompt:
        return await runs.render(call.principal, call.body)

    @serves(LIST_PROMPT_RUNS)
    async def list_all(call: Call[None, PromptRunsQuery]) -> PromptRuns:
        return await runs.page(call.principal, call.query)

    @serves(GET_PROMPT_STATS)
    async def stats(call: Call[None, PromptStatsQuery]) -> PromptStats:
        return await runs.stats(call.principal, call.query)

    return render, list_all, stats
