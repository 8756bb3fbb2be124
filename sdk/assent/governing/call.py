"""One call of a tool, as governance sees it: the members of `create_action` that follow from the call itself.

The type of the action is the tool's name, the goal its name and arguments for people to read, and the digest of the
arguments is what an approval is bound to; the arguments themselves stay here. How risky a tool of one's own is, the
service rates by its type and goal, and its owner by risk templates; of a tool behind an MCP server only the name is
known, so there the hooks' table of names gives the estimate, as it does for coding assistants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from assent.client.actions import ActionFields
from assent.governing.arguments import LONGEST_GOAL, cleaned, cut, digest, line
from assent.hooks.tools import meaning

LONGEST_TYPE, LONGEST_DESCRIPTION = 128, 300


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """`name` is the tool's, `arguments` are by name. `description` is what the tool says of itself, `server` the MCP
    server that it is called at, if any. `goal`, a text or what makes one of the arguments, replaces the one made of
    name and arguments. `key` tells this call from every other: the same key later finds the same action again (up to
    200 printable ASCII characters)."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    description: str | None = None
    server: str | None = None
    goal: str | Callable[[Mapping[str, Any]], str] | None = None
    key: str | None = None

    @property
    def action_type(self) -> str:
        return self.name[:LONGEST_TYPE] or "tool"

    @property
    def declared_goal(self) -> str:
        if self.goal is None:
            return line(self.name, self.arguments)
        said = self.goal if isinstance(self.goal, str) else self.goal(self.arguments)
        return cut(cleaned(said), LONGEST_GOAL)

    @property
    def parameters_digest(self) -> str:
        """Over the arguments as they are now."""
        return digest(self.arguments)

    def fields(self) -> ActionFields:
        """Everything but type and goal."""
        metadata: dict[str, Any] = {"tool": self.name[:LONGEST_TYPE]}
        if self.description:
            metadata["tool_description"] = cut(cleaned(self.description), LONGEST_DESCRIPTION)
        fields: ActionFields = {"parameters_digest": self.parameters_digest, "metadata": metadata}
        if self.key is not None:
            fields["idempotency_key"] = self.key
        if self.server is not None:
            meant = meaning(f"mcp__{self.server}__{self.name}", self.arguments, "/", "")
            metadata.update(meant.metadata)
            fields["systems_touched"] = meant.systems
            fields["reversible"], fields["risk_score"] = meant.reversible, meant.risk
        return fields
