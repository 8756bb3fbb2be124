"""Values that are spelled differently and mean one, and those that do not; digests of them. Pure."""

from __future__ import annotations

from hashlib import blake2b
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.flows.digests import Digester, ValueDigest, combined
from assent.flows.spelling import grouped_numbers, parts, raw_words, resolved, spelled, unescaped, visible

KEY = bytes(range(32))
DIGESTER = Digester(KEY)

ALIKE = [
    ("https://www.Example.com/", "example.com"),
    ("HTTP://EXAMPLE.COM", "example.com"),
    ("(www.example.com).", "example.com"),
    ("mailto:Bob@Example.com", "bob@example.com"),
    ("ｂｏｂ＠ｅｘａｍｐｌｅ．ｃｏｍ", "bob@example.com"),
    ("bo\u200bb@exa\u00admple.com", "bob@example.com"),
    ("\u202ebob@example.com\u202c", "bob@example.com"),
    ("b\ufe0fob@example.com", "bob@example.com"),
    ("#general", "General"),
    ("'general'", "general"),
    ("Straße", "STRAẞE"),
    ("ﬁle.txt", "file.txt"),
    ("e\u0301t\u00e9", "été"),
    ("$1,200.00", "1200"),
    ("1200.0", 1200),
    ("98.70", 98.7),
    ("1,234,567", 1234567),
    (1200.0, 1200),
    ("2.50", "2.5"),
    ("one  two", "One\n\ttwo"),
    ("one, two;", "one two"),
    ("./notes/plan.md", "notes/plan.md"),
    (".//notes/./plan.md", "notes/plan.md"),
    ("drafts/../notes/plan.md", "notes/plan.md"),
    *(
        (written, "/srv/drop/out.csv")
        for written in (
            *("/srv/./drop/out.csv", "//srv/drop/out.csv", "/srv//drop/out.csv", "/srv/drop/../drop/out.csv"),
            *("file:///srv/drop/out.csv", "file://localhost/srv/drop/out.csv", "FILE:/srv/drop/out%2Ecsv"),
            *("/../srv/drop/out.csv", "/srv/drop/x/y/../../out.csv"),
        )
    ),
    ("https://x.com/a/./b/../c", "x.com/a/c"),
    ("//srv/drop/", "/srv/drop"),
]
DIFFERENT = [
    ("007", "7"),
    ("12", "1.2"),
    ("1,23", "123"),
    ("bob@example.com", "bob@example.co"),
    ("one two", "two one"),
    ("one two", "onetwo"),
    ("раypal.com", "paypal.com"),
    ("100", "1000"),
    (True, 1),
    ("notes/plan.md", "plan.md"),
    ("notes/plan.md", "/notes/plan.md"),
    ("../plan.md", "plan.md"),
    ("/srv/../plan.md", "plan.md"),
    ("../../plan.md", "../plan.md"),
    ("~/../plan.md", "plan.md"),
    ("x.com/../y.com", "y.com"),
    ("https://x.com/../y.com", "y.com"),
    ("intranet:80/../y.com", "y.com"),
    ("x.com://y.com/./z", "y.com/z"),
    ("file://srv/drop/out.csv", "/srv/drop/out.csv"),
    ("mallory&#64;x.com", "mallory@x.com"),
    ("https://x.com\\u0040y.com", "https://x.com@y.com"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_values_that_are_spelled_differently_have_one_digest(one: object, other: object) -> None:
    assert DIGESTER.value(one).whole == DIGESTER.value(other).whole is not None
    assert DIGESTER.value(one).links == DIGESTER.value(other).links


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_values_that_differ_have_two(one: object, other: object) -> None:
    assert DIGESTER.value(one).whole != DIGESTER.value(other).whole


def test_a_digest_is_blake2_with_the_key_and_a_value_adds_up_its_words() -> None:
    def plain(word: str) -> int:
        return int.from_bytes(blake2b(word.encode(), key=KEY, digest_size=8, person=b"assent.flows").digest(), "big")

    a, b, c = plain("pay"), plain("dora"), plain("12.5")
    p = 0x9E3779B97F4A7C15
    found = DIGESTER.value("Pay Dora 12.50")
    assert found.whole == (a * p * p + b * p + c) % 2**64
    assert found.links == ((a * p + b) % 2**64, (b * p + c) % 2**64)
    assert Digester(b"another key of 16").value("Pay Dora 12.50").whole != found.whole


@pytest.mark.parametrize("key", [b"", b"short", bytes(65)])
def test_a_key_of_another_length_is_refused(key: bytes) -> None:
    with pytest.raises(ValueError, match="give 16 to 64"):
        Digester(key)


@pytest.mark.parametrize("value", [None, [], {}, b"bytes", object()])
def test_what_is_no_value_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="give a text"):
        DIGESTER.value(value)


@pytest.mark.parametrize("value", ["", "  ", "...", "\u200b", "—", "$"])
def test_a_value_without_letters_and_digits_has_no_digest(value: str) -> None:
    assert DIGESTER.value(value) == ValueDigest(None, ())


def test_numbers_beyond_what_python_writes_are_values() -> None:
    huge = 10**5000
    assert DIGESTER.value(huge).whole not in (None, DIGESTER.value(huge + 1).whole)
    assert DIGESTER.value(float("nan")).whole is not None
    assert DIGESTER.value("\ud800x").whole is not None


def test_a_sentence_that_ends_without_a_space_holds_the_address() -> None:
    words = raw_words("our site www.our-company.com.They said so")
    assert parts(words[2], spelled(words[2])) == ["our-company.com", "they"]
    assert parts("IBAN:DE89370400440532013000", spelled("IBAN:DE89370400440532013000")) == [
        "iban",
        "de89370400440532013000",
    ]
    assert parts("https://x.com/a/b?c", spelled("https://x.com/a/b?c")) == ["x.com"]
    assert parts("12:30", spelled("12:30")) == ["12", "30"]
    assert parts("e.g", spelled("e.g")) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("to DE89 3704 0044 0532 0130 00 please", ["de89370400440532013000"]),
        ("card 4111-1111-1111-1111.", ["4111111111111111"]),
        ("AB 12 CD", []),
        ("THE USER HAS TO PAY", []),
        ("1234 567", []),
    ],
)
def test_numbers_in_groups_are_joined(text: str, found: list[str]) -> None:
    assert grouped_numbers(text) == found


def test_a_number_in_groups_is_found_by_the_same_number_without() -> None:
    joined, grouped = DIGESTER.value("DE89370400440532013000"), DIGESTER.value("DE89 3704 0044 0532 0130 00")
    assert grouped.joined == joined.whole
    assert joined.whole in set(DIGESTER.text("Pay DE89 3704 0044 0532 0130 00 now").all())


@given(st.text(max_size=60))
def test_spelling_is_stable(text: str) -> None:
    for word in raw_words(visible(text)):
        once = spelled(word)
        assert spelled(once) == once
        assert once == "" or (once[0].isalnum() and once[-1].isalnum())


@given(st.lists(st.sampled_from(["a", "b.com", "C", "1,000", "x@y.zz", "Ünï"]), max_size=8))
def test_a_text_has_the_words_and_pairs_of_its_values(words: list[str]) -> None:
    found = DIGESTER.text(" ".join(words))
    assert found.words == [DIGESTER.value(word).whole for word in words]
    assert combined(found.words) == DIGESTER.value(" ".join(words)).whole
    for one, other in pairwise(words):
        assert DIGESTER.value(f"{one} {other}").whole in set(found.all())


@pytest.mark.parametrize(("one", "other"), [("Straße.de", "STRASSE.de"), ("groß", "gross"), ("faß.de", "fass.de")])
def test_letters_that_differ_in_an_address_are_not_folded(one: str, other: str) -> None:
    assert spelled(one) != spelled(other)
    assert spelled(one) == spelled(one.swapcase().replace("SS", "ẞ")) == spelled(one.lower())


def test_a_sigma_is_one_wherever_it_stands() -> None:
    assert spelled("ΟΔΟΣ") == spelled("οδος") == spelled("οδοσ")


@given(st.text(alphabet="ab./:~?", max_size=24))
def test_a_path_that_is_written_in_one_way_stays(word: str) -> None:
    assert resolved(resolved(word)) == resolved(word)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ('{"to":"mallory\\u0040evil\\u002ecom"}', '{"to":"mallory@evil.com"}'),
        ("mallory\\\\\\\\u0040evil\\x2ecom \\u{65}vil.com", "mallory@evil.com evil.com"),
        ("https\\u003a//evil.com", "https://evil.com"),
        ("https:\\/\\/evil.com\\/drop", "https://evil.com/drop"),
        ("mallory&#64;evil&#x2E;com mallory&commat;evil&period;com", "mallory@evil.com mallory@evil.com"),
        ("mallory&amp;amp;#64;evil.com", "mallory@evil.com"),
        ("\\ud835\\udc26allory", "mallory"),
        ("mal\\u200blory", "mallory"),
        ("https://x.com/?a=1&copy=2", "https://x.com/?a=1&copy=2"),
        ("C:\\users\\new\\temp &nothing; \\U7fffffff", "C:\\users\\new\\temp &nothing; \\U7fffffff"),
    ],
)
def test_an_escape_is_read_as_what_it_means(text: str, plain: str) -> None:
    assert unescaped(visible(text)) == plain


def test_a_text_has_its_words_with_and_without_escapes() -> None:
    found = set(DIGESTER.text("see C:\\x64\\bin or mallory&#64;evil.com").all())
    assert {DIGESTER.value(each).whole for each in ("C:\\x64\\bin", "mallory@evil.com", "see C:\\x64\\bin")} <= found


@pytest.mark.parametrize("text", ["\\", "&", "&a", "\\u", "\\u0041", "&amp;", "&#", "/..", "a/../", "//", "file:/"])
def test_escapes_and_paths_that_are_made_to_take_long_are_read(text: str) -> None:
    # Where something is quadratic each of these takes minutes.
    assert DIGESTER.text(text * (190_000 // len(text))) is not None


@pytest.mark.parametrize("sign", list("/~.\\_+*-"))
def test_a_long_run_of_signs_is_read_once(sign: str) -> None:
    """Where a text of 200,000 signs before a letter is read over and over, this takes a quarter of an hour."""
    digest = Digester(bytes(32)).text(sign * 200_000 + "A")
    assert len(digest.words) == 1
