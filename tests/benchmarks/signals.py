"""Signals of a workspace with a long history: `python -m tests.benchmarks.signals [--actions 1000000]`.

First the fold: a million live actions of fifty agents, each created and ended but for those that run on and on, one in
ten failed, one in fifty waited and was denied or allowed; microseconds for each event beside what only decoding the
whole action costs. Then the question: what is on now, as JSON, median and p99. Then the same with everything full that
memory holds: all that can be watched is stale. Last, how long the memory of such a history takes to load from tables.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import duckdb
import msgspec

from assent.contract.control.actions import Action
from assent.contract.control.signals import SignalsQuery
from assent.contract.events import EventName
from assent.contract.roles import Role
from assent_service import rebuild
from assent_service.base.clock import DAY, SECOND, moment
from assent_service.control.signals import Signals, SignalState
from assent_service.core.principal import Principal
from assent_service.core.settings import Thresholds
from assent_service.store.event import Event
from tests.benchmarks import history
from tests.service.control.actions.samples import an_action

NOW = time.time_ns() // 1000
AGENTS = 50
ORG = "org_1"
ADMIN = Principal(ORG, "key_1", "admin", Role.ADMIN, None)
ASKED = 300
PART = 100_000


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="signals")
    parser.add_argument("--actions", type=int, default=1_000_000)
    parser.add_argument("--tables", type=int, default=1_000_000, help="events in the tables that are loaded; 0: none")
    parsed = parser.parse_args(arguments)
    state = SignalState(lambda: NOW, Thresholds())
    figures = fold(state, parsed.actions, long_running=5000)
    print(f"{parsed.actions:,} actions, {figures['events']:,.0f} events")
    print(
        f"  fold                 {figures['fold']:8.2f} us for each event ({figures['decode']:.2f} to decode it whole)"
    )
    tell("getSignals", ask(state))
    full = SignalState(lambda: NOW, Thresholds())
    fold(full, 60_000, long_running=60_000)
    tell("getSignals, full", ask(full))
    if parsed.tables:
        load(parsed.tables)


def tell(name: str, figures: dict[str, float]) -> None:
    print(
        f"  {name:20} {figures['median']:8.3f} ms median, {figures['p99']:.3f} ms p99; "
        f"{figures['shown']:.0f} shown, {figures['hidden']:.0f} more"
    )


def fold(state: SignalState, actions: int, *, long_running: int) -> dict[str, float]:
    """Microseconds for each event, its making not counted."""
    decode = msgspec.json.Decoder(Action).decode
    seconds = decoding = 0.0
    count = 0
    for start in range(0, actions, PART):
        part = [each for n in range(start, min(actions, start + PART)) for each in events(n, actions, long_running)]
        count += len(part)
        seconds += busy(state.fold, part)
        decoding += busy(decode, [event.data or b"" for event in part])
    return {"events": count, "fold": 1e6 * seconds / count, "decode": 1e6 * decoding / count}


def busy(work: Callable[[Any], object], items: Sequence[Any]) -> float:
    """Seconds of processor time, which other processes do not add to as they would to the time on the wall."""
    begin = time.thread_time()
    for item in items:
        work(item)
    return time.thread_time() - begin


def events(number: int, actions: int, long_running: int) -> Iterator[Event]:
    """What is recorded of one action, over the last seven days."""
    at = NOW - 7 * DAY + (7 * DAY - 60 * SECOND) * number // actions
    waits = number % 50 == 0
    action_id = f"act_{number:032x}"
    members: dict[str, Any] = {
        "action_id": action_id,
        "agent_id": f"agent-{number % AGENTS}",
        "status": "pending_approval" if waits else "running",
        "approval_id": f"apr_{number:032x}" if waits else None,
        "reversible": number % 20 != 0,
        "risk_score": float(number % 101),
        "created_at": moment(at),
        "updated_at": moment(at),
    }
    yield _event(EventName.ACTION_CREATED, action_id, members, at)
    if waits:
        allowed = number % 100 == 0
        after = {"status": "running", "approved_by": "Eve", "approved_at": moment(at)} if allowed else {}
        members |= after or {"status": "cancelled", "timestamp_end": moment(at)}
        yield _event(EventName.ACTION_UPDATED, action_id, members, at, "pending_approval")
    if number % max(1, actions // long_running):
        later = at + 2 * SECOND
        status = "failed" if number % 10 == 3 else "completed"
        members |= {"status": status, "timestamp_end": moment(later), "updated_at": moment(later)}
        yield _event(EventName.ACTION_UPDATED, action_id, members, later, "running")


def _event(name: EventName, action_id: str, members: dict[str, Any], at: int, before: str | None = None) -> Event:
    row = msgspec.to_builtins(an_action()) | {"org_id": ORG} | members
    if before is not None:
        row["change"] = {"kind": "outcome", "by": "bot", "changed": {}, "replaced": {"status": before}}
    body = b'{"salt":"%b","data":%b}' % (b"0" * 32, msgspec.json.encode(row))
    return Event(1, 1, 1, 1, ORG, name.value, at, action_id, action_id, "key_1", b"", b"", body, 1, 0, 0)


def ask(state: SignalState) -> dict[str, float]:
    """Milliseconds of the whole question, its JSON included."""
    signals = Signals(state, lambda: NOW)
    taken = []
    for _ in range(ASKED):
        begin = time.perf_counter()
        msgspec.json.encode(signals.page(ADMIN, SignalsQuery()))
        taken.append(1000 * (time.perf_counter() - begin))
    found = signals.page(ADMIN, SignalsQuery())
    return {
        "median": median(taken),
        "p99": quantiles(taken, n=100)[98],
        "shown": found.counts.total,
        "hidden": sum(found.not_shown.values()),
    }


def load(events: int) -> None:
    with tempfile.TemporaryDirectory(prefix="assent-signals-") as folder:
        home = Path(folder) / "home"
        history.make(home, events)
        rebuild.run(home)
        with closing(duckdb.connect(str(home / "tables.duckdb"), read_only=True)) as connection:
            taken = []
            for _ in range(3):
                state = SignalState(lambda: time.time_ns() // 1000, Thresholds())
                begin = time.perf_counter()
                state.load(lambda sql, parameters: connection.execute(sql, list(parameters)).fetchall())
                taken.append(time.perf_counter() - begin)
        print(f"  load, {events:,} events in the tables: {median(taken):.3f} s, {taken[0]:.3f} s the first time")


if __name__ == "__main__":
    main(sys.argv[1:])
