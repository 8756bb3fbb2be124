"""`assent log`: the evidence log of a data folder, read where it lies."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

import typer

from assent.cli.connection import DEFAULT_HOME
from assent.cli.exits import Exit
from assent.cli.failures import Failure, reporting
from assent.cli.output import Output
from assent.cli.progress import Progress
from assent.cli.serving import extra_module, refusals
from assent.cli.session import Home, Json

app = typer.Typer(no_args_is_help=True, help="The evidence log: verify.")

KILOBYTE = 1000


@app.callback()
def group() -> None:
    """The evidence log of a data folder."""


@app.command("verify")
def verify_log(
    home: Home = DEFAULT_HOME,
    head: Annotated[
        list[Path] | None, typer.Option(help="A signed tree head that was kept: the log must contain it; repeatable.")
    ] = None,
    processes: Annotated[int | None, typer.Option(min=1, max=64, help="Else as many as there are processors.")] = None,
    tables: Annotated[
        bool, typer.Option("--tables", help="Compare every row of the tables, too; the service must not be running.")
    ] = False,
    json: Json = False,
) -> None:
    """Check a whole data folder: every line of the log, the trees, and all signed heads. Exits with 1 when anything is
    wrong. Changes nothing, and but for --tables may be run while the service is running."""
    with reporting():
        module = extra_module("assent_service.store.audit", "`assent log verify`", "service")
        if not home.is_dir():
            raise Failure(f"there is no data folder {home}; give it with --home", Exit.USAGE)
        kept = [module.KeptHead(str(path), _read(path)) for path in head or ()]
        progress, began = Progress("kilobytes", 0), time.monotonic()
        try:
            audit = module.audit(
                home,
                kept=kept,
                processes=processes or os.cpu_count() or 1,
                progress=lambda done, total: progress.reach(done // KILOBYTE, total // KILOBYTE),
            )
        except OSError as error:
            raise Failure(f"the data folder cannot be read: {error}", Exit.USAGE) from error
        finally:
            progress.finish()
        # Tables are compared with a log that is right; what is wrong with another one is said already.
        if tables and audit.ok:
            comparing = extra_module("assent_service.comparing", "`assent log verify --tables`", "service")
            progress = Progress("events", 0)
            with refusals():
                audit = comparing.extend(audit, home, progress.reach)
            progress.finish()
        seconds = time.monotonic() - began
        output = Output(json=json)
        output.rows(
            audit,
            ("check", "status", "detail"),
            [(check.name, check.status.value, check.detail) for check in audit.checks],
            "",
        )
        if output.terminal:
            output.remark(f"{audit.events} events, {audit.bytes // 1_000_000} MB in {seconds:.1f} s")
        if not audit.ok:
            raise typer.Exit(Exit.REFUSED)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"the head {path} cannot be read: {error}", Exit.USAGE) from error
