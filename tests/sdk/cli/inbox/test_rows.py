"""Lines of the list at every width, and which of them are seen."""

from __future__ import annotations

from datetime import timedelta

import pytest

from assent.cli.approvals import Waiting
from assent.cli.inbox.rows import first_line, header, risk_tone, row
from assent.cli.text import width_of
from tests.sdk.cli.inbox.making import waiting
from tests.sdk.data.fake_service import NOW


def text(item: Waiting, width: int, *, known: bool = True, here: bool = False, minutes: float = 60) -> str:
    return "".join(piece for piece, _ in row(item, known, NOW + timedelta(minutes=minutes), width, here=here))


@pytest.mark.parametrize("width", [40, 58, 71, 72, 78, 99, 100, 148])
def test_a_line_is_exactly_as_wide_as_the_list(width: int) -> None:
    item = waiting(declared_goal="ship \N{CJK UNIFIED IDEOGRAPH-4E2D} " * 40, agent_id="a" * 90, action_type="t" * 80)
    assert width_of(text(item, width)) == width
    assert width_of(header(width)) <= width


def test_risk_is_told_by_number_and_word() -> None:
    assert "83 high" in text(waiting(risk_score=83.0), 60)
    assert "40 raised" in text(waiting(risk_score=40.2), 60)
    assert "12 low" in text(waiting(risk_score=12.0), 60)
    assert [risk_tone(risk) for risk in (39.9, 40, 69.9, 70)] == ["low", "raised", "raised", "high"]


def test_the_cursor_is_seen_without_colour() -> None:
    assert text(waiting(), 80, here=True).startswith("> ")
    assert text(waiting(), 80).startswith("  ")


@pytest.mark.parametrize(
    ("name", "agent_id", "width", "shown"),
    [
        ("shop", "mallory", 148, "shop (mallory)"),
        ("shop", "mallory", 84, "shop (mallory)"),
        ("The web shop of the house", "mallory", 148, "mallory"),
        ("The web shop of the house", "mallory", 72, "mallory"),
        ("The web shop of the house", None, 100, "“The web shop"),
        (None, "mallory", 100, "mallory"),
        (None, None, 100, "no agent"),
    ],
)
def test_an_agents_id_stands_where_its_name_leaves_no_room(
    name: str | None, agent_id: str | None, width: int, shown: str
) -> None:
    """Quick: pure. An agent may give itself any name."""
    line = text(waiting(agent_name=name, agent_id=agent_id, declared_goal="g"), width)
    assert shown in line
    assert ("web shop" in line) is (agent_id is None and name is not None)


def test_waiting_and_what_is_left() -> None:
    wide = text(waiting(), 120)
    assert "1h " in wide
    assert "23h " in wide
    assert "5m!" in text(waiting(), 80, minutes=24 * 60 - 5.1)
    assert "none" in text(Waiting(action=waiting().action, approval=None), 80)
    assert "…" in text(Waiting(action=waiting().action, approval=None), 80, known=False)


def test_what_strangers_wrote_steers_nothing() -> None:
    line = text(waiting(declared_goal="\x1b[31mred\x1b]8;;http://evil\x07 [bold]x[/]"), 120)
    assert "\x1b" not in line
    assert "[bold]x[/]" in line


@pytest.mark.parametrize(
    ("count", "at", "before", "height", "top"),
    [
        (3, 2, 0, 10, 0),
        (30, 0, 0, 10, 0),
        (30, 10, 0, 10, 1),
        (30, 5, 8, 10, 5),
        (30, 29, 0, 10, 20),
        (5, 4, 20, 10, 0),
    ],
)
def test_the_window_follows_the_cursor_no_more_than_it_must(
    count: int, at: int, before: int, height: int, top: int
) -> None:
    assert first_line(count, at, before, height) == top
