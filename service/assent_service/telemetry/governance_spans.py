"""What governance did in a request, as a span says it: pure, from what was answered.

Names are OpenTelemetry's GenAI conventions (`gen_ai.*`, still in development there) where they have one, and
`assent.*` where they have none: they know no approvals and no verdicts of policies yet. Ids, types, counts and verdicts
only: never a goal, a reason, an argument or a result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assent.contract.control.actions import (
    Action,
    ActionStatus,
    ApprovedAction,
    CreatedAction,
    UpdatedAction,
    WithdrawnAction,
)
from assent.contract.control.claims import ClaimedAction
from assent.contract.control.guard import GuardContext, GuardResult
from assent.contract.control.outcomes import ReportedOutcome
from assent_service.base.problem import Refusal
from assent_service.core.call import AnyCall, Call
from assent_service.telemetry.spans import Attributes, short

EVALUATION = "gen_ai.evaluation.result"
EVALUATED = "gen_ai.evaluation.name"
LABEL = "gen_ai.evaluation.score.label"
SCORE = "gen_ai.evaluation.score.value"


@dataclass(slots=True)
class GovernanceSpan:
    """`began` is the action that came into being here, `about` the one that this goes back to. `verdict` is the event
    that mirrors a decision."""

    name: str
    attributes: Attributes
    began: str | None = None
    about: str | None = None
    verdict: Attributes | None = None


def guarded(call: Call[GuardContext, Any], result: GuardResult) -> GovernanceSpan:
    """`guard`: a question that was answered."""
    body = call.body
    attributes = _who(body.agent_id or result.agent_id, None, body.session_id, result.action_type)
    _tool(attributes, call.sent.members)
    return _decided(GovernanceSpan("execute_tool guard", attributes), result)


def created(call: AnyCall, made: CreatedAction) -> GovernanceSpan:
    """`create_action` that went through, or waits for a person."""
    action = made.action
    attributes = _of(action)
    _tool(attributes, call.sent.members)
    if made.approval is not None:
        attributes["assent.approval.id"] = made.approval.approval_id
        attributes["assent.approval.state"] = made.approval.state.value
    governed = GovernanceSpan(
        "execute_tool create_action", attributes, began=None if made.idempotent_replay else action.action_id
    )
    return _decided(governed, made.decision)


def blocked(call: AnyCall, refusal: Refusal) -> GovernanceSpan | None:
    """`create_action` that policies stopped; None for every other refusal."""
    action, decision = refusal.extras.get("action"), refusal.extras.get("decision")
    if not (isinstance(action, dict) and isinstance(decision, dict)):
        return None
    attributes = _who(action["agent_id"], action["agent_name"], action["session_id"], action["action_type"])
    _tool(attributes, call.sent.members)
    attributes["assent.action_id"] = action["action_id"]
    attributes["assent.action.status"] = ActionStatus.BLOCKED.value
    governed = GovernanceSpan("execute_tool create_action", attributes, began=action["action_id"])
    _verdict(governed, "block", decision["decision_id"], decision["risk_score"], len(decision["matched_policies"]))
    return governed


def approved(call: AnyCall, done: ApprovedAction) -> GovernanceSpan:
    """`approve_action`: somebody said yes or no."""
    return _approval("assent.approve", done.action, done.approval.approval_id, done.approval.state.value)


def withdrawn(call: AnyCall, done: WithdrawnAction) -> GovernanceSpan:
    """`withdraw_action`: whoever asked took the question back."""
    return _approval("assent.withdraw", done.action, done.approval.approval_id, done.approval.state.value)


def claimed(call: AnyCall, done: ClaimedAction) -> GovernanceSpan:
    """`claim_action`: an approval was used."""
    return _approval("assent.claim", done.action, done.approval.approval_id, "claimed")


def updated(call: AnyCall, done: UpdatedAction) -> GovernanceSpan:
    """`update_outcome`."""
    return GovernanceSpan("assent.outcome", _of(done.action), about=done.action.action_id)


def reported(call: AnyCall, done: ReportedOutcome) -> GovernanceSpan:
    """`report_action_outcome`."""
    attributes = _of(done.action) | {"assent.outcome": done.outcome.status.value}
    return GovernanceSpan("assent.outcome", attributes, about=done.action_id)


def _approval(name: str, action: Action, approval_id: str, state: str) -> GovernanceSpan:
    attributes = _of(action) | {"assent.approval.id": approval_id, "assent.approval.state": state}
    return GovernanceSpan(name, attributes, about=action.action_id)


def _of(action: Action) -> Attributes:
    attributes = _who(action.agent_id, action.agent_name, action.session_id, action.action_type)
    attributes["assent.action_id"] = action.action_id
    attributes["assent.action.status"] = action.status.value
    return attributes


def _who(agent_id: str | None, agent_name: str | None, session_id: str | None, action_type: str) -> Attributes:
    attributes: Attributes = {"gen_ai.operation.name": "execute_tool", "assent.action_type": action_type}
    if agent_id:
        attributes["gen_ai.agent.id"] = short(agent_id)
    if agent_name:
        attributes["gen_ai.agent.name"] = short(agent_name)
    if session_id:
        attributes["gen_ai.conversation.id"] = short(session_id)
    return attributes


def _tool(attributes: Attributes, members: Mapping[str, Any]) -> None:
    """Adapters and hooks say which tool it is in `metadata.tool`; guard's open body may say it as `tool_name`."""
    metadata = members.get("metadata")
    tool = metadata.get("tool") if isinstance(metadata, dict) else members.get("tool_name")
    if isinstance(tool, str) and tool:
        attributes["gen_ai.tool.name"] = short(tool)


def _decided(governed: GovernanceSpan, result: GuardResult) -> GovernanceSpan:
    decision = result.decision.value
    _verdict(governed, decision, result.decision_id, result.risk_score, len(result.matched_policies))
    if result.would_decide is not None:
        governed.attributes["assent.would_decide"] = result.would_decide.value
    return governed


def _verdict(governed: GovernanceSpan, decision: str, decision_id: str, risk: float, policies: int) -> None:
    attributes = governed.attributes
    attributes["assent.decision"] = decision
    attributes["assent.decision_id"] = decision_id
    attributes["assent.risk_score"] = float(risk)
    attributes["assent.policies"] = policies
    governed.verdict = {EVALUATED: "assent.guard", LABEL: decision, SCORE: float(risk)}
