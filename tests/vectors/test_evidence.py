"""One grammar for times, whole numbers and keys in evidence; tests/sdk/typescript asks the Node client the same."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from assent.contract.evidence.proofs import CheckStatus
from assent.contract.evidence.wallet import Jwks
from assent.proof.jwk import standing
from assent.proof.strict import StrictError, read_json
from assent.proof.times import microseconds_of, moment
from assent.proof.verify import verify
from tests.vectors.evidence import KEY_MEMBERS, REVISIONS, TIMES, key_set, numbered, timed
from tests.vectors.sealing import FOLDER, JWKS, KEY, jwk


@pytest.mark.parametrize(("text", "at"), TIMES)
def test_a_time_is_what_every_reader_takes_for_the_same(text: str, at: int | None) -> None:
    found = moment(text)
    assert (None if found is None else microseconds_of(found)) == at


@pytest.mark.parametrize("given", [None, 5, 1.5, True, [], {}])
def test_what_is_no_text_is_no_time(given: Any) -> None:
    assert moment(given) is None


@pytest.mark.parametrize(("text", "at"), TIMES)
def test_the_rules_are_judged_by_no_other_time(text: str, at: int | None) -> None:
    found = verify(timed(text), keys=JWKS)
    assert found.ok is (at is not None)


@pytest.mark.parametrize(("spelled", "holds"), REVISIONS)
def test_a_revision_is_spelled_as_an_integer(spelled: str, holds: bool) -> None:
    found = verify(numbered(spelled), keys=JWKS)
    assert found.ok is holds
    assert {each.name.value for each in found.checks if each.status is CheckStatus.FAIL} <= {"inclusion", "certificate"}


@pytest.mark.parametrize(("name", "value", "holds"), KEY_MEMBERS)
def test_a_key_set_is_trusted_as_a_whole(name: str, value: Any, holds: bool) -> None:
    try:
        keys = msgspec.convert(read_json(json.dumps(key_set(name, value))), Jwks)
    except (msgspec.ValidationError, StrictError):
        assert not holds
        return
    assert verify((FOLDER / "action_approved.json").read_bytes(), keys=keys).ok is holds


def test_a_key_is_judged_to_the_microsecond() -> None:
    last = datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC)
    assert standing(jwk(KEY, nbf=253_402_300_800), last) is not None
    assert standing(jwk(KEY, exp=253_402_300_800), last) is None
    assert standing(jwk(KEY, exp=253_402_300_799), last) is not None
