"""What tool calls of coding assistants mean, told by hand: each group has the calls that mean the same.

`ALLOW`, `ASK` and `BLOCK` are the verdicts of the policies in `POLICIES`. Of a shell group the intents are all that its
lines have, and the band is where the risk has to be; commands run in `FOLDER`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FOLDER, HOME = "/people/dev/shop", "/people/dev"
ALLOW, ASK, BLOCK = "allow", "ask", "block"
STOPPED = ("wipe", "destroy_disk", "destroy_data", "destroy_infrastructure", "run_download")
ASKED = (
    *("upload", "privilege", "persistence", "system", "deploy", "read_secrets", "unreadable", "rewrite_history"),
    "remote_shell",
)


def _any(field: str, values: tuple[str, ...], action: str) -> dict[str, Any]:
    conditions = [{"field": field, "op": "contains", "value": value} for value in values]
    return {"when": {"any": conditions}, "action": action}


POLICIES = (
    {"name": "Nothing is destroyed", "policy_type": "condition", "rules": _any("metadata.intents", STOPPED, "block")},
    {
        "name": "Somebody looks at what reaches far",
        "policy_type": "condition",
        "rules": _any("metadata.intents", ASKED, "require_approval"),
    },
    {
        "name": "Secrets are not read",
        "policy_type": "condition",
        "rules": _any("metadata.sensitive", ("secrets", "credentials", "governance"), "block"),
    },
)


@dataclass(frozen=True, kw_only=True)
class Shell:
    """Lines of shell that have the same intents. `band` is the lowest and the highest risk that they may have."""

    intents: str
    band: tuple[int, int]
    verdict: str
    lines: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    reversible: bool = True


@dataclass(frozen=True, kw_only=True)
class Tool:
    """Calls of other tools that mean the same: name and input of each."""

    kind: str
    band: tuple[int, int]
    verdict: str
    calls: tuple[tuple[str, dict[str, Any]], ...]
    sensitive: tuple[str, ...] = ()
    reversible: bool = True
