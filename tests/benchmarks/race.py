"""100 operators decide on one action at the same moment, again and again: exactly one of them wins each time.

python -m tests.benchmarks.race [--rounds 200]
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from tests.benchmarks.processes import Served, call, service
from tests.stories.approvers import Decided, race

APPROVERS = 100
STATUS = {"allow": "running", "deny": "cancelled"}


def prepare(served: Served) -> list[str]:
    """A policy that asks, and the keys of everybody who may answer."""
    rules = {"action_types": ["pay"]}
    call(served, "POST", "/api/policies", {"name": "Ask", "policy_type": "require_approval", "rules": rules})
    made = [call(served, "POST", "/api/keys", {"name": f"op-{n}", "role": "operator"}) for n in range(APPROVERS)]
    return [str(each["api_key"]) for each in made]


def run_round(served: Served, keys: list[str], number: int) -> str:
    """The verdict that won. Raises SystemExit when there is not exactly one winner whom all others are told of."""
    action_id = str(call(served, "POST", "/api/actions", {"action_type": "pay"})["action_id"])
    verdicts = [("allow", "deny")[(at + number) % 2] for at in range(APPROVERS)]
    port = int(served.base_url.rpartition(":")[2])
    decided = race(port, keys, action_id, verdicts)
    winners = [at for at, each in enumerate(decided) if each.status == 200]
    detail = call(served, "GET", f"/api/actions/{action_id}")
    if len(winners) != 1 or not _fits(decided, winners[0], detail):
        raise SystemExit(f"round {number}: {Counter(each.status for each in decided)}, the action is {detail}")
    return verdicts[winners[0]]


def _fits(decided: list[Decided], winner: int, detail: dict[str, object]) -> bool:
    action = detail["action"]
    assert isinstance(action, dict)
    losers = [each for at, each in enumerate(decided) if at != winner]
    told = all(each.status == 409 and each.body["detail"].startswith(f"op-{winner} has ") for each in losers)
    return told and action["status"] == STATUS[decided[winner].verdict]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.race")
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args(arguments).rounds
    with service() as served:
        keys = prepare(served)
        began = time.perf_counter()
        won = Counter(run_round(served, keys, number) for number in range(rounds))
        seconds = time.perf_counter() - began
    print(f"{rounds} rounds of {APPROVERS} approvers, one winner each: {dict(won)}; {seconds:.1f} s")


if __name__ == "__main__":
    main()
