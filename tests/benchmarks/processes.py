"""Starting and ending what is measured, and the load that measures it."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("sdk", "service", "analytics", "dashboard")
NAMED = Path(__file__).with_name("named.py")
PEERS = ROOT / ".venv" / "peers"
PEER_PACKAGES = (
    "agent-os-kernel==3.7.0",
    "pycasbin==2.8.0",
    "cedarpy==4.12.2",
    "vaara==2.15.0",
    "fastapi",
    "uvicorn",
    "uvloop",
    "httptools",
    "pyyaml",
)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def peers_python() -> str:
    """An interpreter with the peers in it, made on first use and whenever they are others."""
    python, installed = PEERS / "bin" / "python", PEERS / "installed"
    wanted = "\n".join(PEER_PACKAGES)
    if not installed.exists() or installed.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", PEERS], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEER_PACKAGES], check=True)
        installed.write_text(wanted)
    return str(python)


@contextmanager
def running(
    command: Sequence[str], health: str, environment: Mapping[str, str] | None = None, place: Path | None = None
) -> Iterator[int]:
    """A process, from its first healthy answer to its end; gives its id. `place` is the folder it runs in."""
    process = subprocess.Popen(
        command,
        env={**os.environ, **(environment or {})},
        cwd=place,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        _wait_for(health, process)
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


@dataclass(frozen=True)
class Served:
    base_url: str
    key: str
    pid: int


@contextmanager
def service(
    home: Path | None = None,
    *more: str,
    environment: Mapping[str, str] | None = None,
    checkout: Path = ROOT,
) -> Iterator[Served]:
    """The service with its no-ops, on a home of its own; `more` is as `tests.benchmarks.app` takes it. `checkout` is
    the folder of this repository whose service it is: another one runs with this one's interpreter, and what is
    installed gives way to its folders."""
    folder = home or Path(tempfile.mkdtemp(prefix="assent-bench-"))
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    path = os.pathsep.join([str(checkout), *(str(checkout / package) for package in PACKAGES)])
    command = [sys.executable, str(NAMED), "tests.benchmarks.app", str(folder), str(port), *more]
    try:
        with running(command, f"{base}/health", {**(environment or {}), "PYTHONPATH": path}, checkout) as pid:
            yield Served(base, (folder / "admin.key").read_text().strip(), pid)
    finally:
        if home is None:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def bare(*words: str) -> Iterator[tuple[str, int]]:
    """The application that guard is compared with (`tests.benchmarks.bare`): its address and its process's id."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "tests.benchmarks.bare", str(port), *words]
    with running(command, f"{base}/health", place=ROOT) as pid:
        yield base, pid


def call(served: Served, method: str, path: str, body: object = None) -> dict[str, object]:
    """One request, and its JSON answer; raises for anything but a 2xx."""
    answer: dict[str, object] = json.loads(_sent(served, method, path, body))
    return answer


def post(served: Served, path: str, body: object) -> bytes:
    """What is answered, as it comes; raises for anything but a 2xx."""
    return _sent(served, "POST", path, body)


def _sent(served: Served, method: str, path: str, body: object) -> bytes:
    request = urllib.request.Request(
        served.base_url + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"x-api-key": served.key, "content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return bytes(response.read())


@dataclass(frozen=True)
class Load:
    """Requests in all and for each second, latencies in milliseconds; `failed` counts answers that were not 2xx or 3xx
    and connections that broke."""

    requests: int
    rate: float
    p50: float
    p99: float
    failed: int


NUMBER, WORD = "@N@", "@W@"
"""In a body: a number that no request of any load had before, and a word of those given, drawn anew each time."""


def wrk(
    url: str,
    body: object,
    headers: Mapping[str, str],
    connections: int,
    seconds: float,
    words: Sequence[str] = (),
) -> Load:
    """POST `body` again and again over `connections`; with `words` each time with others, and a new number."""
    if shutil.which("wrk") is None:
        raise SystemExit("This benchmark needs wrk: apt-get install wrk")
    with tempfile.NamedTemporaryFile("w", suffix=".lua", delete=False) as script:
        script.write('wrk.method = "POST"\n')
        for name, value in headers.items():
            script.write(f"wrk.headers[{json.dumps(name)}] = {json.dumps(value)}\n")
        script.write(f"wrk.body = [==[{json.dumps(body)}]==]\n")
        if words:
            listed = ", ".join(map(json.dumps, words))
            script.write(f"local n, words = {time.time_ns() // 10_000 % 10**12}, {{{listed}}}\n")
            script.write("local function word() return words[math.random(#words)] end\n")
            script.write("request = function()\n n = n + 1\n")
            script.write(
                f" local body = wrk.body:gsub({json.dumps(NUMBER)}, tostring(n)):gsub({json.dumps(WORD)}, word)\n"
            )
            script.write(" return wrk.format(nil, nil, nil, body)\nend\n")
    # It takes whole seconds only, and prints what it has measured when it is interrupted.
    command = ["wrk", "-t1", f"-c{connections}", f"-d{math.ceil(seconds) + 60}s", "--latency", "-s", script.name, url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as load:
        time.sleep(seconds)
        load.send_signal(signal.SIGINT)
        printed = load.communicate()[0]
    Path(script.name).unlink()
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)", printed)
    broken = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+)", printed)
    return Load(
        requests=int(_found(r"(\d+) requests in", printed)),
        rate=float(_found(r"Requests/sec:\s+([\d.]+)", printed)),
        p50=_milliseconds(_found(r"\n\s+50%\s+(\S+)", printed)),
        p99=_milliseconds(_found(r"\n\s+99%\s+(\S+)", printed)),
        failed=(int(failed[1]) if failed else 0) + (sum(map(int, broken.groups())) if broken else 0),
    )


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    if match is None:
        raise SystemExit(f"wrk said something unexpected:\n{text}")
    return match[1]


def _milliseconds(text: str) -> float:
    for unit, factor in (("us", 0.001), ("ms", 1.0), ("s", 1000.0)):
        if text.endswith(unit):
            return float(text.removesuffix(unit)) * factor
    raise SystemExit(f"wrk gave a latency that cannot be read: {text}")


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(2400):
        if process.poll() is not None:
            said = process.stderr.read().decode() if process.stderr else ""
            raise SystemExit(f"{process.args!r} ended with {process.returncode}: {said[-2000:]}")
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"{url} did not answer within two minutes")
