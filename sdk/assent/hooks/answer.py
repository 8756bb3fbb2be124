"""What the host is told: the JSON of its hooks, which Claude Code and Codex share."""

import json

ALLOW, DENY, ASK = "allow", "deny", "ask"
LONGEST = 8_000
"""Signs of a reason; more than a pipe holds would wait for a host that may not read."""


class Answer:
    """`verdict` is allow, deny or ask; None leaves it to the host. `note` is for the person at the assistant."""

    __slots__ = ("note", "reason", "verdict")

    def __init__(self, verdict: "str | None", reason: str = "", note: str = "") -> None:
        self.verdict = verdict
        self.reason = reason
        self.note = note


def before(answer: Answer, host: str) -> str:
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
