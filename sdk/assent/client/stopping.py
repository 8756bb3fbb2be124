"""Being stopped from outside: the task was cancelled, the generator closed, the process interrupted or told to end.

That is nobody's failure, and what was begun is `cancelled`. What has to be said then (an outcome, that nobody waits any
more) is said all the same, in `LEAVING` seconds at most; afterwards the stop goes on as it came.

SystemExit with a code that is not 0 says by its own word that something failed, and counts as a failure.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any, TypeVar

from assent.client.on_demand import asyncio
from assent.errors import AssentError
from assent.secrets import displayed

T = TypeVar("T")

LEAVING = 5.0
"""Seconds that may pass between being stopped and going."""
GRACE = 1.0
"""How much longer a task is waited for than its own requests may take."""
LONGEST_WORDS = 4000
_WAITING = frozenset({"httpcore._backends.sync", "socket", "ssl"})
"""Modules whose frames wait on a socket."""
_STOPS: dict[type[BaseException], str] = {
    GeneratorExit: "the generator was closed",
    KeyboardInterrupt: "interrupted from the keyboard",
    SystemExit: "the process was told to end",
}


def stops(error: BaseException) -> bool:
    """Whether this error only says that somebody outside wants an end."""
    if isinstance(error, BaseExceptionGroup):
        return all(stops(each) for each in error.exceptions)
    if isinstance(error, SystemExit):
        return error.code in (None, 0)
    return _is_cancelled(error) or isinstance(error, tuple(_STOPS))


def from_outside(error: BaseException) -> bool:
    """Whether neither the service nor its silence made this end: a stop, or what the caller's own code raised."""
    return not isinstance(error, AssentError)


def raised_by_a_handler(error: BaseException) -> OSError | None:
    """What a signal handler raised while a socket was waited on. It looks like the socket's own error there (an alarm
    often raises TimeoutError), and httpcore makes it one of its own. A socket raises from within; a handler is a frame
    of Python's that the waiting one did not call."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, OSError):
            names = [str(frame.f_globals.get("__name__")) for frame, _ in traceback.walk_tb(inner.__traceback__)]
            if any(each in _WAITING and _is_foreign(then) for each, then in pairwise(names)):
                return inner
        inner = inner.__cause__ or inner.__context__
    return None


def _is_foreign(module: str) -> bool:
    top = module.partition(".")[0]
    return top == "__main__" or (top != "httpcore" and top not in sys.stdlib_module_names)


def words_of(error: BaseException) -> str:
    """The error in words, without what looks like a secret: `CancelledError: the task was cancelled`. An error that
    cannot say what it is, and halves of a sign, must not keep an outcome from being told."""
    try:
        said = str(error) or _of_stop(error)
    except Exception:  # noqa: BLE001 - whatever an error's own words raise
        said = "it has no words"
    whole = f"{type(error).__name__}: {said}".encode("utf-8", "replace").decode()
    return displayed(whole)[:LONGEST_WORDS]


def _is_cancelled(error: BaseException) -> bool:
    """As a task is; where nobody has imported asyncio there are none."""
    return "asyncio" in sys.modules and isinstance(error, asyncio.CancelledError)


def _of_stop(error: BaseException) -> str:
    if _is_cancelled(error):
        return "the task was cancelled"
    return "".join(words for kind, words in _STOPS.items() if isinstance(error, kind))


async def carried_out(
    work: Callable[[], Awaitable[T]], *, stopped: BaseException | None = None, again: bool = False
) -> tuple[T, BaseException | None]:
    """What `work` gives, and what stopped the caller: before (`stopped`) or meanwhile, if anything did. The work goes
    on then, for `LEAVING` seconds and a little. Raises what stopped the caller when there is nothing to give by then,
    and what the work raises where nothing did.

    A loop that ends cancels all that runs in it, the work too. With `again` the work may be done twice, and is then
    begun once more.
    """
    loop = asyncio.get_running_loop()
    end = None if stopped is None else loop.time() + LEAVING + GRACE
    task = _begun(work)
    while not task.done() and (end is None or loop.time() < end):
        try:
            await asyncio.wait({task}, timeout=None if end is None else end - loop.time())
        except asyncio.CancelledError as error:
            stopped, end = stopped or error, end or loop.time() + LEAVING + GRACE
        if again and stopped is not None and task.cancelled():
            task, again = _begun(work), False
    if stopped is not None and (not task.done() or task.cancelled() or task.exception() is not None):
        if task.done() and not task.cancelled():
            stopped.add_note(f"What was under way failed meanwhile: {task.exception()}")
        task.cancel()
        raise stopped
    return task.result(), stopped


def _begun(work: Callable[[], Awaitable[T]]) -> asyncio.Task[T]:
    async def run() -> T:
        return await work()

    task = asyncio.create_task(run())
    task.add_done_callback(_retrieve)
    return task


def _retrieve(task: asyncio.Task[Any]) -> None:
    """Nobody may be there any more to look at its error."""
    if not task.cancelled():
        task.exception()
