"""What is one name: the rule itself, on names that were worked out by hand."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract import names
from assent.contract.conditions import Compare, Op, parse
from assent.contract.names import NameRefused, canonical, comparable, displayed, fold, marked, named, same_name

ONE = [
    "delete", "Delete", "DELETE", " delete", "delete\n", "\tdelete ", "ｄｅｌｅｔｅ", "ＤＥＬＥＴＥ", "𝐝𝐞𝐥𝐞𝐭𝐞",
    "dеlete", "dеlеtе", "ԁelete", "deleтe", "DЕLЕТЕ", "ᴅᴇʟᴇᴛᴇ", "deⅼete", "🅓elete", "ｄеlete\u3000",
]  # fmt: skip


@pytest.mark.parametrize("said", ONE)
def test_every_way_to_spell_delete_is_one_name(said: str) -> None:
    assert comparable(said) == "delete"


@pytest.mark.parametrize(
    ("name", "alike"),
    [
        ("am\u043eunt", "amount"),
        ("\u0430m\u043eunt (EUR)", "amount (eur)"),
        ("tｏ", "to"),
        ("to\u200b", "to"),
        *((each, None) for each in ("amount", "Straße", "Größe", "金額", "сумма", "b\u043eя", "señal")),
    ],
)
def test_a_name_that_reads_as_ascii_in_other_letters_says_so_where_people_see_it(name: str, alike: str | None) -> None:
    shown = name.replace("\u200b", "\ufffd")
    assert marked(name) == (name if alike is None else f"{shown} (other characters than in “{alike}”)")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (" amount", '"␣amount" (other blanks than in “amount”)'),
        ("amount ", '"amount␣" (other blanks than in “amount”)'),
        ("amount\n", '"amount ⏎" (other blanks than in “amount”)'),
        ("the  amount", '"the␣␣amount" (other blanks than in “the amount”)'),
        ("the\u00a0amount", '"the␣amount" (other characters than in “the amount”)'),
        ("\u2800сумма", '"␣сумма" (other blanks than in “сумма”)'),
        ("\u3164", '"␣"'),
        ("", ""),
        ("the amount", "the amount"),
    ],
)
def test_a_name_with_other_blanks_than_it_seems_to_have_says_so_and_shows_them(name: str, shown: str) -> None:
    assert marked(name) == shown


@pytest.mark.parametrize(
    ("said", "kept", "compared"),
    [
        ("Send  Email", "send email", "send email"),
        ("Straße", "strasse", "strasse"),
        ("dеlete", "dеlete", "delete"),
        ("délete", "délete", "délete"),
        ("удалить", "удалить", fold("удалить")),
        ("ΝUKE", "nuke", "nuke"),
        ("νέο", "νέο", "vέo"),
        ("DELİTE", "deli\u0307te", "delite"),
        ("pay–out", "pay–out", "pay-out"),
        ("room-١", "room-١", "room-1"),
        ("", "", ""),
        (" \n", "", ""),
    ],
)
def test_what_is_kept_and_what_is_compared(said: str, kept: str, compared: str) -> None:
    assert (canonical(said), comparable(said)) == (kept, compared)


@pytest.mark.parametrize(
    ("said", "now", "by_rule_one"),
    [
        ("d\u0332e\u0332l\u0332e\u0332t\u0332e\u0332", "delete", None),
        ("d\u0336e\u0336l\u0336e\u0336t\u0336e\u0336", "delete", None),
        ("dele\u0338te", "delete", None),
        ("d\u20dde\u20dflete", "delete", None),
        ("de\u0336\u0332lete\u0301", "deleté", None),
        ("d\u0435\u0336lete", "delete", None),
        ("de\u0336\u0301lete", "délete", None),
        ("room-\u0661\u0660", "room-10", "room-1."),
        ("room-\u09e7\u0e53", "room-13", None),
        ("room-\u09ea", "room-8", "room-8"),
        ("de\ufffclete", "delete", None),
        ("délete", "délete", "délete"),
        ("שָׁלוֹם", fold("שָׁלוֹם", 1), fold("שָׁלוֹם", 1)),
    ],
)
def test_marks_that_make_no_letter_and_digits_of_other_scripts(said: str, now: str, by_rule_one: str | None) -> None:
    assert comparable(said) == now
    before = comparable(said, 1)
    assert (before == by_rule_one) if by_rule_one is not None else before != now, ascii(before)


@pytest.mark.parametrize("said", ["می\u200cخواهم", "خانه\u200cها", "क\u094d\u200dष", "क\u094d\u200cष"])
def test_joiners_that_writing_needs_are_kept_and_not_compared(said: str) -> None:
    assert canonical(said) == displayed(said) == said
    assert same_name(said, said.replace("\u200c", "").replace("\u200d", ""))
    with pytest.raises(NameRefused):
        canonical(said, 1)


@pytest.mark.parametrize("said", ["de\u200clete", "\u200cمن", "من\u200c", "م\u200dن", "م\u200c\u200cن", "م\u200ca"])
def test_joiners_in_any_other_place_are_refused(said: str) -> None:
    with pytest.raises(NameRefused, match=r"U\+200[CD] ZERO WIDTH"):
        canonical(said)


def test_ascii_is_never_folded_into_other_ascii() -> None:
    """Unicode's table has all of these as confusable; they are other words, and people use them."""
    for one, other in [("modern", "modem"), ("clear", "dear"), ("l", "1"), ("o", "0"), ("vv", "w"), ("i", "l")]:
        assert not same_name(one, other)
    printable = [chr(code) for code in range(0x20, 0x7F)]
    assert len({comparable(f"x{char}x") for char in printable}) == len({f"x{char.lower()}x" for char in printable})


@pytest.mark.parametrize(
    ("said", "named_as"),
    [
        ("de\u200blete", "U+200B ZERO WIDTH SPACE"), ("de\u00adlete", "U+00AD SOFT HYPHEN"),
        ("\u202edelete", "U+202E RIGHT-TO-LEFT OVERRIDE"), ("delete\ufeff", "U+FEFF ZERO WIDTH NO-BREAK SPACE"),
        ("de\u2060lete", "U+2060 WORD JOINER"), ("de\u034flete", "U+034F COMBINING GRAPHEME JOINER"),
        ("delete\ufe0f", "U+FE0F VARIATION SELECTOR-16"), ("delete\u3164", "U+3164 HANGUL FILLER"),
        ("delete\u2800", "U+2800 BRAILLE PATTERN BLANK"), ("dele\x00te", "U+0000, a control character"),
        ("delete\x1b", "U+001B, a control character"), ("delete\x7f", "U+007F, a control character"),
        ("de\ufffclete", "U+FFFC OBJECT REPLACEMENT CHARACTER, which stands for what is not shown"),
        ("delete\u2028", "U+2028 LINE SEPARATOR"), ("delete\u0378", "U+0378, an unassigned character"),
        ("delete\ue000", "U+E000, a private character"), ("delete\U000e0061", "U+E0061 TAG LATIN SMALL LETTER A"),
    ],
)  # fmt: skip
def test_what_cannot_be_seen_is_refused_by_name(said: str, named_as: str) -> None:
    for rule in (canonical, displayed):
        with pytest.raises(NameRefused) as refused:
            rule(said)
        assert named_as in str(refused.value)
    assert comparable(said) == "delete", "an old record is still compared"


def test_every_default_ignorable_that_python_names_a_format_character_is_refused() -> None:
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)) in ("Cf", "Cc", "Cn", "Co", "Cs") and chr(code) not in "\t\n\v\f\r":
            with pytest.raises(NameRefused):
                canonical(f"a{chr(code)}b")
            if code > 0x3000:
                break


@given(st.text(max_size=40))
def test_the_rule_is_settled_after_once(said: str) -> None:
    try:
        kept = canonical(said)
    except NameRefused:
        assert canonical(comparable(said)) == comparable(said)
        return
    assert canonical(kept) == kept
    assert canonical(displayed(said)) == kept
    assert same_name(said, kept)
    assert comparable(comparable(said)) == comparable(said)


def test_the_table_says_which_unicode_it_is_of() -> None:
    assert names.UNICODE == "15.0.0"


def test_conditions_on_names_are_folded_and_others_are_not() -> None:
    asked = parse(
        {
            "all": [
                {"field": "action_type", "op": "in", "value": ["Delete", "ｗipe"]},
                {"field": "agent_id", "op": "starts_with", "value": "Ops-"},
                {"field": "systems_touched", "op": "contains", "value": " Production"},
                {"not": {"field": "tool", "op": "matches", "value": "^Shell"}},
                {"field": "declared_goal", "op": "eq", "value": "Delete"},
                {"field": "action_type", "op": "exists", "value": True},
            ]
        }
    )
    assert named(asked) == parse(
        {
            "all": [
                {"field": "action_type", "op": "in", "value": ["delete", "wipe"]},
                {"field": "agent_id", "op": "starts_with", "value": "ops-"},
                {"field": "systems_touched", "op": "contains", "value": " production"},
                {"not": {"field": "tool", "op": "matches", "value": "(?i)^Shell"}},
                {"field": "declared_goal", "op": "eq", "value": "Delete"},
                {"field": "action_type", "op": "exists", "value": True},
            ]
        }
    )
    cyrillic = Compare(field="action_type", op=Op.MATCHES, value="^удал")
    assert named(cyrillic) == Compare(field="action_type", op=Op.MATCHES, value="(?i)^" + fold("удал"))
