"""What the operations of signing keys send and are answered."""

from __future__ import annotations

from typing import Any

from tests.sdk.client.case import Case
from tests.sdk.client.samples import NOW

KID = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
X = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"


def key(**changed: Any) -> dict[str, Any]:
    return {
        "org_id": "org_1",
        "kid": KID,
        "x": X,
        "status": "active",
        "not_before": NOW,
        "not_after": NOW,
        "created_at": NOW,
        "created_by": "system",
        "retired_at": None,
        "retired_by": None,
        "revoked_at": None,
        "revoked_by": None,
        "reason": None,
        "updated_at": NOW,
        **changed,
    }


JWK = {"kty": "OKP", "crv": "Ed25519", "x": X, "kid": KID, "use": "sig", "alg": "EdDSA", "nbf": 1, "exp": 2}
REVOKED = {**JWK, "revoked": {"revoked_at": 3, "reason": "stolen"}}

CASES: list[Case] = [
    Case("get_signing_keys", "GET", "/api/signing-keys", answer={"keys": [key()]}),
    Case(
        "rotate_signing_key",
        "POST",
        "/api/signing-keys/rotate",
        {},
        {"key": key(), "retired": None},
        status=201,
    ),
    Case(
        "rotate_signing_key",
        "POST",
        "/api/signing-keys/rotate",
        {"reason": "yearly"},
        {"key": key(), "retired": key(status="retired", retired_at=NOW, retired_by="key_1", reason="yearly")},
        ("yearly",),
        status=201,
        same=" with a reason",
    ),
    Case(
        "revoke_signing_key",
        "POST",
        f"/api/signing-keys/{KID}/revoke",
        {"reason": "stolen"},
        {"key": key(status="revoked", revoked_at=NOW, revoked_by="key_1", reason="stolen"), "revoked": True},
        (KID, "stolen"),
    ),
    Case("get_jwks", "GET", "/.well-known/jwks.json", answer={"keys": []}),
    Case(
        "get_jwks",
        "GET",
        "/.well-known/jwks.json?org_id=org_1",
        answer={"keys": [JWK, REVOKED]},
        args=("org_1",),
        same=" of an organization",
    ),
]
