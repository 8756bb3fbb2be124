"""The Node client as an agent has it: packed by npm, and installed from that file into an empty folder.

It takes node and npm, and the package's own tools in sdk/typescript (`make node`). Without them the tests are skipped,
unless ASSENT_REQUIRE_NODE is set.
"""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.live import ROOT

PACKAGE = ROOT / "sdk" / "typescript"
TOOLS = PACKAGE / "node_modules"
REQUIRED = "ASSENT_REQUIRE_NODE"
BUILDING = ("src", "scripts", "package.json", "tsconfig.json", "README.md")
"""What a package is built of."""
WAIT = 240.0


def runtime() -> list[str]:
    """What an agent's program is run by: Node, or what ASSENT_JAVASCRIPT says (`deno run -A`, `bun`)."""
    return shlex.split(os.environ.get("ASSENT_JAVASCRIPT", "node --no-warnings"))


def missing() -> str | None:
    """What is not there of what these tests take."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "node or npm is not installed"
    return None if (TOOLS / "typescript").is_dir() else "the tools of sdk/typescript are not installed: make node"


def needed() -> None:
    """Skips the test, or fails it where Node is required."""
    why = missing()
    if why is not None:
        if os.environ.get(REQUIRED):
            pytest.fail(f"{REQUIRED} is set, and {why}", pytrace=False)
        pytest.skip(why)


def run(command: Sequence[str], folder: Path, **env: str) -> str:
    """What a program prints that ends with 0."""
    # Its caches and its colours are nobody's business.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
    environment |= {"NO_COLOR": "1", "npm_config_update_notifier": "false", **env}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=WAIT, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def installed(factory: pytest.TempPathFactory) -> Path:
    """A folder whose node_modules has the package. It is made once for all processes of a run."""
    needed()
    shared = factory.getbasetemp()
    shared = shared.parent if os.environ.get("PYTEST_XDIST_WORKER") else shared
    place = shared / "node"
    with (shared / "node.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "agent" / "node_modules").is_dir():
            shutil.rmtree(place, ignore_errors=True)
            _install(place)
    return place / "agent"


def tarball(agent: Path) -> Path:
    """The file that an installed folder's package came from."""
    (made,) = agent.parent.glob("package/*.tgz")
    return made


def _install(place: Path) -> None:
    package, agent = place / "package", place / "agent"
    package.mkdir(parents=True)
    for name in BUILDING:
        source = PACKAGE / name
        if source.is_dir():
            shutil.copytree(source, package / name)
        else:
            shutil.copy(source, package / name)
    (package / "node_modules").symlink_to(TOOLS)
    told: list[dict[str, Any]] = json.loads(_json_of(run(["npm", "pack", "--json", "--loglevel=error"], package)))
    agent.mkdir()
    (agent / "package.json").write_text('{"name": "agent", "private": true}\n')
    # Nothing is fetched: the package needs no other.
    quiet = ("--offline", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
    run(["npm", "install", *quiet, str(package / told[0]["filename"])], agent)


def _json_of(printed: str) -> str:
    """npm prints what the build says in front of it."""
    return printed[printed.index("[\n") :]
