"""`assent serve` and `rebuild`: the commands that need the service installed beside the client."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Annotated, Protocol

import typer

from assent.cli.connection import DEFAULT_HOME
from assent.cli.exits import Exit
from assent.cli.failures import Failure, reporting
from assent.cli.output import Output
from assent.cli.progress import Progress
from assent.cli.session import Home, Json

Folder = Annotated[Path | None, typer.Option("--home", help="The data folder; else ASSENT_HOME or ./.assent.")]
Port = Annotated[
    int | None, typer.Option(min=0, max=65535, help="Else ASSENT_PORT, assent.toml or 8484; 0 takes a free one.")
]
Host = Annotated[
    str | None, typer.Option(help="Where to listen; anything but this machine needs a proxy with TLS before it.")
]


class Started(Protocol):
    """What the service says of itself once it listens; the service's own struct of that name fits it."""

    @property
    def base_url(self) -> str: ...
    @property
    def home(self) -> Path: ...
    @property
    def admin_key(self) -> str | None: ...
    @property
    def admin_key_file(self) -> Path: ...
    @property
    def new_home(self) -> bool: ...


def register(app: typer.Typer) -> None:
    app.command("serve")(serve)
    app.command("rebuild")(rebuild)


def serve(home: Folder = None, port: Port = None, host: Host = None, json: Json = False) -> None:
    """Run the service until interrupted."""
    output = Output(json=json)
    _run(home, host, port, lambda started: output.lines(describe(started), *describe_lines(started)))


def rebuild(home: Home = DEFAULT_HOME, json: Json = False) -> None:
    """Fold the whole evidence log into fresh tables; the service must not be running."""
    with reporting():
        module = extra_module("assent_service.rebuild", "`assent rebuild`", "service")
        if not home.is_dir():
            raise Failure(f"there is no data folder {home}; give it with --home", Exit.USAGE)
        progress = Progress("events", 0)
        with refusals():
            try:
                report = module.run(home, progress.reach)
            finally:
                progress.finish()
        Output(json=json).lines(
            report,
            f"{report.events} events folded in {report.seconds:.1f} s",
            *(f"  {table}: {rows} rows" for table, rows in report.tables.items()),
        )


def describe(started: Started) -> dict[str, object]:
    """What a start says, as data. The admin key is in it only when it has just been made."""
    document: dict[str, object] = {
        "base_url": started.base_url,
        "api_docs": f"{started.base_url}/schema",
        "home": str(started.home),
        "admin_key_file": str(started.admin_key_file),
        "new_home": started.new_home,
    }
    return document if started.admin_key is None else document | {"admin_key": started.admin_key}


def describe_lines(started: Started) -> list[str]:
    """The same for people."""
    lines = [f"Assent listens on {started.base_url}, data in {started.home}"]
    if started.admin_key is not None:
        lines.append(f"Admin key, shown this once: {started.admin_key}")
    return [*lines, f"Admin key file: {started.admin_key_file}"]


def _run(home: Path | None, host: str | None, port: int | None, announce: Callable[[Started], None]) -> None:
    with reporting():
        module = extra_module("assent_service.serve", "`assent serve`", "service")
        with refusals(), suppress(KeyboardInterrupt):  # that is how a service at a terminal is meant to end
            module.run(home, host, port, announce=announce)


@contextmanager
def refusals() -> Generator[None]:
    """What the service refuses to start with, as a failure of the command."""
    from assent_service.settings import SettingsError
    from assent_service.store.failures import LogError

    try:
        yield
    except (SettingsError, OSError) as error:
        raise Failure(str(error), Exit.USAGE) from error
    except LogError as error:
        raise Failure(str(error), Exit.REFUSED) from error


def extra_module(module: str, what: str, extra: str) -> ModuleType:
    """The module, or the extra that brings it."""
    import importlib

    from assent.errors import MissingExtra

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(what=what, extra=extra) from error
