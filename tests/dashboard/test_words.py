"""Words for people."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from assent_dashboard.views import words

NOW = datetime(2026, 11, 20, 14, 2, 7, 900_000, tzinfo=UTC)
# The rules of GitHub's Markdown, without the typographer: what Streamlit's own renderer is made for.
MARKDOWN = MarkdownIt("gfm-like", {"linkify": False})


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-5, "0 s"),
        (0.9, "1 s"),
        (1, "1 s"),
        (59.9, "1 min"),
        (60, "1 min"),
        (91.8, "1.5 min"),
        (195, "3.3 min"),
        (3600, "1 h"),
        (7500, "2 h 5 min"),
        (86400, "1 d"),
        (86400 * 4 + 3600 * 3 + 1700, "4 d 3 h"),
        (86400 * 400, "400 d"),
    ],
)
def test_a_span_is_told_in_its_largest_units(seconds: float, shown: str) -> None:
    assert words.span(seconds) == shown


def test_a_moment_is_told_from_now() -> None:
    assert words.ago(NOW - timedelta(seconds=1.9), NOW) == "just now"
    assert words.ago(NOW + timedelta(seconds=30), NOW) == "just now"
    assert words.ago(NOW - timedelta(minutes=3), NOW) == "3 min ago"
    # An age is told in units that are full.
    assert words.ago(NOW - timedelta(minutes=3, seconds=59), NOW) == "3 min ago"
    assert words.ago(NOW - timedelta(days=4, hours=3, minutes=59), NOW) == "4 d 3 h ago"
    assert words.ago(NOW - timedelta(seconds=59.9), NOW) == "59 s ago"
    assert words.left(NOW + timedelta(hours=23, minutes=59, seconds=59), NOW) == "in 23 h 59 min"
    assert words.left(NOW + timedelta(milliseconds=900), NOW) == "now"
    assert words.left(NOW - timedelta(days=1), NOW) == "now"


def test_a_moment_is_told_in_utc_wherever_it_comes_from() -> None:
    there = NOW.astimezone(datetime.strptime("+0530", "%z").tzinfo)
    assert words.moment(there) == "20 Nov 2026, 14:02:07 UTC"
    assert words.clock(there) == "14:02:07 UTC"


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.0042, "4.2 ms"), (0.0999, "99.9 ms"), (0.42, "0.42 s"), (9.5, "9.50 s"), (75, "1.3 min")]
)
def test_a_measured_time_keeps_what_matters(seconds: float, shown: str) -> None:
    assert words.exact(seconds) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (0, "0 %"),
        (97.25, "97.2 %"),
        (99.94, "99.9 %"),
        (99.97, "99.9 %"),
        (100, "100 %"),
        (50.0, "50 %"),
        (0.05, "0.1 %"),
        (0.04, "below 0.1 %"),
        (1e-9, "below 0.1 %"),
    ],
)
def test_a_share_is_never_rounded_to_all_or_to_none(value: float | None, shown: str) -> None:
    assert words.percent(value) == shown


def test_amounts_and_plurals() -> None:
    assert words.amount(1234567) == "1\u202f234\u202f567"
    assert words.several(1, "approval") == "1 approval"
    assert words.several(0, "approval") == "0 approvals"
    assert words.several(2, "query", "queries") == "2 queries"


def test_what_steers_the_reading_is_made_visible() -> None:
    assert words.clean("pay \u202etxt.exe\u200b\x1b[2J") == "pay \ufffdtxt.exe\ufffd\ufffd[2J"
    assert words.clean("two\nlines\tand  more ") == "two lines and more"
    assert words.clean(None) == ""


def test_long_texts_are_cut() -> None:
    assert words.shorten("abcdef", 6) == "abcdef"
    assert words.shorten("abc defg", 5) == "abc…"


HOSTILE = st.text(
    st.one_of(st.sampled_from(list("![](){}<>*_`~$:#+-=|\\&;.'\"/@%^1ab \n")), st.characters(exclude_categories=["Cs"]))
)


@given(HOSTILE)
def test_markdown_shows_plain_text_as_it_is(text: str) -> None:
    """By a Markdown parser of its own: one paragraph, without any markup, that reads as the text does."""
    shown = words.plain("a" + text)
    tokens = MARKDOWN.parse(shown)
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    children = tokens[1].children or []
    assert {child.type for child in children} <= {"text", "text_special"}
    # The parser itself drops blanks at the end of a line that are not blanks to Python, or the other way round.
    assert "".join(child.content for child in children).replace("\u2060", "").strip() == words.clean("a" + text).strip()


ADDRESSES = ("http://evil.example/a", "HTTPS://evil.example", "www.evil.example", "WWW.evil.example", "me@evil.example")


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_no_link(address: str) -> None:
    """By the patterns of mdast-util-gfm-autolink-literal 2, which look at the text after escapes are gone."""
    web = re.compile(r"(https?://|www(?=\.))([-.\w]+)([^ \t\r\n]*)", re.IGNORECASE)
    mail = re.compile(r"([-.\w+]+)@([-\w]+(?:\.[-\w]+)+)")
    assert web.search(address) or mail.search(address)
    (_, inline, _) = MARKDOWN.parse(words.plain(f"see {address} now"))
    shown = "".join(child.content for child in inline.children or [])
    assert not web.search(shown)
    assert not mail.search(shown)


@pytest.mark.parametrize("text", [":tada:", "a:100:b", ":+1: :streamlit:", ":a::b:"])
def test_a_shortcode_is_no_picture(text: str) -> None:
    """By the pattern of remark-emoji 5, which looks at the text after escapes are gone; Streamlit's logo has one."""
    shortcode = re.compile(r":\+1:|:-1:|:[\w-]+:")
    assert shortcode.search(text)
    (_, inline, _) = MARKDOWN.parse(words.plain(text))
    assert not shortcode.search("".join(child.content for child in inline.children or []))


def test_a_time_of_day_is_left_as_it_is() -> None:
    assert words.plain("14:02:07") == r"14\:02\:07"


@given(HOSTILE)
def test_markdown_shows_code_as_it_is(text: str) -> None:
    shown = words.code(text)
    if shown == words.NOTHING:
        assert words.clean(text) in ("", words.NOTHING)
        return
    (_, inline, _) = MARKDOWN.parse(shown)
    (child,) = inline.children or []
    assert (child.type, child.content) == ("code_inline", words.clean(text))


@given(st.text())
def test_cleaned_text_is_one_harmless_line(text: str) -> None:
    cleaned = words.clean(text)
    assert "\n" not in cleaned
    assert not {unicodedata.category(char) for char in cleaned} & {"Cc", "Cf", "Cs", "Co"}
    assert words.clean(cleaned) == cleaned
