"""Telling a session what a tool gave, with ASSENT_TELL_SESSIONS=1, for flow policies.

The host waits for the hook before its model reads what the tool gave, so a session is told before anybody acts on it.
What could not be told would be a gap that nobody sees:

- The hook before a call keeps a mark that it has begun, and the hook after it takes the mark away once the session was
  told. A call of that session that meets the mark of another one tells the session that a text may have been read:
  the tool failed, the host's user denied it, it runs at the same time, or the hook after it was ended.
- The hook after a call keeps a mark of what it is about to tell, which stays where it was not told. While a session has
  one, and where no mark can be kept, the next calls keep their parameters to themselves, and flow policies ask.
"""

import json

from assent.answers import MOST_NAMES, argument_names
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
LONGEST_SHOWN = 200_000
"""Characters of parameters that are given themselves."""
TEXT_READ = "untrusted_seen"
"""The label of a session that has read somebody else's text."""


def begin(call: "HookCall", settings: Settings, service: Service, journal: Journal) -> bool:
    """Mark the call as begun; whether its parameters themselves are given: not where its session has a gap, or one
    could not be remembered or told."""
    written = json.dumps(call.input, ensure_ascii=False)
    others = [each for each in journal.names("begun", call.told) if each != _mark(call)]
    kept = journal.keep("begun", _mark(call), call.action_id)
    told = not others or _tell_begun(others, call, settings, service, journal)
    return kept and told and len(written) <= LONGEST_SHOWN and not journal.any("untold", call.told)


def call_off(call: "HookCall", journal: Journal) -> None:
    """The call does not run."""
    journal.forget("begun", _mark(call))


def _tell_begun(marks: "list[str]", call: "HookCall", settings: Settings, service: Service, journal: Journal) -> bool:
    """Whether the session knows that calls which have begun may have read a text."""
    body = _session(call, settings)
    if body:
        try:
            status, _ = service.ask("POST", "/api/flows", body | {"user_text": "", "labels": [TEXT_READ]})
        except Unanswered:
            return False
        if status != 201:
            return False
    for each in marks:
        journal.forget("begun", each)
    return True


def tell(call: "HookCall", action_id: str, settings: Settings, service: Service, journal: Journal) -> str:
    """What went wrong, empty when nothing did. Outside of a session nobody is told."""
    body = _session(call, settings)
    if not body:
        call_off(call, journal)
        return ""
    body.update(tool=call.tool[:LONGEST_TOOL], arguments=argument_names(call.input)[:MOST_NAMES], **_answer(call))
    mark = _mark(call)
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
        journal.forget("begun", mark)
        return ""
    return f"Assent could not tell the session what {call.tool} gave, so flow policies ask from now on ({why})."


def _mark(call: "HookCall") -> str:
    return f"{call.told}-{call.action_id}"


def _session(call: "HookCall", settings: Settings) -> "dict[str, Any]":
    """Which session is told, for which agent; empty outside of one."""
    body = call.sessions(settings.session_id)
    return body | {"agent_id": settings.agent_id} if body and settings.agent_id else body


def _answer(call: "HookCall") -> "dict[str, Any]":
    written = json.dumps(call.response, ensure_ascii=False)
    if len(written) <= LONGEST_TEXT:
        return {"result": call.response}
    text = call.response if isinstance(call.response, str) else written
    return {"result": text[:LONGEST_TEXT], "cut": True}
