"""`assent serve`, `rebuild` and `simulate`: the commands that need the service installed beside the client."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Protocol

import typer

from assent.cli.failures import Exit, Failure, LastingFailure, reporting
from assent.cli.output import Output, Progress
from assent.cli.session import DEFAULT_HOME, Home, Json

Folder = Annotated[Path | None, typer.Option("--home", help="The data folder; else ASSENT_HOME or ./.assent.")]
Port = Annotated[
    int | None, typer.Option(min=0, max=65535, help="Else ASSENT_PORT, assent.toml or 8484; 0 takes a free one.")
]
Host = Annotated[
    str | None, typer.Option(help="Where to listen; anything but this machine needs a proxy with TLS before it.")
]


Hold = Annotated[
    bool,
    typer.Option(
        "--hold",
        help="Where settings or the data folder are refused, wait to be stopped: for what starts every process again "
        "that ends, as Docker does.",
    ),
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
    app.command("simulate")(simulate)


def serve(home: Folder = None, port: Port = None, host: Host = None, hold: Hold = False, json: Json = False) -> None:
    """Run the service until interrupted."""
    output = Output(json=json)
    with reporting():
        try:
            _run(home, host, port, lambda started: output.lines(describe(started), *describe_lines(started)))
        except LastingFailure as failure:
            if not hold:
                raise
            _hold(failure)
            raise typer.Exit(failure.exit) from None


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
    if started.admin_key_file.exists():
        return [*lines, f"Admin key file: {started.admin_key_file}"]
    return [*lines, "Admin key: the one that the workspace was started with first; it is not in this folder"]


def _run(home: Path | None, host: str | None, port: int | None, announce: Callable[[Started], None]) -> None:
    module = extra_module("assent_service.serve", "`assent serve`", "service")
    with refusals(Exit.FOLDER), suppress(KeyboardInterrupt):  # that is how a service at a terminal is meant to end
        module.run(home, host, port, announce=announce)


def _hold(failure: LastingFailure) -> None:
    """Say it, and come back at SIGTERM or SIGINT."""
    stopped = threading.Event()
    # Not a mask: a library's thread that has none of its own would end the process instead.
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: stopped.set())
    print(f"Error: {failure}\nNothing is served; this process waits to be stopped.", file=sys.stderr, flush=True)
    stopped.wait()


@contextmanager
def refusals(folder: Exit = Exit.REFUSED) -> Generator[None]:
    """What the service refuses to start with, as a failure of the command; `folder` is that of a data folder which is
    refused for as long as it is as it is."""
    from assent_service.core.settings import SettingsError
    from assent_service.store.failures import LogError

    try:
        yield
    except SettingsError as error:
        raise LastingFailure(str(error), Exit.USAGE) from error
    except (PermissionError, NotADirectoryError) as error:
        raise LastingFailure(str(error), folder if folder is Exit.FOLDER else Exit.USAGE) from error
    except OSError as error:
        raise Failure(str(error), Exit.USAGE) from error
    except LogError as error:
        if error.unreachable:
            raise Failure(str(error), Exit.UNREACHABLE) from error
        if error.passing:
            raise Failure(str(error), Exit.REFUSED) from error
        raise LastingFailure(str(error), folder) from error


def extra_module(module: str, what: str, extra: str) -> ModuleType:
    """The module, or the extra that brings it."""
    import importlib

    from assent.errors import MissingExtra

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(what=what, extra=extra) from error


Seed = Annotated[int, typer.Option(min=0, help="The same seed draws the same history.")]
Agents = Annotated[int, typer.Option(min=1, max=1000, help="How many agents act.")]
Days = Annotated[int, typer.Option(min=1, max=3650, help="How far back from now it reaches.")]
Actions = Annotated[int, typer.Option(min=1, max=10_000_000, help="How many actions they take.")]


def simulate(
    home: Home = DEFAULT_HOME,
    agents: Agents = 6,
    days: Days = 30,
    actions: Actions = 2000,
    seed: Seed = 7,
    json: Json = False,
) -> None:
    """Fill a new data folder with a simulated history; the service must not be running."""
    with reporting():
        report = fill(home, agents=agents, days=days, actions=actions, seed=seed)
        Output(json=json).lines(report, *report_lines(report))


def fill(home: Path, *, agents: int = 6, days: int = 30, actions: int = 2000, seed: int = 7) -> Any:
    """Simulate into `home`, with progress on standard error; the answer is the service's own report.

    Raises Failure for a folder that is in use or has a history, MissingExtra without the service or the analytics.
    """
    module = extra_module("assent_service.simulate", "`assent simulate`", "service,analytics")
    from assent_service.base.problem import Refusal

    progress = Progress("steps", 0)
    with refusals():
        try:
            return module.run(home, seed=seed, agents=agents, days=days, actions=actions, progress=progress.reach)
        except module.NotEmpty as error:
            raise Failure(str(error), Exit.REFUSED) from None
        except Refusal as error:
            raise Failure(error.detail, Exit.REFUSED) from error
        finally:
            progress.finish()


def report_lines(report: Any) -> list[str]:
    """What was simulated, for people."""
    return [
        f"Simulated {report.actions} actions of {report.agents} agents over {report.days} days into {report.home}",
        f"{report.approvals} approvals, {report.waiting} of them waiting now; {report.assumptions} assumptions; "
        f"{report.events} events in {report.seconds:.1f} s",
        f"Admin key file: {report.admin_key_file}",
        "None of it happened: every action says that it is simulated",
    ]
