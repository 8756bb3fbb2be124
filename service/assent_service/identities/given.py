"""A public key as it was given, checked at the door; an error never repeats what was sent."""

from __future__ import annotations

from dataclasses import dataclass

from assent.contract.identities import Algorithm
from assent.contract.problems import Code, FieldError
from assent.proof.public_key import PublicKeyError, fingerprint, load_public_key, pem_of
from assent_service.core.problem import refuse


@dataclass(frozen=True)
class GivenKey:
    """`pem` is written anew from the loaded key, so that nothing is kept but the key."""

    algorithm: Algorithm
    pem: str
    fingerprint: str


def read_key(pem: str, algorithm: Algorithm) -> GivenKey:
    """Raises `invalid_public_key`."""
    try:
        key = load_public_key(pem, algorithm)
    except PublicKeyError as error:
        message = str(error)
        raise refuse(
            Code.INVALID_PUBLIC_KEY,
            f"public_key cannot be used: {message}.",
            FieldError(place="public_key", message=message),
        ) from None
    return GivenKey(algorithm, pem_of(key), fingerprint(key))
