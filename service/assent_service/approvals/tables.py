"""Approvals as rows."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, json, number, text, time

APPROVALS = Table(
    name="approvals",
    meaning="what waited for an operator, and what became of it",
    key="approval_id",
    columns=(
        ORGANIZATION,
        text("approval_id", "id of the approval", frozen=True),
        text("action_id", "the action that waits", frozen=True),
        text("agent_id", "who wants to act", frozen=True),
        text("action_type", "what kind of action", frozen=True),
        text("declared_goal", "what the agent wants"),
        number("risk_score", "the service's risk", "0-100"),
        json("reasons", "why it was stopped"),
        json("matched_policies", "ids of the policies that stopped it"),
        text("state", "awaiting, approved, denied or expired"),
        time("requested_at", "when it was asked"),
        time("expires_at", "when it expires unless somebody decides"),
        time("decided_at", "when it was decided, or expired"),
        text("decided_by", "the operator by name"),
        text("decided_by_key", "id of the operator's key"),
        text("reasoning", "why it was decided so"),
        text("idempotency_key", "the key that makes the decision repeatable"),
        CREATED_AT,
    ),
    created=frozenset({"approval.requested"}),
    replaced=frozenset({"approval.decided", "approval.expired"}),
)
