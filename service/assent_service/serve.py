"""Running the service: one process, one worker, bound to loopback unless told otherwise."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
from collections.abc import Callable
from pathlib import Path

import msgspec
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from assent.contract.organizations import CreatedOrganization
from assent_service.app import Service, build
from assent_service.core.download import ABORT
from assent_service.settings import Settings, load
from assent_service.telemetry import configured

KEY_FILE = "admin.key"
GRACE_SECONDS = 2
YOUNG_OBJECTS = 20_000

log = logging.getLogger("assent.service")


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to say once the service answers. `admin_key` is there only when it was made just now."""

    base_url: str
    home: Path
    admin_key: str | None
    admin_key_file: Path
    new_home: bool


class Protocol(HttpToolsProtocol):
    """uvicorn's protocol, which also tells a request how to drop its connection."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {ABORT: {"call": self.transport.abort}}


class Server(uvicorn.Server):
    """uvicorn, which tells when it answers and ends open streams before it waits for them."""

    def __init__(self, config: uvicorn.Config, service: Service, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._service, self._announce = service, announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            _settle_memory()
            self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # A stream never ends by itself; without this a shutdown waits for its grace period.
        self._service.events.stop_all()
        self._service.data.exports.stop_all()
        await super().shutdown(sockets)
        # A client that never reads would otherwise keep the event loop from closing.
        for connection in tuple(self.server_state.connections):
            if connection.transport is not None:
                connection.transport.abort()
        await asyncio.sleep(0)


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
    logging.basicConfig(level=settings.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    # A taken port is found out before the data folder is touched.
    listener = listen(settings)
    created: list[CreatedOrganization] = []

    def keep_key(organization: CreatedOrganization) -> None:
        created.append(organization)
        write_secret(Path(settings.home) / KEY_FILE, organization.api_key)

    service = build(settings, on_first_start=keep_key, otel=configured(os.environ))
    serve(
        service,
        listener,
        lambda: announce(_started(settings, listener, created)) if announce is not None else None,
    )


def serve(service: Service, listener: socket.socket, announce: Callable[[], None]) -> None:
    """Serve `service` on `listener` until SIGINT or SIGTERM; `announce` is called once it answers."""
    config = uvicorn.Config(
        service.app,
        loop="uvloop",
        http=Protocol,
        ws="none",
        lifespan="on",
        log_level=_server_level(service.settings.log_level),
        access_log=False,
        proxy_headers=False,  # nothing here looks at where a request says it comes from
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
