"""Python as a reader of a page has it open: one namespace, blocks that come one after the other, each answered with
what it printed, an exception in one line. `page.py` starts it with the address of a socket."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import sys
import traceback
import warnings
from multiprocessing.connection import Client
from typing import Any


def main(address: str) -> None:
    warnings.simplefilter("error")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with Client(address, "AF_UNIX") as page:
        while True:
            try:
                code, environment, folder, name = page.recv()
            except EOFError:
                return
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(folder)
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                try:
                    exec(compile(code, name, "exec"), namespace)
                except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - as the prompt does, it goes on
                    print(f"{type(error).__name__}: {error}")
                    traceback.print_exc()
            page.send(printed.getvalue())


if __name__ == "__main__":
    main(sys.argv[1])
