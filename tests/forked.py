"""Programs that are forked from a process which has their modules ready (`tests/forking.py`), and services so, from one
such process for each process of tests."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FORKING = Path(__file__).with_name("forking.py")
SERVICE = (
    *("assent_service.serve", "assent_service.app", "assent_service.control.injection.scanner:engine"),
    *("polars:DataFrame", "numpy:get_include"),  # which a service loads when somebody uses them
    # And when it starts: for what it asks outside, for its server, and by way of its framework's plugins.
    *("httpcore", "assent_service.core.outside:public_authorities", "uvicorn.lifespan.on", "uvicorn.loops.uvloop"),
    *("litestar.plugins.attrs", "litestar.plugins.pydantic"),
)
COMMAND = ("assent.cli.app", "assent.client.client", "httpx", "httpcore", "pydantic.type_adapter", "rich.progress")
"""What most commands load, with what comes by way of their libraries."""
READY = 120.0
"""Seconds until the process has its modules and answers."""


class Forked:
    """A process that was forked, as `subprocess.Popen` shows one."""

    def __init__(self, pid: int, forks: Forks) -> None:
        self.pid = pid
        self._forks = forks

    @property
    def returncode(self) -> int | None:
        """The exit code, minus the number of a signal; None while nobody has asked and seen it end."""
        return self._forks.codes.get(self.pid)

    def poll(self) -> int | None:
        self._forks.listen(0)
        return self.returncode

    def wait(self, timeout: float) -> int:
        deadline = time.monotonic() + timeout
        while (code := self.returncode) is None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise subprocess.TimeoutExpired(f"forked process {self.pid}", timeout)
            self._forks.listen(min(left, 1.0))
        return code

    def send_signal(self, number: int) -> None:
        """Nothing happens to a process that is known to have ended: its id may be another's by now."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Forks:
    """The process that forks, and the codes of those that have ended. `modules` are what it has ready, `environment` is
    added to what it has while it imports them; a program that it forks has the environment that it is given."""

    def __init__(self, modules: Sequence[str], python: Path = Path(sys.executable), **environment: str) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
        self._process = subprocess.Popen(
            [python, "-P", FORKING, *modules],
            cwd=ROOT,
            env=kept | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.codes: dict[int, int] = {}
        self._started: list[int] = []
        self._waiting = b""
        self._starting, self._listening = threading.Lock(), threading.Lock()
        atexit.register(self.end)

    def start(
        self,
        program: str,
        *words: str,
        environment: Mapping[str, str],
        output: Path,
        errors: Path | None = None,
        directory: Path = ROOT,
    ) -> Forked:
        """`program` is a module, or a script by its whole path. What it says as an error is in its output too, unless
        `errors` is given."""
        request = {
            "program": program,
            "words": words,
            "environment": dict(environment),
            "output": str(output),
            "errors": str(errors or output),
            "directory": str(directory),
        }
        assert self._process.stdin is not None
        with self._starting:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            deadline = time.monotonic() + READY
            while not self._started:
                assert time.monotonic() < deadline, "the process that forks does not answer"
                self.listen(1.0)
            return Forked(self._started.pop(), self)

    def listen(self, seconds: float) -> None:
        """Take in what is said within so many seconds, if anything."""
        assert self._process.stdout is not None
        with self._listening:
            pipe = self._process.stdout.fileno()
            if not select.select([pipe], [], [], seconds)[0]:
                return
            said = os.read(pipe, 65_536)
            assert said, f"the process that forks has ended with {self._process.wait()}"
            *lines, self._waiting = (self._waiting + said).split(b"\n")
            for line in lines:
                self._hear(json.loads(line))

    def _hear(self, said: dict[str, Any]) -> None:
        if "started" in said:
            self.codes.pop(said["started"], None)
            self._started.append(said["started"])
        else:
            self.codes[said["ended"]] = said["code"]

    def end(self) -> None:
        """It ends, and what it has forked with it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@cache
def services() -> Forks:
    """The one of this process of tests that has the service ready."""
    return Forks(SERVICE)
