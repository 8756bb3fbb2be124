"""`assent watch`: what is recorded, as it is recorded, a line for each event.

A service that goes away is said on standard error, and so is its return; the stream then goes on after the last event
that was shown.

An event in few words says when, what, whose, and what it is about. What a table of words does not know is told by the
members that most records have, so that a new kind of event is a line, too.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assent.cli.failures import Exit, Failure
from assent.cli.input import former_option, under_either
from assent.cli.outage_watch import watch_outage
from assent.cli.output import follow_the_terminal
from assent.cli.session import CommandSession, connected, make_client
from assent.cli.text import GAP, clean, fit, pad, tab_separated, width_of
from assent.contract.events import Event, EventName

if TYPE_CHECKING:
    from assent.client.flow import Stream


HEADER = ("id", "time", "event", "agent", "subject", "words")
TIMES = ("decided_at", "claimed_at", "updated_at", "evaluated_at", "changed_at", "created_at", "occurred_at")
"""The first one that an event has says when it happened; what was changed later has the later one before."""
SUBJECTS = ("action_id", "decision_id", "kid")
"""What an event is about is the first of these that it has, else its first id that is neither of these:"""
NO_SUBJECTS = frozenset({"org_id", "agent_id", "from_agent_id", "to_agent_id", "session_id", "swarm_id"})
SAID = ("declared_goal", "title", "name", "subject", "assumption", "description", "summary", "reason", "metric", "type")
_SHAPES: dict[str, tuple[str, ...]] = {
    EventName.GUARD_DECISION_CREATED: ("decision", "action_type", "declared_goal"),
    EventName.ACTION_CREATED: ("status", "action_type", "declared_goal"),
    EventName.ACTION_UPDATED: ("status", "action_type", "declared_goal"),
    EventName.OUTCOME_CREATED: ("status", "action_type", "output_summary"),
    EventName.APPROVAL_REQUESTED: ("action_type", "declared_goal"),
    EventName.APPROVAL_EXPIRING: ("expires_at",),
    EventName.APPROVAL_ESCALATED: ("escalated_to", "expires_at"),
    EventName.APPROVAL_EXPIRED: ("action_type", "declared_goal"),
    EventName.APPROVAL_CLAIMED: ("action_type", "declared_goal"),
    EventName.APPROVAL_CLAIM_REFUSED: ("action_type", "declared_goal"),
    EventName.POLICY_CREATED: ("name", "mode"),
    EventName.POLICY_UPDATED: ("name", "mode"),
    EventName.APPROVAL_GRANTED: ("action_type", "declared_goal", "grant_id"),
    EventName.MESSAGE_CREATED: ("message_type", "subject"),
    EventName.AGENT_SEEN: ("status", "agent_name"),
    EventName.INJECTION_FOUND: ("recommendation", "subject_kind", "field"),
}
"""The members that say it; those that are empty are left out."""


def row(event: Event, arrived: datetime) -> tuple[str, ...]:
    """Columns for a pipe, each harmless and whole."""
    at = happened(event) or arrived
    data = event.data
    return (
        str(event.id),
        f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        clean(event.event),
        agent_of(data),
        subject_of(data),
        words(event),
    )


def happened(event: Event) -> datetime | None:
    """When, by the event's own word."""
    for name in TIMES:
        value = event.data.get(name)
        if isinstance(value, str):
            try:
                at = datetime.fromisoformat(value)
            except ValueError:
                continue
            return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return None


def words(event: Event) -> str:
    """`deploy, Roll out version 4`, `denied by ana: too much`."""
    data = event.data
    if event.event == EventName.APPROVAL_DECIDED:
        why = f": {clean(data['reasoning'])}" if data.get("reasoning") else ""
        return f"{clean(data.get('state'))} by {clean(data.get('decided_by'))}{why}"
    if event.event == EventName.APPROVAL_WITHDRAWN:
        why = f": {clean(data['reasoning'])}" if data.get("reasoning") else ""
        return f"{clean(data.get('action_type'))}, withdrawn by {clean(data.get('decided_by'))}{why}"
    if event.event == EventName.HALT_CHANGED:
        on = f"on: {clean(data.get('reason'))}" if data.get("halted") else "off"
        return f"the kill switch is {on}, by {clean(data.get('changed_by'))}"
    shape = _SHAPES.get(event.event)
    if shape is None:
        return next((clean(data[name]) for name in SAID if isinstance(data.get(name), str) and data[name]), "")
    return ", ".join(clean(data[name]) for name in shape if data.get(name))


def agent_of(data: Mapping[str, Any]) -> str:
    return clean(data.get("agent_id") or data.get("from_agent_id"))


def subject_of(data: Mapping[str, Any]) -> str:
    ids = [name for name in data if name.endswith("_id") and name not in NO_SUBJECTS]
    return next((clean(data[name]) for name in (*SUBJECTS, *ids) if data.get(name)), "")


NAME, AGENT, ID, LEAST_WORDS = 23, 16, 36, 30


def register(app: typer.Typer) -> None:
    app.command("watch")(watch)


@connected
def watch(
    session: CommandSession,
    types: Annotated[
        str | None, typer.Option("--types", help="Only these events, with commas: approval.requested,halt.changed")
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", help="Only what is about this agent, or about every agent.")
    ] = None,
    after: Annotated[
        int | None, typer.Option("--after", min=0, help="Begin after the event of this number; 0 is the very first.")
    ] = None,
    since: Annotated[
        int | None, typer.Option("--since", min=0, hidden=True, callback=former_option("--since", "--after"))
    ] = None,
    last: Annotated[
        int | None,
        typer.Option("--last", min=1, max=10_000, help="Begin so many events back, before any filter."),
    ] = None,
    count: Annotated[int | None, typer.Option("--count", min=1, help="End after so many lines.")] = None,
) -> None:
    """Follow what is recorded, live, until interrupted (code 130). In a pipe tab-separated lines; with --json one JSON
    document a line."""
    begin = under_either(after, since, "--after")
    if begin is not None and last is not None:
        raise Failure("give --after or --last, not both", Exit.USAGE)
    session.client.get_own_key()  # a service that is not there, and a key that is refused, end it here
    if last is not None:
        begin = _newest(session) - last
    show = _printer(session)
    outage_watch = watch_outage(session.connection)
    shown = 0
    with make_client(session.connection, sleep=outage_watch.pause) as client:
        for event in client.events(types=types, agent_id=agent, last_event_id=None if begin is None else max(0, begin)):
            show(event)
            shown += 1
            if shown == count:
                return


def _newest(session: CommandSession) -> int:
    """The number of the newest event: what the stream says when it opens."""
    found = next(session.client.iterate(_opening()), None)
    if found is None:
        raise Failure("the stream did not say where it is; give --after instead", Exit.REFUSED)
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


def _printer(session: CommandSession) -> Callable[[Event], None]:
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
