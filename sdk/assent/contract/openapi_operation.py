"""One endpoint as an OpenAPI operation: its parameters, its body and everything it can answer.

A problem's code decides its status (`problems.Code`), so each status lists the codes that lead to it, and the
schema of the answer allows no others. Query parameters have no null: leaving one out says the same. Each operation has
one example: its body, where it takes none its answer, and where that is a file, its parameters.
"""

from __future__ import annotations

import json
import re
from http import HTTPStatus
from typing import Any

from assent.contract.endpoint import AnyEndpoint
from assent.contract.examples import answer
from assent.contract.file import FILES
from assent.contract.openapi_schemas import REFERENCE, Schema
from assent.contract.problems import PROBLEM_JSON, Code
from assent.contract.roles import Role

SECURITY_SCHEME = "ApiKeyAuth"
IDEMPOTENT = frozenset(
    {"guard", "create_action", "update_outcome", "report_action_outcome", "approve_action", "claim_action"}
)
"""Operations that read the header Idempotency-Key."""
NOT_MODIFIED = 304
EVENT_STREAM = "text/event-stream"

_IF_NONE_MATCH: Schema = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The `ETag` of an earlier answer: while that is still right, 304 comes instead of the body.",
    "schema": {"type": "string"},
}
_ETAG: Schema = {
    "description": "Changes whenever the answer may; to be sent back as `If-None-Match`.",
    "schema": {"type": "string"},
}
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def operation(endpoint: AnyEndpoint[Any], path: str, operation_id: str, schemas: dict[str, Schema]) -> Schema:
    """The operation object of `endpoint` on `path`, which is its own or one of its others."""
    members: Schema = {
        "operationId": operation_id,
        "tags": [noun(endpoint)],
        "summary": endpoint.summary,
        "description": _description(endpoint, path),
        "parameters": _parameters(endpoint, path, schemas),
        "responses": _responses(endpoint, schemas),
    }
    if endpoint.request is not None:
        members["requestBody"] = _body(endpoint, schemas)
    if endpoint.roles is None:
        members["security"] = []
    else:
        members["security"] = [{SECURITY_SCHEME: []}]
        members["x-roles"] = roles(endpoint)
    return members


def noun(endpoint: AnyEndpoint[Any]) -> str:
    """What an endpoint is about: the contract's module that declares its subject."""
    return subject(endpoint).__module__.rpartition(".")[2]


def wing(endpoint: AnyEndpoint[Any]) -> str:
    """The package of the contract that its noun is in; `service` for what every noun stands on."""
    parts = subject(endpoint).__module__.split(".")
    return parts[2] if len(parts) > 3 else "service"


def subject(endpoint: AnyEndpoint[Any]) -> type:
    """The struct that tells what an endpoint is about: its request, else its response; its query where it answers with
    a file."""
    if endpoint.response in FILES:
        assert endpoint.query is not None, f"{endpoint.operation} has no struct of its own"
        return endpoint.query
    return endpoint.request or endpoint.response


def roles(endpoint: AnyEndpoint[Any]) -> list[str]:
    """The roles that may call it, in the order of `Role`; none where no key is needed."""
    return [role.value for role in Role if endpoint.roles is not None and role in endpoint.roles]


def placeholders(path: str) -> list[str]:
    return _PLACEHOLDER.findall(path)


def _description(endpoint: AnyEndpoint[Any], path: str) -> str:
    lines = [endpoint.summary]
    if path != endpoint.path:
        lines.append(f"The same as `{endpoint.method} {endpoint.path}`, for clients that use this path.")
    allowed = ", ".join(roles(endpoint))
    lines.append(f"Roles: {allowed}." if endpoint.roles is not None else "Needs no key.")
    return "\n\n".join(lines)


def _parameters(endpoint: AnyEndpoint[Any], path: str, schemas: dict[str, Schema]) -> list[Schema]:
    found: list[Schema] = [{"$ref": f"#/components/parameters/{name}"} for name in placeholders(path)]
    if endpoint.query is not None:
        shape = schemas[endpoint.query.__name__]
        for name, member in shape["properties"].items():
            required = name in shape["required"]
            values = _without_null(member)
            parameter: Schema = {"name": name, "in": "query", "required": required, "schema": values}
            if endpoint.response in FILES:
                parameter["example"] = answer(values, schemas, name)
            found.append(parameter)
    if endpoint.operation in IDEMPOTENT:
        found.append({"$ref": "#/components/parameters/Idempotency-Key"})
    if endpoint.request is not None and not endpoint.open_body:
        found.append({"$ref": "#/components/parameters/Prefer"})
    if endpoint.content == EVENT_STREAM:
        found.append({"$ref": "#/components/parameters/Last-Event-ID"})
    if NOT_MODIFIED in endpoint.statuses:
        found.append(_IF_NONE_MATCH)
    return found


def _without_null(member: Schema) -> Schema:
    branches = [branch for branch in member.get("anyOf", []) if branch != {"type": "null"}]
    rest = {key: value for key, value in member.items() if key != "anyOf" and (key, value) != ("default", None)}
    return rest | (branches[0] if len(branches) == 1 else {"anyOf": branches} if branches else {})


def _body(endpoint: AnyEndpoint[Any], schemas: dict[str, Schema]) -> Schema:
    assert endpoint.request is not None
    name, example = endpoint.request.__name__, endpoint.request.example
    unknown = (
        "Further members are kept with the call."
        if endpoint.open_body
        else "Unknown members are ignored; with `Prefer: handling=strict` they are refused (`unknown_member`)."
    )
    return {
        "description": f"{unknown} At most {endpoint.limit} bytes.",
        # An empty body means an empty object.
        "required": bool(schemas[name]["required"]),
        "content": {"application/json": {"schema": {"$ref": REFERENCE.format(name=name)}, "example": example}},
    }


def _responses(endpoint: AnyEndpoint[Any], schemas: dict[str, Schema]) -> Schema:
    found: Schema = {}
    for status in endpoint.statuses:
        found[str(status)] = _success(endpoint, status)
    if endpoint.request is None and endpoint.response not in FILES:
        usual = found[str(endpoint.statuses[0])]["content"][endpoint.content]
        usual["example"] = _example(endpoint, usual["schema"], schemas)
    for status in sorted({code.status for code in endpoint.every_problem()}):
        codes = [code for code in endpoint.every_problem() if code.status == status]
        problem = _problem(status, codes)
        other = found.get(str(status))
        if other is not None:
            problem["description"] = f"{other['description']}, or a problem:\n\n{problem['description']}"
            problem["content"] = other["content"] | problem["content"]
        found[str(status)] = problem
    return found


def _example(endpoint: AnyEndpoint[Any], schema: Schema, schemas: dict[str, Schema]) -> object:
    if endpoint.content != EVENT_STREAM:
        return answer(schema, schemas)
    event = answer({"$ref": REFERENCE.format(name=endpoint.response.__name__)}, schemas)
    return f"id: {event['id']}\nevent: {event['event']}\ndata: {json.dumps(event['data'])}\n\n"


def _success(endpoint: AnyEndpoint[Any], status: int) -> Schema:
    success: Schema = {"description": HTTPStatus(status).phrase}
    if status == NOT_MODIFIED:
        success["description"] = "What the caller has is still right; there is no body."
    elif endpoint.response in FILES:
        # OpenAPI 3.1 describes a file by its media type alone.
        success["content"] = {media_type: {} for media_type in endpoint.contents or (endpoint.content,)}
    else:
        success["content"] = {endpoint.content: {"schema": _answer(endpoint)}}
    if NOT_MODIFIED in endpoint.statuses:
        success["headers"] = {"ETag": _ETAG}
    return success


def _answer(endpoint: AnyEndpoint[Any]) -> Schema:
    name = endpoint.response.__name__
    if endpoint.content != EVENT_STREAM:
        answer = {"$ref": REFERENCE.format(name=name)}
        if endpoint.alternative is None:
            return answer
        return {"anyOf": [answer, {"$ref": REFERENCE.format(name=endpoint.alternative.__name__)}]}
    # OpenAPI 3.1 cannot describe the frames of a stream.
    return {"type": "string", "description": f"Frames of `id`, `event` and `data`, each a `{name}`."}


def _problem(status: int, codes: list[Code]) -> Schema:
    lines = [f"- `{code}`: {code.when} {code.remedy}" for code in codes]
    narrowed = {
        "$ref": REFERENCE.format(name="Problem"),
        "properties": {"status": {"const": status}, "code": {"enum": [code.value for code in codes]}},
    }
    answer: Schema = {"description": "\n".join(lines), "content": {PROBLEM_JSON: {"schema": narrowed}}}
    if status == Code.METHOD_NOT_ALLOWED.status:
        answer["headers"] = {"Allow": {"$ref": "#/components/headers/Allow"}}
    if status == Code.STORAGE_UNAVAILABLE.status:
        answer["headers"] = {"Retry-After": {"$ref": "#/components/headers/Retry-After"}}
    return answer
