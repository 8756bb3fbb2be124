"""Which actions a run looks at."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from assent.contract.analysis.evaluations import ActionFilters
from assent.contract.problems import Code
from assent_service.analysis.evaluations.selection import chosen_by
from assent_service.base.clock import microseconds
from assent_service.base.problem import Refusal
from assent_service.store.spelling import name_is

NOW = microseconds(datetime(2026, 11, 20, 12, tzinfo=UTC))


def bounds(**filters: Any) -> list[str]:
    chosen = chosen_by(msgspec.convert(filters, ActionFilters), "org_1", NOW)
    return [f"{each:%Y-%m-%d %H:%M:%S.%f}" for each in chosen.parameters if isinstance(each, datetime)][:-1]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, []),
        ({"from": "2026-11-01"}, ["2026-11-01 00:00:00.000000"]),
        ({"to": "2026-11-01"}, ["2026-11-01 23:59:59.999999"]),
        ({"to": "20261101"}, ["2026-11-01 23:59:59.999999"]),
        (
            {"date_from": "2026-11-01", "date_to": "2026-11-01"},
            ["2026-11-01 00:00:00.000000", "2026-11-01 23:59:59.999999"],
        ),
        ({"from": "2026-11-01T10:00:00Z"}, ["2026-11-01 10:00:00.000000"]),
        ({"from": "2026-11-01T10:00:00+02:00"}, ["2026-11-01 08:00:00.000000"]),
        ({"to": "2026-11-01T10:00:00"}, ["2026-11-01 10:00:00.000000"]),
    ],
    ids=str,
)
def test_a_window(filters: dict[str, str], expected: list[str]) -> None:
    assert bounds(**filters) == expected


@pytest.mark.parametrize(
    ("filters", "place"),
    [
        ({"from": "yesterday"}, "from"),
        ({"to": "2026-13-01"}, "to"),
        ({"to": "2026-11-0x"}, "to"),
        ({"from": "0001-01-01T00:00:00+14:00"}, "from"),
        ({"from": "1969-12-31"}, "from"),
        ({"to": "9999-12-31T23:59:59-10:00"}, "to"),
        ({"from": "2026-11-02", "to": "2026-11-01"}, "from"),
        ({"from": "2026-11-02", "date_from": "2026-11-02"}, "from"),
    ],
    ids=str,
)
def test_what_is_no_window(filters: dict[str, str], place: str) -> None:
    with pytest.raises(Refusal) as found:
        bounds(**filters)
    assert found.value.code is Code.INVALID_BODY
    assert [error.place for error in found.value.errors] == [f"action_filters.{place}"]


@pytest.mark.parametrize(
    "filters",
    [{"agent": "bot"}, {"limit": 0}, {"limit": 50_001}, {"status": "done"}, {"source": "made up"}, {"from": ""}, []],
    ids=str,
)
def test_a_filter_that_would_choose_others_is_refused(filters: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(filters, ActionFilters)


def test_rows_are_of_the_organization_and_recorded_before() -> None:
    chosen = chosen_by(ActionFilters(agent_id="bot", action_type="pay"), "org_1", NOW)
    assert chosen.where == f"org_id = ? AND {name_is('agent_id')} AND action_type = ? AND created_at <= ?"
    assert chosen.parameters == ["org_1", "bot", "pay", datetime(2026, 11, 20, 12)]  # noqa: DTZ001 - as the tables have it
