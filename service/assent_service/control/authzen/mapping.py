"""Between AuthZEN's question and guard's. Pure.

AuthZEN asks whether a subject may perform an action on a resource in a context; guard is asked about an action of an
agent. The mapping (docs/how-to/ask-by-authzen.md has it as a table):

1. `action.name` is the action's type.
2. The agent is `context.agent`, where the context names one: so do gateways that ask on behalf of a user (COAZ). Else a
   subject of type `agent` or `ai_agent` is the agent of its id, and any other subject the agent `type:id`: ids are
   unique within a type only.
3. The systems touched are the resource's type and its id.
4. Subject, action, resource and context stay whole as guard's `metadata`, for conditions of policies to look at:
   `metadata.resource.properties.status`.
5. They are the parameters, too: all that a question says of the act, but an approval that it brings and what it says
   to guard alone. So flow policies see them, and an approval is good for exactly these. A caller that gives their
   digest keeps them to itself.
6. What guard knows beside that (`Hints`) is said in `context.assent`.

The answer is `true` for allow alone. A warning lets an agent go on that reads it; most enforcement points have no place
to show it, so it is a `false` unless the caller says that it takes warnings (`context.assent.accept_warnings`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from assent.contract.control.authzen import AccessAction, AccessDecision, AccessEvaluation, Entity, Hints
from assent.contract.control.guard import Decision, GuardResult
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent_service.base.problem import Refusal, refuse
from assent_service.core.body import with_defaults as with_null_for_default

AGENTS = frozenset({"agent", "ai_agent"})
"""Types of subjects that are agents themselves."""
OWN = "assent"
"""The member of the context that speaks to guard."""
APPROVAL = "approval"
"""The member of the context that brings an approval."""
REDACTED = "[REDACTED:"
"""How what stands in a secret's place begins."""

_NEEDED: dict[str, tuple[str, ...]] = {
    "subject": ("type", "id"),
    "action": ("name",),
    "resource": ("type", "id"),
    "context": (),
}
"""Members of a question, and what an evaluation may leave to the default of that member."""

REASONS = {
    Decision.ALLOW: "allowed",
    Decision.WARN: "warned",
    Decision.REQUIRE_APPROVAL: "approval_required",
    Decision.BLOCK: "blocked",
}
"""`context.reason` of an answer, by guard's decision."""


def hints_of(asked: AccessEvaluation) -> Hints:
    """Raises `invalid_body`."""
    said = (asked.context or {}).get(OWN)
    if said is None:
        return Hints()
    try:
        return msgspec.convert(with_null_for_default(Hints, said), prepared(Hints))
    except msgspec.ValidationError as error:
        place = f"context.{OWN}"
        raise refuse(
            Code.INVALID_BODY, f"The body is not valid: {place}: {error}.", FieldError(place=place, message=str(error))
        ) from error


def guard_members(asked: AccessEvaluation, hints: Hints) -> dict[str, Any]:
    """The body that asks guard the same."""
    members: dict[str, Any] = {
        "action_type": asked.action.name,
        "agent_id": _agent(asked),
        "systems_touched": list(dict.fromkeys((asked.resource.type, asked.resource.id))),
    }
    said: dict[str, Any] = msgspec.to_builtins(hints)
    said.pop("accept_warnings", None)
    metadata = parts_of(asked.subject, asked.action, asked.resource)
    if asked.context is not None:
        metadata["context"] = asked.context
    if hints.parameters_digest is None:
        members["parameters"] = _parameters(asked)
    return members | said | {"metadata": metadata}


def _parameters(asked: AccessEvaluation) -> dict[str, Any]:
    context = {name: value for name, value in (asked.context or {}).items() if name not in (OWN, APPROVAL)}
    parts = parts_of(asked.subject, asked.action, asked.resource)
    return parts | ({"context": context} if context else {})


def parts_of(subject: Entity, action: AccessAction, resource: Entity) -> dict[str, Any]:
    """Subject, action and resource as they are kept."""
    parts = {"subject": subject, "action": action, "resource": resource}
    return {name: msgspec.to_builtins(part) for name, part in parts.items()}


def approval_of(asked: AccessEvaluation) -> str | None:
    """The approval that an evaluation brings along (`requests`)."""
    approval = (asked.context or {}).get(APPROVAL)
    named = approval.get("id") if isinstance(approval, dict) else None
    return named if isinstance(named, str) and named else None


def _agent(asked: AccessEvaluation) -> str:
    """Raises `invalid_body` for one whose name held a secret: it would be one name for many."""
    subject, named = asked.subject, (asked.context or {}).get("agent")
    if isinstance(named, str) and named:
        place, name = "context.agent", named
    else:
        place, name = "subject", subject.id if subject.type in AGENTS else f"{subject.type}:{subject.id}"
    if REDACTED in name:
        message = "holds what looks like a secret"
        raise refuse(
            Code.INVALID_BODY, f"The body is not valid: {place} {message}.", FieldError(place=place, message=message)
        )
    return name


def with_defaults(defaults: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """One of several questions, with what it leaves out: a whole member, or of one that it has what a member needs."""
    found: dict[str, Any] = {}
    for name, needed in _NEEDED.items():
        said, usual = own.get(name), defaults.get(name)
        if said is None:
            said = usual
        elif isinstance(said, dict) and isinstance(usual, dict):
            said = {each: usual[each] for each in needed if each in usual} | said
        if said is not None:
            found[name] = said
    return found


def access_decision(result: GuardResult, *, accept_warnings: bool) -> AccessDecision:
    """What guard decided, in AuthZEN's words."""
    context: dict[str, Any] = {
        "reason": REASONS[result.decision],
        "evaluation_id": result.decision_id,
        "evaluated_at": result.evaluated_at,
        "risk_score": result.risk_score,
        "reasons": result.reasons,
        "warnings": result.warnings,
        "matched_policies": result.matched_policies,
    }
    if result.reason is not None:
        context["reason_admin"] = {"en": result.reason}
    allowed = result.decision is Decision.ALLOW or (accept_warnings and result.decision is Decision.WARN)
    return AccessDecision(decision=allowed, context=context)


def refused_decision(refusal: Refusal) -> AccessDecision:
    """An evaluation among others that cannot be decided: it is not allowed, and says why."""
    error = {"status": refusal.status, "code": refusal.code.value, "message": refusal.detail}
    return AccessDecision(decision=False, context={"reason": refusal.code.value, "error": error})
