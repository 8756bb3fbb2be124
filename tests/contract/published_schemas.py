"""The JSON Schemas of what leaves the house and outlives it: bundles and certificates, under docs/schemas.

They are closed: a member that the struct does not have is not allowed, since every member of a bundle is proven.
"""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from assent.contract.evidence.certificates import Certificate, OrganizationCertificate
from assent.contract.evidence.proofs import ProofBundle
from assent.contract.openapi_schemas import standalone

FOLDER = "docs/schemas"
SHAPES: dict[str, type[Struct]] = {
    "svc.proof.v1": ProofBundle,
    "svc.certificate.v1": Certificate,
    "svc.organization.v1": OrganizationCertificate,
}
_OF_KIND = [
    {
        "if": {"properties": {"kind": {"const": "action"}}},
        "then": {"properties": {"action_id": {"type": "string"}, "events": {"minItems": 1}}},
        "else": {"properties": {"action_id": {"type": "null"}, "events": {"maxItems": 0}}},
    }
]


def published_schemas() -> dict[str, str]:
    """The text of each file, by its path from the top of the repository."""
    return {f"{FOLDER}/{name}.json": json.dumps(schema_of(name), indent=2) + "\n" for name in SHAPES}


def schema_of(name: str) -> dict[str, Any]:
    """The schema of that name."""
    schema = standalone(SHAPES[name])
    for each in (schema, *schema.get("$defs", {}).values()):
        if "properties" in each:
            each["additionalProperties"] = False
    rules = {"allOf": _OF_KIND} if name == "svc.proof.v1" else {}
    return {"$schema": schema.pop("$schema"), "$id": f"urn:assent:schema:{name}", **schema, **rules}
