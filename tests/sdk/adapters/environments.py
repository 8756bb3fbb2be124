"""The environments of the agents' frameworks, and running a script in one of them, as an agent's own process.

`make frameworks` makes them. A script gets the address of the service and an agent's key, the names of what it should
do, and nothing else of ours; it prints JSON lines. It cannot reach anything but this machine (`agents/offline.py`).

Importing a framework takes up to ten seconds of processor time. It is done once for the tests of a module, in a process
from which each script is forked before anything has run in it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.forked import Forks
from tests.live import ROOT

ENVIRONMENTS = ROOT / ".venv" / "frameworks"
AGENTS = Path(__file__).with_name("agents")
PINS = Path(__file__).with_name("pins")
REQUIRED = "ASSENT_REQUIRE_FRAMEWORKS"
WAIT = 120.0
"""Seconds after which a script hangs. Importing CrewAI alone takes several."""
QUIET = {
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
    "CREWAI_TESTING": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "OTEL_SDK_DISABLED": "true",
    "ADK_DISABLE_LOAD_DOTENV": "1",
}
"""What keeps the frameworks' own telemetry at home."""
MODULES = {
    "langchain": ("langchain.agents", "langgraph.prebuilt", "assent.adapters.langchain", "httpcore"),
    "openai-agents": ("agents", "agents.testing", "assent.adapters.openai_agents", "httpcore"),
    "pydantic-ai": ("pydantic_ai.models.function", "assent.adapters.pydantic_ai", "httpcore"),
    "google-adk": ("google.adk.agents", "google.adk.runners", "assent.adapters.google_adk", "httpcore"),
    "crewai": ("crewai", "crewai.tools", "crewai.hooks", "assent.adapters.crewai", "httpcore"),
}
"""What the scripts import, in the order in which they do, and what a client loads with its first request."""


def python_of(framework: str) -> Path:
    """The framework's interpreter. Skips the test without it, or fails it where frameworks are required."""
    found = ENVIRONMENTS / framework / "bin" / "python"
    if not (ENVIRONMENTS / framework / ".installed").exists():
        reason = f"{framework} is not installed in {ENVIRONMENTS / framework}; run: make frameworks"
        if os.environ.get(REQUIRED):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


def forks(framework: str, home: Path, modules: Sequence[str]) -> Forks:
    """A process of the framework's environment with these modules ready. From its first one on, and in everything that
    is forked from it, every connection that leaves this machine is refused."""
    home.mkdir(parents=True, exist_ok=True)
    added = QUIET | {"HOME": str(home), "PYTHONPATH": str(AGENTS), "PYTHONUNBUFFERED": "1"}
    return Forks(("offline", "unhurried", *modules), python_of(framework), **added)


class Agent:
    """A running script of `agents/`, or any other that is given by its path."""

    def __init__(self, forks: Forks, script: str | Path, *words: str, home: Path, **env: str) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
        home.mkdir(parents=True, exist_ok=True)
        number = len(list(home.glob("*.out")))
        self._out, self._errors = home / f"{number}.out", home / f"{number}.err"
        for file in (self._out, self._errors):
            file.touch()
        self._process = forks.start(
            str(AGENTS / script),
            *words,
            environment=kept | QUIET | {"HOME": str(home), "CREWAI_STORAGE_DIR": str(home / "crewai")} | env,
            output=self._out,
            errors=self._errors,
            directory=home,
        )

    def wait_for(self, text: str) -> None:
        """Until it has printed this."""
        deadline = time.monotonic() + WAIT
        while text not in self._out.read_text():
            assert self._process.poll() is None, self._what()
            assert time.monotonic() < deadline, self._what()
            time.sleep(0.05)

    def output(self) -> str:
        """All that it printed, once it has ended well."""
        code = self._process.wait(WAIT)
        assert code == 0, self._what()
        return self._out.read_text()

    def end(self) -> list[dict[str, Any]]:
        """The JSON objects that it printed, one a line, once it has ended well."""
        return [json.loads(line) for line in self.output().splitlines() if line.startswith("{")]

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(WAIT)

    def _what(self) -> str:
        return f"exit code {self._process.poll()}\n{self._out.read_text()[-2000:]}\n{self._errors.read_text()[-6000:]}"
