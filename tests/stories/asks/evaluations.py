"""Who may judge: admins define scorers, whoever acts reports scores, operators begin runs, everybody reads."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

from tests.live import WAIT
from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

_numbers = itertools.count(1)


def draft() -> dict[str, Any]:
    return {"name": f"scorer {next(_numbers)}", "scorer_type": "contains", "config": {"keywords": ["ok"]}}


def scorer(owner: Tenant) -> str:
    return str(owner.call("POST", "/api/evaluations/scorers", draft())["id"])


def run(owner: Tenant) -> str:
    body = {"name": "a run", "scorer_id": scorer(owner), "action_filters": {"agent_id": "nobody"}}
    made = str(owner.call("POST", "/api/evaluations/runs", body)["id"])
    settle(owner)
    return made


def settle(owner: Tenant) -> None:
    """Wait until every run is through: its end is an event, which whoever counts events would take for their own."""
    until = time.monotonic() + WAIT
    while any(each["status"] == "running" for each in owner.call("GET", "/api/evaluations/runs")["runs"]):
        assert time.monotonic() < until, "a run does not come to its end"
        time.sleep(0.005)


def beginning(owner: Tenant) -> Ask:
    settle(owner)
    body = {"name": "a run", "scorer_id": scorer(owner), "action_filters": {"agent_id": "nobody"}}
    return Ask("/api/evaluations/runs", body)


def at(path: str) -> Callable[[Tenant], Ask]:
    return lambda _: Ask(path)


ASKS = {
    "create_scorer": Asking("   m", lambda _: Ask("/api/evaluations/scorers", draft())),
    "get_scorers": Asking("aoum", at("/api/evaluations/scorers")),
    "get_scorer": Asking("aoum", lambda owner: Ask(f"/api/evaluations/scorers/{scorer(owner)}")),
    "update_scorer": Asking(
        "   m", lambda owner: Ask(f"/api/evaluations/scorers/{scorer(owner)}", {"description": "what it is for"})
    ),
    "delete_scorer": Asking("   m", lambda owner: Ask(f"/api/evaluations/scorers/{scorer(owner)}")),
    "create_score": Asking(
        "ao m",
        lambda owner: Ask("/api/evaluations", {"action_id": owner.create(), "scorer_name": "people", "score": 0.5}),
    ),
    "get_scores": Asking("aoum", at("/api/evaluations")),
    "create_eval_run": Asking(" o m", beginning),
    "get_eval_runs": Asking("aoum", at("/api/evaluations/runs")),
    "get_eval_run": Asking("aoum", lambda owner: Ask(f"/api/evaluations/runs/{run(owner)}")),
    "get_eval_stats": Asking("aoum", at("/api/evaluations/stats")),
}
