"""Public keys from PEM, each checked by really loading it.

1. One PEM and nothing around it, of the kind `PUBLIC KEY` (SubjectPublicKeyInfo, RFC 7468 section 13).
2. RSA with 2048 to 8192 bits and an odd exponent of at least 3: shorter ones can be broken, longer ones cost whoever
   verifies more than they bring. Or Ed25519. No other kind.
3. The algorithm must be the key's.

An error never repeats what was sent, since that may be a private key: then it says so, and that the key is burnt.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

from assent.contract.people.identities import Algorithm

LoadedKey: TypeAlias = RSAPublicKey | Ed25519PublicKey

SMALLEST, LARGEST = 2048, 8192
"""Bits of an RSA modulus."""
LARGEST_EXPONENT = 2**32
_LABEL = re.compile(r"-----BEGIN ([A-Z0-9 ]{0,40})-----")
_KINDS = {"CERTIFICATE": "a certificate", "RSA PUBLIC KEY": "a key in PKCS #1 form"}
_BEGIN, _END = "-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----"
_HOW = "send the public half alone, as `openssl pkey -in agent.pem -pubout` prints it"


class PublicKeyError(ValueError):
    """A public key that cannot be used; the message holds nothing of what was sent."""


def load_public_key(pem: str, algorithm: Algorithm) -> LoadedKey:
    """The key of a PEM. Raises PublicKeyError."""
    text = pem.strip()
    _check_kind(text)
    try:
        key = load_pem_public_key(text.encode("ascii"))
    except (ValueError, UnsupportedAlgorithm):
        # What the library says may hold pieces of the text.
        raise PublicKeyError(f"the PEM cannot be read as a public key; {_HOW}") from None
    match key:
        case RSAPublicKey():
            _check_rsa(key)
            own = Algorithm.RSA
        case Ed25519PublicKey():
            own = Algorithm.ED25519
        case _:
            kind = type(key).__name__.removesuffix("PublicKey")
            raise PublicKeyError(f"a key of kind {kind} is not known here; use RSA or Ed25519")
    if own is not algorithm:
        raise PublicKeyError(f"the key is one for {own}, and algorithm says {algorithm}; send algorithm {own!s}")
    return key


def pem_of(key: LoadedKey) -> str:
    """The key as a PEM of our own writing."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def fingerprint(key: LoadedKey) -> str:
    """`sha256:` and 64 hex digits over the SPKI in DER; `openssl pkey -pubin -outform DER | sha256sum` says the
    same."""
    return "sha256:" + sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def _check_kind(text: str) -> None:
    labels = _LABEL.findall(text)
    if any("PRIVATE" in label for label in labels):
        raise PublicKeyError(
            f"this is a private key. It was not kept, but it has left its owner: make a new pair of keys, and {_HOW}"
        )
    if not labels:
        raise PublicKeyError(f"there is no PEM in it; {_HOW}")
    if len(labels) > 1:
        raise PublicKeyError(f"there are {len(labels)} PEMs in it; send one public key")
    if labels[0] != "PUBLIC KEY":
        kind = _KINDS.get(labels[0], "of another kind")
        raise PublicKeyError(f'the PEM is {kind}, not a "PUBLIC KEY" (SPKI); {_HOW}')
    if not (text.startswith(_BEGIN) and text.endswith(_END) and text.isascii()):
        raise PublicKeyError(f"there is something before or behind the PEM; {_HOW}")


def _check_rsa(key: RSAPublicKey) -> None:
    if not SMALLEST <= key.key_size <= LARGEST:
        raise PublicKeyError(f"the RSA key has {key.key_size} bits; use {SMALLEST} to {LARGEST}")
    exponent = key.public_numbers().e
    if exponent < 3 or exponent > LARGEST_EXPONENT or exponent % 2 == 0:
        raise PublicKeyError("the RSA key has an unusual exponent; use 65537")
