"""Who may ask what other policies would have decided: whoever reads everything."""

from __future__ import annotations

from typing import Any

from tests.stories.ask import Ask, Asking

RULES = {"when": {"field": "metadata.team", "op": "eq", "value": "ops"}, "action": "block"}
BODY: dict[str, Any] = {
    "policies": [{"name": "p", "policy_type": "condition", "rules": RULES}],
    "window": "7d",
    "include": "verdicts",
    "costs": {"interruption": 1, "failure": 20},
}

VALUE: dict[str, Any] = {name: BODY[name] for name in ("policies", "window", "costs")}

ASKS = {
    "backtest": Asking(" oum", lambda _: Ask("/api/policies/backtest", BODY)),
    "evaluate_policy": Asking(" oum", lambda _: Ask("/api/policies/evaluate", VALUE)),
}
