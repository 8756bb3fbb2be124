"""The JavaScript frameworks (`make node`), and running a script beside them and the packed Node client, as an agent's
own process. It prints JSON lines, and cannot reach anything but this machine (`agents/offline.mjs`)."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests import node
from tests.sdk.adapters.environments import AGENTS, ENVIRONMENTS, WAIT

PINS = Path(__file__).with_name("pins") / "node.json"
MODULES = ENVIRONMENTS / "node" / "node_modules"


def beside_the_client(factory: pytest.TempPathFactory) -> Path:
    """A folder whose node_modules has the frameworks and the packed client. It is made once for all processes of a
    run."""
    node.needed()
    if not (ENVIRONMENTS / "node" / ".installed").exists():
        reason = f"the JavaScript frameworks are not installed in {MODULES.parent}; run: make node"
        if os.environ.get(node.REQUIRED):
            pytest.fail(reason)
        pytest.skip(reason)
    client = node.installed(factory)
    place = client.parent / "frameworks"
    with (client.parent / "frameworks.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.is_dir():
            modules = place / "node_modules"
            modules.mkdir(parents=True)
            for each in (client / "node_modules" / "@assent", *MODULES.iterdir()):
                if not each.name.startswith("."):
                    (modules / each.name).symlink_to(each)
            # Links within a package lead from where it is: the client looks for its optional peer beside itself.
            peer = client / "node_modules" / "@langchain"
            if not peer.exists():
                peer.symlink_to(MODULES / "@langchain")
    return place


class NodeAgent:
    """A running script of `agents/`, or any other that is given by its path."""

    def __init__(self, folder: Path, script: str | Path, *words: str, home: Path, **env: str) -> None:
        home.mkdir(parents=True, exist_ok=True)
        number = len(list(home.glob("*.out")))
        self._out, self._errors = home / f"{number}.out", home / f"{number}.err"
        source = AGENTS / script
        # Modules are looked for beside the script.
        copy = folder / f"{home.parent.name}-{number}-{source.name}"
        copy.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
        quiet = {"LANGCHAIN_TRACING_V2": "false", "LANGSMITH_TRACING": "false", "AI_SDK_LOG_WARNINGS": "false"}
        with self._out.open("wb") as out, self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                ["node", "--no-warnings", "--import", (AGENTS / "offline.mjs").as_uri(), str(copy), *words],
                cwd=folder,
                env=kept | quiet | {"HOME": str(home)} | env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
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
