"""The life of a signing key, step by step, and what the world is told of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assent.contract.evidence.wallet import SigningKeyStatus
from assent.proof.jwk import load_jwk, standing
from assent_service.base.clock import microseconds, moment
from assent_service.evidence.wallet.signing_key import (
    SigningKeyRow,
    as_answer,
    made,
    published,
    retired,
    revoked,
    rising,
)

PUBLIC = Ed25519PrivateKey.from_private_bytes(bytes(range(32))).public_key()
AT = datetime(2026, 11, 21, 12, 0, 0, 300_000, tzinfo=UTC)
NOW = microseconds(AT)
SECOND, DAY = 1_000_000, 86_400_000_000


@pytest.fixture
def key() -> SigningKeyRow:
    return made("org_1", PUBLIC, by="key_1", now=NOW, days=365)


def test_a_new_key_signs_from_now_on_for_as_long_as_it_was_said(key: SigningKeyRow) -> None:
    assert (key.created_at, key.not_before, key.updated_at) == (AT, AT, AT)
    assert key.not_after == AT + timedelta(days=365)
    assert key.signs(NOW)
    assert key.signs(NOW + 365 * DAY - 1)
    assert not key.signs(NOW + 365 * DAY)
    assert key.public == PUBLIC
    assert (as_answer(key, newest=True, now=NOW).status, as_answer(key, newest=True, now=NOW).created_by) == (
        "active",
        "key_1",
    )


def test_days_may_be_pieces_of_days() -> None:
    assert made("o", PUBLIC, by="k", now=NOW, days=0.5).not_after == AT + timedelta(hours=12)


def test_a_key_of_the_future_does_not_sign(key: SigningKeyRow) -> None:
    assert key.signs(NOW - 300_000), "the whole second counts, as in its JWK"
    assert not key.signs(NOW - 300_001)


def test_what_is_published_holds_for_every_moment_in_which_it_signs(key: SigningKeyRow) -> None:
    jwk = published(key)
    assert load_jwk(jwk) == PUBLIC
    assert (jwk.nbf, jwk.exp) == (1_795_262_400, 1_795_262_401 + 365 * 86_400)
    assert datetime.fromtimestamp(1_795_262_400, UTC) == AT.replace(microsecond=0)
    for at in (NOW, NOW + 1, NOW + 365 * DAY - 1):
        assert standing(jwk, moment(at)) is None
    assert standing(jwk, moment(NOW - SECOND)) is not None
    assert standing(jwk, moment(NOW + 365 * DAY + SECOND)) is not None


def test_retiring_ends_it_there_and_keeps_what_it_signed(key: SigningKeyRow) -> None:
    end = NOW + 10 * SECOND
    old = retired(key, by="key_2", reason="yearly", now=end)
    assert (old.not_after, old.retired_at, old.retired_by, old.reason) == (moment(end), moment(end), "key_2", "yearly")
    assert not old.signs(end - 1)
    assert as_answer(old, newest=False, now=end).status is SigningKeyStatus.RETIRED
    assert standing(published(old), moment(end - 1)) is None
    assert standing(published(old), moment(end + SECOND)) is not None


def test_a_time_of_whole_seconds_is_not_rounded_any_further(key: SigningKeyRow) -> None:
    end = microseconds(datetime(2026, 11, 22, tzinfo=UTC))
    assert published(retired(key, by="k", reason=None, now=end)).exp == end // SECOND


def test_nothing_of_a_revoked_key_counts(key: SigningKeyRow) -> None:
    end = NOW + 10 * SECOND
    for before in (key, retired(key, by="key_2", reason="yearly", now=NOW + SECOND)):
        gone = revoked(before, by="key_3", reason="stolen", now=end)
        assert not gone.signs(NOW + 1)
        assert (gone.revoked_by, gone.reason, gone.retired_at) == ("key_3", "stolen", before.retired_at)
        assert as_answer(gone, newest=True, now=end).status is SigningKeyStatus.REVOKED
        why = standing(published(gone), AT)
        assert why is not None
        assert "stolen" in why


def test_a_key_runs_out_by_itself_and_only_the_newest_is_active(key: SigningKeyRow) -> None:
    assert as_answer(key, newest=True, now=NOW + 365 * DAY).status is SigningKeyStatus.EXPIRED
    assert as_answer(key, newest=False, now=NOW).status is SigningKeyStatus.EXPIRED


def test_times_of_creation_rise_but_the_clock_says_when_it_signs(key: SigningKeyRow) -> None:
    after = made("org_1", PUBLIC, by="k", now=NOW - 5 * SECOND, days=1, before=key)
    assert after.created_at == AT + timedelta(microseconds=1)
    assert after.not_before == AT - timedelta(seconds=5)
    assert after.signs(NOW - 5 * SECOND)
    assert rising(NOW + 7, key) == NOW + 7
    assert rising(NOW, None) == NOW
