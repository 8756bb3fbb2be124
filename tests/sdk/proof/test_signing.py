"""Which bytes a signature is over, worked out by the published clients' own rule and by hand."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from hypothesis import given
from hypothesis import strategies as st

from assent.proof.canonical import CanonicalError
from assent.proof.private_key import new_private_key
from assent.proof.signing import PrivateKey, decode_signature, forms, sign, verifies

RSA, ED25519 = new_private_key("RSASSA-PKCS1-v1_5"), new_private_key("Ed25519")

finite = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | finite | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)
bodies = st.dictionaries(texts.filter(lambda name: name != "_signature"), values, max_size=6)


def as_published(payload: dict[str, Any]) -> bytes:
    """What the published Python clients sign, word for word."""
    return json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def on_the_wire(payload: dict[str, Any]) -> bytes:
    """How they send it, with the signature behind."""
    return json.dumps({**payload, "_signature": "c2ln"}).encode("utf-8")


@given(bodies)
def test_what_a_published_client_signs_is_found_again_in_what_it_sends(payload: dict[str, Any]) -> None:
    assert as_published(payload) in forms(on_the_wire(payload))


def test_numbers_in_both_forms() -> None:
    body = b'{ "z": 1.0, "a": 1e16, "b": 1E-7, "c": 100, "d": -0.0, "_signature": "x" }'
    assert forms(body) == (
        b'{"a":1e16,"b":1E-7,"c":100,"d":-0.0,"z":1.0}',
        b'{"a":10000000000000000,"b":1e-7,"c":100,"d":0,"z":1}',
    )


def test_a_javascript_client_is_understood() -> None:
    # JSON.stringify with sorted keys, worked out by hand: U+1F600 is D83D DE00, which comes before U+FB33.
    body = '{"_signature":"x","\ufb33":1,"\U0001f600":5e-324,"n":1e+21,"m":123456789012345680000}'.encode()
    assert '{"m":123456789012345680000,"n":1e+21,"\U0001f600":5e-324,"\ufb33":1}'.encode() in forms(body)


def test_white_space_order_and_escapes_do_not_matter() -> None:
    one = rb'{"b": "\u00fc\u2028\/", "a": [1, 2]}'
    other = '{"a":[1,2],"b":"ü\u2028/"}'.encode()
    assert forms(one) == forms(other) == (other,)


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": 1, "a": 1}',
        b'{"deep": {"x": 1, "x": 2}}',
        b'{"_signature": "a", "_signature": "b"}',
        b'{"a": "\\ud800"}',
        b'{"\\udc00": 1}',
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b"[1]",
        b"",
        b"{",
        b'{"a": "\xff"}',
        b'{"a":' * 200 + b"1" + b"}" * 200,
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
    ids=lambda body: repr(body[:24]),
)
def test_a_body_without_one_meaning_has_no_form(body: bytes) -> None:
    assert forms(body) == ()
    assert not verifies(ED25519.public_key(), b"x" * 64, body)


def test_numbers_that_no_double_holds_have_the_python_form_alone() -> None:
    assert forms(b'{"a": 1e999}') == (b'{"a":1e999}',)


@pytest.mark.parametrize("key", [RSA, ED25519], ids=["rsa", "ed25519"])
@given(payload=bodies)
def test_our_own_signature_verifies_and_any_change_breaks_it(key: PrivateKey, payload: dict[str, Any]) -> None:
    try:
        signature = sign(key, payload)
    except CanonicalError:
        return  # an integer that is not safe
    content = decode_signature(signature)
    assert content is not None
    wire = json.dumps({**payload, "_signature": signature}).encode()
    assert verifies(key.public_key(), content, wire)
    changed = json.dumps({**payload, "one more": 1}).encode()
    assert not verifies(key.public_key(), content, changed)
    flipped = bytes([content[0] ^ 1]) + content[1:]
    assert not verifies(key.public_key(), flipped, wire)
    assert not verifies(key.public_key(), content[:-1], wire)


def test_a_signature_made_without_our_code_verifies() -> None:
    payload = {"action_type": "deploy", "cost": 1.0, "goal": "Grüße"}
    assert isinstance(RSA, RSAPrivateKey)
    signature = RSA.sign(as_published(payload), PKCS1v15(), SHA256())
    assert verifies(RSA.public_key(), signature, on_the_wire(payload))
    assert not verifies(RSA.public_key(), signature, on_the_wire({**payload, "cost": 1}))
    other = new_private_key("RSASSA-PKCS1-v1_5")
    assert not verifies(other.public_key(), signature, on_the_wire(payload))
    assert not verifies(ED25519.public_key(), signature, on_the_wire(payload))


def test_the_signature_member_is_not_signed() -> None:
    assert sign(ED25519, {"a": 1, "_signature": "old"}) == sign(ED25519, {"a": 1})
    assert len(b64decode(sign(ED25519, {}))) == 64


@pytest.mark.parametrize("text", ["", "?", "a", "not base64!", "c2ln\n", "c2l-", "ü"])
def test_what_is_not_base64_is_no_signature(text: str) -> None:
    assert decode_signature(text) is None


def test_base64() -> None:
    assert decode_signature(b64encode(b"sig").decode()) == b"sig"
