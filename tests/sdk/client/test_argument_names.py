"""With which names a call was made, for who is told what it answered."""

from __future__ import annotations

from collections.abc import Mapping

from assent.answers import LEVELS, MOST_LOOKED_AT, MOST_NAMES, argument_names


def test_names_are_those_of_two_levels_each_once() -> None:
    deep = {"request": {"path": "a", "more": {"url": "b", "most": {"too_deep": "c"}}}, "path": "d"}
    assert argument_names(deep) == ["request", "path", "more", "url", "most"]
    listed = {"files": [{"path": "a"}, {"path": "b"}, ["x"]], "n": 1, "none": None}
    assert argument_names(listed) == ["files", "n", "none", "path"]
    assert argument_names({}) == []


def test_a_key_that_is_no_name_is_a_value() -> None:
    keys = {"dora@x.invalid": 1, "2026-01-02": 2, "to-whom": 3, "": 4, "x" * 129: 5}
    assert argument_names({"of": keys}) == ["of", "to-whom"]


def test_an_object_has_the_members_that_it_is_said_to_have() -> None:
    class Request:
        pass

    def members(value: object) -> Mapping[str, object] | None:
        return {"path": [Request()]} if isinstance(value, Request) else None

    assert argument_names({"request": Request()}, members) == ["request", "path"]
    assert argument_names({"request": Request()}) == ["request"]


def test_no_more_than_a_request_may_have_are_told_and_the_callers_own_come_first() -> None:
    many = {f"name_{at}": {f"inner_{at}": at} for at in range(5_000)}
    assert argument_names({"request": many, "url": "x"})[:2] == ["request", "url"]
    assert len(argument_names({"request": many, "url": "x"})) == MOST_NAMES
    assert argument_names(many)[:5_000] == list(many), "which is refused"
    assert argument_names({"a" * 300: 1}) == ["a" * 128]


def test_as_much_is_looked_at_as_is_bounded() -> None:
    looked_at = 0

    class Part:
        pass

    def members(value: object) -> Mapping[str, object] | None:
        nonlocal looked_at
        looked_at += 1
        return {f"part_{at}": Part() for at in range(100)}

    argument_names({"parts": [Part() for _ in range(100_000)]}, members)
    assert MOST_LOOKED_AT <= looked_at <= LEVELS * MOST_LOOKED_AT
