"""Telling a session what a tool gave, with ASSENT_TELL_SESSIONS=1, for flow policies.

The host waits for the hook before its model reads what the tool gave, so a session is told before anybody acts on it.
What could not be told would be a gap that nobody sees: a mark of it is kept before the session is told and goes once
it was, so it stays as well where the process ends in between. While a session has one, and where none can be kept, the
next calls keep their parameters to themselves, and flow policies ask about them.
"""

import json

from assent.hooks.journal import Journal
from assent.hooks.service import Service, Unanswered
from assent.hooks.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from assent.hooks.call import HookCall

LONGEST_TEXT = 1_000_000
"""Characters of an answer that are told; of a longer one the session is not complete."""
LONGEST_TOOL = 128


def tell(call: "HookCall", action_id: str, settings: Settings, service: Service, journal: Journal) -> str:
    """What went wrong, empty when nothing did. Outside of a session nobody is told."""
    body = call.sessions(settings.session_id)
    if not body:
        return ""
    if settings.agent_id:
        body["agent_id"] = settings.agent_id
    body.update(tool=call.tool[:LONGEST_TOOL], arguments=[name[:200] for name in call.input][:200], **_answer(call))
    mark = f"{call.told}-{call.action_id}"
    journal.keep("untold", mark, call.action_id)
    try:
        status, said = service.ask("POST", "/api/flows", body | {"action_id": action_id})
        if status == 404:
            # Observed, and guard would have stopped it: there is no action that it could be erased with.
            status, said = service.ask("POST", "/api/flows", body)
        why = "" if status == 201 else f"{status}: {said.get('detail') or said.get('error')}"
    except (Unanswered, ValueError, RecursionError) as error:
        why = str(error)
    if not why:
        journal.forget("untold", mark)
        return ""
    return f"Assent could not tell the session what {call.tool} gave, so flow policies ask from now on ({why})."


def _answer(call: "HookCall") -> "dict[str, Any]":
    written = json.dumps(call.response, ensure_ascii=False)
    if len(written) <= LONGEST_TEXT:
        return {"result": call.response}
    text = call.response if isinstance(call.response, str) else written
    return {"result": text[:LONGEST_TEXT], "cut": True}
