"""Whatever changes on the wire changes the text of the contract: each thing that an operation, a struct or a member has
is in it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import fields, replace
from enum import StrEnum
from functools import cache
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Meta

from assent.contract.endpoint import AnyEndpoint, Endpoint
from assent.contract.openapi_schemas import Schema, components
from assent.contract.operations import ENDPOINTS
from assent.contract.problems import Code, Problem
from assent.contract.record import Query, Record, Request
from assent.contract.roles import ACTING, ADMIN
from tests.contract.contract_text import contract_text, operation_text, shape_text
from tests.contract.test_schemas import SHAPES
from tests.every import every


@cache
def schemas() -> dict[str, Schema]:
    return components([Problem, *SHAPES.values()])


class Ask(Request, frozen=True, kw_only=True):
    name: str


class Filter(Query, frozen=True, kw_only=True):
    name: str | None = None


class Answer(Record, frozen=True, kw_only=True):
    name: str


class OtherAnswer(Record, frozen=True, kw_only=True):
    name: str


ENDPOINT: AnyEndpoint[Answer] = Endpoint(
    operation="ask", method="POST", path="/api/asks", response=Answer, summary="Asks.", roles=ACTING, request=Ask
)
CHANGED: dict[str, Any] = {
    "operation": "guard",
    "method": "PUT",
    "path": "/api/questions",
    "response": OtherAnswer,
    "roles": ADMIN,
    "request": None,
    "query": Filter,
    "statuses": (201,),
    "problems": (Code.LOOP_CLOSED,),
    "also": ("/api/v2/asks",),
    "limit": 5,
    "open_body": True,
    "closed_query": True,
    "tells_twice": True,
    "spelled": {"nom": "name"},
    "content": "text/csv",
    "contents": ("text/csv",),
    "alternative": OtherAnswer,
    "keeps_secrets": ("name",),
    "refuses_secrets": True,
    "analyzes": True,
}
ELSEWHERE = {"summary"}
"""Members of an endpoint that docs/reference/api.md has."""


@pytest.mark.parametrize("member", [each.name for each in fields(Endpoint)])
def test_each_member_of_an_endpoint_shows(member: str) -> None:
    if member in ELSEWHERE:
        return
    assert member in CHANGED, f"contract_text.py does not show `{member}`; see ELSEWHERE if it is nothing of the wire"
    before = replace(ENDPOINT, query=Filter) if member == "closed_query" else ENDPOINT
    assert operation_text(replace(before, **{member: CHANGED[member]})) != operation_text(before)


def test_an_operation_without_a_key_shows_as_one() -> None:
    assert "\n  needs no key\n" in operation_text(replace(ENDPOINT, roles=None))
    assert "\n  roles admin\n" in operation_text(replace(ENDPOINT, roles=ADMIN))


def test_an_operation_is_read_as_it_is_called() -> None:
    endpoint = replace(
        ENDPOINT, also=("/asks",), problems=(Code.LOOP_NOT_FOUND, Code.LOOP_CLOSED), spelled={"n": "name"}
    )
    assert (
        operation_text(endpoint)
        == """
POST /api/asks ask
  also /asks
  roles agent, operator, admin
  body Ask, 1,000,000 bytes at most
  spelled n -> name
  answer 200 Answer
  problems ALWAYS, WITH_KEY, WITH_BODY, read_only, storage_unavailable
  its own loop_closed, loop_not_found
"""
    )


class Small(StrEnum):
    A = "a"
    B = "b"


LARGE: Schema = {"title": "Large", "type": "string", "enum": [f"value_{number}" for number in range(30)]}


@pytest.mark.parametrize(
    ("member", "line"),
    [
        (("name", str), "  name: text"),
        (("name", str, "x"), '  name?: text | null = "x"'),
        (("name", str | None, None), "  name?: text | null"),
        (("other", str), "  other: text"),
        (("name", int), "  name: integer"),
        (("name", Annotated[int, Meta(ge=1)]), "  name: integer 1.."),
        (("name", Annotated[int, Meta(ge=1, le=9)]), "  name: integer 1..9"),
        (("name", Annotated[float, Meta(gt=0)]), "  name: number exclusiveMinimum=0"),
        (("name", Annotated[str, Meta(max_length=9)]), "  name: text ..9"),
        (("name", Annotated[str, Meta(pattern="^a+$")]), "  name: text /^a+$/"),
        (("name", Annotated[str, Meta(description="What it is.")]), "  name: text  # What it is."),
        (("name", list[str]), "  name: list of text"),
        (("name", Annotated[list[int | None], Meta(max_length=5)]), "  name: list of (integer | null) ..5"),
        (("name", dict[str, int]), "  name: object of integer"),
        (("name", dict[str, Any]), "  name: object of anything"),
        (("name", Any), "  name: any"),
        (("name", object), "  name: any JSON"),
        (("name", Small), "  name: Small"),
        (("name", Answer), "  name: Answer"),
    ],
)
def test_a_member_is_one_line(member: Any, line: str) -> None:
    shape = msgspec.defstruct("Shape", [member], bases=(Request,), frozen=True, kw_only=True)
    assert shape_text("Shape", components([shape])["Shape"]) == f"\nShape\n{line}\n"


def test_a_struct_says_what_it_is_and_whether_it_is_closed() -> None:
    closed = msgspec.defstruct(
        "Shape",
        [],
        bases=(Request,),
        frozen=True,
        namespace={"__doc__": "First.\n\nSecond."},
        forbid_unknown_fields=True,
    )
    assert shape_text("Shape", components([closed])["Shape"]) == "\nShape, closed\n  # First.\n  #\n  # Second.\n"


def test_values_of_an_enumeration_are_on_one_line_while_they_fit() -> None:
    assert shape_text("Small", components([Small])["Small"]).startswith('\nSmall = "a" | "b"\n')
    assert '\n  | "value_0"\n  | "value_1"\n' in shape_text("Large", LARGE)


def keywords(schema: Schema, *place: str | int) -> Iterator[tuple[str | int, ...]]:
    """The place of each keyword of a schema, at any depth; members are keywords of `properties`."""
    for key, value in schema.items():
        yield (*place, key)
        if key == "properties":
            for name, member in value.items():
                yield (*place, key, name)
                yield from keywords(member, *place, key, name)
        elif key == "anyOf":
            for at, branch in enumerate(value):
                yield from keywords(branch, *place, key, at)
        elif isinstance(value, dict):
            yield from keywords(value, *place, key)


@every("name", lambda: sorted(schemas()))
def test_no_keyword_of_a_schema_is_left_out(name: str) -> None:
    whole = shape_text(name, schemas()[name])
    for place in keywords(schemas()[name]):
        schema = copy.deepcopy(schemas()[name])
        inner: Any = schema
        for key in place[:-1]:
            inner = inner[key]
        if inner.pop(place[-1]):
            assert shape_text(name, schema) != whole, place


def test_every_operation_and_every_shape_is_described_once() -> None:
    lines = contract_text(ENDPOINTS).splitlines()
    heads = [line.split()[0].rstrip(",") for line in lines[lines.index("## Shapes") + 1 :] if line[:1].strip()]
    assert heads == sorted(schemas())
    assert all(lines.count(f"{each.method} {each.path} {each.operation}") == 1 for each in ENDPOINTS)


def test_an_operation_that_is_gone_is_gone_from_the_text_with_its_shapes() -> None:
    text = contract_text([ENDPOINT, replace(ENDPOINT, operation="look", path="/api/look", request=None, query=Filter)])
    assert "\nPOST /api/look look\n" in text
    assert "\nFilter\n" in text
    text = contract_text([ENDPOINT])
    assert "/api/look" not in text
    assert "\nFilter\n" not in text
