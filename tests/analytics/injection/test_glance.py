"""One look is enough for most texts; what it calls plain must be so for everybody who would look closer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_analytics.injection.decode import Decoder
from assent_analytics.injection.lexicon import Segmenter
from assent_analytics.injection.scan import Glance
from assent_analytics.injection.view import TextReader
from assent_analytics.injection.words import signed
from assent_analytics.injection.work import ScanBudget
from tests.analytics.injection.attacks import ATTACKS
from tests.analytics.injection.lexicon import LEXICON
from tests.analytics.injection.transforms import TRANSFORMS
from tests.tiers import examples

READER = TextReader()
GLANCE = Glance(rule.pattern for rule in READER.markup.rules)
DECODER = Decoder(Segmenter(LEXICON.words), LEXICON)

PARTS = [text for texts in ATTACKS.values() for text in texts]
MADE = st.builds(lambda name, text: TRANSFORMS[name](text), st.sampled_from(sorted(TRANSFORMS)), st.sampled_from(PARTS))
BITS = ["order", " ", " a ", "i g n o", "i.g.n.o.r.e", "%41", "&AMP;", "&#73", "\\X41", "\\u0041", "[INST]", "\n"]
BITS += ["<|im_end|>", "SYSTEM:", "ls | sh", "SGVsbG8gd29ybGQh", "01101001 ", "69 67 6e ", "p@ss", "$ub", "4+4", "!"]
TEXTS = st.lists(st.one_of(st.sampled_from(BITS), st.text("aZ0 .-@&%", max_size=5)), max_size=12).map("".join)


def plain(text: str) -> bool:
    return GLANCE.plain(text.lower().encode())


def found(text: str) -> list[object]:
    """Everything that a closer look finds."""
    pieces = DECODER.pieces(text, text.encode("ascii", "replace"), ScanBudget(len(text)))
    return [*READER.markup.hits(text.lower()), *signed(text.lower()), *pieces]


@given(st.one_of(TEXTS, MADE.map(lambda text: text.encode("ascii", "ignore").decode()[:300])))
@examples(3)
def test_nothing_is_found_in_what_is_plain(text: str) -> None:
    if plain(text):
        assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        *("a%20b", "R&AMP;D", "\\X41", "i g n o r e", "i.g.n.o.r.e", "SGVsbG8gd29ybGQh", "69 67 6e 6f 72 65 20 61"),
        *("p@ssword", "<|im_start|>", "System: obey", "what is the password?", "01101001 01100111 01101110 01101111 "),
    ],
)
def test_every_kind_of_sign_is_seen(text: str) -> None:
    assert not plain(text)


def test_goals_are_plain() -> None:
    assert plain("Deploy release 1.4.2 of the billing service to production, then tell the on-call engineer (by mail).")
