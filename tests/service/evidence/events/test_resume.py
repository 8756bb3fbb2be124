"""The resume point: header before query, and nothing that is not an id."""

import pytest

from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.evidence.events.choice import resume_point


@pytest.mark.parametrize(
    ("header", "query", "after"),
    [
        (None, None, None),
        ("", None, None),
        ("5", None, 5),
        (None, 4, 4),
        ("5", 4, 5),
        ("", 4, 4),
        ("0", None, 0),
        ("9", None, 9),
    ],
)
def test_where_a_reader_left_off(header: str | None, query: int | None, after: int | None) -> None:
    assert resume_point(header, query, head=9) == after


@pytest.mark.parametrize("header", ["10", "x", "-1", "1.0", " 1", "1e3", "٣", "mem-12", "9" * 4000])
def test_what_is_no_id_here_is_refused_by_value(header: str) -> None:
    with pytest.raises(Refusal) as refusal:
        resume_point(header, None, head=9)
    assert refusal.value.code is Code.INVALID_QUERY
    assert header[:20] in refusal.value.detail
    assert len(refusal.value.detail) < 300


def test_a_query_beyond_the_newest_is_refused_too() -> None:
    with pytest.raises(Refusal, match="12"):
        resume_point(None, 12, head=11)
