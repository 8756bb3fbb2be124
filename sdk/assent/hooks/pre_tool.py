"""Before a tool call: the action is said, guard decides, and the decision becomes the host's verdict.

- Allowed or warned: the action runs, and the host is told so.
- Blocked: denied, with the reasons.
- Asked for a person, approvals in Assent: the call is denied with how to approve it, and remembered. The same call
  again finds the decision: approved, it claims the approval (once, for exactly this call) and goes ahead. With `wait`
  the first call already waits for the operator, so long.
- Asked for a person, approvals at the host: the host asks whoever sits there; if the tool runs, they said yes.
- Observing: guard is asked and recorded, nothing is stopped. What guard would have stopped gets no action, since an
  action that is blocked is evidence that it did not run.
"""

import time

from assent.hooks.answer import ALLOW, ASK, DENY, Answer
from assent.hooks.call import new_id
from assent.hooks.journal import Journal
from assent.hooks.service import Service, Unanswered
from assent.hooks.settings import APPROVE_AT_HOST, OBSERVE, Settings
from assent.hooks.tools import meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from assent.hooks.call import Call

RUNTIME = "coding_assistant"
POLL_SECONDS = 0.5
TO_ALLOW = "say"


class _Anew(Exception):
    """What was asked before cannot be used any more: the call has to ask for itself."""


def decide(call: "Call", settings: Settings, service: Service, journal: Journal, home: str) -> Answer:
    """Raises Unanswered."""
    if not call.call_id:
        call.identify(new_id())
        journal.keep("opened", call.same, call.call_id)
    action = described(call, settings, home)
    if settings.mode == OBSERVE:
        return _observe(action, service)
    try:
        waiting = journal.find("waiting", call.same)
        if waiting:
            return _come_back(call, action, waiting, settings, service, journal)
    except _Anew:
        journal.forget("waiting", call.same)
    status, said = service.ask("POST", "/api/actions", action, idempotency_key=action["action_id"])
    if status == 403 and isinstance(said.get("decision"), dict):
        return Answer(DENY, _reasons("Assent blocked this", said["decision"]))
    if status not in (200, 201, 202):
        raise Unanswered(f"the service refused to record the call ({status}): {_detail(said)}")
    try:
        return _verdict(call, action, said, settings, service, journal)
    except _Anew:
        journal.forget("waiting", call.same)
        return Answer(
            DENY, "What became of the approval cannot be told any more; make the same call again to ask anew."
        )


def described(call: "Call", settings: Settings, home: str) -> "dict[str, Any]":
    """The body of the action: what is wanted, never what is written or sent, of which the digest stands there."""
    meant = meaning(call.tool, call.input, call.folder, home)
    return {
        "action_id": call.action_id,
        "action_type": meant.action_type,
        "declared_goal": meant.goal,
        "systems_touched": [system[:500] for system in meant.systems[:50]],
        "reversible": meant.reversible,
        "risk_score": meant.risk,
        "parameters_digest": call.digest,
        "metadata": meant.metadata | {"folder": call.folder[:500]},
        "runtime": RUNTIME,
        **({"session_id": call.session} if call.session else {}),
        **({"agent_id": settings.agent_id} if settings.agent_id else {}),
    }


def _verdict(
    call: "Call",
    action: "dict[str, Any]",
    said: "dict[str, Any]",
    settings: Settings,
    service: Service,
    journal: Journal,
) -> Answer:
    made, decision = said.get("action"), said.get("decision")
    if not isinstance(made, dict) or not isinstance(decision, dict) or made.get("action_id") != action["action_id"]:
        raise Unanswered("the service said nothing about this call; check ASSENT_BASE_URL")
    if made.get("status") == "pending_approval":
        if settings.approvals == APPROVE_AT_HOST:
            return Answer(ASK, _reasons("Assent wants a person to decide", decision))
        why = _reasons("A person has to approve this", decision)
        return _wait(call, action, str(made["action_id"]), why, settings, service, journal)
    if made.get("status") != "running" or decision.get("decision") not in ("allow", "warn"):
        return Answer(
            DENY, f"The action {made['action_id']} is {made.get('status')} already; this call was made before."
        )
    return _allowed(decision, settings)


def _allowed(decision: "dict[str, Any]", settings: Settings) -> Answer:
    warned = "; ".join(str(each) for each in decision.get("warnings") or [])
    verdict = ALLOW if settings.allow == TO_ALLOW else None
    return Answer(
        verdict, f"Assent allowed this with a warning: {warned}" if warned else "Assent allowed this.", warned
    )


def _wait(
    call: "Call",
    action: "dict[str, Any]",
    action_id: str,
    why: str,
    settings: Settings,
    service: Service,
    journal: Journal,
) -> Answer:
    kept = journal.keep("waiting", call.same, action_id)
    until = time.monotonic() + settings.wait
    while time.monotonic() < until:
        time.sleep(min(POLL_SECONDS, max(0.0, until - time.monotonic())))
        found = _decided(call, action, action_id, service, journal)
        if found is not None:
            return found
    if not kept:
        return Answer(DENY, f"{why} It cannot be remembered here that it waits: ASSENT_HOOK_STATE cannot be written.")
    return Answer(
        DENY,
        f"{why} It waits as {action_id}: once somebody has approved it (`assent approve {action_id}`, or the page "
        "Approvals), make exactly the same call again.",
    )


def _come_back(
    call: "Call", action: "dict[str, Any]", waiting: str, settings: Settings, service: Service, journal: Journal
) -> Answer:
    """What has become of an earlier call like this one. Raises _Anew when this one has to ask for itself."""
    found = _decided(call, action, waiting, service, journal)
    if found is None:
        why = "A person still has to approve this."
        return _wait(call, action, waiting, why, settings, service, journal)
    return found


def _decided(
    call: "Call", asked: "dict[str, Any]", action_id: str, service: Service, journal: Journal
) -> "Answer | None":
    """The answer once somebody has decided; None while nobody has. Raises _Anew."""
    status, said = service.ask("GET", f"/api/actions/{action_id}")
    action = said.get("action")
    if status != 200 or not isinstance(action, dict):
        raise _Anew
    if action.get("status") == "pending_approval":
        return None
    given = said.get("approval")
    approval = given if isinstance(given, dict) else {}
    if action.get("status") == "cancelled":
        journal.forget("waiting", call.same)
        if approval.get("state") == "expired":
            return Answer(DENY, "Nobody decided in time. Make the same call again to ask anew.")
        why = approval.get("reasoning") or action.get("error_message") or "no reason was given"
        return Answer(DENY, f"{approval.get('decided_by') or 'Somebody'} denied this: {why}")
    if action.get("status") != "running" or approval.get("state") != "approved":
        raise _Anew
    return _claim(call, asked, action_id, approval, service, journal)


def _claim(
    call: "Call",
    asked: "dict[str, Any]",
    action_id: str,
    approval: "dict[str, Any]",
    service: Service,
    journal: Journal,
) -> Answer:
    """Use the approval, once and for exactly this call."""
    members = ("action_type", "declared_goal", "systems_touched", "parameters_digest")
    body = {name: asked[name] for name in members}
    status, said = service.ask(
        "POST", f"/api/actions/{action_id}/claim", body, idempotency_key=f"claim-{call.action_id}"
    )
    if status in (404, 409, 410) and said.get("code") != "receipt_mismatch":
        raise _Anew
    journal.forget("waiting", call.same)
    if status != 200:
        return Answer(DENY, f"The approval cannot be used: {_detail(said)}")
    journal.keep("claimed", call.action_id, action_id)
    used = said.get("approval")
    conditions = "; ".join(str(each) for each in (used if isinstance(used, dict) else approval).get("conditions") or [])
    kept = f" Keep to this: {conditions}" if conditions else ""
    return Answer(ALLOW, f"{approval.get('decided_by')} approved this.{kept}", kept.strip())


def _observe(action: "dict[str, Any]", service: Service) -> Answer:
    context = {name: value for name, value in action.items() if name != "action_id"}
    status, decision = service.ask("POST", "/api/guard", context)
    if status != 200:
        raise Unanswered(f"the service refused to decide ({status}): {_detail(decision)}")
    if decision.get("decision") in ("allow", "warn"):
        opened = action | {"decision_id": decision["decision_id"]}
        status, said = service.ask("POST", "/api/actions", opened, idempotency_key=action["action_id"])
        if status not in (200, 201, 202):
            raise Unanswered(f"the service refused to record the call ({status}): {_detail(said)}")
        return Answer(None)
    what = {"block": "blocked this", "require_approval": "asked a person"}.get(str(decision.get("decision")))
    if what is None:
        raise Unanswered("the service said nothing about this call; check ASSENT_BASE_URL")
    return Answer(None, note=_reasons(f"Assent observes; enforcing, it would have {what}", decision))


def _reasons(said: str, decision: "dict[str, Any]") -> str:
    reasons = "; ".join(str(each) for each in decision.get("reasons") or []) or str(decision.get("reason") or "")
    return f"{said}: {reasons}." if reasons else f"{said}."


def _detail(said: "dict[str, Any]") -> str:
    return str(said.get("detail") or said.get("error") or "no reason given")[:500]
