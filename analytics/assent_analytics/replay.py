"""One action's life as a timeline: what it waited for, how long it ran, and what was recorded on the way.

    lane         bar                                        marks
    decision                                                guard decided
    assumptions                                             each assumption
    messages                                                each message about it
    approval     from asking to the decision, or to expiry  approved, denied, expired, withdrawn; used
    run          from its begin to its end                  each correction of its outcome
    outcome                                                 completed, failed, cancelled, blocked, or never allowed
    loops                                                   what was left open, and when that was closed
    proof                                                   covered by a signed tree head

It begins to run when it is approved, or when it happened if nobody was asked; what was blocked, denied, expired,
withdrawn or still waits never ran and has no such bar. A bar without an end reaches to `now` and is `open`. History
that was recorded later is proven since then and not since it happened, so its proof is no part of its life.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import polars as pl

from assent.contract.control.actions import FINAL, ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Source
from assent_analytics.frames import time_type

LANES = ("decision", "assumptions", "messages", "approval", "run", "outcome", "loops", "proof")

NOT_GIVEN = frozenset({ApprovalState.DENIED, ApprovalState.EXPIRED, ApprovalState.WITHDRAWN})

Entry = tuple[str, str, datetime, datetime | None, str, bool]
Read = Mapping[str, Any]

_SCHEMA: dict[str, pl.DataType] = {
    "lane": pl.Enum(LANES),
    "kind": pl.String(),
    "start": time_type(),
    "end": time_type(),
    "text": pl.String(),
    "open": pl.Boolean(),
}


def timeline(trace: Read, now: datetime) -> pl.DataFrame:
    """The timeline of an action's trace (`get_action_trace`, or the same as JSON), in order of time.

    Columns: `lane`; `kind` (`waiting` and `running` are bars, the rest marks: a decision, `assumption`, `message`, a
    state of an approval, `claimed`, a final status, `correction`, `loop`, `loop_closed`, `proven`); `start` and `end`
    (UTC; null for marks); `text` says what it was; `open` is true for a bar that has not ended. What was cancelled
    because its approval was denied, expired or withdrawn has that state as its outcome.
    """
    said = [*_assumptions(trace), *_messages(trace), *_loops(trace)]
    done = [*_approval(trace, now), *_run(trace, now), *_outcome(trace)]
    entries = [*_decision(trace), *said, *done, *_proof(trace)]
    return pl.DataFrame(entries, schema=_SCHEMA, orient="row").sort("start", "lane")


def _decision(trace: Read) -> Iterator[Entry]:
    action = trace["action"]
    decided = trace.get("decision")
    if action["source"] != Source.LIVE:
        # History is judged when it is recorded, and its decision stands for the moment it happened (`occurred_at`).
        at = action["timestamp_start"]
    else:
        at = decided["evaluated_at"] if decided else action["created_at"]
    yield "decision", str(action["decision"]), _time(at), None, f"guard decided: {_spoken(action['decision'])}", False


def _assumptions(trace: Read) -> Iterator[Entry]:
    for each in trace["trace"]["assumptions"]["items"]:
        yield "assumptions", "assumption", _time(each["occurred_at"]), None, str(each["assumption"]), False


def _messages(trace: Read) -> Iterator[Entry]:
    # A service that has no messages yet says nothing about them.
    for each in trace["trace"].get("messages", {"items": []})["items"]:
        urgent = "urgent, " if each["urgent"] else ""
        text = f"{urgent}{each['from_agent_id']} to {each['to_agent_id'] or 'all'}: {each['subject'] or each['body']}"
        yield "messages", "message", _time(each["created_at"]), None, text, False


def _approval(trace: Read, now: datetime) -> Iterator[Entry]:
    approval = trace["approval"]
    if approval is None:
        return
    asked, decided = _time(approval["requested_at"]), approval["decided_at"]
    if decided is None:
        yield "approval", "waiting", asked, max(asked, now), "waits for an operator", True
        return
    end = _time(decided)
    yield "approval", "waiting", asked, max(asked, end), "waited for an operator", False
    by = f" by {approval['decided_by']}" if approval["decided_by"] else ""
    why = f": {approval['reasoning']}" if approval["reasoning"] else ""
    yield "approval", str(approval["state"]), end, None, f"{approval['state']}{by}{why}", False
    used = approval.get("claimed_at")
    if used:
        by = f" by {approval['claimed_by']}" if approval.get("claimed_by") else ""
        yield "approval", "claimed", _time(used), None, f"the approval was used{by}", False


def _run(trace: Read, now: datetime) -> Iterator[Entry]:
    action, approval = trace["action"], trace["approval"]
    if action["status"] not in {ActionStatus.BLOCKED, ActionStatus.PENDING_APPROVAL} and _allowed(approval, action):
        start = _time(approval["decided_at"] if approval else action["timestamp_start"])
        if action["timestamp_end"] is not None:
            yield "run", "running", start, max(start, _time(action["timestamp_end"])), "ran", False
        elif action["status"] not in FINAL:
            yield "run", "running", start, max(start, now), "runs", True
    for change in trace["trace"]["changes"]:
        if change["kind"] == "correction":
            names = ", ".join(_spoken(name) for name in change["changed"])
            yield "run", "correction", _time(change["at"]), None, f"{change['by']} corrected {names}", False


def _allowed(approval: Read | None, action: Read) -> bool:
    if approval is None or approval["state"] == ApprovalState.APPROVED:
        return True
    # An outcome may be corrected after a denial: then it ran all the same, and the timeline must show that.
    ran = action["status"] in {ActionStatus.COMPLETED, ActionStatus.FAILED}
    return ran and approval["decided_at"] is not None


def _outcome(trace: Read) -> Iterator[Entry]:
    action = trace["action"]
    status = str(action["status"])
    approval = trace["approval"]
    if status not in FINAL:
        return
    at = _time(action["timestamp_end"] or action["updated_at"])
    if status == ActionStatus.CANCELLED and approval is not None and approval["state"] in NOT_GIVEN:
        # Why stands with the approval.
        yield "outcome", str(approval["state"]), at, None, f"did not run: {approval['state']}", False
    else:
        said = action["error_message"] or action["output_summary"]
        text = f"{status}: {said}" if said else status
        yield "outcome", status, at, None, text, False


def _loops(trace: Read) -> Iterator[Entry]:
    for each in trace["trace"].get("loops", {"items": []})["items"]:
        about = f"{each['loop_type']}: {each['description']}"
        yield "loops", "loop", _time(each["created_at"]), None, f"left open, {about}", False
        if each["resolved_at"]:
            how = f": {each['resolution']}" if each["resolution"] else ""
            yield "loops", "loop_closed", _time(each["resolved_at"]), None, f"{each['status']}{how}", False


def _proof(trace: Read) -> Iterator[Entry]:
    # A service that tells nothing of heads has said nothing about them.
    covered = trace["trace"].get("proof")
    if covered and trace["action"]["source"] == Source.LIVE:
        text = f"covered by a signed tree head of {covered['size']} events"
        yield "proof", "proven", _time(covered["signed_at"]), None, text, False


def _spoken(name: object) -> str:
    return str(name).replace("_", " ")


def _time(value: datetime | str) -> datetime:
    """RFC 3339 or a moment; one without a zone is UTC."""
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
