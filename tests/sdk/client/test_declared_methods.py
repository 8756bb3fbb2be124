"""The law of a method that only sends: what its caller gives arrives where the endpoint has it, and the endpoint's
answer comes back. It holds for every method under `@sends`, so that a new one is tested by being declared.

In the quick tier: no service, one scripted answer for each.
"""

from __future__ import annotations

import inspect
import json
import re
from datetime import date, datetime
from enum import StrEnum
from typing import Any, get_type_hints
from urllib.parse import parse_qsl

import pytest
from msgspec import Struct
from msgspec.structs import fields

from assent import Client
from assent.client.nouns import complete
from assent.contract.endpoint import AnyEndpoint
from assent.contract.examples import answer
from assent.contract.openapi_schemas import standalone
from assent.contract.operations import ENDPOINTS
from tests.every import every
from tests.sdk.client.doubles import BASE, Stage, answering
from tests.sdk.client.test_method import alternatives

OWN = {"agent_id", "agent_name"}
FIXED = {"close_thread": {"status"}}
"""What a method says by itself."""


complete()


def is_declared(operation: str) -> bool:
    """Whether the client's method is an empty function under `@sends`."""
    flow = getattr(inspect.getattr_static(Client, operation, None), "__wrapped__", None)
    return flow is not None and flow.__qualname__.startswith("sends.")


DECLARED = [each for each in ENDPOINTS if is_declared(each.operation)]


def value(kind: Any) -> Any:
    """Something that a member of this type takes."""
    first = next(each for each in alternatives(kind) if each is not type(None))
    if isinstance(first, type) and issubclass(first, StrEnum):
        return next(iter(first)).value
    samples = {bool: True, int: 3, float: 0.5, datetime: "2026-11-20T12:00:00Z", date: "2026-11-20"}
    return samples.get(first, "x")


def members(shape: type[Struct] | None) -> dict[str, tuple[str, Any]]:
    """Name on the wire and type of each."""
    hints = {} if shape is None else get_type_hints(shape, include_extras=True)
    return {each.name: (each.encode_name, hints[each.name]) for each in ([] if shape is None else fields(shape))}


@every("endpoint", DECLARED, ids=lambda endpoint: str(endpoint.operation))
def test_what_is_given_arrives_and_the_answer_comes_back(endpoint: AnyEndpoint[Any]) -> None:
    parameters = inspect.signature(getattr(Client, endpoint.operation)).parameters
    path = {name: f"{name} 1" for name in re.findall(r"\{(\w+)\}", endpoint.path)}
    query, body = members(endpoint.query), members(endpoint.request)
    right = {} if endpoint.request is None else endpoint.request.example
    is_open = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
    given: dict[str, Any] = {
        name: right[wire] if wire in right else value(kind)
        for name, (wire, kind) in (query | body).items()
        if name not in path and (name in parameters or (is_open and wire in right))
    }
    schema = standalone(endpoint.response)
    stage = Stage("sync", answering(answer(schema, schema.get("$defs", {})), endpoint.statuses[0]))

    found = getattr(stage.client, endpoint.operation)(**path, **given)

    (request,) = stage.requests
    where = endpoint.path.format(**{name: each.replace(" ", "%20") for name, each in path.items()})
    assert (request.method, str(request.url.copy_with(query=None))) == (endpoint.method, f"{BASE}{where}")
    content = json.loads(request.content) if request.content else {}
    said = dict(parse_qsl(request.url.query.decode()))
    for name, each in given.items():
        wire = (query | body)[name][0]
        shown = each if isinstance(each, str) or name in body else json.dumps(each)
        is_default = name in parameters and each == parameters[name].default
        assert (content if name in body else said).get(wire, each if is_default else None) == shown, name
    arrived = {name for name, (wire, _) in (query | body).items() if wire in said or wire in content}
    assert arrived - given.keys() <= OWN | FIXED.get(endpoint.operation, set())
    assert type(found) is endpoint.response
    assert stage.time.slept == []


def test_most_methods_only_send() -> None:
    assert len(DECLARED) > 0.7 * len(ENDPOINTS)


@pytest.mark.parametrize("operation", ["wait_for_approval", "guard", "get_nothing"])
def test_a_flow_is_not_taken_for_a_declared_method(operation: str) -> None:
    assert not is_declared(operation)
