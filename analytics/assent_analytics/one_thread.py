"""NumPy's linear algebra on one thread, for statistics that solve many small problems one after the other.

OpenBLAS hands a product of two matrices of a few hundred rows to a thread for each core, and these spin between one
product and the next. Beside other work on two cores, lessons of a million rows took seven times the processor time that
they take on one thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits


@contextmanager
def one_thread() -> Iterator[None]:
    """Within it, or within a function that it decorates, the process's linear algebra has one thread. Of Python's
    threads that are in it at once the first one's leaving gives back what was before: what is left takes longer."""
    with threadpool_limits(1, user_api="blas"):
        yield
