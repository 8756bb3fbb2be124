"""Looking for evidence: how many records of a kind there are, and which."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from assent_service.compliance.kinds import Kind
from assent_service.core.principal import Principal
from assent_service.core.window import Window
from assent_service.store.ledger import Ledger

SHOWN = 10
"""How many records of a kind are named."""


@dataclass(frozen=True)
class Found:
    """`record_ids` are the newest."""

    n: int
    record_ids: list[str]


async def find(ledger: Ledger, principal: Principal, kind: Kind, window: Window) -> Found:
    """The organization's records of this kind. Raises `projection_behind`."""
    where, parameters = _chosen(principal, kind, window)
    (counted,) = await ledger.read(f"SELECT count(*) FROM {kind.table} WHERE {where}", parameters)
    n = int(str(counted[0]))
    if n == 0:
        return Found(0, [])
    rows = await ledger.read(
        f"SELECT {kind.id} FROM {kind.table} WHERE {where} ORDER BY {kind.order} DESC, {kind.id} DESC LIMIT {SHOWN}",
        parameters,
    )
    return Found(n, [str(row[0]) for row in rows])


def _chosen(principal: Principal, kind: Kind, window: Window) -> tuple[str, list[object]]:
    conditions, parameters = ["org_id = ?", kind.only], [principal.org_id]
    moments: list[object] = []
    if kind.windowed:
        conditions.append(f"{kind.order} >= ? AND {kind.order} <= ?")
        moments = [_naive(window.since), _naive(window.until)]
    if kind.older_than is not None:
        conditions.append(f"{kind.order} <= ?")
        moments = [_naive(window.until - kind.older_than)]
    return " AND ".join(conditions), [*parameters, *moments]


def _naive(at: datetime) -> datetime:
    return at.replace(tzinfo=None)
