"""The contract as an OpenAPI 3.1.1 document.

It is made from the same endpoints as the service's routes and the SDK's methods, so it cannot say anything else than
they do. Every path an endpoint is served on is a path of the document: further ones carry the operation's name with
`_also`. Tags are the contract's nouns.

What a body's member is by default stands in its description: beside a type it would make TypeScript's generators
write a member that has to be sent.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from assent.contract.endpoint import AnyEndpoint
from assent.contract.examples import text
from assent.contract.file import FILES
from assent.contract.meanings import meanings, structs_of
from assent.contract.openapi_operation import SECURITY_SCHEME, noun, operation, placeholders, subject, wing
from assent.contract.openapi_schemas import Schema, components
from assent.contract.problems import Problem
from assent.contract.record import Id, Record

OPENAPI = "3.1.1"


def document(endpoints: Sequence[AnyEndpoint[Any]], version: str) -> Schema:
    """The OpenAPI document of `endpoints`, as plain data; `version` is the service's own.

    Raises ValueError when two types of the contract share a name, or two operations a method and path.
    """
    schemas = shapes(endpoints)
    paths = _paths(endpoints, schemas)
    queries = {endpoint.query.__name__ for endpoint in endpoints if endpoint.query is not None}
    bodies = {endpoint.request.__name__ for endpoint in endpoints if endpoint.request is not None}
    for name in bodies:
        schemas[name]["properties"] = {
            member: _described_default(schema) for member, schema in schemas[name]["properties"].items()
        }
    open_bodies = {endpoint.request.__name__ for endpoint in endpoints if endpoint.request and endpoint.open_body}
    for name in open_bodies:
        schemas[name]["additionalProperties"] = True
    return {
        "openapi": OPENAPI,
        "info": {
            "title": "Assent",
            "version": version,
            "summary": "Governance for AI agents: ask before acting, record durably, decide together.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "The service that this document comes from."}],
        "tags": _tags(endpoints),
        "x-tagGroups": _tag_groups(endpoints),
        "paths": paths,
        "components": {
            # Queries appear as parameters, one for each member.
            "schemas": {name: schema for name, schema in sorted(schemas.items()) if name not in queries},
            "parameters": _path_parameters(endpoints) | _HEADER_PARAMETERS,
            "headers": _ANSWER_HEADERS,
            "securitySchemes": {SECURITY_SCHEME: {"type": "apiKey", "in": "header", "name": "x-api-key"}},
        },
    }


def shapes(endpoints: Iterable[AnyEndpoint[Any]]) -> dict[str, Schema]:
    """A schema for everything that the operations take and answer, by the name of the class; each member says what it
    means, as far as that is told anywhere."""
    taken = [(shape, each.response) for each in endpoints for shape in (each.request, each.query)]
    answered = [(shape, None) for each in endpoints for shape in (each.response, each.alternative)]
    # A file has no schema of ours.
    told = [(shape, answer) for shape, answer in (*taken, *answered) if shape is not None and shape not in FILES]
    schemas = components([*(shape for shape, _ in told), Problem])
    for shape, answer in told:
        for part in structs_of(shape):
            _describe(schemas[part.__name__]["properties"], part, answer)
    return schemas


def _describe(members: dict[str, Schema], shape: type[Struct], answer: object) -> None:
    names = dict(zip(shape.__struct_fields__, shape.__struct_encode_fields__, strict=True))
    for name, sentence in meanings(shape, answer).items():
        member = members[names[name]]
        if not any("description" in each for each in (member, *member.get("anyOf", []))):
            member["description"] = sentence


def _paths(endpoints: Iterable[AnyEndpoint[Any]], schemas: dict[str, Schema]) -> dict[str, Schema]:
    paths: dict[str, Schema] = {}
    for endpoint in endpoints:
        for number, path in enumerate((endpoint.path, *endpoint.also)):
            suffix = "" if number == 0 else "_also" if number == 1 else f"_also_{number}"
            methods = paths.setdefault(path, {})
            method = endpoint.method.lower()
            if method in methods:
                raise ValueError(f"{endpoint.operation}: {endpoint.method} {path} is taken by another operation")
            methods[method] = operation(endpoint, path, endpoint.operation + suffix, schemas)
    return paths


def _described_default(member: Schema) -> Schema:
    if "default" not in member:
        return member
    said = {key: value for key, value in member.items() if key != "default"}
    default = f"Default: `{json.dumps(member['default'])}`."
    return said | {"description": f"{said['description']} {default}" if "description" in said else default}


def _tags(endpoints: Iterable[AnyEndpoint[Any]]) -> list[Schema]:
    """The nouns in the order of the endpoints, described by the first paragraph of their modules."""
    found: dict[str, Schema] = {}
    for endpoint in endpoints:
        name = noun(endpoint)
        about = sys.modules[subject(endpoint).__module__].__doc__ or ""
        found.setdefault(name, {"name": name, "description": about.strip().partition("\n\n")[0]})
    return list(found.values())


def _tag_groups(endpoints: Iterable[AnyEndpoint[Any]]) -> list[Schema]:
    """The wings with their nouns, for pages that show tags in groups."""
    found: dict[str, dict[str, None]] = {}
    for endpoint in endpoints:
        found.setdefault(wing(endpoint), {})[noun(endpoint)] = None
    return [{"name": name, "tags": list(nouns)} for name, nouns in found.items()]


class _IdHolder(Record, frozen=True, kw_only=True):
    """Gives `Id` a place to be rendered from."""

    id: Id


def _path_parameters(endpoints: Iterable[AnyEndpoint[Any]]) -> dict[str, Schema]:
    schema = components([_IdHolder])[_IdHolder.__name__]["properties"]["id"]
    names = {name for endpoint in endpoints for name in placeholders(endpoint.path)}
    return {
        name: {"name": name, "in": "path", "required": True, "schema": schema, "example": text(name)}
        for name in sorted(names)
    }


_HEADER_PARAMETERS: dict[str, Schema] = {
    "Idempotency-Key": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "A repeated call with the same key gets the first answer again: printable ASCII, "
        "bare or in double quotes.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 257},
    },
    "Prefer": {
        "name": "Prefer",
        "in": "header",
        "description": "`handling=strict` refuses unknown members instead of ignoring them.",
        "schema": {"type": "string", "examples": ["handling=strict"]},
    },
    "Last-Event-ID": {
        "name": "Last-Event-ID",
        "in": "header",
        "description": "The number of the last event received; the stream goes on after it, 0 from the beginning.",
        "schema": {"type": "string", "pattern": "^[0-9]+$"},
    },
}
_ANSWER_HEADERS: dict[str, Schema] = {
    "Allow": {"description": "The methods that are served here.", "schema": {"type": "string"}},
    "Retry-After": {"description": "Seconds after which to try again.", "schema": {"type": "integer", "minimum": 0}},
}
