"""Guard and creation over HTTP, durable and authenticated, beside two no-ops and two other governance servers.

    python -m tests.benchmarks.http [--rounds 5] [--seconds 3] [--without-peers]

Every round runs all of them at each number of connections, so that a slow minute hits all alike; what is printed is
the median over the rounds, and the ratio of medians to the framework's typed no-op. 20 policies of every kind.

Both peers run in an environment of their own with uvloop and httptools and without an access log, one worker, nobody
authenticated, and keep what they were asked in memory alone: agent-os-kernel executes a call under its policy `strict`,
vaara scores one. vaara's pipeline, which writes each decision to SQLite, is called in its own process, without HTTP.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.processes import Load, Served, call, free_port, peers_python, running, service, wrk

CONNECTIONS = (1, 16, 64)
CONTEXT = {
    "action_type": "deploy",
    "declared_goal": "Roll out build 4711 of the billing service",
    "agent_id": "agent-7",
    "systems_touched": ["staging", "billing"],
    "reversible": True,
    "risk_score": 30,
}


@dataclass(frozen=True)
class Peer:
    """Another governance server: how its application is made, and what it is asked."""

    name: str
    application: str
    health: str
    path: str
    body: dict[str, object]
    environment: dict[str, str] = field(default_factory=dict)


AGENT_OS_KERNEL = Peer(
    "agent-os-kernel",
    "from agent_os.server.app import create_app",
    "/health",
    "/api/v1/execute",
    {
        "action": "deploy",
        "params": {"goal": CONTEXT["declared_goal"]},
        "agent_id": "agent-7",
        "policies": ["strict"],
    },
    {"AGENT_OS_ALLOW_UNAUTHENTICATED_EXECUTE": "true"},
)
VAARA = Peer(
    "vaara",
    "from vaara.server import create_app",
    "/v1/health",
    "/v1/score",
    {
        "tool_name": "deploy",
        "agent_id": "agent-7",
        "parameters": {"goal": CONTEXT["declared_goal"], "systems": CONTEXT["systems_touched"]},
        "base_risk_score": 0.3,
        "reversibility": "reversible",
    },
)
PIPELINE = Path(__file__).parent / "peers" / "vaara_peer.py"


def policies() -> list[dict[str, object]]:
    """20 policies of every kind; none of them stops the measured call, and the webhook is another agent's."""
    found: list[dict[str, object]] = []
    for at in range(4):
        found += [
            {"policy_type": "risk_threshold", "rules": {"threshold": 96 + at, "action": "block"}},
            {"policy_type": "block_action_type", "rules": {"action_types": [f"forbidden_{at}"]}},
            {"policy_type": "require_approval", "rules": {"action_types": [f"asked_{at}"]}},
            {
                "policy_type": "condition",
                "rules": {
                    "when": {
                        "all": [
                            {"field": "systems_touched", "op": "contains", "value": f"vault-{at}"},
                            {"field": "risk_score", "op": "gte", "value": 50},
                        ]
                    },
                    "action": "block",
                },
            },
        ]
    found += [
        {"policy_type": "rate_limit", "rules": {"max_actions": 1_000_000, "window_minutes": 60, "action": "warn"}},
        {"policy_type": "rate_limit", "rules": {"max_actions": 900_000, "window_minutes": 5, "action": "warn"}},
        {"policy_type": "risk_threshold", "rules": {"threshold": 60, "action": "warn"}, "mode": "observe"},
        {"policy_type": "webhook_check", "rules": {"url": "https://hooks.invalid/guard"}, "agent_ids": ["other"]},
    ]
    return [{"name": f"policy {number}", **policy} for number, policy in enumerate(found)]


def prepare(served: Served) -> None:
    listed = call(served, "GET", "/api/policies")["policies"]
    assert isinstance(listed, list)
    for policy in listed:
        call(served, "DELETE", f"/api/policies/{policy['policy_id']}")
    for policy in policies():
        call(served, "POST", "/api/policies", policy)


@contextmanager
def serving(peer: Peer) -> Iterator[str]:
    """The address of a peer's server that runs meanwhile."""
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    run = f"uvicorn.run(create_app(), host='127.0.0.1', port={port}, log_level='warning', access_log=False)"
    command = [peers_python(), "-c", f"import uvicorn; {peer.application}; {run}"]
    with running(command, f"{base}{peer.health}", peer.environment):
        yield base


def measure(rounds: int, seconds: float, peers: Sequence[Peer]) -> dict[tuple[str, int], list[Load]]:
    found: dict[tuple[str, int], list[Load]] = {}
    with service() as served, ExitStack() as stack:
        prepare(served)
        targets: dict[str, tuple[str, object]] = {
            "no-op": (f"{served.base_url}/noop", CONTEXT),
            "bare door": (f"{served.base_url}/bare", CONTEXT),
            "guard": (f"{served.base_url}/api/guard", CONTEXT),
            "create_action": (f"{served.base_url}/api/actions", CONTEXT),
        }
        for peer in peers:
            targets[peer.name] = (stack.enter_context(serving(peer)) + peer.path, peer.body)
        headers = {"x-api-key": served.key, "content-type": "application/json"}
        for _ in range(rounds):
            for connections in CONNECTIONS:
                for name, (url, body) in targets.items():
                    load = wrk(url, body, headers, connections, seconds)
                    if load.failed:
                        raise SystemExit(f"{name}: {load.failed} requests failed")
                    found.setdefault((name, connections), []).append(load)
    return found


def pipeline(rounds: int) -> str:
    """What vaara's pipeline does in its own process."""
    with tempfile.TemporaryDirectory(prefix="assent-vaara-") as home:
        command = [peers_python(), str(PIPELINE), str(rounds)]
        ran = subprocess.run(command, env={**os.environ, "HOME": home}, check=True, capture_output=True, text=True)
    return ran.stdout.strip()


def report(found: dict[tuple[str, int], list[Load]]) -> None:
    print(f"{'':18}{'connections':>12}{'req/s':>9}{'p50 ms':>9}{'p99 ms':>9}{'to no-op':>10}{'min-max':>14}")
    for (name, connections), loads in sorted(found.items(), key=lambda item: (item[0][1], -_rate(item[1]))):
        base = found["no-op", connections]
        ratios = sorted(mine.rate / noop.rate for mine, noop in zip(loads, base, strict=True))
        p50, p99 = (statistics.median(getattr(load, which) for load in loads) for which in ("p50", "p99"))
        spread = f"{ratios[0]:.2f}-{ratios[-1]:.2f}"
        ratio = statistics.median(ratios)
        print(f"{name:18}{connections:>12}{_rate(loads):>9.0f}{p50:>9.2f}{p99:>9.2f}{ratio:>10.2f}{spread:>14}")


def _rate(loads: list[Load]) -> float:
    return statistics.median(load.rate for load in loads)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.http")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--without-peers", action="store_true")
    chosen = parser.parse_args(arguments)
    report(measure(chosen.rounds, chosen.seconds, () if chosen.without_peers else (AGENT_OS_KERNEL, VAARA)))
    if not chosen.without_peers:
        print(pipeline(chosen.rounds))


if __name__ == "__main__":
    main()
