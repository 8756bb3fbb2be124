"""Canonical JSON against a reference that follows the text of RFC 8785 and ECMA-262 word for word, slowly."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from random import Random

from hypothesis import example, given
from hypothesis import strategies as st

from assent.proof.canonical import canonical, digest

SHORT_ESCAPES = {8: r"\b", 9: r"\t", 10: r"\n", 12: r"\f", 13: r"\r", 0x22: r"\"", 0x5C: r"\\"}


def units(text: str) -> list[int]:
    """UTF-16 code units by the definition of the encoding form."""
    found: list[int] = []
    for point in map(ord, text):
        if point < 0x10000:
            found.append(point)
        else:
            found += [0xD800 + ((point - 0x10000) >> 10), 0xDC00 + ((point - 0x10000) & 0x3FF)]
    return found


def shortest(number: float) -> tuple[str, int]:
    """ECMA-262's k, n and s: the fewest digits s with s * 10**(n - k) reading back, the nearest of those."""
    exact = Fraction(number)
    n = math.floor(math.log10(number)) + 1
    for k in range(1, 18):
        fitting: list[tuple[Fraction, int, int]] = []
        for place in (n - 1, n, n + 1):
            scale = Fraction(10) ** (place - k)
            floor = int(exact / scale)
            for s in (floor, floor + 1):
                if 10 ** (k - 1) <= s < 10**k and float(f"{s}e{place - k}") == number:
                    fitting.append((abs(s * scale - exact), s, place))
        if fitting:
            # Of two that are equally near, ECMA-262 takes the even one.
            _, s, place = min(fitting, key=lambda found: (found[0], found[1] % 2, found[2]))
            return str(s), place
    raise AssertionError(f"17 digits always suffice, not for {number!r}")


def reference_number(number: float) -> str:
    """Number::toString, its steps in their order."""
    if number == 0:
        return "0"
    if number < 0:
        return "-" + reference_number(-number)
    s, n = shortest(number)
    k = len(s)
    if k <= n <= 21:
        return s + "0" * (n - k)
    if 0 < n <= 21:
        return s[:n] + "." + s[n:]
    if -6 < n <= 0:
        return "0." + "0" * -n + s
    sign = "+" if n - 1 > 0 else "-"
    if k == 1:
        return s + "e" + sign + str(abs(n - 1))
    return s[0] + "." + s[1:] + "e" + sign + str(abs(n - 1))


def reference_string(text: str) -> str:
    written = '"'
    for character in text:
        point = ord(character)
        if point in SHORT_ESCAPES:
            written += SHORT_ESCAPES[point]
        elif point < 0x20:
            written += f"\\u{point:04x}"
        else:
            written += character
    return written + '"'


def reference(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return reference_number(value)
    if isinstance(value, str):
        return reference_string(value)
    if isinstance(value, list):
        return "[" + ",".join(map(reference, value)) + "]"
    assert isinstance(value, dict)
    members = sorted(value.items(), key=lambda member: units(member[0]))
    return "{" + ",".join(f"{reference_string(name)}:{reference(item)}" for name, item in members) + "}"


safe_integers = st.integers(-(2**53) + 1, 2**53 - 1)
finite_floats = st.floats(allow_nan=False, allow_infinity=False)
valid_text = st.text(st.characters(codec="utf-8"), max_size=8)
# Names around the surrogates, where code point order and UTF-16 order part.
awkward_names = st.text(st.sampled_from("a\0\x7f\u00e9\ud7ff\ue000\uffff\U00010000\U0010ffff"), max_size=3)
ascii_names = st.text(st.characters(codec="ascii"), max_size=6)


def documents(names: st.SearchStrategy[str], leaves: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.recursive(
        leaves,
        lambda inside: st.lists(inside, max_size=4) | st.dictionaries(names, inside, max_size=4),
        max_leaves=12,
    )


plain_leaves = st.none() | st.booleans() | safe_integers | valid_text
any_document = documents(valid_text | awkward_names, plain_leaves | finite_floats)
plain_document = documents(ascii_names, plain_leaves)


@given(any_document)
def test_canonical_is_what_the_reference_writes(value: object) -> None:
    assert canonical(value) == reference(value).encode()


@given(finite_floats)
@example(2.0**-44)
@example(5e-324)
@example(9.5e-7)
@example(1e21)
@example(1e23)
@example(2.0**1023)
@example(123456789012345678.0)
@example(70368744177664.875)
def test_a_float_reads_back_as_itself_and_is_written_as_the_reference_writes_it(number: float) -> None:
    written = canonical(number)
    assert float(json.loads(written)) == number
    assert written == reference_number(number).encode()


@given(plain_document)
def test_the_fast_way_and_the_slow_way_write_the_same(value: object) -> None:
    alone = canonical(value)
    # A float beside it sends the same value the slow way.
    assert canonical([value, 0.5]) == b"[" + alone + b",0.5]"
    assert alone == reference(value).encode()


@given(plain_document)
def test_canonical_bytes_are_a_fixed_point(value: object) -> None:
    written = canonical(value)
    assert json.loads(written) == value
    assert canonical(json.loads(written)) == written


@given(st.dictionaries(valid_text, plain_leaves, max_size=6), st.randoms())
def test_the_order_of_insertion_does_not_matter(value: dict[str, object], random: Random) -> None:
    members = list(value.items())
    random.shuffle(members)
    assert canonical(dict(members)) == canonical(value)
    assert digest(dict(members)) == digest(value)
