"""`assent rota`: who is on shift now, and the weekly hours that it follows from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assent.cli.failures import Exit, Failure
from assent.cli.input import read_json
from assent.cli.session import CommandSession, connected
from assent.cli.text import moment

if TYPE_CHECKING:
    from assent.contract.people.rota import Duty

app = typer.Typer(no_args_is_help=True, help="Who is on shift when: show, set.")

HEADER = ("group", "on_shift", "until", "next_at", "operators", "unknown")


@app.command("show")
@connected
def show(session: CommandSession) -> None:
    """Who is on shift now, group by group."""
    _show(session, session.client.get_rota())


@app.command("set")
@connected
def set_rota(
    session: CommandSession,
    rota: Annotated[str, typer.Argument(help="A JSON object with `groups`, @FILE, or - for standard input.")],
) -> None:
    """Set all groups at once; what is not among them is no group any more."""
    groups = read_json(rota, "rota").get("groups")
    if not isinstance(groups, list):
        raise Failure('give a JSON object with the list "groups"', Exit.USAGE)
    _show(session, session.client.set_rota(groups))


def _show(session: CommandSession, duty: Duty) -> None:
    rows = [
        (
            each.name,
            "yes" if each.on_shift else "no",
            moment(each.until),
            moment(each.next_at),
            ", ".join(operator.name for operator in each.operators),
            ", ".join(each.unknown),
        )
        for each in duty.groups
    ]
    session.output.rows(duty, HEADER, rows, "There is no rota.")
    if duty.rota is not None and not duty.covered:
        until = "" if duty.next_at is None else f" until {moment(duty.next_at)}"
        session.output.remark(f"Nobody is on shift{until}.")
