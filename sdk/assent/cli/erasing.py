"""`assent erase`: take back what was said about an action."""

from __future__ import annotations

from typing import Annotated

import typer

from assent.cli.exits import Exit
from assent.cli.failures import Failure
from assent.cli.given import identifier
from assent.cli.session import Session, connected
from assent.cli.text import clean, moment


def register(app: typer.Typer) -> None:
    app.command("erase")(erase)


@connected
def erase(
    session: Session,
    action: Annotated[str, typer.Option("--action", callback=identifier, help="The action, which must have ended.")],
    reason: Annotated[
        str, typer.Option("--reason", help="Why. Recorded for good, so it must not repeat what is to be erased.")
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask. Needed where nobody sits at a terminal.")] = False,
) -> None:
    """Erase what was said about an action, for good. That it happened, when, and by which key stays proven."""
    if not yes:
        _confirm(session, action)
    answer = session.client.erase_action(action, reason)
    session.output.lines(
        answer,
        f"Erased: {answer.action_id}, {answer.events} events, at {moment(answer.erased_at)} by "
        f"{clean(answer.erased_by)}. Copies that left the service (exports, backups, proofs) are not reached; "
        "`assent rebuild` takes the last traces out of the tables' file.",
    )


def _confirm(session: Session, action: str) -> None:
    """Show what would be erased and have the action's id typed. Raises Failure when that is not what comes."""
    if not session.output.interactive:
        raise Failure("erasing cannot be undone; pass --yes, since nobody can be asked here", Exit.USAGE)
    found = session.client.get_action(action).action
    session.output.remark(f"{found.action_id}: {clean(found.action_type)}, {found.status}, {moment(found.created_at)}")
    typed = typer.prompt("This cannot be undone. Type the action's id to erase it", default="", show_default=False)
    if typed.strip() != action:
        raise Failure("nothing was erased: that is not the action's id", Exit.REFUSED)
