"""The commands put together. Nothing here or in a command's module imports the client before a command runs."""

from __future__ import annotations

import typer

from assent.cli import (
    approvals,
    doctor,
    erasing,
    halt,
    importing,
    keys,
    log,
    mcp,
    policies,
    serving,
    simulating,
    starting,
    verifying,
    wallet,
    watch,
)
from assent.cli.exits import epilog
from assent.cli.hooks import commands as hooks
from assent.cli.output import Output
from assent.cli.scan import commands as scan
from assent.cli.session import Json

app = typer.Typer(
    name="assent",
    help="Governance for AI agents: ask before acting, record durably.",
    epilog=epilog(),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
serving.register(app)
simulating.register(app)
starting.register(app)
approvals.register(app)
watch.register(app)
doctor.register(app)
mcp.register(app)
erasing.register(app)
verifying.register(app)
scan.register(app)
app.add_typer(keys.app, name="keys")
app.add_typer(policies.app, name="policies")
app.add_typer(halt.app, name="halt")
app.add_typer(wallet.app, name="wallet")
app.add_typer(log.app, name="log")
app.add_typer(importing.app, name="import")
app.add_typer(hooks.app, name="hooks")


@app.command("version")
def show_version(json: Json = False) -> None:
    """Which version this is."""
    from importlib.metadata import version

    found = version("assent")
    Output(json=json).lines({"version": found}, found)
