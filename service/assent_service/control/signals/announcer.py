"""Signals that come on, recorded and told of: one event each, so that streams and webhooks hear of it.

- What events bring about is told of right after the event that did it; the fold only notes it down. What time brings
  about is told of when its time comes: one task sleeps until the first deadline there is.
- A signal is told of once, until it goes off and comes on again. That is known by `since`: a detection that was
  recorded for the same subject and is not older says that this one is known, so a restart repeats nothing. An agent
  whose pace goes up and down around the threshold is told of at most once within the hour that is counted.
- It is judged again at the moment of telling. What has passed by then is not told of.
- Telling of a signal makes no signal: detections are not among what signals look at.
- What cannot be recorded now is kept, and tried again later.
- After a start, whatever is on and was never told of is told of.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from assent.contract.control.signals import Signal, SignalType
from assent.contract.events import EventName
from assent_service.base.clock import SECOND, Clock, microseconds, moment, new_id
from assent_service.base.problem import Refusal
from assent_service.control.signals import judge
from assent_service.control.signals.signals import Signals
from assent_service.control.signals.workspace import ACTED, Fresh
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode, extend
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger
from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, text

# Signals as rows: when each came on. Whether one is still on is worked out anew with each question.


SIGNALS = Table.of(
    Signal,
    name="signals",
    meaning="signals that came on, one row for each time that one did; it may be off again by now",
    key="signal_id",
    created=("signal.detected",),
    also=(
        ORGANIZATION,
        text("signal_id", "id of this detection", frozen=True),
        text("subject", "what it is about: the id of the agent, the action, the loop or the assumption"),
        CREATED_AT,
    ),
    first=(
        "signal_id",
        "type",
        "severity",
        "subject",
    ),
)


SYSTEM = "system"
AT_ONCE = 100
"""Detections in one write, so that guard need not wait for thousands of them."""
RETRY_SECONDS = 10.0
LONGEST_SLEEP = 3600.0
"""Seconds. A clock that is set forward shall not leave the announcer asleep."""

SILENCE_LOOK = SECOND
"""Microseconds between two looks for agents that fell silent, which go through all of them. Only time makes one silent,
and what is recorded meanwhile, a thousand times a second perhaps, does not."""

SIGNALS_FENCE = Fence("signals", everywhere=True)
"""What has come on is told once, whoever looks."""

log = logging.getLogger("assent.signals")


class News(NamedTuple):
    org_id: str
    fresh: Fresh
    signal: Signal | None = None
    """Where it is known already, as it is of silent agents."""


class SignalAnnouncer:
    """`organizations` lists the ids of all there are."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
        signals: Signals,
        organizations: Callable[[], Iterable[str]],
    ) -> None:
        self._ledger, self._clock, self._locks, self._signals = ledger, clock, locks, signals
        self._state, self._organizations = signals.state, organizations
        self._kept: list[News] = []
        self._looked = -SILENCE_LOOK
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._ledger.listen(self._on_batch)
        self._kept += self._untold()
        self._task = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def tell(self) -> int:
        """Record whatever has come on, and say how many that were. Raises what the ledger raises, and keeps what
        is not recorded."""
        now = self._clock()
        self._kept += self._news(now)
        told = 0
        while self._kept:
            part, rest = self._kept[:AT_ONCE], self._kept[AT_ONCE:]
            told += await self._ledger.run(partial(self._record, part, now))
            # What came meanwhile stands behind.
            self._kept = rest + self._kept[len(part) + len(rest) :]
        return told

    async def _record(self, news: Sequence[News], now: int) -> int:
        async with self._locks.hold(SIGNALS_FENCE.of()):
            drafts = list(self._drafts(news, now))
            if drafts:
                await self._ledger.append(*drafts)
            return len(drafts)

    def deadline(self, now: int) -> int | None:
        """When something next comes on by time alone (microseconds), None when nothing will."""
        due = [found for workspace in self._state.workspaces.values() if (found := workspace.deadline(now)) is not None]
        return min(due, default=None)

    async def _watch(self) -> None:
        while True:
            try:
                await self.tell()
                seconds = self._sleep()
            except Refusal as refusal:
                log.warning("%d signals could not be recorded yet: %s", len(self._kept), refusal.detail)
                seconds = RETRY_SECONDS
            except Exception:
                log.exception("telling of signals failed; it is tried again")
                seconds = RETRY_SECONDS
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._wake.wait()
            self._wake.clear()

    def _sleep(self) -> float:
        now = self._clock()
        # What begins after this look cannot be due before the shortest time that makes something stale has passed.
        latest = min(LONGEST_SLEEP, self._signals.shortest / SECOND)
        deadline = self.deadline(now)
        return latest if deadline is None else max(0.0, min(latest, (deadline - now) / SECOND))

    def _on_batch(self, batch: Sequence[Event]) -> None:
        types, workspaces = self._state.types, self._state.workspaces
        for event in batch:
            # Most of what is recorded is guard's, which brings nothing about.
            if event.type in types and (found := workspaces.get(event.org)) is not None and found.has_news:
                self._wake.set()
                return

    def _untold(self) -> Iterator[News]:
        now = self._clock()
        for org_id, workspace in self._state.workspaces.items():
            for fresh in workspace.standing(now):
                if self._state.last_detection(org_id, fresh.type, fresh.subject) is None:
                    yield News(org_id, fresh)

    def _news(self, now: int) -> Iterator[News]:
        for org_id, workspace in self._state.workspaces.items():
            fresh, workspace.fresh = workspace.fresh, []
            for each in (*fresh, *workspace.turned(now)):
                yield News(org_id, each)
        if abs(now - self._looked) < SILENCE_LOOK:
            return
        self._looked = now
        for org_id in self._organizations():
            for agent in self._signals.presence.silent(org_id, now, self._signals.silent_after):
                since = microseconds(agent.last_seen)
                signal = judge.silent(agent.agent_id, since, agent.current_task_id, now)
                yield News(org_id, Fresh(SignalType.AGENT_SILENT, agent.agent_id, since), signal)

    def _drafts(self, news: Iterable[News], now: int) -> Iterator[Draft]:
        seen: set[tuple[str, SignalType, str]] = set()
        for each in news:
            kind, subject, since = each.fresh
            key = (each.org_id, kind, subject)
            if key in seen or self._is_announced(each.org_id, each.fresh):
                continue
            signal = each.signal or self._signals.one(each.org_id, kind, subject, now)
            if signal is not None:
                seen.add(key)
                yield _draft(each.org_id, subject, signal, max(now, since))

    def _is_announced(self, org_id: str, fresh: Fresh) -> bool:
        told = self._state.last_detection(org_id, fresh.type, fresh.subject)
        quiet = ACTED if fresh.type is SignalType.AUTONOMY_SPIKE else 0
        return told is not None and fresh.since <= told + quiet


def _draft(org_id: str, subject: str, signal: Signal, now: int) -> Draft:
    signal_id = new_id("sig_", now)
    members = {"org_id": org_id, "signal_id": signal_id, "subject": subject, "created_at": moment(now)}
    return Draft(
        org=org_id,
        type=EventName.SIGNAL_DETECTED.value,
        ts=now,
        subject=signal_id,
        actor=SYSTEM,
        data=extend(encode(signal), members),
        action=signal.action_id,
    )
