"""Decisions as rows."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, integer, json, number, text, time

GUARD_DECISIONS = Table(
    name="guard_decisions",
    meaning="what guard decided, on what, and why",
    key="decision_id",
    columns=(
        ORGANIZATION,
        text("decision_id", "id of the decision", frozen=True),
        text("agent_id", "who asked"),
        text("action_type", "what kind of action"),
        text("declared_goal", "what the agent wanted"),
        text("decision", "allow, warn, require_approval or block"),
        text("would_decide", "the decision with every observed policy enforced; empty when none matched"),
        text("reason", "the reasons in one text"),
        json("reasons", "texts of policies that block or ask for approval"),
        json("warnings", "texts of policies that warn"),
        json("matched_policies", "ids of the enforced policies that matched"),
        json("observed_policies", "ids of the observed policies that matched"),
        integer("policy_version", "which version of the organization's policies decided"),
        number("risk_score", "the service's risk, never below the agent's", "0-100"),
        number("agent_risk_score", "the agent's own estimate", "0-100"),
        json("risk_breakdown", "each addition to the risk by name"),
        json("predictive_risk", "what the agent's history added"),
        text("runtime", "where the agent runs"),
        text("session_id", "the session it belongs to"),
        text("source", "live, import, or simulated: a simulator made it up"),
        json("context", "the whole context as it was sent"),
        text("context_digest", "SHA-256 of the context's canonical form"),
        time("evaluated_at", "when guard decided"),
        time("occurred_at", "when it happened; earlier than evaluated_at for imported history"),
        CREATED_AT,
        text("policy_digest", "SHA-256 of the policies that decided, in their canonical form"),
    ),
    created=frozenset({"guard.decision.created"}),
)
