"""What the process was given itself is found by its value, in every spelling that carries it."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.secrets import find_secrets, own_values, redact_members, redacted, without_own

VALUE = 'correct horse+battery/staple="42"~'
HIDDEN = "[REDACTED:configured_secret]"


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """What other tests of this process were given is there again afterwards."""
    before = (own_values._forms, set(own_values._values))
    own_values._forms, own_values._values = (), set()
    yield
    own_values._forms, own_values._values = before


def test_nothing_is_known_at_first() -> None:
    assert own_values.forms() == ()
    assert redacted(VALUE) == VALUE


@pytest.mark.parametrize(
    "text",
    [
        VALUE,
        json.dumps({"a": VALUE}),
        quote(VALUE, safe=""),
        urlencode({"q": VALUE}),
        VALUE.encode().hex(),
        VALUE.encode().hex().upper(),
        b64encode(VALUE.encode()).decode(),
        urlsafe_b64encode(VALUE.encode()).decode(),
    ],
)
def test_every_spelling_goes(text: str) -> None:
    own_values.keep_out([VALUE])
    after = redacted(f"it says {text} there")
    assert HIDDEN in after
    assert after.startswith("it says ")
    assert after.endswith(" there")
    assert redacted(after) == after
    assert without_own(after) == after
    assert "correct" not in after
    assert "battery" not in after
    (found,) = find_secrets(text)[:1]
    assert (found.pattern, found.severity) == ("configured_secret", "critical")


@given(st.binary(max_size=20), st.binary(max_size=20))
def test_base64_gives_it_away_whatever_stands_beside_it(before: bytes, behind: bytes) -> None:
    own_values.keep_out([VALUE])
    whole = before + VALUE.encode() + behind
    for encoded in (b64encode(whole), urlsafe_b64encode(whole)):
        assert HIDDEN in without_own(encoded.decode())


def test_it_goes_at_any_depth_and_in_names() -> None:
    own_values.keep_out([VALUE])
    sent = {"a": [{"b": f"x {VALUE}"}], f"n {VALUE}": 1, "same": {"c": "fine"}}
    assert redact_members(sent) == {"a": [{"b": f"x {HIDDEN}"}], f"n {HIDDEN}": 1, "same": {"c": "fine"}}


def test_a_short_value_stays_and_is_told() -> None:
    assert own_values.keep_out(["seven77", "eight888"]) == ["seven77"]
    assert redacted("seven77 eight888") == f"seven77 {HIDDEN}"


def test_a_value_within_another_leaves_nothing_behind() -> None:
    own_values.keep_out(["abcdefgh", "abcdefghijklmnop"])
    assert without_own("abcdefghijklmnop") == HIDDEN
    assert redacted("abcdefghijklmnop") == HIDDEN


def test_the_same_again_changes_nothing() -> None:
    own_values.keep_out([VALUE])
    before = own_values.forms()
    own_values.keep_out([VALUE])
    assert own_values.forms() is before, "whoever compiled them need not do it again"
