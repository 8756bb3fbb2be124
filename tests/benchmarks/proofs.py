"""What proofs cost, and how fast they are.

    python -m tests.benchmarks.proofs [--rounds 7] [--seconds 3] [--events 1000000]

1. Guard with a Merkle tree and a signed head every second, beside guard without any: both services run at once and are
   asked in turn; the ratio is the median over the rounds.
2. Inclusion and consistency proofs out of a log of `--events` events, at random places, from stored nodes.
3. Verifying an action's bundle offline under that log, making it, and its size.
4. `assent log verify` over that log, in events a second, with one process and with two.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from assent.contract.evidence.proofs import ProofBundle
from assent.contract.evidence.wallet import Jwks
from assent.contract.roles import Role
from assent.proof.bundle import bundle_bytes
from assent.proof.verify import verify
from assent_service.app import Service, build
from assent_service.core.principal import Principal
from assent_service.core.settings import Settings
from tests.benchmarks.http import CONNECTIONS, CONTEXT, prepare
from tests.benchmarks.processes import Served, service, wrk

PLACES = 500
ASSENT = str(Path(sys.executable).with_name("assent"))
ACTIONS = 50


def throughput(rounds: int, seconds: float) -> None:
    found: dict[int, list[tuple[float, float]]] = {}
    with service(None, "often") as on, service(None, "never") as off:
        for served in (on, off):
            prepare(served)
        for turn in range(rounds):
            for connections in CONNECTIONS:
                rates = {served.pid: _rate(served, connections, seconds) for served in _order(turn, on, off)}
                found.setdefault(connections, []).append((rates[on.pid], rates[off.pid]))
    print(f"{'guard':18}{'connections':>12}{'proofs on':>12}{'proofs off':>12}{'ratio':>8}{'min-max':>14}")
    for connections, pairs in found.items():
        ratios = sorted(on_rate / off_rate for on_rate, off_rate in pairs)
        on_rate, off_rate = (statistics.median(pair[which] for pair in pairs) for which in (0, 1))
        spread = f"{ratios[0]:.2f}-{ratios[-1]:.2f}"
        print(f"{'':18}{connections:>12}{on_rate:>12.0f}{off_rate:>12.0f}{statistics.median(ratios):>8.2f}{spread:>14}")


def _order(turn: int, on: Served, off: Served) -> tuple[Served, Served]:
    return (on, off) if turn % 2 else (off, on)


def _rate(served: Served, connections: int, seconds: float) -> float:
    headers = {"x-api-key": served.key, "content-type": "application/json"}
    load = wrk(f"{served.base_url}/api/guard", CONTEXT, headers, connections, seconds)
    if load.failed:
        raise SystemExit(f"{load.failed} requests failed")
    return load.rate


def simulated(home: Path, events: int) -> None:
    """A workspace whose log has at least so many events."""
    # An action makes a little less than four events.
    command = [ASSENT, "simulate", "--home", str(home), "--actions", str(events * 27 // 100)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


async def single_proofs(home: Path) -> None:
    running = build(Settings(home=str(home)))
    running.ledger.start()
    try:
        await _single_proofs(running)
    finally:
        await running.outside.client.aclose()
        running.ledger.close()


async def _single_proofs(running: Service) -> None:
    org_id = next(iter(running.organizations.state.by_id))
    auditor = Principal(org_id, "key_bench", "bench", Role.AUDITOR, None)
    head = (await running.proofs.heads.newest(org_id)).head
    tree, draw = running.ledger.tree, random.Random(7)
    print(f"\nlog of {head.size} events")
    places = [draw.randrange(head.size) for _ in range(PLACES)]
    _print("inclusion proof", _timed(lambda n: tree.inclusion(org_id, n, head.size), places))
    _print("consistency proof", _timed(lambda n: tree.consistency(org_id, n + 1, head.size), places))
    rows = await running.ledger.read(f"SELECT action_id FROM actions ORDER BY right(action_id, 8) LIMIT {ACTIONS}")
    bundles: list[ProofBundle] = []
    took = []
    for (action_id,) in rows:
        begun = time.perf_counter()
        bundles.append(await running.proofs.proofs.bundle(auditor, str(action_id)))
        took.append(time.perf_counter() - begun)
    _print("making a bundle", took)
    keys = running.wallet.jwks(org_id)
    files = [bundle_bytes(bundle) for bundle in bundles]
    _print("verifying a bundle", _timed(lambda content: _verified(content, keys), files))
    sizes = sorted(len(content) for content in files)
    events = statistics.mean(len(bundle.events) for bundle in bundles)
    print(f"{'size of a bundle':24}{statistics.median(sizes):>10.0f} bytes (largest {sizes[-1]}; {events:.1f} events)")


def _verified(content: bytes, keys: Jwks) -> None:
    found = verify(content, keys=keys)
    if not found.ok:
        raise SystemExit(f"a bundle does not verify: {found.checks}")


def _timed(work: Callable[..., object], items: list[int] | list[bytes]) -> list[float]:
    took = []
    for item in items:
        begun = time.perf_counter()
        work(item)
        took.append(time.perf_counter() - begun)
    return took


def _print(name: str, took: list[float]) -> None:
    ordered = sorted(took)
    median, high = statistics.median(ordered) * 1e3, ordered[int(len(ordered) * 0.99)] * 1e3
    print(f"{name:24}{median:>10.3f} ms (p99 {high:.3f})")


def log_verify(home: Path, events: int) -> None:
    command = [ASSENT, "log", "verify", "--home", str(home), "--json"]
    begun = time.perf_counter()
    done = subprocess.run(command, check=False, capture_output=True)
    took = time.perf_counter() - begun
    if done.returncode:
        raise SystemExit(done.stdout.decode()[-2000:])
    print(f"{'assent log verify':24}{events / took:>10.0f} events/s ({took:.1f} s, start included)")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.proofs")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--events", type=int, default=1_000_000)
    chosen = parser.parse_args(arguments)
    if chosen.rounds:
        throughput(chosen.rounds, chosen.seconds)
    with tempfile.TemporaryDirectory(prefix="assent-bench-") as folder:
        home = Path(folder) / "home"
        simulated(home, chosen.events)
        asyncio.run(single_proofs(home))
        log_verify(home, chosen.events)


if __name__ == "__main__":
    main()
