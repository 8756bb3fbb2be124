"""`assent halt`: the kill switch."""

from __future__ import annotations

from typing import Annotated

import typer

from assent.cli.session import CommandSession, connected
from assent.cli.text import clean, moment
from assent.contract.control.halt import Halt

app = typer.Typer(no_args_is_help=True, help="The kill switch: while it is on, guard blocks everything.")


@app.command("on")
@connected
def turn_on(session: CommandSession, reason: Annotated[str, typer.Argument(help="Why; agents are told.")]) -> None:
    """Block everything, at once."""
    _show(session, session.client.halt(reason))


@app.command("off")
@connected
def turn_off(session: CommandSession) -> None:
    """Let guard decide by policy again."""
    _show(session, session.client.resume())


@app.command("status")
@connected
def show_status(session: CommandSession) -> None:
    """Whether everything is blocked, since when, by whom and why."""
    _show(session, session.client.get_halt())


def _show(session: CommandSession, halt: Halt) -> None:
    by = f" by {clean(halt.changed_by)} at {moment(halt.changed_at)}" if halt.changed_at else ""
    reason = f": {clean(halt.reason)}" if halt.halted and halt.reason else ""
    session.output.lines(halt, f"Halted{by}{reason}" if halt.halted else f"Not halted{by and f' (changed{by})'}")
