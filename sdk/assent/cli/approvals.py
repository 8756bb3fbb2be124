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
Conditions = Annotated[
    list[str] | None,
    typer.Option("--condition", help="What the agent is asked to keep to; give it once for each.", show_default=False),
]
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
def approve(
    session: Session,
    action_id: ActionId,
    reason: Reason = None,
    conditions: Conditions = None,
    valid_minutes: ValidMinutes = None,
) -> None:
    """Let an action run."""
    decide(session, action_id, Verdict.ALLOW, reason, conditions=conditions, valid_minutes=valid_minutes)


@connected
def deny(session: Session, action_id: ActionId, reason: Reason = None) -> None:
    """Keep an action from running."""
    decide(session, action_id, Verdict.DENY, reason)
