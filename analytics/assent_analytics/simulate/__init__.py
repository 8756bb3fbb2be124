"""A seeded generator of governance history with ground truth: what statistics are tested on and pictures drawn from.

    history = simulate(7, until=datetime.now(UTC), agents=6, days=30, actions=2000)
    history.actions, history.approvals      # frames, columns named as the service's tables name them
    history.truth.actions                   # what was put in: success probabilities, exposure, latent z
    history.with_text().actions             # goals, ids, systems, summaries

The model is documented where it is drawn: `kinds` (risk, duration, tokens), `roster` (skill, learning, confidence,
operators, changes), `policies` (decisions), `history` (rhythm) and `draw` (what runs and how it ends,
approvals, assumptions). Every row says that it is simulated.
"""

from assent_analytics.simulate.history import BLOCK, History, Truth, batches, make_plan, simulate
from assent_analytics.simulate.kinds import KINDS, ActionKind
from assent_analytics.simulate.plan import Plan
from assent_analytics.simulate.policies import DECISIONS, POLICIES
from assent_analytics.simulate.roster import AGENTS, CHANGES, OPERATORS, Agent, Curve, Metric, Operator, PlantedChange
from assent_analytics.simulate.texts import Texts

__all__ = [
    "AGENTS",
    "BLOCK",
    "CHANGES",
    "DECISIONS",
    "KINDS",
    "OPERATORS",
    "POLICIES",
    "ActionKind",
    "Agent",
    "Curve",
    "History",
    "Metric",
    "Operator",
    "Plan",
    "PlantedChange",
    "Texts",
    "Truth",
    "batches",
    "make_plan",
    "simulate",
]
