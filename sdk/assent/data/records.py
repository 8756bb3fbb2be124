"""What is recorded of one tool call: the action, what the agent had been told, the outcome, and when it happened.

Every id is made from the data set's name and the call's key, so that whoever imports a call again finds it there
already: another window, another mapping or a longer file do not make a second one.

Transcripts carry no times, so they are spread over a window. It is cut into one equal slot per episode, in file
order; the calls of an episode follow each other by `STEP` from the start of its slot, closer where the slot is too
short for that. An answer comes `ANSWER` after its call, at most half a step. Everything lies inside the window, and
the same window gives the same times, to the microsecond.
"""

from __future__ import annotations

import hashlib
import re
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct

from assent.contract.control.actions import ActionStatus
from assent.contract.control.guard import Runtime, Source
from assent.data.calls import CallKey, TranscriptCall, shorten
from assent.data.mapping import ToolMeaning

STEP = timedelta(seconds=6)
ANSWER = timedelta(seconds=2)
LONGEST = timedelta(days=3650)

_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


class Window(Struct, frozen=True):
    """From `start` to `end`, both in UTC."""

    start: datetime
    end: datetime

    def __str__(self) -> str:
        return f"{self.start.isoformat()}/{self.end.isoformat()}"


class WindowError(ValueError):
    """A window that is none; the text says what to give instead."""


def parse_length(text: str) -> timedelta:
    """`30d`, `12h`, `90m` or `4w` as a length. Raises WindowError."""
    match = re.fullmatch(r"([1-9][0-9]{0,6})([mhdw])", text)
    if match is None:
        raise WindowError(f"the window {text!r} is none; give a number and a unit: 90m, 12h, 30d or 4w")
    length = int(match[1]) * _UNITS[match[2]]
    if length > LONGEST:
        raise WindowError(f"the window {text!r} is longer than {LONGEST.days} days; give a shorter one")
    return length


def parse_window(text: str) -> Window:
    """What `str(window)` gave. Raises ValueError."""
    start, slash, end = text.partition("/")
    if not slash:
        raise ValueError(f"{text!r} is no window, expected start/end")
    return Window(datetime.fromisoformat(start), datetime.fromisoformat(end))


def times_of(window: Window, episodes: int, episode: int, calls: int, call: int) -> tuple[datetime, datetime]:
    """When the call happened and when its answer came.

    `episode` and `call` count from 0, `episodes` and `calls` are how many there are: in the file, in the episode.
    """
    slot = (window.end - window.start) / episodes
    step = min(STEP, slot / (calls + 1))
    begun = window.start + slot * episode + step * call
    return begun, begun + min(ANSWER, step / 2)


MAX_GOAL = 2000
MAX_TOLD = 2000
MAX_TEXT = 4000
MAX_ARGUMENTS = 50_000


class Origin(Struct, frozen=True, kw_only=True):
    """Where calls come from. `dataset` names the history for good; `source_file` is only noted."""

    dataset: str
    source_file: str
    agent_id: str


class CallIds(Struct, frozen=True, kw_only=True):
    action_id: str
    assumption_id: str
    idempotency_key: str


def ids_of(dataset: str, key: CallKey) -> CallIds:
    """The ids of one call: always the same for the same data set and key."""
    name = "\0".join((dataset, key.episode, str(key.message_index), str(key.call_index)))
    digest = hashlib.sha256(name.encode()).hexdigest()
    return CallIds(
        action_id=f"act_{digest[:32]}", assumption_id=f"asm_{digest[:32]}", idempotency_key=f"import:{digest}"
    )


def session_of(dataset: str, episode: str) -> str:
    """Episode names such as `0/0` are the same in every benchmark; with the data set in front they stay apart."""
    return f"{dataset}:{episode}"


def describe_action(call: TranscriptCall, origin: Origin, meaning: ToolMeaning) -> dict[str, Any]:
    """Members of the creation that say what the agent wanted to do, live and in history alike.

    `metadata.arguments` keeps the arguments as data, so that a condition policy can look at them.
    """
    arguments = call.arguments if isinstance(call.arguments, str) else msgspec.json.encode(call.arguments).decode()
    members: dict[str, Any] = {
        "action_type": meaning.action_type,
        "declared_goal": shorten(f"{call.name} {arguments}".rstrip(), MAX_GOAL),
        "agent_id": origin.agent_id,
        "session_id": session_of(origin.dataset, call.key.episode),
        "input_summary": shorten(arguments, MAX_TEXT),
        "systems_touched": meaning.systems,
        "reversible": meaning.reversible,
        "risk_score": meaning.risk,
        "metadata": {
            "dataset": origin.dataset,
            "source_file": origin.source_file,
            "episode": call.key.episode,
            "message_index": call.key.message_index,
            "call_index": call.key.call_index,
            "tool": call.name,
            "reward": call.reward,
            "arguments": call.arguments if len(arguments) <= MAX_ARGUMENTS else shorten(arguments, MAX_ARGUMENTS),
        },
    }
    return {name: value for name, value in members.items() if value is not None}


def describe_assumption(call: TranscriptCall) -> dict[str, Any] | None:
    """What the agent had been told; None when nobody had told it anything."""
    if not call.told:
        return None
    return {"assumption": shorten(call.told, MAX_TOLD), "basis": "the last user message before the call"}


def describe_outcome(call: TranscriptCall) -> dict[str, Any] | None:
    """What came of it; None when the transcript has no answer, which leaves the action open as it was."""
    if call.answer is None:
        return None
    if call.failed:
        text = shorten(call.answer, MAX_TEXT)
        return {"status": ActionStatus.FAILED, "output_summary": text, "error_message": text}
    return {"status": ActionStatus.COMPLETED, "output_summary": shorten(call.answer, MAX_TEXT)}


def describe_history(
    call: TranscriptCall, origin: Origin, meaning: ToolMeaning, occurred_at: datetime, window: Window
) -> dict[str, Any]:
    """The creation of an action that happened already; `metadata.window` is where a later run finds the window."""
    ids = ids_of(origin.dataset, call.key)
    members = describe_action(call, origin, meaning)
    return members | {
        "metadata": members["metadata"] | {"window": str(window)},
        "action_id": ids.action_id,
        "idempotency_key": ids.idempotency_key,
        "status": ActionStatus.RUNNING,
        "runtime": Runtime.EVIDENCE_IMPORT,
        "source": Source.IMPORT,
        "occurred_at": occurred_at,
    }
