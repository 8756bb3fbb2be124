"""Key sets that do not vouch for the good bundles, by what is wrong with them."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from assent.contract.evidence.wallet import JwkRevoked, Jwks
from tests.vectors.sealing import JWKS, KEY, SIGNED_AT, STRANGER, jwk, seconds

_HOUR = timedelta(hours=1)
KEY_SETS: dict[str, Jwks] = {
    "of_nobody": Jwks(keys=[]),
    "of_a_stranger": Jwks(keys=[jwk(STRANGER)]),
    "expired": Jwks(keys=[jwk(KEY, exp=seconds(SIGNED_AT))]),
    "not_yet_valid": Jwks(keys=[jwk(KEY, nbf=seconds(SIGNED_AT + _HOUR))]),
    "revoked": Jwks(keys=[jwk(KEY, revoked=JwkRevoked(revoked_at=seconds(SIGNED_AT + _HOUR), reason="stolen"))]),
    "with_a_shared_secret": Jwks(keys=[*JWKS.keys, msgspec.structs.replace(jwk(KEY), kty="oct", alg="HS256")]),
    "on_another_curve": Jwks(keys=[msgspec.structs.replace(jwk(KEY), crv="X25519")]),
    "for_another_algorithm": Jwks(keys=[jwk(KEY, alg="ES256")]),
    "for_encryption": Jwks(keys=[jwk(KEY, use="enc")]),
    "under_another_name": Jwks(keys=[msgspec.structs.replace(jwk(STRANGER), kid=jwk(KEY).kid)]),
    "twice": Jwks(keys=[jwk(KEY), jwk(KEY)]),
}
