"""`python -m tests.engine.altered_service`: the service with a clock that is SKEW seconds off, and without one of the
things that keep replicas together, which WITHOUT names. What checks the replicas has to notice that it is missing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, Final
from unittest.mock import patch

from assent_service import serve
from assent_service.base.clock import Correction
from assent_service.store.heads import HeadStore
from assent_service.store.ledger import Ledger
from assent_service.store.postgresql.replica_log import ReplicaLog
from assent_service.store.postgresql.shared_log import Notices, SharedLog

LATE: Final = 0.3
"""Seconds."""


@contextmanager
def without_fences() -> Iterator[None]:
    """Nobody is overtaken."""
    opened = partial(SharedLog.open, fences=False)

    def opens(dsn: str, **given: Any) -> SharedLog:
        return opened(dsn, **{**given, "fences": False})

    with patch.object(SharedLog, "open", opens):
        yield


@contextmanager
def without_rules_fence() -> Iterator[None]:
    """A request is recorded under rules that have changed since it was authenticated. What others record is heard of
    late, so that this happens often."""

    def told(log: SharedLog, seconds: float) -> bool:
        time.sleep(LATE)
        return False

    with patch.object(Ledger, "_unchanged_rules", lambda *_: ()), patch.object(SharedLog, "told", told):
        yield


@contextmanager
def without_read_index() -> Iterator[None]:
    """Nobody asks what others have recorded."""
    with patch.object(Ledger, "current", lambda _: None):
        yield


@contextmanager
def without_polling() -> Iterator[None]:
    """Who waits believes in notices alone, and those are lost."""

    def poll(log: ReplicaLog) -> None:
        log._standing.heard(log._durable.head)

    with patch.object(ReplicaLog, "_poll", poll), patch.object(Notices, "tell", lambda _: None):
        yield


@contextmanager
def without_committed_heads() -> Iterator[None]:
    """A head is given out as it was signed, before anybody has it."""

    def append(heads: HeadStore, org_id: str, size: int, note: str, instead_of: str | None = None) -> str:
        return note

    with patch.object(HeadStore, "append", append):
        yield


@contextmanager
def without_correction() -> Iterator[None]:
    """The clock stays as it is."""
    with patch.object(Correction, "__call__", lambda *_: None):
        yield


ALTERED: Final[dict[str, Callable[[], Any]]] = {
    "fences": without_fences,
    "rules fence": without_rules_fence,
    "read index": without_read_index,
    "polling": without_polling,
    "committed heads": without_committed_heads,
    "correction": without_correction,
}


def main() -> None:
    without, skew = os.environ.get("WITHOUT"), round(float(os.environ.get("SKEW", "0")) * 1e9)
    with ExitStack() as altered:
        if skew:
            right = time.time_ns
            altered.enter_context(patch.object(time, "time_ns", lambda: right() + skew))
        if without:
            altered.enter_context(ALTERED[without]())
        serve.run()


if __name__ == "__main__":
    main()
