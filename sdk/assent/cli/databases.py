"""A database for the evidence log: `assent migrate`."""

from __future__ import annotations

from typing import Annotated

import typer

from assent.cli.failures import reporting
from assent.cli.output import Output
from assent.cli.serve import extra_module, refusals
from assent.cli.session import Json

EXTRAS = "service,postgresql"
Database = Annotated[
    str,
    typer.Option(
        "--log",
        help="The database, as postgresql://user@host/name; a password belongs into ~/.pgpass or PGPASSWORD.",
    ),
]


def register(top: typer.Typer) -> None:
    top.command("migrate")(migrate)


def migrate(
    log: Database,
    role: Annotated[
        str | None, typer.Option(help="The role that serves: it may append and read, nothing else.")
    ] = None,
    json: Json = False,
) -> None:
    """Make or upgrade the tables of the evidence log in a PostgreSQL database. May be run again, and while it is in
    use."""
    with reporting():
        module = extra_module("assent_service.store.postgresql.schema", "`assent migrate`", EXTRAS)
        with refusals():
            done = module.migrate(log, role)
        if done.before == done.version:
            said = f"{done.database} has version {done.version} of the schema already"
        elif done.before:
            said = f"{done.database} was upgraded from version {done.before} of the schema to {done.version}"
        else:
            said = f"{done.database} has version {done.version} of the schema now"
        Output(json=json).lines(done, said, *([f"The role {role} may serve from it"] if role else []))
