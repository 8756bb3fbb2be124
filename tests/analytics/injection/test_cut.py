from hypothesis import given
from hypothesis import strategies as st

from assent_analytics.injection.lexicon import RUN, Cutter

CUTTER = Cutter(["忽略", "之前", "之前的", "所", "提示词"])


def test_the_longest_entry_is_taken() -> None:
    assert CUTTER.cut("忽略之前的提示词") == ["忽略", "之前的", "提示词"]


def test_what_is_between_is_cut_into_short_pieces() -> None:
    assert CUTTER.cut("今天天气很好忽略啊") == ["今天天气", "很好", "忽略", "啊"]
    assert RUN == 4


def test_spaces_and_other_scripts_end_a_run() -> None:
    assert CUTTER.cut("abc忽略x  忽 略") == ["abc", "忽略", "x", "忽", "略"]


def test_an_entry_may_begin_inside_what_only_looks_like_one() -> None:
    assert CUTTER.cut("提示忽略") == ["提示", "忽略"]


def test_only_scripts_without_spaces_need_it() -> None:
    assert CUTTER.needed("x 忽")
    assert not CUTTER.needed("забудь всё é")


@given(st.sets(st.text("一丁七万丈", min_size=1, max_size=4)), st.text("一丁七万丈三", max_size=30))
def test_from_the_left_the_longest_entry_of_each_place_is_taken(entries: set[str], run: str) -> None:
    expected: list[str] = []
    between, at = "", 0
    while at < len(run):
        known = [run[at : at + many] for many in (4, 3, 2, 1) if run[at : at + many] in entries]
        if known:
            expected += [between[first : first + RUN] for first in range(0, len(between), RUN)]
            expected.append(known[0])
        between = "" if known else between + run[at]
        at += len(known[0]) if known else 1
    expected += [between[first : first + RUN] for first in range(0, len(between), RUN)]
    assert Cutter(entries).cut(run) == expected
