"""The canonical digest of an action, against values worked out by somebody else's RFC 8785 and by hashlib."""

from __future__ import annotations

import json
from base64 import b64decode
from hashlib import sha256
from typing import Any

import pytest
import rfc8785

from assent.proof.canonical import CanonicalError
from assent.proof.certificate import action_digest
from tests.vectors.sealing import FOLDER, good_bundles

VECTORS: dict[str, tuple[dict[str, Any], str, str]] = {
    "empty": ({}, "{}", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"),
    "order": (
        {"b": 1, "a": [None, True, "x"]},
        '{"a":[null,true,"x"],"b":1}',
        "afc6ee250958b0d942a566fb2d8e11fbc54da1d8d7769698553dd20799c5267f",
    ),
    "floats": (
        {"cost": 0.1, "huge": 1e21, "large": 1e20, "small": 1e-7, "third": 1 / 3, "whole": 85.0, "zero": -0.0},
        '{"cost":0.1,"huge":1e+21,"large":100000000000000000000,"small":1e-7,"third":0.3333333333333333,"whole":85,'
        '"zero":0}',
        "148d17e52f0a0ecbc10b2ccc835010b2d0edadfc2c2ef86b2c6dd522f331c8c8",
    ),
    "non_ascii": (
        {"goal": "Überweisung über 100 €", "note": 'naïve\n"quoted" \\ \u2028 \x7f \x01'},
        '{"goal":"Überweisung über 100 €","note":"naïve\\n\\"quoted\\" \\\\ \u2028 \x7f \\u0001"}',
        "c43c5fe06f6fd344a9bc27c08145d0023343e8ef27aa0d8c766d06b1cad14bf1",
    ),
    # U+1F989 is D83E DD89 in UTF-16 and so stands before U+FB33, though its code point is higher.
    "astral": (
        {"\ufb33": 1, "\U0001f989": "\U0001d538", "z": 2},
        '{"z":2,"\U0001f989":"\U0001d538","\ufb33":1}',
        "d7b4f4879daf6d6e60650e21ea0380f9759e164a11332345cfb6576e41bd4698",
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_vectors(name: str) -> None:
    value, text, published = VECTORS[name]
    assert rfc8785.dumps(value) == text.encode()
    found = sha256(text.encode()).hexdigest()
    assert published == found
    assert action_digest(value) == f"sha256:{found}"


@pytest.mark.parametrize("name", sorted(good_bundles()))
def test_certificates_in_bundles(name: str) -> None:
    bundle = json.loads((FOLDER / f"{name}.json").read_bytes())
    certificate = json.loads(b64decode(bundle["attestation"]["payload"]))["predicate"]
    assert bundle["digest"] == "sha256:" + sha256(rfc8785.dumps(certificate)).hexdigest() == action_digest(certificate)


def test_numbers_that_are_one_have_one_digest() -> None:
    assert action_digest({"risk_score": 85}) == action_digest({"risk_score": 85.0})
    assert action_digest({"zero": 0}) == action_digest({"zero": -0.0})
    assert action_digest({"risk_score": 85}) != action_digest({"risk_score": "85"})
    assert action_digest({"n": 1}) != action_digest({"n": True})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, "\ud800", {1: 2}, b"x"])
def test_what_has_no_canonical_form(value: object) -> None:
    with pytest.raises(CanonicalError):
        action_digest({"value": value})
