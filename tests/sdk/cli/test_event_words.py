"""What is said of an event, and the line that a terminal gets of it."""

from __future__ import annotations

from typing import Any

import pytest

from assent.cli.text import width_of
from assent.cli.watch import agent_of, happened, line, row, subject_of, words
from assent.contract.events import Event, EventName
from tests.sdk.data.fake_service import NOW


def event(kind: str, /, **data: Any) -> Event:
    return Event(id=7, event=kind, data={"org_id": "org", **data})


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (event("approval.decided", state="denied", decided_by="ana", reasoning="too\nmuch"), "denied by ana: too much"),
        (
            event("approval.withdrawn", action_type="deploy", decided_by="bot's key", reasoning="hung\nup"),
            "deploy, withdrawn by bot's key: hung up",
        ),
        (event("approval.withdrawn", action_type="deploy", decided_by="ana"), "deploy, withdrawn by ana"),
        (event("approval.decided", state="approved", decided_by="ben", reasoning=None), "approved by ben"),
        (event("action.created", status="running", action_type="deploy", declared_goal="v4"), "running, deploy, v4"),
        (event("action.created", status="running", action_type="deploy", declared_goal=None), "running, deploy"),
        (event("halt.changed", halted=True, reason="drill", changed_by="ana"), "the kill switch is on: drill, by ana"),
        (event("halt.changed", halted=False, changed_by="ana"), "the kill switch is off, by ana"),
        (
            event("injection.found", recommendation="block", subject_kind="message", field="body", source="message"),
            "block, message, body",
        ),
        (event("approval.expiring", expires_at="2026-03-03T09:00:00Z"), "2026-03-03T09:00:00Z"),
        (event("something.new", title="As it is called"), "As it is called"),
        (event("something.new", strange=1), ""),
    ],
)
def test_each_event_says_what_matters(told: Event, said: str) -> None:
    assert words(told) == said


@pytest.mark.parametrize("name", EventName)
def test_no_event_is_too_odd_to_be_said(name: EventName) -> None:
    for data in ({}, {"declared_goal": 7, "name": ["x"], "state": None, "action_id": {"a": 1}, "updated_at": "soon"}):
        told = event(name, **data)
        assert "\x1b" not in line(told, NOW, 80)
        assert len(row(told, NOW)) == 6


def test_when_whose_and_about_what() -> None:
    told = event("x", created_at="2026-05-01T10:00:00Z", updated_at="2026-05-01T11:00:00+00:00", action_id="act_1")
    at = happened(told)
    assert at is not None
    assert f"{at:%H:%M}" == "11:00"
    assert subject_of(told.data) == "act_1"
    assert subject_of({"org_id": "o", "agent_id": "a", "alert_id": "alr_1"}) == "alr_1"
    assert agent_of({"from_agent_id": "bot"}) == "bot"
    assert happened(event("x", created_at="once")) is None
    assert row(event("x"), NOW)[1] == "2026-05-01T09:00:00Z"


@pytest.mark.parametrize("width", [40, 79, 80, 100, 120, 121, 200])
def test_a_line_fits_and_shows_the_subject_whole_or_not_at_all(width: int) -> None:
    subject = "act_" + "0" * 32
    told = event("action.created", action_id=subject, agent_id="a" * 60, status="running", declared_goal="long " * 60)
    shown = line(told, NOW, width)
    assert width_of(shown) <= width
    assert (subject in shown) is (width >= 121)
    assert "act_0" not in shown.replace(subject, "")


def test_what_strangers_wrote_steers_nothing() -> None:
    told = event("message.created", subject="\x1b]0;mine\x07", from_agent_id="\u202eb", message_type="info")
    assert "\x1b" not in line(told, NOW, 100)
    assert "\u202e" not in line(told, NOW, 100)
