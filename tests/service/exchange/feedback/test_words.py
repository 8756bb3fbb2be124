"""What the words of a comment say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_service.exchange.feedback.words import BLAME, NEGATIONS, PRAISE, TOPICS, mood, topics, words


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("Great work, thanks!", "positive"),
        ("GREAT", "positive"),
        ("It was wrong again", "negative"),
        ("good but slow", "neutral"),
        ("good, fast, and one error", "positive"),
        ("", "neutral"),
        ("It moved the file.", "neutral"),
        # Whole words only.
        ("goodness, badminton, errorless, slowly", "neutral"),
        ("the badge of greatness", "neutral"),
        # Negations turn the next word round.
        ("not good", "negative"),
        ("not very good", "negative"),
        ("It isn't good", "negative"),
        ("It isn\u2019t really that good", "negative"),
        ("no problems", "positive"),
        ("no real problems at all", "positive"),
        ("not slow", "positive"),
        ("never fails", "positive"),
        # They do not reach over other words, nor further than three.
        ("not the file I meant, good", "positive"),
        ("not a very very really good one", "positive"),
        ("good? no", "positive"),
        ("Sehr gut, vielen Dank", "neutral"),
    ],
)
def test_mood(comment: str, expected: str) -> None:
    assert mood(comment) == expected


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("far too SLOW", ["performance"]),
        ("not slow", ["performance"]),
        ("The answer was incorrect", ["accuracy"]),
        ("a confusing interface", ["ux"]),
        ("It crashed twice", ["reliability"]),
        ("expensive", ["cost"]),
        ("it leaked a password", ["security"]),
        ("leaked secrets, cost a lot, and slow", ["performance", "cost", "security"]),
        # Words that only hold one of ours inside.
        ("slowness costume secretary guide Uist failsafe", []),
        ("", []),
    ],
)
def test_topics(comment: str, expected: list[str]) -> None:
    assert topics(comment) == expected


def test_the_lists_contradict_nothing() -> None:
    assert not PRAISE & BLAME
    assert not (PRAISE | BLAME) & NEGATIONS
    assert list(TOPICS) == ["performance", "accuracy", "ux", "reliability", "cost", "security"]
    for listed in (PRAISE, BLAME, NEGATIONS, *TOPICS.values()):
        # A word that the reading of a comment cannot give would never be found.
        assert all(words(word) == [word] for word in listed)


@given(st.text(max_size=200))
def test_any_text_can_be_read_and_its_case_does_not_matter(comment: str) -> None:
    assert mood(comment) in ("positive", "negative", "neutral")
    assert topics(comment) == topics(comment.casefold())
    assert mood(comment) == mood(comment.casefold())


@given(st.lists(st.sampled_from(sorted(PRAISE | BLAME)), max_size=30))
def test_the_side_with_more_words_wins(said: list[str]) -> None:
    balance = sum(1 if word in PRAISE else -1 for word in said)
    expected = "neutral" if balance == 0 else "positive" if balance > 0 else "negative"
    assert mood(", ".join(said)) == expected
