"""Bundles are verified without our code: by a short script of its own, and by securesystemslib."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer._key import SSlibKey

from tests.vectors.edited import EDITED, edited_value
from tests.vectors.sealing import FOLDER, KEY, STRANGER

SCRIPT = Path(__file__).parent / "independent.py"
ACTIONS = sorted(file.name for file in FOLDER.glob("action_*.json"))
# What the script is not made for: the shape of a bundle beyond what it reads, keys that are not used, other spellings
# of base64, other heads, and the certificate made again.
SKIPPED = {
    *("another_schema", "a_member_more", "a_member_of_an_event_more", "a_member_of_the_envelope_more"),
    *("an_organization_with_an_action", "signature_of_another_type", "signature_spelled_otherwise"),
    *("head_spelled_otherwise", "body_gone", "key_that_is_not_used", "keys_in_another_order", "path_in_capitals"),
    *("step_left_out", "step_repeated", "wrong_step", "policies_left_out", "policies_put_in"),
}


def run(file: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-I", SCRIPT, file], capture_output=True, text=True, check=False)


def test_the_script_imports_nothing_of_ours() -> None:
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    tops = {name.partition(".")[0] for name in names}
    assert tops == {"base64", "hashlib", "json", "sys", "typing", "rfc8785", "cryptography"}


@pytest.mark.parametrize("name", ACTIONS)
def test_a_good_bundle(name: str) -> None:
    done = run(FOLDER / name)
    assert done.returncode == 0, done.stderr
    bundle = json.loads((FOLDER / name).read_bytes())
    certificate = json.loads(b64decode(bundle["attestation"]["payload"]))["predicate"]
    status, count, size = certificate["status"], len(bundle["events"]), certificate["log"]["size"]
    assert done.stdout == f"{bundle['digest'].removeprefix('sha256:')} {status} {count} events of {size}\n"


@pytest.mark.parametrize("name", sorted(EDITED.keys() - SKIPPED))
def test_an_edited_bundle(name: str, tmp_path: Path) -> None:
    (tmp_path / "bundle.json").write_bytes(msgspec.json.encode(edited_value(name)))
    done = run(tmp_path / "bundle.json")
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback")


# securesystemslib


def envelope_of(bundle: dict[str, Any]) -> Envelope:
    """The bundle's envelope; that library compares key ids only when they are its own, which are others."""
    return Envelope.from_dict(bundle["attestation"])


def key_of(public: Ed25519PublicKey, kid: str) -> SSlibKey:
    return SSlibKey(kid, "ed25519", "ed25519", {"public": public.public_bytes_raw().hex()})


@pytest.mark.parametrize("name", [*ACTIONS, "organization.json"])
def test_securesystemslib_verifies_the_envelope(name: str) -> None:
    bundle = json.loads((FOLDER / name).read_bytes())
    kid = bundle["attestation"]["signatures"][0]["keyid"]
    envelope = envelope_of(bundle)
    accepted = envelope.verify([key_of(KEY.public_key(), kid)], threshold=1)
    assert list(accepted) == [kid]
    assert envelope.payload == b64decode(bundle["attestation"]["payload"])
    with pytest.raises(VerificationError):
        envelope.verify([key_of(STRANGER.public_key(), kid)], threshold=1)
    envelope.payload += b" "
    with pytest.raises(VerificationError):
        envelope.verify([key_of(KEY.public_key(), kid)], threshold=1)
