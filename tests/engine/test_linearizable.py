"""Histories made by hand, each with the moments of its calls: which are linearizable, and which are not."""

from __future__ import annotations

import itertools
import random
from collections.abc import Hashable, Sequence

import pytest

from tests.engine.linearizable import (
    ALLOWED,
    DENIED,
    IMPOSSIBLE,
    NEVER,
    WAITS,
    Call,
    Impossible,
    Model,
    State,
    Undecided,
    approval,
    counter,
    explain,
    register,
)


def calls(*given: tuple[float, float, str, Hashable]) -> list[Call]:
    return [Call(invoked, returned, (what, value)) for invoked, returned, what, value in given]


REGISTER: list[tuple[str, list[Call], bool]] = [
    ("nothing happened", [], True),
    ("what was written is read", calls((0, 1, "write", 1), (2, 3, "read", 1)), True),
    ("what was overwritten is read", calls((0, 1, "write", 1), (2, 3, "write", 2), (4, 5, "read", 1)), False),
    ("two writes at once, either may be last", calls((0, 3, "write", 1), (1, 2, "write", 2), (4, 5, "read", 1)), True),
    (
        "and what one has read, the next one does not unread",
        calls((0, 9, "write", 1), (1, 2, "read", 1), (3, 4, "read", None)),
        False,
    ),
    ("a read beside the write may be early", calls((0, 9, "write", 1), (1, 2, "read", None), (3, 4, "read", 1)), True),
    ("what nobody wrote is read", calls((0, 1, "read", 7)), False),
    ("nobody saw it return, and it happened", calls((0, NEVER, "write", 1), (5, 6, "read", 1)), True),
    ("nobody saw it return, and it did not happen", calls((0, NEVER, "write", 1), (5, 6, "read", None)), True),
    (
        "it happened late",
        calls((0, NEVER, "write", 1), (1, 2, "write", 2), (3, 4, "read", 2), (5, 6, "read", 1)),
        True,
    ),
    (
        "it happened once only",
        calls((0, NEVER, "write", 1), (1, 2, "read", 1), (3, 4, "write", 2), (5, 6, "read", 1)),
        False,
    ),
    ("a read that tells only whether", calls((0, 1, "write", 1), (2, 3, "set", True), (4, 5, "set", False)), False),
    (
        # Herlihy and Wing, 1990: each read is right by itself, and the two are not in any order.
        "two readers saw two writes in different orders",
        calls(
            *((0, 9, "write", 1), (0, 9, "write", 2)),
            *((1, 2, "read", 1), (3, 4, "read", 2), (5, 6, "read", 1)),
        ),
        False,
    ),
    ("a moment before the call", calls((3, 4, "write", 1), (0, 1, "read", 1)), False),
    ("return and invocation at the same moment overlap", calls((0, 1, "write", 1), (1, 2, "read", None)), True),
]


@pytest.mark.parametrize(("history", "holds"), [each[1:] for each in REGISTER], ids=[each[0] for each in REGISTER])
def test_a_register(history: list[Call], holds: bool) -> None:
    assert (explain(history, register, None) is None) is holds


PENDING: State = (WAITS, None)
APPROVAL: list[tuple[str, list[Call], bool]] = [
    ("one allows, the other comes late", calls((0, 5, "decide", ALLOWED), (1, 4, "decided", None)), True),
    ("both were first", calls((0, 5, "decide", ALLOWED), (1, 4, "decide", DENIED)), False),
    (
        "the second one was sure before the first began",
        calls((2, 5, "decide", ALLOWED), (0, 1, "decided", None)),
        False,
    ),
    ("it is claimed once", calls((0, 1, "decide", ALLOWED), (2, 9, "claim", "a"), (2, 9, "claimed", None)), True),
    ("it is claimed twice", calls((0, 1, "decide", ALLOWED), (2, 9, "claim", "a"), (2, 9, "claim", "b")), False),
    ("what was denied is claimed", calls((0, 1, "decide", DENIED), (2, 3, "claim", "a")), False),
    ("what waits is claimed", calls((0, 1, "claim", "a"), (2, 3, "decide", ALLOWED)), False),
    ("what was allowed may not be claimed", calls((0, 1, "decide", ALLOWED), (2, 3, "unclaimable", None)), False),
    (
        "a claim that nobody heard of was one",
        calls((0, 1, "decide", ALLOWED), (2, NEVER, "grab", "a"), (3, 4, "claimed", None)),
        True,
    ),
    (
        "nobody claimed it, and it is said to be claimed",
        calls((0, 1, "decide", ALLOWED), (3, 4, "claimed", None)),
        False,
    ),
    (
        "a decision that nobody heard of counts",
        calls((0, NEVER, "try", DENIED), (1, 2, "decided", None), (3, 4, "read", DENIED)),
        True,
    ),
    (
        "and does not count twice",
        calls((0, 1, "decide", ALLOWED), (0, NEVER, "try", DENIED), (5, 6, "read", DENIED)),
        False,
    ),
    ("what was decided waits again", calls((0, 1, "decide", ALLOWED), (2, 3, "read", WAITS)), False),
]


@pytest.mark.parametrize(("history", "holds"), [each[1:] for each in APPROVAL], ids=[each[0] for each in APPROVAL])
def test_an_approval(history: list[Call], holds: bool) -> None:
    assert (explain(history, approval, PENDING) is None) is holds


@pytest.mark.parametrize(
    ("history", "holds"),
    [
        (calls((0, 1, "raise", 5), (2, 3, "read", 5)), True),
        (calls((0, 1, "raise", 6), (2, 3, "read", 6)), False),
        (calls((0, NEVER, "raise", None), (1, 2, "raise", 6)), True),
        (calls((0, 1, "raise", 5), (2, 3, "read", 4)), False),
        (calls((0, 9, "raise", 6), (1, 8, "raise", 5), (10, 11, "read", 6)), True),
        (calls((0, 1, "raise", 5), (2, 3, "raise", 5)), False),
    ],
)
def test_a_counter(history: list[Call], holds: bool) -> None:
    assert (explain(history, counter, 4) is None) is holds


def test_what_is_wrong_is_told() -> None:
    history = [Call(0, 1, ("write", 1), "at replica 0"), Call(2, 3, ("read", None), "at replica 2")]
    assert explain(history, register, None) == (
        "in state 1, after 1 of 2 calls, none of these can be next: ('read', None) at replica 2"
    )


def by_all_orders(history: Sequence[Call], model: Model, initial: State) -> bool:
    """The definition: some order of all that returned, with some of the others, that keeps who came before whom."""
    returned = [call for call in history if call.returned != NEVER]
    open_calls = [call for call in history if call.returned == NEVER]
    for count in range(len(open_calls) + 1):
        for happened in itertools.combinations(open_calls, count):
            for order in itertools.permutations([*returned, *happened]):
                early = any(later.returned < call.invoked for at, call in enumerate(order) for later in order[at + 1 :])
                if not early and _comes_to(order, model, initial):
                    return True
    return False


def _comes_to(order: Sequence[Call], model: Model, state: State) -> bool:
    for call in order:
        after = model(state, call.operation)
        if isinstance(after, Impossible):
            return False
        state = after
    return True


@pytest.mark.parametrize(
    ("model", "initial", "operations"),
    [
        (register, None, [("write", 1), ("write", 2), ("read", 1), ("read", 2), ("read", None), ("set", True)]),
        (counter, 0, [("raise", None), ("raise", 1), ("raise", 2), ("read", 0), ("read", 1)]),
        (approval, PENDING, [("decide", ALLOWED), ("decided", None), ("claim", 1), ("claimed", None), ("grab", 2)]),
    ],
)
def test_the_search_finds_what_the_definition_finds(
    model: Model, initial: State, operations: list[tuple[str, Hashable]]
) -> None:
    chance = random.Random(7)
    found = {True: 0, False: 0}
    for _ in range(250):
        history: list[Call] = []
        for _ in range(chance.randint(1, 5)):
            invoked = chance.randint(0, 6)
            returned = NEVER if chance.random() < 0.15 else invoked + chance.randint(1, 4)
            history.append(Call(invoked, returned, chance.choice(operations)))
        holds = by_all_orders(history, model, initial)
        assert (explain(history, model, initial) is None) is holds, history
        found[holds] += 1
    assert min(found.values()) > 20


def test_a_long_history_is_searched_and_a_hopeless_one_given_up() -> None:
    """A thousand calls of three at once, as a register would answer them; and twenty that nobody saw return."""
    chance, value, at = random.Random(3), 0, 0.0
    history: list[Call] = []
    for number in range(1000):
        at += chance.random()
        before, after = at - chance.random() * 1.5, at + chance.random() * 1.5
        if number % 3:
            history.append(Call(before, after, ("read", value)))
        else:
            value = number
            history.append(Call(before, after, ("write", value)))
    assert explain(history, register, 0) is None
    history.append(Call(at + 10, at + 11, ("read", -1)))
    assert explain(history, register, 0) is not None
    unseen = [Call(0, NEVER, ("write", number)) for number in range(20)]
    with pytest.raises(Undecided, match="21 calls have too many orders"):
        explain([*unseen, Call(1, 2, ("read", -1))], register, None, most=1000)


def test_models_know_their_operations() -> None:
    for model, state in ((register, None), (counter, 0), (approval, PENDING)):
        with pytest.raises(ValueError, match="no operation of"):
            model(state, ("swim", None))
    assert register(1, ("read", 2)) is IMPOSSIBLE
