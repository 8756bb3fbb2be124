"""Arguments are compared by what they hold: whatever their `repr` hides, and nothing that is the same."""

from __future__ import annotations

import array
import asyncio
import collections
import dataclasses
import functools
import io
import itertools
import queue
import re
import tempfile
import threading
import types
from collections.abc import Callable
from typing import Any

import httpx
import numpy as np
import polars as pl
import pytest
from pydantic import BaseModel, PrivateAttr, SecretBytes, SecretStr

from assent import ArgumentsChanged, Client, governed
from assent.governing.arguments import digest
from assent.governing.call import Attempt, ToolCall
from assent.governing.snapshot import snapshot
from assent.testing import FakeService

ASKING = {"name": "Ask", "policy_type": "require_approval", "rules": {"action_types": ["pay"]}}


class Plain:
    def __init__(self, amount: int = 1) -> None:
        self.amount = amount


class Named(Plain):
    def __repr__(self) -> str:
        return "<Order 7>"


class Slotted:
    __slots__ = ("__hidden", "amount")

    def __init__(self) -> None:
        self.amount = 1
        self.__hidden = 1

    def set_hidden(self) -> None:
        self.__hidden = 2


class Locked(Plain):
    """What cannot be pickled is in it."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()
        self.lines = [Plain()]


class SlottedLocked:
    __slots__ = ("__lock", "amount")

    def __init__(self) -> None:
        self.amount = 1
        self.__lock = threading.Lock()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("cannot pickle it")


@dataclasses.dataclass
class Bill:
    to: str = "Ann"
    amount: int = dataclasses.field(default=1, repr=False)


class ListOfMine(list[Any]):
    pass


class DictOfMine(dict[str, Any]):
    pass


class TextOfMine(str):
    pass


class NumberOfMine(int):
    def __repr__(self) -> str:
        return "1"


class Order(BaseModel):
    to: str = "Ann"
    secret: SecretStr = SecretStr("a")
    _amount: int = PrivateAttr(1)


def steps() -> Any:
    yield from range(5)


def raises(value: Any, name: str = "amount") -> None:
    setattr(value, name, 10**6)


def deepest(levels: int) -> tuple[list[Any], list[Any]]:
    """A list in a list in a list, and the innermost."""
    inner: list[Any] = [1]
    return functools.reduce(lambda found, _: [found], range(levels), inner), inner


def changed_deep(value: Any) -> None:
    while isinstance(value[0], list):
        value = value[0]
    value[0] = 2


def around() -> list[Any]:
    found: list[Any] = [Plain()]
    found.append(found)
    return found


def with_cause(value: Any) -> None:
    value.__cause__ = KeyError("other")


CHANGES: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
    "a frame": (
        lambda: pl.DataFrame({"to": [f"p{each}" for each in range(100)], "amount": [1] * 100}),
        lambda value: value.__setitem__((50, "amount"), 10**6),
    ),
    "a series": (lambda: pl.Series([*range(100)]), lambda value: value.__setitem__(50, 1)),
    "an array": (lambda: np.arange(5000), lambda value: value.__setitem__(2500, 1)),
    "an array of objects": (lambda: np.array([Plain()], dtype=object), lambda value: raises(value[0])),
    "a plain object": (Plain, raises),
    "an object whose repr is a name": (Named, raises),
    "a dataclass": (Bill, raises),
    "slots": (Slotted, raises),
    "hidden slots": (Slotted, Slotted.set_hidden),
    "an object with a lock": (Locked, raises),
    "slots with a lock": (SlottedLocked, raises),
    "what is below an object with a lock": (Locked, lambda value: raises(value.lines[0])),
    "a private attribute": (Order, lambda value: raises(value, "_amount")),
    "a secret": (Order, lambda value: setattr(value, "secret", SecretStr("b"))),
    "a list of one's own": (lambda: ListOfMine([1]), raises),
    "a dict of one's own": (lambda: DictOfMine(a=1), raises),
    "a text of one's own": (lambda: TextOfMine("a"), raises),
    "an exception": (lambda: ValueError("a"), raises),
    "why an exception was raised": (lambda: ValueError("a"), with_cause),
    "a deep list": (lambda: deepest(900)[0], changed_deep),
    "a deeper list": (lambda: deepest(5000)[0], changed_deep),
    "a list around itself": (around, lambda value: raises(value[0])),
    "an iterator": (lambda: iter([1, 2]), next),
    "an iterator over an iterator": (lambda: map(str, iter([1, 2])), next),
    "a generator": (steps, next),
    "a deque": (lambda: collections.deque([Plain()]), lambda value: raises(value[0])),
    "a namespace": (types.SimpleNamespace, raises),
    "a view of a dict": (lambda: types.MappingProxyType({"a": [Plain()]}), lambda value: value["a"].append(2)),
    "values of a dict": (lambda: {"a": [1]}.values(), lambda value: next(iter(value)).append(2)),
    "a set": (lambda: {1, 2, "a"}, lambda value: value.add(3)),
    "a partial": (lambda: functools.partial(print, [1]), lambda value: value.args[0].append(2)),
    "bytes in memory": (lambda: io.BytesIO(b"abc"), lambda value: value.write(b"x")),
    "a view of bytes": (lambda: memoryview(bytearray(b"a")), lambda value: value.__setitem__(0, 3)),
    "a small array": (lambda: array.array("i", [1]), lambda value: value.append(1)),
    "a queue": (queue.Queue, lambda value: value.put(1)),
    "a queue of a loop": (asyncio.Queue, lambda value: value.put_nowait(1)),
    "a default": (lambda: collections.defaultdict(lambda: 1), lambda value: value["a"]),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_of_what_an_argument_holds_is_seen(kind: str) -> None:
    make, change = CHANGES[kind]
    value = make()
    before = snapshot({"value": value})
    assert before is not None
    assert snapshot({"value": value}) == before
    change(value)
    assert snapshot({"value": value}) != before


APART = {
    "patterns": (re.compile("a" * 300 + "b"), re.compile("a" * 300 + "c")),
    "secrets": (SecretStr("a"), SecretStr("b")),
    "secret bytes": (SecretBytes(b"a"), SecretBytes(b"b")),
    "numbers of one's own": (NumberOfMine(1), NumberOfMine(2)),
    "large integers": (2**200, 2**200 + 1),
    "functions": ((lambda: 1), (lambda: 2)),
    "methods": (Plain().__init__, Plain().__init__),  # type: ignore[misc]
    "classes": (Plain, Named),
    "modules": (re, io),
    "locks": (threading.Lock(), threading.Lock()),
    "half a sign": ("\ud800", "\ud801"),
    "a text and what it is written as": (b"#" + b"a" * 32, "#" + "a" * 32),
    "an object and its state": ([Plain()], [[Plain, "state", {"amount": 1}]]),
    "a name and a value": ({1: 2, 3: 4}, {1: 2, 4: 3}),
}


@pytest.mark.parametrize("kind", APART)
def test_what_is_not_the_same_is_told_apart(kind: str) -> None:
    one, other = APART[kind]
    assert snapshot({"value": [one, ...]}) != snapshot({"value": [other, ...]})


class Mute:
    """Refuses whatever is asked of it."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


class Endless:
    """Is made of another one each time."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        return Plain, (), None, iter([1]), iter([1])


@pytest.mark.parametrize("make", [Mute, Endless, threading.local, tempfile.TemporaryFile, itertools.count])
def test_what_cannot_be_taken_apart_is_held_as_it_is(make: Callable[[], Any]) -> None:
    one = make()
    assert snapshot({"value": one}) == snapshot({"value": one})
    if hasattr(type(one), "close"):
        one.close()


def equals() -> Any:
    shared = Plain()
    return [
        {"a": shared, "b": shared, "c": "text" * 3, "d": (1, 2.5, {3, "x", None})},
        pl.DataFrame({"a": [1]}),
        Order(),
        re.compile("a"),
        ListOfMine([1]),
    ]


def test_equal_content_in_other_objects_is_the_same() -> None:
    apart = equals()
    apart[0]["b"] = Plain()
    assert snapshot({"value": equals()}) == snapshot({"value": apart})
    assert snapshot({"value": {1, *range(1000)}}) == snapshot({"value": {*range(999, -1, -1)}})


def test_json_alone_needs_none() -> None:
    for value in (1, 1.5, "a", None, True, [1, {"a": [2]}], {"rows": [{"i": each} for each in range(100)]}):
        assert snapshot({"value": value}) is None


class Program:
    """What a program hands to its functions: clients, locks, itself, and a number that counts."""

    def __init__(self) -> None:
        self.amount = 1
        self.http = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200)))
        self.pool = httpx.HTTPTransport()
        self.assent = Client("http://127.0.0.1:9", "sk", retries=0)
        self.lock, self.turn = threading.Lock(), asyncio.Lock()
        self.itself = self
        self.done = lambda: self


def test_what_breathes_below_an_argument_does_not_stop_it() -> None:
    program = Program()
    before = snapshot({"program": program})
    with pytest.raises(Exception, match="no answer from"):
        program.assent.get_actions()
    with pytest.raises(httpx.ConnectError):
        program.pool.handle_request(httpx.Request("GET", "http://127.0.0.1:9"))
    asyncio.run(program.turn.acquire())
    assert snapshot({"program": program}) == before
    program.amount = 2
    assert snapshot({"program": program}) != before


class CachedAmount:
    @functools.cached_property
    def total(self) -> int:
        return 1


class OwnCache(CachedAmount):
    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "total"}


def test_a_cache_that_fills_is_a_change_unless_it_is_left_out_of_what_is_pickled() -> None:
    for value, same in ((CachedAmount(), False), (OwnCache(), True)):
        before = snapshot({"value": value})
        assert value.total == 1
        assert (snapshot({"value": value}) == before) is same


@pytest.mark.parametrize("kind", ["a frame", "an object whose repr is a name", "a secret", "a deep list"])
def test_what_is_changed_while_a_person_decides_is_not_paid(kind: str) -> None:
    make, change = CHANGES[kind]
    service = FakeService()
    try:
        service.policies(ASKING)
        service.approve_next(2)
        value = make()
        told = digest({"value": value})

        class Meanwhile(httpx.BaseTransport):
            def handle_request(self, request: httpx.Request) -> httpx.Response:
                answer = service.transport.handle_request(request)
                if request.url.path.endswith("/claim"):
                    change(value)
                return answer

        @governed(client=service.client(http=httpx.Client(transport=Meanwhile())))
        def pay(value: Any) -> None:
            raise AssertionError("it ran")

        with pytest.raises(ArgumentsChanged):
            pay(value)
        assert [(action.status, action.parameters_digest) for action in service.actions] == [("failed", told)]

        @governed("pay", client=service.client())
        def unchanged(value: Any) -> str:
            return "paid"

        assert unchanged(value) == "paid"
    finally:
        service.close()


def test_what_is_asked_about_instead_is_held_to_what_it_was_then() -> None:
    instead = Named(50)
    attempt = Attempt[None](ToolCall(name="pay", arguments={"order": Named(100)}), {})
    other = attempt.instead(ToolCall(name="pay", arguments={"order": instead}))
    attempt.becomes(other)
    attempt.runs(None, None, "act_1")
    raises(instead)
    with pytest.raises(ArgumentsChanged):
        attempt.runs(None, None, "act_1")
