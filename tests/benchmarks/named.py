"""Runs a module whose threads have the system's names too: `python named.py MODULE [WORD ...]`.

Python before 3.14 keeps the name of a thread to itself. Who measures a process from outside has to know which of its
threads answers and which one follows.
"""

from __future__ import annotations

import runpy
import sys
import threading
from contextlib import suppress
from pathlib import Path

LONGEST = 15  # bytes of a name that Linux keeps
_run = threading.Thread.run


def _run_named(self: threading.Thread) -> None:
    with suppress(OSError):
        comm = Path(f"/proc/self/task/{threading.get_native_id()}/comm")
        comm.write_text(self.name[:LONGEST], encoding="utf-8")
    _run(self)


if __name__ == "__main__":
    threading.Thread.run = _run_named  # type: ignore[method-assign]
    # The folder of this file has modules of names that others have too.
    sys.path[0] = ""
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
