"""The service verifies its own log now and then (`audit`), and says in its readiness what it found.

Sealed segments are not read when the service starts. So right after a start each one's bytes are hashed and held
against its seal, which finds an edit of a file within about a minute (SEALED_WITHIN; a slower disk takes its own time).
A segment that is not its seal's is verified with everything else at once: erased lines change its bytes, too.

It is work under the interpreter's lock for minutes, so it is done at a lower priority and rests after every few lines,
for longer than they took. What is found wrong is looked at once more before it is told: a body that is being erased at
that moment is neither what it was nor blank. Spoilt trees are a warning, since they are made anew when they are needed;
anything else is a failure. Which files and organizations are concerned is for the service's own log: readiness is open.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from assent.contract.evidence.proofs import CheckStatus
from assent.contract.health import Check
from assent_service.base.background import step_back
from assent_service.base.clock import Clock, moment
from assent_service.store.audit import Audit, audit
from assent_service.store.failures import LogDamaged
from assent_service.store.ledger import Ledger
from assent_service.store.segments import Seal, list_folder, read_seal, segment_path

_ASIDE: Final = 0.0005
"""Seconds; the lines before it took about two thirds of that."""
AGAIN: Final = 5.0
"""Seconds before what is wrong is looked at once more."""
FIRST: Final = 0.05
"""Of the time between two verifications; so long after the start the first one comes."""
SEALED_WITHIN: Final = 60.0
"""Seconds that comparing all sealed segments with their seals may take, with the rests that it takes on the way."""
BLOCK: Final = 1 << 20
"""Bytes that are hashed before a rest, without the interpreter's lock."""
NAME: Final = "evidence"

log = logging.getLogger("assent.auditor")


class _Closing(Exception):
    """The service ends; what was begun is dropped."""


class Auditor:
    """Compares the log of `ledger` with its seals at the start, and verifies it every `hours`; 0: never. `home` is its
    data folder."""

    def __init__(self, ledger: Ledger, home: Path, clock: Clock, hours: float) -> None:
        self._ledger, self._home, self._clock, self._hours = ledger, home, clock, hours
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="assent-auditor", daemon=True)
        self._found = self._outlook("not yet since the start")

    def _outlook(self, so_far: str) -> Check:
        when = f"The whole log is verified every {self._hours:g} h" if self._hours else "The whole log is not verified"
        return Check(name=NAME, status="pass", detail=f"{when}; {so_far}.")

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

    def compare_seals(self) -> Check:
        """Hold every sealed segment's bytes against its seal, in the calling thread; verify everything at once where
        one differs."""
        folder = self._home / "log"
        try:
            sealed = [self._seal(folder, segment) for segment in list_folder(folder).seals]
            if all(seal is not None for seal in sealed) and self._as_sealed(folder, [s for s in sealed if s]):
                self._found = self._outlook(f"its {len(sealed)} sealed segments are what their seals say")
                return self._found
        except OSError as error:
            log.error("the sealed segments could not be read: %s", error)
            self._found = Check(name=NAME, status="warn", detail=f"The log could not be read: {error.strerror}.")
            return self._found
        log.warning("a sealed segment is not what its seal says: the whole log is verified now")
        return self.verify()

    def _seal(self, folder: Path, segment: int) -> Seal | None:
        try:
            return read_seal(folder, segment)
        except LogDamaged:
            return None

    def _as_sealed(self, folder: Path, seals: Sequence[Seal]) -> bool:
        """Whether each file is as long as its seal says and hashes to what it says. Rests after each block as long as
        that took, and shorter where SEALED_WITHIN would be exceeded."""
        end, left = time.monotonic() + SEALED_WITHIN, sum(seal.bytes for seal in seals)
        # The newest first: what an editor wants to change is seldom old.
        for seal in sorted(seals, key=lambda seal: -seal.first_seq):
            digest, read = sha256(), 0
            with segment_path(folder, seal.first_seq).open("rb") as file:
                while True:
                    began = time.monotonic()
                    block = file.read(BLOCK)
                    if not block:
                        break
                    digest.update(block)
                    read += len(block)
                    left -= len(block)
                    now = time.monotonic()
                    spare = end - now - left / len(block) * (now - began)
                    self._rest(max(0.0, min(now - began, spare)))
            if (read, digest.hexdigest()) != (seal.bytes, seal.sha256):
                return False
        return True

    def _run(self) -> None:
        step_back()
        try:
            self.compare_seals()
        except _Closing:
            return
        except Exception:
            log.exception("the sealed segments could not be compared with their seals")
        if not self._hours:
            return
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
