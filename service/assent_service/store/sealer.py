"""Sealing finished segments, in the background.

A finished segment is read in full before it is sealed. That is work under the interpreter's lock, so the
thread steps aside after every few lines, for longer than they took; when the log is being closed it does not.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from threading import Event as Flag
from threading import Thread
from typing import Final

from assent_service.store.failures import LogDamaged, LogError, ReadOnly
from assent_service.store.files import Files
from assent_service.store.segments import Seal, segment_path, verify, write_seal

_ASIDE: Final = 0.0005
logger = logging.getLogger(__name__)


class Sealer:
    """Seals what `add` is given, one after the other. `broken` is told, once per segment, when one is not
    right.

    A seal that cannot be written (no space) is left out, with a warning: the next start verifies that segment
    and seals it.
    """

    def __init__(self, folder: Path, files: Files, broken: Callable[[ReadOnly], None]) -> None:
        self._folder, self._files, self._broken = folder, files, broken
        self._queue: SimpleQueue[int | None] = SimpleQueue()
        self._closing = Flag()
        self._thread = Thread(target=self._run, name="assent-log-sealer", daemon=True)
        self._thread.start()

    def add(self, segment: int) -> None:
        self._queue.put(segment)

    def close(self) -> None:
        """Seal what is left, and end."""
        self._closing.set()
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (segment := self._queue.get()) is not None:
            try:
                seal = verify(self._folder, segment, step=lambda _: self._closing.wait(_ASIDE)).seal
            except LogDamaged as bad:
                place = f"{bad.file}, line {bad.line}, byte {bad.offset}"
                reason = f"a finished segment is damaged, expected {bad.expected}, found {bad.found}"
                self._broken(ReadOnly(reason, place))
            except (OSError, LogError) as error:
                path = segment_path(self._folder, segment)
                self._broken(ReadOnly(f"a finished segment cannot be read: {error}", str(path)))
            else:
                self._seal(seal)

    def _seal(self, seal: Seal) -> None:
        try:
            write_seal(self._folder, seal, self._files)
        except OSError as error:
            logger.warning("segment %d stays unsealed until the next start: %s", seal.first_seq, error)
