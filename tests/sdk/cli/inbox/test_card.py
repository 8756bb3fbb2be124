"""The card says everything that one decides by, in lines that fit."""

from __future__ import annotations

from datetime import timedelta

import pytest

from assent.cli.approvals import Waiting
from assent.cli.inbox.card import LABEL, CardLine, card, decided_words, past_words
from assent.cli.inbox.inbox_client import Past
from assent.cli.text import width_of
from tests.sdk.cli.inbox.making import past, waiting
from tests.sdk.data.fake_service import NOW

LINK = "http://127.0.0.1:8484/replay/act_1"
LATER = NOW + timedelta(hours=2)


def lines(item: Waiting, before: list[Past] | None = None, width: int = 100, known: bool = True) -> list[CardLine]:
    return card(item, before, known, LINK, LATER, width)


def labelled(item: Waiting, label: str, **more: object) -> str:
    """All text under a label."""
    found, taking = [], False
    for line in lines(item, **more):  # type: ignore[arg-type]
        taking = line.label == label or (taking and not line.label)
        if taking:
            found.append(line.text.strip())
    return " ".join(found)


def test_it_begins_with_the_whole_goal_and_every_reason() -> None:
    item = waiting(["Too risky", "Night\x1b[2J shift"], declared_goal="word " * 60)
    shown = lines(item, width=60)
    assert " ".join(line.text for line in shown if not line.label and line.tone == "strong").split() == ["word"] * 60
    assert [line.text for line in shown if line.label == "Stopped"] == ["Too risky", "Night�[2J shift"]
    assert labelled(Waiting(action=item.action, approval=None), "Stopped") == "the agent asked for it"
    assert labelled(Waiting(action=item.action, approval=None), "Stopped", known=False) == "reading…"


def test_what_it_touches_whether_it_can_be_undone_and_both_risks() -> None:
    item = waiting(systems_touched=["billing", "mail"], reversible=False, risk_score=83, agent_risk_score=30)
    assert labelled(item, "Touches") == "billing, mail; CANNOT BE UNDONE"
    assert labelled(item, "Risk") == "83 of 100, high; the agent said 30"
    assert labelled(waiting(), "Touches") == "it names no system; can be undone"


def test_who_when_and_what_the_agent_says() -> None:
    item = waiting(
        agent_name="The bot", source="simulated", reasoning="It is due", input_summary="order 7", metadata={"to": "eu"}
    )
    assert labelled(item, "By") == "The bot (bot), wants deploy; simulated"
    assert labelled(item, "Asked") == "2h ago; expires in 22h"
    assert labelled(item, "It says") == "It is due"
    assert [line.text for line in lines(item) if line.label == "Context"] == ["order 7", '{"to":"eu"}']


def test_the_replay_link_is_text_and_link_at_once() -> None:
    (line,) = [line for line in lines(waiting()) if line.label == "Replay"]
    assert (line.text, line.link) == (LINK, LINK)


def test_the_last_decisions_with_reasoning_and_outcome() -> None:
    before = [
        past("denied", "cancelled", reasoning="Not today"),
        past("approved", "failed", reasoning="Fine"),
        past("approved", "running"),
        past("expired", "cancelled", by=None),
    ]
    shown = [line for line in lines(waiting(), before) if line.text.startswith("- ")]
    assert [line.text for line in shown] == [
        "- denied by ana 2h ago: Not today",
        "- allowed by ana 2h ago, then failed (no such host): Fine",
        "- allowed by ana 2h ago, still running",
        "- expired 2h ago, nobody decided",
    ]
    assert [line.tone for line in shown] == ["high", "raised", "low", "muted"]
    assert labelled(waiting(), "Before") == "reading…"
    assert labelled(waiting(), "Before", before=[]) == "nobody has decided on this agent and type yet"
    assert labelled(waiting(agent_id=None), "Before").startswith("no agent is named")
    assert past_words(past("denied", by="a\x1bb"), LATER) == "denied by a�b 2h ago"


@pytest.mark.parametrize("width", [40, 58, 78, 140])
def test_no_line_is_wider_than_the_card(width: int) -> None:
    item = waiting(["why " * 50], declared_goal="x" * 300, systems_touched=["s" * 90], metadata={"k": "v" * 900})
    for line in lines(item, [past("denied", reasoning="because " * 40)], width):
        assert width_of(line.text) + (LABEL if line.label else 0) <= width


def test_what_stands_after_a_decision() -> None:
    assert decided_words(past("denied", reasoning="no").approval) == "denied by ana at 2026-05-01T09:00:00Z: no"
    assert decided_words(past("approved").approval) == "allowed by ana at 2026-05-01T09:00:00Z"
    assert decided_words(past("expired", by=None).approval) == "expired: nobody decided in time"
