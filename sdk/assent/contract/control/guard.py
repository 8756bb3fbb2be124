"""Asking before acting: the guard context, its verdict, and the list of past decisions."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType

from assent.contract.control.externality import Externality
from assent.contract.control.flows import FlowTrace
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import (
    AgentRisk,
    Cursor,
    Example,
    Moment,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    ShortText,
    meaning,
)
from assent.contract.roles import ACTING, ANYONE


class Decision(StrEnum):
    """Guard's verdicts, weakest first; when several policies match, the strongest wins."""

    ALLOW = "allow"
    WARN = "warn"
    REQUIRE_APPROVAL = "require_approval"
    BLOCK = "block"


class Runtime(StrEnum):
    """Where the agent runs, which says how far guard can reach (the specification's runtime profiles)."""

    SDK_SERVICE = "sdk_service"
    CODING_ASSISTANT = "coding_assistant"
    CODING_AGENT = "coding_agent"
    EVIDENCE_IMPORT = "evidence_import"


class Source(StrEnum):
    """`live`: the agent is waiting. `import`: it happened before and is recorded as history. `simulated`: it never
    happened; a simulator made it, and everything that shows it says so."""

    LIVE = "live"
    IMPORT = "import"
    SIMULATED = "simulated"


ActionType = Annotated[str, Meta(min_length=1, max_length=128)]
Goal = Annotated[str, Meta(max_length=2000)]
Systems = Annotated[list[Annotated[str, Meta(max_length=500)]], Meta(max_length=50)]
ParametersDigest = Annotated[str, Meta(pattern=r"^sha256:[0-9a-f]{64}(?!\n)$")]
"""As `assent.proof.act.parameters_digest` writes it."""


class GuardContext(Request, frozen=True, kw_only=True):
    """What an agent is about to do. The body is open: every further member is kept and policies can look at it.

    `risk_score` is the agent's own estimate, 0 to 100. `parameters` are what the action is done with, or
    `parameters_digest` stands for them. `parent_session_id` is the session in which `session_id` was begun, such as
    that of the agent whose sub-agent asks; it is kept in the decision's context. `occurred_at` and `source` belong to
    history and need an admin key.
    """

    example: ClassVar[Example] = {
        "action_type": "deploy",
        "declared_goal": "Release 4.2 to production",
        "systems_touched": ["production"],
        "reversible": True,
        "risk_score": 40,
    }

    action_type: ActionType
    declared_goal: Goal | None = None
    agent_id: ShortText | None = None
    systems_touched: Systems | None = None
    parameters: dict[str, Any] | None = None
    parameters_digest: ParametersDigest | None = None
    externality: Externality | None = None
    reversible: bool | None = None
    risk_score: AgentRisk | None = None
    metadata: dict[str, Any] | None = None
    runtime: Runtime | None = None
    session_id: ShortText | None = None
    parent_session_id: Annotated[ShortText | None, meaning("the session in which that one was begun")] = None
    occurred_at: Moment | None = None
    source: Source | None = None


class StatisticalRisk(Record, frozen=True, kw_only=True):
    """What the last 30 days of the same agent and action type add to the risk (`adjustment`, points).

    `failure_rate` is 0 to 1, `velocity` the number of actions in the last hour; `avg_historical_risk` is None without
    history.
    """

    adjustment: float
    failure_rate: float
    total_actions: int
    avg_historical_risk: float | None
    velocity: int


class PredictiveRisk(Record, frozen=True, kw_only=True):
    statistical: StatisticalRisk
    total_adjustment: float


class Learning(Record, frozen=True, kw_only=True):
    """Feedback from the agent's own outcomes; present only when history exists for the agent and action type."""

    recent_score_avg: float
    baseline_score_avg: float
    drift_status: str
    patterns: list[str]
    feedback_summary: dict[str, int]


class GuardResult(Record, frozen=True, kw_only=True):
    """A recorded decision.

    `risk_score` is the service's (0 to 100, never below the agent's own), `agent_risk_score` the agent's raw value.
    `risk_breakdown` names each addition; what a risk template raised is there as `template`. The `risk_template_`
    members are there when a template rated the action: which, in which version, and its own risk. `action_type` is the
    type as it is compared and kept, `action_type_as_sent` is there where it was sent in another spelling.
    `would_decide` is what the decision would have been with every observed policy enforced, None when no observed
    policy matched; `observed_policies` are the ids of those that did. `action_id` repeats `decision_id` for
    published clients: it names the evaluation, not an action.
    `destructive` is whether the goal speaks of destruction, absent where nobody looked. `explored` is there where a
    policy did the other thing to find out (`contract.control.exploration`), `triaged` where triage let it pass
    (`contract.control.triage`).
    """

    decision: Decision
    decision_id: str
    action_id: str
    agent_id: str | None
    action_type: str
    reason: str | None
    reasons: list[str]
    warnings: list[str]
    signals: list[str]
    matched_policies: list[str]
    would_decide: Decision | None
    observed_policies: list[str]
    policy_version: int
    risk_score: float
    agent_risk_score: float | None
    risk_breakdown: dict[str, float]
    predictive_risk: PredictiveRisk
    evaluated_at: datetime
    learning: Learning | UnsetType = UNSET
    risk_template_id: str | UnsetType = UNSET
    risk_template_version: int | UnsetType = UNSET
    risk_template_score: float | UnsetType = UNSET
    action_type_as_sent: str | UnsetType = UNSET
    destructive: bool | UnsetType = UNSET
    explored: bool | UnsetType = UNSET
    triaged: bool | UnsetType = UNSET


class TriageAnswer(StrEnum):
    """`ask` a person; `audit`: ask, though it could pass; `allow` without asking."""

    ASK = "ask"
    AUDIT = "audit"
    ALLOW = "allow"


class TriageMark(Record, frozen=True, kw_only=True):
    """How triage decided, of a request that could pass (`contract.control.triage`): of the plan, the request with this
    `number` in its stratum. Its `draw` was below the audit share, so that it was asked, or not. `passed` is how many
    have passed with it, of which at most `bound` are harmful and `budget` are accepted, when it was decided."""

    plan_id: str
    stratum: str
    number: int
    answer: TriageAnswer
    draw: float
    share: float
    threshold: float
    epoch: int
    alpha: float
    delta: float
    passed: int
    bound: int
    budget: float


class RecordedDecision(Struct, frozen=True, kw_only=True):
    """The payload of `guard.decision.created` and a row of the table."""

    org_id: OrganizationId
    decision_id: Annotated[str, meaning("id of the decision", frozen=True)]
    agent_id: Annotated[str | None, meaning("who asked")]
    action_type: Annotated[str, meaning("what kind of action")]
    declared_goal: Annotated[str | None, meaning("what the agent wanted")]
    decision: Annotated[Decision, meaning("allow, warn, require_approval or block")]
    would_decide: Annotated[
        Decision | None, meaning("the decision with every observed policy enforced; empty when none matched")
    ]
    reason: Annotated[str | None, meaning("the reasons in one text")]
    reasons: Annotated[tuple[str, ...], meaning("texts of policies that block or ask for approval")]
    warnings: Annotated[tuple[str, ...], meaning("texts of policies that warn")]
    matched_policies: Annotated[tuple[str, ...], meaning("ids of the enforced policies that matched")]
    observed_policies: Annotated[tuple[str, ...], meaning("ids of the observed policies that matched")]
    policy_version: Annotated[int, meaning("which version of the organization's policies decided")]
    risk_score: Annotated[float, meaning("the service's risk, never below the agent's", unit="0-100")]
    agent_risk_score: Annotated[float | None, meaning("the agent's own estimate", unit="0-100")]
    risk_breakdown: Annotated[dict[str, float], meaning("each addition to the risk by name")]
    predictive_risk: Annotated[PredictiveRisk, meaning("what the agent's history added")]
    runtime: Annotated[Runtime, meaning("where the agent runs")]
    session_id: Annotated[str | None, meaning("the session it belongs to")]
    source: Annotated[Source, meaning("live, import, or simulated: a simulator made it up")]
    context: Annotated[dict[str, Any], meaning("the whole context as it was sent")]
    context_digest: Annotated[str, meaning("SHA-256 of the context's canonical form")]
    evaluated_at: Annotated[datetime, meaning("when guard decided")]
    occurred_at: Annotated[datetime, meaning("when it happened; earlier than evaluated_at for imported history")]
    created_at: RecordedAt
    policy_digest: Annotated[str | None, meaning("SHA-256 of the policies that decided, in their canonical form")] = (
        None
    )
    risk_template_id: Annotated[str | UnsetType, meaning("the risk template that rated it; empty when none did")] = (
        UNSET
    )
    risk_template_version: Annotated[int | UnsetType, meaning("which version of that template")] = UNSET
    risk_template_score: Annotated[
        float | UnsetType, meaning("the template's own risk, before it was compared with others", unit="0-100")
    ] = UNSET
    limited_by_key: Annotated[
        tuple[str, ...] | UnsetType,
        meaning("ids of rate limits that the count of the key reached and not the agent's; empty for none"),
    ] = UNSET
    idempotency_key: Annotated[str | UnsetType, meaning("the key that makes the question repeatable")] = UNSET
    destructive: Annotated[
        bool | UnsetType, meaning("whether the goal speaks of destruction; empty where nobody looked")
    ] = UNSET
    destructive_table: Annotated[str | UnsetType, meaning("the version of the table of words that told it")] = UNSET
    name_rule: Annotated[
        int | None, meaning("the rule by which names were compared; empty: exactly as they were sent")
    ] = None
    propensity: Annotated[
        float, meaning("how probable this decision was; 1 where rules alone decided", unit="0-1", frozen=True)
    ] = 1.0
    explored: Annotated[bool, meaning("whether a policy did the other thing to find out", frozen=True)] = False
    explore_draw: Annotated[
        float | UnsetType,
        meaning("what was drawn for the key and hour; empty where no policy explored", unit="0-1", frozen=True),
    ] = UNSET
    explore_below: Annotated[
        float | UnsetType, meaning("the risk below which the organization let policies explore", unit="0-100")
    ] = UNSET
    triage: Annotated[
        TriageMark | UnsetType,
        meaning("by which plan and draw triage let it pass or audited it; empty where it had no say", frozen=True),
    ] = UNSET
    flow: Annotated[
        FlowTrace | UnsetType,
        meaning("where the values came from, as far as the session was told; empty without a flow policy", frozen=True),
    ] = UNSET


class GuardDecision(Record, frozen=True, kw_only=True):
    """One row of the list of decisions; `created_at` is when it was recorded, `occurred_at` when it happened.
    `propensity` is how probable it was, 1 by rules alone; `explored` says that a policy did the other thing."""

    id: str
    decision_id: str
    org_id: str
    agent_id: str | None
    action_type: str
    declared_goal: str | None
    decision: Decision
    would_decide: Decision | None
    reason: str | None
    matched_policies: list[str]
    observed_policies: list[str]
    risk_score: float
    agent_risk_score: float | None
    policy_version: int
    source: Source
    occurred_at: datetime
    created_at: datetime
    propensity: float = 1.0
    explored: bool = False


class GuardQuery(Query, frozen=True, kw_only=True):
    """With `include_signals` the signals that are on for the agent are among the warnings. `record` is accepted for
    published clients; decisions are always recorded."""

    include_signals: bool | None = None
    record: bool | None = None


class GuardDecisionsQuery(Query, frozen=True, kw_only=True):
    agent_id: ShortText | None = None
    action_type: ShortText | None = None
    decision: Decision | None = None
    source: Source | None = None
    days: Annotated[int, Meta(ge=1, le=3650)] | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] = 20
    offset: Offset = 0
    cursor: Cursor | None = None


class GuardStats(Record, frozen=True, kw_only=True):
    """Counts of the last 24 hours, whatever the filters."""

    total_24h: int
    blocks_24h: int
    warns_24h: int
    approvals_24h: int


class GuardDecisions(Record, frozen=True, kw_only=True):
    """`total` counts every row that fits the filters; `by_decision` splits it; `next_cursor` is None at the end."""

    decisions: list[GuardDecision]
    total: int
    by_decision: dict[str, int]
    stats: GuardStats
    limit: int
    offset: int
    next_cursor: str | None


OF_GUARD: dict[str, str] = {"action": "action_type", "intent": "declared_goal"}
"""What published guard calls also say."""

GUARD = Endpoint(
    operation="guard",
    method="POST",
    path="/api/guard",
    summary="Ask whether an action may go ahead; the decision is recorded before it is answered.",
    roles=ACTING,
    request=GuardContext,
    query=GuardQuery,
    response=GuardResult,
    open_body=True,
    spelled=OF_GUARD,
    problems=(
        Code.AGENT_MISMATCH,
        Code.IDEMPOTENCY_MISMATCH,
        Code.DECISION_UNUSABLE,
        Code.PROJECTION_BEHIND,
    ),
)
GET_GUARD_DECISIONS = Endpoint(
    operation="get_guard_decisions",
    method="GET",
    path="/api/guard",
    summary="Past decisions, newest first.",
    roles=ANYONE,
    query=GuardDecisionsQuery,
    response=GuardDecisions,
)
