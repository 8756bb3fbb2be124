"""Running the service: one process, one worker, bound to loopback unless told otherwise."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import msgspec
import uvicorn

from assent.contract.people.organizations import CreatedOrganization
from assent_service.app import Service, build
from assent_service.connections import Connections, limits_of, raise_files
from assent_service.core.caller import Callers
from assent_service.core.service_log import log_without_secrets
from assent_service.core.settings import Settings, load
from assent_service.protocol import Protocol
from assent_service.telemetry import configured

KEY_FILE = "admin.key"
GRACE_SECONDS = 2
YOUNG_OBJECTS = 20_000
SWITCH_SECONDS = 0.0005
"""How long the event loop waits for a thread that computes to hand over the interpreter; Python's own 5 ms are five
guards."""

log = logging.getLogger("assent.service")


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to say once the service answers. `admin_key` is there only when it was made just now."""

    base_url: str
    home: Path
    admin_key: str | None
    admin_key_file: Path
    new_home: bool


class Server(uvicorn.Server):
    """uvicorn with our protocol, which tells when it answers and ends open streams before it waits for them."""

    def __init__(self, config: uvicorn.Config, service: Service, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._service, self._announce = service, announce
        settings = service.settings
        self._all = Connections(limits_of(settings, raise_files()), Callers(settings.trusted_proxies))
        # uvicorn makes a protocol for each connection, and calls whatever makes one a class.
        config.http = cast("Any", partial(Protocol, connections=self._all, express=service.express))
        self._sweep: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._sweep = asyncio.create_task(self._all.sweep_on())
            _settle_memory()
            self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # A stream never ends by itself; without this a shutdown waits for its grace period.
        self._service.events.stop_all()
        self._service.data.exports.stop_all()
        given_up = asyncio.get_running_loop().call_later(GRACE_SECONDS, self._give_up)
        await super().shutdown(sockets)
        given_up.cancel()
        if self._sweep is not None:
            self._sweep.cancel()
        # A client that never reads would otherwise keep the event loop from closing.
        for connection in tuple(self.server_state.connections):
            if connection.transport is not None:
                connection.transport.abort()
        await asyncio.sleep(0)

    def _give_up(self) -> None:
        """Answer what the log has not taken: uvicorn ends its own requests, and none of the quick way."""
        for connection in tuple(self.server_state.connections):
            if isinstance(connection, Protocol):
                connection.give_up()


def run(
    home: Path | None = None,
    host: str | None = None,
    port: int | None = None,
    *,
    dashboard_url: str | None = None,
    announce: Callable[[Started], None] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM. What is not given comes from the settings.

    Raises `SettingsError`, and what the log raises for a data folder that is in use or damaged.
    """
    settings = load(
        os.environ, home=None if home is None else str(home), host=host, port=port, dashboard_url=dashboard_url
    )
    log_without_secrets(settings.log_level)
    # Whatever this process writes, DuckDB's own files among it, is for its user alone.
    os.umask(0o077)
    # A taken port is found out before the data folder is touched.
    listener = listen(settings)
    created: list[CreatedOrganization] = []

    def keep_key(organization: CreatedOrganization) -> None:
        created.append(organization)
        write_secret(Path(settings.home) / KEY_FILE, organization.api_key)

    try:
        service = build(settings, on_first_start=keep_key, otel=configured(os.environ))
    except BaseException:
        listener.close()
        raise
    serve(
        service,
        listener,
        lambda: announce(_started(settings, listener, created)) if announce is not None else None,
    )


def serve(service: Service, listener: socket.socket, announce: Callable[[], None]) -> None:
    """Serve `service` on `listener` until SIGINT or SIGTERM; `announce` is called once it answers."""
    sys.setswitchinterval(SWITCH_SECONDS)
    config = uvicorn.Config(
        service.app,
        loop="uvloop",
        ws="none",
        lifespan="on",
        log_config=None,  # the server logs as the service does
        log_level=_server_level(service.settings.log_level),
        access_log=False,
        proxy_headers=False,  # whom to believe about where a request comes from is said by the setting trusted_proxies
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        backlog=2048,
    )
    server = Server(config, service, announce)
    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        try:
            runner.run(server.serve(sockets=[listener]))
        finally:
            # Otherwise the interpreter could not take apart at its end what was set aside at the start.
            gc.unfreeze()
    if not server.started:
        raise SystemExit(3)


def _server_level(chosen: str) -> str:
    """How much the server itself says; that it starts and ends is said by us already."""
    return "warning" if chosen.lower() == "info" else chosen.lower()


def _settle_memory() -> None:
    """What was made at the start stays, so the collector need not walk it again and again under load."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, 20, 50)


def listen(settings: Settings) -> socket.socket:
    """The listening socket. Raises OSError naming the address and what to do."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        where = f"{settings.host}:{settings.port}"
        raise OSError(f"Cannot listen on {where}: {error.strerror}. Choose another port with --port.") from error
    listener.set_inheritable(True)
    return listener


def write_secret(file: Path, secret: str) -> None:
    """Write a file that only its owner can read, never readable in between."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as target:
        os.fchmod(descriptor, 0o600)
        target.write(secret + "\n")


def _started(settings: Settings, listener: socket.socket, created: list[CreatedOrganization]) -> Started:
    port = listener.getsockname()[1]
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    home = Path(settings.home)
    # A key that the operator chose is known already and is not repeated.
    minted = created[0].api_key if created and settings.admin_key is None else None
    return Started(
        base_url=f"http://{host}:{port}",
        home=home,
        admin_key=minted,
        admin_key_file=home / KEY_FILE,
        new_home=bool(created),
    )
