"""The action types of the simulated company, a shop with a support desk, a release train and a sales team.

Latent quantities of one action of type k, with z standard normal and independent:

    risk         r  = round(floor_k + (100 - floor_k) * sigmoid(risk_mean_k + risk_spread_k * z))     0 to 100
    duration     d  = round(exp(duration_mu_k + duration_sigma_k * z'))                               milliseconds, >= 1
    tokens       in = round(exp(tokens_mu_k + 0.5 z'')),  out = round(exp(tokens_mu_k - 1.2 + 0.6 z'''))
    beliefs      one assumption with probability first_belief_k, a second one with second_belief_k, independent

`floor` is what the service's own formula gives for the type, its systems and the words of its goals without any
history, so that a guard asked about a simulated action agrees with the simulated risk.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ActionKind:
    """One action type; the module says what the numbers mean. `reversible` holds for every action of the type."""

    name: str
    floor: int
    risk_mean: float
    risk_spread: float
    duration_mu: float
    duration_sigma: float
    tokens_mu: float
    first_belief: float
    second_belief: float
    reversible: bool = True


TOKENS_IN_SPREAD, TOKENS_OUT_SHIFT, TOKENS_OUT_SPREAD = 0.5, -1.2, 0.6

KINDS: tuple[ActionKind, ...] = (
    ActionKind(
        name="answer_ticket",
        floor=20,
        risk_mean=-2.0,
        risk_spread=0.9,
        duration_mu=9.2,
        duration_sigma=0.6,
        tokens_mu=7.6,
        first_belief=0.25,
        second_belief=0.05,
    ),
    ActionKind(
        name="lookup_order",
        floor=20,
        risk_mean=-3.2,
        risk_spread=0.7,
        duration_mu=7.1,
        duration_sigma=0.5,
        tokens_mu=6.4,
        first_belief=0.05,
        second_belief=0.0,
    ),
    ActionKind(
        name="refund",
        floor=35,
        risk_mean=-0.8,
        risk_spread=0.9,
        duration_mu=8.6,
        duration_sigma=0.5,
        tokens_mu=7.0,
        first_belief=0.8,
        second_belief=0.3,
        reversible=False,
    ),
    ActionKind(
        name="discount",
        floor=20,
        risk_mean=-1.2,
        risk_spread=0.8,
        duration_mu=8.0,
        duration_sigma=0.5,
        tokens_mu=6.8,
        first_belief=0.4,
        second_belief=0.1,
    ),
    ActionKind(
        name="update_crm",
        floor=20,
        risk_mean=-2.2,
        risk_spread=0.8,
        duration_mu=7.8,
        duration_sigma=0.5,
        tokens_mu=6.6,
        first_belief=0.2,
        second_belief=0.02,
    ),
    ActionKind(
        name="send_email",
        floor=35,
        risk_mean=-1.9,
        risk_spread=0.9,
        duration_mu=8.3,
        duration_sigma=0.6,
        tokens_mu=7.4,
        first_belief=0.35,
        second_belief=0.1,
        reversible=False,
    ),
    ActionKind(
        name="research",
        floor=10,
        risk_mean=-2.8,
        risk_spread=0.8,
        duration_mu=11.0,
        duration_sigma=0.8,
        tokens_mu=9.4,
        first_belief=0.3,
        second_belief=0.1,
    ),
    ActionKind(
        name="review",
        floor=10,
        risk_mean=-1.9,
        risk_spread=0.8,
        duration_mu=11.4,
        duration_sigma=0.6,
        tokens_mu=9.0,
        first_belief=0.3,
        second_belief=0.1,
    ),
    ActionKind(
        name="test",
        floor=15,
        risk_mean=-1.5,
        risk_spread=0.8,
        duration_mu=12.2,
        duration_sigma=0.7,
        tokens_mu=7.8,
        first_belief=0.2,
        second_belief=0.05,
    ),
    ActionKind(
        name="release",
        floor=40,
        risk_mean=-0.2,
        risk_spread=0.9,
        duration_mu=12.6,
        duration_sigma=0.5,
        tokens_mu=8.2,
        first_belief=0.9,
        second_belief=0.5,
    ),
    ActionKind(
        name="config",
        floor=40,
        risk_mean=-0.9,
        risk_spread=0.8,
        duration_mu=9.8,
        duration_sigma=0.5,
        tokens_mu=7.4,
        first_belief=0.6,
        second_belief=0.2,
    ),
    ActionKind(
        name="delete_customers",
        floor=65,
        risk_mean=0.4,
        risk_spread=0.7,
        duration_mu=9.6,
        duration_sigma=0.5,
        tokens_mu=7.0,
        first_belief=0.5,
        second_belief=0.1,
        reversible=False,
    ),
)
NAMES: tuple[str, ...] = tuple(kind.name for kind in KINDS)
