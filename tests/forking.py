"""A process that has modules ready and forks what needs them: `python forking.py MODULE MODULE:FUNCTION ...`.

They are imported in that order, and the functions called. Importing the service takes two seconds of processor time,
and a run of all tests starts hundreds of services. One line of JSON on standard input starts a program: `program`, a
module or the path of a script, its `words`, `environment` and `directory`, and the files for its `output` and `errors`.
Lines on standard output say its process id (`started`), and later, for any of them, that it `ended` with which `code`.
When standard input ends, so does everything here.

It runs in other environments than that of the tests too, so it needs nothing but Python.
That a service starts from nothing is tested where `assent start` and the first start are.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

READ = 65_536


def main() -> None:
    for each in sys.argv[1:]:
        name, _, function = each.partition(":")
        module = importlib.import_module(name)
        if function:
            getattr(module, function)()
    # What is ready stays: no collection of garbage in what is forked need look through it, and copy it by doing so.
    gc.collect()
    gc.freeze()
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
    """This process is the program from here on, as `python -m module` or `python script` would make one."""
    # What is frozen to the very end is reported as leaked.
    atexit.register(gc.unfreeze)
    os.chdir(request["directory"])
    _put(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in ((1, "output"), (2, "errors")):
        _put(os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND), number)
    os.environ.clear()
    os.environ.update(request["environment"])
    program = request["program"]
    sys.argv[:] = [program, *request["words"]]
    if Path(program).is_absolute():
        sys.path.insert(0, str(Path(program).parent))
        runpy.run_path(program, run_name="__main__")
    else:
        sys.path.insert(0, request["directory"])
        runpy.run_module(program, run_name="__main__", alter_sys=True)


def _put(file: int, number: int) -> None:
    os.dup2(file, number)
    os.close(file)


if __name__ == "__main__":
    main()
