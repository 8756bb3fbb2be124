"""The contract as an OpenAPI 3.1.1 document.

It is made from the same endpoints as the service's routes and the SDK's methods, so it cannot say anything else than
they do. Every path an endpoint is served on is a path of the document: further ones carry the operation's name with
`_also`. Tags are the contract's nouns.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from assent.contract.endpoint import Endpoint
from assent.contract.file import FILES
from assent.contract.openapi_operation import SECURITY_SCHEME, noun, operation, placeholders, subject
from assent.contract.openapi_schemas import Schema, components
from assent.contract.problems import Problem
from assent.contract.record import Id, Record

OPENAPI = "3.1.1"


def document(endpoints: Sequence[Endpoint[Any]], version: str) -> Schema:
    """The OpenAPI document of `endpoints`, as plain data; `version` is the service's own.

    Raises ValueError when two types of the contract share a name, or two operations a method and path.
    """
    schemas = components([*_shapes(endpoints), Problem])
    paths = _paths(endpoints, schemas)
    queries = {endpoint.query.__name__ for endpoint in endpoints if endpoint.query is not None}
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
        "tags": _tags(endpoints),
        "paths": paths,
        "components": {
            # Queries appear as parameters, one for each member.
            "schemas": {name: schema for name, schema in sorted(schemas.items()) if name not in queries},
            "parameters": _path_parameters(endpoints) | _HEADER_PARAMETERS,
            "headers": _ANSWER_HEADERS,
            "securitySchemes": {SECURITY_SCHEME: {"type": "apiKey", "in": "header", "name": "x-api-key"}},
        },
    }


def _shapes(endpoints: Iterable[Endpoint[Any]]) -> list[type]:
    found: list[type | None] = []
    for endpoint in endpoints:
        found += [endpoint.request, endpoint.query, endpoint.response, endpoint.alternative]
    # A file has no schema of ours.
    return [shape for shape in found if shape is not None and shape not in FILES]


def _paths(endpoints: Iterable[Endpoint[Any]], schemas: dict[str, Schema]) -> dict[str, Schema]:
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


def _tags(endpoints: Iterable[Endpoint[Any]]) -> list[Schema]:
    """The nouns in the order of the endpoints, described by the first paragraph of their modules."""
    found: dict[str, Schema] = {}
    for endpoint in endpoints:
        name = noun(endpoint)
        about = sys.modules[subject(endpoint).__module__].__doc__ or ""
        found.setdefault(name, {"name": name, "description": about.strip().partition("\n\n")[0]})
    return list(found.values())


class _IdHolder(Record, frozen=True, kw_only=True):
    """Gives `Id` a place to be rendered from."""

    id: Id


def _path_parameters(endpoints: Iterable[Endpoint[Any]]) -> dict[str, Schema]:
    schema = components([_IdHolder])[_IdHolder.__name__]["properties"]["id"]
    names = {name for endpoint in endpoints for name in placeholders(endpoint.path)}
    return {name: {"name": name, "in": "path", "required": True, "schema": schema} for name in sorted(names)}


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
