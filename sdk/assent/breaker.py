"""A service that does not answer is left alone for a while, by every process of this machine that observes.

    closed      the service is asked
    open        it is not, for 5 s after the first failure, twice as long after each further one, at most a minute
    half-open   one caller asks; if it is answered the breaker closes, else it is open again

Only for who observes: whoever enforces has to ask, and waits for the answer. The state is a small file, so that it
holds for a hook, which is a process of its own for each call; where there can be none, it holds for this process. What
was not observed meanwhile is counted beside it (`assent.tally`), to be told once the service is back. Standard library
only, and as little of it as can be: a hook has no time.
"""

from __future__ import annotations

import os
import time
from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from assent.tally import Tally, Times

FIRST_SECONDS, LONGEST_SECONDS = 5.0, 60.0
PROBE_SECONDS = 1.0
"""For how long one caller may find out; the others go on without asking."""
OBSERVE_SECONDS = 0.3
"""What observing a call may cost, in all."""
UNOBSERVED = "unobserved_calls"
"""The member of an action's metadata that says how many calls before it nobody observed, and when."""
FOLDER_MODE, FILE_MODE = 0o700, 0o600


class Breaker:
    """That of one service, asked with one key, which `key` tells from others. `folder` is this user's own; None keeps
    everything in memory."""

    def __init__(self, folder: str | None, base_url: str, key: str) -> None:
        name = sha256(f"{base_url}\n{key}".encode("utf-8", "surrogatepass")).hexdigest()[:24]
        self._base = None if folder is None else os.path.join(folder, name)  # noqa: PTH118  # pathlib costs too much
        self._state: tuple[int, float] | None = None
        self._missed: list[int] = []

    def allows(self) -> bool:
        """Whether the service may be asked now."""
        state = self._read()
        if state is None:
            return True
        failures, until = state
        now = time.time()
        if until - LONGEST_SECONDS * 2 < now < until:
            return False
        self._write(failures, now + PROBE_SECONDS)
        return True

    def failed(self) -> None:
        """Nobody answered in time."""
        state = self._read()
        failures = 0 if state is None else state[0]
        pause = min(LONGEST_SECONDS, FIRST_SECONDS * 2.0 ** min(failures, 10))
        self._write(failures + 1, time.time() + pause * (0.8 + os.urandom(1)[0] / 640))

    def succeeded(self) -> None:
        """Somebody answered."""
        self._state = None
        if self._base is not None:
            try:
                os.unlink(f"{self._base}.open")  # noqa: PTH108
            except OSError:
                return  # it was closed

    def missed(self) -> None:
        """Count a call that was not observed."""
        tally = self._tally()
        try:
            if tally is None:
                raise OSError
            tally.add()
        except OSError:
            self._missed.append(int(time.time()))

    def take_missed(self) -> Times | None:
        """What was not observed since somebody was told last, for this caller to tell; None for nothing."""
        if not self._missed and (self._base is None or not os.path.exists(f"{self._base}.missed")):  # noqa: PTH110
            return None
        tally = self._tally()
        if tally is None:
            return None
        if self._missed:
            try:
                tally.append(b"".join(b"%011d\n" % second for second in self._missed))
                self._missed.clear()
            except OSError:
                return None
        return tally.take()

    def _tally(self) -> Tally | None:
        if self._base is None:
            return None
        from pathlib import Path

        from assent.tally import Tally

        return Tally(Path(f"{self._base}.missed"))

    def _read(self) -> tuple[int, float] | None:
        if self._base is None or self._state is not None:
            return self._state
        try:
            with open(f"{self._base}.open", encoding="ascii") as stream:  # noqa: PTH123
                failures, until = stream.read(100).split()
            return int(failures), float(until)
        except (OSError, ValueError):
            return None

    def _write(self, failures: int, until: float) -> None:
        if self._base is not None:
            new = f"{self._base}.{os.getpid()}.new"
            try:
                os.makedirs(os.path.dirname(new), FOLDER_MODE, exist_ok=True)  # noqa: PTH103, PTH120
                handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
                with open(handle, "w", encoding="ascii") as stream:  # noqa: PTH123
                    stream.write(f"{failures} {until:.3f}")
                os.replace(new, f"{self._base}.open")  # noqa: PTH105
            except OSError:
                self._state = (failures, until)  # for this process, then
            else:
                self._state = None
            return
        self._state = (failures, until)


def missed_calls(times: Times) -> dict[str, object]:
    """What the next observed action says of the calls before it that nobody saw."""
    return {"count": times.count, "first": times.first, "last": times.last, **({"or_more": True} if times.more else {})}
