"""What the host says on standard input, for both of its events, and the ids that follow from it.

A call's action has an id that follows from the session and the host's own id of the call: what runs after the tool
finds the action again without anything having been kept in between. A host that gives its calls no ids gets a new one
for each (`identify`), since the same call again is another call.
"""

import hashlib
import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST = 64_000_000
LONGEST_ID = 128


class BadCall(ValueError):
    """What is wrong with what the host said."""


class Call:
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
        return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def same(self) -> str:
        """What a call has in common with its repetition: the session, the folder, the tool and its input."""
        return _hex(self.session_id, self.folder, self.tool, self.digest)

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


def read(text: bytes) -> Call:
    """Raises BadCall."""
    if len(text) > LARGEST:
        raise BadCall(f"standard input has more than {LARGEST:,} bytes")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise BadCall("standard input is not JSON") from None
    if not isinstance(said, dict):
        raise BadCall("standard input is no JSON object")
    return Call(said)


def new_id() -> str:
    """An id for a call whose host gives none."""
    return os.urandom(16).hex()


def _text(said: "dict[str, Any]", name: str) -> str:
    value = said.get(name)
    if not isinstance(value, str) or not value:
        raise BadCall(f"{name} is missing")
    return value


def _hex(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
