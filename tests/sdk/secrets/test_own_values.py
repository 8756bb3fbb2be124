"""What the process was given itself is found by its value, in every spelling that carries it."""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from urllib.parse import quote, urlencode

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from assent.secrets import find_secrets, own_values, redact_members, redacted, without_own

VALUE = 'correct horse+battery/staple="42"~'
HIDDEN = "[REDACTED:configured_secret]"


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """What other tests of this process were given is there again afterwards."""
    names = ("_forms", "_values", "_patterns", "_escaped")
    before = {name: getattr(own_values, name) for name in names}
    own_values._forms, own_values._values, own_values._patterns, own_values._escaped = (), set(), (), None
    yield
    for name, value in before.items():
        setattr(own_values, name, value)


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


RAW = bytes(range(200, 232))
BASE64 = b64encode(RAW).decode()
WEBHOOK = f"whsec_{BASE64}"


@pytest.mark.parametrize(
    "text",
    [
        BASE64.rstrip("="),
        urlsafe_b64encode(RAW).decode().rstrip("="),
        RAW.hex(),
        RAW.hex().upper(),
        BASE64,
        quote(BASE64, safe="").lower(),
        b64encode(BASE64.encode()).decode().rstrip("="),
    ],
)
@pytest.mark.parametrize("value", [BASE64, WEBHOOK])
def test_what_is_base64_goes_as_the_bytes_that_it_stands_for_and_without_its_beginning(text: str, value: str) -> None:
    if text == quote(BASE64, safe="").lower():
        text = quote(BASE64, safe="").replace("%2B", "%2b").replace("%2F", "%2f").replace("%3D", "%3d")
    own_values.keep_out([value])
    for whole in (text, f"a {text} b"):
        assert HIDDEN in redacted(whole)
        assert text[:20] not in without_own(whole)


@pytest.mark.parametrize(
    "text",
    [
        quote(VALUE, safe="").replace("%2B", "%2b").replace("%2F", "%2f"),
        quote(VALUE, safe="+/=~"),
        "".join(f"%{byte:02x}" for byte in VALUE.encode()),
        VALUE.replace("/", "%2F"),
        json.dumps(VALUE)[1:-1].replace("/", "\\/"),
        json.dumps(VALUE)[1:-1].replace("/", "\\u002f"),
        "".join(f"\\u{ord(char):04X}" for char in VALUE),
        json.dumps(json.dumps(VALUE).replace("/", "\\/"))[1:-1],
    ],
)
def test_some_characters_escaped_hide_nothing(text: str) -> None:
    own_values.keep_out([VALUE])
    for show in (redacted, without_own):
        after = show(f"it says {text} there")
        assert HIDDEN in after
        assert "correct" not in after
        assert "staple" not in after
    assert re2.compile("|".join(own_values.patterns())).search(text) is not None


def test_json_stays_json_where_an_escaped_value_goes() -> None:
    own_values.keep_out(["/path/to/secret"])
    text = json.dumps({"a": "x/path/to/secret", "b": json.dumps("/path/to/secret")}).replace("/", "\\/")
    assert json.loads(without_own(text))["a"] == f"x{HIDDEN}"


@given(st.text(max_size=60))
def test_what_is_no_value_stays(text: str) -> None:
    own_values.keep_out([VALUE])
    assert without_own(f"{text}%5c\\u0041") == f"{text}%5c\\u0041"


def test_nothing_in_a_pattern_repeats_without_end() -> None:
    """A text of backslashes would be read by the square of its length: 60,000 of them in ten seconds."""
    own_values.keep_out([VALUE, WEBHOOK])
    for pattern in own_values.patterns():
        assert re.search(r"(?<!\\)(?:\\\\)*[*+]|\{\d*,\}", pattern) is None, pattern
    assert without_own("\\" * 60_000) == "\\" * 60_000
