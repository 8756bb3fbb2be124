"""Rounds of a mixed workload on several replicas while things break, and checks of all that was seen.

    python -m tests.engine.rounds --rounds 30 --seed 1           # the service as it is
    python -m tests.engine.rounds --rounds 3 --without fences    # without what keeps it right, which is to be noticed

Prints the totals as a table, and each anomaly with the round's seed, which draws the same faults again.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from assent_service.comparing import run as compare
from assent_service.store.audit import audit
from assent_service.store.event import Event, line_of
from assent_service.store.postgresql.shared_log import SharedLog
from tests.engine.checkers import Rest, check, check_rest
from tests.engine.cluster import Altered, Cluster, Replicas, pooler
from tests.engine.faults import Fault, draw
from tests.engine.history import History
from tests.engine.workload import Workload

SIZE, OF_A_CONTROL = 3, 2
"""Replicas of a round."""
SECONDS, LONGEST, CALLS = 4.0, 30.0, 300
"""How long a round works: so many seconds, on a busy machine until there were so many calls, and at most so long."""
COMPARED: Final = (
    *("/api/halt", "/api/policies", "/api/keys", "/api/approvals?limit=100", "/api/actions?limit=100"),
    *("/api/guard?limit=100", "/api/actions?status=blocked&limit=100"),
)
"""What all replicas answer alike at rest."""


@dataclass
class Control:
    """A round without something. `caught_by` are the checkers of which at least one has to notice."""

    caught_by: tuple[str, ...]
    faults: tuple[Fault, ...] = ()
    altered: Altered = field(default_factory=Altered)
    synchronous: bool = True


def _lag(replicas: Replicas, chance: random.Random) -> str:
    """The links of all but one are slow, so that what they know is old."""
    slow = [each for links in replicas.links[1:] for each in links.back]
    for each in slow:
        each.delay = 0.02
    time.sleep(SECONDS)
    for each in slow:
        each.delay = 0.0
    return "the database took 20 ms longer to all but one"


def _lose_an_asynchronous_primary(replicas: Replicas, chance: random.Random) -> str:
    time.sleep(0.5)
    replicas.cluster.replication.hold()
    time.sleep(1.0)
    replicas.cluster.lose_primary()
    for at in range(len(replicas)):
        replicas.restart(at)
    return "the primary was killed, and a standby promoted that had received nothing for a second"


CONTROLS: Final[dict[str, Control]] = {
    "fences": Control(("winners", "linearizable", "limits"), (_lag,), Altered("fences")),
    "rules fence": Control(("linearizable",), (), Altered("rules fence")),
    "read index": Control(("fresh", "linearizable"), (_lag,), Altered("read index")),
    "polling": Control(("streams",), (), Altered("polling")),
    "synchronous standby": Control(("acknowledged",), (_lose_an_asynchronous_primary,), synchronous=False),
    "committed heads": Control(("heads",), (), Altered("committed heads")),
    "correction": Control(("times",), (), Altered("correction", {1: -20.0})),
}


@dataclass
class Outcome:
    """What a round came to."""

    seed: int
    broken: list[str]
    history: History
    events: int = 0
    """Of the log, with the last round on it."""
    wrong: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    seconds: float = 0.0


def run(cluster: Cluster, seeds: Sequence[int], control: Control | None = None) -> list[Outcome]:
    """Rounds on the same replicas, one after the other; the cluster is whole again afterwards. What is found wrong at
    rest is the last one's."""
    began = time.monotonic()
    altered = control.altered if control is not None else _drawn(random.Random(f"{seeds[0]} altered"))
    folder = Path(tempfile.mkdtemp(prefix="assent-round-"))
    try:
        cluster.set_synchronous(control is None or control.synchronous)
        with Replicas(cluster, folder, SIZE if control is None else OF_A_CONTROL, altered) as replicas:
            outcomes = [_round(replicas, seed, control) for seed in seeds]
            rest = at_rest(replicas) if control is None else Rest(*recorded(replicas))
            outcomes[-1].history.strange += _tracebacks(replicas)
        for each in outcomes:
            each.wrong = check(each.history, rest)
            each.seconds = (time.monotonic() - began) / len(seeds)
        outcomes[-1].events = len(rest.events)
        outcomes[-1].wrong |= check_rest(rest)
        return outcomes
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        cluster.mend()


def _round(replicas: Replicas, seed: int, control: Control | None) -> Outcome:
    """Work while things break, and heal them."""
    chance, altered = random.Random(seed), replicas.altered
    due = control.faults if control is not None else draw(chance, chance.randint(1, 4))
    broken = [f"clocks off by {dict(altered.skews)} s"] if altered.skews else []
    broken += [f"replica {altered.pooled} behind a pooler"] if altered.pooled is not None else []
    workload = Workload(replicas, seed)
    workload.begin()
    began = time.monotonic()
    for fault in due:
        time.sleep(chance.uniform(0.1, 0.5))
        broken.append(fault(replicas, chance))
    time.sleep(max(0.5, began + SECONDS - time.monotonic()))
    while workload.history.calls < CALLS and time.monotonic() < began + LONGEST:
        time.sleep(0.1)
    replicas.heal()
    replicas.cluster.replication.release()
    workload.end()
    if control is None:
        replicas.cluster.mend()
        replicas.turn_to_servers()
    return Outcome(seed, broken, workload.history)


def _drawn(chance: random.Random) -> Altered:
    """In one of three rounds clocks are off, in one of five a replica is behind a pooler."""
    altered = Altered()
    if chance.random() < 1 / 3:
        altered.skews = {at: round(chance.uniform(-20, 20), 1) for at in range(SIZE) if chance.random() < 0.7}
    if chance.random() < 1 / 5 and pooler() is not None:
        altered.pooled = chance.randrange(SIZE)
    return altered


def at_rest(replicas: Replicas) -> Rest:
    """What replicas answer when all is quiet, and what they leave."""
    answers: dict[str, dict[str, Any]] = {}
    replicas.add_fresh()
    names = [*(f"replica {at}" for at in range(len(replicas) - 1)), "a fresh one"]
    for at, name in enumerate(names):
        answers[name] = {path: replicas.call(at, "GET", path).body for path in COMPARED}
    replicas.stop()
    events, heads = recorded(replicas)
    log = b"".join(line_of(event) for event in events)
    found: list[str] = []
    for service in replicas.services:
        copy = b"".join(path.read_bytes() for path in sorted((service.home / "log").glob("*.log")))
        # Who stopped first has not heard of the others' end.
        if not log.startswith(copy):
            found.append(f"the copy of {service.home.name} is not the log")
        audited = audit(service.home)
        found += [f"{service.home.name}: {each.name}: {each.detail}" for each in audited.checks if not audited.ok]
        tables = compare(service.home)
        if not tables.ok:
            found.append(f"{service.home.name}: {tables.unread or tables.differences}")
    return Rest(events, heads, answers, found)


def recorded(replicas: Replicas) -> tuple[list[Event], list[str]]:
    """The events in the database, each verified, and the notes of its heads."""
    rows = replicas.rows("SELECT content FROM assent.objects WHERE kind = 'head' ORDER BY name")
    log = SharedLog.open(replicas.cluster.primary.dsn(replicas.database))
    try:
        return list(log.events(0)), [str(json.loads(bytes(content))["checkpoint"]) for (content,) in rows]
    finally:
        log.close()


def _tracebacks(replicas: Replicas) -> list[str]:
    return [
        f"{each.home.name} printed {each.output[each.output.index('Traceback') :][:2000]}"
        for each in replicas.services
        if "Traceback" in each.output
    ]


class Totals:
    """Of several rounds: calls, events, and anomalies by checker."""

    def __init__(self) -> None:
        self.rounds = self.noticed = 0
        self.counted: Counter[str] = Counter()
        self.anomalies: Counter[str] = Counter()

    def add(self, outcome: Outcome) -> None:
        history = outcome.history
        self.rounds += 1
        self.noticed += bool(outcome.wrong)
        self.counted += Counter(
            {
                "calls": history.calls,
                "of them without a known outcome": history.unknown,
                "events": outcome.events,
                "creations acknowledged": len(history.created),
                "guards acknowledged": len(history.decided),
                "approvals decided, receipts claimed": len(history.winners),
                "calls in linearizable histories": sum(map(len, history.registers.values())),
                "registers": len(history.registers),
                "reads of what was acknowledged": len(history.reads),
                "heads given": len(history.heads),
                "frames read": sum(len(each.ids) for each in history.streams),
                "faults": len(outcome.broken),
            }
        )
        for name, wrong in outcome.wrong.items():
            self.anomalies[name] += len(wrong)

    def table(self) -> str:
        rows = [("rounds", self.rounds), *self.counted.items(), ("rounds with anomalies", self.noticed)]
        rows += [(f"anomalies: {name}", times) for name, times in self.anomalies.items()]
        return "\n".join(f"{name:<40}{value:>10}" for name, value in rows)


def rounds(seeds: Sequence[int], together: int, control: Control | None, told: Callable[[Outcome], None]) -> Totals:
    """One after the other on one cluster, to the end, so many on the same replicas."""
    totals = Totals()
    with Cluster() as cluster:
        for at in range(0, len(seeds), together):
            several = seeds[at : at + together]
            try:
                outcomes = run(cluster, several, control)
            except KeyboardInterrupt:
                break
            except Exception as error:  # noqa: BLE001 - whatever ends a round is an anomaly of it
                said = f"the rounds from this one to {several[-1]} ended: {type(error).__name__} {str(error)[:3000]}"
                outcomes = [Outcome(several[0], [], History(), wrong={"ended": [said]})]
            for outcome in outcomes:
                totals.add(outcome)
                told(outcome)
    return totals


def tell(outcome: Outcome) -> None:
    print(f"seed {outcome.seed}: {outcome.seconds:.0f} s, {outcome.events} events; {'; '.join(outcome.broken)}")
    for name, wrong in outcome.wrong.items():
        print(f"  {name}: {len(wrong)} anomalies")
        for each in wrong[:5]:
            print(f"    {each}")
    sys.stdout.flush()


def _interrupted(*_: object) -> None:
    """What was done so far is told."""
    raise KeyboardInterrupt


def main() -> None:
    said = argparse.ArgumentParser()
    said.add_argument("--rounds", type=int, default=30)
    said.add_argument("--seed", type=int, default=1, help="of the first round; the next ones count up")
    said.add_argument("--together", type=int, default=1, help="rounds on the same replicas and the same log")
    said.add_argument("--without", choices=list(CONTROLS), help="what the service goes without")
    given = said.parse_args()
    control = CONTROLS[given.without] if given.without else None
    signal.signal(signal.SIGTERM, _interrupted)
    totals = rounds(range(given.seed, given.seed + given.rounds), given.together, control, tell)
    print(totals.table())
    with suppress(BrokenPipeError):
        sys.stdout.flush()
    raise SystemExit(bool(totals.noticed) if control is None else totals.noticed < totals.rounds)


if __name__ == "__main__":
    main()
