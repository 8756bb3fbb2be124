"""Whatever a text is: no crash, and places inside it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from assent_analytics.injection import Recommendation, scan
from tests.analytics.injection.attacks import ATTACKS
from tests.analytics.injection.transforms import TRANSFORMS

PARTS = [text for texts in ATTACKS.values() for text in texts]
MADE = st.builds(lambda name, text: TRANSFORMS[name](text), st.sampled_from(sorted(TRANSFORMS)), st.sampled_from(PARTS))
TEXTS = st.lists(st.one_of(st.text(max_size=40), st.sampled_from(PARTS), MADE), max_size=6).map("".join)


@given(TEXTS, st.sampled_from(["user_input", "tool_output", "system_prompt", ""]))
@settings(max_examples=500, deadline=None)
def test_findings_lie_in_the_text(text: str, source: str) -> None:
    found = scan(text, source)
    assert (found.recommendation is Recommendation.ALLOW) == (found.risk_level in {"none", "low"})
    for one in found.findings:
        assert 0 <= one.position < one.end <= len(text)
        assert one.matched == text[one.position : one.end]
        assert one.weight > 0
        assert one.category in found.categories


@given(st.text(max_size=60).filter(lambda text: "\ud800" not in text))
@settings(max_examples=200, deadline=None)
def test_the_same_text_gives_the_same(text: str) -> None:
    assert scan(text) == scan(text)
