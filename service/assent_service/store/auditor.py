"""The service verifies its own log now and then (`audit`), and says in its readiness what it found.

It is work under the interpreter's lock for minutes, so it is done at a lower priority and rests after every few lines,
for longer than they took. What is found wrong is looked at once more before it is told: a body that is being erased at
that moment is neither what it was nor blank. Spoilt trees are a warning, since they are made anew when they are needed;
anything else is a failure. Which files and organizations are concerned is for the service's own log: readiness is open.
"""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Final

from assent.contract.health import Check
from assent.contract.proofs import CheckStatus
from assent_service.core.background import step_back
from assent_service.core.clock import Clock, moment
from assent_service.store.audit import Audit, audit
from assent_service.store.ledger import Ledger

_ASIDE: Final = 0.0005
"""Seconds; the lines before it took about two thirds of that."""
AGAIN: Final = 5.0
"""Seconds before what is wrong is looked at once more."""
FIRST: Final = 0.05
"""Of the time between two verifications; so long after the start the first one comes."""
NAME: Final = "evidence"

log = logging.getLogger("assent.auditor")


class _Closing(Exception):
    """The service ends; what was begun is dropped."""


class Auditor:
    """Verifies the log of `ledger` every `hours`, which are more than 0. `home` is its data folder."""

    def __init__(self, ledger: Ledger, home: Path, clock: Clock, hours: float) -> None:
        self._ledger, self._home, self._clock, self._hours = ledger, home, clock, hours
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="assent-auditor", daemon=True)
        self._found = Check(
            name=NAME, status="pass", detail=f"The whole log is verified every {hours:g} h; not yet since the start."
        )

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End within a moment. Doing so twice, or without a start, is harmless."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()

    def inspect(self) -> Check:
        """What the last verification has found, for the readiness."""
        return self._found

    def verify(self) -> Check:
        """Verify now, in the calling thread."""
        try:
            found = self._audit()
            if not found.ok:
                self._rest(AGAIN)
                found = self._audit()
        except OSError as error:
            log.error("the log could not be verified: %s", error)
            self._found = Check(name=NAME, status="warn", detail=f"The log could not be verified: {error.strerror}.")
        else:
            self._found = self._tell(found)
        return self._found

    def _run(self) -> None:
        step_back()
        seconds = self._hours * 3600
        wait = seconds * FIRST
        while not self._closing.wait(wait):
            try:
                self.verify()
            except _Closing:
                return
            except Exception:
                log.exception("the log could not be verified")
            wait = seconds

    def _audit(self) -> Audit:
        return audit(self._home, end=lambda: self._ledger.log.end, step=lambda: self._rest(_ASIDE))

    def _rest(self, seconds: float) -> None:
        if self._closing.wait(seconds):
            raise _Closing

    def _tell(self, found: Audit) -> Check:
        at = f"{moment(self._clock()):%Y-%m-%d %H:%M:%S} UTC"
        if found.ok:
            return Check(name=NAME, status="pass", detail=f"The whole log was verified at {at}.")
        wrong = [check for check in found.checks if check.status is CheckStatus.FAIL]
        for check in wrong:
            log.error("verifying the log: %s: %s", check.name, check.detail)
        names = ", ".join(check.name for check in wrong)
        return Check(
            name=NAME,
            status="warn" if names == "trees" else "fail",
            detail=f"The verification of {at} found what is not right: {names}. The service's log says what; "
            "`assent log verify` checks the data folder again.",
        )
