"""What the page shows as tables, to take away."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import polars as pl

from assent.contract.handoffs import Handoffs
from assent.contract.loops import Loops
from assent.contract.message_threads import MessageThreads
from assent.contract.messages import Messages
from assent.contract.record import Record
from assent_dashboard.views.export import Tables
from assent_dashboard.views.messages.data import Answer, Context, Mail, OpenThread, Remembered

TIMES = ("created_at", "updated_at", "read_at", "archived_at", "resolved_at", "closed_at", "last_message_at")


def tables(answer: Answer) -> Tables:
    """By name; every member of what is shown is a column."""
    match answer:
        case Messages():
            return {"messages": of(answer.messages)}
        case Mail():
            return {"message": of([] if answer.message is None else [answer.message])}
        case MessageThreads():
            return {"message_threads": of(answer.threads)}
        case OpenThread():
            return {"messages": of(answer.messages.messages)}
        case Handoffs():
            return {"handoffs": of(answer.handoffs)}
        case Context():
            return {"context_threads": of(answer.threads.threads), "key_points": of(answer.points.points)}
        case Remembered():
            return {"entries": of([] if answer.detail is None else answer.detail.entries)}
        case Loops():
            return {"loops": of(answer.loops)}


def of(records: Sequence[Record]) -> pl.DataFrame:
    """A row for each; times are UTC, and what has parts of its own is JSON text."""
    rows = [{name: _cell(value) for name, value in msgspec.structs.asdict(each).items()} for each in records]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    times = [name for name in TIMES if name in frame.columns]
    return frame.with_columns(pl.col(times).cast(pl.Datetime("us", "UTC"))) if times else frame


def _cell(value: object) -> object:
    if isinstance(value, list | dict):
        return msgspec.json.encode(value).decode()
    return str(value) if isinstance(value, str) else value
