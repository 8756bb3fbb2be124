"""From an empty folder to the first verdict, on each way in: `python -m tests.benchmarks.first_call [--only NAME]...`.

Each way is gone as its page has it: what the page says to install, in a new environment in an empty folder, then the
page's program. The service runs already. *Installing* is the second time of two, so that pip and npm have everything in
their caches and nothing is downloaded twice; frameworks come in the versions that the tests have. With `--warm` they
are warm already, and it is done once. *First verdict* is from the start of the program until it prints what was
decided: the median of RUNS. *Processor* is what each took of it, to its end. The Node client is a package that is built
from the clone first, once for all, and a line of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.processes import ROOT, Served, call, service
from tests.docs.page import blocks
from tests.sdk.adapters.environments import PINS, QUIET

HOW_TO = ROOT / "docs" / "how-to"
RUNS = 3
ADDRESS, KEY = "http://127.0.0.1:8484", "assent_..."
"""What pages say for the service's address and an agent's key."""
CLIENT, HOOK = "client.tgz", "the hook"
INSTRUCTION = {
    "session_id": "first",
    "cwd": "/work",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_use_id": "1",
}
"""What Claude Code says before a shell command."""


@dataclass(frozen=True, kw_only=True)
class Way:
    """`python` and `node` are what is installed: words for pip or npm. `files` are by name; `command` is the program,
    and `verdict` what it prints first of what was decided; an empty one is its end with 0. `sets_up` is a command that
    belongs to installing."""

    python: Sequence[str] = ()
    node: Sequence[str] = ()
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    sets_up: Sequence[str] = ()
    command: Sequence[str]
    verdict: str
    said: str = ""
    agent: str = "release-bot"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="first_call")
    parser.add_argument("--only", action="append", choices=list(ways()))
    parser.add_argument("--warm", action="store_true")
    parsed = parser.parse_args(arguments)
    chosen: list[str] | None = parsed.only
    with tempfile.TemporaryDirectory(prefix="assent-first-") as made, service() as served:
        rules = {"action_types": ["wipe", "wipe_disk"]}
        call(
            served,
            "POST",
            "/api/policies",
            {"name": "Nobody wipes", "policy_type": "block_action_type", "rules": rules},
        )
        folder = Path(made)
        wanted = {name: way for name, way in ways().items() if not chosen or name in chosen}
        print(f"{'':20} {'installing':>12} {'processor':>12} {'first verdict':>15} {'processor':>12}")
        if any(way.node for way in wanted.values()):
            print(f"{'Node client, built':20} {_packed(folder, warm=parsed.warm)}", flush=True)
        for name, way in wanted.items():
            try:
                installing, verdicts = gone(way, served, folder, name, warm=parsed.warm)
            except Failed as failed:
                print(f"{name:28} {failed}", flush=True)
                continue
            shown = str(installing) if way.python or way.node or way.sets_up else f"{'nothing':>12} {'':12}"
            print(f"{name:20} {shown}    {middle(verdicts)}", flush=True)
    print(f"{RUNS} runs on {os.cpu_count()} cores, with warm caches")


@dataclass(frozen=True)
class Spent:
    """Seconds on the clock, and of the processor."""

    elapsed: float
    processor: float

    def __str__(self) -> str:
        return f"{self.elapsed:10.2f} s {self.processor:10.2f} s"


class Watch:
    """What is spent from here on, in this process's children that have ended."""

    def __init__(self) -> None:
        self._began, self._used = time.perf_counter(), _used()

    @property
    def elapsed(self) -> float:
        return time.perf_counter() - self._began

    def spent(self, elapsed: float | None = None) -> Spent:
        return Spent(self.elapsed if elapsed is None else elapsed, _used() - self._used)


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def middle(runs: Sequence[Spent]) -> Spent:
    return Spent(statistics.median(run.elapsed for run in runs), statistics.median(run.processor for run in runs))


class Failed(Exception):
    """A way that does not lead there; the text says where it ends."""


def ways() -> dict[str, Way]:
    """In the order of the documentation."""
    frameworks = HOW_TO / "govern-a-frameworks-tools.md"
    gateway = HOW_TO / "put-a-gateway-before-an-mcp-server.md"
    here = str(ROOT)
    return {
        "Python": Way(
            python=[here],
            files={"agent.py": first_block(HOW_TO / "govern-an-agent.md", "python")},
            command=["python", "agent.py"],
            verdict="allow",
        ),
        "Node": Way(
            node=[CLIENT],
            files={"release.mjs": file_of(HOW_TO / "use-it-from-node.md", "release.mjs")},
            command=["node", "release.mjs"],
            verdict="allow",
        ),
        "LangChain": Way(
            python=[here, pinned_for("langchain", "langchain")],
            files={"langchain_agent.py": file_of(frameworks, "langchain_agent.py")},
            command=["python", "langchain_agent.py"],
            verdict="three years",
        ),
        "OpenAI Agents": Way(
            python=[here, pinned_for("openai-agents", "openai-agents")],
            files={"openai_agents_agent.py": file_of(frameworks, "openai_agents_agent.py")},
            command=["python", "openai_agents_agent.py"],
            verdict="three years",
        ),
        "CrewAI": Way(
            python=[here, pinned_for("crewai", "crewai")],
            files={"crewai_agent.py": file_of(frameworks, "crewai_agent.py")},
            command=["python", "crewai_agent.py"],
            verdict="three years",
        ),
        "Pydantic AI": Way(
            python=[here, pinned_for("pydantic-ai", "pydantic-ai-slim")],
            files={"pydantic_ai_agent.py": file_of(frameworks, "pydantic_ai_agent.py")},
            command=["python", "pydantic_ai_agent.py"],
            verdict="three years",
        ),
        "Google ADK": Way(
            python=[here, pinned_for("google-adk", "google-adk")],
            files={"google_adk_agent.py": file_of(frameworks, "google_adk_agent.py")},
            command=["python", "google_adk_agent.py"],
            verdict="three years",
        ),
        "AI SDK": Way(
            node=[CLIENT, *pinned("ai", "zod")],
            files={"ai_sdk_agent.mjs": file_of(frameworks, "ai_sdk_agent.mjs")},
            command=["node", "ai_sdk_agent.mjs"],
            verdict="three years",
        ),
        "LangGraph.js": Way(
            node=[CLIENT, *pinned("@langchain/langgraph", "@langchain/core", "zod")],
            files={"langgraph_agent.mjs": file_of(frameworks, "langgraph_agent.mjs")},
            command=["node", "langgraph_agent.mjs"],
            verdict="three years",
        ),
        "MCP proxy": Way(
            python=[f"{here}[mcp]"],
            files={name: file_of(gateway, name) for name in ("notes.py", ".mcp.json", "try_proxy.py")},
            command=["python", "try_proxy.py"],
            verdict="buy milk",
            agent="my-agent",
        ),
        "AuthZEN": Way(
            command=["sh", "-c", typed(HOW_TO / "ask-by-authzen.md", "curl")],
            verdict='"decision":true',
            agent="records-bot",
        ),
        "Claude Code": Way(
            python=[here],
            sets_up=["sh", "-c", typed(HOW_TO / "set-up-claude-code.md", "assent hooks install")],
            command=["sh", "-c", HOOK],
            verdict="",
            said=json.dumps(INSTRUCTION),
        ),
        "published client": Way(
            python=["dashclaw==4.8.0"],
            files={
                "bot.py": first_block(HOW_TO / "keep-a-dashclaw-client.md", "python") + '\nprint(verdict["decision"])\n'
            },
            command=["python", "bot.py"],
            verdict="allow",
        ),
    }


def first_block(page: Path, language: str) -> str:
    return next(block.text for block in blocks(page) if block.language == language)


def file_of(page: Path, name: str) -> str:
    """The file of this name on a page."""
    return next(block.text for block in blocks(page) if block.title == name)


def typed(page: Path, beginning: str) -> str:
    """The first command on a page that begins so."""
    found = re.search(rf"^\$ ({re.escape(beginning)}.*(?:\n> .*)*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None, f"{page.name} shows no command that begins with {beginning}"
    return found[1].replace("\n> ", "\n")


def pinned_for(framework: str, package: str) -> str:
    """In the version that the tests have; what it needs is up to pip."""
    found = re.search(rf"^{package}==.*$", (PINS / f"{framework}.txt").read_text(), re.MULTILINE)
    assert found is not None, f"{package} is not in the pins of {framework}"
    return found[0]


def pinned(*packages: str) -> list[str]:
    """In the versions that the tests have."""
    versions = json.loads((PINS / "node.json").read_text())["dependencies"]
    return [f"{package}@{versions[package]}" for package in packages]


def gone(way: Way, served: Served, folder: Path, name: str, *, warm: bool) -> tuple[Spent, list[Spent]]:
    """Seconds of installing, and of each run until its first verdict. Raises Failed."""
    said = {"name": name, "role": "agent", "agent_id": way.agent}
    key = str(call(served, "POST", "/api/keys", said)["api_key"])
    for attempt in ("warm",) if warm else ("cold", "warm"):
        place = folder / f"{re.sub(r'[^a-z]', '-', name.lower())}-{attempt}"
        place.mkdir()
        environment = environment_of(place, served.base_url, key)
        for file, text in way.files.items():
            (place / file).write_text(text.replace(ADDRESS, served.base_url).replace(KEY, key), encoding="utf-8")
        if CLIENT in way.node:
            shutil.copy(folder / CLIENT, place / CLIENT)
        watch = Watch()
        for command in installation(way):
            _run(command, place, environment)
        if way.sets_up:
            _run(way.sets_up, place, environment | {"ASSENT_API_KEY": served.key})
        installing = watch.spent()
        if attempt == "cold":
            shutil.rmtree(place)
    command = [word.replace(ADDRESS, served.base_url).replace(KEY, key) for word in way.command]
    if HOOK in command:
        # It has a key of its own.
        environment = {name: value for name, value in environment.items() if not name.startswith("ASSENT_")}
        command[command.index(HOOK)] = hook_of(place)
    return installing, [until_verdict(way, command, place, environment) for _ in range(RUNS)]


def installation(way: Way) -> Iterator[list[str]]:
    if way.python:
        yield [sys.executable, "-m", "venv", ".venv"]
        yield [".venv/bin/python", "-m", "pip", "install", "--quiet", *way.python]
    if way.node:
        yield ["npm", "install", "--no-audit", "--no-fund", "--silent", *(_path_of(word) for word in way.node)]


def _path_of(word: str) -> str:
    return f"./{word}" if word == CLIENT else word


def environment_of(place: Path, base_url: str, key: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSENT_", "PYTHON", "XDG_"))}
    caches = {"PIP_CACHE_DIR": str(Path.home() / ".cache" / "pip"), "npm_config_cache": str(Path.home() / ".npm")}
    own = {"HOME": str(place), "PATH": f"{place / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return {**kept, **QUIET, **caches, **own, "ASSENT_BASE_URL": base_url, "ASSENT_API_KEY": key}


def hook_of(place: Path) -> str:
    """What Claude Code starts before each tool."""
    settings = json.loads((place / ".claude" / "settings.json").read_text())
    return str(settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"])


def _run(command: Sequence[str], place: Path, environment: Mapping[str, str]) -> None:
    ran = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise Failed(f"{' '.join(command)[:80]} ended with {ran.returncode}: {(ran.stdout + ran.stderr)[-600:]}")


def until_verdict(way: Way, command: Sequence[str], place: Path, environment: Mapping[str, str]) -> Spent:
    watch = Watch()
    with subprocess.Popen(
        command,
        cwd=place,
        env=environment,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(way.said)
        process.stdin.close()
        printed = []
        seconds = None
        for line in process.stdout:
            printed.append(line)
            if seconds is None and way.verdict and way.verdict in line:
                seconds = watch.elapsed
        errors = process.stderr.read()
    if not way.verdict and process.returncode == 0:
        seconds = watch.elapsed
    if seconds is None:
        raise Failed(
            f"{' '.join(command)[:60]} did not print {way.verdict!r}: {''.join(printed)[-300:]}{errors[-900:]}"
        )
    return watch.spent(seconds)


def _packed(folder: Path, *, warm: bool) -> Spent:
    """Seconds to make the Node client's package, as its page says."""
    source = folder / "typescript"
    shutil.copytree(ROOT / "sdk" / "typescript", source, ignore=shutil.ignore_patterns("node_modules", "dist", "*.tgz"))
    environment = {**os.environ, "npm_config_cache": str(Path.home() / ".npm")}
    for _ in ("warm",) if warm else ("cold", "warm"):
        shutil.rmtree(source / "node_modules", ignore_errors=True)
        watch = Watch()
        for command in (["npm", "install", "--no-package-lock", "--silent"], ["npm", "pack", "--silent"]):
            _run(command, source, environment)
        spent = watch.spent()
    [package] = source.glob("assent-client-*.tgz")
    shutil.move(package, folder / CLIENT)
    return spent


if __name__ == "__main__":
    main(sys.argv[1:])
