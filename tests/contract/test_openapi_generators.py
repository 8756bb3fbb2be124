"""What generators of clients need of the OpenAPI document, found with `openapi-typescript`, `@hey-api/openapi-ts` and
`openapi-python-client`: each fault that one of them stumbled over has its check, without any of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from assent.contract.openapi_schemas import components
from assent.contract.operations import ENDPOINTS
from assent.contract.record import Record
from tests.every import every
from tests.openapi import openapi

REQUESTS = sorted({endpoint.request.__name__ for endpoint in ENDPOINTS if endpoint.request is not None})
FILES = {"get_attachment", "get_table", "export_proof"}


def objects(node: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of the document but those within examples, with the place where it stands."""
    if isinstance(node, dict):
        yield place, node
        for name, value in node.items():
            if name != "example":
                yield from objects(value, f"{place}/{name}")
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from objects(value, f"{place}/{number}")


@cache
def everything() -> list[tuple[str, dict[str, Any]]]:
    return list(objects(openapi()))


def operations() -> list[dict[str, Any]]:
    return [operation for methods in openapi()["paths"].values() for operation in methods.values()]


def test_null_is_no_default() -> None:
    # openapi-typescript makes a member with a default one that has to be sent, openapi-python-client refuses the null.
    assert [place for place, each in everything() if each.get("default", 0) is None] == []


@every("name", REQUESTS)
def test_a_body_needs_no_member_that_has_a_default(name: str) -> None:
    members = openapi()["components"]["schemas"][name]["properties"].values()
    assert not any("default" in member for member in members)


def test_what_a_list_and_an_object_hold_is_a_schema() -> None:
    assert [place for place, each in everything() if isinstance(each.get("items"), bool)] == []
    lists = [(place, each) for place, each in everything() if each.get("type") == "array"]
    assert len(lists) > 100
    assert [place for place, each in lists if "items" not in each] == []
    held = [(place, each) for place, each in everything() if each.get("type") == "object"]
    assert [place for place, each in held if not {"properties", "additionalProperties"} & set(each)] == []


class Spans(Record, frozen=True, kw_only=True):
    pair: tuple[float, float]
    mixed: tuple[int, str, int]


def test_items_of_a_fixed_number_keep_their_kinds_and_their_number() -> None:
    schema = components([Spans])["Spans"]
    pair = {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number"}}
    assert schema["properties"]["pair"] == pair
    judge = Draft202012Validator(schema)
    assert judge.is_valid({"pair": [1, 2.5], "mixed": [1, "x", 2]})
    assert not any(judge.is_valid({"pair": pair, "mixed": [1, "x", 2]}) for pair in ([1], [1, 2, 3], [1, "x"]))
    assert not any(
        judge.is_valid({"pair": [1, 2], "mixed": mixed}) for mixed in ([1, "x"], ["x", 1, 2], [1, "x", 2, 3])
    )


def test_it_says_where_a_service_is() -> None:
    (server,) = openapi()["servers"]
    assert server["url"] == "/", "relative to where the document comes from: a service does not know its own name"


def examples(operation: dict[str, Any]) -> list[tuple[Any, dict[str, Any]]]:
    """The examples of an operation beside their schemas: of its body, of its answers, of its parameters."""
    bodies = list(operation.get("requestBody", {}).get("content", {}).values())
    answers = [content for answer in operation["responses"].values() for content in answer.get("content", {}).values()]
    found = [
        openapi()["components"]["parameters"][each["$ref"].rpartition("/")[2]] if "$ref" in each else each
        for each in operation["parameters"]
    ]
    parameters = [each for each in found if "example" in each]
    return [(each["example"], each["schema"]) for each in (*bodies, *answers, *parameters) if "example" in each]


@every("operation", operations, ids=lambda operation: operation["operationId"])
def test_each_operation_has_an_example_that_is_right(operation: dict[str, Any]) -> None:
    found = examples(operation)
    assert found
    for example, schema in found:
        Draft202012Validator({**schema, "components": openapi()["components"]}).validate(example)


def test_a_body_is_its_own_example_and_an_answer_that_of_an_operation_without_one() -> None:
    examples = {each.request.__name__: each.request.example for each in ENDPOINTS if each.request is not None}
    for operation in operations():
        name = operation["operationId"].partition("_also")[0]
        in_answers = [
            content for answer in operation["responses"].values() for content in answer.get("content", {}).values()
        ]
        said = [content["example"] for content in in_answers if "example" in content]
        if "requestBody" in operation:
            reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
            assert operation["requestBody"]["content"]["application/json"]["example"] == examples[reference]
            assert said == []
        else:
            assert len(said) == (0 if name in FILES else 1), name


def test_ids_in_examples_are_such_as_the_service_makes() -> None:
    operation = openapi()["paths"]["/api/actions/{action_id}"]["get"]
    action = operation["responses"]["200"]["content"]["application/json"]["example"]["action"]
    assert action["action_id"].startswith("act_")
    assert action["decision_id"].startswith("dec_")
    assert action["status"] == "running"
