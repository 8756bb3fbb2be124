"""What asking people is worth in a window, by the rules of `assent_analytics.asking` over facts.

Facts are joined in the database by the text that notebooks join them with (`facts_sql`), over the rows of the caller.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import polars as pl

from assent.contract.analysis.asking import (
    GET_ASKING_WORTH,
    AskedGroup,
    AskingQuery,
    AskingWorth,
    OperatorAgreement,
    OperatorTime,
    OperatorTiring,
    UnaskedType,
)
from assent.contract.prepared import prepared
from assent_analytics.asking import agreement, attention, not_asked, tiring, worth
from assent_analytics.facts import facts_sql
from assent_service.base.clock import Clock
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.moments import Window, window_of
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import rows_within
from assent_service.store.ledger import Ledger

__all__ = [
    "open_asking",
]

MOST = 100

# The rows of the window and the organization under the names that the facts' text has. Assumptions are not asked for.
_FACTS = """
    WITH actions AS (SELECT * FROM main.actions WHERE {chosen}),
    decisions AS (SELECT * FROM main.guard_decisions WHERE {own} AND decision_id IN (SELECT decision_id FROM actions)),
    approvals AS (SELECT * FROM main.approvals WHERE {own} AND approval_id IN (SELECT approval_id FROM actions)),
    assumptions AS (SELECT * FROM main.assumptions WHERE FALSE)
    SELECT action_type, agent_id, state, requested_at, decided_at, decided_by, outcome, cluster, source,
        CAST(matched_policies AS VARCHAR) AS matched_policies
    FROM ({facts})
"""


async def asking_worth(ledger: Ledger, principal: Principal, query: AskingQuery, now: int) -> AskingWorth:
    """Raises `invalid_query` for a window that is none, and `projection_behind`."""
    window = window_of(query.window, now)
    chosen = rows_within(window, "timestamp_start", principal, query.agent_id)
    if query.source is not None:
        chosen.add("source = ?", query.source)
    text = _FACTS.format(chosen=chosen.where, own="org_id = ?", facts=facts_sql(("propensity",)))
    frame = await ledger.frame(text, [*chosen.parameters, principal.org_id, principal.org_id])
    return await asyncio.to_thread(_worth, window, query.tolerated, frame)


def _worth(window: Window, tolerated: float, rows: pl.DataFrame) -> AskingWorth:
    by_type, by_policy = (worth(rows, by, tolerated=tolerated) for by in ("action_type", "matched_policies"))
    unasked = not_asked(rows, tolerated=tolerated)
    tired = tiring(rows)
    lists = {"by_type": by_type, "by_policy": by_policy, "unasked": unasked}
    return AskingWorth(
        window=window.text,
        since=window.since,
        until=window.until,
        tolerated=tolerated,
        asked=int(by_type["asked"].sum()),
        simulated=int(by_type["simulated"].sum()),
        by_type=msgspec.convert(_named(by_type), prepared(list[AskedGroup])),
        by_policy=msgspec.convert(_named(by_policy), prepared(list[AskedGroup])),
        unasked=msgspec.convert(_named(unasked), prepared(list[UnaskedType])),
        agreement=msgspec.convert(agreement(rows)._asdict(), prepared(OperatorAgreement)),
        tiring=msgspec.convert(tired._asdict() | {"steps": tired.rows.to_dicts()}, prepared(OperatorTiring)),
        attention=msgspec.convert(attention(rows)._asdict(), prepared(OperatorTime)),
        not_shown={name: each.height - MOST for name, each in lists.items() if each.height > MOST},
    )


def _named(groups: pl.DataFrame) -> list[dict[str, Any]]:
    return groups.head(MOST).rename({groups.columns[0]: "name"}).to_dicts()


def routes(ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    @serves(GET_ASKING_WORTH)
    async def asking(call: Call[None, AskingQuery]) -> AskingWorth:
        return await asking_worth(ledger, call.principal, call.query, clock())

    return (asking,)


def open_asking(on: Foundation) -> None:
    on.bring(routes=routes(on.ledger, on.clock))
