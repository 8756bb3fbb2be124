"""What the host says on standard input, for both of its events, the ids that follow from it, and what the host is told.

A call's action has an id that follows from the session and the host's own id of the call: what runs after the tool
finds the action again without anything having been kept in between. A host that gives its calls no ids gets a new one
for each (`identify`), since the same call again is another call.

The answer is the JSON of hooks that Claude Code and Codex share.
"""

import json
import os

from assent.hooks.sha256 import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST = 64_000_000
LONGEST_ID = 128


class BadCall(ValueError):
    """What is wrong with what the host said."""


class HookCall:
    """One tool call. `response` is what the tool gave back, known afterwards alone."""

    __slots__ = ("call_id", "folder", "input", "response", "session_id", "tool")

    def __init__(self, said: "dict[str, Any]") -> None:
        self.tool = _text(said, "tool_name")
        given = said.get("tool_input", {})
        if not isinstance(given, dict):
            raise BadCall(f"tool_input is {type(given).__name__} and no object")
        self.input: dict[str, Any] = given
        self.session_id = str(said.get("session_id") or said.get("conversation_id") or said.get("thread_id") or "")
        self.folder = str(said.get("cwd") or "/")
        self.response = said.get("tool_response", said.get("tool_output"))
        self.call_id = str(said.get("tool_use_id") or said.get("tool_call_id") or said.get("call_id") or "")

    @property
    def digest(self) -> str:
        """SHA-256 of the input as canonical JSON, which is RFC 8785's wherever the input has no fractions
        and no names beyond the basic plane."""
        text = json.dumps(self.input, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return "sha256:" + hex_digest(text)

    @property
    def same(self) -> str:
        """What a call has in common with its repetition: the session, the folder, the tool and its input."""
        return _hex(self.session_id, self.folder, self.tool, self.digest)

    @property
    def told(self) -> str:
        """Under this name the journal remembers what its session could not be told."""
        return _hex("told", self.session_id)[:32]

    @property
    def action_id(self) -> str:
        """The id of this call's action."""
        return f"act_{_hex('call', self.session_id, self.call_id or self.same)[:32]}"

    def identify(self, call_id: str) -> None:
        """Give the call the id that its host did not give it."""
        self.call_id = call_id

    @property
    def session(self) -> str:
        return self.session_id if len(self.session_id) <= LONGEST_ID else _hex(self.session_id)

    def sessions(self, around: str) -> "dict[str, Any]":
        """The host's session, begun in the one in which the host was started."""
        own = self.session
        if not around or len(around) > LONGEST_ID or own == around:
            return {"session_id": own} if own else {}
        return {"session_id": own, "parent_session_id": around} if own else {"session_id": around}


def read(text: bytes) -> HookCall:
    """Raises BadCall."""
    if len(text) > LARGEST:
        raise BadCall(f"standard input has more than {LARGEST:,} bytes")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise BadCall("standard input is not JSON") from None
    if not isinstance(said, dict):
        raise BadCall("standard input is no JSON object")
    return HookCall(said)


def new_id() -> str:
    """An id for a call whose host gives none."""
    return os.urandom(16).hex()


def _text(said: "dict[str, Any]", name: str) -> str:
    value = said.get(name)
    if not isinstance(value, str) or not value:
        raise BadCall(f"{name} is missing")
    return value


def _hex(*parts: str) -> str:
    return hex_digest("\0".join(parts))


ALLOW, DENY, ASK = "allow", "deny", "ask"
LONGEST = 8_000
"""Signs of a reason; more than a pipe holds would wait for a host that may not read."""


class HookAnswer:
    """`verdict` is allow, deny or ask; None leaves it to the host's own rules. `note` is for the person at the
    assistant."""

    __slots__ = ("note", "reason", "verdict")

    def __init__(self, verdict: "str | None", reason: str = "", note: str = "") -> None:
        self.verdict = verdict
        self.reason = reason
        self.note = note


def before(answer: HookAnswer, host: str) -> str:
    """The line of a PreToolUse hook. Codex knows only `deny`: what it is not told to deny, it decides by its own rules,
    so there `ask` is denied with what to do, and `allow` is left out."""
    verdict, reason = answer.verdict, answer.reason
    if host == "codex" and verdict == ASK:
        verdict, reason = DENY, f"{reason} Codex cannot ask here: set `approvals` to `assent`."
    if host == "codex" and verdict == ALLOW:
        verdict = None
    said: dict[str, object] = {}
    if verdict is not None:
        said["hookSpecificOutput"] = {
            "hookEventName": "PreToolUse",
            "permissionDecision": verdict,
            "permissionDecisionReason": reason[:LONGEST],
        }
    if answer.note:
        said["systemMessage"] = answer.note[:LONGEST]
    return json.dumps(said, ensure_ascii=True) if said else ""


def after(note: str) -> str:
    """The line of a PostToolUse hook; nothing can be undone there."""
    return json.dumps({"systemMessage": note}, ensure_ascii=True) if note else ""
