"""What strangers wrote has nothing in it that is not seen."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.names import marked_value, quoted_name
from assent.contract.visible import visible, visible_name, visible_value

BREAKS = ["\n", "\r", "\r\n", "\v", "\f", "\x1e", "\x85", "\u2028", "\u2029"]
BLANKS = ["\u00a0", "\u3000", "\u2800", "\u3164", "\u115f", "\u1160", "\u2003", "\u202f", "\uffa0"]


@pytest.mark.parametrize("char", BREAKS)
def test_a_line_break_is_seen(char: str) -> None:
    hidden = f"echo done # cleanup of the old{char}rm -rf /srv/data"
    assert visible(hidden) == "echo done # cleanup of the old ⏎ rm -rf /srv/data"
    assert visible_value(hidden) == visible(hidden)
    assert visible_value({"run": hidden}).count("rm -rf") == 1
    assert visible_name(f"to{char}cc") == '"to ⏎ cc"'


@pytest.mark.parametrize("char", BLANKS)
def test_a_blank_that_is_no_space_is_seen(char: str) -> None:
    assert visible(f"10{char}000") == "10␣000"
    assert visible_name(f"am{char}ount") == '"am␣ount"'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("  two   spaces ", "two spaces"),
        ("a\tb", "a ⇥ b"),
        ("x\u202ey\x1b[2J\ue000", "x�y�[2J�"),
        ("a\ufe00b\u034fc\u17b4d\U000e0101\u2065\U000e0fff", "a�b�c�d���"),
        ("\u26a0\ufe0f delete", "\u26a0 delete"),
        ("a\ufe0fb \u26a0\ufe0f\ufe0f", "a�b \u26a0�"),
        ("a\n\n\nb", "a ⏎⏎⏎ b"),
        ("a\n \n \n \nb", "a ⏎×4 b"),
        ("a" + "\n" * 3003 + "rm", "a ⏎×3,003 rm"),
        ("a" + "\t" * 50 + "5", "a ⇥×50 5"),
        ("a" + "\u00a0" * 4 + "5", "a ␣×4 5"),
        ("end\n", "end ⏎"),
        ("a ⏎ b ␣ ⇥", "a � b � �"),
        ("Grüße, 東京 ✓", "Grüße, 東京 ✓"),
        (None, ""),
    ],
)
def test_a_text_on_one_line(text: str | None, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        *(
            (each, each)
            for each in ("DE89 3704", "2026-05-01", "10:30", "5 EUR", "truth", "e5", "[a] b", "a", "-", "v1.2")
        ),
        *((each, f'"{each}"') for each in ("1", "-1.5", "1e9", "007", ".5", "0x1F", "98,70", "NaN", "٣")),
        *((each, f'"{each}"') for each in ("true", "False", "null", "None", "[]", "[1,2]", "{}", "{a}", "", " 1")),
        ("\u00a01", '"␣1"'),
        ("a  b", "a␣␣b"),
        (" a ", "␣a␣"),
        ("a" + " " * 5 + "b", "a ␣×5 b"),
        ("if x:\n    run", "if x: ⏎ ␣×4 run"),
        ("if x:\n run", "if x: ⏎ ␣run"),
        ("a \\\nb", "a \\ ⏎ b"),
        ("a \\ \nb", "a \\␣ ⏎ b"),
        ("a\n \nb", "a ⏎ ␣ ⏎ b"),
        ("a\n\nb", "a ⏎⏎ b"),
        ("a\t b", "a ⇥ ␣b"),
        ("    b", "␣×4 b"),
        (" ×4 b", "␣�4 b"),
        ("3 × 4", "3 × 4"),
        (["a  b"], '["a␣␣b"]'),
        ('"1"', r'"\"1\""'),
        ("[1,\n2]", r'"[1,\n2]"'),
        (1, "1"),
        (98.7, "98.7"),
        (True, "true"),
        (None, "null"),
        ([], "[]"),
        ({"to": ["1", 1, "a\u2028b"]}, '{"to":["1",1,"a ⏎ b"]}'),
    ],
)
def test_a_text_is_told_from_what_it_would_read_as(value: object, shown: str) -> None:
    assert visible_value(value) == shown


@given(st.text())
def test_nothing_in_it_is_unseen(text: str) -> None:
    shown = visible(text)
    assert not {unicodedata.category(char) for char in shown.replace(" ", "")} & {
        "Cc",
        "Cf",
        "Cs",
        "Co",
        "Zs",
        "Zl",
        "Zp",
    }
    told = re.findall("⏎×([0-9,]+) |(⏎)", shown + " ")
    breaks = re.findall("\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]", text)
    assert sum(int(many.replace(",", "") or 1) for many, _ in told) == len(breaks)


DRAWN_AS_NOTHING = [0xAD, 0x34F, 0x61C, 0x17B4, 0x180B, 0x180F, 0x200B, 0x2060, 0x2065, 0xFE01, 0xFEFF, 0xFFF3, 0x1D175]


@pytest.mark.parametrize("code", [*DRAWN_AS_NOTHING, 0xE0001, 0xE0100, 0xE01EF, 0xE0FFF], ids=hex)
def test_what_nothing_is_drawn_of_is_seen_in_texts_names_and_values(code: int) -> None:
    """Code points of Default_Ignorable_Code_Point, from Unicode's list."""
    hidden = f"INV{chr(code)} 77"
    assert {visible(hidden), visible_name(hidden), visible_value(hidden)} == {"INV� 77"}


@pytest.mark.parametrize(
    ("value", "note"),
    [
        ("pay p\u0430ypal.com", " (other characters than in “paypal”)"),
        ("\uff41dmin", " (other characters than in “admin”)"),
        (["g\u03bfogle"], " (other characters than in “google”)"),
        ("\u0441\u0443\u043c\u043c\u0430", ""),
        ("don\u2019t, M\u00fcller, Y\u0131lmaz \u2013 caf\u00e9 \u6771\u4eac", ""),
        ("10 \u00b5m, \u0394t", ""),
        (
            " ".join(f"p\u0430y{n}a" for n in range(5)),
            " (other characters than in “pay0a”, “pay1a”, “pay2a” and 2 more)",
        ),
        # Among digits what could be taken for one, and neither a house number nor an ordinal.
        ("98\u041e", " (other characters than in “98o”)"),
        ("10\u0430, 1º, 2-\u0439, 10²", ""),
        ("15\uff10 EUR", " (other characters than in “150”)"),
        ("9\u0665", " (other characters than in “95”)"),
    ],
)
def test_words_that_read_as_others_say_so(value: object, note: str) -> None:
    assert marked_value(value) == visible_value(value) + note


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("payer", "payer"),
        ("Release captain 2", "Release captain 2"),
        ("urn:agent/7@shop", "urn:agent/7@shop"),
        ("payer, approved by ana,", "“payer, approved by ana,”"),
        ("payer (approved)", "“payer (approved)”"),
        ("bot approved by ana", "“bot approved by ana”"),
        ("Done.", "“Done.”"),
        ("x” wants to run read. “", '“x" wants to run read. "”'),
        ("p\u0430yer", "p\u0430yer (other characters than in “payer”)"),
    ],
)
def test_a_name_that_could_read_as_a_part_of_a_sentence_stands_in_quotation_marks(name: str, shown: str) -> None:
    assert quoted_name(name) == shown
