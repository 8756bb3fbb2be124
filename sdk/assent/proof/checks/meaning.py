"""What it means: whether the policies decide the same again, whether the approval covers what was done, and which
checkpoints were not met."""

from __future__ import annotations

from typing import Any

import msgspec

from assent.contract.control.approvals import ApprovalState
from assent.contract.control.flows import FlowTrace
from assent.contract.control.guard import Decision, Source
from assent.contract.control.questions import QuestionState
from assent.contract.events import EventName
from assent.contract.evidence.pcaa import CheckpointStatus
from assent.contract.evidence.proofs import CheckName, ProofCheck
from assent.contract.prepared import prepared
from assent.origins import origins
from assent.proof.act import act_digest
from assent.proof.canonical import canonical
from assent.proof.checks.case import Case, failed, passed, skipped, warned
from assent.proof.checks.granting import Ungranted, check_grant
from assent.proof.policies import policy_digest
from assent.proof.replay import replay
from assent.proof.story import GRANT_EVENTS, Row, Story
from assent.proof.times import moment

_NO_STORY = "The certificate did not hold, so nothing is told by it."
_ERASED = "The content was erased."


def check_coverage(case: Case) -> ProofCheck:
    """Which of the five checkpoints the action met; they were worked out again with the certificate."""
    name = CheckName.CHECKPOINT_COVERAGE
    if case.story is None or case.certificate is None:
        return skipped(name, _NO_STORY)
    states = case.certificate["checkpoints"]
    if not states:
        return skipped(name, _ERASED)
    missing = [state["id"] for state in states if state["status"] == CheckpointStatus.MISSING]
    if missing:
        return warned(name, f"Expected and not there: {', '.join(missing)}.")
    told = ", ".join(f"{state['id']} {state['status']}" for state in states)
    return passed(name, f"No checkpoint is missing: {told}.")


def check_replay(case: Case) -> ProofCheck:
    """The recorded context against the recorded policies gives the recorded decision."""
    name, policies = CheckName.POLICY_REPLAY, case.bundle.policies
    if case.story is None:
        return skipped(name, _NO_STORY)
    decision = case.story.decision
    recorded = None if decision is None else decision.get("policy_digest")
    if decision is None or recorded is None:
        if policies is not None:
            return failed(name, "The bundle has policies, and no decision says that it was made by them.")
        why = (
            "No decision is recorded, or its content was erased."
            if decision is None
            else ("The decision is from before policies were recorded with it.")
        )
        return skipped(name, why)
    if policies is None:
        return failed(name, "The policies that the decision was made by are not in the bundle.", recorded, "none")
    if decision.get("source") == Source.SIMULATED:
        found = policy_digest(policies)
        if found != recorded:
            return failed(name, "The policies are not those that the decision names.", recorded, found)
        return skipped(name, "A simulator made the decision up; guard never decided.")
    result = replay(decision, policies)
    if not result.agrees:
        return failed(name, result.detail, result.expected, result.found)
    detail = " ".join([result.detail, *_origins(decision)])
    return warned(name, detail) if result.undecided else passed(name, detail)


def _origins(decision: Row) -> list[str]:
    """Where the values came from that a flow policy looked at."""
    if decision.get("flow") is None:
        return []
    told = origins(msgspec.convert(decision["flow"], prepared(FlowTrace)), decision["context"])
    return [line.encode("utf-8", "replace").decode() for line in told.lines()]


def check_receipt(case: Case) -> ProofCheck:
    """The approval covers exactly what was recorded, was given in time by somebody who is named, and used once."""
    name, story = CheckName.APPROVAL_RECEIPT, case.story
    if story is None:
        return skipped(name, _NO_STORY)
    if story.approval is None:
        return _without(story)
    wrong = (
        _act(story, story.approval)
        or _decided(story, story.approval)
        or _opened(story, story.approval)
        or _claimed(story, story.approval)
        or _asked_back(story, story.approval)
    )
    if wrong is not None:
        return wrong
    if story.approval.get("grant_id") is not None:
        return _granted(case, story, story.approval)
    if story.of(*GRANT_EVENTS):
        return failed(name, "The bundle has events of a grant, and the receipt names none.")
    state = story.approval.get("state")
    if state in (ApprovalState.AWAITING, ApprovalState.EXPIRED, ApprovalState.WITHDRAWN):
        return passed(name, f"The approval is {state}; nobody decided.")
    by = story.approval.get("decided_by")
    covered = "" if story.approval.get("act_digest") else "; it is from before approvals named exactly what they cover"
    own = "; the key that decided had opened the action itself" if story.approval.get("self_decided") else ""
    return passed(name, f"{by} {state} it in time, for exactly what was recorded{covered}{own}.")


def _granted(case: Case, story: Story, approval: dict[str, Any]) -> ProofCheck:
    """The approval was given in advance, by a grant that covers what was asked."""
    name = CheckName.APPROVAL_RECEIPT
    try:
        grant, whole = check_grant(story, approval, case.bundle.policies)
    except Ungranted as wrong:
        return failed(name, str(wrong), wrong.expected, wrong.found)
    detail = (
        f"{grant.created_by_name} approved it in advance, by grant {grant.grant_id}: use {grant.used} of at most "
        f"{grant.max_uses}, for exactly what was recorded. The grant's other uses are the service's own count."
    )
    if whole:
        return passed(name, detail)
    return warned(name, f"{detail} Its conditions take RE2: install google-re2 to check them.")


def _without(story: Story) -> ProofCheck:
    name = CheckName.APPROVAL_RECEIPT
    if story.of(*GRANT_EVENTS):
        return failed(name, "The bundle has events of a grant, and no receipt names it.")
    if story.erased is not None:
        return skipped(name, _ERASED)
    decision, action = story.decision or {}, story.action or {}
    asked = decision.get("decision") == Decision.REQUIRE_APPROVAL and action.get("source") == Source.LIVE
    if asked:
        return failed(name, "Guard asked for an approval, and none is recorded.")
    return passed(name, "None was needed.")


def _act(story: Story, approval: dict[str, Any]) -> ProofCheck | None:
    """Whether what was approved is what the creation of the action says."""
    expected = approval.get("act_digest")
    created = next(iter(story.of(EventName.ACTION_CREATED)), None)
    if expected is None or created is None or created.data is None:
        return None
    row = created.data
    found = act_digest(
        row["action_type"], row.get("declared_goal"), row.get("systems_touched"), row.get("parameters_digest")
    )
    if found == expected:
        return None
    return failed(CheckName.APPROVAL_RECEIPT, "What was approved is not what was recorded as the act.", expected, found)


def _decided(story: Story, approval: dict[str, Any]) -> ProofCheck | None:
    name = CheckName.APPROVAL_RECEIPT
    if approval.get("state") not in (ApprovalState.APPROVED, ApprovalState.DENIED):
        return None
    # Operators whom a simulator made up have no keys.
    simulated = (story.action or {}).get("source") == Source.SIMULATED
    if not approval.get("decided_by") or not (simulated or approval.get("decided_by_key")):
        return failed(name, "Nobody is named who decided.")
    decided, expires = moment(approval.get("decided_at")), moment(approval.get("expires_at"))
    if decided is None or expires is None or decided >= expires:
        detail = "It was not decided before it expired."
        return failed(name, detail, f"before {approval.get('expires_at')}", approval.get("decided_at"))
    return None


def _opened(story: Story, approval: dict[str, Any]) -> ProofCheck | None:
    """Whether the receipt says truly if the key that decided had opened the action."""
    said = approval.get("self_decided")
    created = next(iter(story.of(EventName.ACTION_CREATED)), None)
    if said is None or created is None or created.data is None:
        return None
    found = canonical(approval.get("decided_by_key")) == canonical(created.data.get("created_by"))
    if said is found:
        return None
    detail = "The receipt and the recorded keys do not agree on whether one key both asked and decided."
    return failed(CheckName.APPROVAL_RECEIPT, detail, found, said)


def _claimed(story: Story, approval: dict[str, Any]) -> ProofCheck | None:
    name = CheckName.APPROVAL_RECEIPT
    claims = story.of(EventName.APPROVAL_CLAIMED)
    if len(claims) > 1:
        return failed(name, f"It was claimed {len(claims)} times, in events {claims[0].n} and {claims[1].n}.")
    if (approval.get("claimed_at") is not None) is not bool(claims):
        return failed(name, "The receipt and the recorded claims do not agree on whether it was claimed.")
    if not claims:
        return None
    if approval.get("state") != ApprovalState.APPROVED:
        return failed(name, "It was claimed without being approved.", ApprovalState.APPROVED, approval.get("state"))
    claimed, decided = moment(approval.get("claimed_at")), moment(approval.get("decided_at"))
    until = moment(approval.get("valid_until"))
    if claimed is None or decided is None or claimed < decided:
        return failed(name, "It was claimed before it was given.", approval.get("decided_at"), approval["claimed_at"])
    if until is not None and claimed >= until:
        return failed(name, "It was claimed too late.", f"before {approval['valid_until']}", approval["claimed_at"])
    if until is None and approval.get("valid_until") is not None:
        return failed(name, "Until when it could be claimed is no time.", None, approval["valid_until"])
    return None


def _asked_back(story: Story, approval: dict[str, Any]) -> ProofCheck | None:
    """Whether each question was asked while the action waited, and ended with the waiting or was answered before."""
    name = CheckName.APPROVAL_RECEIPT
    ends = story.of(EventName.APPROVAL_DECIDED, EventName.APPROVAL_EXPIRED, EventName.APPROVAL_WITHDRAWN)
    end = min((each.n for each in ends), default=None)
    for event in story.of(EventName.QUESTION_CREATED, EventName.QUESTION_UPDATED):
        row = event.data or {}
        late = end is not None and event.n > end
        if row.get("approval_id") != approval.get("approval_id"):
            return failed(
                name, "A question is about another approval.", approval.get("approval_id"), row["approval_id"]
            )
        if late and row.get("state") != QuestionState.ENDED:
            return failed(name, f"Event {event.n} asks or answers a question after the action had ceased to wait.")
    still = [row for row in story.questions if row.get("state") == QuestionState.OPEN]
    if still and ends:
        return failed(name, f"Question {still[0]['question_id']} is open, and the action waits no longer.")
    return None
