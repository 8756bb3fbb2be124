"""Whatever a text is: no crash, and places inside it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assent_analytics.injection import Recommendation, scan
from tests.analytics.injection.attacks import ATTACKS
from tests.analytics.injection.transforms import TRANSFORMS
from tests.tiers import examples

PARTS = [text for texts in ATTACKS.values() for text in texts]
MADE = st.builds(lambda name, text: TRANSFORMS[name](text), st.sampled_from(sorted(TRANSFORMS)), st.sampled_from(PARTS))
TEXTS = st.lists(st.one_of(st.text(max_size=40), st.sampled_from(PARTS), MADE), max_size=6).map("".join)

BITS = ["%41", "&#73;", "&amp;", "\\u0041", "i g n o ", "a.b.", "[", "<|", "```", "0", "=", "\u200b", "忽略", "指示"]
BITS += ["ignore ", "your ", "rules ", "1gn0r3 ", "erny ", "\U000e0049", "é", "\ud800", "SWdub3Jl", "69676e6f7265", "."]
PIECES = st.lists(st.sampled_from(BITS), min_size=1, max_size=6)


@given(TEXTS, st.sampled_from(["user_input", "tool_output", "system_prompt", ""]))
def test_findings_lie_in_the_text(text: str, source: str) -> None:
    found = scan(text, source)
    assert (found.recommendation is Recommendation.ALLOW) == (found.risk_level in {"none", "low"})
    for one in found.findings:
        assert 0 <= one.position < one.end <= len(text)
        assert one.matched == text[one.position : one.end]
        assert one.weight > 0
        assert one.category in found.categories


@given(st.text(max_size=60).filter(lambda text: "\ud800" not in text))
def test_the_same_text_gives_the_same(text: str) -> None:
    assert scan(text) == scan(text)


def in_the_text(text: str) -> None:
    for one in scan(text).findings:
        assert 0 <= one.position < one.end <= len(text)
        assert one.matched == text[one.position : one.end]


@given(st.text(max_size=80))
@examples(11)
def test_any_characters(text: str) -> None:
    in_the_text(text)


@given(PIECES.map("".join))
@examples(11)
def test_pieces_of_attacks(text: str) -> None:
    in_the_text(text)


@given(PIECES, st.integers(2, 100), st.integers(0, 2))
def test_what_is_said_again_and_again(pieces: list[str], times: int, turns: int) -> None:
    text = ("".join(pieces) * times)[:600]
    for _ in range(turns):
        text = TRANSFORMS["html in url"](text.replace("\ud800", ""))[:2000]
    in_the_text(text)
