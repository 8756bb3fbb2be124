"""One round of kill -9 under load, with everything that must hold afterwards.

1. The service runs, 16 connections are at work, and at a random moment the process gets SIGKILL.
2. The log, read line by line, holds every acknowledged event once and nothing that was refused.
3. Memory loaded from the tables as they were left, plus the log's tail, equals memory folded from the log alone, and
   memory loaded from rebuilt tables.
4. Started again on the same home, the API lists every acknowledged id once; creations that were never answered are sent
   again, twice, and become one action each.
5. Once the tables have caught up they equal, row by row, those of a rebuild elsewhere.
"""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from assent_service import rebuild
from tests.live import WAIT, LiveService, start_service
from tests.stories.evidence import Difference, compare, missing_from_api, read_log, repeat_doubtful
from tests.stories.load import Heard, Load, set_policies
from tests.stories.memories import three_ways
from tests.stories.tables import differences

WORK = 50
"""Answers after which a random moment may come; a service that has just started takes its time for the first."""


@dataclass
class Round:
    """What one round found. `wrong` says everything that did not hold besides what `log` says."""

    heard: Heard
    log: Difference
    torn: bool
    events: int
    wrong: list[str] = field(default_factory=list)


def play(home: Path, number: int, chance: random.Random, *, module: str = "assent_service") -> Round:
    """A round on `home`, which may hold those before it."""
    heard = _killed_under_load(home, number, chance, module)
    torn = _ends_torn(home)
    log = read_log(home)
    played = Round(heard, compare(heard, log), torn, len(log))
    if module != "assent_service":
        return played  # a control: what it lost is the point, and its home is not fit for more
    with tempfile.TemporaryDirectory(dir=home.parent) as work:
        played.wrong += _different_memories(home, Path(work))
        with start_service(home) as service:
            played.wrong += missing_from_api(service, heard)
            played.wrong += repeat_doubtful(service, heard)
            _catch_up(service)
            if number % 2:
                service.kill()  # tables are left as they are, with a write-ahead file
        played.wrong += [f"after the restart: {name}" for name in compare(heard, read_log(home)).doubled]
        played.wrong += _unlike_a_rebuild(home, Path(work) / "rebuilt again")
    return played


def _killed_under_load(home: Path, number: int, chance: random.Random, module: str) -> Heard:
    service = start_service(home, module=module)
    try:
        if number == 0:
            set_policies(service)
        load = Load(service, f"r{number}")
        deadline = time.monotonic() + WAIT
        while load.heard.acknowledged <= WORK and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 1))
    finally:
        service.kill()
    heard = load.join()
    assert not heard.unexpected, heard.unexpected[:3]
    assert not heard.codes, heard.codes
    return heard


def _ends_torn(home: Path) -> bool:
    last = max((home / "log").glob("*.log"))
    return not last.read_bytes().endswith(b"\n")


def _different_memories(home: Path, work: Path) -> list[str]:
    ways = three_ways(home, work, time.time_ns() // 1000)
    return [
        f"memory of {noun}: {way} differs from folded"
        for way in ("as_it_is", "rebuilt")
        for noun, value in ways[way].items()
        if value != ways["folded"][noun]
    ]


def _catch_up(service: LiveService) -> None:
    """A read sees everything before it, so after one the tables are at the head."""
    status, answer = service.call("GET", "/api/actions?limit=1")
    assert status == 200, answer


def _unlike_a_rebuild(home: Path, elsewhere: Path) -> list[str]:
    shutil.copytree(home / "log", elsewhere / "log")
    rebuild.run(elsewhere)
    return differences(home, elsewhere)
