"""The quick look at a goal's words, held against the slow one: what a word means language by language, and the whole
reading of a goal in which nothing stands out. In memory, so in both tiers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.destructive import sentences
from assent.destructive.sentences import speaks_of_destruction
from assent.destructive.table import LANGUAGES, NOTHING, SPACELESS, Language, Roles, meanings
from tests.tiers import examples

TABLE = sorted(
    {
        word
        for language in LANGUAGES.values()
        for kind in (language.exact, language.beginnings, language.inside, language.phrases)
        for word in kind
    }
)
PHRASES = sorted({phrase for each in LANGUAGES.values() for found in each.phrases.values() for phrase, _ in found})
LETTERS = st.text("abdeilnorstuzäßéłıабе3", max_size=6)
WORDS = st.one_of(
    st.sampled_from(TABLE),
    st.builds("".join, st.tuples(LETTERS, st.sampled_from(TABLE), LETTERS)),
    st.integers(0, 10**9).map(str),
    st.text("0123456789٣", min_size=1, max_size=6),
    LETTERS.filter(bool),
)


def roles(language: Language, word: str) -> Roles:
    """What the documentation of `meanings` says, for one language."""
    if word in language.exact:
        return language.exact[word]
    beginning = max(
        (each for each in language.beginnings if len(each) > 2 and word.startswith(each)), default="", key=len
    )
    inside = [roles for each, roles in language.inside.items() if len(each) > 2 and each in word]
    return frozenset().union(language.beginnings.get(beginning, NOTHING), *inside)


@examples(10)
@given(WORDS)
def test_a_word_means_in_each_language_what_that_languages_table_says(word: str) -> None:
    told = {name: roles(language, word) for name, language in LANGUAGES.items() if name not in SPACELESS}
    assert dict(meanings(word)) == {name: each for name, each in told.items() if each}


@examples(20)
@given(
    st.lists(
        st.one_of(WORDS, st.sampled_from(PHRASES).map(" ".join), st.sampled_from(["the", "all", "not", ".", ",", ":"]))
    )
)
def test_a_goal_that_is_not_read_to_its_end_would_have_said_nothing_of_destruction(words: list[str]) -> None:
    goal = " ".join(words)
    quick = speaks_of_destruction(goal)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentences, "may_destroy", lambda words: True)
        assert speaks_of_destruction(goal) is quick
