"""A coding assistant as the hooks meet it: it runs the command line of its settings in a shell, says its call on
standard input, and lets the call run unless the hook ends with 2, or with 0 and a verdict that stops it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = Path(sys.executable).with_name("assent-hook")
GUARDED = " || exit 2"
"""What `assent hooks install` writes behind the command of an enforcing hook."""


@dataclass(frozen=True)
class Ran:
    """How a hook ended. `runs` is the host's rule: any exit code but 2 lets a call run, unless the answer stops it."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> dict[str, Any]:
        try:
            said = json.loads(self.out)
        except ValueError:
            return {}
        return said if isinstance(said, dict) else {}

    @property
    def verdict(self) -> str | None:
        told = self.said.get("hookSpecificOutput", {}).get("permissionDecision")
        return None if told is None else str(told)

    @property
    def reason(self) -> str:
        return str(self.said.get("hookSpecificOutput", {}).get("permissionDecisionReason", ""))

    @property
    def runs(self) -> bool:
        if self.code == 2:
            return False
        return self.code != 0 or self.verdict not in ("deny", "ask")


@dataclass
class Assistant:
    """One assistant with the hooks in it. `settings` are the members of the hook's configuration."""

    folder: Path
    settings: dict[str, Any]
    host: str = "claude"
    program: Path = PROGRAM
    raw: str | None = None
    """The configuration's text, when it is not `settings`."""

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.session = f"session-{self.folder.parent.name}"

    @property
    def configuration(self) -> Path:
        return self.folder / "hook.json"

    def line(self, event: str) -> str:
        """The command line as it is installed."""
        program, file = shlex.quote(str(self.program)), shlex.quote(str(self.configuration))
        enforces = self.settings.get("mode", "enforce") == "enforce" and event == "pre-tool"
        return f"{program} {event} --config {file} --host {self.host}{GUARDED if enforces else ''}"

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSENT_", "PYTHON"))}
        return kept | {"HOME": str(self.folder), "XDG_STATE_HOME": str(self.folder / "state")}

    def write(self) -> None:
        text = json.dumps(self.settings) if self.raw is None else self.raw
        self.configuration.write_text(text, encoding="utf-8")

    def run(self, event: str, text: str | bytes, *, line: str | None = None, **environment: str) -> Ran:
        """What the host sees of one hook."""
        self.write()
        ran = subprocess.run(
            ["/bin/sh", "-c", line or self.line(event)],
            input=text.encode() if isinstance(text, str) else text,
            capture_output=True,
            timeout=60,
            env=self.environment() | environment,
            check=False,
        )
        return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    def call(self, tool: str, given: dict[str, Any], call_id: str | None = "call-1", **more: Any) -> str:
        """What the host says of a call."""
        said = {"session_id": self.session, "cwd": str(self.folder), "tool_name": tool, "tool_input": given}
        return json.dumps(said | ({} if call_id is None else {"tool_use_id": call_id}) | more)

    def before(self, command: str, call_id: str | None = "call-1", **environment: str) -> Ran:
        """A shell command, before it runs."""
        return self.run("pre-tool", self.call("Bash", {"command": command}, call_id), **environment)

    def after(self, command: str, call_id: str | None = "call-1", response: object = None) -> Ran:
        """The same, after it ran."""
        given = {"stdout": "done"} if response is None else response
        return self.run("post-tool", self.call("Bash", {"command": command}, call_id, tool_response=given))
