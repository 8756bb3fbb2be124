"""Strict JSON: what is read as anybody reads it, and what two readers could take for two things."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assent.proof.canonical import MAX_DEPTH
from assent.proof.strict import StrictError, read_json

READ: list[tuple[str, Any]] = [
    ("null", None),
    (" [true , false]\r\n\t", [True, False]),
    ('{"a":{"b":[1,2.5,"c"]},"":0}', {"a": {"b": [1, 2.5, "c"]}, "": 0}),
    ("[9007199254740991,-9007199254740991]", [2**53 - 1, 1 - 2**53]),
    ("[1e2,1.0,-0.0,1E+2,0.5e-3]", [100.0, 1.0, -0.0, 100.0, 0.0005]),
    ("1e20", 1e20),
    ("1.7976931348623157e308", 1.7976931348623157e308),
    (r'"\ud83d\ude00 \u00e4\/"', "😀 ä/"),
    ('"😀\u2028\x7f"', "😀\u2028\x7f"),
    (r'{"\ud83d\ude00":1}', {"😀": 1}),
    ('"\ufeff"', "\ufeff"),
    ('{"a":{"a":1},"b":[{"a":1},{"a":2}]}', {"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}),
    ("[" * MAX_DEPTH + "]" * MAX_DEPTH, msgspec.json.decode("[" * MAX_DEPTH + "]" * MAX_DEPTH)),
    ('["' + "[" * 1000 + '"]', ["[" * 1000]),
]

# What is wrong, where the error says it is, and a word of what it says.
REFUSED: list[tuple[str | bytes, str, str]] = [
    ('{"a":1,"a":1}', "$", 'the name "a" stands twice'),
    ('{"a":{"b":[0,{"x y":1,"x y":2}]}}', "$.a.b[1]", "stands twice"),
    (r'{"é":1,"\u00e9":2}', "$", r'"\u00e9" stands twice'),
    (r'{"b":{"a":1,"\u0061":2}}', "$.b", "stands twice"),
    ('{"a":null,"a":null}', "$", "stands twice"),
    ("9007199254740992", "$", "beyond"),
    ('{"n":[-9007199254740992]}', "$.n[0]", "beyond"),
    ('{"x y":' + "9" * 5000 + "}", '$["x y"]', "5000 characters"),
    ("[NaN]", "$[0]", "NaN is not a JSON number"),
    ("[Infinity]", "$[0]", "not a JSON number"),
    ('{"a":-Infinity}', "$.a", "not a JSON number"),
    ("[1e400]", "$[0]", "no double holds"),
    ("[0,-1e309]", "$[1]", "no double holds"),
    (r'["\ud800"]', "$[0]", "lone surrogate at index 0"),
    (r'{"a":"x\udc00y"}', "$.a", "lone surrogate at index 1"),
    (r'{"\ud800":1}', "$", "lone surrogate"),
    (r'{"a":[{"\uDBFFx":1}]}', "$.a[0]", "lone surrogate"),
    (r'"\ude00\ud83d"', "$", "lone surrogate"),
    ('"\ud800"', "$", "lone surrogate"),
    ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "$" + "[0]" * MAX_DEPTH, "deeper than 128"),
    ('{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1), "$" + ".a" * MAX_DEPTH, "deeper than 128"),
    ("[" * 100_000 + "]" * 100_000, "$", "deeper than 128"),
    (b'"\xff"', "$", "not UTF-8 at byte 1"),
    (b'"\xed\xa0\x80"', "$", "not UTF-8"),
    (b'"\xc0\xaf"', "$", "not UTF-8"),
    ('"a"'.encode("utf-16"), "$", "not UTF-8"),
    (b"\xef\xbb\xbf{}", "$", "byte order mark"),
    ("\ufeff{}", "$", "byte order mark"),
    ("{} {}", "$", "no JSON"),
    ("1 2", "$", "no JSON"),
    ("[]x", "$", "no JSON"),
    ("", "$", "no JSON"),
    (" ", "$", "no JSON"),
    ("{'a':1}", "$", "no JSON"),
    ("[1,]", "$", "no JSON"),
    ('{"a":1,}', "$", "no JSON"),
    ("{a:1}", "$", "no JSON"),
    ("{1:1}", "$", "no JSON"),
    ("01", "$", "no JSON"),
    ("+1", "$", "no JSON"),
    (".5", "$", "no JSON"),
    ("1.", "$", "no JSON"),
    ("1_000", "$", "no JSON"),
    ("0x1", "$", "no JSON"),
    ("１", "$", "no JSON"),
    ("[//\n]", "$", "no JSON"),
    ('"\n"', "$", "no JSON"),
    ('"\t"', "$", "no JSON"),
    ('"\0"', "$", "no JSON"),
    (r'"\x41"', "$", "no JSON"),
    (r'"\u00g0"', "$", "no JSON"),
    (r'"\u 123"', "$", "no JSON"),
    ('"\x0b"', "$", "no JSON"),
    ("\u00a0[]", "$", "no JSON"),
    ("True", "$", "no JSON"),
    ("nan", "$", "no JSON"),
]


@pytest.mark.parametrize(("text", "value"), READ)
def test_what_is_read(text: str, value: object) -> None:
    for form in (text, text.encode()):
        found = read_json(form)
        assert found == value
        assert json.dumps(found) == json.dumps(value)  # floats stay floats, and zero keeps its sign


@pytest.mark.parametrize(("text", "path", "why"), REFUSED)
def test_what_is_refused_and_where(text: str | bytes, path: str, why: str) -> None:
    with pytest.raises(StrictError) as found:
        read_json(text)
    assert found.value.path == path
    assert why in str(found.value)
    assert len(str(found.value)) < 1000
    if isinstance(text, str) and "\ud800" not in text:
        with pytest.raises(StrictError):
            read_json(text.encode())


def test_an_error_is_a_value_error_and_short_however_long_the_name() -> None:
    with pytest.raises(ValueError, match="stands twice") as found:
        read_json('{"' + "n" * 9999 + '":1,"' + "n" * 9999 + '":2}')
    assert len(str(found.value)) < 200


scalars = (
    st.none()
    | st.booleans()
    | st.integers(1 - 2**53, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner), max_leaves=20
)


@given(values, st.booleans(), st.sampled_from([None, 1, "\t"]))
@example({"\U0001f600": "\U0001f600"}, True, None)
def test_whatever_json_can_say_is_read_as_it_was(value: Any, ascii: bool, indent: int | str | None) -> None:
    """With escapes the long way reads it, without them the short one."""
    text = json.dumps(value, ensure_ascii=ascii, indent=indent)
    found = read_json(text)
    assert json.dumps(found) == json.dumps(value)
    assert json.dumps(read_json(text.encode())) == json.dumps(value)


@given(st.text(st.sampled_from('{}[]":,\\ud8001.eE+-NaInfty \n\tab'), max_size=30))
def test_it_takes_nothing_that_a_strict_parser_does_not(text: str) -> None:
    """msgspec's parser is strict about all but names that stand twice, numbers too large and depth."""
    try:
        found = read_json(text)
    except StrictError:
        return
    other = msgspec.json.decode(text)
    assert found == other
    assert not isinstance(found, float) or math.isfinite(found)


def test_another_depth() -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        deep = opening * 130 + "[]" + closing * 130
        assert read_json(deep, depth=131) == json.loads(deep)
        for text in (deep, deep.replace("[]", r'["\ud83d\ude00"]')):
            with pytest.raises(StrictError, match="deeper than 130"):
                read_json(text, depth=130)
