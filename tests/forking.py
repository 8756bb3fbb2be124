"""A process that has the service's modules ready and forks services: `python -m tests.forking`.

Importing them takes two seconds of processor time, and a run of all tests starts hundreds of services. One line of JSON
on standard input starts one (`module`, `environment`, `log`); lines on standard output say its process id (`started`),
and later, for any of them, that it `ended` with which `code`. When standard input ends, so does everything here.

That a service starts from nothing is tested where `assent start` and the first start are.
"""

from __future__ import annotations

import json
import os
import runpy
import select
import signal
import sys
from contextlib import suppress
from typing import Any

SERVICE = ("assent_service.serve", "assent_service.app", "assent_service.injection.engine")
READ = 65_536


def main() -> None:
    for name in SERVICE:
        __import__(name)
    sys.modules["assent_service.injection.engine"].engine()
    request = _requests()
    if request is not None:
        _become(request)


def _requests() -> dict[str, Any] | None:
    """In a forked process what it is to become; None in this one, when there are no more requests."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: set[int] = set()
    waiting = b""
    while True:
        ready, _, _ = select.select([0, woken], [], [])
        if woken in ready:
            os.read(woken, READ)
            _reap(running)
        if 0 in ready:
            said = os.read(0, READ)
            if not said:
                for pid in running:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                return None
            *lines, waiting = (waiting + said).split(b"\n")
            for line in lines:
                pid = os.fork()
                if pid == 0:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    os.close(woken)
                    os.close(wake)
                    request: dict[str, Any] = json.loads(line)
                    return request
                running.add(pid)
                _say({"started": pid})


def _reap(running: set[int]) -> None:
    for pid in tuple(running):
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            running.discard(pid)
            _say({"ended": pid, "code": os.waitstatus_to_exitcode(status)})


def _say(what: dict[str, int]) -> None:
    os.write(1, json.dumps(what).encode() + b"\n")


def _become(request: dict[str, Any]) -> None:
    """This process is the service from here on, as `python -m` would make one."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(nothing, 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(nothing)
    os.close(log)
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv[:] = [request["module"]]
    runpy.run_module(request["module"], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
