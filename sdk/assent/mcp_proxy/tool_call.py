"""A call of a tool behind the proxy, as governance sees it, and what a model reads instead of a result.

The type of the action is `mcp.<server>.<tool>`, so that a policy can name a server's tools one by one. Risk and whether
it can be undone come from the tool's name, as the hooks have them. What a server says of its own tools is trusted
where it makes them look worse: `destructiveHint` makes the action one that cannot be undone, `readOnlyHint` makes
nothing better. All hints are in the metadata for policies to look at.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assent.client.actions import ActionFields
from assent.contract.one_reading import Twice, once
from assent.errors import ApprovalTimeoutError, AssentError
from assent.governing import ToolCall, refusal
from assent.governing.arguments import cleaned, line
from assent.governing.call import LONGEST_TYPE
from assent.mcp_proxy.pins import CHANGED

HINTS = {
    "readOnlyHint": "read_only_hint",
    "destructiveHint": "destructive_hint",
    "idempotentHint": "idempotent_hint",
    "openWorldHint": "open_world_hint",
}
"""What MCP calls them, and what they are called in the metadata."""


@dataclass(frozen=True, kw_only=True)
class ProxiedCall(ToolCall):
    """`hints` are those that the server's list gave as true or false; `listed` is whether the tool is in it."""

    hints: Mapping[str, bool] = field(default_factory=dict[str, bool])
    listed: bool = False

    @property
    def action_type(self) -> str:
        whole = f"mcp.{self.server}.{cleaned(self.name)}"
        if len(whole) <= LONGEST_TYPE:
            return whole
        # Two long names that begin alike are two types.
        return f"{whole[: LONGEST_TYPE - 17]}.{hashlib.sha256(whole.encode()).hexdigest()[:16]}"

    @property
    def declared_goal(self) -> str:
        return line(f"{self.server}: {cleaned(self.name)}", self.arguments)

    def answer_of(self, result: Any) -> Any:
        """Of a message of the protocol what the tool gave: its data where it gave them, and the blocks of its content
        that are not those data as text."""
        given = result.get("result", result.get("error")) if isinstance(result, dict) else result
        if not isinstance(given, dict):
            return given
        data, content = given.get("structuredContent"), given.get("content", given)
        if data is None:
            return content
        more = [each for each in content if not _says(each, data)] if isinstance(content, list) else [content]
        return [data, *more] if more else data

    def fields(self) -> ActionFields:
        fields = super().fields()
        fields["metadata"] = {**(fields.get("metadata") or {}), "listed": self.listed, **self.hints}
        if self.hints.get(HINTS["destructiveHint"]):
            fields["reversible"] = False
        return fields


def _says(block: object, data: Any) -> bool:
    """Whether a block of content is these data, written as text; a server may put what is no object into `result`."""
    text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
    if not isinstance(text, str):
        return False
    if isinstance(data, dict) and list(data) == ["result"] and data["result"] == text:
        return True
    try:
        read = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError, Twice):
        return False
    return bool(read == data or {"result": read} == data)


def hints_of(definition: Mapping[str, Any]) -> dict[str, bool]:
    """The annotations of a tool that are hints and are true or false."""
    found = definition.get("annotations")
    if not isinstance(found, dict):
        return {}
    return {ours: found[theirs] for theirs, ours in HINTS.items() if isinstance(found.get(theirs), bool)}


def refused(tool: str, error: AssentError) -> str:
    """Instead of the result of a call that was not let through."""
    words = refusal(tool, error)
    if isinstance(error, ApprovalTimeoutError):
        return f"{words} Once it is decided, make the very same call again: that one finds the decision."
    return words


def broken(tool: str) -> str:
    """Instead of the result of a call that the proxy itself failed at."""
    return f"{tool} did not run: it could not be asked whether it may. Nothing was done. Tell the user."


def held(tool: str, server: str, why: str) -> str:
    """Instead of the result of a tool that is not what was pinned."""
    what = "it is not what it was when it was approved" if why == CHANGED else "it was not there when the list was"
    return (
        f"{tool} did not run: {what}, and nobody has accepted the change. Do not look for a way around it. Tell the "
        f"user to look at it with `assent mcp pins {server}`."
    )


def held_back(tool: str, why: str) -> str:
    """Instead of a result that a model must not read."""
    return (
        f"{tool} ran, but its result was held back: {why}. Do not call it again to see it, and do not guess what it "
        "was. Tell the user."
    )


def unanswered(tool: str, why: str) -> str:
    """Instead of the result of a call that reached the server, and then nothing came."""
    return (
        f"{tool} was called, but there is no result: {why}. It may have been done or not. Find out before you call it "
        "again."
    )
