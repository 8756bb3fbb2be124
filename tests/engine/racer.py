"""A process that races others for prizes: `python -m tests.engine.racer DSN NAME PRIZES AT_ONCE FENCES`.

A prize belongs to whom the log names first. The racer folds the log, tries for what nobody has yet, and prints a line
for each prize that it was told to have won: the prize and the event's seq. It ends when all prizes are gone.
"""

from __future__ import annotations

import random
import sys
import time

from assent_service.store.conditions import Condition
from assent_service.store.event import Draft
from assent_service.store.failures import OutcomeUnknown
from assent_service.store.log import Submission
from assent_service.store.postgresql.connecting import DatabaseUnsuitable
from assent_service.store.postgresql.shared_log import Overtaken, SharedLog

ORGANIZATIONS = 3
PATIENCE = 60.0


def main(dsn: str, name: str, prizes: int, at_once: int, fences: bool) -> None:
    log = opened(dsn, fences)
    chance = random.Random(name)
    gone: set[str] = set()
    folded = 0
    while True:
        try:
            for event in log.events(folded):
                gone.add(event.subject)
                folded = event.seq
        except DatabaseUnsuitable:
            time.sleep(0.1)
            continue
        left = [prize for prize in map(str, range(prizes)) if prize not in gone]
        if not left:
            break
        # All want the same ones, so that they meet.
        wanted = chance.sample(left[: 2 * at_once], min(at_once, len(left)))
        now = time.time_ns() // 1000
        submissions = [
            Submission(
                (Draft(f"org_{int(each) % ORGANIZATIONS}", "t", now, each, name, b"{}"),),
                conditions=(Condition(each, folded),),
                moves=(each,),
            )
            for each in wanted
        ]
        try:
            outcomes = log.append(submissions).outcomes
        except OutcomeUnknown as error:
            print("unknown", str(error).replace("\n", " "), flush=True)
            continue
        for prize, outcome in zip(wanted, outcomes, strict=True):
            if not isinstance(outcome, Overtaken):
                print(prize, outcome[0].seq, flush=True)
    log.close()


def opened(dsn: str, fences: bool) -> SharedLog:
    """The log, as soon as there is somebody to open it with."""
    ends = time.monotonic() + PATIENCE
    while True:
        try:
            return SharedLog.open(dsn, patience=PATIENCE, fences=fences)
        except DatabaseUnsuitable:
            if time.monotonic() > ends:
                raise
            time.sleep(0.1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5] == "fences")
