"""Whether a history of calls is linearizable: whether each call can be given a moment between its invocation and its
return so that, one after the other, all of them answer as they did.

    calls = [Call(0.0, 2.0, ("write", 1)), Call(1.0, 3.0, ("read", 1)), Call(4.0, 5.0, ("read", None))]
    assert explain(calls, register, None) is not None      # the last one has read what was overwritten

The search is that of Wing and Gong (Testing and Verifying Concurrent Objects, 1993), with Lowe's memory of what was
tried (Testing for linearizability, 2017): a set of calls that were given their moment and the state after them is
looked at once. A history of several keys is searched key by key, since a history is linearizable when each object's is
(Herlihy and Wing, 1990).

A call whose return nobody saw has `returned` infinite: it may have its moment at any time after its invocation, and
also never. A call that changes nothing in any state (READS) is given its moment as soon as its answer is right: that
takes away no other order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Final, NamedTuple

NEVER: Final = math.inf
"""When a call returned whose return nobody saw."""
READS: Final = frozenset({"read", "set", "decided", "claimed", "unclaimable"})
MOST: Final = 100_000
"""States that are looked at before the search gives up."""


class Call(NamedTuple):
    """`operation` is what a model understands; `told` names the call for who reads what is wrong."""

    invoked: float
    returned: float
    operation: tuple[str, Hashable]
    told: str = ""


class Impossible:
    """What a model answers for an operation that cannot come to what it came to in this state."""


IMPOSSIBLE: Final = Impossible()
State = Hashable
Model = Callable[[State, tuple[str, Hashable]], "State | Impossible"]
"""The state after an operation, IMPOSSIBLE where it would have come to something else."""


class Undecided(Exception):
    """The search gave up."""


def explain(calls: Sequence[Call], model: Model, initial: State, most: int = MOST) -> str | None:
    """None for a linearizable history; for another one what could not be placed, in words. Raises Undecided."""
    ordered = sorted(calls, key=lambda call: call.invoked)
    due = sum(1 << at for at, call in enumerate(ordered) if call.returned != NEVER)
    seen: set[tuple[int, State]] = set()
    waiting: list[tuple[int, State]] = [(0, initial)]
    furthest, stuck = 0, initial
    while waiting:
        placed, state = _settled(ordered, model, *waiting.pop())
        if placed & due == due:
            return None
        if (placed, state) in seen:
            continue
        seen.add((placed, state))
        if len(seen) > most:
            raise Undecided(f"{len(ordered)} calls have too many orders")
        if placed.bit_count() >= furthest.bit_count():
            furthest, stuck = placed, state
        # The one that returned first is tried first, so it goes last on the stack.
        following = sorted(_possible(ordered, placed), key=lambda at: ordered[at].returned, reverse=True)
        for at in following:
            after = model(state, ordered[at].operation)
            if not isinstance(after, Impossible):
                waiting.append((placed | 1 << at, after))
    left = [ordered[at] for at in _possible(ordered, furthest)]
    return f"in state {stuck!r}, after {furthest.bit_count()} of {len(ordered)} calls, none of these can be next: " + (
        "; ".join(f"{call.operation} {call.told}".strip() for call in left[:6])
    )


def _possible(ordered: Sequence[Call], placed: int) -> list[int]:
    """Those that may be next: they were invoked before any other one that is left has returned."""
    found: list[int] = []
    first_return = NEVER
    # All before the lowest bit that is not set are placed.
    at = (~placed & (placed + 1)).bit_length() - 1
    while at < len(ordered) and ordered[at].invoked <= first_return:
        if not placed >> at & 1:
            found.append(at)
            first_return = min(first_return, ordered[at].returned)
        at += 1
    return found


def _settled(ordered: Sequence[Call], model: Model, placed: int, state: State) -> tuple[int, State]:
    """With those reads placed that may be next."""
    while True:
        more = 0
        for at in _possible(ordered, placed):
            if ordered[at].operation[0] in READS and not isinstance(model(state, ordered[at].operation), Impossible):
                more |= 1 << at
        if not more:
            return placed, state
        placed |= more


# Models


def register(state: State, operation: tuple[str, Hashable]) -> State | Impossible:
    """`write` a value, `read` it; `set` is a read that tells only whether there is one."""
    what, value = operation
    match what:
        case "write":
            return value
        case "read":
            return state if state == value else IMPOSSIBLE
        case "set":
            return state if (state is not None) == value else IMPOSSIBLE
        case _:
            raise ValueError(f"no operation of a register: {what}")


def counter(state: State, operation: tuple[str, Hashable]) -> State | Impossible:
    """A version that each change raises by one: `raise` with what it became, None where nobody saw it; `read`."""
    assert isinstance(state, int)
    what, value = operation
    match what:
        case "raise":
            return state + 1 if value in (None, state + 1) else IMPOSSIBLE
        case "read":
            return state if state == value else IMPOSSIBLE
        case _:
            raise ValueError(f"no operation of a counter: {what}")


WAITS: Final = "pending_approval"
ALLOWED, DENIED = "running", "cancelled"


def approval(state: State, operation: tuple[str, Hashable]) -> State | Impossible:
    """What waits for a person, and is used once: the state is its status, and who has claimed it.

    `decide` was answered with this status, `decided` said that somebody was first; `try` may have decided so. `claim`
    was answered, `claimed` said that somebody has it, `unclaimable` that nobody may; `grab` may have claimed it. `read`
    is the status that was seen.
    """
    assert isinstance(state, tuple)
    status, holder = state
    what, value = operation
    match what:
        case "decide":
            return (value, None) if status == WAITS else IMPOSSIBLE
        case "decided":
            return IMPOSSIBLE if status == WAITS else state
        case "try":
            return (value, None) if status == WAITS else state
        case "claim":
            return (status, value) if status == ALLOWED and holder is None else IMPOSSIBLE
        case "grab":
            return (status, value) if status == ALLOWED and holder is None else state
        case "claimed":
            return state if holder is not None else IMPOSSIBLE
        case "unclaimable":
            return state if status != ALLOWED else IMPOSSIBLE
        case "read":
            return state if status == value else IMPOSSIBLE
        case _:
            raise ValueError(f"no operation of an approval: {what}")
