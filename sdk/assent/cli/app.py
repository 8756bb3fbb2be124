"""The commands put together. Nothing here or in a command's module imports the client before a command runs."""

from __future__ import annotations

from typing import Annotated

import typer

from assent import __version__
from assent.cli import (
    approvals,
    backups,
    comments,
    databases,
    doctor,
    evidence,
    flows,
    grants,
    halt,
    keys,
    mcp,
    policies,
    questions,
    rota,
    serve,
    signing_keys,
    start,
    transcripts,
    triage,
    watch,
)
from assent.cli.failures import epilog
from assent.cli.hooks import commands as hooks
from assent.cli.input import former_name
from assent.cli.output import Output
from assent.cli.scan import commands as scan
from assent.cli.session import Json

app = typer.Typer(
    name="assent",
    epilog=epilog(),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
serve.register(app)
start.register(app)
approvals.register(app)
questions.register(app)
comments.register(app)
watch.register(app)
doctor.register(app)
mcp.register(app)
evidence.register(app)
databases.register(app, evidence.app)
backups.register(app, evidence.app)
scan.register(app)
app.add_typer(keys.app, name="keys")
app.add_typer(policies.app, name="policies")
app.add_typer(grants.app, name="grants")
app.add_typer(flows.app, name="flows")
app.add_typer(rota.app, name="rota")
app.add_typer(triage.app, name="triage")
app.add_typer(halt.app, name="halt")
app.add_typer(signing_keys.app, name="signing-keys")
app.add_typer(
    signing_keys.app, name="wallet", hidden=True, callback=former_name("assent wallet", "assent signing-keys")
)
app.add_typer(evidence.app, name="log")
app.add_typer(transcripts.app, name="import")
app.add_typer(hooks.app, name="hooks")


@app.command("version")
def show_version(json: Json = False) -> None:
    """Which version this is."""
    Output(json=json).lines({"version": __version__}, __version__)


def _show_and_exit(asked: bool) -> None:
    if asked:
        show_version()
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_and_exit, is_eager=True, help="Which version this is.")
    ] = False,
) -> None:
    """Governance for AI agents: ask before acting, record durably."""
