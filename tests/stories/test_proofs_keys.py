"""Keys that do not count: revoked, expired, of another kind, of somebody else."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.evidence.wallet import Jwks
from tests.stories.proving import VERIFY, assent, bundle_of, checks, failing, offline, published_keys, whole_action
from tests.stories.tenant import Tenant
from tests.tiers import deep
from tests.vectors.key_sets import KEY_SETS
from tests.vectors.sealing import JWKS, Setting, approved

Value = dict[str, Any]


@pytest.fixture(scope="module")
def owner(shared_tenant: Tenant) -> Tenant:
    shared_tenant.governed()
    return shared_tenant


@pytest.fixture(scope="module")
def good(owner: Tenant) -> Value:
    return bundle_of(owner, whole_action(owner))


def test_a_revoked_key(tenant: Tenant) -> None:
    tenant.governed()
    action_id = whole_action(tenant)
    old, head = bundle_of(tenant, action_id), tenant.call("GET", "/api/log/head")
    before = published_keys(tenant.service, tenant.org_id)
    tenant.call("POST", f"/api/signing-keys/{head['kid']}/revoke", {"reason": "found in a backup"})
    now = published_keys(tenant.service, tenant.org_id)
    answer = tenant.call("POST", VERIFY, {"bundle": old})
    for found in (answer, offline(old, now)):
        assert failing(found) == {"key"}
        (check,) = [each for each in found["checks"] if each["name"] == "key"]
        assert head["kid"] in check["detail"]
        assert "revoked" in check["detail"]
        assert found["signer"] == "unknown"
    # Whoever has not heard of it cannot know.
    assert failing(offline(old, before)) == set()
    # The next proof is by a new key, and holds; the head that the revoked one signed is not used for it.
    fresh = bundle_of(tenant, action_id, since=head["size"])
    assert fresh["digest"] != old["digest"], "it is bound to another head"
    assert {key["kid"] for key in fresh["keys"]}.isdisjoint({head["kid"]})
    keys = published_keys(tenant.service, tenant.org_id)
    found = offline(fresh, keys, head["checkpoint"])
    assert (failing(found), found["signer"]) == (set(), "trusted")
    assert failing(tenant.call("POST", VERIFY, {"bundle": fresh})) == set()
    assert failing(tenant.call("POST", VERIFY, {"action_id": action_id})) == set()
    # The new set names a key that an old set does not have.
    assert failing(offline(fresh, now)) == {"key"}


KINDS = {
    "a shared secret": {"kty": "oct", "alg": "HS256"},
    "RSA": {"kty": "RSA"},
    "an elliptic curve": {"kty": "EC", "crv": "P-256", "alg": "ES256"},
    "a key for agreement": {"crv": "X25519"},
    "Ed448": {"crv": "Ed448"},
    "another algorithm": {"alg": "RS256"},
    "no algorithm": {"alg": "none"},
    "for encryption": {"use": "enc"},
    "another name": {"kid": "A" * 43},
    "padded": {"x": "=" + 42 * "A"},
}


@deep("one story of each kind is in the quick tier")
@pytest.mark.parametrize("name", KINDS)
def test_a_key_set_of_another_kind(owner: Tenant, good: Value, name: str) -> None:
    published = msgspec.to_builtins(published_keys(owner.service, owner.org_id))["keys"]
    changed = [key | KINDS[name] for key in published]
    for keys in (changed, [*published, *changed], [*changed, *published]):
        found = offline(good, msgspec.convert({"keys": keys}, Jwks))
        assert failing(found) == {"key"}
        assert found["signer"] == "unknown"


@deep("one story of each kind is in the quick tier")
def test_an_expired_key_and_others_offline(tmp_path: Path) -> None:
    bundle = Setting(approved()).seal()
    assert failing(offline(bundle, JWKS)) == set()
    for name in ("expired", "not_yet_valid", "revoked", "of_nobody"):
        assert failing(offline(bundle, KEY_SETS[name])) == {"key"}, name
    file, keys = tmp_path / "bundle.json", tmp_path / "jwks.json"
    file.write_bytes(msgspec.json.encode(bundle))
    keys.write_bytes(msgspec.json.encode(KEY_SETS["expired"]))
    done = assent("verify", file, "--key", keys)
    assert (done.returncode, done.stderr) == (1, "NOT verified: key.\n")
    rsa = {"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "x"}
    keys.write_text(json.dumps({"keys": [rsa]}))
    done = assent("verify", file, "--key", keys)
    assert done.returncode == 2
    assert "is no key set of Ed25519 keys" in done.stderr


def test_confusions_in_the_envelope_over_http(owner: Tenant, good: Value, new_tenant: Any) -> None:
    stranger = new_tenant()
    foreign = bundle_of(stranger, stranger.create())
    kid = foreign["keys"][0]["kid"]

    def found(**members: Any) -> Value:
        return owner.call("POST", VERIFY, {"bundle": copy.deepcopy(good) | members})

    envelope = good["attestation"]
    sig = envelope["signatures"][0]
    other_type = found(attestation=envelope | {"payloadType": "application/json"})
    assert failing(other_type) == {"bundle_id", "signature"}
    for signatures in ([sig, sig], [], [sig | {"sig": ""}], [sig | {"sig": sig["sig"] + "\n"}]):
        assert "signature" in failing(found(attestation=envelope | {"signatures": signatures}))
    another = found(attestation=envelope | {"signatures": [sig | {"keyid": kid}]})
    assert "signature" in failing(another)
    # Somebody else's key in the bundle's set, under its own name and under ours.
    swapped = found(keys=foreign["keys"])
    assert {"key", "signature", "checkpoint"} <= failing(swapped)
    disguised = found(keys=[good["keys"][0] | {"x": foreign["keys"][0]["x"]}])
    assert "key" in failing(disguised)
    assert checks(disguised)["signature"] == "not_checked"
    for member in ({"kty": "EC"}, {"crv": "X25519"}, {"x": good["keys"][0]["x"] + "="}):
        assert "key" in failing(found(keys=[good["keys"][0] | member]))
    # A whole envelope and head of somebody else.
    assert "key" in failing(found(**{name: foreign[name] for name in ("attestation", "checkpoint", "keys")}))
