"""The digests against published and independently computed values."""

import hashlib
import json
import subprocess

import pytest

from assent.proof.canonical import body_digest, leaf_hash


def test_the_leaf_hash_of_nothing_is_rfc_6962s() -> None:
    # Certificate Transparency's reference tests: the leaf hash of the empty entry, SHA-256 of the single byte 00.
    assert leaf_hash(b"").hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"


def test_the_leaf_hash_of_a_known_entry() -> None:
    # The same suite's leaf "L123456".
    assert leaf_hash(b"L123456").hex() == "395aa064aa4c29f7010acfe3f25db9485bbd4b91897b6ad7ad547639252b4d56"


def test_a_leaf_hash_is_not_the_plain_hash_of_the_header() -> None:
    assert leaf_hash(b"{}") != hashlib.sha256(b"{}").digest()
    assert leaf_hash(b"{}") == hashlib.sha256(bytes([0]) + b"{}").digest()


def test_the_body_digest_is_the_hash_of_salt_then_payload() -> None:
    # FIPS 180-2's example "abc", parted into a salt and a payload.
    expected = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert body_digest(b"a", b"bc") == expected
    assert body_digest(b"ab", b"c") == expected


def test_another_program_agrees() -> None:
    salt, payload = bytes(range(16)), json.dumps({"goal": "größer \u2028"}, ensure_ascii=False).encode()
    try:
        said = subprocess.run(["sha256sum"], input=salt + payload, capture_output=True, check=True).stdout
    except FileNotFoundError:
        pytest.skip("sha256sum is not installed")
    assert body_digest(salt, payload) == "sha256:" + said.split()[0].decode()
