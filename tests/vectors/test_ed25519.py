"""RFC 8032, section 7.1: the keys and signatures printed there, through the ways our keys and signatures go."""

from __future__ import annotations

from base64 import b64decode, urlsafe_b64encode
from datetime import UTC, datetime
from hashlib import sha512

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assent.proof.dsse import PAYLOAD_TYPE, open_envelope, seal
from assent.proof.jwk import jwk_of, load_jwk
from assent.proof.note import Checkpoint, sign_checkpoint, verify_checkpoint
from tests.vectors.ed25519 import holds

# Secret key, public key, message, signature.
VECTORS = {
    "TEST 1": (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    "TEST 2": (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    "TEST 3": (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    "TEST SHA(abc)": (
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        sha512(b"abc").hexdigest(),
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
        "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ),
}
Vector = tuple[Ed25519PrivateKey, bytes, bytes, bytes]


@pytest.fixture(params=VECTORS)
def vector(request: pytest.FixtureRequest) -> Vector:
    secret, public, message, signature = VECTORS[request.param]
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret))
    return key, bytes.fromhex(public), bytes.fromhex(message), bytes.fromhex(signature)


def test_the_printed_signature_is_what_the_key_makes(vector: Vector) -> None:
    key, public, message, signature = vector
    assert key.public_key().public_bytes_raw() == public
    assert key.sign(message) == signature


def test_the_printed_public_key_loads_from_its_jwk_and_verifies(vector: Vector) -> None:
    key, public, message, signature = vector
    jwk = jwk_of(key.public_key())
    assert jwk.x == urlsafe_b64encode(public).decode().rstrip("=")
    load_jwk(jwk).verify(signature, message)
    with pytest.raises(InvalidSignature):
        load_jwk(jwk).verify(signature, message + b"x")


def test_the_slow_verification_agrees(vector: Vector) -> None:
    _, public, message, signature = vector
    assert holds(public, message, signature)
    assert not holds(public, message + b"x", signature)


def test_envelopes_are_signed_over_the_pre_authentication_encoding(vector: Vector) -> None:
    key, public, message, _ = vector
    envelope = seal(message, PAYLOAD_TYPE, "k", key)
    signed = b"DSSEv1 28 application/vnd.in-toto+json %d " % len(message) + message
    assert holds(public, signed, b64decode(envelope.signatures[0].sig))
    assert open_envelope(envelope, {"k": key.public_key()}) == message


def test_notes_are_signed_over_all_that_is_before_the_empty_line(vector: Vector) -> None:
    key, public, _, _ = vector
    at = datetime(2026, 11, 21, 12, tzinfo=UTC)
    note = sign_checkpoint(Checkpoint(origin="log", size=1, root=b"\7" * 32, signed_at=at), key)
    text, line = note.split("\n\n")
    assert holds(public, f"{text}\n".encode(), b64decode(line.split(" ")[2])[4:])
    assert verify_checkpoint(note, key.public_key()).size == 1
