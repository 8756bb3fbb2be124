"""Tasks from the tables: pages, one by its id, and counts."""

from __future__ import annotations

from assent.contract.routing import RoutingTask, RoutingTasks, RoutingTasksQuery, TaskCounts, TaskStatus
from assent_service.core.page import read_page
from assent_service.core.rows import Filter
from assent_service.routing.tables import ROUTING_TASKS
from assent_service.store.ledger import Ledger

_TOOK = "avg(extract(epoch FROM (completed_at - assigned_at)))"


async def list_tasks(ledger: Ledger, org_id: str, query: RoutingTasksQuery) -> RoutingTasks:
    chosen = Filter(org_id)
    chosen.add("status = ?", query.status)
    chosen.add("assigned_to = ?", query.assigned_to)
    ((total,),) = await ledger.read(f"SELECT count(*) FROM routing_tasks WHERE {chosen.where}", chosen.parameters)
    page = await read_page(
        ledger, ROUTING_TASKS, RoutingTask, chosen, cursor=query.cursor, limit=query.limit, offset=query.offset
    )
    return RoutingTasks(tasks=page.rows, total=int(str(total)), next_cursor=page.next_cursor)


async def count_tasks(ledger: Ledger, org_id: str) -> TaskCounts:
    rows = await ledger.read("SELECT status, count(*) FROM routing_tasks WHERE org_id = ? GROUP BY status", [org_id])
    counts = {TaskStatus(str(status)): int(str(n)) for status, n in rows}
    return TaskCounts(total=sum(counts.values()), **{status.value: counts.get(status, 0) for status in TaskStatus})


async def average_seconds(ledger: Ledger, org_id: str) -> float | None:
    """From assignment to completion, over the tasks that were completed by an agent."""
    ((took,),) = await ledger.read(
        f"SELECT {_TOOK} FROM routing_tasks WHERE org_id = ? AND status = 'completed' AND assigned_at IS NOT NULL",
        [org_id],
    )
    return None if took is None else float(str(took))
