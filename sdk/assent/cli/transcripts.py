"""`assent import`: what agents did before there was a record of it."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assent.cli.failures import Exit, Failure
from assent.cli.output import Progress
from assent.cli.session import CommandSession, connected
from assent.cli.text import clean

if TYPE_CHECKING:
    from assent.data.history import Summary
    from assent.data.live import LiveSummary
    from assent.data.mapping import Mapping
    from assent.data.records import Origin
    from assent.data.transcripts import TranscriptSummary

app = typer.Typer(no_args_is_help=True, help="Import history, or replay it live.")

MAX_DATASET = 40
SHOWN = 10


@app.callback()
def import_group() -> None:
    """Keeps `transcripts` a command of its own while it is the only one."""


@app.command("transcripts")
@connected
def import_transcripts(
    session: CommandSession,
    file: Annotated[Path, typer.Argument(help="OpenAI-style chat JSONL, one episode a line.")],
    map_file: Annotated[
        Path | None, typer.Option("--map", help="YAML: per tool action_type, systems, reversible, risk.")
    ] = None,
    window: Annotated[str, typer.Option(help="Spread the calls over this time up to now: 90m, 12h, 30d, 4w.")] = "30d",
    live: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Replay the first N calls as a live agent instead.")
    ] = None,
    agent_id: Annotated[str | None, typer.Option(help="Whose actions these are; else the data set's name.")] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Names this history for good; else the file's name without its ending.")
    ] = None,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave bad lines out, and report them.")] = False,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Episodes under way at once.")] = 8,
    approval_timeout: Annotated[float, typer.Option(min=1, help="With --live: seconds to wait for an operator.")] = 300,
) -> None:
    """Record every tool call of a transcript file as history; running it again changes nothing."""
    from assent.data.mapping import load_mapping
    from assent.data.records import Origin, parse_length
    from assent.data.transcripts import survey

    name = _name_of(file, dataset)
    length = parse_length(window)
    if not file.is_file():
        raise Failure(f"{file} is no file; give a JSON Lines file, which is read twice", Exit.USAGE)
    try:
        mapping = {} if map_file is None else load_mapping(map_file)
        found = survey(file, skip_bad=skip_bad)
    except OSError as error:
        raise Failure(f"{error.filename} cannot be read: {error.strerror}", Exit.USAGE) from None
    _warn(found, mapping)
    origin = Origin(dataset=name, source_file=file.name, agent_id=agent_id or name)
    if live is not None:
        _replay(session, file, origin, mapping, live, approval_timeout)
    else:
        _record(session, file, found, origin, mapping, length, jobs)


def _record(
    session: CommandSession,
    file: Path,
    found: TranscriptSummary,
    origin: Origin,
    mapping: Mapping,
    length: timedelta,
    jobs: int,
) -> None:
    from assent.data.history import import_history, plan_import

    plan = plan_import(session.client, file, found, origin, mapping, length, datetime.now(UTC), jobs=jobs)
    progress = Progress("calls", found.calls)
    try:
        summary = import_history(session.client, plan, progress.step)
    except BaseException:
        progress.finish()
        print("Not finished; the same command again goes on from here.", file=sys.stderr)
        raise
    progress.finish()
    session.output.lines(summary, *summary_lines(summary))


def _replay(session: CommandSession, file: Path, origin: Origin, mapping: Mapping, count: int, timeout: float) -> None:
    from assent.data.live import replay_live
    from assent.data.transcripts import read_episodes

    calls = (call for episode in read_episodes(file, skipped=[]) for call in episode.calls)
    summary = replay_live(session.client, islice(calls, count), origin, mapping, session.output.remark, timeout)
    session.output.lines(summary, *live_lines(summary))


def summary_lines(summary: Summary) -> list[str]:
    """An import in a few lines."""
    start, _, end = summary.window.partition("/")
    lines = [
        f"{summary.calls} calls in {summary.episodes} episodes, as {clean(summary.dataset)}",
        f"window: {start[:19]} to {end[:19]} UTC",
        f"verdicts: {_counts(summary.verdicts)}",
        f"{summary.new} new, {summary.completed} completed from an earlier run, {summary.already_there} already there",
        f"{summary.failed_calls} reported an error, {summary.unanswered} without an answer",
    ]
    lines += [f"left out: line {bad.line}: {clean(bad.reason)}" for bad in summary.bad_lines[:SHOWN]]
    if len(summary.bad_lines) > SHOWN:
        lines.append(f"left out: {len(summary.bad_lines)} lines in all")
    return lines


def live_lines(summary: LiveSummary) -> list[str]:
    """A replay in a few lines."""
    return [
        f"{summary.calls} calls replayed",
        f"verdicts: {_counts(summary.verdicts)}",
        f"endings: {_counts(summary.endings)}",
    ]


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _warn(found: TranscriptSummary, mapping: Mapping) -> None:
    if unused := sorted(set(mapping) - set(found.tools)):
        print(f"The mapping names tools that the file never calls: {clean(', '.join(unused))}", file=sys.stderr)


def _name_of(file: Path, dataset: str | None) -> str:
    """The data set's name. A file's name is bent into one; a name that is given has to be one."""
    name = dataset if dataset is not None else re.sub(r"[^\w.\-]+", "-", file.stem)[:MAX_DATASET]
    if not re.fullmatch(rf"[\w.\-]{{1,{MAX_DATASET}}}", name):
        raise Failure(
            f"the data set's name is {name!r}; give --dataset with 1 to {MAX_DATASET} letters, digits, dots or dashes",
            Exit.USAGE,
        )
    return name
