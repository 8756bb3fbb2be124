"""Secrets in a line, and what only looks a little like one."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.secrets import displayed, find_secrets, holds_secret, redacted
from tests.sdk.secrets.samples import HELD, Sample
from tests.tiers import deep, examples

SECRET = "Zx9" * 8
SHOWN = (
    f"curl -H 'Authorization: Bearer {SECRET}' https://example.com",
    f'curl -H "authorization: token {SECRET}"',
    f"curl -H 'X-Api-Key: {SECRET}'",
    f"curl -H 'Cookie: a={SECRET}; b={SECRET}'",
    f"curl https://bob:{SECRET}@example.com/x",
    f"curl https://example.com/?token={SECRET}&x=1",
    f"curl 'https://example.com/?a=1&api_key={SECRET}'",
    f"curl -u bob:{SECRET} https://example.com",
    f"mysql --password={SECRET}",
    f"mysql --password {SECRET}",
    f"tool --client-secret '{SECRET} and more'",
    f"DB_PASSWORD={SECRET} ./run",
    f"export GITHUB_TOKEN='{SECRET}'",
    f'echo \'{{"password": "{SECRET}"}}\'',
    f"password: {SECRET}",
    f"aws_secret_access_key = {SECRET}",
    f"echo sk-{SECRET}",
    f"echo sk-proj-{SECRET}-{SECRET}",
    f"echo ghp_{SECRET}",
    f"echo github_pat_{SECRET}",
    f"echo xoxb-{SECRET}",
    f"echo glpat-{SECRET}",
    f"echo oc_live_{SECRET}",
    f"echo eyJ{SECRET}.{SECRET}.{SECRET}",
    f"echo -----BEGIN RSA PRIVATE KEY----- {SECRET} -----END RSA PRIVATE KEY-----",
    f"echo -----BEGIN PRIVATE KEY----- {SECRET}",
)
KEPT = (
    "git commit -m 'rotate the token'",
    "git commit --author='Ann <ann@example.com>'",
    "grep -rn password src",
    "ls secrets/",
    "curl https://example.com/a/b?page=2",
    "pytest tests/test_tokens.py",
    "echo sk-1",
    "make task-desk",
    "curl -H 'Accept: text/plain' https://example.com",
    "ssh git@example.com",
    "SELECT id FROM users WHERE name = $1 AND password = $2",
    "token = next(tokens)",
    "token = tokens[index]",
    "secret = request.headers[name]",
    "password = form.password",
    "X-Idempotency-Key: 550e8400-e29b-41d4-a716-446655440000",
    "x-goog-routing-key: orders-2026a",
)


@pytest.mark.parametrize("text", SHOWN)
def test_a_secret_is_hidden(text: str) -> None:
    found = redacted(text)
    assert SECRET not in found
    assert "[REDACTED:" in found
    assert holds_secret(text)


def test_keys_that_say_what_they_are() -> None:
    assert redacted("echo AKIAIOSFODNN7EXAMPLE") == "echo [REDACTED:aws_access_key]"


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redacted(text) == text


def test_what_stands_around_a_secret_stays() -> None:
    assert redacted("A_TOKEN=abc ./run --fast") == "A_TOKEN=[REDACTED:token] ./run --fast"
    assert redacted("curl https://u:p@host/x?a=1") == "curl https://[REDACTED:url_credentials]@host/x?a=1"


PIECES = st.sampled_from([sample.text for sample in HELD] + [sample.secret for sample in HELD])
LOOSE = st.text(max_size=30) | st.sampled_from(
    ["[REDACTED:", "]", "[redacted]", "[REDACTED:jwt]", "password=", '"', "'", "\\", "=", "sk-", "://", "@", " ", "\n"]
)
TEXTS = st.lists(PIECES | LOOSE, max_size=6).map("".join)


@examples(2)
@given(TEXTS)
def test_once_is_enough(text: str) -> None:
    once = redacted(text)
    assert redacted(once) == once
    assert not holds_secret(once)


@given(TEXTS)
def test_findings_are_places_of_the_text_in_their_order(text: str) -> None:
    at = 0
    for found in find_secrets(text):
        assert at <= found.start < found.end <= len(text)
        at = found.end


@given(st.sampled_from(HELD), st.text(max_size=200), st.text(max_size=200))
def test_a_secret_is_found_wherever_it_stands(sample: Sample, before: str, after: str) -> None:
    assert sample.secret not in redacted(f"{before}\n{sample.text}\n{after}")


def test_what_was_taken_out_by_another_pattern_is_not_named_twice() -> None:
    secret = next(sample for sample in HELD if sample.pattern == "github_token").secret
    assert redacted(f"token={secret}") == "token=[REDACTED:github_token]"
    assert redacted("password=[REDACTED:password] and [redacted]") == "password=[REDACTED:password] and [redacted]"


def test_what_is_displayed_is_cut_and_what_is_stored_is_not() -> None:
    text = "a " * 15_000 + "password=" + "hunter" + "2"
    assert redacted(text).endswith("password=[REDACTED:password]")
    assert len(displayed(text)) == 20_000


@pytest.mark.parametrize(
    "before", ["", "eyJ" + "a1" * 20 + " ", "eyJ" + "-a1b" * 600 + ".x ", "eyJabcdefgh. ", "\\n", "-"]
)
def test_a_token_is_found_behind_what_only_begins_like_one(before: str) -> None:
    token = f"eyJ{SECRET}.eyJ{SECRET}.{SECRET}"
    assert SECRET not in redacted(f"{before}{token} after")


REPEATED = (
    *("a", "a-", "x-", "token", "token=", "https://a", "-u a:", "sk-", "; ", "a=", "bearer ", "eyJaaaaaaaa."),
    *("-----BEGIN PRIVATE KEY-----", "--password ", "password: ", "://a:b@", "authorization: ", "cookie: a=b;"),
    *("sk-ant-", "token='", 'token="\\', "-----BEGIN PRIVATE KEY-----AAAA-----END ", "a_token: ", "AKIA", "x-a-"),
    *("eyJ", "eyJ-", "password", "secret-"),
)


@deep("measures time on long texts")
@pytest.mark.parametrize("piece", REPEATED)
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    """A megabyte of the worst takes a second or two, where a square of it would take hours."""
    began = time.process_time()
    redacted((piece * 1_000_000)[:1_000_000])
    assert time.process_time() - began < 20
