"""What a standing grant would have covered, and which ones history speaks for: looked at before one is given."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from assent.contract.control.grants import GrantedAgents
from assent.contract.control.guard import ActionType
from assent.contract.endpoint import ANALYZING, Endpoint
from assent.contract.record import Example, Query, Record, Request, Score, meaning
from assent.contract.roles import READING

PREVIEW_DAYS = 30
MOST_LOOKED_AT = 20_000
"""Requests that a preview looks at, the newest first."""
EXAMPLES = 5
MOST_UNBOUND = 200
"""Names of arguments that a suggestion tells."""

Days = Annotated[int, Meta(ge=1, le=365)]


class PreviewGrant(Request, frozen=True, kw_only=True):
    """A pattern as `create_grant` takes it, and how many `days` back to look."""

    example: ClassVar[Example] = {
        "agent_ids": ["refunder"],
        "action_type": "refund",
        "when": {"field": "parameters.amount", "op": "lte", "value": 50},
        "max_risk": 40,
    }

    agent_ids: GrantedAgents
    action_type: ActionType
    max_risk: Score
    when: dict[str, Any] | None = None
    days: Days = PREVIEW_DAYS


class CoveredAgent(Record, frozen=True, kw_only=True):
    agent_id: str
    covered: Annotated[int, meaning("requests of this agent that the grant would have let through")]


class NearMiss(Record, frozen=True, kw_only=True):
    """Requests that one bound alone leaves out: `place` is where it stands, such as `when.all[1]`, `says` what it says,
    and `action_ids` are the newest of them."""

    place: str
    says: str
    n: Annotated[int, meaning("requests that nothing else leaves out")]
    action_ids: list[str]


class GrantPreview(Record, frozen=True, kw_only=True):
    """Of the `looked_at` requests of the type that guard had a person decide since then, `covered` fit the pattern, by
    the policies as they are now; how many of them people allowed and denied, how many `ran`, and how many of those
    `failed`. `failures_high` bounds the share that fails from above with a confidence of 95 %, over independent
    `clusters` (sessions); None where fewer than two ran. `always_asked` would be asked about anyway, whatever the
    pattern. `simulated` of the covered ones a simulator made up. `truncated` says that there were more than 20,000."""

    since: datetime
    looked_at: int
    covered: int
    by_agent: list[CoveredAgent]
    approved: int
    denied: int
    granted: Annotated[int, meaning("covered ones that another grant had let through")]
    ran: int
    failed: int
    no_outcome: Annotated[int, meaning("covered ones that did not run, or had not ended")]
    clusters: int
    failures_high: float | None
    always_asked: int
    simulated: int
    near_misses: list[NearMiss]
    truncated: bool


class SuggestGrantsQuery(Query, frozen=True, kw_only=True):
    """`least` is how often people must have decided, `most_failures` the greatest bound of the share that fails."""

    days: Days = PREVIEW_DAYS
    least: Annotated[int, Meta(ge=1, le=100_000)] = 20
    most_failures: Annotated[float, Meta(ge=0, le=1)] = 0.15


class SuggestedGrant(Record, frozen=True, kw_only=True):
    """An agent's type of action that people always allowed; see `assent_analytics.grants`. `max_risk` is the greatest
    risk that was allowed. No condition is proposed: `unbound` are the names of arguments that the newest requests had
    (at most 200 of them), and a grant of the type alone leaves each open, and others, too."""

    agent_id: str
    action_type: str
    approved: int
    ran: int
    failed: int
    no_outcome: int
    clusters: int
    failures_high: float
    max_risk: float
    unbound: list[str]


class SuggestedGrants(Record, frozen=True, kw_only=True):
    """What was asked about most comes first. What a live grant for the agent and type exists for is not among them."""

    since: datetime
    suggestions: list[SuggestedGrant]


PREVIEW_GRANT = Endpoint(
    operation="preview_grant",
    method="POST",
    path="/api/grants/preview",
    summary="What a pattern would have covered of what people were asked, and what it leaves out by one bound.",
    roles=READING,
    request=PreviewGrant,
    response=GrantPreview,
    problems=ANALYZING,
    keeps_secrets=("when",),
)
SUGGEST_GRANTS = Endpoint(
    operation="suggest_grants",
    method="GET",
    path="/api/grants/suggestions",
    summary="Standing grants that the history of approvals speaks for, with a bound of how often they could fail.",
    roles=READING,
    query=SuggestGrantsQuery,
    response=SuggestedGrants,
    problems=ANALYZING,
)
