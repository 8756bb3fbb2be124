"""Before a tool call: the action is said, guard decides, and the decision becomes the host's verdict.

- Allowed or warned: the host gets no decision, and its own rules go on, its question to its user included. With
  `allow` set to `say` the host is told to go ahead, where nothing stands against that (`may_go_ahead`).
- Blocked: denied, with the reasons.
- Asked for a person, approvals in Assent: the call is denied with how to approve it, and remembered. The same call
  again finds the decision: approved, it claims the approval (once, for exactly this call) and is let through, to the
  host's own rules: an operator's yes is not the yes of the host's user. With `wait` the first call already waits for
  the operator, so long.
  Where an operator asks something first, the question is what the call is denied with: the agent answers it
  (`assent answer`), or makes another call.
- Asked for a person, and a standing grant approved it in advance: the approval is claimed as well, at once.
- Asked for a person, approvals at the host: the host asks whoever sits there; if the tool runs, they said yes.
- Observing: guard is asked and recorded, nothing is stopped. What guard would have stopped gets no action, since an
  action that is blocked is evidence that it did not run.
"""

import time

from assent.hooks.call import ALLOW, ASK, DENY, HookAnswer, new_id
from assent.hooks.commands import INTENTS
from assent.hooks.journal import Journal
from assent.hooks.service import Service, Unanswered
from assent.hooks.settings import ALLOW_SAY, APPROVE_AT_HOST, OBSERVE, Settings
from assent.hooks.tools import meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from assent.breaker import Breaker
    from assent.hooks.call import HookCall

RUNTIME = "coding_assistant"
POLL_SECONDS = 0.5
ASKED_FROM = 70.0
"""From this risk on, 0 to 100, no host is told to go ahead: its own rules decide whether its user is asked."""
DESTRUCTIVE_FACTOR = "destructive_goal"
"""Under this name the service's risk says that a goal destroys something."""


class _Anew(Exception):
    """What was asked before cannot be used any more: the call has to ask for itself."""


def decide(
    call: "HookCall",
    settings: Settings,
    service: Service,
    journal: Journal,
    home: str,
    breaker: "Breaker | None" = None,
) -> HookAnswer:
    """Who observes has a breaker. Raises Unanswered."""
    if not call.call_id:
        call.identify(new_id())
        journal.keep("opened", call.same, call.call_id)
    action = described(call, settings, home)
    if not settings.tell_sessions:
        return _answered(call, action, settings, service, journal, breaker)
    from assent.hooks.telling import begin, call_off

    if begin(call, settings, service, journal):
        action["parameters"] = call.input
        del action["parameters_digest"]
    try:
        answer = _answered(call, action, settings, service, journal, breaker)
    except BaseException:
        if settings.mode != OBSERVE:
            call_off(call, journal)
        raise
    if answer.verdict == DENY:
        call_off(call, journal)
    return answer


def _answered(
    call: "HookCall",
    action: "dict[str, Any]",
    settings: Settings,
    service: Service,
    journal: Journal,
    breaker: "Breaker | None",
) -> HookAnswer:
    if settings.mode == OBSERVE:
        return _observe(action, service, breaker)
    try:
        waiting = journal.find("waiting", call.same)
        if waiting:
            return _come_back(call, action, waiting, settings, service, journal)
    except _Anew:
        journal.forget("waiting", call.same)
    status, said = service.ask("POST", "/api/actions", action, idempotency_key=action["action_id"])
    if status == 403 and isinstance(said.get("decision"), dict):
        return HookAnswer(DENY, _reasons("Assent blocked this", said["decision"]))
    if status not in (200, 201, 202):
        raise Unanswered(f"the service refused to record the call ({status}): {_detail(said)}")
    try:
        return _verdict(call, action, said, settings, service, journal)
    except _Anew:
        journal.forget("waiting", call.same)
        return HookAnswer(
            DENY, "What became of the approval cannot be told any more; make the same call again to ask anew."
        )


def described(call: "HookCall", settings: Settings, home: str) -> "dict[str, Any]":
    """The body of the action: what is wanted, and of what is written or sent the digest. With ASSENT_TELL_SESSIONS=1
    `decide` shows the parameters instead."""
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
        **call.sessions(settings.session_id),
        **({"agent_id": settings.agent_id} if settings.agent_id else {}),
    }


def _verdict(
    call: "HookCall",
    action: "dict[str, Any]",
    said: "dict[str, Any]",
    settings: Settings,
    service: Service,
    journal: Journal,
) -> HookAnswer:
    made, decision = said.get("action"), said.get("decision")
    if not isinstance(made, dict) or not isinstance(decision, dict) or made.get("action_id") != action["action_id"]:
        raise Unanswered("the service said nothing about this call; check ASSENT_BASE_URL")
    if made.get("status") == "pending_approval":
        if settings.approvals == APPROVE_AT_HOST:
            return HookAnswer(ASK, _reasons("Assent wants a person to decide", decision))
        why = _reasons("A person has to approve this", decision)
        return _wait(call, action, str(made["action_id"]), why, settings, service, journal)
    approval = said.get("approval")
    if made.get("status") == "running" and isinstance(approval, dict) and approval.get("grant_id"):
        return _claim(call, action, str(made["action_id"]), approval, service, journal)
    if made.get("status") != "running" or decision.get("decision") not in ("allow", "warn"):
        return HookAnswer(
            DENY, f"The action {made['action_id']} is {made.get('status')} already; this call was made before."
        )
    warned = "; ".join(str(each) for each in decision.get("warnings") or [])
    verdict = ALLOW if settings.allow == ALLOW_SAY and may_go_ahead(action, decision) else None
    return HookAnswer(verdict, "Assent allowed this.", warned)


def may_go_ahead(action: "dict[str, Any]", decision: "dict[str, Any]") -> bool:
    """Whether a host may be told to go ahead without asking its user: guard allowed the call without a warning, its
    risk is below 70 by the hook's estimate and by the service's, and neither calls it destructive. A decision that says
    nothing of its risk, or of what the goal destroys, is no reason to go ahead."""
    risk, breakdown = decision.get("risk_score"), decision.get("risk_breakdown")
    return (
        decision.get("decision") == "allow"
        and not decision.get("warnings")
        and action["risk_score"] < ASKED_FROM
        and isinstance(risk, int | float)
        and risk < ASKED_FROM
        and decision.get("destructive") is False
        and isinstance(breakdown, dict)
        and DESTRUCTIVE_FACTOR not in breakdown
        and not any(INTENTS[name].destructive for name in action["metadata"].get("intents", ()))
    )


def _wait(
    call: "HookCall",
    action: "dict[str, Any]",
    action_id: str,
    why: str,
    settings: Settings,
    service: Service,
    journal: Journal,
) -> HookAnswer:
    kept = journal.keep("waiting", call.same, action_id)
    until = time.monotonic() + settings.wait
    while time.monotonic() < until:
        time.sleep(min(POLL_SECONDS, max(0.0, until - time.monotonic())))
        found = _decided(call, action, action_id, service, journal)
        if found is not None:
            return found
    if not kept:
        return HookAnswer(
            DENY, f"{why} It cannot be remembered here that it waits: ASSENT_HOOK_STATE cannot be written."
        )
    return HookAnswer(
        DENY,
        f"{why} It waits as {action_id}: once somebody has approved it (`assent approve {action_id}`, or the page "
        "Approvals), make exactly the same call again.",
    )


def _come_back(
    call: "HookCall", action: "dict[str, Any]", waiting: str, settings: Settings, service: Service, journal: Journal
) -> HookAnswer:
    """What has become of an earlier call like this one. Raises _Anew when this one has to ask for itself."""
    found = _decided(call, action, waiting, service, journal)
    if found is None:
        why = "A person still has to approve this."
        return _wait(call, action, waiting, why, settings, service, journal)
    return found


def _decided(
    call: "HookCall", asked: "dict[str, Any]", action_id: str, service: Service, journal: Journal
) -> "HookAnswer | None":
    """The answer once somebody has decided; None while nobody has. Raises _Anew."""
    status, said = service.ask("GET", f"/api/actions/{action_id}")
    action = said.get("action")
    if status != 200 or not isinstance(action, dict):
        raise _Anew
    if action.get("status") == "pending_approval":
        return _asked_back(action_id, service)
    given = said.get("approval")
    approval = given if isinstance(given, dict) else {}
    if action.get("status") == "cancelled":
        journal.forget("waiting", call.same)
        if approval.get("state") == "expired":
            return HookAnswer(DENY, "Nobody decided in time. Make the same call again to ask anew.")
        if approval.get("state") == "withdrawn":
            return HookAnswer(DENY, "The request was withdrawn. Make the same call again to ask anew.")
        why = approval.get("reasoning") or action.get("error_message") or "no reason was given"
        return HookAnswer(DENY, f"{approval.get('decided_by') or 'Somebody'} denied this: {why}")
    if action.get("status") != "running" or approval.get("state") != "approved":
        raise _Anew
    return _claim(call, asked, action_id, approval, service, journal)


def _asked_back(action_id: str, service: Service) -> "HookAnswer | None":
    """What an operator asks before deciding, the oldest question first; None where nobody asks, or the service does not
    know of questions. It allows nothing."""
    try:
        status, said = service.ask("GET", f"/api/questions?action_id={action_id}&state=open")
    except Unanswered:
        return None
    questions = said.get("questions") if status == 200 else None
    if not isinstance(questions, list) or not questions or not isinstance(questions[-1], dict):
        return None
    question = questions[-1]
    offered = "; ".join(str(each) for each in question.get("conditions") or [])
    would = f" They would allow it under these conditions: {offered}." if offered else ""
    return HookAnswer(
        DENY,
        f"{question.get('asked_by') or 'Somebody'} asks before deciding: {question.get('text')}{would} Nothing is "
        f"decided yet. Answer with `assent answer {question.get('question_id')} 'your answer'`, then make exactly the "
        "same call again; or make another call instead.",
    )


def _claim(
    call: "HookCall",
    asked: "dict[str, Any]",
    action_id: str,
    approval: "dict[str, Any]",
    service: Service,
    journal: Journal,
) -> HookAnswer:
    """Use the approval, once and for exactly this call."""
    members = ("action_type", "declared_goal", "systems_touched", "parameters", "parameters_digest")
    body = {name: asked[name] for name in members if name in asked}
    status, said = service.ask(
        "POST", f"/api/actions/{action_id}/claim", body, idempotency_key=f"claim-{call.action_id}"
    )
    if status in (404, 409, 410) and said.get("code") != "receipt_mismatch":
        raise _Anew
    journal.forget("waiting", call.same)
    if status != 200:
        return HookAnswer(DENY, f"The approval cannot be used: {_detail(said)}")
    journal.keep("claimed", call.action_id, action_id)
    used = said.get("approval")
    conditions = "; ".join(str(each) for each in (used if isinstance(used, dict) else approval).get("conditions") or [])
    kept = f" Keep to this: {conditions}" if conditions else ""
    return HookAnswer(None, note=f"{approval.get('decided_by')} approved this.{kept}")


def _observe(action: "dict[str, Any]", service: Service, breaker: "Breaker | None") -> HookAnswer:
    times = None if breaker is None else breaker.take_missed()
    if times is None:
        return _observed(action, service)
    from assent.breaker import UNOBSERVED, missed_calls

    action["metadata"][UNOBSERVED] = missed_calls(times)
    try:
        answer = _observed(action, service)
    except BaseException:
        times.give_back()
        raise
    times.clear()
    said = f"Assent answers again: {times.count} calls from {times.first} to {times.last} were not observed."
    answer.note = f"{said} {answer.note}".strip()
    return answer


def _observed(action: "dict[str, Any]", service: Service) -> HookAnswer:
    context = {name: value for name, value in action.items() if name != "action_id"}
    status, decision = service.ask("POST", "/api/guard", context)
    if status != 200:
        raise Unanswered(f"the service refused to decide ({status}): {_detail(decision)}")
    if decision.get("decision") in ("allow", "warn"):
        opened = action | {"decision_id": decision["decision_id"]}
        status, said = service.ask("POST", "/api/actions", opened, idempotency_key=action["action_id"])
        if status not in (200, 201, 202):
            raise Unanswered(f"the service refused to record the call ({status}): {_detail(said)}")
        return HookAnswer(None)
    what = {"block": "blocked this", "require_approval": "asked a person"}.get(str(decision.get("decision")))
    if what is None:
        raise Unanswered("the service said nothing about this call; check ASSENT_BASE_URL")
    return HookAnswer(None, note=_reasons(f"Assent observes; enforcing, it would have {what}", decision))


def _reasons(said: str, decision: "dict[str, Any]") -> str:
    reasons = "; ".join(str(each) for each in decision.get("reasons") or []) or str(decision.get("reason") or "")
    return f"{said}: {reasons}." if reasons else f"{said}."


def _detail(said: "dict[str, Any]") -> str:
    return str(said.get("detail") or said.get("error") or "no reason given")[:500]
