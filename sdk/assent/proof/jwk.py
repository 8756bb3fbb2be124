"""Public signing keys as JSON Web Keys: made, checked, and asked whether a signature of theirs counts. Pure.

1. An Ed25519 key of RFC 8037: `kty` OKP, `crv` Ed25519, `x` the 32 bytes; what a key says of its use must be signing
   with Ed25519 or nothing, so that no other algorithm can be read into it.
2. `kid` is the RFC 7638 thumbprint and is computed again whenever a key is read: a key cannot go by another's name.
3. base64url without padding, and only the one spelling that encoding gives: two texts can decode alike.
4. A signature counts if it was made from `nbf` on, before `exp`, and the key was never revoked: whoever holds a stolen
   key can write any time into what he signs.
"""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import UNSET

from assent.contract.evidence.wallet import Jwk
from assent.proof.times import microseconds_of

KTY, CRV, ALG, USE = "OKP", "Ed25519", "EdDSA", "sig"
ALGORITHMS = frozenset({ALG, "Ed25519"})
"""RFC 8037's name and RFC 9864's."""
SIZE = 32
"""Bytes of a public key."""


class JwkError(ValueError):
    """A key that cannot be used; the message says why."""


def thumbprint(x: bytes) -> str:
    """The `kid` of the public key whose 32 bytes are `x`."""
    members = f'{{"crv":"{CRV}","kty":"{KTY}","x":"{encode_url(x)}"}}'
    return encode_url(sha256(members.encode()).digest())


def jwk_of(public: Ed25519PublicKey) -> Jwk:
    """The key without validity; `msgspec.structs.replace` adds `nbf`, `exp` and `revoked`."""
    x = public.public_bytes_raw()
    return Jwk(kty=KTY, crv=CRV, x=encode_url(x), kid=thumbprint(x), use=USE, alg=ALG)


def load_jwk(jwk: Jwk) -> Ed25519PublicKey:
    """Raises JwkError."""
    if (jwk.kty, jwk.crv) != (KTY, CRV):
        raise JwkError(
            f"a key of kty {_quoted(jwk.kty)} and crv {_quoted(jwk.crv)}; only OKP with Ed25519 is known here"
        )
    if jwk.alg is not UNSET and jwk.alg not in ALGORITHMS:
        raise JwkError(f"the key is for alg {_quoted(jwk.alg)}; only EdDSA is known here")
    if jwk.use is not UNSET and jwk.use != USE:
        raise JwkError(f"the key is for use {_quoted(jwk.use)}, not for signing")
    try:
        x = decode_url_exact(jwk.x)
    except ValueError as error:
        raise JwkError(f"x is {error}") from None
    if len(x) != SIZE:
        raise JwkError(f"x has {len(x)} bytes; an Ed25519 key has {SIZE}")
    if jwk.kid != thumbprint(x):
        raise JwkError(f"kid {_quoted(jwk.kid)} is not the thumbprint of the key, which is {thumbprint(x)}")
    return Ed25519PublicKey.from_public_bytes(x)


def standing(jwk: Jwk, at: datetime) -> str | None:
    """Why a signature made `at` that time (aware) does not count, as a sentence; None when it does."""
    if jwk.revoked is not UNSET:
        when = _moment(jwk.revoked.revoked_at)
        return f"The key was revoked at {when} ({jwk.revoked.reason[:500]}): nothing it signed counts."
    if jwk.nbf is not UNSET and microseconds_of(at) < jwk.nbf * 1_000_000:
        return f"It was signed at {at.isoformat()}, before the key was valid ({_moment(jwk.nbf)})."
    if jwk.exp is not UNSET and microseconds_of(at) >= jwk.exp * 1_000_000:
        return f"It was signed at {at.isoformat()}, when the key was no longer valid (from {_moment(jwk.exp)} on)."
    return None


def encode_url(data: bytes) -> str:
    """base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def decode_url_exact(text: str) -> bytes:
    """Raises ValueError unless encoding the bytes again gives the same text."""
    try:
        data = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        data = b""
    if encode_url(data) != text:
        raise ValueError("not base64url without padding, in the one spelling that encoding gives")
    return data


def _moment(seconds: int) -> str:
    """As people read it; a number that is no date of ours stays one."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return str(seconds)


def _quoted(value: str) -> str:
    return repr(value if len(value) <= 64 else value[:64] + "...")
