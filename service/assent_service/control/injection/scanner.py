"""The scanner for prompt injections as the service runs it: its engine, what was scanned lately, and threads for long
texts, without holding up the service.

1. What was scanned lately is remembered (`memory`), by text and source.
2. Up to AT_ONCE characters are scanned within the call that brings them, between one request and the next.
3. Up to INLINE characters are scanned within the event loop; that takes less than handing them to a thread and back
   would.
4. More are scanned in a thread of lower priority, one after another, and so is any text where a classifier is asked.
   What waits for that is bounded: a caller beyond MOST_WAITING is told to come back.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar

from assent.contract.problems import Code
from assent_service.base.background import background_pool
from assent_service.base.problem import refuse

if TYPE_CHECKING:
    from assent_analytics.injection import Scan
    from assent_analytics.injection.classifier import Classifier


# The engine, loaded when it is first needed: no start should wait while its rules are read.


class Engine(NamedTuple):
    """`version` names the rules."""

    scan: Callable[[str, str], Scan]
    version: str


@cache
def engine() -> Engine:
    from assent_analytics.injection import VERSION, scan

    return Engine(scan, VERSION)


def is_loaded() -> bool:
    return engine.cache_info().currsize > 0


# What was scanned lately, by what was said and the source: agents say the same again and again. Long texts are not
# remembered.


Found = TypeVar("Found")

LONGEST: Final = 4_000
MOST: Final = 16_384
MOST_CHARACTERS: Final = 2_000_000


class ScanMemory(Generic[Found]):
    """What came of texts, or of JSON as bytes; what was asked for longest ago is forgotten first."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str | bytes, str], Found] = OrderedDict()
        self._characters = 0

    def get(self, said: str | bytes, source: str) -> Found | None:
        key = said, source
        found = self._known.get(key)
        if found is not None:
            self._known.move_to_end(key)
        return found

    def put(self, said: str | bytes, source: str, found: Found) -> None:
        if len(said) > LONGEST or (said, source) in self._known:
            return
        self._known[said, source] = found
        self._characters += len(said)
        while len(self._known) > MOST or self._characters > MOST_CHARACTERS:
            (oldest, _), _ = self._known.popitem(last=False)
            self._characters -= len(oldest)


Result = TypeVar("Result")

AT_ONCE, INLINE = 500, 4_000
"""Characters, of all texts of one request together: read within the call that brings them, where nothing else of the
loop gets a turn between one request and the next; and within the loop."""
MOST_WAITING = 64
CLASSIFIER_SECONDS = 1.0
"""For all texts of one request together."""


log = logging.getLogger("assent.injection")


class Scanner:
    """`name` is that of its thread. A `classifier` is asked beside the rules, and only in that thread: nobody knows how
    long it takes."""

    def __init__(self, name: str, classifier: Classifier | None = None) -> None:
        self._classifier, self._failing = classifier, False
        self._until: float | None = None
        """When the work that is going on has no more time for the classifier."""
        self._pool = background_pool(1, name)
        self.known: ScanMemory[Scan] = ScanMemory()
        self._waiting = 0

    def scan(self, text: str, source: str) -> Scan:
        found = engine().scan(text, source)
        if self._classifier is None:
            return found
        both = self._classifier.joined(found, text, source, self._until)
        failing = self._classifier.failed(both)
        if failing and not self._failing:
            log.warning("of the injection scan, %s", both.findings[-1].says)
        self._failing = failing
        return both

    def remember(self, text: str, source: str, found: Scan) -> None:
        """A scan for which the classifier failed is made again."""
        if self._classifier is None or not self._classifier.failed(found):
            self.known.put(text, source, found)

    @property
    def version(self) -> str:
        """Of the rules, and behind a plus that of the classifier."""
        return engine().version + ("" if self._classifier is None else f"+{self._classifier.version}")

    def reads_at_once(self, size: int) -> bool:
        """Whether texts of `size` characters are short enough to wait for."""
        return size <= AT_ONCE and self._classifier is None and is_loaded()

    async def run(self, size: int, work: Callable[[], Result]) -> Result:
        """What `work` finds in texts of `size` characters. Raises `busy`."""
        if size <= INLINE and self._classifier is None and is_loaded():
            return work()
        loop = asyncio.get_running_loop()
        if size <= INLINE and self._classifier is None:
            return await loop.run_in_executor(self._pool, work)
        if self._waiting >= MOST_WAITING:
            raise refuse(
                Code.BUSY, f"{MOST_WAITING} texts wait to be scanned, which is the most; try again in a moment."
            )
        self._waiting += 1
        try:
            return await loop.run_in_executor(self._pool, self._timed, work)
        finally:
            self._waiting -= 1

    def _timed(self, work: Callable[[], Result]) -> Result:
        """In the thread, which does one thing at a time."""
        if self._classifier is not None:
            self._until = self._classifier.clock() + CLASSIFIER_SECONDS
        return work()

    def prepare(self) -> None:
        """Load the engine beside whatever else goes on. Whoever comes before it is there waits for it in the thread."""
        self._pool.submit(engine)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
