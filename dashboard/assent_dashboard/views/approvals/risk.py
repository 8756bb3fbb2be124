"""What a risk score is made of, in words: each addition that guard recorded, and how they became the score. Pure.

The additions are guard's own (`risk_breakdown`); nothing is worked out here. Where they do not add up to the score it
is because the agent's own estimate was higher and counts instead, or because no risk exceeds 100; a sentence says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assent import GuardResult
from assent_dashboard.views import words

HIGH, RAISED = 70, 40
MOST = 100
HISTORY = "history"
MEANINGS = {
    "base": "what this type of action starts with",
    "irreversible": "it cannot be undone",
    "production_system": "it touches production, a database or the like",
    "local_system": "it touches the file system or a shell",
    "destructive_goal": "its goal speaks of deleting or wiping",
    "deployment_goal": "its goal speaks of deploying or releasing",
    "secrets_goal": "its goal speaks of secrets or keys",
    "simulated": "a simulator made it up",
    "template": "your risk template rates it higher",
}


@dataclass(frozen=True)
class Part:
    """An addition: its points, and in our words (or as plain Markdown) what it is for."""

    points: float
    meaning: str


def parts(decision: GuardResult) -> list[Part]:
    """Every addition, in the order in which guard made them."""
    return [Part(points, _meaning(name, decision)) for name, points in decision.risk_breakdown.items()]


def notes(decision: GuardResult) -> list[str]:
    """How the additions became the score, in sentences; none where they simply add up to it. Markdown."""
    said: list[str] = []
    template, own = decision.risk_template_id, decision.agent_risk_score
    if isinstance(template, str):
        rated = f" rates it {decision.risk_template_score:g}" if isinstance(decision.risk_template_score, float) else ""
        said.append(f"The risk template {words.code(template)}, version {decision.risk_template_version},{rated}.")
    formula = sum(points for name, points in decision.risk_breakdown.items() if name != HISTORY)
    if own is not None and own > min(formula, MOST):
        said.append(f"The agent's own estimate of {own:g} is higher than this before history; it counts instead.")
    elif sum(decision.risk_breakdown.values()) > decision.risk_score:
        said.append(f"No risk is higher than {MOST}.")
    return said


def color(score: float) -> Literal["red", "orange", "green"]:
    return "red" if score >= HIGH else "orange" if score >= RAISED else "green"


def _meaning(name: str, decision: GuardResult) -> str:
    if name == HISTORY:
        past = decision.predictive_risk.statistical
        if not past.total_actions:
            return "this agent has no history of this type in 30 days"
        seen = words.several(past.total_actions, "action")
        return f"of {seen} of this type in 30 days, {words.percent(100 * past.failure_rate)} failed"
    return MEANINGS.get(name) or words.plain(name.replace("_", " "))
