"""`assent watch`: what is recorded, as it is recorded, a line for each event.

A service that goes away is said on standard error, and so is its return; the stream then goes on after the last event
that was shown.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from assent.cli.connection import make_client
from assent.cli.event_words import HEADER, agent_of, happened, row, subject_of, words
from assent.cli.exits import Exit
from assent.cli.failures import Failure
from assent.cli.session import Session, connected
from assent.cli.size import follow_the_terminal
from assent.cli.text import GAP, clean, fit, pad, tab_separated, width_of
from assent.cli.vigil import keep_vigil

if TYPE_CHECKING:
    from assent.client.flow import Stream
    from assent.contract.events import Event

NAME, AGENT, ID, LEAST_WORDS = 23, 16, 36, 30


def register(app: typer.Typer) -> None:
    app.command("watch")(watch)


@connected
def watch(
    session: Session,
    types: Annotated[
        str | None, typer.Option("--types", help="Only these events, with commas: approval.requested,halt.changed")
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", help="Only what is about this agent, or about every agent.")
    ] = None,
    since: Annotated[
        int | None, typer.Option("--since", min=0, help="Begin after the event of this number; 0 is the very first.")
    ] = None,
    last: Annotated[
        int | None,
        typer.Option("--last", min=1, max=10_000, help="Begin so many events back, before any filter."),
    ] = None,
    count: Annotated[int | None, typer.Option("--count", min=1, help="End after so many lines.")] = None,
) -> None:
    """Follow what is recorded, live, until interrupted (code 130). In a pipe tab-separated lines; with --json one JSON
    document a line."""
    if since is not None and last is not None:
        raise Failure("give --since or --last, not both", Exit.USAGE)
    session.client.get_own_key()  # a service that is not there, and a key that is refused, end it here
    begin = since if last is None else _newest(session) - last
    show = _printer(session)
    vigil = keep_vigil(session.connection)
    shown = 0
    with make_client(session.connection, sleep=vigil.pause) as client:
        for event in client.events(types=types, agent_id=agent, last_event_id=None if begin is None else max(0, begin)):
            show(event)
            shown += 1
            if shown == count:
                return


def _newest(session: Session) -> int:
    """The number of the newest event: what the stream says when it opens."""
    found = next(session.client.iterate(_opening()), None)
    if found is None:
        raise Failure("the stream did not say where it is; give --since instead", Exit.REFUSED)
    return found


def _opening() -> Stream[int]:
    from assent.client.events import SILENCE, resume_point
    from assent.client.flow import Emit, Ending, Refused, hear, listen
    from assent.contract.events import CONNECTED, StreamQuery

    answer = yield from listen(StreamQuery(), silence=SILENCE)
    if isinstance(answer, Refused):
        raise answer.error
    heard = yield from hear()
    while not isinstance(heard, Ending):
        point = resume_point(heard) if heard.event == CONNECTED else None
        if point is not None:
            yield Emit(point)
        heard = yield from hear()


def _printer(session: Session) -> Callable[[Event], None]:
    """How an event is shown: JSON, columns in a pipe, aligned on a terminal."""
    if session.output.json:
        return session.output.document
    if not session.output.terminal:
        print("\t".join(HEADER), flush=True)
        return lambda event: print(*tab_separated(HEADER, [row(event, datetime.now(UTC))])[1:], flush=True)
    follow_the_terminal()
    print(f"Following {clean(session.connection.base_url)}; Ctrl-C ends it.", file=sys.stderr, flush=True)
    return lambda event: print(line(event, datetime.now(UTC), shutil.get_terminal_size().columns), flush=True)


def line(event: Event, arrived: datetime, width: int) -> str:
    """One line of a terminal. The subject's id stands at its end, whole, where there is room for it."""
    at = happened(event) or arrived
    parts = [f"{at.astimezone(UTC):%H:%M:%S}", _cell(event.event, NAME)]
    agent, subject = agent_of(event.data), subject_of(event.data)
    if width >= 80:
        parts.append(_cell(agent, AGENT))
    room = width - sum(width_of(part) + len(GAP) for part in parts)
    if subject and room - len(GAP) - ID >= LEAST_WORDS and width_of(subject) <= ID + 4:
        left = room - len(GAP) - max(ID, width_of(subject))
        return GAP.join([*parts, _cell(words(event), left), subject])
    return GAP.join([*parts, fit(words(event), max(room, 1))]).rstrip()


def _cell(text: object, width: int) -> str:
    cut = fit(clean(text), width)
    return pad(cut, width)
