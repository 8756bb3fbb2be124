"""Who may judge: admins define scorers, whoever acts reports scores, operators begin runs, everybody reads."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

_numbers = itertools.count(1)


def draft() -> dict[str, Any]:
    return {"name": f"scorer {next(_numbers)}", "scorer_type": "contains", "config": {"keywords": ["ok"]}}


def scorer(owner: Tenant) -> str:
    return str(owner.call("POST", "/api/evaluations/scorers", draft())["id"])


def run(owner: Tenant) -> str:
    body = {"name": "a run", "scorer_id": scorer(owner), "action_filters": {"agent_id": "nobody"}}
    return str(owner.call("POST", "/api/evaluations/runs", body)["id"])


def at(path: str) -> Callable[[Tenant], Ask]:
    return lambda _: Ask(path)


ASKS = {
    "create_scorer": Asking("   m", lambda _: Ask("/api/evaluations/scorers", draft())),
    "get_scorers": Asking("aoum", at("/api/evaluations/scorers")),
    "update_scorer": Asking(
        "   m", lambda owner: Ask(f"/api/evaluations/scorers/{scorer(owner)}", {"description": "what it is for"})
    ),
    "delete_scorer": Asking("   m", lambda owner: Ask(f"/api/evaluations/scorers/{scorer(owner)}")),
    "create_score": Asking(
        "ao m",
        lambda owner: Ask("/api/evaluations", {"action_id": owner.create(), "scorer_name": "people", "score": 0.5}),
    ),
    "get_scores": Asking("aoum", at("/api/evaluations")),
    "create_eval_run": Asking(
        " o m",
        lambda owner: Ask(
            "/api/evaluations/runs",
            {"name": "a run", "scorer_id": scorer(owner), "action_filters": {"agent_id": "nobody"}},
        ),
    ),
    "get_eval_runs": Asking("aoum", at("/api/evaluations/runs")),
    "get_eval_run": Asking("aoum", lambda owner: Ask(f"/api/evaluations/runs/{run(owner)}")),
    "get_eval_stats": Asking("aoum", at("/api/evaluations/stats")),
}
