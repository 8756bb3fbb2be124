"""Exports under way: a few at a time, each in a thread of its own, none of them in the way of guard.

A thread goes through the rows, encodes them and writes into a bounded pipe, whose other end the connection takes from.
It runs at a lower priority than the rest of the service, so that guard gets the processor first. It gives its cursor
and its place back when it is through, when the reader leaves or stalls, when the tables have to be opened anew, and
when the service stops; nobody has to wait for a reader then.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from functools import partial

from assent.contract.analysis.data import MEDIA_TYPES
from assent.contract.problems import Code
from assent_service.analysis.data.choice import DataSelection, rows_of
from assent_service.analysis.data.formats import Encoding, Sink
from assent_service.analysis.data.pipe import Pipe
from assent_service.base.background import background_pool
from assent_service.base.pace import Pace
from assent_service.base.problem import Refusal, refuse
from assent_service.core.stream import ByteStream, Interrupted
from assent_service.store.ledger import Ledger

AT_ONCE = 4
PATIENCE = 30.0
ON_THE_WAY = 2 << 20
"""Bytes of one export that wait for its reader."""
BATCH_ROWS = 8_000
BATCH_BYTES = 256 << 20
"""What a batch may hold at most, by the organization's largest event: metadata may have megabytes, and neither memory
nor Arrow's texts (2 GB in a batch) have room for thousands of those."""

log = logging.getLogger("assent.data")


class Exports:
    """`at_once` exports at most; a reader that takes nothing for `patience` seconds is cut off."""

    def __init__(
        self, ledger: Ledger, *, at_once: int = AT_ONCE, patience: float = PATIENCE, on_the_way: int = ON_THE_WAY
    ) -> None:
        self._ledger = ledger
        self._at_once, self._patience, self._on_the_way = at_once, patience, on_the_way
        self._pool = background_pool(at_once, "assent-export")
        self._running: set[Pipe] = set()
        self._closing = False

    @property
    def running(self) -> int:
        """How many threads are at work."""
        return len(self._running)

    async def open(
        self, choice: DataSelection, facts: Mapping[str, str], headers: tuple[tuple[bytes, bytes], ...]
    ) -> ByteStream:
        """The answer, once its first piece is there: what keeps a table from being read is a problem document until
        then. The tables have to have caught up. Raises `busy` and `projection_behind`."""
        if self._closing:
            raise refuse(Code.BUSY, "The service is stopping and begins no more tables; try again soon.")
        if len(self._running) >= self._at_once:
            raise refuse(
                Code.BUSY,
                f"{self._at_once} tables are being streamed, which is the most at once; try again in a moment.",
            )
        pipe = Pipe(self._on_the_way)
        self._running.add(pipe)
        loop = asyncio.get_running_loop()
        self._pool.submit(self._work, choice, facts, pipe, partial(_tell, loop, self._running.discard, pipe))
        try:
            first = await pipe.take()
        except Interrupted as error:
            raise refuse(Code.PROJECTION_BEHIND, f"The table could not be begun: {error}. Try again.") from error
        except BaseException:
            pipe.cut("it was given up before it began")
            raise
        media_type = MEDIA_TYPES[choice.format].encode()
        return ByteStream(
            chunks=_chunks(pipe, first),
            stop=partial(pipe.cut, "the reader is gone"),
            stopped=pipe.over,
            headers=((b"content-type", media_type), *headers),
            patience=self._patience,
        )

    def stop_all(self) -> None:
        """Cut every export and begin no more. Harmless when called again."""
        self._closing = True
        for pipe in tuple(self._running):
            pipe.cut("the service is stopping")

    def close(self) -> None:
        """After `stop_all`: wait for the threads, which is short."""
        self._pool.shutdown(wait=True)

    def _work(self, choice: DataSelection, facts: Mapping[str, str], pipe: Pipe, leave: Callable[[], None]) -> None:
        sink = Sink(pipe.write)
        try:
            self._write(choice, facts, pipe, sink)
        except (Interrupted, Refusal) as error:
            sink.mute()
            pipe.end(error)
        except BaseException as error:
            sink.mute()
            # Told here, with its place; whoever reads gets it too.
            log.exception("exporting %s failed", choice.dataset.name)
            pipe.end(error)
        else:
            pipe.end()
        finally:
            leave()

    def _write(self, choice: DataSelection, facts: Mapping[str, str], pipe: Pipe, sink: Sink) -> None:
        recall = partial(pipe.cut, "the tables are being opened anew")
        rows = self._batch_rows(choice)
        with self._ledger.scan(rows_of(choice), choice.rows.parameters, rows=rows, recall=recall) as found:
            encoding = Encoding(choice.format, sink, found.schema, facts)
            try:
                pace = Pace(lambda: self._ledger.head, self._ledger.lag.seconds)
                for batch in found:
                    encoding.write(batch)
                    time.sleep(pace.rest())
                    pace.resume()
            except BaseException:
                sink.mute()
                raise
        encoding.close()

    def _batch_rows(self, choice: DataSelection) -> int:
        """No row is much larger than the event that made or changed it, and the events' lengths are found at once."""
        organization = choice.rows.parameters[:1]
        ((longest,),) = self._ledger.read_now("SELECT max(length) FROM events WHERE org_id = ?", organization)
        return max(1, min(BATCH_ROWS, BATCH_BYTES // max(1, int(str(longest or 0)))))


async def _chunks(pipe: Pipe, first: bytes | None) -> AsyncGenerator[bytes, None]:
    piece = first
    while piece is not None:
        yield piece
        piece = await pipe.take()


def _tell(loop: asyncio.AbstractEventLoop, what: Callable[[Pipe], None], pipe: Pipe) -> None:
    """Have the loop do something, unless it is gone."""
    try:
        loop.call_soon_threadsafe(what, pipe)
    except RuntimeError:
        log.debug("the loop was closed before an export had ended")
