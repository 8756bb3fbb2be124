"""DSSE 1.0.2: the vector of its protocol.md, what must not open, and another implementation on the other side."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from securesystemslib.dsse import Envelope as TheirEnvelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey  # type: ignore[attr-defined]  # re-exported without saying so

from assent.contract.evidence.proofs import Envelope
from assent.proof.dsse import PAYLOAD_TYPE, DsseError, decode_exact, open_envelope, pae, seal
from assent.proof.jwk import jwk_of

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
KID = jwk_of(KEY.public_key()).kid
KEYS = {KID: KEY.public_key()}
HELLO = "http://example.com/HelloWorld"
STATEMENT = '{"_type":"https://in-toto.io/Statement/v1","ü":1}'.encode()
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="


def test_the_published_pre_authentication_encoding() -> None:
    assert pae(HELLO, b"hello world") == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def test_lengths_are_of_bytes_and_keep_the_two_apart() -> None:
    assert pae("ü", "世".encode()) == b"DSSEv1 2 \xc3\xbc 3 \xe4\xb8\x96"
    assert pae("", b"") == b"DSSEv1 0  0 "
    assert pae("a", b"b c") != pae("a b", b"c")


def test_an_envelope_opens_to_what_was_sealed() -> None:
    envelope = seal(b"hello world", HELLO, KID, KEY)
    assert (envelope.payload, envelope.payloadType) == ("aGVsbG8gd29ybGQ=", HELLO)
    assert [each.keyid for each in envelope.signatures] == [KID]
    assert open_envelope(envelope, KEYS, payload_type=HELLO) == b"hello world"
    assert seal(b"hello world", HELLO, KID, KEY) == envelope


def broken(**changed: Any) -> Envelope:
    return msgspec.structs.replace(seal(STATEMENT, PAYLOAD_TYPE, KID, KEY), **changed)


def signed(**changed: Any) -> Envelope:
    (signature,) = seal(STATEMENT, PAYLOAD_TYPE, KID, KEY).signatures
    return broken(signatures=[msgspec.structs.replace(signature, **changed)])


@pytest.mark.parametrize(
    ("envelope", "why"),
    [
        (broken(payloadType="application/json"), "of type 'application/json'"),
        (seal(STATEMENT, "application/json", KID, KEY), "of type 'application/json'"),
        (broken(signatures=[]), "has 0 signatures"),
        (broken(signatures=seal(STATEMENT, PAYLOAD_TYPE, KID, KEY).signatures * 2), "has 2 signatures"),
        (signed(keyid="other"), "signed by key 'other', which is none of the 1 given"),
        (signed(keyid=""), "signed by key ''"),
        (signed(keyid="\ud800"), "signed by key"),
        (broken(payload=b64encode(STATEMENT + b" ").decode()), "not that of key"),
        (seal(STATEMENT, PAYLOAD_TYPE, KID, OTHER), "not that of key"),
        (signed(sig=b64encode(bytes(64)).decode()), "not that of key"),
        (signed(sig=""), "not that of key"),
        (signed(sig="AAAA"), "not that of key"),
        (signed(sig="é"), "signature is not base64"),
        (broken(payload="a"), "payload is not base64"),
        (broken(payload="aGk"), "payload is not base64"),
        (broken(payload="aGk=\n"), "payload is not base64"),
        (broken(payload="aGl="), "payload is not base64"),
        (broken(payload="_-8="), "payload is not base64"),
    ],
)
def test_what_does_not_hold_is_refused_and_says_why(envelope: Envelope, why: str) -> None:
    with pytest.raises(DsseError, match=why):
        open_envelope(envelope, KEYS)


def test_a_payload_is_not_opened_by_the_key_of_another_name() -> None:
    keys = {KID: OTHER.public_key(), "other": KEY.public_key()}
    with pytest.raises(DsseError, match="not that of key"):
        open_envelope(seal(STATEMENT, PAYLOAD_TYPE, KID, KEY), keys)


@given(st.data())
def test_no_character_of_an_envelope_can_be_changed(data: st.DataObject) -> None:
    payload = data.draw(st.binary(max_size=40))
    members: dict[str, Any] = msgspec.to_builtins(seal(payload, PAYLOAD_TYPE, KID, KEY))
    (signature,) = members["signatures"]
    holder, name = data.draw(
        st.sampled_from([(members, "payload"), (members, "payloadType"), (signature, "keyid"), (signature, "sig")])
    )
    text: str = holder[name]
    at = data.draw(st.integers(0, len(text)))
    new = data.draw(st.sampled_from(ALPHABET) | st.characters())
    changed = data.draw(st.sampled_from([text[:at] + new + text[at:], text[:at] + new + text[at + 1 :], text[:at]]))
    if changed == text:
        return
    holder[name] = changed
    with pytest.raises(DsseError):
        open_envelope(msgspec.convert(members, Envelope), KEYS)


@given(st.binary(max_size=50), st.data())
def test_base64_has_one_spelling(data: bytes, draw: st.DataObject) -> None:
    text = b64encode(data).decode()
    assert decode_exact(text) == data
    at = draw.draw(st.integers(0, len(text)))
    other = text[:at] + draw.draw(st.sampled_from([*ALPHABET, "-", "_", " ", "\n", "\0"])) + text[at + 1 :]
    try:
        found = decode_exact(other)
    except ValueError:
        return
    assert other == b64encode(found).decode()
    assert (found == data) == (other == text)


def test_securesystemslib_verifies_ours() -> None:
    ours = seal(STATEMENT, PAYLOAD_TYPE, KID, KEY)
    theirs = TheirEnvelope.from_dict(json.loads(msgspec.json.encode(ours)))
    assert theirs.payload == STATEMENT
    key = SSlibKey.from_crypto(KEY.public_key(), keyid=KID)
    assert set(theirs.verify([key], threshold=1)) == {KID}
    theirs.payload += b" "
    with pytest.raises(VerificationError):
        theirs.verify([key], threshold=1)


def test_an_envelope_of_securesystemslib_opens_here() -> None:
    signer = CryptoSigner(KEY, SSlibKey.from_crypto(KEY.public_key(), keyid=KID))
    theirs = TheirEnvelope(STATEMENT, PAYLOAD_TYPE, {})
    theirs.sign(signer)
    said = theirs.to_dict()
    envelope = msgspec.convert(said, Envelope)
    assert open_envelope(envelope, KEYS) == STATEMENT
    assert b64decode(said["payload"]) == STATEMENT
    assert envelope == seal(STATEMENT, PAYLOAD_TYPE, KID, KEY)
