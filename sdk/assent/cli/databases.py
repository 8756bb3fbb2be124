"""A database for the evidence log: `assent migrate`, and `assent log copy` to it, from it, and between folders."""

from __future__ import annotations

from typing import Annotated

import typer

from assent.cli.failures import reporting
from assent.cli.output import Output, Progress
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


def register(top: typer.Typer, log: typer.Typer) -> None:
    """`migrate` stands at the top, `copy` with what else is done with a log."""
    top.command("migrate")(migrate)
    log.command("copy")(copy)


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


PLACE = "A data folder, or a database as postgresql://user@host/name."


def copy(
    source: Annotated[str, typer.Option("--from", help=PLACE)],
    target: Annotated[str, typer.Option("--to", help=f"{PLACE} It is empty, or an earlier copy.")],
    json: Json = False,
) -> None:
    """Copy an evidence log and what lies beside it, byte for byte, and verify the copy. The service must not be running
    on a folder. Run again, it goes on where it was interrupted and brings an earlier copy up to date."""
    with reporting():
        databases = any(place.startswith(("postgresql://", "postgres://")) for place in (source, target))
        extras = EXTRAS if databases else "service"
        module = extra_module("assent_service.store.copying", "`assent log copy`", extras)
        progress = Progress("events", 0)
        with refusals():
            if databases:
                extra_module("assent_service.store.postgresql.database_place", "`assent log copy`", extras)
            try:
                done = module.run(source, target, progress.reach)
            finally:
                progress.finish()
        objects = ", ".join(f"{count} {kind}s" for kind, count in done.objects.items())
        left = [f"Not copied, carry them over yourself: {', '.join(done.left)}"] if done.left else []
        Output(json=json).lines(
            done,
            f"{done.events - done.before} events copied to {done.target}, {done.events} in all of {done.organizations} "
            f"organizations, and {objects}",
            "Every line and every root was read again from both and is the same",
            *left,
        )
