"""`python -m tests.vectors.hooks` writes calls.jsonl anew: the calls of `groups` as Claude Code and Codex say them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.vectors.hooks.groups import SHELLS, TOOLS
from tests.vectors.hooks.kinds import FOLDER, HOME, Shell

FILE = Path(__file__).with_name("calls.jsonl")


def said(host: str, number: int, tool: str, given: dict[str, Any]) -> dict[str, Any]:
    """What the host writes to its hook."""
    shared = {
        "session_id": f"{host}-session-{number % 7}",
        "transcript_path": f"{HOME}/.{host}/sessions/{number % 7}.jsonl",
        "cwd": FOLDER,
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": f"{'toolu' if host == 'claude' else 'call'}_{number:05d}",
    }
    return shared | ({"permission_mode": "default"} if host == "claude" else {"turn_id": str(number), "model": "any"})


def calls() -> Iterator[dict[str, Any]]:
    """Every call with what is expected of it."""
    made: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = []
    for group in (*SHELLS, *TOOLS):
        expected = {
            "action_type": "shell" if isinstance(group, Shell) else group.kind,
            "risk": list(group.band),
            "reversible": group.reversible,
            "sensitive": list(group.sensitive),
            "verdict": group.verdict,
        }
        if isinstance(group, Shell):
            expected["intents"] = sorted(group.intents.split())
            for line in group.lines:
                made += [
                    ("claude", "Bash", {"command": line, "description": "as asked"}, expected),
                    ("codex", "shell", {"command": ["bash", "-lc", line], "workdir": FOLDER}, expected),
                ]
        else:
            made += [
                ("codex" if tool.islower() and not tool.startswith("mcp") else "claude", tool, given, expected)
                for tool, given in group.calls
            ]
    for number, (host, tool, given, expected) in enumerate(made):
        yield {"host": host, "said": said(host, number, tool, given), "expected": expected}


def text() -> str:
    return "".join(json.dumps(call, sort_keys=True) + "\n" for call in calls())


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
