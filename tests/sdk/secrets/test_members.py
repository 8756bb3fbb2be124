"""Secrets in decoded JSON, and the one look at its bytes that says whether there can be any."""

from __future__ import annotations

import json
from typing import Any

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from assent.secrets import SIGNS, kind_of, names_secret, redact_members, redacted
from tests.sdk.secrets.samples import HELD, NEAR
from tests.tiers import examples

SIGN = re2.compile(SIGNS.encode())
SECRETS = st.sampled_from([sample.text for sample in HELD] + [sample.secret for sample in HELD])
NAMES = st.sampled_from(
    ["password", "apiKey", "GITHUB_TOKEN", "client_secret", "cookie", "authorization", "db_pass", "note", "tokens_in"]
)
TEXTS = SECRETS | st.text(max_size=20) | st.sampled_from([text for texts in NEAR.values() for text in texts])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | TEXTS, inner, max_size=4),
    max_leaves=12,
)


def test_any_depth_names_and_lists() -> None:
    key = next(sample for sample in HELD if sample.pattern == "stripe_key").secret
    given_ = {"a": [{"b": f"pay with {key}"}], key: 1, "n": 7, "passwords": ["one", "two"]}
    assert redact_members(given_) == {
        "a": [{"b": "pay with [REDACTED:stripe_key]"}],
        "[REDACTED:stripe_key]": 1,
        "n": 7,
        "passwords": ["[REDACTED:password]", "[REDACTED:password]"],
    }


def test_no_value_is_lost_where_names_become_the_same() -> None:
    first, second = (sample.secret for sample in HELD if sample.pattern == "github_token")
    found = redact_members({first: 1, "[REDACTED:github_token]": 2, second: 3})
    assert found == {
        "[REDACTED:github_token] (2)": 1,
        "[REDACTED:github_token]": 2,
        "[REDACTED:github_token] (3)": 3,
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("password", "hunter" + "2"), ("DB_PASSWORD_PROD", "two words"), ("apiKey", "a1b2c3d4"), ("db_pass", "xy")),
        *(
            ("token", "3f2b8c9e-1d2e-4f5a"),
            ("Authorization", "Basic dXNlcg"),
            ("cookie", "sid=1"),
            ("secret", "a1" * 8),
        ),
        *(("credentials", "AbCdEfGhIjKlMnOpQr"), ("GITHUB_TOKEN", "abcdef123")),
    ],
)
def test_what_goes_by_the_name_of_a_secret(name: str, value: str) -> None:
    assert redact_members({name: value})[name].startswith("[REDACTED:")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("token", "page-2"), ("next_page_token", "abc123def"), ("tokens_in", 512), ("key", "value1234567")),
        *(("secret", "be kind"), ("password", "${DB_PASSWORD}"), ("password", "required"), ("password", "")),
        *(("password_hash", "a1b2c3d4e5"), ("token_type", "bearer1234"), ("secret_name", "orders-db-2026")),
        *(("authorization", "granted by Ada"), ("cookie", "chocolate"), ("pass", "yes"), ("password", 12345678)),
        *(("authorization_scope", "refunds up to 500"), ("public_key", "a1b2c3d4e5"), ("passengers", "a1b2c3d4")),
        *(("idempotency_key", "a1b2c3d4e5f6"), ("idempotency_token", "a1b2c3d4e5f6"), ("boarding_pass", "economy")),
        *(("token", "0x" + "6B17" * 10), ("first_pass", "done in an hour"), ("password", "user.password")),
    ],
)
def test_what_only_sounds_like_one_stays(name: str, value: object) -> None:
    members = {name: value}
    assert redact_members(members) is members


@pytest.mark.parametrize("name", ["password", "X_SECRET_1", "credentials", "dbpassword", "api-key", "authToken"])
def test_both_ask_the_same_of_plain_names(name: str) -> None:
    assert names_secret(name)
    assert kind_of(name) is not None


@examples(2)
@given(VALUES)
def test_once_is_enough_and_nothing_is_lost(value: Any) -> None:
    once = redact_members(value)
    assert redact_members(once) == once
    assert _leaves(once) == _leaves(value)
    for sample in HELD:
        if sample.pattern not in ("password", "secret", "token", "api_key", "authorization", "bearer_token"):
            continue
        assert sample.text not in json.dumps(once, ensure_ascii=False)


def _leaves(value: Any) -> int:
    if isinstance(value, dict):
        return sum(map(_leaves, value.values()))
    return sum(map(_leaves, value)) if isinstance(value, list) else 1


@examples(3)
@given(VALUES, st.booleans(), st.data())
def test_bytes_without_a_sign_hold_no_secret(value: Any, ascii_only: bool, data: st.DataObject) -> None:
    body = json.dumps({"x": value}, ensure_ascii=ascii_only)
    if data.draw(st.booleans()):
        # any letter may be written as an escape
        letters = [sign for sign in set(body) if sign.isalpha()]
        if letters:
            body = json.dumps(json.loads(body)).replace("/", "\\/")
    if SIGN.search(body.encode("utf-8", "surrogatepass")) is None:
        members = json.loads(body)
        assert redact_members(members) is members


@pytest.mark.parametrize("sample", HELD, ids=[f"{number}-{each.pattern}" for number, each in enumerate(HELD)])
def test_every_sample_shows_a_sign_however_it_is_written(sample: Any) -> None:
    plain = json.dumps({"goal": sample.text})
    escaped = '{"goal": "' + "".join(f"\\u{ord(sign):04x}" for sign in sample.text) + '"}'
    nested = json.dumps({"goal": json.dumps({"said": sample.text})})
    for body in (plain, escaped, nested, plain.replace("/", "\\/")):
        assert SIGN.search(body.encode()) is not None
        left = redact_members(json.loads(body))
        assert left != json.loads(body)
    assert redacted(sample.text) != sample.text


def test_an_ordinary_body_shows_none() -> None:
    body = {
        "action_type": "deploy",
        "declared_goal": "Roll out 4.2 after the tests have passed; tell the passengers at https://example.com/status",
        "idempotency_key": "deploy-4711",
        "tokens_in": 512,
        "tokens_out": 12,
        "authorization_scope": "staging",
        "systems_touched": ["task-runner", "keyboard"],
    }
    assert SIGN.search(json.dumps(body).encode()) is None
