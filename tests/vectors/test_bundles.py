"""Bundles as files: the good ones verify, each bad one fails exactly the check that is about what is wrong with it."""

from __future__ import annotations

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assent.contract.evidence.proofs import CheckName, CheckStatus, ProofBundle, ProofVerification, Signer
from assent.contract.evidence.wallet import JwkRevoked, Jwks
from assent.proof.verify import verify
from tests.vectors.edited import EDITED, TEXTS, edited_value
from tests.vectors.key_sets import KEY_SETS
from tests.vectors.resealed import RESEALED
from tests.vectors.sealing import (
    FOLDER,
    JWKS,
    KEY,
    OLDER,
    ORIGIN,
    SIGNED_AT,
    STRANGER,
    Setting,
    approved,
    files,
    good_bundles,
)

GOOD = sorted(good_bundles())
OF_ORGANIZATION = {
    CheckName.SCHEMA, CheckName.BUNDLE_ID, CheckName.KEY, CheckName.CHECKPOINT, CheckName.SIGNATURE, CheckName.DIGEST,
    CheckName.CERTIFICATE, CheckName.CONSISTENCY,
}  # fmt: skip
OF_ACTION = set(CheckName) - {CheckName.LOG, CheckName.DATABASE_ROW}


def failing(found: ProofVerification) -> set[str]:
    return {check.name.value for check in found.checks if check.status is CheckStatus.FAIL}


def statuses(found: ProofVerification) -> dict[str, str]:
    return {check.name.value: check.status.value for check in found.checks}


def read(name: str) -> bytes:
    return (FOLDER / f"{name}.json").read_bytes()


def test_the_files_are_what_they_were() -> None:
    made = files()
    assert sorted(made) == sorted(file.name for file in FOLDER.iterdir() if file.is_file())
    for name, content in made.items():
        assert (FOLDER / name).read_bytes() == content, f"{name} differs; bundles that were given out do not change"


@pytest.mark.parametrize("name", GOOD)
def test_a_good_bundle_verifies(name: str) -> None:
    found = verify(read(name), keys=JWKS)
    assert failing(found) == set()
    assert found.ok
    assert found.signer is Signer.TRUSTED
    wanted = OF_ORGANIZATION if name == "organization" else OF_ACTION
    assert [check.name for check in found.checks] == [each for each in CheckName if each in wanted]
    assert all(check.detail for check in found.checks)


@pytest.mark.parametrize("name", GOOD)
def test_without_a_key_set_it_is_intact_and_the_signer_is_unknown(name: str) -> None:
    found = verify(read(name))
    assert found.ok
    assert found.signer is Signer.UNKNOWN
    assert statuses(found)["key"] == "warn"
    assert found.certificate == verify(read(name), keys=JWKS).certificate


def test_bytes_text_value_and_struct_are_one_bundle() -> None:
    text = read("action_approved")
    first = verify(text, keys=JWKS)
    for other in (text.decode(), msgspec.json.decode(text), msgspec.json.decode(text, type=ProofBundle)):
        assert verify(other, keys=JWKS) == first
    pretty = msgspec.json.format(text, indent=4)
    assert verify(pretty, keys=JWKS) == first, "white space is nothing"


def test_what_is_not_judged_says_so() -> None:
    old, gone = (statuses(verify(read(name), keys=JWKS)) for name in ("action_old", "action_erased"))
    assert old["policy_replay"] == "not_checked"
    assert [gone[name] for name in ("checkpoint_coverage", "policy_replay", "approval_receipt")] == ["not_checked"] * 3
    denied = verify(read("action_denied"), keys=JWKS)
    assert statuses(denied)["checkpoint_coverage"] == "warn"
    assert "assumption_capture" in next(c.detail for c in denied.checks if c.name is CheckName.CHECKPOINT_COVERAGE)


@pytest.mark.parametrize("name", RESEALED)
def test_what_a_lying_signer_made(name: str) -> None:
    make, wanted = RESEALED[name]
    found = verify(make(), keys=JWKS)
    assert failing(found) == wanted, [check for check in found.checks if check.status is CheckStatus.FAIL]
    assert not found.ok


@pytest.mark.parametrize("name", EDITED)
def test_what_somebody_edited(name: str) -> None:
    found = verify(edited_value(name), keys=JWKS)
    assert failing(found) == EDITED[name][2], [check for check in found.checks if check.status is CheckStatus.FAIL]
    assert not found.ok
    assert verify(msgspec.json.encode(edited_value(name)), keys=JWKS) == found


def test_an_edit_without_a_new_id_is_found_by_the_id() -> None:
    value = edited_value("another_digest") | {"bundle_id": edited_value("a_member_more")["bundle_id"]}
    assert failing(verify(value, keys=JWKS)) == {"bundle_id", "digest"}


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_no_bundle_at_all(name: str) -> None:
    found = verify(TEXTS[name](read("action_approved")), keys=JWKS)
    assert [check.name for check in found.checks] == [CheckName.SCHEMA]
    assert failing(found) == {"schema"}
    assert len(found.checks[0].detail) > 20


@pytest.mark.parametrize("name", KEY_SETS)
def test_a_key_set_that_does_not_vouch(name: str) -> None:
    found = verify(read("action_approved"), keys=KEY_SETS[name])
    assert failing(found) == {"key"}
    assert found.signer is Signer.UNKNOWN
    assert failing(verify(read("organization"), keys=KEY_SETS[name])) == {"key"}


def test_an_expired_key_says_when() -> None:
    found = verify(read("action_approved"), keys=KEY_SETS["expired"])
    detail = next(check.detail for check in found.checks if check.name is CheckName.KEY)
    assert "2026-11-21T11:00:00" in detail


# An older head


def head(size: int, key: Ed25519PrivateKey = KEY, seed: str = "grove", origin: str = ORIGIN) -> str:
    return Setting(approved(), seed=seed, origin=origin).note(size, key, SIGNED_AT)


@pytest.mark.parametrize(
    ("note", "wanted"),
    [
        (head(200), "pass"),
        (head(129), "pass"),
        (head(129, OLDER), "pass"),
        (head(150), "pass"),
        (head(130), "fail"),
        (head(129, seed="fork"), "fail"),
        (head(200, seed="fork"), "fail"),
        (head(129, STRANGER), "fail"),
        (head(129, origin="assent.example/org_other"), "fail"),
        ("", "fail"),
        ("x\n" * 5, "fail"),
        ("\ud800", "fail"),
        (head(129)[:-3] + "A=\n", "fail"),
    ],
)
def test_since_an_older_head(note: str, wanted: str) -> None:
    found = verify(read("action_after_rotation"), keys=JWKS, since=note)
    assert statuses(found)["consistency"] == wanted, found.checks[-1]
    assert failing(found) == ({"consistency"} if wanted == "fail" else set())


def test_since_says_what_to_export() -> None:
    found = verify(read("action_approved"), keys=JWKS, since=head(129))
    assert "since=129" in found.checks[-1].detail
    assert "two logs" in verify(read("action_approved"), keys=JWKS, since=head(200, seed="fork")).checks[-1].detail


def test_a_head_by_a_key_that_was_revoked_since_is_told() -> None:
    keys = Jwks(
        keys=[msgspec.structs.replace(JWKS.keys[0], revoked=JwkRevoked(revoked_at=1, reason="lost")), JWKS.keys[1]]
    )
    found = verify(read("action_after_rotation"), keys=keys)
    assert found.ok
    assert statuses(found)["consistency"] == "warn"
    assert "revoked" in found.checks[-1].detail
