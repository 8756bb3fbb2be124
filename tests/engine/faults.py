"""What is broken in a round, drawn by its seed. Each fault ends by itself; what it has left broken is healed at the end
of the round (`Replicas.heal`, `Cluster.mend`)."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import psycopg

from tests.engine.cluster import Replicas
from tests.engine.proxy import Proxy

Fault = Callable[[Replicas, random.Random], str]
"""Breaks something, waits as long as it lasts, and says what it was."""


def kill_a_replica(replicas: Replicas, chance: random.Random) -> str:
    at = chance.randrange(len(replicas))
    replicas.restart(at)
    return f"replica {at} was killed and started again"


def stop_a_replica(replicas: Replicas, chance: random.Random) -> str:
    at, seconds = chance.randrange(len(replicas)), chance.uniform(0.1, 1.5)
    process = replicas.services[at].process
    process.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    process.send_signal(signal.SIGCONT)
    return f"replica {at} was stopped for {seconds:.2f} s"


def _link(replicas: Replicas, chance: random.Random) -> tuple[str, list[Proxy]]:
    at = chance.randrange(len(replicas))
    links = replicas.links[at]
    if chance.random() < 0.3:
        return f"between clients and replica {at}", [links.front]
    return f"between replica {at} and the database", links.back


def cut_a_link(replicas: Replicas, chance: random.Random) -> str:
    place, several = _link(replicas, chance)
    for _ in range(chance.randint(1, 5)):
        for each in several:
            each.cut_all()
        time.sleep(chance.uniform(0.01, 0.2))
    return f"links {place} were cut"


def cut_answers(replicas: Replicas, chance: random.Random) -> str:
    """What was asked is done, and nobody hears it."""
    at = chance.randrange(len(replicas))
    for each in replicas.links[at].back:
        each.cut_answers(3, to=b"action_type")
    time.sleep(0.3)
    return f"answers of the database to replica {at} were cut"


def delay_a_link(replicas: Replicas, chance: random.Random) -> str:
    place, several = _link(replicas, chance)
    delay = chance.uniform(0.005, 0.1)
    for each in several:
        each.delay = delay
    time.sleep(chance.uniform(0.5, 1.5))
    for each in several:
        each.delay = 0.0
    return f"links {place} took {delay * 1000:.0f} ms longer"


def hold_a_link(replicas: Replicas, chance: random.Random) -> str:
    """Half open: one direction or both pass nothing on, and nobody is told."""
    place, several = _link(replicas, chance)
    up, down = chance.choice(((True, True), (True, False), (False, True)))
    seconds = chance.uniform(0.2, 2.0)
    for each in several:
        each.hold(up=up, down=down)
    time.sleep(seconds)
    cut = chance.random() < 0.5
    for each in several:
        if cut:
            each.cut_all()
        each.release()
    return (
        f"links {place} passed nothing on for {seconds:.2f} s ({up=}, {down=}), and were {'cut' if cut else 'released'}"
    )


def restart_the_database(replicas: Replicas, chance: random.Random) -> str:
    replicas.cluster.primary.restart_at_once()
    return "the database was restarted at once"


def promote_the_standby(replicas: Replicas, chance: random.Random) -> str:
    if replicas.cluster.standby is replicas.cluster.primary or replicas.altered.pooled is not None:
        return restart_the_database(replicas, chance)
    replicas.cluster.lose_primary()
    return "the primary was killed and the standby promoted"


def hold_the_standby(replicas: Replicas, chance: random.Random) -> str:
    """Commits wait, and those that wait are cancelled."""
    link = replicas.cluster.replication
    link.hold()
    try:
        for _ in range(chance.randint(1, 4)):
            time.sleep(chance.uniform(0.05, 0.3))
            cancel_waits(replicas, chance)
    finally:
        link.release()
    return "the standby received nothing for a while, and waits for it were cancelled"


def cancel_waits(replicas: Replicas, chance: random.Random) -> str:
    how = chance.choice(("pg_cancel_backend", "pg_terminate_backend"))
    with suppress(psycopg.Error):
        replicas.cluster.primary.run(
            f"SELECT {how}(pid) FROM pg_stat_activity WHERE datname = '{replicas.database}' "
            "AND pid <> pg_backend_pid() AND state = 'active' AND random() < 0.7"
        )
    return f"{how} of what was under way"


FAULTS: Final[dict[Fault, int]] = {
    kill_a_replica: 2,
    stop_a_replica: 3,
    cut_a_link: 3,
    cut_answers: 2,
    delay_a_link: 3,
    hold_a_link: 3,
    restart_the_database: 1,
    promote_the_standby: 1,
    hold_the_standby: 1,
    cancel_waits: 2,
}
"""How often each is drawn, beside the others."""


def draw(chance: random.Random, several: int) -> list[Fault]:
    return chance.choices(list(FAULTS), list(FAULTS.values()), k=several)
