"""What is carried into a record, and what is refused before anything wrong is recorded."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import pytest
from msgspec import UNSET, Meta, Struct, UnsetType

from assent_service.core.carry import carry


class Colour(StrEnum):
    RED = "red"


class Given(Struct, frozen=True, kw_only=True):
    name: Annotated[str, Meta(max_length=9)]
    owner: str | None = None
    weight: int = 1
    colour: Colour | None = None
    parts: list[str] | None = None
    mark: str | UnsetType = UNSET


class Whole(Struct, frozen=True, kw_only=True):
    owner: str
    name: str
    bill: str = "whole"


class Row(Struct, frozen=True, kw_only=True):
    row_id: str
    name: str
    owner: str | None
    weight: float
    note: str = "none"


def row_of(member: tuple[str, Any]) -> type[Struct]:
    """A row with one member, `colour`, `parts`, `mark` or `weight`, of another type."""
    name, kind = member

    class Other(Struct, frozen=True, kw_only=True):
        __annotations__ = {name: kind}

    return Other


def test_members_come_by_name_and_only_the_rest_is_given() -> None:
    assert carry(Row, Given(name="a", owner="b", weight=3), row_id="r") == Row(
        row_id="r", name="a", owner="b", weight=3, note="none"
    )


def test_what_is_given_goes_before_every_source() -> None:
    first, second = Whole(owner="first", name="first"), Given(name="second", owner="second", weight=2)
    made = carry(Row, first, second, row_id="r", name="given", owner=first.owner)
    assert made == Row(row_id="r", name="given", owner="first", weight=2, note="none")


def test_what_two_sources_have_has_to_be_given() -> None:
    first, second = Whole(owner="first", name="first"), Given(name="second", owner="second", weight=2)
    with pytest.raises(TypeError, match=r"Row\.owner could be carried from Whole and Given; give it by name"):
        carry(Row, first, second, row_id="r", name="given")


def test_each_call_carries_its_own_values() -> None:
    names = [carry(Row, Given(name=name), row_id=name).name for name in ("a", "b", "a", "c")]
    assert names == ["a", "b", "a", "c"]


def test_a_member_that_nobody_has_is_refused_with_its_name() -> None:
    with pytest.raises(TypeError, match=r"Row\.row_id is neither given nor a member of Given, Whole"):
        carry(Row, Given(name="a"), Whole(owner="a", name="b"))


def test_a_name_that_the_record_does_not_have_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Row has no members \['size'\]"):
        carry(Row, Given(name="a"), row_id="r", size=3)


@pytest.mark.parametrize(
    "kind",
    [
        ("owner", str),
        ("weight", bool),
        ("colour", Colour),
        ("parts", list[str]),
        ("parts", list[int] | None),
        ("mark", str),
    ],
)
def test_a_source_that_may_hold_what_the_member_may_not_is_refused(kind: tuple[str, Any]) -> None:
    with pytest.raises(TypeError, match=rf"Other\.{kind[0]} cannot be carried from Given"):
        carry(row_of(kind), Given(name="a", owner="b", colour=Colour.RED, parts=["c"], mark="d"))


@pytest.mark.parametrize(
    "kind",
    [
        ("owner", str | None),
        ("owner", Annotated[str | None, Meta(description="whose")]),
        ("weight", float),
        ("weight", int | str),
        ("colour", str | None),
        ("parts", list[str] | None),
        ("parts", Any),
        ("mark", str | UnsetType),
    ],
)
def test_a_source_that_fits_is_carried(kind: tuple[str, Any]) -> None:
    given = Given(name="a", owner="b", colour=Colour.RED, parts=["c"], mark="d")
    assert getattr(carry(row_of(kind), given), kind[0]) == getattr(given, kind[0])
