"""The OpenAPI document: valid for an independent validator, complete, and true about what is accepted."""

import copy
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec import Struct
from openapi_spec_validator import OpenAPIV31SpecValidator
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError

from assent.contract.endpoint import AnyEndpoint
from assent.contract.openapi import document
from assent.contract.openapi_schemas import components
from assent.contract.operations import ENDPOINTS
from assent.contract.record import Record
from tests.every import every
from tests.openapi import openapi

PLACES = [(endpoint, path) for endpoint in ENDPOINTS for path in (endpoint.path, *endpoint.also)]


def place(of: tuple[AnyEndpoint[Any], str]) -> str:
    return f"{of[0].method} {of[1]}"


def operation_at(endpoint: AnyEndpoint[Any], path: str) -> dict[str, Any]:
    found: dict[str, Any] = openapi()["paths"][path][endpoint.method.lower()]
    return found


def parameters(operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By name, references followed."""
    found = []
    for each in operation["parameters"]:
        reference = each.get("$ref", "").rpartition("/")[2]
        found.append(openapi()["components"]["parameters"][reference] if reference else each)
    return {each["name"]: each for each in found}


def test_it_is_valid_openapi_3_1() -> None:
    OpenAPIV31SpecValidator(openapi()).validate()


def test_the_validator_would_notice_a_mistake() -> None:
    wrong = copy.deepcopy(openapi())
    wrong["paths"]["/api/guard"]["post"]["parameters"][0]["in"] = "nowhere"
    with pytest.raises(OpenAPIValidationError):
        OpenAPIV31SpecValidator(wrong).validate()


@every("name", lambda: sorted(openapi()["components"]["schemas"]))
def test_each_component_is_valid_json_schema(name: str) -> None:
    Draft202012Validator.check_schema(openapi()["components"]["schemas"][name])


def test_every_reference_leads_somewhere() -> None:
    def references(node: Any) -> set[str]:
        if isinstance(node, dict):
            own = {node["$ref"]} if isinstance(node.get("$ref"), str) else set()
            return own.union(*(references(value) for value in node.values()))
        return set().union(*(references(value) for value in node)) if isinstance(node, list) else set()

    for reference in references(openapi()):
        target: Any = openapi()
        for part in reference.removeprefix("#/").split("/"):
            target = target[part]


def test_nothing_but_the_endpoints_is_described() -> None:
    described = {(method, path) for path, methods in openapi()["paths"].items() for method in methods}
    served = {(each.method.lower(), path) for each in ENDPOINTS for path in (each.path, *each.also)}
    assert described == served


def test_operation_ids_are_unique_and_the_main_path_has_the_plain_name() -> None:
    ids = [operation["operationId"] for methods in openapi()["paths"].values() for operation in methods.values()]
    assert len(ids) == len(set(ids))
    for endpoint in ENDPOINTS:
        assert operation_at(endpoint, endpoint.path)["operationId"] == endpoint.operation


def test_further_paths_have_the_name_with_a_suffix() -> None:
    assert openapi()["paths"]["/api/health"]["get"]["operationId"] == "health_also"
    assert openapi()["paths"]["/api/approvals/{action_id}"]["post"]["operationId"] == "approve_action_also"


@every("endpoint, path", PLACES, ids=place)
def test_every_status_is_declared_with_its_content(endpoint: AnyEndpoint[Any], path: str) -> None:
    responses = operation_at(endpoint, path)["responses"]
    failures = {str(code.status) for code in endpoint.every_problem()}
    assert set(responses) == {str(status) for status in endpoint.statuses} | failures
    for status in endpoint.statuses:
        if status == 304:
            assert "content" not in responses["304"]
        else:
            assert endpoint.content in responses[str(status)]["content"]
    for code in endpoint.every_problem():
        answer = responses[str(code.status)]
        assert f"`{code}`" in answer["description"]
        narrowed = answer["content"]["application/problem+json"]["schema"]["properties"]
        assert code.value in narrowed["code"]["enum"]


@every("endpoint, path", PLACES, ids=place)
def test_who_may_call_is_said(endpoint: AnyEndpoint[Any], path: str) -> None:
    operation = operation_at(endpoint, path)
    if endpoint.roles is None:
        assert operation["security"] == []
        assert "x-roles" not in operation
    else:
        assert operation["security"] == [{"ApiKeyAuth": []}]
        assert set(operation["x-roles"]) == {role.value for role in endpoint.roles}


def test_the_key_travels_in_its_header() -> None:
    schemes = openapi()["components"]["securitySchemes"]
    assert schemes == {"ApiKeyAuth": {"type": "apiKey", "in": "header", "name": "x-api-key"}}


@every("endpoint, path", PLACES, ids=place)
def test_path_and_query_parameters_are_those_of_the_endpoint(endpoint: AnyEndpoint[Any], path: str) -> None:
    found = parameters(operation_at(endpoint, path))
    in_path = {part.strip("{}") for part in path.split("/") if part.startswith("{")}
    in_query = set(endpoint.query.__struct_encode_fields__) if endpoint.query else set()
    assert {name for name, each in found.items() if each["in"] == "path"} == in_path
    assert {name for name, each in found.items() if each["in"] == "query"} == in_query
    assert all(found[name]["required"] for name in in_path)


def test_a_query_parameter_has_type_range_and_default() -> None:
    found = parameters(openapi()["paths"]["/api/actions"]["get"])
    paging = {"description": "how many at most, 1 to 200"}
    assert found["limit"]["schema"] == paging | {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}
    assert found["status"]["schema"]["$ref"] == "#/components/schemas/ActionStatus"
    assert found["risk_min"]["schema"] == {"type": "number", "minimum": 0, "maximum": 100}
    assert found["limit"]["required"] is False


def test_ids_in_paths_are_described_as_ids() -> None:
    schema = parameters(openapi()["paths"]["/api/actions/{action_id}"]["get"])["action_id"]["schema"]
    check = Draft202012Validator(schema)
    assert all(check.is_valid(text) for text in ("act_01", "a.b:c-d", "x" * 128))
    assert not any(check.is_valid(text) for text in ("", "a/b", "a b", "..%2f", "a\n", "x" * 129, "é"))


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("post", "/api/actions", {"Idempotency-Key"}),
        ("post", "/api/actions/{action_id}/approve", {"Idempotency-Key", "Prefer"}),
        ("patch", "/api/actions/{action_id}", {"Idempotency-Key", "Prefer"}),
        ("post", "/api/guard", {"Idempotency-Key"}),
        ("get", "/api/stream", {"Last-Event-ID"}),
        ("get", "/api/data/{table}", {"If-None-Match"}),
        ("get", "/health", set()),
    ],
)
def test_headers_that_are_read_are_described(method: str, path: str, headers: set[str]) -> None:
    found = parameters(openapi()["paths"][path][method])
    assert {name for name, each in found.items() if each["in"] == "header"} == headers


def test_the_stream_is_an_event_stream() -> None:
    answer = openapi()["paths"]["/api/stream"]["get"]["responses"]["200"]
    assert list(answer["content"]) == ["text/event-stream"]


def test_a_table_is_a_file_in_one_of_four_formats_with_a_tag() -> None:
    operation = openapi()["paths"]["/api/data/{table}"]["get"]
    answer = operation["responses"]["200"]
    assert sorted(answer["content"]) == [
        "application/vnd.apache.arrow.stream",
        "application/vnd.apache.parquet",
        "application/x-ndjson",
        "text/csv",
    ]
    assert "ETag" in answer["headers"]
    assert "ETag" in operation["responses"]["304"]["headers"]
    assert operation["tags"] == ["data"]


def test_readiness_can_be_a_503_of_its_own_or_a_problem() -> None:
    content = openapi()["paths"]["/ready"]["get"]["responses"]["503"]["content"]
    assert content["application/json"]["schema"] == {"$ref": "#/components/schemas/Readiness"}
    assert "application/problem+json" in content


def test_bodies_say_what_becomes_of_unknown_members_and_how_large_they_may_be() -> None:
    closed = openapi()["paths"]["/api/halt"]["post"]["requestBody"]
    opened = openapi()["paths"]["/api/guard"]["post"]["requestBody"]
    assert "ignored" in closed["description"]
    assert "handling=strict" in closed["description"]
    assert "kept" in opened["description"]
    assert "1000000" in opened["description"]
    schemas = openapi()["components"]["schemas"]
    assert schemas["GuardContext"]["additionalProperties"] is True
    assert "additionalProperties" not in schemas["HaltRequest"]


@pytest.mark.parametrize(
    ("method", "path", "required"),
    [("post", "/api/guard", True), ("patch", "/api/actions/{action_id}", False), ("post", "/api/policies/test", False)],
)
def test_a_body_is_required_where_a_member_is(method: str, path: str, required: bool) -> None:
    assert openapi()["paths"][path][method]["requestBody"]["required"] is required


def test_times_are_described_as_times_also_where_they_can_be_missing() -> None:
    action = openapi()["components"]["schemas"]["Action"]["properties"]
    assert action["created_at"] == {"type": "string", "format": "date-time", "description": "when it was recorded"}
    assert {"type": "string", "format": "date-time"} in action["timestamp_end"]["anyOf"]
    assert "format" not in action["action_id"]


def test_an_answer_has_all_its_members_and_a_body_those_that_must_be_said() -> None:
    schemas = openapi()["components"]["schemas"]
    for name in ("Goal", "Action", "Handoff", "WorkflowTemplate"):
        sometimes = {"outcome_marks", "replaces"} if name == "Action" else set()
        assert schemas[name]["required"] == [each for each in schemas[name]["properties"] if each not in sometimes]
        assert not any("default" in member for member in schemas[name]["properties"].values())
    assert schemas["CreateGoal"]["required"] == ["title"]
    assert schemas["CreateGoal"]["properties"]["status"]["description"] == 'Default: `"active"`.'
    assert schemas["RecordedPreference"]["required"] == ["type", "id"]


def test_enumerations_keep_their_order() -> None:
    decision = openapi()["components"]["schemas"]["Decision"]
    assert decision["enum"] == ["allow", "warn", "require_approval", "block"]
    assert decision["type"] == "string"


def test_tags_are_the_nouns() -> None:
    names = [tag["name"] for tag in openapi()["tags"]]
    assert openapi()["paths"]["/api/actions/{action_id}/approve"]["post"]["tags"] == ["approvals"]
    used = {tag for methods in openapi()["paths"].values() for each in methods.values() for tag in each["tags"]}
    assert used == set(names)
    assert all(tag["description"] for tag in openapi()["tags"])


def test_descriptions_have_lost_the_indentation_of_the_source() -> None:
    for schema in openapi()["components"]["schemas"].values():
        assert "\n    " not in schema.get("description", "")


def test_two_operations_cannot_share_a_method_and_path() -> None:
    with pytest.raises(ValueError, match="GET /health is taken"):
        document([ENDPOINTS[-2], ENDPOINTS[-2]], "1")


class Tree(Record, frozen=True, kw_only=True):
    """Refers to itself, directly and in a list."""

    parent: "Tree | None"
    branches: "list[Tree]"


def test_a_type_that_refers_to_itself_comes_to_an_end() -> None:
    assert list(components([Tree])) == ["Tree"]


def test_two_types_cannot_share_a_name() -> None:
    def make() -> type[Struct]:
        class Tree(Struct):
            pass

        return Tree

    with pytest.raises(ValueError, match="called"):
        components([Tree, make()])
