"""`python -m tests.mutants [--near] [NAME ...]`: plant each fault, or those named, and see that a test finds it.

What stands near a fault is run first, then, when that finds nothing and without `--near`, the wider tests; each run
ends with the first test that fails. At the end all tests that found something are run without any fault, where they
have to pass. Ends with 1 where a fault is not found.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import NamedTuple

from tests.mutants.copies import Copy, Unusable
from tests.mutants.faults import Fault, NotPlanted, faults

AT_ONCE = 2
NEAR = "--near"
WIDER = (
    "tests/vectors",
    "tests/analytics",
    "tests/service",
    "tests/sdk",
    "tests/dashboard",
    "tests/properties",
    "tests/contract",
    "tests/house",
    "tests/stories",
    "--ignore=tests/dashboard/browser",
)
"""What `make test` has of these."""


class Ending(NamedTuple):
    """What became of a fault: the test that found it, or why none counts."""

    fault: Fault
    seconds: float
    test: str | None = None
    wider: bool = False
    wrong: str | None = None

    def __str__(self) -> str:
        if self.test is None:
            return f"NOT FOUND  {self.fault.name}  {self.seconds:.1f} s  {self.wrong or self.fault.breaks}"
        return f"found  {self.fault.name}  {self.seconds:.1f} s  {'wider: ' if self.wider else ''}{self.test}"


def main(words: Sequence[str]) -> int:
    known, names = faults(), set(words) - {NEAR}
    wider_tests = () if NEAR in words else WIDER
    unknown = sorted(names - {fault.name for fault in known})
    if unknown:
        raise SystemExit(f"There is no fault {', '.join(unknown)}; tests/mutants/faults.toml has them all")
    chosen = [fault for fault in known if not names or fault.name in names]
    began = time.monotonic()
    copies: SimpleQueue[Copy] = SimpleQueue()
    endings: list[Ending] = []
    with Copy() as one, Copy() as other, ThreadPoolExecutor(AT_ONCE) as workers:
        copies.put(one)
        copies.put(other)
        for ending in workers.map(lambda fault: _look(fault, copies, wider_tests), chosen):
            endings.append(ending)
            print(ending, flush=True)
        failing = _failing_anyway(endings, one)
    lost = [ending.fault.name for ending in endings if ending.test is None]
    wider = sum(ending.wider for ending in endings)
    minutes, seconds = divmod(round(time.monotonic() - began), 60)
    print(
        f"{len(endings) - len(lost)} of {len(endings)} found, {wider} of them by wider tests, {minutes}:{seconds:02d}"
    )
    if lost:
        print(f"no test finds: {', '.join(lost)}")
    if failing:
        print(f"these fail without a fault as well, and find nothing: {', '.join(failing)}")
    return 1 if lost or failing else 0


def _look(fault: Fault, copies: SimpleQueue[Copy], wider_tests: Sequence[str]) -> Ending:
    copy = copies.get()
    began = time.monotonic()
    try:
        return _found(fault, copy, wider_tests, began)
    except (NotPlanted, Unusable) as error:
        return Ending(fault, time.monotonic() - began, wrong=str(error))
    finally:
        copy.mend(fault)
        copies.put(copy)


def _found(fault: Fault, copy: Copy, wider_tests: Sequence[str], began: float) -> Ending:
    copy.plant(fault)
    wider = False
    test = copy.run_tests(fault.near)
    if test is None and wider_tests:
        wider, test = True, copy.run_tests(wider_tests)
    if test is not None and copy.run_tests([test]) is None:
        test = None  # it fails now and then, whatever is planted
    return Ending(fault, time.monotonic() - began, test, wider)


def _failing_anyway(endings: Sequence[Ending], copy: Copy) -> list[str]:
    """The tests that found a fault and fail without any, too."""
    tests = {ending.test for ending in endings if ending.test is not None}
    failing = []
    while tests and (test := copy.run_tests(sorted(tests))) is not None:
        failing.append(test)
        tests.discard(test)
    return failing


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
