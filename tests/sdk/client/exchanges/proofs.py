"""Proofs, written down by hand from the contract."""

from __future__ import annotations

from typing import Any

from tests.sdk.client import samples
from tests.sdk.client.case import Case

HEX = "ab" * 32
ID = "sha256:" + HEX
NOTE = "assent.local/org_1\n7\nq6urq6s=\nsigned_at 2026-11-20T10:00:00.000000Z\n\n\N{EM DASH} assent.local/org_1 q6ur\n"
HEAD: dict[str, Any] = {
    "origin": "assent.local/org_1",
    "size": 7,
    "root": HEX,
    "signed_at": samples.NOW,
    "kid": "kPrK",
    "checkpoint": NOTE,
}
CHECK = {"name": "inclusion", "status": "pass", "detail": "3 events", "expected": None, "found": None}
CERTIFICATE = {"action_id": "act_0192", "status": "completed"}
BUNDLE: dict[str, Any] = {
    "schema": "svc.proof.v1",
    "bundle_id": ID,
    "kind": "action",
    "org_id": "org_1",
    "action_id": "act_0192",
    "digest": ID,
    "attestation": {
        "payload": "e30=",
        "payloadType": "application/vnd.in-toto+json",
        "signatures": [{"keyid": "kPrK", "sig": "AA=="}],
    },
    "checkpoint": NOTE,
    "events": [{"header": "{}", "body": None, "inclusion": [HEX]}],
    "policies": [{"policy_id": "pol_1", "rules": {"threshold": 80}}],
    "consistency": [{"checkpoint": NOTE, "hashes": []}],
    "keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA", "kid": "kPrK"}],
}
SNAPSHOT: dict[str, Any] = {
    "schema": "svc.proof.snapshot.v1",
    "kind": "action",
    "org_id": "org_1",
    "action_id": "act_0192",
    "generated_at": samples.NOW,
    "ok": True,
    "summary": "The proof of action act_0192 holds, under a signed log of 7 events.",
    "digest": ID,
    "head": HEAD,
    "checks": [CHECK],
    "certificate": CERTIFICATE,
}
VERIFICATION: dict[str, Any] = {
    "ok": True,
    "schema": "svc.proof.v1",
    "kind": "action",
    "org_id": "org_1",
    "action_id": "act_0192",
    "bundle_id": ID,
    "digest": ID,
    "signer": "trusted",
    "checks": [CHECK],
    "certificate": CERTIFICATE,
}
PROOF = "/api/governance/proof"

CASES: list[Case] = [
    Case("get_governance_proof", "GET", f"{PROOF}?action_id=act_0192", answer=SNAPSHOT, args=("act_0192",)),
    Case("get_governance_proof", "GET", PROOF, answer=SNAPSHOT, same=" of the organization"),
    Case(
        "get_governance_proof",
        "GET",
        f"{PROOF}?action_id=act_0192&format=bundle",
        answer=BUNDLE,
        args=("act_0192", "bundle"),
        same=" as a bundle",
    ),
    Case(
        "get_governance_proof_bundle",
        "GET",
        f"{PROOF}?action_id=act_0192&format=bundle&since=3",
        answer=BUNDLE,
        args=("act_0192", 3),
        of="get_governance_proof",
    ),
    Case(
        "verify_governance_proof",
        "POST",
        f"{PROOF}/verify",
        {"action_id": "act_0192"},
        VERIFICATION,
        ("act_0192",),
    ),
    Case(
        "verify_governance_proof",
        "POST",
        f"{PROOF}/verify",
        {"bundle": BUNDLE, "since": NOTE},
        VERIFICATION,
        kwargs={"bundle": BUNDLE, "since": NOTE},
        same=" of a bundle",
    ),
    Case(
        "export_proof", "GET", f"{PROOF}/export?action_id=act_0192&since=3", answer=BUNDLE, args=("act_0192", None, 3)
    ),
    Case(
        "export_proof",
        "GET",
        f"{PROOF}/export?bundle_id=sha256%3A{HEX}",
        answer=BUNDLE,
        kwargs={"bundle_id": ID},
        same=" again",
    ),
    Case("get_log_head", "GET", "/api/log/head", answer=HEAD),
    Case("get_log_head", "GET", "/api/log/head?size=7", answer=HEAD, args=(7,), same=" of a size"),
    Case(
        "get_inclusion_proof",
        "GET",
        "/api/log/inclusion?n=0&size=7",
        answer={"n": 0, "leaf_hash": HEX, "hashes": [HEX], "head": HEAD},
        args=(0, 7),
    ),
    Case(
        "get_consistency_proof",
        "GET",
        "/api/log/consistency?from=3&to=7",
        answer={"first": HEAD, "second": HEAD, "hashes": [HEX]},
        args=(3, 7),
    ),
]
