"""The members of a certificate, each made from an action's story. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from assent.contract.control.actions import FINAL, ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision, Source
from assent.contract.events import EventName
from assent.pcaa import checkpoint_states_of, enforceability_of, facts_from, receipts_of
from assent.proof.canonical import CanonicalError, digest
from assent.proof.story import CertificateError, Row, Story
from assent.proof.times import moment

_ENVELOPE = (
    *("agent_id", "agent_name", "swarm_id", "parent_action_id", "session_id", "action_type", "declared_goal"),
    *("reasoning", "authorization_scope", "trigger", "systems_touched", "input_summary", "reversible", "confidence"),
    *("agent_risk_score", "runtime", "source", "verification", "timestamp_start", "created_at", "created_by"),
    *("parameters_digest", "externality"),
)
_DECISION = (
    *("decision_id", "decision", "would_decide", "reasons", "warnings", "matched_policies", "observed_policies"),
    *("risk_score", "risk_breakdown", "evaluated_at"),
)
_APPROVAL = {
    **{name: name for name in ("approval_id", "state", "requested_at", "expires_at", "decided_at")},
    "reviewer": "decided_by",
    "reviewer_key": "decided_by_key",
    "reasoning": "reasoning",
    "policy_basis": "matched_policies",
    "reasons": "reasons",
    "conditions": "conditions",
    **{name: name for name in ("valid_until", "act_digest", "claimed_at", "claimed_by", "refused_claims")},
}
"""The receipt's member -> the approval's."""
_ENDS = (EventName.APPROVAL_DECIDED, EventName.APPROVAL_EXPIRED, EventName.APPROVAL_WITHDRAWN)
"""What ends an approval's waiting."""
_ASSUMPTION = (
    *("assumption_id", "assumption", "basis", "validated", "invalidated", "invalidated_reason", "occurred_at"),
)
_QUESTION = (
    *("question_id", "text", "conditions", "state", "asked_by", "asked_by_key", "created_at"),
    *("answer", "replaced_by", "answered_by", "answered_by_key", "closed_at"),
)
_OUTCOME = (
    *("status", "output_summary", "side_effects", "artifacts_created", "error_message", "timestamp_end"),
    *("duration_ms", "cost_estimate", "tokens_in", "tokens_out", "model"),
)
_DURABLE = ("status", "outcome_at", "summary", "error_message", "elapsed_ms", "reported_by")
_LISTS = frozenset(
    {
        *("systems_touched", "reasons", "warnings", "matched_policies", "observed_policies", "policy_basis"),
        *("conditions", "side_effects", "artifacts_created"),
    }
)
"""Members that are an empty list where a row lacks them."""


def sections(story: Story, now: datetime) -> dict[str, Any]:
    """Everything of a certificate but what it is about and where it lies. `now` is when the tree head was signed: by
    that time the checkpoints are judged."""
    action, decision = story.action or {}, story.decision
    not_run = non_execution(story)
    checkpoints, receipts = _standing(story, now)
    # What only some actions have is not in the certificate of the others, so that what was signed before there was such
    # a thing stays the same.
    optional: dict[str, Any] = {}
    if story.questions:
        optional["questions"] = [_taken(row, _QUESTION) for row in story.questions]
    if "replaces" in action:
        optional["replaces"] = action["replaces"]
    return {
        "status": action.get("status"),
        "revision": action.get("revision"),
        "envelope": _envelope(story),
        "policy": {
            "version": None if decision is None else decision.get("policy_version"),
            "digest": None if decision is None else decision.get("policy_digest"),
        },
        "decision": None if decision is None else _taken(decision, _DECISION),
        "approval": None if story.approval is None else _receipt(story.approval),
        "assumptions": [_taken(row, _ASSUMPTION) for row in story.assumptions],
        "outcome": _taken(action, _OUTCOME) if action.get("status") in FINAL and not_run is None else None,
        "durable_outcome": None if story.outcome is None else _durable(story.outcome),
        "non_execution": not_run,
        "corrections": _corrections(story),
        "changes": _changes(story),
        "checkpoints": checkpoints,
        "receipts": receipts,
        "erasure": _erasure(story),
        **optional,
    }


def non_execution(story: Story) -> dict[str, Any] | None:
    """The proof that an action did not run: it was blocked, or its approval was denied, expired or withdrawn, and
    nothing that was recorded afterwards says that it ran after all: no other status, no output, side effect or
    artifact, no durable outcome. An agent's own word that it was blocked is an outcome and no proof; of history there
    is nothing else."""
    action, approval = story.action, story.approval
    if action is None or story.outcome is not None:
        return None
    if action.get("output_summary") or action.get("side_effects") or action.get("artifacts_created"):
        return None
    if action.get("status") == ActionStatus.BLOCKED:
        stopped = story.decision is not None and story.decision.get("decision") == Decision.BLOCK
        if not stopped and action.get("source") == Source.LIVE:
            return None
        at = action.get("timestamp_end") or action.get("created_at")
        return {"basis": "blocked", "by": action.get("decision_id") if stopped else None, "at": at}
    if action.get("status") != ActionStatus.CANCELLED or approval is None:
        return None
    state = approval.get("state")
    if state not in (ApprovalState.DENIED, ApprovalState.EXPIRED, ApprovalState.WITHDRAWN) or _ran_later(story):
        return None
    return {"basis": state, "by": approval.get("approval_id"), "at": approval.get("decided_at")}


def _ran_later(story: Story) -> bool:
    """Whether the action got a status that only what runs has, after its approval had ended."""
    ended = max((each.n for each in story.of(*_ENDS)), default=-1)
    later = [change.data for change in story.changes if change.n > ended and change.data is not None]
    return any(row.get("status") != ActionStatus.CANCELLED for row in later)


def _envelope(story: Story) -> dict[str, Any] | None:
    action, decision = story.action, story.decision
    if action is None:
        return None
    return {
        **_taken(action, _ENVELOPE),
        "enforceability": enforceability_of(action.get("runtime"), action.get("source")).value,
        "context_digest": None if decision is None else decision.get("context_digest"),
    }


def _receipt(approval: Row) -> dict[str, Any]:
    receipt = {name: _member(approval, there, name in _LISTS) for name, there in _APPROVAL.items()}
    receipt["refused_claims"] = approval.get("refused_claims", 0)
    # Where it is not recorded it is not in the certificate, so that what was signed before it was stays the same.
    own = approval.get("self_decided")
    receipt |= {} if own is None else {"self_decided": own}
    grant = approval.get("grant_id")
    return receipt if grant is None else receipt | {"grant_id": grant}


def _durable(outcome: Row) -> dict[str, Any]:
    progress = outcome.get("progress")
    try:
        return {**_taken(outcome, _DURABLE), "progress_digest": None if progress is None else digest(progress)}
    except CanonicalError as error:
        raise CertificateError(f"the progress of the outcome has no canonical form: {error}") from None


def _corrections(story: Story) -> list[dict[str, Any]]:
    found = []
    for n, row, change in _recorded_changes(story):
        if change.get("kind") == "correction":
            members = sorted(_mapping(change.get("changed")))
            said = {"n": n, "at": change.get("at"), "by": change.get("by"), "revision": row.get("revision")}
            found.append({**said, "members": members})
    return found


def _changes(story: Story) -> list[dict[str, Any]]:
    return [
        {
            "n": n,
            "at": change.get("at"),
            "by": change.get("by"),
            "kind": change.get("kind"),
            "revision": row.get("revision"),
        }
        for n, row, change in _recorded_changes(story)
    ]


def _recorded_changes(story: Story) -> Iterable[tuple[int, Row, Mapping[str, Any]]]:
    """Number, row and change of each event that changed the action."""
    for event in story.changes:
        if event.data is not None:
            yield event.n, event.data, _mapping(event.data.get("change"))


def _standing(story: Story, now: datetime) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    if story.action is None:
        return [], None
    try:
        action = _timely(story.action, "timestamp_start", "approved_at")
        facts = facts_from(action, [_timely(each, "created_at") for each in story.assumptions], story.approval)
        states = [
            {"id": each.id.value, "status": each.status.value, "value": each.value}
            for each in checkpoint_states_of(facts, now)
        ]
        receipts = receipts_of(facts, now)
    except ValueError as error:
        raise CertificateError(f"the checkpoints cannot be judged: {error}") from None
    return states, {
        "enforceability": receipts.enforceability.value,
        "expected": [each.value for each in receipts.expected],
        "observed": [each.value for each in receipts.observed],
        "completeness": receipts.completeness,
    }


def _timely(row: Row, *names: str) -> Row:
    """The row with these times read. Raises CertificateError for one that is no time as evidence has them."""
    read = {name: moment(row[name]) for name in names if row.get(name) is not None}
    for name, at in read.items():
        if at is None:
            raise CertificateError(
                f"{name} is {str(row[name])[:80]!r}, no time in the form in which evidence has them (RFC 3339, "
                "upper-case T, Z or an offset, at most 6 digits of fraction)"
            )
    return row | read


def _erasure(story: Story) -> dict[str, Any] | None:
    if story.erased is None:
        return None
    said = _taken(story.erased, ("erased_at", "erased_by", "erased_by_key", "reason"))
    return {**said, "events": story.erased_events}


def _taken(row: Row, names: Iterable[str]) -> dict[str, Any]:
    return {name: _member(row, name, name in _LISTS) for name in names}


def _member(row: Row, name: str, many: bool) -> Any:
    value = row.get(name)
    return [] if many and value is None else value


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
