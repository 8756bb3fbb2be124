"""`assent comment`, `comments`, `snooze`, `assign` and `operators`: what operators tell each other about a request,
what one puts off, and who takes care of which."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from assent.cli.approvals import ActionId
from assent.cli.failures import Exit, Failure
from assent.cli.session import CommandSession, connected
from assent.cli.text import moment

HEADER = ("comment_id", "action_id", "agent", "type", "by", "at", "comment")
PAGE = 200
MOST_MINUTES = 366 * 24 * 60


def register(app: typer.Typer) -> None:
    """At the top, beside the decisions."""
    app.command("comment")(comment)
    app.command("comments")(list_comments)
    app.command("snooze")(snooze)
    app.command("assign")(assign)
    app.command("operators")(list_operators)


@connected
def comment(
    session: CommandSession,
    action_id: ActionId,
    text: Annotated[str, typer.Argument(help="For the other operators, up to 4,000 bytes; no agent reads it.")],
) -> None:
    """Tell the other operators something about a request, while it waits or later. It decides nothing."""
    written = session.client.add_comment(action_id, text).comment
    session.output.lines(written, f"Written: {written.comment_id} about {written.action_id}")


@connected
def list_comments(
    session: CommandSession,
    action_id: Annotated[str | None, typer.Option("--action", help="Those about this action.")] = None,
) -> None:
    """The newest comments of operators on requests."""
    page = session.client.get_comments(action_id=action_id, limit=PAGE)
    rows = [
        (
            each.comment_id,
            each.action_id,
            each.agent_id,
            each.action_type,
            each.written_by,
            moment(each.created_at),
            each.text,
        )
        for each in page.comments
    ]
    session.output.rows(page, HEADER, rows, "No comments.")


@connected
def snooze(
    session: CommandSession,
    action_id: ActionId,
    minutes: Annotated[
        int | None, typer.Option(min=1, max=MOST_MINUTES, help="Put it off for so many minutes, for this key alone.")
    ] = None,
    back: Annotated[bool, typer.Option("--back", help="Bring it back now.")] = False,
) -> None:
    """Put off what waits, for this key alone. It is back by itself, before it expires at the latest."""
    if (minutes is None) is not back:
        raise Failure("give --minutes or --back, one of the two", Exit.USAGE)
    until = None if minutes is None else session.client.health().time + timedelta(minutes=minutes)
    put = session.client.snooze_action(action_id, until).snooze
    state = "is back" if until is None else f"is put off until {moment(put.returns_at)}"
    session.output.lines(put, f"{put.action_id} {state}; it waits as before.")


@connected
def assign(
    session: CommandSession,
    action_id: ActionId,
    to: Annotated[
        str | None, typer.Option("--to", help="The key's id of an operator; `assent operators` lists.")
    ] = None,
    mine: Annotated[bool, typer.Option("--mine", help="To the key that asks.")] = False,
    nobody: Annotated[bool, typer.Option("--nobody", help="To nobody in particular.")] = False,
) -> None:
    """Say which operator takes care of what waits. It decides nothing, and everybody may decide as before."""
    if [to is not None, mine, nobody].count(True) != 1:
        raise Failure("give --to, --mine or --nobody, one of the three", Exit.USAGE)
    key_id = session.client.get_own_key().key_id if mine else to
    said = session.client.assign_action(action_id, key_id).assignment
    whose = said.assigned_to or "nobody in particular"
    session.output.lines(said, f"{said.action_id} is assigned to {whose}; it waits as before.")


@connected
def list_operators(session: CommandSession) -> None:
    """Who may decide, and so take care of a request."""
    answer = session.client.get_operators()
    rows = [(each.key_id, each.name, each.role) for each in answer.operators]
    session.output.rows(answer, ("key_id", "name", "role"), rows, "No operators.")
