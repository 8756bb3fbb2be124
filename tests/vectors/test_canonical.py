"""RFC 8785's own examples, and the edges that its text names without an example."""

from __future__ import annotations

import hashlib
import json
import struct
from enum import IntEnum, StrEnum

import pytest

from assent.proof.canonical import MAX_DEPTH, CanonicalError, canonical, digest

# Section 3.2.2, the sample as printed there.
SAMPLE = r"""{
  "numbers": [333333333.33333329, 1E30, 4.50,
              2e-3, 0.000000000000000000000000001],
  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
  "literals": [null, true, false]
}"""

# Section 3.2.4, its canonical bytes.
SAMPLE_BYTES = bytes.fromhex(
    "7b 22 6c 69 74 65 72 61 6c 73 22 3a 5b 6e 75 6c 6c 2c 74 72"
    "75 65 2c 66 61 6c 73 65 5d 2c 22 6e 75 6d 62 65 72 73 22 3a"
    "5b 33 33 33 33 33 33 33 33 33 2e 33 33 33 33 33 33 33 2c 31"
    "65 2b 33 30 2c 34 2e 35 2c 30 2e 30 30 32 2c 31 65 2d 32 37"
    "5d 2c 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24 5c 75 30 30"
    "30 66 5c 6e 41 27 42 5c 22 5c 5c 5c 5c 5c 22 2f 22 7d"
)

# Section 3.2.3: the emoji is U+1F600, whose first UTF-16 unit D83D comes before FB33.
ORDER = r"""{
  "\u20ac": "Euro Sign",
  "\r": "Carriage Return",
  "\ufb33": "Hebrew Letter Dalet With Dagesh",
  "1": "One",
  "\ud83d\ude00": "Emoji: Grinning Face",
  "\u0080": "Control",
  "\u00f6": "Latin Small Letter O With Diaeresis"
}"""
ORDER_VALUES = [
    "Carriage Return",
    "One",
    "Control",
    "Latin Small Letter O With Diaeresis",
    "Euro Sign",
    "Emoji: Grinning Face",
    "Hebrew Letter Dalet With Dagesh",
]

# Appendix B: the double as 64 bits, and its text. None: refused.
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("7fffffffffffffff", None),
    ("7ff0000000000000", None),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


def test_the_sample_gives_the_published_bytes() -> None:
    assert canonical(json.loads(SAMPLE)) == SAMPLE_BYTES


def test_members_are_ordered_by_utf_16_code_units() -> None:
    assert list(json.loads(canonical(json.loads(ORDER))).values()) == ORDER_VALUES


@pytest.mark.parametrize(("bits", "text"), NUMBERS)
def test_appendix_b(bits: str, text: str | None) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    if text is None:
        with pytest.raises(CanonicalError, match=r"^\$\[0\]: .* is not a JSON number"):
            canonical([number])
    else:
        assert canonical(number) == text.encode()


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.0, "1"),
        (-1.0, "-1"),
        (0.5, "0.5"),
        (1e-7, "1e-7"),
        (1.5e-7, "1.5e-7"),
        (123e-8, "0.00000123"),
        (1e16, "10000000000000000"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e20, "100000000000000000000"),
        (-1e21, "-1e+21"),
        (1.5e300, "1.5e+300"),
        # 2**-44 is 5.684341886080801486...e-14: the nearest 16 digits end in 801 and read back as another double
        # (the gap below a power of two is half as wide), so the shortest that read back end in 802.
        (2.0**-44, "5.684341886080802e-14"),
    ],
)
def test_notation_of_numbers(number: float, text: str) -> None:
    assert canonical(number) == text.encode()


@pytest.mark.parametrize("beside", [None, 0.5], ids=["fast", "slow"])
@pytest.mark.parametrize(
    ("character", "written"),
    [
        ("\b", rb"\b"),
        ("\t", rb"\t"),
        ("\n", rb"\n"),
        ("\f", rb"\f"),
        ("\r", rb"\r"),
        ('"', rb"\""),
        ("\\", rb"\\"),
        ("\0", rb"\u0000"),
        ("\x0b", rb"\u000b"),
        ("\x1f", rb"\u001f"),
        ("/", b"/"),
        ("\x7f", b"\x7f"),
        ("\u2028", b"\xe2\x80\xa8"),
        ("\ufeff", b"\xef\xbb\xbf"),
        ("\U0001f600", b"\xf0\x9f\x98\x80"),
    ],
)
def test_escapes_are_the_same_on_both_ways(character: str, written: bytes, beside: float | None) -> None:
    end = b"0.5" if beside else b"null"
    assert canonical([character, beside]) == b'["' + written + b'",' + end + b"]"
    assert canonical({character: beside}) == b'{"' + written + b'":' + end + b"}"


def test_text_is_not_normalised() -> None:
    composed, decomposed = "\u00e9", "e\u0301"
    assert canonical(composed) != canonical(decomposed)


def test_empty_containers_and_tuples() -> None:
    assert canonical({"b": {}, "a": [(), [], 1.0]}) == b'{"a":[[],[],1],"b":{}}'


def test_enumerations_are_written_as_what_they_are() -> None:
    colour = StrEnum("colour", {"RED": "red"})
    rank = IntEnum("rank", {"ONE": 1})
    assert canonical({colour["RED"]: rank["ONE"]}) == b'{"red":1}'


@pytest.mark.parametrize("integer", [2**53 - 1, -(2**53) + 1])
def test_safe_integers_are_kept(integer: int) -> None:
    assert canonical([integer]) == f"[{integer}]".encode()


@pytest.mark.parametrize(
    ("value", "path", "said"),
    [
        ({"a": {"b": [1, 2**53]}}, "$.a.b[1]", "an integer of 54 bits"),
        ({"a": -(2**53)}, "$.a", "an integer of 54 bits"),
        ([10**5000], "$[0]", "an integer of 16610 bits"),
        ({"x y": float("-inf")}, '$["x y"]', "-inf is not a JSON number"),
        (["ok", "a\ud800"], "$[1]", "lone surrogate at index 1 of the string"),
        (["\ud83d\ude00"], "$[0]", "lone surrogate at index 0"),
        ({"a": {"\udfff": 1}}, "$.a", r'of the member name "\udfff"'),
        ({"a": [{1: 2}]}, "$.a[0]", "a member name of type int"),
        ({"a": {None: 2, "b": 1}}, "$.a", "a member name of type NoneType"),
        ({"a": {1, 2}}, "$.a", "set is not a JSON type"),
        (b"bytes", "$", "bytes is not a JSON type"),
    ],
)
def test_refusals_name_the_place(value: object, path: str, said: str) -> None:
    with pytest.raises(CanonicalError) as caught:
        canonical(value)
    assert caught.value.path == path
    assert str(caught.value).startswith(path + ": ")
    assert said in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("leaf", [1, 0.5], ids=["fast", "slow"])
def test_depth_is_limited_at_128_containers(leaf: float) -> None:
    assert MAX_DEPTH == 128
    value: object = leaf
    for _ in range(64):
        value = [{"a": value}]
    assert canonical(value) == b'[{"a":' * 64 + str(leaf).encode() + b"}]" * 64
    with pytest.raises(CanonicalError, match="nested deeper than 128 containers"):
        canonical([value])


def test_a_container_that_holds_itself_is_refused() -> None:
    ring: list[object] = []
    ring.append(ring)
    with pytest.raises(CanonicalError, match="nested deeper than 128"):
        canonical(ring)


def test_digest_is_that_of_the_published_bytes() -> None:
    assert digest(json.loads(SAMPLE)) == "sha256:" + hashlib.sha256(SAMPLE_BYTES).hexdigest()
    # The SHA-256 of the two bytes {} as widely published.
    assert digest({}) == "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
