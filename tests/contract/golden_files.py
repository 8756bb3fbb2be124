"""The contract as files under tests/contract/golden: every shape as a JSON schema, and the table of endpoints.

They are compared with the code by test_golden.py, so that a change of the API shows in a review as what it is.
"""

import json
from typing import Any

from assent.contract.endpoint import Endpoint
from assent.contract.file import FILES
from assent.contract.openapi_operation import roles
from assent.contract.openapi_schemas import standalone
from assent.contract.operations import ENDPOINTS
from assent.contract.problems import Problem

FOLDER = "tests/contract/golden"


def golden_files() -> dict[str, str]:
    """The text of each file, by its path from the top of the repository."""
    found = {"endpoints.json": _text([_row(endpoint) for endpoint in ENDPOINTS]), "problem.json": _schema(Problem)}
    for endpoint in ENDPOINTS:
        for kind in ("request", "query", "response", "alternative"):
            shape = getattr(endpoint, kind)
            # A file has no schema.
            if shape is not None and shape not in FILES:
                found[f"{endpoint.operation}.{kind}.json"] = _schema(shape)
    return {f"{FOLDER}/{name}": text for name, text in found.items()}


def _row(endpoint: Endpoint[Any]) -> dict[str, Any]:
    return {
        "operation": endpoint.operation,
        "method": endpoint.method,
        "path": endpoint.path,
        "also": endpoint.also,
        "roles": None if endpoint.roles is None else roles(endpoint),
        "limit": endpoint.limit,
        "open_body": endpoint.open_body,
        "content": endpoint.content,
        "statuses": endpoint.statuses,
        "problems": sorted(endpoint.every_problem()),
    }


def _schema(shape: Any) -> str:
    return _text(standalone(shape))


def _text(data: object) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
