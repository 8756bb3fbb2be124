"""The value of a policy: which failures and how much work it would have caused, had it decided what is on record.

A backtest says what a policy would have decided. What that would have caused is known where it would do what was done,
where it would block, and where a draw did what it would (`contract.control.exploration`); elsewhere there are bounds.
Nothing is recorded by asking.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from assent.contract.analysis.backtest import MOST_POLICIES, Cost
from assent.contract.control.guard import Source
from assent.contract.control.policies import PolicyDraft
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Example, Record, Request, ShortText
from assent.contract.roles import READING
from assent.contract.window import WindowText


class ValueStatus(StrEnum):
    """`few_clusters`: the intervals rest on fewer than 10 clusters. `not_identified`: for some decisions nobody saw
    what the policy would do, and only bounds are known. `insufficient_data`: no decisions, or one cluster."""

    OK = "ok"
    FEW_CLUSTERS = "few_clusters"
    NOT_IDENTIFIED = "not_identified"
    INSUFFICIENT_DATA = "insufficient_data"


class PolicyCosts(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What one interruption and one failure cost, in one unit of the caller's choice; and with `lost_work` each
    decision whose work is not completed, a failed one too."""

    interruption: Cost
    failure: Cost
    lost_work: Cost | None = None


class EvaluatePolicy(Request, frozen=True, kw_only=True):
    """The whole set of `policies` to decide by instead of those that did; by null the organization's own. Each by its
    rules: what they carry as `explore` is left out. `costs` asks for the cost of 1,000 decisions."""

    example: ClassVar[Example] = {"policies": [], "costs": {"interruption": 5, "failure": 200.5}}

    policies: Annotated[list[PolicyDraft], Meta(max_length=MOST_POLICIES)] | None = None
    window: WindowText = "30d"
    agent_id: ShortText | None = None
    source: Source | None = None
    costs: PolicyCosts | None = None


class ValueInterval(Record, frozen=True, kw_only=True):
    """From `least` to `most` by what is known and not, which is one number where all is; from `low` to `high` with
    chance (95%), null where nothing tells it."""

    least: float
    most: float
    low: float | None
    high: float | None


class OutcomeValue(Record, frozen=True, kw_only=True):
    """The share of decisions that end so: as it was done (`staying`), as the policy would have it (`going`), and the
    latter less the former. Three estimates of going, null unless it is known: by inverse propensity, self-normalised,
    and doubly robust, which `going` is around."""

    staying: ValueInterval
    going: ValueInterval
    change: ValueInterval
    inverse: float | None
    normalised: float | None
    doubly_robust: float | None


class CostValue(Record, frozen=True, kw_only=True):
    """The cost of 1,000 decisions: interruptions, failures and, where it has a price, work that is not completed."""

    staying: ValueInterval
    going: ValueInterval
    change: ValueInterval


class PolicyEvaluation(Record, frozen=True, kw_only=True):
    """`says` tells in words what the numbers rest on and what cannot be known.

    Of `n` decisions, in so many `clusters` (`basis` says what they are), the policy would do what was done in `same`,
    block in `stopped`, do what a draw could have done in `explored`, and what nobody saw in `without`; `unknown` have
    no outcome. `draws` did what it would; their weights amount to `effective` decisions, the heaviest hundredth has the
    share `heaviest`, and their mean, which ought to be 1, is `mean_weight`. `asked_staying` and `asked_going` decisions
    ask a person. `failures` and `work` are the shares that fail and that complete. `better` says whether the cost of
    going, or without costs its failures, is surely below (true) or above (false) that of staying; null where it is not
    sure, and where completed work surely falls (or, for false, rises) and has no price.
    """

    status: ValueStatus
    says: list[str]
    n: int
    simulated: int
    clusters: int
    basis: str
    window: str
    since: datetime
    until: datetime
    same: int
    stopped: int
    explored: int
    without: int
    unknown: int
    draws: int
    effective: float
    heaviest: float
    mean_weight: float | None
    asked_staying: int
    asked_going: int
    failures: OutcomeValue | None
    work: OutcomeValue | None
    costs: CostValue | None
    better: bool | None


EVALUATE_POLICY = Endpoint(
    operation="evaluate_policy",
    method="POST",
    path="/api/policies/evaluate",
    summary="What policies would have caused on the decisions of a window, as far as that can be known.",
    roles=READING,
    request=EvaluatePolicy,
    response=PolicyEvaluation,
    problems=(Code.INVALID_POLICY, Code.PROJECTION_BEHIND),
    # Drafts are tried as they are, and not kept.
    keeps_secrets=("policies",),
    analyzes=True,
)
