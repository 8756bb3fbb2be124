"""What `assent mcp proxy` adds to a call of a tool: `python -m tests.benchmarks.mcp_proxy [--rounds 12] [--base BASE]`.

Four servers that people run, over standard input and output: each is called by itself and behind the proxy, by a host
that does nothing else, in turns of CALLS calls. *At once* is one call right after the answer to the one before, so that
what the proxy still has to do for one stands in the way of the next; *with a pause* leaves it the time that a model
takes at least. With BASE, a commit or the folder of another checkout, that one's proxy and service take turns with
these. `processor` is what a call took of the proxy and of the service, until both have nothing left to do.

The servers are installed into a folder of their own on first use, which needs npm. `fetch` gets its page from this
process.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks.compare import checkout
from tests.benchmarks.processes import ROOT, Served, call, service
from tests.benchmarks.processor import used

SERVERS = ROOT / ".venv" / "mcp-servers"
NODE_PACKAGES = (
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
)
PYTHON_PACKAGES = ("mcp-server-git==2026.10.19", "mcp-server-fetch==2026.10.24")
CALLS = 30
PAUSE, SETTLING = 0.05, 0.5
GOAL_MS = 5.0
DIRECT, NOW, BEFORE = "direct", "here", "BASE"
PARAGRAPH = "<p>A sentence that an agent reads, as long as sentences are on pages that people write.</p>\n"
PAGE = f"<html><head><title>A page</title></head><body><main>{PARAGRAPH * 300}</main></body></html>".encode()


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="mcp_proxy")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--base")
    parser.add_argument("--only", choices=["filesystem", "memory", "git", "fetch"])
    parsed = parser.parse_args(arguments)
    install()
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory(prefix="assent-mcp-")))
        before = ends.enter_context(checkout(parsed.base) if parsed.base else nullcontext(None))
        places = {NOW: ROOT} | ({BEFORE: before} if before is not None else {})
        services = {name: ends.enter_context(service(checkout=place)) for name, place in places.items()}
        page = ends.enter_context(serving())
        print(f"{'':24} {'at once':^26} {'with a pause':^26} {'processor':^17}")
        quantiles = " ".join(f"{name:>8}" for name in ("p25", "p50", "p95"))
        print(f"{'added to a call':24} {quantiles} {quantiles} {'proxy':>8} {'service':>8}")
        for name, (command, tool, given) in commands(folder, page).items():
            if parsed.only in (None, name):
                measured(name, command, (tool, given), places, services, folder, parsed.rounds)
    print(f"{parsed.rounds} rounds of {CALLS} calls on {os.cpu_count()} cores; ms, and under {GOAL_MS:g} is aimed at")


def install() -> None:
    wanted = "\n".join((*NODE_PACKAGES, *PYTHON_PACKAGES))
    installed = SERVERS / "installed"
    if installed.exists() and installed.read_text() == wanted:
        return
    SERVERS.mkdir(parents=True, exist_ok=True)
    (SERVERS / "package.json").write_text("{}")
    subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", *NODE_PACKAGES], cwd=SERVERS, check=True)
    subprocess.run([sys.executable, "-m", "venv", SERVERS / "python"], check=True)
    subprocess.run([SERVERS / "python" / "bin" / "pip", "install", "--quiet", *PYTHON_PACKAGES], check=True)
    installed.write_text(wanted)


def commands(folder: Path, page: str) -> dict[str, tuple[list[str], str, dict[str, Any]]]:
    """What starts each server, and a call of it: the tool and its arguments."""
    node, python = SERVERS / "node_modules" / ".bin", SERVERS / "python" / "bin"
    files, repository = folder / "files", folder / "repository"
    files.mkdir()
    (files / "note.txt").write_text("Buy milk.\n" * 200)
    for words in (["init", "--quiet", str(repository)], ["-C", str(repository), "config", "core.fsmonitor", "false"]):
        subprocess.run(["git", *words], check=True)
    (repository / "note.txt").write_text("Buy milk.\n")
    entity = {"name": "milk", "entityType": "thing", "observations": ["is to be bought"]}
    (folder / "memory.json").write_text(json.dumps({"type": "entity", **entity}) + "\n")
    return {
        "filesystem": (
            [str(node / "mcp-server-filesystem"), str(files)],
            "read_text_file",
            {"path": str(files / "note.txt")},
        ),
        "memory": (
            ["env", f"MEMORY_FILE_PATH={folder / 'memory.json'}", str(node / "mcp-server-memory")],
            "search_nodes",
            {"query": "milk"},
        ),
        "git": (
            [str(python / "mcp-server-git"), "--repository", str(repository)],
            "git_status",
            {"repo_path": str(repository)},
        ),
        "fetch": (
            [str(python / "mcp-server-fetch"), "--ignore-robots-txt", "--allow-private-ips"],
            "fetch",
            {"url": page, "max_length": 20_000},
        ),
    }


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def serving() -> Iterator[str]:
    """The address of the page."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/page.html"
    finally:
        server.shutdown()
        server.server_close()


class Host:
    """A host that has started a server and speaks to nobody else."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.pid = self._process.pid
        self._input, self._output = self._process.stdin, os.fdopen(os.dup(self._process.stdout.fileno()), "rb")
        self._number = 0
        self._tell = {"jsonrpc": "2.0"}
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._write({"method": "notifications/initialized"})
        self.ask("tools/list", {})

    def _write(self, message: Mapping[str, Any]) -> None:
        self._input.write(json.dumps({**self._tell, **message}).encode() + b"\n")

    def ask(self, method: str, params: Mapping[str, Any]) -> tuple[float, dict[str, Any]]:
        """Milliseconds until the answer is there, and the answer."""
        self._number += 1
        began = time.perf_counter()
        self._write({"id": self._number, "method": method, "params": params})
        while True:
            line = self._output.readline()
            elapsed = (time.perf_counter() - began) * 1000
            if not line:
                raise SystemExit(f"{self._process.args!r} ended")
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self._number:
                return elapsed, message

    def close(self) -> None:
        self._input.close()
        self._process.wait(20)
        self._output.close()


def measured(
    name: str,
    command: list[str],
    question: tuple[str, dict[str, Any]],
    places: Mapping[str, Path],
    services: Mapping[str, Served],
    folder: Path,
    rounds: int,
) -> None:
    """Print one server's lines."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("ASSENT_", "PYTHON"))}
    hosts = {DIRECT: Host(command, plain)}
    for variant, place in places.items():
        served = services[variant]
        key = call(served, "POST", "/api/keys", {"name": f"{name}", "role": "agent", "agent_id": "bench"})["api_key"]
        hosts[variant] = Host(
            [sys.executable, "-m", "assent", "mcp", "proxy", "--name", name, "--", *command],
            {
                **plain,
                "PYTHONPATH": str(place / "sdk"),
                "ASSENT_BASE_URL": served.base_url,
                "ASSENT_API_KEY": str(key),
                "ASSENT_AGENT_ID": "bench",
                "HOME": str(folder / variant),
            },
        )
    rows: dict[str, list[Burst]] = {variant: [] for variant in hosts}
    for number in range(rounds + 1):
        for variant, host in hosts.items():
            taken = burst(host, services.get(variant), *question)
            if number:  # the first ones read what nobody has read yet
                rows[variant].append(taken)
    for host in hosts.values():
        host.close()
    by_itself = rows.pop(DIRECT)
    alone = figures(by_itself)
    for variant, bursts in rows.items():
        added = [with_it - without for with_it, without in zip(figures(bursts), alone, strict=True)]
        computed = [
            statistics.median(each.proxy for each in bursts),
            statistics.median(each.service for each in bursts),
        ]
        print(f"{f'{name}, {variant}':24} {' '.join(f'{each:8.2f}' for each in (*added, *computed))}", flush=True)
    print(f"{f'{name} by itself':24} {' '.join(f'{each:8.2f}' for each in alone)}", flush=True)


class Burst(NamedTuple):
    """Milliseconds of each call, at once and with pauses, and of the processor for each."""

    at_once: list[float]
    paused: list[float]
    proxy: float
    service: float


def figures(bursts: Sequence[Burst]) -> list[float]:
    """Lower quartile, median and 95th percentile of the calls at once, and of those with pauses."""
    calls = [[each for one in bursts for each in one.at_once], [each for one in bursts for each in one.paused]]
    return [of(each) for each in calls for of in (early, statistics.median, late)]


def burst(host: Host, served: Served | None, tool: str, given: Mapping[str, Any]) -> Burst:
    taken: list[list[float]] = []
    began = used(host.pid), 0.0 if served is None else used(served.pid)
    for pause in (0.0, PAUSE):
        taken.append([])
        for _ in range(CALLS):
            elapsed, answer = host.ask("tools/call", {"name": tool, "arguments": given})
            if "error" in answer or answer["result"].get("isError"):
                raise SystemExit(f"{tool} did not answer: {str(answer)[:500]}")
            taken[-1].append(elapsed)
            time.sleep(pause)
        time.sleep(SETTLING)
    proxy = used(host.pid) - began[0]
    service = 0.0 if served is None else used(served.pid) - began[1]
    at_once, paused = taken
    return Burst(at_once, paused, proxy * 1000 / 2 / CALLS, service * 1000 / 2 / CALLS)


def early(values: Sequence[float]) -> float:
    """The lower quartile: a call that a busy machine let through."""
    return statistics.quantiles(values, n=4)[0]


def late(values: Sequence[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(values, n=20)[-1]


if __name__ == "__main__":
    main(sys.argv[1:])
