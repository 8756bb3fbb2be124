"""`assent approvals`, `approve` and `deny`: what waits for an operator, and the decision.

On a terminal the list is the inbox (`assent.cli.inbox`); in a pipe it is read once, or followed.
"""

from __future__ import annotations

import os
import queue
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer

from assent.cli.failures import Exit, Failure
from assent.cli.input import identifier
from assent.cli.outage_watch import say_back, watch_outage
from assent.cli.output import follow_the_terminal
from assent.cli.session import CommandSession, connected, make_client
from assent.cli.text import clean, moment, tab_separated
from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval, Verdict
from assent.contract.roles import OPERATING
from assent.contract.visible import visible

if TYPE_CHECKING:
    from assent import Client
    from assent.errors import ApiError


PAGE = 100
ARRIVAL = "approval.requested"
RELIST = 15.0
"""Seconds after which a follower reads the list again though no event came: one may have come while it connected."""
HEADER = ("action_id", "type", "agent", "goal", "risk", "why", "requested_at", "expires_at")
ITSELF = "the agent asked for it"


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """An action that waits. `approval` is None when an agent asked by itself and the service keeps no term for it."""

    action: Action
    approval: Approval | None

    @property
    def reasons(self) -> list[str]:
        """Why it was stopped, each reason harmless."""
        given = [] if self.approval is None else self.approval.reasons
        return [said for said in map(visible, given) if said] or [ITSELF]

    @property
    def why(self) -> str:
        return "; ".join(self.reasons)


def find_waiting(client: Client) -> list[Waiting]:
    """Everything that waits, what expires soonest first."""
    found: dict[str, Waiting] = {}
    offset = 0
    while True:
        page = client.get_pending_approvals(limit=PAGE, offset=offset)
        for action in page.actions:
            if action.action_id in found:  # the list has moved on between two pages
                continue
            detail = client.get_action(action.action_id)
            if detail.action.status == action.status:  # else somebody has decided since the page was made
                found[action.action_id] = Waiting(action=detail.action, approval=detail.approval)
        offset += len(page.actions)
        if not page.actions or offset >= page.total:
            return sorted(found.values(), key=_expires)


def _expires(item: Waiting) -> tuple[datetime, datetime]:
    created = item.action.created_at
    return (created if item.approval is None else item.approval.expires_at), created


def follow(session: CommandSession) -> None:
    """In a pipe: what waits now, then each new one as it comes, until interrupted. Goes on when the service was away,
    which is said on standard error."""
    shown: set[str] = set()
    if not session.output.json:
        print("\t".join(HEADER), flush=True)
    for _ in _occasions(session):
        for item in _found(session, first=not shown):
            if item.action.action_id in shown:
                continue
            shown.add(item.action.action_id)
            if session.output.json:
                session.output.document(entry(item))
            else:
                print(*tab_separated(HEADER, [row(item)])[1:], flush=True)


def entry(item: Waiting) -> dict[str, object]:
    """One that waits, as JSON output has it."""
    return {"action": item.action, "approval": item.approval}


def row(item: Waiting) -> tuple[object, ...]:
    """The same as columns, for a pipe; the goal is whole."""
    action, approval = item.action, item.approval
    asked, expires = (None, None) if approval is None else (approval.requested_at, approval.expires_at)
    return (
        action.action_id,
        action.action_type,
        action.agent_id,
        action.declared_goal,
        f"{action.risk_score:g}",
        item.why,
        moment(asked or action.created_at),
        moment(expires),
    )


def _found(session: CommandSession, *, first: bool) -> list[Waiting]:
    """What waits; nothing while the service is away, but for the very first time."""
    from assent.errors import ConnectionFailed, ServerError, Unavailable

    try:
        return find_waiting(session.client)
    except (ConnectionFailed, ServerError, Unavailable):
        if first:
            raise
        return []


def _occasions(session: CommandSession) -> Iterator[None]:
    """Whenever the list is worth reading: now, when something arrives, when the service is back, and from time to
    time."""
    from assent.errors import AssentError

    heard: queue.SimpleQueue[AssentError | None] = queue.SimpleQueue()

    def returned() -> None:
        say_back()
        heard.put(None)

    def listen() -> None:
        outage_watch = watch_outage(session.connection, back=returned)
        try:
            with make_client(session.connection, sleep=outage_watch.pause) as client:
                for _ in client.events(types=[ARRIVAL]):
                    heard.put(None)
        except AssentError as error:
            heard.put(error)

    yield
    Thread(target=listen, daemon=True, name="arrivals").start()
    while True:
        try:
            error = heard.get(timeout=RELIST)
        except queue.Empty:
            error = None
        if error is not None:
            raise error
        yield


ActionId = Annotated[
    str, typer.Argument(callback=identifier, help="The action that waits, as `assent approvals` lists it.")
]
Reason = Annotated[str | None, typer.Option("--reason", help="Recorded, and shown to the agent when it is denied.")]
Conditions = Annotated[
    list[str] | None,
    typer.Option("--condition", help="What the agent is asked to keep to; give it once for each.", show_default=False),
]


def open_inbox(session: CommandSession) -> None:
    """Until it is left. The first list is read before the screen opens: a service that is not there and a key that is
    refused are said as everywhere else. Raises MissingExtra without Textual."""
    from assent.cli.inbox.inbox_client import InboxClient, follow_stream
    from assent.deciding import undo_seconds
    from assent.errors import MissingExtra

    try:
        from assent.cli.inbox.screen import Inbox, run_inbox
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "textual":
            raise
        raise MissingExtra(what="the inbox of `assent approvals`", extra="cli") from error
    try:
        hold = undo_seconds(os.environ)
    except ValueError as error:
        raise Failure(str(error), Exit.USAGE) from error
    key = session.client.get_own_key()
    inbox_client = InboxClient(session.client)
    may = None if key.role in OPERATING else f"This key is of role {key.role}: it may look, and not decide."
    inbox = Inbox(inbox_client, inbox_client.listing(), follow_stream(session.connection), session.replay, may, hold)
    follow_the_terminal()
    run_inbox(inbox)
    held = len(inbox.triage.holding)
    if held and inbox.leaving:
        _say(f"Sending {held} decision{'' if held == 1 else 's'}…")
    said, unsent = inbox.finish()
    for words in said:
        _say(words)
    if unsent:
        raise SystemExit(inbox.return_code or Exit.UNREACHABLE)
    if inbox.return_code:
        raise SystemExit(inbox.return_code)  # Textual itself ends with 0, even after a defect


def _say(text: str) -> None:
    """To a terminal that may be gone."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


ValidMinutes = Annotated[
    int | None,
    typer.Option(
        "--valid-minutes", min=1, max=525_600, help="How long the approval can be claimed; without limit else."
    ),
]


def register(app: typer.Typer) -> None:
    """The three commands stand at the top, as operators type them often."""
    app.command("approvals")(list_approvals)
    app.command("approve")(approve)
    app.command("deny")(deny)


@connected
def list_approvals(
    session: CommandSession,
    watch: Annotated[
        bool, typer.Option("--watch", help="In a pipe: go on, a line for each that comes (JSON lines with --json).")
    ] = False,
) -> None:
    """What waits for a decision: a live inbox on a terminal (needs the extra `cli`), a list in a pipe."""
    if session.output.interactive:
        open_inbox(session)
    elif watch:
        follow(session)
    else:
        waiting = find_waiting(session.client)
        document = {"approvals": [entry(item) for item in waiting], "total": len(waiting)}
        session.output.rows(document, HEADER, [row(item) for item in waiting], "Nothing waits.")


@connected
def approve(
    session: CommandSession,
    action_id: ActionId,
    reason: Reason = None,
    conditions: Conditions = None,
    valid_minutes: ValidMinutes = None,
) -> None:
    """Let an action run."""
    decide(session, action_id, Verdict.ALLOW, reason, conditions=conditions, valid_minutes=valid_minutes)


@connected
def deny(session: CommandSession, action_id: ActionId, reason: Reason = None) -> None:
    """Keep an action from running."""
    decide(session, action_id, Verdict.DENY, reason)


def decide(
    session: CommandSession,
    action_id: str,
    verdict: Verdict,
    reasoning: str | None,
    *,
    conditions: Sequence[str] | None = None,
    valid_minutes: int | None = None,
) -> None:
    """Decide and say so. Raises Failure with the winner's name when somebody else was first."""
    from assent.contract.problems import Code
    from assent.errors import ApiError

    try:
        answer = session.client.approve_action(
            action_id, verdict.value, reasoning, conditions=conditions or None, valid_minutes=valid_minutes
        )
    except ApiError as error:
        if error.code not in (Code.ALREADY_DECIDED, Code.APPROVAL_WITHDRAWN):
            raise
        raise Failure(_lost(error) or error.detail, Exit.REFUSED) from None
    approval = answer.approval
    session.output.lines(
        answer,
        f"{'Approved' if verdict is Verdict.ALLOW else 'Denied'}: {answer.action.action_id} "
        f"by {clean(approval.decided_by)} at {moment(approval.decided_at)}",
        *(f"On condition: {clean(each)}" for each in approval.conditions),
        *([f"To be claimed until {moment(approval.valid_until)}"] if approval.valid_until else []),
        f"Replay: {session.replay(answer.action.action_id)}",
    )


def _lost(error: ApiError) -> str | None:
    from assent.deciding import approval_of

    won = approval_of(error)
    if won is None:
        return None
    reason = f": {clean(won.reasoning)}" if won.reasoning else ""
    return f"{won.action_id} was {won.state} already, by {clean(won.decided_by)} at {moment(won.decided_at)}{reason}"
