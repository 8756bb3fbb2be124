"""What the Node client has of the API's document: its operations by name, and their types.

The table of operations needs no Node. The types are made by openapi-typescript, which `npm install` in sdk/typescript
brings; where it is not there, the file's first line still tells of which document it was made.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from assent.contract.endpoint import AnyEndpoint
from assent.contract.events import STREAM
from assent.contract.ids import BELONGS, NAMES
from assent.contract.operations import ENDPOINTS
from assent.contract.spelling import camel
from tests.openapi import openapi

FOLDER = Path(__file__).parents[2] / "sdk" / "typescript"
OPERATIONS, TYPES = "sdk/typescript/src/operations.ts", "sdk/typescript/src/api.ts"
GENERATOR = FOLDER / "node_modules" / "openapi-typescript" / "bin" / "cli.js"
_WRITTEN = "// Written by `make golden` from the API's document; change that instead."
_FILES = {"bytes", "File"}
_ALSO = "_also"


def operations_source() -> str:
    """Method -> HTTP method, path and what else there is, with the signature of each."""
    answers = {endpoint.operation: endpoint.response.__name__ in _FILES for endpoint in ENDPOINTS}
    analyses = {endpoint.operation for endpoint in ENDPOINTS if endpoint.analyzes}
    ids = {endpoint.operation: _ids_of(endpoint) for endpoint in ENDPOINTS}
    table: list[str] = []
    signatures: list[str] = []
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            name = operation["operationId"]
            words = [method.upper(), path]
            words += ["body"] if "requestBody" in operation else []
            words += ["query"] if any(_place(each) == "query" for each in operation["parameters"]) else []
            words += ["analysis"] if name in analyses else []
            words += ["file"] if answers[name] else []
            words += [f"#{each}" for each in ids[name]]
            said = openapi()["paths"][path][method]["summary"]
            table.append(f'  {camel(name)}: "{" ".join(words)}",')
            signatures += [f"  /** {said} */", f"  {_signature(name, words, operation)};"]
    return "\n".join(
        [
            _WRITTEN,
            'import type { Answer, Body, CallOptions, DownloadedFile, Query } from "./types.js";',
            "",
            "/** Each operation: HTTP method, path; whether it has a body, a query, takes long or answers a file;",
            " * and which of its members hold the service's ids. */",
            "export const OPERATIONS = {",
            *table,
            "} as const;",
            "",
            "/** What the service's ids begin with, and what each is of. */",
            "export const ID_NAMES = {",
            *(f"  {prefix}: {json.dumps(name)}," for prefix, name in NAMES.items()),
            "} as const;",
            "",
            "/** By the member that holds it, what an id begins with there. */",
            "export const BELONGS = {",
            *(f'  {member}: "{" ".join(prefixes)}",' for member, prefixes in BELONGS.items()),
            "} as const;",
            "",
            "/** The operations as methods: what is in the path, the body, the query. */",
            "export interface Calls {",
            *signatures,
            "}",
            "",
        ]
    )


def _ids_of(endpoint: AnyEndpoint[Any]) -> list[str]:
    """Of an open body only the contract's own members: the others are the caller's."""
    shapes = (endpoint.request, endpoint.query)
    own = {member for shape in shapes if shape is not None for member in shape.__struct_encode_fields__}
    return sorted(own & set(BELONGS))


def _signature(name: str, words: list[str], operation: dict[str, Any]) -> str:
    given = [f"{camel(each)}: string" for each in re.findall(r"\{(\w+)\}", words[1])]
    if "body" in words:
        given.append(f'body: Body<"{name}">')
    if "query" in words:
        needed = any(each.get("required") for each in operation["parameters"] if _place(each) == "query")
        given.append(f'query{"" if needed else "?"}: Query<"{name}">')
    answer = "DownloadedFile" if "file" in words else f'Answer<"{name}">'
    return f"{camel(name)}({', '.join([*given, 'options?: CallOptions'])}): Promise<{answer}>"


def _place(parameter: dict[str, Any]) -> str:
    if "$ref" in parameter:
        parameter = openapi()["components"]["parameters"][parameter["$ref"].rpartition("/")[2]]
    return str(parameter["in"])


@cache
def document() -> dict[str, Any]:
    """The API's document as the types need it: one name for each operation, what it takes and what it answers. What is
    said in prose, examples, headers and problems are left out, which are three quarters of the types."""
    whole = _plain(openapi())
    paths: dict[str, Any] = {}
    for path, methods in whole["paths"].items():
        kept = {
            method: {
                "operationId": operation["operationId"],
                "parameters": [each for each in operation["parameters"] if _place(each) != "header"],
                **({"requestBody": operation["requestBody"]} if "requestBody" in operation else {}),
                "responses": {
                    status: {"description": "", "content": answer.get("content", {})}
                    for status, answer in operation["responses"].items()
                    if status.startswith("2")
                },
            }
            for method, operation in methods.items()
            if path != STREAM.path and not operation["operationId"].endswith(_ALSO)
        }
        if kept:
            paths[path] = kept
    schemas, parameters = whole["components"]["schemas"], whole["components"]["parameters"]
    used = {name: each for name, each in parameters.items() if each["in"] != "header"}
    return {
        "openapi": whole["openapi"],
        "info": {"title": "Assent", "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas, "parameters": used},
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items() if name not in ("example", "examples")}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def types_head() -> str:
    """The first lines of the types, by which anybody sees of which document they were made."""
    digest = sha256(json.dumps(document(), sort_keys=True).encode()).hexdigest()
    return f"{_WRITTEN}\n// By openapi-typescript; SHA-256 of what it read: {digest}\n"


def types_source() -> str | None:
    """The types; None where the generator is not installed."""
    if shutil.which("node") is None or not GENERATOR.is_file():
        return None
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "openapi.json"
        given.write_text(json.dumps(document()), encoding="utf-8")
        done = subprocess.run(
            ["node", str(GENERATOR), str(given)], cwd=folder, capture_output=True, text=True, check=True, timeout=120
        )
    begin = done.stdout.index("export interface paths")
    # Nobody asks by path: the operations have all that stands there.
    operations = done.stdout[begin:]
    operations = operations[operations.index("export type webhooks") :]
    return types_head() + "\n" + re.sub(r"^( {4})+", lambda found: "\t" * (len(found[0]) // 4), operations, flags=re.M)
