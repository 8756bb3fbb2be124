"""RFC 7638 and 8037: the key and the thumbprint printed there, keys that must not load, and when signatures count."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.evidence.wallet import Jwk, JwkRevoked
from assent.proof.jwk import JwkError, jwk_of, load_jwk, standing, thumbprint

# RFC 8037, appendix A.2 (the key of RFC 8032's TEST 1) and A.3.
X = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
KID = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
PRINTED = Jwk(kty="OKP", crv="Ed25519", x=X, kid=KID)
RAW = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
SECONDS = int(NOON.timestamp())


def test_the_printed_thumbprint() -> None:
    assert thumbprint(RAW) == KID


def test_the_printed_key_loads_and_is_what_we_write() -> None:
    key = load_jwk(PRINTED)
    assert key.public_bytes_raw() == RAW
    assert json.loads(msgspec.json.encode(jwk_of(key))) == {
        "kty": "OKP",
        "crv": "Ed25519",
        "x": X,
        "kid": KID,
        "use": "sig",
        "alg": "EdDSA",
    }


@given(st.binary(min_size=32, max_size=32))
def test_a_thumbprint_is_the_digest_of_the_required_members_in_order(raw: bytes) -> None:
    x = urlsafe_b64encode(raw).decode().rstrip("=")
    members = json.dumps({"x": x, "kty": "OKP", "crv": "Ed25519"}, sort_keys=True, separators=(",", ":"))
    assert urlsafe_b64decode(thumbprint(raw) + "=") == sha256(members.encode()).digest()


@pytest.mark.parametrize("changed", [{}, {"alg": "EdDSA"}, {"alg": "Ed25519"}, {"use": "sig"}, {"nbf": 1, "exp": 2}])
def test_members_that_may_be_there(changed: dict[str, Any]) -> None:
    assert load_jwk(msgspec.structs.replace(PRINTED, **changed)).public_bytes_raw() == RAW


SHORT = urlsafe_b64encode(RAW[:31]).decode().rstrip("=")


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"kty": "oct"}, "kty 'oct'"),
        ({"kty": "RSA"}, "kty 'RSA'"),
        ({"kty": "okp"}, "kty 'okp'"),
        ({"crv": "X25519"}, "crv 'X25519'"),
        ({"crv": "Ed448"}, "crv 'Ed448'"),
        ({"alg": "none"}, "alg 'none'"),
        ({"alg": "HS256"}, "alg 'HS256'"),
        ({"alg": "RS256"}, "alg 'RS256'"),
        ({"alg": "eddsa"}, "alg 'eddsa'"),
        ({"alg": ""}, "alg ''"),
        ({"use": "enc"}, "use 'enc'"),
        ({"kid": "other"}, "kid 'other' is not the thumbprint"),
        ({"kid": KID + "="}, "is not the thumbprint"),
        ({"x": X + "="}, "x is not base64url"),
        ({"x": X[:-1] + "p"}, "x is not base64url"),
        ({"x": X.replace("_", "/")}, "x is not base64url"),
        ({"x": X[:10] + "\n" + X[10:]}, "x is not base64url"),
        ({"x": X[:-1]}, "x is not base64url"),
        ({"x": X[:10] + "é" + X[11:]}, "x is not base64url"),
        ({"x": ""}, "x has 0 bytes"),
        ({"x": SHORT}, "x has 31 bytes"),
        ({"x": "B" + X[1:]}, "is not the thumbprint"),
    ],
)
def test_what_is_no_signing_key_of_ours(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(JwkError, match=why):
        load_jwk(msgspec.structs.replace(PRINTED, **changed))


@given(st.integers(0, len(X) - 1), st.characters(max_codepoint=0x2FF))
def test_no_character_of_a_key_can_be_changed(at: int, new: str) -> None:
    for name in ("x", "kid"):
        text: str = getattr(PRINTED, name)
        changed = text[:at] + new + text[at + 1 :]
        if changed != text:
            with pytest.raises(JwkError):
                load_jwk(msgspec.structs.replace(PRINTED, **{name: changed}))


@given(st.binary(min_size=32, max_size=32))
def test_every_key_that_we_make_loads(seed: bytes) -> None:
    public: Ed25519PublicKey = Ed25519PrivateKey.from_private_bytes(seed).public_key()
    assert load_jwk(jwk_of(public)) == public


def valid(**changed: Any) -> Jwk:
    return msgspec.structs.replace(PRINTED, nbf=SECONDS, exp=SECONDS + 60, **changed)


@pytest.mark.parametrize(
    ("after", "why"),
    [
        (timedelta(microseconds=-1), "before the key was valid (2026-11-21T12:00:00+00:00)"),
        (timedelta(0), None),
        (timedelta(seconds=59, microseconds=999_999), None),
        (timedelta(seconds=60), "no longer valid (from 2026-11-21T12:01:00+00:00 on)"),
        (timedelta(days=400), "no longer valid"),
    ],
)
def test_a_signature_counts_from_nbf_on_and_before_exp(after: timedelta, why: str | None) -> None:
    found = standing(valid(), NOON + after)
    assert (found is None) == (why is None)
    assert (why or "") in (found or "")


def test_the_zone_of_the_time_does_not_matter() -> None:
    from datetime import timezone

    elsewhere = NOON.astimezone(timezone(timedelta(hours=14)))
    assert standing(valid(), elsewhere) is None
    assert standing(valid(), elsewhere - timedelta(seconds=1)) is not None


def test_without_limits_every_time_counts() -> None:
    assert standing(PRINTED, NOON) is None
    assert standing(PRINTED, datetime(1980, 1, 1, tzinfo=UTC)) is None


@pytest.mark.parametrize("when", [-100, 0, 100])
def test_nothing_of_a_revoked_key_counts_whenever_it_was_signed(when: int) -> None:
    revoked = valid(revoked=JwkRevoked(revoked_at=SECONDS + 30, reason="laptop stolen"))
    found = standing(revoked, NOON + timedelta(seconds=when))
    assert found is not None
    assert "revoked at 2026-11-21T12:00:30+00:00 (laptop stolen)" in found


@pytest.mark.parametrize("number", [-(2**60), 2**60, 10**30])
def test_times_that_no_calendar_has_raise_nothing(number: int) -> None:
    assert (standing(msgspec.structs.replace(PRINTED, exp=number), NOON) is None) == (number > 0)
    assert standing(msgspec.structs.replace(PRINTED, revoked=JwkRevoked(revoked_at=number, reason="")), NOON)
