import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_analytics.injection.fold import FEW, Folded, folded, skeleton


def test_ways_of_writing_a_letter_become_one() -> None:
    assert Folded("ｉｇｎｏｒｅ").text == "ignore"
    assert Folded("𝐢𝒈𝓃𝔬𝕣𝖊").text == "ignore"
    assert Folded("ⓘⓖⓝⓞⓡⓔ").text == "ignore"
    assert Folded("ɪɢɴᴏʀᴇ").text == "ignore"
    assert Folded("ìgñörê").text == "ignore"
    assert Folded("i\u200bg\u00adn\u0336o\u2060re").text == "ignore"
    assert Folded("".join(chr(0xE0000 + ord(char)) for char in "ignore")).text == "ignore"
    assert Folded("Straße").text == "Strasse"


def test_case_and_other_scripts_stay() -> None:
    assert Folded("ABC déf").text == "ABC def"
    assert Folded("Забудь").text == "Забудь"
    assert Folded("以前の指示をすべて").text == "以前の指示をすべて"


def test_a_foreign_letter_is_read_as_what_it_looks_like_only_when_asked() -> None:
    assert Folded("іgnоrе").text != "ignore"
    assert skeleton("іgnоrе") == "ignore"
    assert skeleton("ігнор") != "ignore"


def test_a_place_goes_back() -> None:
    text = "x" * 300 + "ß" + "y" * 300 + "e\u0301nd"
    read = Folded(text)
    assert read.text == "x" * 300 + "ss" + "y" * 300 + "end"
    assert read.span(300, 302) == (300, 301)
    start = read.text.index("end")
    assert read.span(start, start + 3) == (601, 605)


@given(st.text())
def test_folding_is_character_by_character_and_places_stay_inside(text: str) -> None:
    read = Folded(text)
    assert read.text == "".join(map(folded, text))
    assert len(read.text.lower()) == len(read.text)
    for at in range(len(read.text)):
        start, end = read.span(at, at + 1)
        assert 0 <= start < end <= len(text)
        assert read.text[at] in "".join(map(folded, text[start:end]))


@pytest.mark.parametrize(("first", "many"), [(0x300, 3), (0x300, 2 * FEW), (0x1D400, 2 * FEW)])
def test_places_go_back_over_many_blocks(first: int, many: int) -> None:
    marks = map(chr, range(first, first + many))
    text = "".join(f"word ß{mark} æ\u200b " for mark in marks) * 40
    read = Folded(text)
    assert read.text == "".join(map(folded, text))
    origin = [at for at, char in enumerate(text) for _ in folded(char)]
    for at in range(0, len(read.text), 37):
        assert read.span(at, at + 1)[0] == origin[at]
