"""The risk score of a proposed action, 0 to 100: the wire's formula, then the agent's own history.

What the action is:

    base by action type          deploy 75, security 80, migrate 70, ... (BASE), any other type 20
    irreversible           +15   reversible is false; not said is not irreversible
    production_system      +10   touches production, database, postgres, neon or redis (whole name, any case)
    local_system            +5   touches filesystem or shell
    destructive_goal       +20   the goal speaks of rm -rf, drop table, delete from, truncate, format, wipe
    deployment_goal        +10   push, deploy, release, ship, migrate
    secrets_goal           +15   secret, credential, password, token, key (also in the plural), .env
    clamped to 0..100; the agent's own score, clamped too, counts when it is higher

What the organization says of it: its risk template for the action's type, where it has one (`templates`). The greatest
of the formula, the template and the agent's own score counts, so a template never lowers a risk. When it is the
template's, the points that it is above the formula are named `template`, and the names still add up to the score.

How this agent fared with this action type in the last 30 days:

    nothing on record       +5
    failed more than half  +15, more than a quarter +10
    more than five in the last hour +5, only when some failed: velocity amplifies failures, it is none itself
    clamped to 0..100 again

Every addition of the second part is positive, so the result is never below the agent's own score. A fractional
score of the agent is rounded up for the same reason.

Words are whole words: a letter or digit on either side makes another word of it (`monkey`, `formatting`,
`tokenize`), an underscore or a hyphen does not (`API_KEY` speaks of a key).
"""

import re
from math import ceil

from msgspec import Struct

from assent.contract.names import comparable
from assent_service.control.guard.context import Facts
from assent_service.control.guard.templates import CompiledTemplate, TemplateRisk

BASE: dict[str, int] = {
    "security": 80, "deploy": 75, "migrate": 70, "apply": 60, "sync": 40, "api": 35, "config": 30, "cleanup": 30,
    "build": 25, "post": 25, "fix": 20, "refactor": 20, "other": 20, "test": 15, "message": 15,
    "monitor": 10, "alert": 10, "calendar": 10, "research": 10, "review": 10,
}  # fmt: skip
UNKNOWN_BASE = 20

PRODUCTION = frozenset({"production", "database", "postgres", "neon", "redis"})
LOCAL = frozenset({"filesystem", "shell"})


class Factor(Struct, frozen=True):
    """One named reason for a higher score."""

    name: str
    addition: int


class RiskHistory(Struct, frozen=True, kw_only=True):
    """What the last 30 days hold for one agent and one action type. `mean_risk` is None when `total` is 0."""

    total: int = 0
    failed: int = 0
    mean_risk: float | None = None
    last_hour: int = 0


class Predictive(Struct, frozen=True, kw_only=True):
    """The part of the score that history adds. `failure_rate` is 0..1; `velocity` is actions in the last hour."""

    adjustment: int
    failure_rate: float
    total_actions: int
    avg_historical_risk: float | None
    velocity: int


class Risk(Struct, frozen=True, kw_only=True):
    """The final `score` and how it came about; `factor_names` are the names in `factors`, for conditions. `template`
    is None when none rated the action."""

    score: int
    base: int
    factors: tuple[Factor, ...]
    factor_names: tuple[str, ...]
    predictive: Predictive
    template: TemplateRisk | None = None


# One bit per factor, in this order; the 64 combinations are made once, below.
_ALL_FACTORS = (
    Factor("irreversible", 15),
    Factor("production_system", 10),
    Factor("local_system", 5),
    Factor("destructive_goal", 20),
    Factor("deployment_goal", 10),
    Factor("secrets_goal", 15),
)
_COMBINED = tuple(tuple(factor for bit, factor in enumerate(_ALL_FACTORS) if mask >> bit & 1) for mask in range(64))
_NAMES = tuple(tuple(factor.name for factor in factors) for factors in _COMBINED)
_SUMS = tuple(sum(factor.addition for factor in factors) for factors in _COMBINED)
_IRREVERSIBLE, _PRODUCTION, _LOCAL, _DESTRUCTIVE, _DEPLOYMENT, _SECRETS = (1 << bit for bit in range(6))


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{pattern})(?![^\W_])")


# Patterns for a goal in lower case. Each is linear: a run of spaces can follow one keyword only.
# In front of ".env" anything may stand (`prod.env`), because the dot itself is the boundary.
_DESTRUCTIVE_GOAL = _words(r"rm\s+-(?:rf|fr)|drop\s+table|delete\s+from|truncate|format|wipe")
_DEPLOYMENT_GOAL = _words(r"push|deploy|release|ship|migrate")
_SECRETS_GOAL = re.compile(
    _words(r"(?:secret|credential|password|token|key)s?").pattern + r"|\.env(?![^\W_])",
)
_MARK = re.compile(r"\[redacted:[a-z_]{1,40}\]")


def assess(facts: Facts, history: RiskHistory, template: CompiledTemplate | None = None) -> Risk:
    """The risk of one action; the module says how it is worked out."""
    mask = _IRREVERSIBLE if facts.reversible is False else 0
    for system in facts.systems_touched:
        name = comparable(system)
        if name in PRODUCTION:
            mask |= _PRODUCTION
        elif name in LOCAL:
            mask |= _LOCAL
    if facts.declared_goal:
        mask |= _goal_mask(_without_marks(facts.declared_goal.lower()))
    base = BASE.get(facts.type_key, UNKNOWN_BASE)
    formula = score = min(base + _SUMS[mask], 100)
    if facts.agent_risk_score is not None:
        score = max(score, ceil(min(100.0, max(0.0, facts.agent_risk_score))))
    rated = None
    if template is not None:
        own = template.score(facts, _NAMES[mask])
        rated = TemplateRisk(template.template_id, template.version, own, own - formula if own > score else 0)
        score = max(score, own)
    predictive = predict(history)
    return Risk(
        score=min(score + predictive.adjustment, 100),
        base=base,
        factors=_COMBINED[mask],
        factor_names=_NAMES[mask],
        predictive=predictive,
        template=rated,
    )


def predict(history: RiskHistory) -> Predictive:
    """What history adds: 0 to 20."""
    if history.total == 0:
        return _NO_HISTORY
    rate = history.failed / history.total
    adjustment = 15 if rate > 0.5 else 10 if rate > 0.25 else 0
    if history.last_hour > 5 and history.failed:
        adjustment += 5
    return Predictive(
        adjustment=adjustment,
        failure_rate=rate,
        total_actions=history.total,
        avg_historical_risk=history.mean_risk,
        velocity=history.last_hour,
    )


_NO_HISTORY = Predictive(adjustment=5, failure_rate=0.0, total_actions=0, avg_historical_risk=None, velocity=0)


def _without_marks(goal: str) -> str:
    """What stands for a secret that was taken out (`[redacted:api_key]`) are the service's words, not the agent's."""
    return _MARK.sub(" ", goal) if "[redacted:" in goal else goal


def _goal_mask(goal: str) -> int:
    # Substring search costs a fraction of a regular expression, and most goals hold no keyword at all: the
    # expressions only run when the letters of one of their words are there.
    mask = 0
    if (
        "-rf" in goal or "-fr" in goal or "drop" in goal or "delete" in goal
        or "truncate" in goal or "format" in goal or "wipe" in goal
    ) and _DESTRUCTIVE_GOAL.search(goal):  # fmt: skip
        mask = _DESTRUCTIVE
    if (
        "push" in goal or "deploy" in goal or "release" in goal or "ship" in goal or "migrate" in goal
    ) and _DEPLOYMENT_GOAL.search(goal):
        mask |= _DEPLOYMENT
    if (
        "key" in goal or "token" in goal or "secret" in goal
        or "password" in goal or "credential" in goal or ".env" in goal
    ) and _SECRETS_GOAL.search(goal):  # fmt: skip
        mask |= _SECRETS
    return mask
