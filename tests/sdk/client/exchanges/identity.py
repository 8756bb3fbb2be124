"""Pairings and identities: what is sent and answered."""

from __future__ import annotations

from typing import Any

from tests.sdk.client import samples
from tests.sdk.client.case import Case

PEM = "-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----\n"
STATUS: dict[str, Any] = {
    "id": "pair_1",
    "pairing_id": "pair_1",
    "agent_id": "agent-7",
    "agent_name": None,
    "algorithm": "RSASSA-PKCS1-v1_5",
    "status": "pending",
    "expires_at": samples.NOW,
    "created_at": samples.NOW,
    "updated_at": samples.NOW,
}
PAIRING: dict[str, Any] = {
    **STATUS,
    "org_id": "org_1",
    "public_key": PEM,
    "fingerprint": "sha256:00",
    "created_by": "key_1",
    "approved_by": None,
    "approved_at": None,
}
IDENTITY: dict[str, Any] = {
    "org_id": "org_1",
    "identity_id": "idn_1",
    "agent_id": "agent-7",
    "algorithm": "Ed25519",
    "public_key": PEM,
    "fingerprint": "sha256:00",
    "pairing_id": None,
    "registered_by": "key_1",
    "revoked_at": None,
    "revoked_by": None,
    "created_at": samples.NOW,
    "updated_at": samples.NOW,
}
CREATED = {
    "pairing": PAIRING,
    "pairing_url": "http://127.0.0.1:8485/settings?section=pairings&pairing_id=pair_1",
}

CASES = [
    # What is the default of the wire is not sent.
    Case("create_pairing", "POST", "/api/pairings", {"public_key": PEM, "agent_id": "agent-7"}, CREATED, (PEM,)),
    Case(
        "create_pairing",
        "POST",
        "/api/pairings",
        {"public_key": PEM, "algorithm": "Ed25519", "agent_name": "Seven", "agent_id": "other"},
        CREATED,
        (PEM, "Ed25519", "Seven"),
        {"agent_id": "other"},
        same=" of another agent",
    ),
    Case("get_pairing", "GET", "/api/pairings/pair_1", answer={"pairing": STATUS}, args=("pair_1",)),
    Case("get_pairings", "GET", "/api/pairings?status=pending&limit=50", answer={"pairings": [PAIRING]}),
    Case(
        "get_pairings",
        "GET",
        "/api/pairings?status=expired&limit=3",
        answer={"pairings": []},
        args=("expired", 3),
        same=" expired",
    ),
    Case(
        "approve_pairing",
        "POST",
        "/api/pairings/pair_1/approve",
        answer={"identity": IDENTITY, "pairing": {**PAIRING, "status": "approved"}},
        args=("pair_1",),
    ),
    Case(
        "register_identity",
        "POST",
        "/api/identities",
        {"agent_id": "bot", "public_key": PEM, "algorithm": "Ed25519"},
        {"identity": IDENTITY},
        ("bot", PEM, "Ed25519"),
    ),
    Case("get_identities", "GET", "/api/identities", answer={"identities": [IDENTITY]}),
    Case(
        "revoke_identity",
        "DELETE",
        "/api/identities/agent-7",
        answer={"identity": {**IDENTITY, "revoked_at": samples.NOW, "revoked_by": "key_1"}, "revoked": True},
        args=("agent-7",),
    ),
]
