"""The frameworks' environments: what is in them, and that nothing in them reaches out of this machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sdk.adapters.environments import PINS, Agent, forks, python_of

UNMET = {
    "langchain": {"certifi"},  # a version of it that the package index did not have when this was pinned
    "openai-agents": set(),
    "pydantic-ai": set(),
    "google-adk": set(),
    "crewai": {"crewai-cli", "kubernetes", "lancedb", "onnxruntime", "openpyxl", "pdfplumber", "tokenizers"},
}


@pytest.mark.parametrize("framework", sorted(UNMET))
def test_an_environment_has_its_pins_and_lacks_what_they_say(framework: str) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python_of(framework))]
    frozen = subprocess.run([*pip, "freeze"], capture_output=True, text=True, check=True, timeout=120).stdout
    pins = (PINS / f"{framework}.txt").read_text()
    wanted = {line.lower().replace("_", "-") for line in pins.splitlines() if "==" in line}
    assert wanted <= {line.lower().replace("_", "-") for line in frozen.splitlines()}
    assert "assent" in frozen

    checked = subprocess.run([*pip, "check"], capture_output=True, text=True, check=False, timeout=120).stdout
    unmet = set(re.findall(r"requires ([\w-]+), which is not|has requirement ([\w-]+)", checked))
    assert {name or other for name, other in unmet} == UNMET[framework]
    assert [name for name in UNMET[framework] if name not in pins] == []


def test_every_environment_is_here() -> None:
    assert {path.stem for path in PINS.glob("*.txt")} == set(UNMET)


@pytest.mark.parametrize(
    "attempt", ["socket.create_connection(('192.0.2.1', 9), 1)", "socket.getaddrinfo('example.com', 80)"]
)
def test_reaching_out_ends_a_script(tmp_path: Path, attempt: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"import socket\nprint('began')\n{attempt}\nprint('got there')\n")
    ready = forks("openai-agents", tmp_path / "ready", ())
    agent = Agent(ready, script, home=tmp_path / "home")
    with pytest.raises(AssertionError, match="exit code 99"):
        agent.output()
    ready.end()
    assert "got there" not in (tmp_path / "home" / "0.out").read_text()


def test_the_frameworks_are_not_here() -> None:
    """What the adapters' tests show, they show in those environments; in this one there is nothing to import."""
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, assent.adapters.crewai, assent.adapters.google_adk, assent.adapters.openai_agents, "
            "assent.adapters.pydantic_ai; print(*sys.modules)",
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={"PATH": os.environ["PATH"]},
    ).stdout.split()
    assert [name for name in ("crewai", "agents", "google", "langchain_core", "pydantic") if name in found] == []
