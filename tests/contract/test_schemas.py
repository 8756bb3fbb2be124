"""The schema of every body takes what the service takes and refuses what it refuses: each judges the other.

Every member of every request gets every value of a pool, alone and on top of a body that is right. Texts in members
that hold times are left out of the comparison: to JSON Schema a time is a text, whatever it says. So is 1.0 in
members that hold whole numbers: to JSON Schema it is one, and the service, which tells 1 from 1.0, refuses it.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator
from msgspec import inspect

from assent.contract.control.policies import PolicyDraft
from assent.contract.file import FILES
from assent.contract.openapi_schemas import standalone
from assent.contract.operations import ENDPOINTS
from assent.contract.problems import Problem
from assent.contract.record import Request
from assent_service.core.body import with_defaults
from tests.every import every
from tests.tiers import deep

REQUESTS = {each.request.__name__: each.request for each in ENDPOINTS if each.request is not None}
MENTIONED = [shape for each in ENDPOINTS for shape in (each.request, each.query, each.response, each.alternative)]
# A file has no schema.
SHAPES = {shape.__name__: shape for shape in MENTIONED if shape is not None and shape not in FILES}

TIME = "2026-11-20T12:00:00Z"
POOL: list[Any] = [
    *(None, True, False, 0, 1, -1, 50, 100, 101, 100.5, 0.5, -0.5, 1.0, 10_001, 10_000_001, 10**15, 10**15 + 1, 2**53),
    *("", "x", "act_1", "a b", "a/b", "a\n", "acme", "-acme", "Acme", TIME, "é" * 63),
    *("x" * 128, "x" * 129, "x" * 255, "x" * 256, "x" * 257, "x" * 500, "x" * 501, "x" * 1000, "x" * 1001),
    *("x" * 2000, "x" * 2001, "x" * 4000, "x" * 4001, "x" * 262_144, "x" * 262_145),
    *("running", "blocked", "paused", "allow", "deny", "enforce", "agent", "import", "live", "sdk_service", "offline"),
    *([], ["a"], [1], [None], ["x" * 500], ["x" * 501], ["a"] * 50, ["a"] * 51, ["a"] * 100, ["a"] * 101, ["a"] * 501),
    *({}, {"a": 1}, {"a": {"b": [None]}}, [{}], [PolicyDraft.example], [PolicyDraft.example | {"mode": "off"}]),
]


@cache
def judge(name: str) -> Draft202012Validator:
    return Draft202012Validator(standalone(SHAPES[name]))


def taken(request: type[Request], body: Any) -> bool:
    try:
        msgspec.convert(with_defaults(request, msgspec.json.decode(msgspec.json.encode(body))), request)
    except msgspec.ValidationError:
        return False
    return True


def beyond_comparison(info: inspect.Type, value: Any) -> bool:
    if isinstance(info, inspect.Metadata):
        return beyond_comparison(info.type, value)
    kinds = info.types if isinstance(info, inspect.UnionType) else (info,)
    parts = [each.type if isinstance(each, inspect.Metadata) else each for each in kinds]
    whole = any(isinstance(part, inspect.IntType) for part in parts)
    time = any(isinstance(part, inspect.DateTimeType) for part in parts)
    return (time and isinstance(value, str) and value != TIME) or (whole and value == 1.0 and isinstance(value, float))


def bodies(request: type[Request]) -> Iterator[Any]:
    right = request.example
    info = inspect.type_info(request)
    assert isinstance(info, inspect.StructType)
    yield from ({}, right, [], [right], None, 1, "x", True)
    yield from (right | {"never_heard_of": unknown} for unknown in (None, "x", [right], {"a": 1}))
    for member in right:
        yield {name: value for name, value in right.items() if name != member}
    for field in info.fields:
        for value in POOL:
            if not beyond_comparison(field.type, value):
                yield right | {field.encode_name: value}


@pytest.mark.parametrize("name", sorted(REQUESTS))
def test_the_schema_takes_what_the_service_takes(name: str) -> None:
    counts = {True: 0, False: 0}
    for body in bodies(REQUESTS[name]):
        accepted = taken(REQUESTS[name], body)
        counts[accepted] += 1
        assert judge(name).is_valid(body) is accepted, f"{name}: {str(body)[:300]}"
    assert min(counts.values()) > 5, f"the pool is too one-sided for {name}: {counts}"


def test_every_request_has_an_example() -> None:
    assert [name for name, request in REQUESTS.items() if "example" not in vars(request)] == []
    assert all(taken(request, request.example) for request in REQUESTS.values())


@deep("the document's components are checked in the quick tier")
@every("name", sorted(SHAPES))
def test_each_shape_is_valid_json_schema_by_itself(name: str) -> None:
    schema = standalone(SHAPES[name])
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


def test_a_problem_fits_its_schema_with_and_without_its_extras() -> None:
    check = Draft202012Validator(standalone(Problem))
    body = {
        "type": "urn:assent:problem:action_blocked",
        "title": "Action blocked",
        "status": 403,
        "detail": "Guard blocked it.",
        "instance": "/api/actions",
        "code": "action_blocked",
        "errors": [{"place": "body", "message": "no"}],
        "error": "Guard blocked it.",
        "details": ["body: no"],
    }
    assert check.is_valid(body)
    assert check.is_valid(body | {"decision": {"decision": "block"}})
    assert not check.is_valid(body | {"code": "no_such_code"})
    assert not check.is_valid({name: value for name, value in body.items() if name != "details"})
