"""What the tables know of agents."""

from __future__ import annotations

from collections.abc import Sequence

from assent_service.store.ledger import Ledger


async def count_actions(ledger: Ledger, org_id: str, agent_ids: Sequence[str]) -> dict[str, int]:
    """How many actions each of these agents has recorded; one without any is left out."""
    if not agent_ids:
        return {}
    marks = ", ".join("?" * len(agent_ids))
    rows = await ledger.read(
        f"SELECT agent_id, count(*) FROM actions WHERE org_id = ? AND agent_id IN ({marks}) GROUP BY agent_id",
        [org_id, *agent_ids],
    )
    return {str(agent_id): int(str(count)) for agent_id, count in rows}
