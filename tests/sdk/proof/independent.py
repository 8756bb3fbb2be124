"""Verifies an action's bundle with nothing of ours: `python -I independent.py bundle.json`. Prints what it found.

Only cryptography, rfc8785 and the standard library. It follows the documents: RFC 8785, DSSE 1.0.2, in-toto Statement
v1, RFC 9162 and the C2SP notes; it stops at the first thing that is wrong.
"""

import base64
import hashlib
import json
import sys
from typing import Any

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def sha(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def unpadded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def keys_of(bundle: dict[str, Any]) -> dict[str, bytes]:
    found = {}
    for key in bundle["keys"]:
        assert (key["kty"], key["crv"]) == ("OKP", "Ed25519"), "a key of another kind"
        raw = base64.urlsafe_b64decode(key["x"] + "=")
        named = rfc8785.dumps({"crv": key["crv"], "kty": key["kty"], "x": key["x"]})
        assert key["kid"] == unpadded(sha(named)), "a key under another name"
        found[key["kid"]] = raw
    return found


def statement_of(bundle: dict[str, Any], keys: dict[str, bytes]) -> Any:
    envelope = bundle["attestation"]
    (signature,) = envelope["signatures"]
    payload, kind = base64.b64decode(envelope["payload"]), envelope["payloadType"].encode()
    signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    key = Ed25519PublicKey.from_public_bytes(keys[signature["keyid"]])
    key.verify(base64.b64decode(signature["sig"]), signed)
    statement = json.loads(payload)
    assert rfc8785.dumps(statement) == payload, "the statement is not canonical"
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "urn:assent:certificate:v1"
    return statement


def head_of(note: str, keys: dict[str, bytes]) -> tuple[str, int, bytes, str]:
    """Origin, size, root and time of a signed note, after its signature was verified."""
    text, _, last = note.partition("\n\n")
    text += "\n"
    dash, name, signed = last.rstrip("\n").split(" ")
    origin, size, root, time = text.rstrip("\n").split("\n")
    assert (dash, name) == ("\u2014", origin)
    raw = base64.b64decode(signed)
    for key in keys.values():
        if sha(name.encode(), b"\n\x01", key)[:4] == raw[:4]:
            Ed25519PublicKey.from_public_bytes(key).verify(raw[4:], text.encode())
            return origin, int(size), base64.b64decode(root), time.removeprefix("signed_at ")
    raise AssertionError("the head is signed by no key of the bundle")


def root_from(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes:
    """RFC 9162, section 2.1.3.2."""
    node, last, found = index, size - 1, leaf
    for sibling in path:
        assert last > 0, "the path is too long"
        if node % 2 or node == last:
            found = sha(b"\x01", sibling, found)
            while node % 2 == 0 and node:
                node, last = node // 2, last // 2
        else:
            found = sha(b"\x01", found, sibling)
        node, last = node // 2, last // 2
    assert last == 0, "the path is too short"
    return found


def verify(bundle: dict[str, Any]) -> str:
    assert bundle["schema"] == "svc.proof.v1"
    rest = {name: value for name, value in bundle.items() if name != "bundle_id"}
    assert bundle["bundle_id"] == "sha256:" + sha(rfc8785.dumps(rest)).hex(), "the id is not that of the content"
    keys = keys_of(bundle)
    statement = statement_of(bundle, keys)
    certificate = statement["predicate"]
    digest = sha(rfc8785.dumps(certificate)).hex()
    subject = {"name": bundle["action_id"], "digest": {"sha256": digest}}
    assert bundle["digest"] == "sha256:" + digest, "the digest is not that of the certificate"
    assert statement["subject"][0] == subject, "the statement is about something else"
    assert (certificate["org_id"], certificate["action_id"]) == (bundle["org_id"], bundle["action_id"])
    origin, size, root, time = head_of(bundle["checkpoint"], keys)
    assert certificate["log"] == {"origin": origin, "size": size, "root": root.hex(), "signed_at": time}
    evidence = []
    for event in bundle["events"]:
        header = json.loads(event["header"])
        assert rfc8785.dumps(header) == event["header"].encode(), "a header is not canonical"
        assert header["org"] == bundle["org_id"]
        leaf = sha(b"\0", event["header"].encode())
        path = [bytes.fromhex(each) for each in event["inclusion"]]
        assert root_from(leaf, header["n"], size, path) == root, f"event {header['n']} is not in the log"
        if event["body"] is not None:
            assert event["body"].startswith('{"salt":"'), "a body of another form"
            salt, data = bytes.fromhex(event["body"][9:41]), event["body"][50:-1]
            assert event["body"] == f'{{"salt":"{salt.hex()}","data":{data}}}'
            assert header["body_digest"] == "sha256:" + sha(salt, data.encode()).hex(), "not what was recorded"
        evidence.append({"n": header["n"], "type": header["type"], "leaf_hash": leaf.hex()})
    assert certificate["evidence"] == evidence, "the certificate is of other events"
    if bundle["policies"] is not None:
        assert certificate["policy"]["digest"] == "sha256:" + sha(rfc8785.dumps(bundle["policies"])).hex()
    return f"{digest} {certificate['status']} {len(evidence)} events of {size}"


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:  # noqa: PTH123 - a script for people who copy it
        print(verify(json.load(file)))
    assert not any(name.partition(".")[0].startswith("assent") for name in sys.modules)
