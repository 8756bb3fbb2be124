"""Secrets in a line, and what only looks a little like one."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.hooks.redaction import HIDDEN, holds_secret, redacted

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
)


@pytest.mark.parametrize("text", SHOWN)
def test_a_secret_is_hidden(text: str) -> None:
    found = redacted(text)
    assert SECRET not in found
    assert HIDDEN in found
    assert holds_secret(text)


def test_keys_that_say_what_they_are() -> None:
    assert redacted("echo AKIAIOSFODNN7EXAMPLE") == f"echo {HIDDEN}"


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redacted(text) == text


def test_what_stands_around_a_secret_stays() -> None:
    assert redacted("A_TOKEN=abc ./run --fast") == f"A_TOKEN={HIDDEN} ./run --fast"
    assert redacted("curl https://u:p@host/x?a=1") == f"curl https://{HIDDEN}@host/x?a=1"


@given(st.text(max_size=200))
def test_any_text_and_again(text: str) -> None:
    once = redacted(text)
    assert isinstance(once, str)


REPEATED = (
    *("a", "a-", "x-", "token", "token=", "https://a", "-u a:", "sk-", "; ", "a=", "bearer ", "eyJaaaaaaaa."),
    *("-----BEGIN PRIVATE KEY-----", "--password "),
)


@pytest.mark.parametrize("piece", REPEATED)
def test_it_takes_no_time_at_all(piece: str) -> None:
    began = time.process_time()
    redacted((piece * 100_000)[:100_000])
    assert time.process_time() - began < 3
