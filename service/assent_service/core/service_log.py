"""What the service's process says of itself: through one formatter, without the settings' secrets.

It stands alone since the root logger and the interpreter keep what is set here to their very end: whatever this module
imports lives as long, and DuckDB complains of objects that outlive it.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from types import TracebackType

from assent.secrets.own_values import without_own


class Discreet(logging.Formatter):
    """Lines, and traces below them, in which none of the settings' secrets stands, whoever logs it."""

    def format(self, record: logging.LogRecord) -> str:
        return without_own(super().format(record))


def log_without_secrets(level: str) -> None:
    """Everything that this process says of itself goes to standard error, through one formatter: its own log, the
    server's, and the trace of an exception that nobody caught, in any thread."""
    handler = logging.StreamHandler()
    handler.setFormatter(Discreet("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler])

    def of_program(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        sys.stderr.write(without_own("".join(traceback.format_exception(kind, error, trace))))

    def of_thread(ended: threading.ExceptHookArgs) -> None:
        if ended.exc_value is not None and ended.exc_type is not SystemExit:
            of_program(ended.exc_type, ended.exc_value, ended.exc_traceback)

    sys.excepthook, threading.excepthook = of_program, of_thread
