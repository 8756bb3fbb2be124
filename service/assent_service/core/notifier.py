"""`python -m assent_service.core.notifier`: sends one message by apprise, or looks at an address, and ends.

The service starts it for each message. An admin gives the address, which can ask apprise for more than a message: to
read a file for its text, to speak to a desktop, to run a program, to connect to the network behind the service. So
nothing of that is possible here, whatever an address says:

- a connection goes to a public address only (`core.addresses`), looked at as it is made, so no name leads elsewhere
  between the look and the connection. After one that was refused there is no other;
- files are only read, and only those of Python itself, of what is installed, of time zones and of certificates;
- no other program is started, and no redirect is followed.

These are rules for data and no prison for code: apprise is trusted, and what it is told is not. What it or a receiver
says is dropped, since either may repeat the address: the answer has a number and a word of `Why`.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from assent.contract.prepared import prepared
from assent_service.core.addresses import refusal

NICENESS = 10
READABLE = (sys.prefix, sys.base_prefix, "/usr/share/zoneinfo", "/etc/localtime", "/etc/ssl", "/etc/pki", "/dev/null")
PROGRAMS = ("subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.startfile", "pty.spawn")
SENDING = ("socket.connect", "socket.sendto", "socket.sendmsg")


class Why(StrEnum):
    """What went wrong."""

    UNKNOWN = "unknown"
    LOCAL = "local"
    PLAIN = "plain"
    UNVERIFIED = "unverified"
    PRIVATE = "private"
    FILE = "file"
    PROGRAM = "program"
    FAILED = "failed"


class NotifierRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`private` allows addresses that are not public, and no TLS. Without `title` the address is only looked at."""

    address: str
    private: bool = False
    title: str = ""
    body: str = ""
    urgent: bool = False


class NotifierReply(msgspec.Struct, kw_only=True):
    """`why` is None where all went well. `status` and `retry_after` are those of the first answer over HTTP that was
    not 2xx, else of the last one. `host` and `port` are those of an address that names them."""

    why: Why | None = None
    status: int | None = None
    retry_after: str | None = None
    kind: str | None = None
    host: str | None = None
    port: int | None = None


class Confinement:
    """An audit hook of Python. `why` and `kind` are of what was refused first."""

    def __init__(self, *, private: bool) -> None:
        self._private = private
        self.why: Why | None = None
        self.kind: str | None = None

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            self._open(*arguments)
        elif event in SENDING:
            self._connect(arguments[0], arguments[-1])
        elif event.startswith(PROGRAMS):
            self._refuse(Why.PROGRAM)

    def _open(self, path: object, _: object, flags: int) -> None:
        if not isinstance(path, str | bytes | os.PathLike):
            return  # what is open already
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND):
            self._refuse(Why.FILE)
        real = Path(os.path.realpath(os.fsdecode(path)))
        if not any(real.is_relative_to(os.path.realpath(each)) for each in READABLE):
            self._refuse(Why.FILE)

    def _connect(self, opened: socket.socket, address: Any) -> None:
        if self.why is Why.PRIVATE:
            self._refuse(Why.PRIVATE)
        if opened.family not in (socket.AF_INET, socket.AF_INET6) or not isinstance(address, tuple):
            self._refuse(Why.PRIVATE, "local")
        if self._private:
            return
        try:
            kind = refusal(str(address[0]))
        except ValueError:  # a name, that would be looked up out of sight
            kind = "unresolved"
        if kind is not None:
            self._refuse(Why.PRIVATE, kind)

    def _refuse(self, why: Why, kind: str | None = None) -> None:
        if self.why is None:
            self.why, self.kind = why, kind
        raise PermissionError(f"refused: {why}")


def run(order: NotifierRequest) -> NotifierReply:
    """What came of it."""
    import apprise
    import requests

    told = NotifierReply()
    send = requests.adapters.HTTPAdapter.send

    def noting(adapter: Any, request: Any, *args: Any, **options: Any) -> Any:
        response = send(adapter, request, *args, **options)
        if told.status is None or told.status < 300:
            told.status, told.retry_after = response.status_code, response.headers.get("retry-after")
        return response

    requests.adapters.HTTPAdapter.send = noting  # type: ignore[method-assign, assignment]
    confinement = Confinement(private=order.private)
    sys.addaudithook(confinement)
    asset = apprise.AppriseAsset(
        app_id="Assent",
        app_desc="Assent",
        app_url="",
        http_redirects=False,
        storage_mode=apprise.PersistentStoreMode.MEMORY,
    )
    plugin: Any = apprise.Apprise.instantiate(order.address, asset=asset)
    if plugin is None:
        told.why = confinement.why or Why.UNKNOWN
        return told
    told.why = unfit(plugin, private=order.private)
    if told.why is not None:
        return told
    plugin.redirects = False
    if not order.title:
        if any("{host}" in template for template in plugin.templates):
            told.host, told.port = plugin.host or None, plugin.port
        return told
    kind = apprise.NotifyType.FAILURE if order.urgent else apprise.NotifyType.WARNING
    if not plugin.notify(body=order.body, title=order.title, notify_type=kind):
        told.why, told.kind = confinement.why or Why.FAILED, confinement.kind
    return told


def unfit(plugin: Any, *, private: bool) -> Why | None:
    """Why a message may not go this way."""
    if any(template == "{schema}://" for template in plugin.templates):
        return Why.LOCAL
    if private:
        return None
    secure = plugin.secure_protocol or ()
    if plugin.schema not in ((secure,) if isinstance(secure, str) else secure):
        return Why.PLAIN
    return None if plugin.verify_certificate else Why.UNVERIFIED


def main() -> None:
    os.nice(NICENESS)
    logging.disable(logging.CRITICAL)
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=prepared(NotifierRequest))
    out = sys.stdout.buffer
    sys.stdout = sys.stderr
    try:
        told = run(order)
    except Exception:  # noqa: BLE001 - whatever apprise does with an address, its text may hold it
        told = NotifierReply(why=Why.FAILED)
    out.write(msgspec.json.encode(told))
    out.flush()


if __name__ == "__main__":
    main()
