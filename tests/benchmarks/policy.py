"""Policy decisions per second in process, at 20 and at 1000 policies of every kind.

    python -m tests.benchmarks.policy [--rounds 5] [--peers PYTHON]

Measured are `decide` alone and the risk score plus `decide`, over a seeded mix of calls. With `--peers`, the same
rounds also run three other engines through that interpreter (it needs agent-os-kernel, pycasbin and cedarpy): the rule
evaluator of agent-os-kernel, pycasbin's FastEnforcer and Cedar's evaluator behind cedarpy. They get the rules in the
form they have, and wherever that form cannot say the same, the easier one:

- agent-os-kernel knows one comparison per rule and stops at the first that matches; ours reports all that match.
  A policy becomes one rule of its most selective comparison, blocking rules first. Rate limits become a comparison
  with a number in the context. Webhooks have no counterpart and are left out.
- FastEnforcer looks up the rules of one action type. Each policy becomes one row (agent, type, least risk, effect);
  a policy for any type is given one type, so that each row is found by the index.
- Cedar has conditions of its own, with the policies parsed once. Limits become comparisons with a number in the
  context, patterns a wildcard; whatever blocks, asks or warns is one `forbid`.

Webhook policies are present in ours and listed by every verdict; asking them is not part of the decision.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assent.contract.control.policies import Mode, Policy
from assent_service.control.guard.context import Facts, gather
from assent_service.control.guard.decide import decide
from assent_service.control.guard.index import PolicySet
from assent_service.control.guard.rates import RateWindow
from assent_service.control.guard.risk import RiskHistory, assess

SIZES = (20, 1000)
CALLS = 8000
WARM_UP = 10  # rounds of calls before anything is measured: plans are made on first use
PAST = RiskHistory(total=20, failed=1, mean_risk=35.0, last_hour=2)
NOW = 1_800_000_000_000_000
CREATED = datetime(2026, 11, 20, 10, tzinfo=UTC)
MINUTE = 60_000_000
PEER_SCRIPT = Path(__file__).parent / "peers" / "policy_peers.py"

KINDS = (
    "risk_threshold", "require_approval", "condition", "rate_limit", "block_action_type", "condition",
    "risk_threshold", "require_approval", "condition", "webhook_check",
)  # fmt: skip
KNOWN_TYPES = ["deploy", "security", "migrate", "api", "fix", "review"]
SYSTEMS = ["production", "database", "crm", "mail", "filesystem", "billing", "search"]
GOALS = [
    "Summarise the open tickets of the support desk for this week",
    "Book a table for four on Friday evening near the office",
    "Deploy the new release of the billing service",
    "Read the customer's order and check whether it can be refunded",
    "Rotate the API key of the mail gateway",
    "Feed the monkey while formatting the quarterly report",
]


class World:
    """Who acts and what they do. It grows with the number of policies: nobody writes 1000 for ten agents."""

    def __init__(self, number: int, *, wide: bool = False) -> None:
        self.number = number
        self.wide = wide
        self.agents = [f"agent-{n}" for n in range(20 + number // 5)]
        self.teams = [f"team-{n}" for n in range(10 + number // 10)]
        self.types = [*KNOWN_TYPES, *(f"tool_{n}" for n in range(20 + number // 5))]

    def policies(self) -> list[Policy]:
        """A mix of every kind, a quarter observed. The first 20 are mostly for the whole organization; beyond
        them thresholds, rate limits and webhooks are for two agents each, unless `wide`: then four of five apply
        to everybody, and with 1000 policies more than a hundred of them match one risky call."""
        dice = random.Random(7)
        return [self._policy(at, KINDS[at % len(KINDS)], dice) for at in range(self.number)]

    def _policy(self, at: int, kind: str, dice: random.Random) -> Policy:
        of_agents = not self.wide and at >= 20 and kind in ("risk_threshold", "rate_limit", "webhook_check")
        return Policy(
            policy_id=f"pol_{at:05}",
            name=f"Policy number {at}",
            policy_type=kind,
            rules=self._rules(kind, dice),
            active=True,
            agent_ids=dice.sample(self.agents, 2) if of_agents or dice.random() < 0.2 else [],
            mode=Mode.OBSERVE if dice.random() < 0.25 else Mode.ENFORCE,
            org_id="org_1",
            version=1,
            created_at=CREATED,
            created_by="key_1",
            updated_at=CREATED,
            updated_by="key_1",
            deleted_at=None,
        )

    def _rules(self, kind: str, dice: random.Random) -> dict[str, object]:
        effect = dice.choice(["warn", "require_approval", "block"])
        if kind == "risk_threshold":
            return {"threshold": dice.randint(50, 100), "action": effect}
        if kind in ("require_approval", "block_action_type"):
            return {"action_types": dice.sample(self.types, 2)}
        if kind == "rate_limit":
            window = dice.choice([1, 15, 60, 1440])
            return {"max_actions": dice.randint(20, 200), "window_minutes": window, "action": effect}
        if kind == "webhook_check":
            return {"url": "https://guard.example/check"}
        return {"when": self._tree(dice), "action": effect}

    def _tree(self, dice: random.Random) -> dict[str, object]:
        typed: dict[str, object] = {"field": "action_type", "op": "in", "value": dice.sample(self.types, 2)}
        risky = {"field": "risk_score", "op": "gte", "value": dice.randint(50, 95)}
        team = {"field": "metadata.team", "op": "eq", "value": dice.choice(self.teams)}
        amount = {"field": "amount", "op": "gt", "value": dice.randint(900, 1000)}
        system = {"field": "systems_touched", "op": "contains", "value": dice.choice(SYSTEMS)}
        goal = {"field": "declared_goal", "op": "matches", "value": "(?i)refund|delete .* orders"}
        lasting = {"field": "reversible", "op": "eq", "value": False}
        trees: list[dict[str, object]] = [
            {"all": [typed, risky]},
            {"all": [typed, {"not": system}]},
            {"all": [typed, goal]},
            {"all": [team, amount]},
            {"all": [team, {"any": [risky, system]}]},
            {"all": [system, team, lasting]},
            {"all": [amount, team]},
            typed,
            {"all": [risky, team, amount]},
            {"any": [{"all": [team, risky]}, {"all": [amount, system, team]}]},
        ]
        return dice.choice(trees)

    def calls(self, seed: int) -> list[Facts]:
        """Calls as agents make them: most mild, some risky, some by agents and of types that no policy names."""
        dice = random.Random(seed)
        return [self._call(dice) for _ in range(CALLS)]

    def _call(self, dice: random.Random) -> Facts:
        return gather(
            {
                "amount": dice.randint(0, 1000),
                "metadata": {"team": dice.choice(self.teams), "ticket": dice.randint(1, 9999)},
                "session": f"s-{dice.randint(1, 500)}",
            },
            action_type=dice.choice(self.types) if dice.random() < 0.9 else f"unheard-{dice.randint(1, 999)}",
            agent_id=dice.choice(self.agents) if dice.random() < 0.9 else f"stranger-{dice.randint(1, 999)}",
            declared_goal=dice.choice(GOALS),
            systems_touched=tuple(dice.sample(SYSTEMS, dice.randint(0, 2))),
            reversible=dice.random() < 0.8,
            agent_risk_score=float(dice.randint(0, 95)) if dice.random() < 0.5 else None,
        )

    def history(self, largest: int) -> RateWindow:
        """Up to 60 actions of each agent within the last day, most of them recent."""
        dice = random.Random(13)
        rates = RateWindow(largest)
        for agent in self.agents:
            for _ in range(dice.randint(0, 60)):
                rates.reserve(agent, NOW - int(1440 * MINUTE * dice.random() ** 3))
        return rates

    def workload(self) -> dict[str, Any]:
        """What the peers need to run the same: rules as data, and the contexts with their risk worked out."""
        return {
            "policies": [
                {"name": p.name, "kind": p.policy_type, "rules": p.rules, "agent_ids": p.agent_ids}
                for p in self.policies()
            ],
            "contexts": [
                {**facts.fields, "risk_score": assess(facts, PAST).score, "recent_actions": 12}
                for facts in self.calls(100)
            ],
            "types": self.types,
        }


def timed(call: Callable[[Facts], object], facts: Sequence[Facts]) -> dict[str, float]:
    """Calls per second over the first half, p50 and p99 in microseconds over the second, a clock read included."""
    half = len(facts) // 2
    begin = time.perf_counter_ns()
    for one in facts[:half]:
        call(one)
    total = time.perf_counter_ns() - begin
    spent = []
    for one in facts[half:]:
        begin = time.perf_counter_ns()
        call(one)
        spent.append(time.perf_counter_ns() - begin)
    spent.sort()
    return {
        "per_second": half * 1e9 / total,
        "p50_us": spent[len(spent) // 2] / 1000,
        "p99_us": spent[len(spent) * 99 // 100] / 1000,
    }


class Subject:
    """Ours, in one world. Every round has calls of its own, so that no verdict is known because its call is."""

    def __init__(self, world: World) -> None:
        self.world = world
        listed = world.policies()
        begin = time.perf_counter()
        self.policies = PolicySet(listed)
        self.compiled_ms = (time.perf_counter() - begin) * 1000
        self.rates = world.history(self.policies.max_actions)
        for seed in range(WARM_UP):
            for facts in world.calls(seed):
                self.assess_and_decide(facts)

    def assess_and_decide(self, facts: Facts) -> object:
        return decide(facts, assess(facts, PAST), self.policies, self.rates, NOW)

    def round(self, seed: int) -> tuple[dict[str, float], dict[str, float]]:
        """The figures of `decide` alone and of both together."""
        calls = self.world.calls(seed)
        risks = {id(facts): assess(facts, PAST) for facts in calls}
        policies, rates = self.policies, self.rates
        alone = timed(lambda facts: decide(facts, risks[id(facts)], policies, rates, NOW), calls)
        return alone, timed(self.assess_and_decide, self.world.calls(seed + 1))


class Peers:
    """The other engines in their own interpreter: one process, asked for one round at a time."""

    def __init__(self, python: str) -> None:
        self.process = subprocess.Popen(
            [python, str(PEER_SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the peers' process ended; run it by hand to see why: " + str(PEER_SCRIPT))
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=10)


def measure(world: World, rounds: int, peers: Peers | None) -> dict[str, Any]:
    """Medians over interleaved rounds: every engine once per round."""
    subject = Subject(world)
    found: dict[str, list[dict[str, float]]] = {"decide": [], "risk+decide": []}
    if peers is not None:
        peers.ask({"load": world.workload()})
        found |= {"agent-os-kernel": [], "pycasbin FastEnforcer": [], "cedarpy": []}
    for number in range(rounds):
        alone, both = subject.round(1000 + 2 * number)
        found["decide"].append(alone)
        found["risk+decide"].append(both)
        if peers is not None:
            found["agent-os-kernel"].append(peers.ask({"run": "agt"}))
            found["pycasbin FastEnforcer"].append(peers.ask({"run": "casbin"}))
            found["cedarpy"].append(peers.ask({"run": "cedar"}))
    medians = {
        engine: {name: statistics.median(r[name] for r in results) for name in results[0]}
        for engine, results in found.items()
    }
    name = f"{world.number} policies" + (", organization-wide" if world.wide else "")
    return {"policies": name, "compile_ms": subject.compiled_ms, "engines": medians}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="policy decisions in process")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", metavar="PYTHON", help="an interpreter with agent-os-kernel, pycasbin and cedarpy")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args(arguments)
    peers = Peers(options.peers) if options.peers else None
    worlds = [*(World(number) for number in SIZES), World(SIZES[-1], wide=True)]
    results = [measure(world, options.rounds, peers) for world in worlds]
    if peers is not None:
        peers.close()
    if options.json:
        json.dump(results, sys.stdout, indent=2)
        return
    for result in results:
        ours = result["engines"]["decide"]["per_second"]
        print(f"\n{result['policies']} (compiled in {result['compile_ms']:.1f} ms)")
        for engine, figures in result["engines"].items():
            print(
                f"  {engine:24} {figures['per_second']:>10,.0f}/s   p50 {figures['p50_us']:8.2f} us"
                f"   p99 {figures['p99_us']:8.2f} us   decide / this {ours / figures['per_second']:8.2f}"
            )


if __name__ == "__main__":
    main()
