"""`assent approvals`, `approve` and `deny`: an operator at a terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from assent.cli.deciding import decide
from assent.cli.given import identifier
from assent.cli.session import Session, connected
from assent.cli.waiting import HEADER, entry, find_waiting, follow, row
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
        bool, typer.Option("--watch", help="In a pipe: go on, a line for each that comes (JSON lines with --json).")
    ] = False,
) -> None:
    """What waits for a decision: a live inbox on a terminal (needs the extra `cli`), a list in a pipe."""
    if session.output.interactive:
        from assent.cli.inbox.opening import open_inbox

        open_inbox(session)
    elif watch:
        follow(session)
    else:
        waiting = find_waiting(session.client)
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
