"""`assent approvals`, `approve` and `deny`: an operator at a terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from assent.cli.given import identifier
from assent.cli.inbox import HEADER, row
from assent.cli.session import Session, connected
from assent.cli.waiting import decide, entry, find_waiting, follow, sit
from assent.contract.approvals import Verdict

ActionId = Annotated[
    str, typer.Argument(callback=identifier, help="The action that waits, as `assent approvals` lists it.")
]
Reason = Annotated[str | None, typer.Option("--reason", help="Recorded, and shown to the agent when it is denied.")]


def register(app: typer.Typer) -> None:
    """The three commands stand at the top, as operators type them often."""
    app.command("approvals")(list_approvals)
    app.command("approve")(approve)
    app.command("deny")(deny)


@connected
def list_approvals(
    session: Session,
    watch: Annotated[
        bool, typer.Option("--watch", help="Say what arrives; in a pipe, a line for each (JSON lines with --json).")
    ] = False,
) -> None:
    """What waits for a decision: an inbox on a terminal, a list in a pipe."""
    if session.output.interactive:
        sit(session, watch=watch)
    elif watch:
        follow(session)
    else:
        waiting = find_waiting(session)
        document = {"approvals": [entry(item) for item in waiting], "total": len(waiting)}
        session.output.rows(document, HEADER, [row(item) for item in waiting], "Nothing waits.")


@connected
def approve(session: Session, action_id: ActionId, reason: Reason = None) -> None:
    """Let an action run."""
    decide(session, action_id, Verdict.ALLOW, reason)


@connected
def deny(session: Session, action_id: ActionId, reason: Reason = None) -> None:
    """Keep an action from running."""
    decide(session, action_id, Verdict.DENY, reason)
