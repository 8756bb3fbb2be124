"""Signing keys on a real service: made, rotated, revoked, kept over restarts, and their private parts found nowhere."""

from __future__ import annotations

import base64
import shutil
import stat
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from assent import Client, Conflict, Forbidden, InvalidRequest, NotFound
from assent.contract.evidence.wallet import Jwk
from assent.proof.jwk import load_jwk, thumbprint
from assent.proof.note import verify_checkpoint
from tests.live import LiveService, start_service
from tests.stories.tenant import Tenant
from tests.tiers import deep

KEY = base64.b64encode(bytes(range(32))).decode()
WRONG = base64.b64encode(bytes(range(1, 33))).decode()


def unsealed(home: Path, org_id: str, kid: str, master: bytes) -> Ed25519PrivateKey:
    """The private part, opened by the description of its file and not by our code."""
    content = base64.b64decode((home / "wallet" / org_id / f"{kid}.key").read_bytes())
    associated = f"assent signing key 1\0{org_id}\0{kid}".encode()
    return Ed25519PrivateKey.from_private_bytes(AESGCM(master).decrypt(content[:12], content[12:], associated))


def forms(key: Ed25519PrivateKey) -> dict[str, bytes]:
    """Every way in which a private key is commonly written."""
    seed = key.private_bytes_raw()
    der = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    ssh = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    return {
        "raw": seed,
        "hex": seed.hex().encode(),
        "HEX": seed.hex().upper().encode(),
        "base64": base64.b64encode(seed).rstrip(b"="),
        "base64url": base64.urlsafe_b64encode(seed).rstrip(b"="),
        "DER": der,
        "PEM": pem.splitlines()[1],
        "OpenSSH": ssh.splitlines()[2],
        "list": str(list(seed)).encode(),
        "list without spaces": str(list(seed)).replace(" ", "").encode(),
    }


def kids(tenant: Tenant) -> list[str]:
    return [key["kid"] for key in tenant.send("GET", jwks_path(tenant.org_id), key=None).body["keys"]]


def jwks_path(org_id: str) -> str:
    return f"/.well-known/jwks.json?org_id={org_id}"


def test_the_life_of_keys_with_our_own_client(tenant: Tenant) -> None:
    with (
        tenant.client("admin") as boss,
        tenant.client("auditor") as auditor,
        Client(tenant.service.base_url) as stranger,
    ):
        assert stranger.get_jwks(tenant.org_id).keys == []
        assert auditor.get_signing_keys().keys == []
        first = boss.rotate_signing_key().key
        second = boss.rotate_signing_key("yearly")
        assert second.retired is not None
        assert (second.retired.kid, second.retired.reason) == (first.kid, "yearly")
        assert second.retired.not_after == second.key.not_before
        assert [key.status for key in auditor.get_signing_keys().keys] == ["retired", "active"]
        boss.revoke_signing_key(first.kid, "found in a backup")
        with pytest.raises(Conflict, match="revoked already"):
            boss.revoke_signing_key(first.kid, "again")
        with pytest.raises(NotFound, match="no signing key"):
            boss.revoke_signing_key("A" * 43, "typo")
        with pytest.raises(InvalidRequest):
            boss.revoke_signing_key(second.key.kid, "")
        with pytest.raises(Forbidden):
            auditor.rotate_signing_key()
        published = stranger.get_jwks(tenant.org_id).keys
        assert [key.kid for key in published] == [first.kid, second.key.kid]
        assert published[0].get("revoked").reason == "found in a backup"
        assert "revoked" not in published[1]
        for key in published:
            assert thumbprint(load_jwk(key).public_bytes_raw()) == key.kid
        assert [key.status for key in auditor.get_signing_keys().keys] == ["revoked", "active"]


async def test_an_awaiting_client_does_the_same(tenant: Tenant) -> None:
    async with tenant.async_client("admin") as boss:
        kid = (await boss.rotate_signing_key("first")).key.kid
        assert [key.kid for key in (await boss.get_jwks(tenant.org_id)).keys] == [kid]
        assert (await boss.revoke_signing_key(kid, "stolen")).key.status == "revoked"
        assert [key.status for key in (await boss.get_signing_keys()).keys] == ["revoked"]


def test_asking_makes_no_key(tenant: Tenant) -> None:
    before = tenant.recorded()
    assert kids(tenant) == []
    assert tenant.call("GET", "/api/signing-keys") == {"keys": []}
    assert tenant.recorded() == before
    assert not (tenant.service.home / "wallet" / tenant.org_id).exists()


def test_another_organization_sees_and_changes_nothing(new_tenant: Any) -> None:
    ours, theirs = new_tenant(), new_tenant()
    kid = ours.call("POST", "/api/signing-keys/rotate")["key"]["kid"]
    assert theirs.call("GET", "/api/signing-keys") == {"keys": []}
    refused = theirs.send("POST", f"/api/signing-keys/{kid}/revoke", {"reason": "mine"})
    unknown = theirs.send("POST", f"/api/signing-keys/{'A' * 43}/revoke", {"reason": "mine"})
    assert (refused.status, refused.code) == (unknown.status, unknown.code) == (404, "signing_key_not_found")
    assert kids(theirs) == []
    assert kids(ours) == [kid]


def test_an_organization_that_is_not_there_looks_like_one_without_keys(tenant: Tenant) -> None:
    unknown = tenant.send("GET", jwks_path("org_019cadc69a857c5eaec79c90ac98e78d"), key=None)
    known = tenant.send("GET", jwks_path(tenant.org_id), key=None)
    assert (unknown.status, unknown.content) == (known.status, known.content) == (200, b'{"keys":[]}')


def test_keys_are_data_without_anything_private(tenant: Tenant) -> None:
    kid = tenant.call("POST", "/api/signing-keys/rotate")["key"]["kid"]
    rows = tenant.send("GET", "/api/data/signing_keys?format=ndjson", key="auditor")
    (row,) = [row for row in rows.content.splitlines() if row]
    assert kid.encode() in row
    assert b'"x"' in row
    assert b"org_id" not in row


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def org_of(service: LiveService) -> str:
    status, own = service.call("GET", "/api/keys/own")
    assert status == 200
    return str(own["org_id"])


def rotated(service: LiveService) -> str:
    status, answer = service.call("POST", "/api/signing-keys/rotate", {"reason": "story"})
    assert status == 201, answer
    return str(answer["key"]["kid"])


def published(service: LiveService) -> list[dict[str, Any]]:
    """Of the first organization, by somebody without a key."""
    status, answer = service.call("GET", "/.well-known/jwks.json", key=None)
    assert status == 200
    keys: list[dict[str, Any]] = answer["keys"]
    return keys


@deep("many starts; the first uses of the file are in the quick tier")
@pytest.mark.parametrize("setting", [None, KEY])
def test_a_restart_keeps_keys_and_the_private_part_is_nowhere_in_clear(home: Path, setting: str | None) -> None:
    given: dict[str, Any] = {} if setting is None else {"ASSENT_WALLET_KEY": setting}
    with start_service(home, **given) as service:
        assert published(service) == []
        made = [rotated(service) for _ in range(3)]
        service.call("POST", f"/api/signing-keys/{made[1]}/revoke", {"reason": "stolen"})
        told = published(service)
        org_id = org_of(service)
        assert [key["kid"] for key in told] == made
        service.kill()
        output = service.output
    with start_service(home, **given) as service:
        assert published(service) == told
        made.append(rotated(service))
        output += service.output
    # The tables can be made anew from the log, and know the same keys.
    shutil.copytree(home, home.parent / "copy", ignore=shutil.ignore_patterns("tables*"))
    with start_service(home.parent / "copy", **given) as service:
        assert [key["kid"] for key in published(service)] == made
    assert (home / "wallet.key").exists() == (setting is None)
    master = base64.b64decode(setting or (home / "wallet.key").read_text())
    files = [file for file in home.rglob("*") if file.is_file()]
    everything = {file: file.read_bytes() for file in files} | {home.parent / "output": output.encode()}
    for kid in made:
        key = unsealed(home, org_id, kid, master)
        assert thumbprint(key.public_key().public_bytes_raw()) == kid
        for name, form in forms(key).items():
            assert len(form) >= 32
            assert [file for file, content in everything.items() if form in content] == [], name
    for file, content in everything.items():
        for name, form in {"raw": master, "hex": master.hex().encode(), "base64": base64.b64encode(master)}.items():
            assert file.name == "wallet.key" or form not in content, (file, name)


@deep("many starts; the first uses of the file are in the quick tier")
def test_only_the_owner_can_read_what_is_private(home: Path) -> None:
    with start_service(home) as service:
        kid, org_id = rotated(service), org_of(service)
    modes = {
        home / "wallet.key": 0o600,
        home / "wallet": 0o700,
        home / "wallet" / org_id: 0o700,
        home / "wallet" / org_id / f"{kid}.key": 0o600,
    }
    assert {path: stat.S_IMODE(path.stat().st_mode) for path in modes} == modes
    assert {path for path in (home / "wallet").rglob("*") if path.is_file()} == {
        home / "wallet" / org_id / f"{kid}.key"
    }


@deep("many starts; the first uses of the file are in the quick tier")
@pytest.mark.parametrize("wrong", ["tiny", "not base64 at all, and rather long!!", KEY[:-4]])
def test_a_setting_that_is_no_key_is_refused_when_it_is_needed_and_guard_goes_on(home: Path, wrong: str) -> None:
    with start_service(home, ASSENT_WALLET_KEY=wrong) as service:
        status, refused = service.call("POST", "/api/signing-keys/rotate", {})
        assert (status, refused["code"]) == (503, "wallet_unavailable")
        assert "ASSENT_WALLET_KEY is not a key; it must be 32 bytes in base64" in refused["detail"]
        assert wrong not in refused["detail"]
        status, verdict = service.call("POST", "/api/guard", {"action_type": "look"})
        assert (status, verdict["decision"]) == (200, "allow")
        assert published(service) == []
        assert wrong not in service.output
    assert not (home / "wallet").exists()
    assert not (home / "wallet.key").exists()


@deep("many starts; the first uses of the file are in the quick tier")
def test_the_first_use_makes_the_key_and_the_published_one_verifies(home: Path) -> None:
    with start_service(home) as service:
        assert published(service) == []
        status, head = service.call("GET", "/api/log/head")
        assert status == 200
        (key,) = published(service)
        assert key["kid"] == head["kid"]
        public = load_jwk(msgspec.convert(key, Jwk))
        assert verify_checkpoint(head["checkpoint"], public).root.hex() == head["root"]
        status, listed = service.call("GET", "/api/signing-keys")
        assert [(each["kid"], each["created_by"]) for each in listed["keys"]] == [(key["kid"], "system")]


@deep("many starts; the first uses of the file are in the quick tier")
def test_with_the_wrong_key_signing_is_refused_guard_goes_on_and_rotating_helps(home: Path) -> None:
    with start_service(home, ASSENT_WALLET_KEY=KEY) as service:
        first, org_id = rotated(service), org_of(service)
    with start_service(home, ASSENT_WALLET_KEY=WRONG) as service:
        assert [key["kid"] for key in published(service)] == [first]
        status, refused = service.call("GET", "/api/log/head")
        assert (status, refused["code"]) == (503, "wallet_unavailable")
        assert f"ASSENT_WALLET_KEY does not open the private part of {first}" in refused["detail"]
        assert "rotate" in refused["detail"]
        status, verdict = service.call("POST", "/api/guard", {"action_type": "look"})
        assert (status, verdict["decision"]) == (200, "allow")
        second = rotated(service)
        status, head = service.call("GET", "/api/log/head")
        assert (status, head["kid"]) == (200, second)
        assert WRONG not in service.output
    unsealed(home, org_id, first, base64.b64decode(KEY))
    unsealed(home, org_id, second, base64.b64decode(WRONG))
