"""A real service: `python -m assent_service`, forked as a process of its own on 127.0.0.1, for tests of the whole.

`start_service(home)` waits until the service answers. It can be killed, stopped and started again on the same home.
Everything that it prints goes to `service.log` beside its home and is shown when it does not come up.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from tests import backend
from tests.forked import Forked, services

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = Path(os.environ.get("ASSENT_PUBLISHED_CLIENTS") or ROOT / ".venv" / "published")
"""One folder for each version of the published client; `make published` fills it."""
ADMIN_KEY = "assent_live_service_of_the_tests_0123456789"
SETTINGS = """presence_write_seconds = 3600
head_seconds = 3600
drift_false_alarms = 1e-12
failed_keys_per_minute = 1000000
[signals]
autonomy_spike = {amber = 1000000, red = 1000000}
"""
UNDECLARED = "which its endpoint does not declare"
"""What the service's log says of a code that an endpoint answers and does not declare."""
OVERTAKEN = bool(os.environ.get("OVERTAKEN"))
"""Whether all that a service records is overtaken once: an experiment with any story (`tests.contested`)."""
WAIT = 60.0
"""Seconds after which something hangs; nothing here is expected to take long."""


class StartRefused(Exception):
    """The process ended before it answered; `code` is its exit code, `output` what it printed."""

    def __init__(self, code: int, output: str) -> None:
        super().__init__(f"the service ended with {code} before it answered:\n{output[-3000:]}")
        self.code, self.output = code, output


class LiveService:
    """A running service. `answered_after` is the time in seconds from the start of the process to its first answer."""

    def __init__(self, home: Path, process: Forked, port: int, log: Path) -> None:
        self.home, self.process, self.port, self.log = home, process, port, log
        self.base_url = f"http://127.0.0.1:{port}"
        self.admin_key = ADMIN_KEY
        self.answered_after = 0.0

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    @property
    def output(self) -> str:
        """What the process has printed since it was started."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = ADMIN_KEY,
        headers: Mapping[str, str] | None = None,
        timeout: float = WAIT,
    ) -> tuple[int, dict[str, Any]]:
        """Status and JSON object of one request on a connection of its own. `key` None sends none."""
        sent = {"content-type": "application/json", **({"x-api-key": key} if key else {}), **(headers or {})}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            response = connection.getresponse()
            content: dict[str, Any] = json.loads(response.read())
            return response.status, content
        finally:
            connection.close()

    def kill(self) -> None:
        """SIGKILL: nothing of the process runs any more when this returns."""
        self.process.kill()
        self.process.wait(WAIT)

    def stop(self) -> int:
        """SIGTERM, and the exit code. Harmless when it has ended already. Each code that it has
        answered is one that the endpoint declares."""
        if self.alive:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(WAIT)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        undeclared = [line for line in self.output.splitlines() if UNDECLARED in line]
        assert not undeclared, undeclared
        return code

    def __enter__(self) -> LiveService:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start_service(
    home: Path, *, module: str = "assent_service", wait: float = WAIT, port: int | None = None, **env: str
) -> LiveService:
    """Start the service on `home` and wait for its first answer. `env` is added to its environment, `module` is what
    runs instead of the service itself. Raises StartRefused when it ends instead of answering."""
    port = port or _free_port()
    if not (home / "assent.toml").exists():
        # Who is there is recorded by itself, some seconds later, and so is that an agent does very much: not in the
        # middle of a story that counts events.
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        (home / "assent.toml").write_text(SETTINGS)
    log = home.parent / f"{home.name}.service.log"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
    environment |= {"ASSENT_HOME": str(home), "ASSENT_PORT": str(port), "ASSENT_ADMIN_KEY": ADMIN_KEY}
    environment |= {**backend.environment(home, env), **env}
    if OVERTAKEN and module == "assent_service":
        module = "tests.contested_service"
    process = services().start(module, environment=environment, output=log)
    began = time.monotonic()  # the first one waits until the process that forks it is ready
    service = LiveService(home, process, port, log)
    try:
        _wait_for_answer(service, began + wait)
    except BaseException:
        service.kill()
        raise
    service.answered_after = time.monotonic() - began
    return service


def _wait_for_answer(service: LiveService, deadline: float) -> None:
    while time.monotonic() < deadline:
        if not service.alive:
            raise StartRefused(service.process.wait(WAIT), service.output)
        try:
            status, _ = service.call("GET", "/health", key=None, timeout=WAIT)
        except (OSError, HTTPException):
            time.sleep(0.01)
            continue
        assert status == 200, f"/health answered {status}"
        return
    raise TimeoutError(f"the service did not answer in time; it printed:\n{service.output[-3000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
