"""Guard beside connections of somebody who means no good: its p99 and its worst answer, and those alone just before.

    python -m tests.benchmarks.hostile [--seconds 5] [--only NAME] [--before FOLDER]

One connection asks guard again and again; a process of its own attacks meanwhile. Goals beside each attack: the worst
answer under 1 s, p99 less than 50 ms more than alone. With FOLDER, another checkout of this repository is measured in
the same way, after this one.
"""

from __future__ import annotations

import argparse
import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

from tests.benchmarks.http import CONTEXT, prepare
from tests.benchmarks.processes import Served, service
from tests.live import ROOT

BEGIN = b"POST /api/guard HTTP/1.1\r\nhost: test\r\n"
CHUNKS = BEGIN + b"transfer-encoding: chunked\r\n\r\n"
GOAL_WORST, GOAL_MORE = 1000.0, 50.0
"""Milliseconds."""


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def again(port: int, first: bytes, piece: bytes, pause: float = 0.0) -> None:
    """One connection that begins with `first` and goes on with `piece` until it is ended, and then another one."""
    while True:
        with suppress(OSError), connect(port) as wire:
            wire.sendall(first)
            while True:
                wire.sendall(piece)
                time.sleep(pause)


def many(port: int, connections: int, first: bytes, piece: bytes, pause: float) -> None:
    """That many at once, each sent a piece in turn, and opened anew where they were ended."""
    wires: list[socket.socket | None] = [None] * connections
    while True:
        for place, wire in enumerate(wires):
            try:
                if wire is None:
                    wire = wires[place] = connect(port)
                    wire.sendall(first)
                elif piece:
                    wire.sendall(piece)
            except OSError:
                wires[place] = None
        time.sleep(pause)


def opened_and_closed(port: int) -> None:
    for opened in count(1):
        with suppress(OSError):
            connect(port).close()
        if opened % 10_000 == 0:
            print("10000 connections opened and closed", flush=True)


ATTACKS: dict[str, Callable[[int], None]] = {
    "endless header": lambda port: again(port, BEGIN + b"long: ", b"a" * 262_144),
    "endless header, small pieces": lambda port: again(port, BEGIN + b"long: ", b"a" * 64),
    "slow header": lambda port: many(port, 500, BEGIN + b"long: ", b"a", 0.5),
    "slow body": lambda port: many(port, 500, BEGIN + b"content-length: 100000\r\n\r\n", b"{", 0.5),
    "1,050 half-open": lambda port: many(port, 1_050, BEGIN, b"", 0.1),
    "10,000 opened and closed": opened_and_closed,
    "pipelined garbage": lambda port: again(
        port, b"GET /health HTTP/1.1\r\n\r\n" * 100 + b"\x00GARBAGE\r\n" * 100, b"x"
    ),
    "pipelined requests": lambda port: again(port, b"", b"GET /health HTTP/1.1\r\n\r\n" * 1000),
    "oversized chunk": lambda port: again(port, CHUNKS + b"FFFFFFFFFFFF\r\n", b"x" * 65_536),
    "endless chunk extension": lambda port: again(port, CHUNKS + b"5;", b"x" * 65_536),
}


@contextmanager
def attacking(name: str, port: int) -> Iterator[None]:
    command = [sys.executable, "-m", "tests.benchmarks.hostile", "--attack", name, "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield
    finally:
        process.kill()
        process.communicate()


def latencies(served: Served, seconds: float) -> list[float]:
    """Milliseconds of each guard, one after the other on one connection that is opened anew when it fails."""
    url = urlsplit(served.base_url)
    headers = {"x-api-key": served.key, "content-type": "application/json"}
    body, found, ends = json.dumps(CONTEXT), [], time.perf_counter() + seconds
    connection = http.client.HTTPConnection(str(url.hostname), url.port, timeout=60)
    while time.perf_counter() < ends:
        began = time.perf_counter()
        while True:
            try:
                connection.request("POST", "/api/guard", body, headers)
                answer = connection.getresponse()
                answer.read()
            except (OSError, http.client.HTTPException):
                # What it takes until there is an answer is what counts.
                connection.close()
                if time.perf_counter() - began > 60:
                    raise SystemExit("guard was not answered for 60 s") from None
                time.sleep(0.01)
                continue
            break
        if answer.status != 200:
            raise SystemExit(f"guard answered {answer.status}")
        found.append(1000 * (time.perf_counter() - began))
    connection.close()
    return sorted(found)


def p99(found: list[float]) -> float:
    return found[int(0.99 * (len(found) - 1))]


def measure(name: str, served: Served, seconds: float, attacks: list[str]) -> None:
    prepare(served)
    port = int(urlsplit(served.base_url).port or 0)
    print(f"{name:32}{'alone p99':>10}{'worst':>8}{'beside p99':>12}{'worst':>9}{'guards/s':>10}  ms")
    for attack in attacks:
        alone = latencies(served, seconds)
        with attacking(attack, port):
            beside = latencies(served, seconds)
        held = beside[-1] < GOAL_WORST and p99(beside) < p99(alone) + GOAL_MORE
        print(
            f"{attack:32}{p99(alone):>10.1f}{alone[-1]:>8.0f}{p99(beside):>12.1f}{beside[-1]:>9.0f}"
            f"{len(beside) / seconds:>10.0f}  {'held' if held else 'NOT HELD'}",
            flush=True,
        )


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="hostile")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--only", choices=ATTACKS, action="append")
    parser.add_argument("--before", type=Path)
    parser.add_argument("--attack", choices=ATTACKS, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.attack:
        print("begun", flush=True)
        ATTACKS[chosen.attack](chosen.port)
        return
    attacks = chosen.only or list(ATTACKS)
    with service() as served:
        measure("now", served, chosen.seconds, attacks)
    if chosen.before is not None:
        with service(checkout=chosen.before.resolve()) as served:
            measure("before", served, chosen.seconds, attacks)


if __name__ == "__main__":
    main(sys.argv[1:])
