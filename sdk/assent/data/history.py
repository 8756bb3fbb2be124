"""A file of transcripts as history, through the public API: every tool call with verdict, assumption and outcome.

What one call means is `recorder`'s; here is the order. Calls of an episode follow each other, several episodes are
under way at once. The window, which gives the times, is fixed by whoever records the file's first episode, which is
done before all others; later runs read it there. So a run that was cut short anywhere is completed by running again,
with the records that one whole run would have made, and a second run changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING

from msgspec import Struct

from assent.contract.control.guard import Decision
from assent.data.mapping import Mapping
from assent.data.recorder import Recorder, RecordResult, find_action
from assent.data.records import Origin, Window, ids_of, parse_window, times_of
from assent.data.transcripts import BadLine, Episode, TranscriptSummary, read_episodes

if TYPE_CHECKING:
    from assent import Client


class Summary(Struct, frozen=True, kw_only=True):
    """What a run did. `verdicts` counts calls by decision; `unanswered` calls have no outcome in the transcript."""

    dataset: str
    episodes: int
    calls: int
    verdicts: dict[str, int]
    new: int
    completed: int
    already_there: int
    failed_calls: int
    unanswered: int
    window: str
    bad_lines: list[BadLine]


class Plan(Struct, frozen=True, kw_only=True):
    """What to import, and when it is taken to have happened; `jobs` episodes are under way at once."""

    path: Path
    survey: TranscriptSummary
    origin: Origin
    mapping: Mapping
    window: Window
    resuming: bool
    jobs: int


def plan_import(
    client: Client,
    path: Path,
    survey: TranscriptSummary,
    origin: Origin,
    mapping: Mapping,
    length: timedelta,
    now: datetime,
    *,
    jobs: int = 8,
) -> Plan:
    """Fix the window: the one that an earlier run has recorded, else `length` up to `now`."""
    first = next((episode for episode in _episodes(path) if episode.calls), None)
    found = None if first is None else find_action(client, ids_of(origin.dataset, first.calls[0].key).action_id)
    window = Window(now - length, now)
    if found is not None and isinstance(recorded := found.action.metadata.get("window"), str):
        window = parse_window(recorded)
    return Plan(
        path=path, survey=survey, origin=origin, mapping=mapping, window=window, resuming=found is not None, jobs=jobs
    )


def import_history(client: Client, plan: Plan, on_call: Callable[[], None] = lambda: None) -> Summary:
    """Record every call of the file. `on_call` is called after each, from any thread.

    The first error stops the run, once what is under way has ended, and is raised; running again goes on from there.
    """
    run = _Run(client, plan, on_call)
    episodes = (episode for episode in _episodes(plan.path) if episode.calls)
    numbered = enumerate(episodes)
    for at, episode in numbered:
        run.record_episode(at, episode)
        break
    _in_parallel(run, numbered, plan.jobs)
    return run.summary()


class _Run:
    """One import: what its threads share, and the counts."""

    def __init__(self, client: Client, plan: Plan, on_call: Callable[[], None]) -> None:
        self.plan = plan
        self.recorder = Recorder(
            client=client, origin=plan.origin, mapping=plan.mapping, window=plan.window, resuming=plan.resuming
        )
        self.on_call = on_call
        self.stopped = Event()
        self._lock = Lock()
        self._verdicts: Counter[Decision] = Counter()
        self._recorded: Counter[RecordResult] = Counter()
        self._failed = 0
        self._unanswered = 0

    def record_episode(self, at: int, episode: Episode) -> None:
        """The calls of one episode, in order; `at` is its place among the episodes with calls."""
        plan = self.plan
        for index, call in enumerate(episode.calls):
            if self.stopped.is_set():
                return
            began, ended = times_of(plan.window, plan.survey.episodes, at, len(episode.calls), index)
            verdict, recorded = self.recorder.record(call, began, ended)
            with self._lock:
                self._verdicts[verdict] += 1
                self._recorded[recorded] += 1
                self._failed += call.failed
                self._unanswered += call.answer is None
            self.on_call()

    def summary(self) -> Summary:
        plan = self.plan
        return Summary(
            dataset=plan.origin.dataset,
            episodes=plan.survey.episodes,
            calls=self._recorded.total(),
            verdicts={decision.value: self._verdicts[decision] for decision in Decision},
            new=self._recorded[RecordResult.NEW],
            completed=self._recorded[RecordResult.COMPLETED],
            already_there=self._recorded[RecordResult.PRESENT],
            failed_calls=self._failed,
            unanswered=self._unanswered,
            window=str(plan.window),
            bad_lines=plan.survey.bad,
        )


def _in_parallel(run: _Run, episodes: Iterator[tuple[int, Episode]], jobs: int) -> None:
    """`jobs` episodes at a time; no more of the file is held than what is under way."""
    pool = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="import")
    pending: set[Future[None]] = set()
    try:
        for at, episode in episodes:
            if len(pending) >= jobs:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
            pending.add(pool.submit(run.record_episode, at, episode))
        for future in pending:
            future.result()
    except BaseException:
        run.stopped.set()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _episodes(path: Path) -> Iterator[Episode]:
    """The good lines; the survey has refused or reported the others."""
    return read_episodes(path, skipped=[])
