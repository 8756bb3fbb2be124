"""Bad bundles as files: each fails exactly the checks that stand beside it."""

from __future__ import annotations

import json

import pytest

from assent.contract.evidence.proofs import CheckStatus
from assent.proof.verify import verify
from tests.vectors.bad_files import BAD, EXPECTED, bad_files
from tests.vectors.sealing import JWKS

WANTED: dict[str, list[str]] = json.loads(EXPECTED.read_bytes())


def test_the_files_are_those_that_are_made() -> None:
    made = bad_files()
    assert sorted(made) == sorted(BAD.iterdir()), "run python -m tests.vectors.bad_files"
    assert [path.name for path, content in made.items() if path.read_bytes() != content] == []


def test_every_kind_of_check_is_failed_by_some() -> None:
    failed = {name for checks in WANTED.values() for name in checks}
    assert failed >= {
        *("schema", "bundle_id", "key", "checkpoint", "signature", "digest", "inclusion", "certificate"),
        *("policy_replay", "approval_receipt", "consistency"),
    }


@pytest.mark.parametrize("name", WANTED)
def test_a_bad_file_fails_what_is_about_it(name: str) -> None:
    found = verify((BAD / f"{name}.json").read_bytes(), keys=JWKS)
    assert not found.ok
    assert sorted(check.name.value for check in found.checks if check.status is CheckStatus.FAIL) == WANTED[name]
