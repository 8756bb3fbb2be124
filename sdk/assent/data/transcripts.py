"""Chat transcripts as files: one episode a line, read one at a time, so that a file may be larger than memory.

A line is a JSON object with `messages` and, where known, `task_id`, `trial` and `reward`. An episode is named
`task_id/trial`, or `line-N` when the line does not say; a name that comes again gets `~2`, `~3`, ..., because two runs
of one task are two histories and neither may hide the other. Empty lines are passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from assent.contract.prepared import prepared
from assent.data.calls import ChatMessage, TranscriptCall, find_calls

MAX_NAME = 80


class TranscriptError(ValueError):
    """A line that is no episode. `line` counts from 1; the text says what is wrong and what to do."""

    def __init__(self, path: Path, line: int, reason: str) -> None:
        super().__init__(
            f"{path.name}, line {line}: {reason}. Each line has to be a JSON object with a list `messages`; "
            f"mend the line, or pass --skip-bad to leave such lines out"
        )
        self.line = line
        self.reason = reason


class Episode(Struct, frozen=True, kw_only=True):
    """One chat. `name` is unique in its file; `calls` may be empty."""

    name: str
    line: int
    calls: tuple[TranscriptCall, ...]


class BadLine(Struct, frozen=True, kw_only=True):
    line: int
    reason: str


class TranscriptSummary(Struct, frozen=True, kw_only=True):
    """What a file holds. Episodes without a call are not counted; `tools` counts calls by tool."""

    episodes: int
    calls: int
    tools: dict[str, int]
    bad: list[BadLine]


class _Line(Struct, frozen=True, kw_only=True):
    messages: list[ChatMessage]
    task_id: str | int | None = None
    trial: str | int | None = None
    reward: float | None = None


def read_episodes(path: Path, *, skipped: list[BadLine] | None = None) -> Iterator[Episode]:
    """The file's episodes in order. A bad line raises TranscriptError, or goes to `skipped` where a list is given."""
    decoder = msgspec.json.Decoder(prepared(_Line))
    seen: Counter[str] = Counter()
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield _episode(decoder.decode(line), number, seen)
            except (ValueError, RecursionError) as error:
                reason = _reason(error)
                if skipped is None:
                    raise TranscriptError(path, number, reason) from None
                skipped.append(BadLine(line=number, reason=reason))


def survey(path: Path, *, skip_bad: bool = False) -> TranscriptSummary:
    """Read the whole file once and say what is in it, before anything is sent. Raises TranscriptError."""
    bad: list[BadLine] | None = [] if skip_bad else None
    tools: Counter[str] = Counter()
    episodes = 0
    for episode in read_episodes(path, skipped=bad):
        episodes += 1 if episode.calls else 0
        tools.update(call.name for call in episode.calls)
    return TranscriptSummary(episodes=episodes, calls=tools.total(), tools=dict(tools), bad=bad or [])


def _episode(line: _Line, number: int, seen: Counter[str]) -> Episode:
    given = _name(line, number)
    name, run = given, seen[given]
    while name in seen:
        run += 1
        name = f"{given}~{run}"
    episode = Episode(name=name, line=number, calls=tuple(find_calls(name, line.messages, line.reward)))
    seen[name] += 1
    if name != given:
        seen[given] = run
    return episode


def _name(line: _Line, number: int) -> str:
    if line.task_id is None:
        return f"line-{number}"
    name = str(line.task_id) if line.trial is None else f"{line.task_id}/{line.trial}"
    if not name.strip() or len(name) > MAX_NAME:
        raise ValueError(f"task_id and trial make a name of {len(name)} characters, expected 1 to {MAX_NAME}")
    return name


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 (byte {error.start} is {error.object[error.start]:#04x})"
    return str(error)
