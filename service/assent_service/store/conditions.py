"""What an append rests on, so that it is *overtaken* and not recorded where somebody else changed that first.

A decision is made on what is folded, and recorded a moment later. Each submission says what it rests on, as conditions:
a fence's name, and the event up to which everything was folded when the decision began to read. And it says which names
its own events move. A log with several writers records it only while nobody moved one of those names after that event;
a log that is a folder of one process finds every condition true.

- `EntityLocks.hold` puts the names held into HELD, and the ledger's `append` takes them from there: they are conditions
  and moves alike, and no place where something is appended has to name them.
- Within a request (ATTEMPT), everything that is appended rests on the rules of its organization, too, and on those of
  the organization whose key it came with: `rules:{org}`, moved by every event that a memory folds that says
  `rules = True` (policies, risk templates, plans of triage, the kill switch, keys, identities, allowed texts,
  erasures). The request has read them since it was authenticated.
- What memory has counted before it is recorded, such as places of a rate limit, is its process's `own`: only what other
  processes moved overtakes it.

Who is overtaken is run again, from the door or by whoever works in the background (`Ledger.run_again`). `once` keeps
what an earlier run has done outside, or recorded already.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from contextvars import Context, ContextVar, copy_context
from typing import TypeVar, cast

from msgspec import Struct

T = TypeVar("T")


class Condition(Struct, frozen=True, gc=False):
    """Nobody moved the fence `name` after event `after`. With `own`, moves by the same process do not count."""

    name: str
    after: int
    own: bool = False


class Overtaken(Exception):  # what happened, no mistake
    """Not recorded, since event `seq` moved what it rests on. Whoever appended looks again; no client hears of it."""

    def __init__(self, seq: int) -> None:
        super().__init__(f"overtaken by event {seq}")
        self.seq = seq


class Attempt:
    """A request under way: `after` is the last event that was folded when it was authenticated, for the run that goes
    on; `org_id` whose key it came with; `kept` is what `once` did in any of its runs, and in which."""

    __slots__ = ("after", "kept", "org_id", "run")

    def __init__(self, after: int) -> None:
        self.after, self.run = after, 1
        self.org_id: str | None = None
        self.kept: dict[Hashable, tuple[int, object]] = {}

    def begin_again(self, after: int) -> None:
        self.after, self.run = after, self.run + 1


HELD: ContextVar[tuple[Condition, ...]] = ContextVar("assent_held", default=())
ATTEMPT: ContextVar[Attempt | None] = ContextVar("assent_attempt", default=None)


def rules_of(org_id: str) -> str:
    """The name that every change of an organization's rules moves."""
    return f"rules:{org_id}"


async def once(key: Hashable, work: Callable[[], Awaitable[T]]) -> T:
    """What `work` answers; when a request runs again, what it answered under this key in an earlier run. What it raises
    is not kept."""
    attempt = ATTEMPT.get()
    if attempt is None:
        return await work()
    run, answer = attempt.kept.get(key, (attempt.run, None))
    if run < attempt.run:
        return cast("T", answer)
    done = await work()
    attempt.kept[key] = (attempt.run, done)
    return done


def apart() -> Context:
    """The context for a task that a request begins and that outlives it: it rests on nothing that the request held."""
    context = copy_context()
    context.run(HELD.set, ())
    context.run(ATTEMPT.set, None)
    return context
