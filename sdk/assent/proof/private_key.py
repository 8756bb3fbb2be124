"""Private keys of agents: made, read, and written. They never leave the agent's machine."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from assent.contract.people.identities import Algorithm
from assent.proof.public_key import SMALLEST, pem_of
from assent.proof.signing import PrivateKey, sign

RSA_BITS = 3072

CheckedKey: TypeAlias = "str | bytes | PathLike[str] | PrivateKey"
"""A PEM, the path of one, or a key of `cryptography`."""


class Signer:
    """Signs bodies with an agent's private key; its text shows nothing of it."""

    def __init__(self, key: CheckedKey) -> None:
        self._key = load_private_key(key)

    @property
    def algorithm(self) -> Algorithm:
        return Algorithm.RSA if isinstance(self._key, RSAPrivateKey) else Algorithm.ED25519

    @property
    def public_pem(self) -> str:
        return pem_of(self._key.public_key())

    def sign(self, body: Mapping[str, Any]) -> str:
        """See `assent.proof.signing.sign`."""
        return sign(self._key, body)

    def __repr__(self) -> str:
        return f"Signer({self.algorithm})"


def new_private_key(algorithm: Algorithm | str = Algorithm.ED25519) -> PrivateKey:
    """A fresh key, to be kept with `private_pem`. Raises ValueError for an unknown algorithm."""
    if Algorithm(algorithm) is Algorithm.ED25519:
        return Ed25519PrivateKey.generate()
    return generate_private_key(public_exponent=65537, key_size=RSA_BITS)


def private_pem(key: PrivateKey) -> bytes:
    """PKCS #8, not encrypted: write it to a file that its owner alone can read."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def load_private_key(given: CheckedKey) -> PrivateKey:
    """Raises ValueError for what is no unencrypted RSA (2048 bits and more) or Ed25519 key, OSError for a path that
    cannot be read."""
    if isinstance(given, RSAPrivateKey | Ed25519PrivateKey):
        return _checked(given)
    if isinstance(given, bytes) or (isinstance(given, str) and "-----BEGIN" in given):
        pem = given if isinstance(given, bytes) else given.encode()
    else:
        pem = Path(given).read_bytes()
    try:
        key = load_pem_private_key(pem, password=None)
    except ValueError:
        # What the library says may hold pieces of the text.
        raise ValueError("the private key cannot be read; give a PEM of an RSA or Ed25519 private key") from None
    except TypeError:
        raise ValueError("the private key is encrypted; decrypt it, or hand in the key that you loaded") from None
    except UnsupportedAlgorithm:
        raise ValueError("the private key is of a kind that is not known here; use RSA or Ed25519") from None
    return _checked(key)


def _checked(key: object) -> PrivateKey:
    if isinstance(key, RSAPrivateKey):
        if key.key_size < SMALLEST:
            raise ValueError(f"the RSA key has {key.key_size} bits; use {SMALLEST} or more")
        return key
    if isinstance(key, Ed25519PrivateKey):
        return key
    raise ValueError("the private key is neither RSA nor Ed25519; make one with assent.proof.private_key")
