"""Normal forms of texts that strangers wrote: what reaches `unicodedata` has short runs of marks, whichever way a text
comes. Work is counted here, and no time taken."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from unicodedata import combining, normalize

import pytest

from assent import normal as module
from assent.contract.names import canonical, comparable, displayed, fold
from assent.destructive.fold import folded
from assent.flows import Digester, digest_call, fold_result, shipped_pack, user_text
from assent.flows.spelling import spelled, visible
from assent.normal import MOST_MARKS, Form, bounded, normal

ROOT = Path(__file__).parents[2]
DIGESTER, PACK = Digester(bytes(32)), shipped_pack()
RUNS = {
    "two classes": "a" + "\u0301\u0323" * 500,
    "a mark that is two": "a" + "\u0344\u0323" * 500,
    "a letter that becomes a mark": "\uff76" + "\u0301\uff9e" * 500,
    "a mark of class 0": "a" + "\u0f73\u0323" * 500,
    "what nobody sees between them": "a" + ("\u0301\u0323" * 10 + "\u200d") * 50,
    "a grapheme joiner between them": "a" + ("\u0301\u0323" * 10 + "\u034f") * 50,
    "in the middle of words": "Grüße an Dora " + "\u0301\u0323" * 500 + " und alle anderen",
}
WAYS: dict[str, Callable[[str], object]] = {
    "visible": visible,
    "spelled": spelled,
    "digest of a text": DIGESTER.text,
    "digest of a value": DIGESTER.value,
    "a call": lambda text: digest_call("send_email", {"to": text, "body": [text]}, digester=DIGESTER, pack=PACK),
    "an answer": lambda text: fold_result(
        {"a": [text]}, call=1, name="t", tool=PACK.tool("get_ticket"), digester=DIGESTER, pack=PACK
    ),
    "the user": lambda text: user_text(text, DIGESTER),
    "a goal": folded,
    "a name as it is kept": lambda text: _named(canonical, text),
    "a name as it is shown": lambda text: _named(displayed, text),
    "a name as it is compared": comparable,
    "a name by the first rule": lambda text: comparable(text, 1),
    "a part of a name": fold,
}


def _named(read: Callable[[str], object], text: str) -> None:
    if not set(text) & {"\u200d", "\u034f"}:
        read(text)


def longest_run(text: str) -> int:
    longest = run = 0
    for char in normalize("NFKD", text):
        run = run + 1 if combining(char) else 0
        longest = max(longest, run)
    return longest


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("way", WAYS)
def test_marks_in_a_row_are_few_when_they_are_put_in_order(way: str, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []

    def counted(form: Form, text: str) -> str:
        runs.append(longest_run(text))
        return normalize(form, text)

    monkeypatch.setattr(module, "normalize", counted)
    WAYS[way](RUNS[run])
    assert max(runs, default=0) <= 3 * MOST_MARKS


def test_every_character_that_is_put_in_order_is_counted() -> None:
    for char in map(chr, range(sys.maxunicode + 1)):
        first = normalize("NFKD", char)[0]
        if combining(first):
            assert len(bounded("a" + char * 40)) == 1 + MOST_MARKS, hex(ord(char))


@pytest.mark.parametrize(
    "text",
    [
        "Grüße aus Köln, " * 20,
        "\u2500" * 200,
        "请把工资单发送到这个地址" * 20,
        "👩‍👩‍👧‍👧" * 40,
        "e\u0301" * 200,
        "a" + "\u0301" * 30,
        "हिन्दी " * 40,
        "ไม่ใช่ทุกคน" * 40,
        "שָׁלוֹם" * 40,
    ],
)
def test_what_people_write_is_left_as_it_is(text: str) -> None:
    assert bounded(text) == text
    assert normal("NFKC", text) == normalize("NFKC", text)


def test_marks_behind_the_thirtieth_of_a_letter_are_left_out() -> None:
    assert bounded("a" + "\u0301" * 31 + "b" + "\u0323" * 40) == "a" + "\u0301" * 30 + "b" + "\u0323" * 30
    assert normal("NFC", "e" + "\u0301" * 99) == "é" + "\u0301" * 29


def test_nobody_else_normalizes_texts() -> None:
    """But single characters, and tables that are made once."""
    single = {
        "analytics/assent_analytics/injection/fold.py",
        "analytics/assent_analytics/injection/lookalikes_table.py",
    }
    found = {
        str(path.relative_to(ROOT))
        for part in ("sdk/assent", "service", "analytics", "dashboard")
        for path in (ROOT / part).rglob("*.py")
        if "node_modules" not in path.parts
        and re.search(r"unicodedata import .*\bnormalize\b|unicodedata\.normalize", path.read_text(encoding="utf-8"))
    }
    assert found - single == {"sdk/assent/normal.py"}
