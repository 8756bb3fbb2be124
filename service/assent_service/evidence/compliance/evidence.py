"""Evidence for compliance: the kinds of records that show something, how many there are of each, and which."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from assent_service.core.moments import Window
from assent_service.core.principal import Principal
from assent_service.store.ledger import Ledger

# The kinds of evidence: what a record of each shows, and where such records are.
#
# Only what really happened is evidence: simulated rows never count, nor does what was said of them, and a decision or
# an approval counts only where it came before the action, so imported history shows what was done and not that
# anybody was asked. A score counts where a run gave it, by a scorer that is kept; one that was handed in may have
# come from anywhere. A webhook's test tells nobody of anything. An event is named by its leaf hash: its subject may
# have had many.


SIX_MONTHS = timedelta(days=183)

_LIVE = "source = 'live'"
_REAL = "source <> 'simulated'"
_OF_LIVE_ACTION = (
    "EXISTS (SELECT 1 FROM actions a WHERE a.org_id = approvals.org_id AND a.action_id = approvals.action_id "
    "AND a.source = 'live')"
)
_NOT_OF_SIMULATED_ACTION = (
    "NOT EXISTS (SELECT 1 FROM actions a WHERE a.org_id = feedback.org_id AND a.action_id = feedback.action_id "
    "AND a.source = 'simulated')"
)


@dataclass(frozen=True)
class EvidenceKind:
    """`id` is the column that names one row and no other of its organization. `remedy` says how to come by such a
    record. `order` is the column of when it happened; a window counts by it where the kind is `windowed`, while the
    others count for as long as they are there, or once they are `older_than` something."""

    shows: str
    remedy: str
    table: str
    id: str
    order: str = "created_at"
    only: str = "TRUE"
    windowed: bool = True
    older_than: timedelta | None = None


def _decision(shows: str, remedy: str, only: str = "TRUE") -> EvidenceKind:
    return EvidenceKind(shows, remedy, "guard_decisions", "decision_id", "occurred_at", f"{_LIVE} AND {only}")


def _approval(shows: str, remedy: str, only: str) -> EvidenceKind:
    return EvidenceKind(shows, remedy, "approvals", "approval_id", "decided_at", f"{only} AND {_OF_LIVE_ACTION}")


def _begun(shows: str, remedy: str, only: str) -> EvidenceKind:
    return EvidenceKind(shows, remedy, "actions", "action_id", "timestamp_start", only)


def _ended(shows: str, remedy: str, only: str = "TRUE") -> EvidenceKind:
    return EvidenceKind(shows, remedy, "actions", "action_id", "timestamp_end", f"{_REAL} AND {only}")


def _event(shows: str, remedy: str, names: str) -> EvidenceKind:
    return EvidenceKind(shows, remedy, "events", "leaf_hash", only=f"type IN ({names})")


def _key(shows: str, remedy: str, only: str = "TRUE") -> EvidenceKind:
    return EvidenceKind(shows, remedy, "api_keys", "key_id", only=f"revoked_at IS NULL AND {only}", windowed=False)


KINDS: dict[str, EvidenceKind] = {
    "decisions": _decision(
        "guard decided before an action ran, with its reasons and a risk score",
        "Have agents call guard or create_action before they act.",
    ),
    "blocks": _decision(
        "guard refused an action",
        "Put policies in force that block what must not happen.",
        "decision = 'block'",
    ),
    "escalations": _decision(
        "guard asked for a person's approval",
        "Have a policy require approval for what carries risk.",
        "decision = 'require_approval'",
    ),
    "approvals": _approval(
        "a person decided on an action before it ran",
        "Have operators decide on approvals.",
        "state IN ('approved', 'denied')",
    ),
    "denials": _approval(
        "a person stopped an action before it ran",
        "Nobody said no in this window; check that operators look at what they approve.",
        "state = 'denied'",
    ),
    "actions": _begun(
        "an agent's action was recorded", "Have agents call create_action, or import their history.", _REAL
    ),
    "verified_actions": _begun(
        "an action was signed by its agent, and the signature held",
        "Pair agents with a key of their own and have them sign their actions.",
        f"{_LIVE} AND verified",
    ),
    "outcomes": _ended(
        "what came of an action was recorded",
        "Have agents call update_outcome when they are done.",
        # Guard ends what it blocks, and operators and time what they cancel: nothing came of those.
        "status IN ('completed', 'failed')",
    ),
    "failures": _ended(
        "an action that failed was recorded with what went wrong",
        "Have agents report failures with error_message; none was recorded in this window.",
        "status = 'failed' AND error_message IS NOT NULL",
    ),
    "assumptions": EvidenceKind(
        "what an agent believed while it acted was recorded",
        "Have agents call record_assumption.",
        "assumptions",
        "assumption_id",
        "occurred_at",
        _REAL,
    ),
    "judged_assumptions": EvidenceKind(
        "somebody checked whether an agent's belief held",
        "Have assumptions checked with validate_assumption.",
        "assumptions",
        "assumption_id",
        "validated_at",
        f"{_REAL} AND (validated OR invalidated)",
    ),
    "policies": EvidenceKind(
        "a policy is in force",
        "Create policies, and enforce them.",
        "policies",
        "policy_id",
        only="active AND mode = 'enforce' AND deleted_at IS NULL",
        windowed=False,
    ),
    "policy_changes": _event(
        "a change of policy was recorded with who made it",
        "No policy has changed in this window; changes are recorded by themselves.",
        "'policy.created', 'policy.updated'",
    ),
    "halts": _event(
        "the kill switch was thrown or released",
        "Rehearse the kill switch: halt, see agents blocked, resume.",
        "'halt.changed'",
    ),
    "keys": _key("access is by keys that each have one role", "Make a key for each person and agent."),
    "bound_keys": _key(
        "a key speaks for one agent only", "Bind agents' keys to their agent id.", "agent_id IS NOT NULL"
    ),
    "operator_keys": _key(
        "a person has been given the role to decide",
        "Make a key of role operator for each person who decides.",
        "role = 'operator'",
    ),
    "revoked_keys": _event(
        "access was taken away, and that was recorded",
        "No key was revoked in this window; rotate keys.",
        "'key.revoked'",
    ),
    "identities": EvidenceKind(
        "an agent's public key is registered",
        "Pair agents with create_pairing and approve the pairing.",
        "identities",
        "identity_id",
        only="revoked_at IS NULL",
        windowed=False,
    ),
    "signals": EvidenceKind(
        "something unusual was noticed and recorded",
        "Nothing unusual was noticed in this window; see the thresholds of signals.",
        "signals",
        "signal_id",
    ),
    "resolved_loops": EvidenceKind(
        "an open question about an action was closed with its resolution",
        "Register open loops, and resolve them.",
        "loops",
        "loop_id",
        "resolved_at",
        f"{_REAL} AND status = 'resolved'",
    ),
    "feedback": EvidenceKind(
        "somebody said how good an action was",
        "Submit feedback on actions.",
        "feedback",
        "feedback_id",
        only=f"deleted_at IS NULL AND action_id IS NOT NULL AND {_NOT_OF_SIMULATED_ACTION}",
    ),
    "evaluations": EvidenceKind(
        "actions were scored by a rule that is written down",
        "Create scorers, and run them over history.",
        "scores",
        "id",
        only=f"{_REAL} AND run_id IS NOT NULL",
    ),
    "alerts": EvidenceKind(
        "somebody outside was told of an event",
        "Register a webhook for the events that people must hear of.",
        "webhook_deliveries",
        "delivery_id",
        only="status = 'delivered' AND event_n IS NOT NULL",
    ),
    "log": EvidenceKind(
        "events are recorded by themselves, in order and hashed",
        "Use the service; everything that changes something is recorded.",
        "events",
        "leaf_hash",
    ),
    "old_log": EvidenceKind(
        "events from more than six months ago are still there",
        "Keep the data folder; the log is younger than six months.",
        "events",
        "leaf_hash",
        windowed=False,
        older_than=SIX_MONTHS,
    ),
}


SHOWN = 10
"""How many records of a kind are named."""


@dataclass(frozen=True)
class EvidenceRecords:
    """`record_ids` are the newest."""

    n: int
    record_ids: list[str]


async def find(ledger: Ledger, principal: Principal, kind: EvidenceKind, window: Window) -> EvidenceRecords:
    """The organization's records of this kind. Raises `projection_behind`."""
    where, parameters = _chosen(principal, kind, window)
    (counted,) = await ledger.read(f"SELECT count(*) FROM {kind.table} WHERE {where}", parameters)
    n = int(str(counted[0]))
    if n == 0:
        return EvidenceRecords(0, [])
    rows = await ledger.read(
        f"SELECT {kind.id} FROM {kind.table} WHERE {where} ORDER BY {kind.order} DESC, {kind.id} DESC LIMIT {SHOWN}",
        parameters,
    )
    return EvidenceRecords(n, [str(row[0]) for row in rows])


def _chosen(principal: Principal, kind: EvidenceKind, window: Window) -> tuple[str, list[object]]:
    conditions, parameters = ["org_id = ?", kind.only], [principal.org_id]
    moments: list[object] = []
    if kind.windowed:
        conditions.append(f"{kind.order} >= ? AND {kind.order} <= ?")
        moments = [_naive(window.since), _naive(window.until)]
    if kind.older_than is not None:
        conditions.append(f"{kind.order} <= ?")
        moments = [_naive(window.until - kind.older_than)]
    return " AND ".join(conditions), [*parameters, *moments]


def _naive(at: datetime) -> datetime:
    return at.replace(tzinfo=None)
