"""`assent start`: the service and the dashboard together; `assent dashboard`: the dashboard alone.

A new data folder is filled with a simulated workspace before the service opens it, so that there is something to look
at; an existing one is left as it is. The dashboard runs in a process of its own, which ends with this one whatever
ends it: it reads a pipe that closes with us.
"""

from __future__ import annotations

import json as json_module
import logging
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import msgspec
import typer

from assent.cli.failures import Exit, Failure, reporting
from assent.cli.output import Output
from assent.cli.serve import Folder, Host, Port, Started, describe, describe_lines, extra_module, refusals
from assent.cli.session import LOCAL, BaseUrl, Connection, Json, make_client
from assent.settings import DEFAULT_BASE_URL

if TYPE_CHECKING:
    from assent import Client

LOOPBACK = "127.0.0.1"
DEFAULT_DASHBOARD_PORT = 8485
UNUSED = frozenset({"assent.toml", "lock"})
UNFINISHED = ".simulating-"
"""What lies in a data folder before anything is recorded in it: settings, a lock, a simulation that was killed."""

DashboardPort = Annotated[
    int | None,
    typer.Option(
        "--dashboard-port", min=0, max=65535, help="Else the one of ASSENT_DASHBOARD_URL, or 8485; 0 takes a free one."
    ),
]
Empty = Annotated[bool, typer.Option("--empty", help="Leave a new data folder without the simulated workspace.")]


def register(app: typer.Typer) -> None:
    app.command("start")(start)
    app.command("dashboard")(dashboard)


def dashboard(
    base_url: BaseUrl = DEFAULT_BASE_URL,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = DEFAULT_DASHBOARD_PORT,
    host: Annotated[
        str, typer.Option(help="Where to listen; anything but this machine needs a proxy with TLS before it.")
    ] = LOOPBACK,
    json: Json = False,
) -> None:
    """Run the dashboard until interrupted; the service may run elsewhere."""
    output = Output(json=json)

    def announce(address: str) -> None:
        output.lines({"dashboard": address, "base_url": base_url}, f"The dashboard of {base_url} is at {address}")
        sys.stdout.flush()

    with reporting():
        module = extra_module("assent_dashboard.serve", "`assent dashboard`", "dashboard")
        with suppress(KeyboardInterrupt):
            try:
                module.run(base_url, host, port, announce=announce)
            except (OSError, ValueError) as error:
                raise Failure(str(error), Exit.USAGE) from error


def start(
    home: Folder = None,
    port: Port = None,
    host: Host = None,
    dashboard_port: DashboardPort = None,
    empty: Empty = False,
    json: Json = False,
) -> None:
    """Run the service and the dashboard; a new data folder gets a simulated workspace to look at."""
    from assent.errors import MissingExtra

    with reporting():
        extra_module("assent_service.serve", "`assent start`", "server")
        if find_spec("streamlit") is None:  # it is for the dashboard's process, and large in this one
            raise MissingExtra(what="`assent start`", extra="server")
        with refusals(), suppress(KeyboardInterrupt):
            _run(home, host, port, dashboard_port, empty, Output(json=json))


def _run(
    home: Path | None, host: str | None, port: int | None, dashboard_port: int | None, empty: bool, output: Output
) -> None:
    from assent_service.core.settings import load
    from assent_service.serve import run

    chosen = load(os.environ, home=None if home is None else str(home), host=host, port=port)
    folder, port = Path(chosen.home), chosen.port or free_port()
    page = _page_port(chosen.dashboard_url, dashboard_port)
    reach = LOOPBACK if chosen.host in ("0.0.0.0", "::") else chosen.host  # noqa: S104 - compared, not bound
    base_url = f"http://{f'[{reach}]' if ':' in reach else reach}:{port}"
    _check_free(chosen.host, port, "--port")
    _check_free(LOOPBACK, page, "--dashboard-port")
    with _dashboard_process(base_url, page) as process:
        simulated = None if empty else _furnish(folder, output)
        _step(output, f"Starting the service on {folder}, and the dashboard")
        welcome = _Welcome(output, process, simulated)
        run(home, host, port, dashboard_url=process.address, announce=welcome.begin)


@dataclass
class _Dashboard:
    address: str
    process: subprocess.Popen[str]

    def ready(self) -> bool:
        """Wait until it has said its address; False when it ended instead."""
        assert self.process.stdout is not None
        return bool(self.process.stdout.readline().strip())


@dataclass
class _Welcome:
    """What there is to say once both answer. The service answers only after its announcement has returned, so the
    rest happens beside it."""

    output: Output
    dashboard: _Dashboard
    simulated: dict[str, object] | None

    def begin(self, started: Started) -> None:
        Thread(target=self._say, args=(started,), daemon=True, name="welcome").start()

    def _say(self, started: Started) -> None:
        from assent.errors import AssentError

        # The service logs in this process at its own level; what its first guest does is not part of its log.
        logging.getLogger("httpx").setLevel(logging.WARNING)
        document, lines = describe(started), describe_lines(started)
        if self.dashboard.ready():
            document["dashboard"] = self.dashboard.address
            lines.insert(1, f"The dashboard is at {self.dashboard.address}; sign in with the admin key")
        else:
            print("Error: the dashboard did not start; `assent dashboard` says why", file=sys.stderr)
        if self.simulated is not None:
            key = started.admin_key_file.read_text(encoding="ascii").strip()
            document |= {"admin_key": key, "simulated": self.simulated}
            counts = ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in self.simulated.items())
            lines += [f"Admin key, shown this once: {key}", f"The workspace is simulated: {counts}"]
            try:
                with make_client(Connection(base_url=started.base_url, api_key=key)) as client:
                    agent_key = make_agent_key(client)
            except AssentError as error:
                print(f"Error: no agent key could be made: {error}", file=sys.stderr)
            else:
                curl = first_call(started.base_url, agent_key)
                document |= {"agent_key": agent_key, "first_call": curl}
                lines += [f"Agent key, shown this once: {agent_key}", "A first governed action:", f"  {curl}"]
        if started.base_url != os.environ.get("ASSENT_BASE_URL", DEFAULT_BASE_URL).rstrip("/"):
            lines.append(f"Commands and clients ask here with: export ASSENT_BASE_URL={started.base_url}")
        lines.append("Operators decide in the dashboard or with `assent approvals`; Ctrl-C stops both")
        self.output.lines(document, *lines)
        sys.stdout.flush()


def _step(output: Output, doing: str) -> None:
    """What is being done, for whoever waits for it; a program waits for the document."""
    if not output.json:
        output.remark(doing)


def _furnish(home: Path, output: Output) -> dict[str, object] | None:
    """Fill a data folder in which nothing has been recorded yet; None for any other."""
    if home.exists() and not all(file.name in UNUSED or file.name.startswith(UNFINISHED) for file in home.iterdir()):
        return None
    _step(output, f"Simulating a workspace to look at in {home}; `--empty` starts without")
    # In a process of its own: what it took to make it up is given back before the service begins.
    command = [sys.executable, "-c", "from assent.cli import main; main()", "simulate", "--json", "--home", str(home)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if ran.returncode:
        why = f"`assent simulate` ended with {ran.returncode}"
        raise Failure(f"the simulated workspace could not be made: {why}; `--empty` starts without", Exit.REFUSED)
    report: dict[str, object] = json_module.loads(ran.stdout)
    return {name: report[name] for name in ("actions", "agents", "days", "approvals", "waiting")}


@contextmanager
def _dashboard_process(base_url: str, port: int) -> Generator[_Dashboard]:
    """The dashboard, starting while we do other things, and gone when we are."""
    command = [sys.executable, "-m", "assent_dashboard", base_url, LOOPBACK, str(port)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield _Dashboard(f"http://{LOOPBACK}:{port}", process)
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def _page_port(dashboard_url: str, given: int | None) -> int:
    """Where the dashboard listens: what is given, else what its address says when that is on this machine."""
    if given is not None:
        return given or free_port()
    parts = urlsplit(dashboard_url)
    return parts.port or DEFAULT_DASHBOARD_PORT if parts.hostname in LOCAL else DEFAULT_DASHBOARD_PORT


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        found: int = probe.getsockname()[1]
        return found


def _check_free(host: str, port: int, option: str) -> None:
    """A taken port is found out before anything is made."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise Failure(
                f"cannot listen on {host}:{port}: {error.strerror}. Is it running already? "
                f"Choose another port with {option}.",
                Exit.USAGE,
            ) from error


AGENT = "sample-agent"
FIRST_ACTION = {"action_type": "deploy", "declared_goal": "Release 1.4.0 of the shop to staging"}


def make_agent_key(client: Client) -> str:
    """The key of the sample agent, made through the public API."""
    return client.create_key("Sample agent", "agent", AGENT).api_key


def first_call(base_url: str, api_key: str) -> str:
    """A line for the shell that makes the first governed action."""
    body = msgspec.json.encode(FIRST_ACTION).decode()
    headers = (f"x-api-key: {api_key}", "content-type: application/json")
    parts = ["curl", "-sS", f"{base_url}/api/actions", *(part for header in headers for part in ("-H", header))]
    return shlex.join([*parts, "-d", body])
