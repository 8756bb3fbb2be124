"""Letters of many words at once are those of each word."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_analytics.injection import lexicon as tables
from assent_analytics.injection.lexicon import LEETED, OTHER, ROT13, LetterTable, read
from assent_analytics.injection.words import Leet
from tests.analytics.injection.transforms import LOOKALIKE

LEXICON = read(["exactly"])
TABLES = (LEXICON.table, Leet(LEXICON).table)
KNOWN = sorted(LEXICON.words) + sorted(stem for several in LEXICON.stems.values() for stem, _ in several)
DIGITS = str.maketrans("aeiost", "431057")
WAYS: dict[str, Callable[[str], str]] = {
    "plain": lambda word: word,
    "reversed": lambda word: word[::-1],
    "leet": lambda word: word.translate(DIGITS),
    "exclaimed": lambda word: word.translate(DIGITS) + "1",
    "rot13": lambda word: word.translate(ROT13),
    "lookalikes": lambda word: word.translate(LOOKALIKE),
    "longer": lambda word: word + "en",
    "longer, reversed": lambda word: "ne" + word[::-1],
    "behind another": lambda word: "x" + word,
    "beheaded": lambda word: word[1:] or "x",
}
WORDS = st.builds(lambda way, word: WAYS[way](word), st.sampled_from(sorted(WAYS)), st.sampled_from(KNOWN))
OTHERS = st.text("abz019éжω忽", min_size=1, max_size=9)


def alone(table: LetterTable, words: list[str]) -> str:
    table.forget()
    return "".join(table[word] for word in words)


def together(table: LetterTable, words: list[str]) -> str:
    table.forget()
    return table.letters(words)


@given(st.lists(st.one_of(WORDS, OTHERS), max_size=60))
def test_words_mean_the_same_together_and_alone(words: list[str]) -> None:
    for table in TABLES:
        assert together(table, words) == alone(table, words)


@pytest.mark.parametrize("remembered", [3, 40, 100, 20_000])
def test_more_words_than_are_remembered(remembered: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "REMEMBERED", remembered)
    table = LEXICON.table
    table.forget()
    ends = ["ignore", "vorherigen", "1gn0r3", "anweisungen", "игнорируйте"]
    letters = [LEETED if word == "1gn0r3" else LEXICON.letter(word) for word in ends]
    assert OTHER not in letters
    for first in range(0, 300, 25):
        words = [*(f"qz{chr(0x61 + at // 26)}{chr(0x61 + at % 26)}q" for at in range(first, first + 60)), *ends]
        assert table.letters(words) == OTHER * 60 + "".join(letters)
        assert len(table) <= len(LEXICON.words) + remembered


def test_a_table_that_another_thread_empties_still_knows() -> None:
    table = LEXICON.table
    table.clear()
    words = ["all", "cheese", "vorherigen"]
    assert table.letters(words) == LEXICON.letter("all") + OTHER + LEXICON.letter("vorherigen")
    table.forget()


def test_long_words_are_not_remembered_without_end() -> None:
    table = LEXICON.table
    table.forget()
    words = [f"{at}" + "x" * 20_000 for at in range(50)]
    assert table.letters(words) == OTHER * 50
    assert len(table) == len(LEXICON.words)
