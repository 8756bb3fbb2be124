"""`assent backup`, a verified copy of a data folder while the service runs, and `assent log adopt` after a restore."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assent.cli.evidence import read_head
from assent.cli.failures import reporting
from assent.cli.output import Output, Progress
from assent.cli.serve import extra_module, refusals
from assent.cli.session import DEFAULT_HOME, Home, Json


def register(top: typer.Typer, log: typer.Typer) -> None:
    """`backup` stands at the top, `adopt` with what else is done with a log."""
    top.command("backup")(back_up)
    log.command("adopt")(adopt)


def back_up(
    target: Annotated[Path, typer.Argument(help="A folder that is missing, empty, or an earlier backup of this one.")],
    home: Home = DEFAULT_HOME,
    json: Json = False,
) -> None:
    """Copy a data folder, and verify the copy; the service may be running. Run again, it adds what is new to an earlier
    backup and goes on where it was interrupted. Tables are not copied, nor the keys that open what is."""
    with reporting():
        module = extra_module("assent_service.store.backup", "`assent backup`", "service")
        progress = Progress("events", 0)
        with refusals():
            try:
                done = module.back_up(home, target, progress.reach)
            finally:
                progress.finish()
        objects = ", ".join(f"{count} {kind}s" for kind, count in done.objects.items())
        left = [f"Not copied, keep them elsewhere: {', '.join(done.left)}"] if done.left else []
        Output(json=json).lines(
            done,
            f"{done.events - done.before} events copied to {done.target}, {done.events} in all of {done.organizations} "
            f"organizations, and {objects}",
            "The copy was read again and verified",
            *left,
        )


def adopt(
    home: Home = DEFAULT_HOME,
    head: Annotated[
        list[Path] | None, typer.Option(help="A signed tree head that somebody holds and this log may not; repeatable.")
    ] = None,
    json: Json = False,
) -> None:
    """Take a restored log for what there is: the service signs again after its next start. What was signed beyond it is
    put aside and named in the log, as the reason for which the signing keys end. The service must not be running."""
    with reporting():
        module = extra_module("assent_service.store.adoption", "`assent log adopt`", "service")
        audit = extra_module("assent_service.store.audit", "`assent log adopt`", "service")
        kept = [audit.NamedHead(str(path), read_head(path)) for path in head or ()]
        with refusals():
            done = module.adopt(home, kept)
        lost = [
            f"Not of this log: a head of {each.size} events of {org_id}, signed {each.signed_at.isoformat()}"
            for org_id, each in sorted(done.lost.items())
        ]
        Output(json=json).lines(
            done,
            f"{home} goes on from event {done.events}",
            *lost,
            "The next start of the service records this and signs with new keys",
        )
