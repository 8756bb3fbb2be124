"""After a tool call: what came of it is recorded, and the session's thread gets a line. Nothing is ever stopped here.

Of what the tool gave back only its kind and its length are recorded, never what it says. With ASSENT_TELL_SESSIONS=1
its session is told first, which keeps digests (`telling`).
"""

from assent.hooks.journal import Journal
from assent.hooks.service import Service, Unanswered
from assent.hooks.settings import APPROVE_AT_HOST, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from assent.hooks.call import HookCall

APPROVED_AT_HOST = "Approved at the coding assistant's own prompt, by whoever sat there; recorded after the call ran."


def record(call: "HookCall", settings: Settings, service: Service, journal: Journal) -> str:
    """What went wrong on the way, empty when nothing did. Raises Unanswered."""
    if not call.call_id:
        call.identify(journal.find("opened", call.same))
        journal.forget("opened", call.same)
    action_id = journal.find("claimed", call.action_id) or call.action_id
    journal.forget("claimed", call.action_id)
    untold = ""
    if settings.tell_sessions:
        from assent.hooks.telling import tell

        untold = tell(call, action_id, settings, service, journal)
    return " ".join(note for note in (untold, _report(call, action_id, settings, service, journal)) if note)


def _report(call: "HookCall", action_id: str, settings: Settings, service: Service, journal: Journal) -> str:
    """What went wrong, empty when nothing did. Raises Unanswered."""
    outcome = outcome_of(call.response)
    status, said = service.ask("PATCH", f"/api/actions/{action_id}", outcome)
    if status == 409 and settings.approvals == APPROVE_AT_HOST:
        body = {"decision": "allow", "reasoning": APPROVED_AT_HOST}
        status, said = service.ask("POST", f"/api/actions/{action_id}/approve", body)
        if status == 200:
            status, said = service.ask("PATCH", f"/api/actions/{action_id}", outcome)
    if status == 404:
        return ""  # observed, and guard would have stopped it: there is no action
    if status != 200:
        return f"Assent did not record what came of {action_id} ({status}): {said.get('detail') or said.get('error')}"
    if call.session:
        _write_down(call, said.get("action") or {}, outcome["status"], settings, service)
    journal.tidy()
    return ""


def outcome_of(response: object) -> "dict[str, Any]":
    """The outcome that a tool's response tells of."""
    failed = isinstance(response, dict) and (
        response.get("is_error") is True
        or response.get("success") is False
        or bool(response.get("error"))
        or _number(response, "exit_code", "exitCode", "returnCode") not in (None, 0)
    )
    stopped = isinstance(response, dict) and response.get("interrupted") is True
    outcome: dict[str, Any] = {"status": "cancelled" if stopped else "failed" if failed else "completed"}
    outcome["output_summary"] = _summary(response)
    if failed and isinstance(response, dict):
        code = _number(response, "exit_code", "exitCode", "returnCode")
        outcome["error_message"] = f"the tool reported a failure{'' if code is None else f', exit code {code:g}'}"
    if isinstance(response, dict):
        duration = _number(response, "duration_ms", "durationMs")
        if duration is not None and 0 <= duration < 1e10:
            outcome["duration_ms"] = int(duration)
    return outcome


def _summary(response: object) -> str:
    if isinstance(response, str):
        return f"text of {len(response):,} characters"
    if isinstance(response, dict):
        lengths = [f"{name}: {len(value):,} characters" for name, value in response.items() if isinstance(value, str)]
        return "; ".join(lengths[:8])[:1000] or f"an object of {len(response)} members"
    return "nothing" if response is None else type(response).__name__


def _number(response: "dict[str, Any]", *names: str) -> "float | None":
    for name in names:
        value = response.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
    return None


def _write_down(call: "HookCall", action: "dict[str, Any]", status: str, settings: Settings, service: Service) -> None:
    """One line in the thread of the session. A thread of that name is opened again, not made twice."""
    agent = {"agent_id": settings.agent_id} if settings.agent_id else {}
    try:
        status_code, said = service.ask("POST", "/api/context/threads", {"name": f"Session {call.session}", **agent})
        thread = said.get("thread_id") or (said.get("thread") or {}).get("thread_id")
        if status_code in (200, 201) and thread:
            line = f"{action.get('declared_goal') or call.tool}: {status}"
            service.ask(
                "POST", f"/api/context/threads/{thread}/entries", {"content": line, "entry_type": "tool", **agent}
            )
    except Unanswered:
        return  # the outcome is recorded; the thread is a convenience
