"""Plain records and routing keep their types on both clients; checked by mypy, never run."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_type

if TYPE_CHECKING:
    from assent import AsyncClient, Client
    from assent.contract.exchange.goals import Goal, GoalAnswer, Goals
    from assent.contract.exchange.kinds import Deleted
    from assent.contract.exchange.preferences import RecordedPreference
    from assent.contract.exchange.purchases import PurchaseAnswer
    from assent.contract.exchange.routing import RoutingTaskAnswer, TaskStatus
    from assent.contract.exchange.sessions import SessionEvents
    from assent.contract.exchange.snippets import SnippetAnswer

    def blocking(client: Client) -> None:
        assert_type(client.create_goal("Ship", progress=40), GoalAnswer)
        assert_type(client.get_goals(status="active"), Goals)
        assert_type(client.get_goal("goal_1").goal, Goal)
        assert_type(client.get_goal("goal_1").goal.progress, float | None)
        assert_type(client.use_snippet("snip_1"), SnippetAnswer)
        assert_type(client.delete_snippet("snip_1"), Deleted)
        assert_type(client.track_approach("Ask", success=True), RecordedPreference)
        assert_type(client.get_session_events("ses_1"), SessionEvents)
        assert_type(client.record_purchase("a", "p", "g", "r", "c", "v"), PurchaseAnswer)
        assert_type(client.submit_routing_task("t").task.status, TaskStatus)

    async def awaiting(client: AsyncClient) -> None:
        assert_type(await client.create_goal("Ship"), GoalAnswer)
        assert_type(await client.complete_routing_task("task_1"), RoutingTaskAnswer)
