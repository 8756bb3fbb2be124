"""Private parts at rest: sealed, bound to whose they are, and not to be had any other way."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from assent.contract.problems import Code
from assent.proof.jwk import thumbprint
from assent_service.base.problem import Refusal
from assent_service.evidence.wallet.master import Master
from assent_service.evidence.wallet.vault import Vault

SEED = bytes(range(32))
KEY = Ed25519PrivateKey.from_private_bytes(SEED)
KID = thumbprint(KEY.public_key().public_bytes_raw())
ONE, TWO = (base64.b64encode(bytes([each]) * 32).decode() for each in (1, 2))


def vault(home: Path, key: str = ONE) -> Vault:
    return Vault(home, Master(home, key))


def refused(home: Path, org_id: str = "org_1", kid: str = KID, key: str = ONE) -> str:
    with pytest.raises(Refusal) as found:
        vault(home, key).open(org_id, kid)
    assert found.value.code is Code.WALLET_UNAVAILABLE
    assert found.value.__cause__ is None
    return found.value.detail


@pytest.fixture
def home(tmp_path: Path) -> Path:
    vault(tmp_path).seal("org_1", KID, KEY)
    return tmp_path


@pytest.fixture
def file(home: Path) -> Path:
    return home / "wallet" / "org_1" / f"{KID}.key"


def test_what_was_sealed_opens(home: Path) -> None:
    assert vault(home).open("org_1", KID).private_bytes_raw() == SEED


def test_it_is_aes_256_gcm_bound_to_organization_and_kid(file: Path) -> None:
    content = base64.b64decode(file.read_bytes())
    associated = b"assent signing key 1\0org_1\0" + KID.encode()
    assert AESGCM(b"\1" * 32).decrypt(content[:12], content[12:], associated) == SEED
    assert len(content) == 12 + 32 + 16


def test_the_same_key_never_looks_the_same(home: Path, file: Path) -> None:
    first = file.read_bytes()
    file.unlink()
    vault(home).seal("org_1", KID, KEY)
    assert file.read_bytes() != first


def test_another_key_does_not_open_it_and_says_what_to_do(home: Path) -> None:
    detail = refused(home, key=TWO)
    assert "ASSENT_WALLET_KEY does not open the private part" in detail
    assert "rotate" in detail
    assert TWO not in detail


def test_without_its_file_it_says_which_one(home: Path, file: Path) -> None:
    file.unlink()
    assert f"wallet/org_1/{KID}.key in the data folder, is missing" in refused(home)


def test_a_file_under_another_name_does_not_open(home: Path, file: Path) -> None:
    other = thumbprint(bytes(32))
    (home / "wallet" / "org_2").mkdir()
    for org_id, kid in (("org_2", KID), ("org_1", other)):
        copy = home / "wallet" / org_id / f"{kid}.key"
        copy.write_bytes(file.read_bytes())
        copy.chmod(0o600)
        assert "does not open" in refused(home, org_id, kid)


def test_a_key_that_is_not_the_one_of_its_kid_does_not_open(home: Path) -> None:
    other = thumbprint(bytes(32))
    vault(home).seal("org_1", other, KEY)
    assert "does not open" in refused(home, "org_1", other)


def test_no_byte_of_it_can_be_changed(home: Path, file: Path) -> None:
    content = file.read_bytes()
    raw = base64.b64decode(content)
    for at in range(len(raw)):
        changed = raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]
        file.write_bytes(base64.b64encode(changed))
        assert "does not open" in refused(home)
    for damaged in (b"", b"\n", b"!", content[:20], content[:-10], os.urandom(80), raw, b"AAAA"):
        file.write_bytes(damaged)
        assert "does not open" in refused(home)


def test_the_private_part_is_nowhere_in_clear(home: Path) -> None:
    for each in home.rglob("*"):
        if each.is_file():
            for form in (SEED, SEED.hex().encode(), base64.b64encode(SEED), base64.urlsafe_b64encode(SEED)):
                assert form.rstrip(b"=") not in each.read_bytes()


def test_a_disk_that_is_full_makes_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for key in (ONE, None):
        with pytest.raises(Refusal) as found:
            Vault(tmp_path, Master(tmp_path, key)).seal("org_1", KID, KEY)
        assert found.value.code is Code.STORAGE_UNAVAILABLE
        assert "No space left" in found.value.detail
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == []
