"""What the process of a notice may not do, rule by rule: the audit hook is asked, and is not put into this process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from assent_service.core.notifier import Confinement, Why, unfit
from tests.tiers import deep

READ, WRITE = os.O_RDONLY | os.O_CLOEXEC, os.O_WRONLY | os.O_CREAT
PUBLIC = "93.184.216.34"


@pytest.fixture
def confined() -> Confinement:
    return Confinement(private=False)


@pytest.fixture
def sockets() -> Iterator[dict[int, socket.socket]]:
    families = (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX)
    made: dict[int, socket.socket] = {family: socket.socket(family) for family in families}
    yield made
    for each in made.values():
        each.close()


@pytest.mark.parametrize("path", [os.__file__, pytest.__file__, os.fsencode(os.__file__), 7, "/usr/share/zoneinfo/UTC"])
def test_what_may_be_read(confined: Confinement, path: object) -> None:
    confined("open", (path, "r", READ))
    assert confined.why is None


@pytest.mark.parametrize(
    ("path", "flags"),
    [
        ("/etc/passwd", READ),
        (b"/etc/passwd", READ),
        (f"{sys.prefix}/../../../../../../etc/passwd", READ),
        ("/proc/self/environ", READ),
        (f"{sys.prefix}-beside/x", READ),
        (f"{sys.prefix}/new", WRITE),
        ("/dev/null", WRITE),
    ],
)
def test_which_files_are_refused(confined: Confinement, path: object, flags: int) -> None:
    with pytest.raises(PermissionError):
        confined("open", (path, None, flags))
    assert confined.why is Why.FILE


@pytest.mark.parametrize(
    "event", ["subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "pty.spawn"]
)
def test_no_program_is_started(confined: Confinement, event: str) -> None:
    with pytest.raises(PermissionError):
        confined(event, ("sh", ["sh"], None, None))
    assert confined.why is Why.PROGRAM


@pytest.mark.parametrize("event", ["socket.connect", "socket.sendto", "socket.sendmsg"])
@pytest.mark.parametrize(
    ("family", "address", "kind"),
    [
        (socket.AF_INET, ("127.0.0.1", 80), "loopback"),
        (socket.AF_INET, ("10.1.2.3", 443), "private"),
        (socket.AF_INET, ("169.254.169.254", 80), "link-local"),
        (socket.AF_INET6, ("::1", 80, 0, 0), "loopback"),
        (socket.AF_INET6, (f"::ffff:{PUBLIC}", 80, 0, 0), "IPv4-mapped"),
        (socket.AF_INET, ("localhost", 80), "unresolved"),
        (socket.AF_UNIX, "/dev/log", "local"),
    ],
)
def test_where_no_connection_goes(
    confined: Confinement, sockets: dict[int, socket.socket], event: str, family: int, address: Any, kind: str
) -> None:
    with pytest.raises(PermissionError):
        confined(event, (sockets[family], address))
    assert (confined.why, confined.kind) == (Why.PRIVATE, kind)


def test_after_a_refused_connection_there_is_no_other(confined: Confinement, sockets: dict[int, socket.socket]) -> None:
    confined("socket.connect", (sockets[socket.AF_INET], (PUBLIC, 443)))
    with pytest.raises(PermissionError):
        confined("socket.connect", (sockets[socket.AF_INET], ("127.0.0.1", 443)))
    with pytest.raises(PermissionError):
        confined("socket.connect", (sockets[socket.AF_INET], (PUBLIC, 443)))


def test_where_private_addresses_are_allowed_local_sockets_are_not(sockets: dict[int, socket.socket]) -> None:
    confined = Confinement(private=True)
    confined("socket.connect", (sockets[socket.AF_INET], ("127.0.0.1", 80)))
    with pytest.raises(PermissionError):
        confined("socket.connect", (sockets[socket.AF_UNIX], "/dev/log"))


QUIET = """
import sys
heard = []
ASKING = ("socket.connect", "socket.get", "socket.send", "subprocess.", "os.system", "os.exec", "urllib.")
def hear(event, arguments):
    if event.startswith(ASKING):
        heard.append(event)
    if event == "open" and arguments[2] & 3:
        heard.append(f"{event} {arguments[0]}")
sys.addaudithook(hear)
import apprise
made = apprise.Apprise.instantiate("slack://TokenA12B/TokenB12C/abcdefghijklmnopqrstuvwx/#ops")
assert made is not None
print(heard)
"""


@deep("it starts a process")
def test_apprise_asks_nobody_on_the_network_at_its_import() -> None:
    done = subprocess.run([sys.executable, "-B", "-c", QUIET], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr


def plugin(**members: Any) -> SimpleNamespace:
    usual = {"templates": ("{schema}://{host}/",), "secure_protocol": "jsons", "schema": "jsons"}
    return SimpleNamespace(**usual | {"verify_certificate": True} | members)


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({}, None),
        ({"secure_protocol": ("a", "jsons")}, None),
        ({"schema": "json"}, Why.PLAIN),
        ({"secure_protocol": None}, Why.PLAIN),
        ({"verify_certificate": False}, Why.UNVERIFIED),
        ({"templates": ("{schema}://", "{schema}://{facility}")}, Why.LOCAL),
    ],
)
def test_which_services_are_fit(members: dict[str, Any], why: Why | None) -> None:
    assert unfit(plugin(**members), private=False) is why
    assert unfit(plugin(**members), private=True) is (why if why is Why.LOCAL else None)
