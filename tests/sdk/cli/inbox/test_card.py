"""The card says everything that one decides by, in lines that fit."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from assent.cli.approvals import Waiting
from assent.cli.inbox.batch import batch
from assent.cli.inbox.card import LABEL, CardLine, beside_words, card, decided_words, past_words, same_words
from assent.cli.inbox.inbox_client import LookedAt
from assent.cli.text import width_of
from assent.contract.control.inbox import ActionApproval
from assent.nearest import nearest_of
from assent.origins import REACH, Origins, ValueOrigin
from tests.sdk.cli.inbox.making import past, waiting
from tests.sdk.data.fake_service import NOW

LINK = "http://127.0.0.1:8484/replay/act_1"
LATER = NOW + timedelta(hours=2)


def lines(
    item: Waiting, before: list[ActionApproval] | None = None, width: int = 100, known: bool = True
) -> list[CardLine]:
    return card(item, before, known, LINK, LATER, width)


def labelled(item: Waiting, label: str, **more: object) -> str:
    """All text under a label."""
    found, taking = [], False
    for line in lines(item, **more):  # type: ignore[arg-type]
        taking = line.label == label or (taking and not line.label)
        if taking:
            found.append(line.text.strip())
    return " ".join(found)


def test_it_begins_with_the_goal_in_whole_where_that_is_wanted_and_every_reason() -> None:
    item = waiting(["Too risky", "Night\x1b[2J shift"], declared_goal="word " * 60)
    assert [line.text for line in lines(item, width=60)][2:4] == ["… 144 more characters; v shows them", "Too risky"]
    shown = card(item, None, True, LINK, LATER, 60, whole=True)
    assert " ".join(line.text for line in shown if not line.label and line.tone == "strong").split() == ["word"] * 60
    assert [line.text for line in shown if line.label == "Stopped"] == ["Too risky", "Night�[2J shift"]
    assert labelled(Waiting(action=item.action, approval=None), "Stopped") == "the agent asked for it"
    assert labelled(Waiting(action=item.action, approval=None), "Stopped", known=False) == "reading…"


def test_what_it_touches_whether_it_can_be_undone_and_both_risks() -> None:
    item = waiting(systems_touched=["billing", "mail"], reversible=False, risk_score=83, agent_risk_score=30)
    assert labelled(item, "Touches") == "billing, mail; CANNOT BE UNDONE"
    assert labelled(item, "Risk") == "83 of 100, high; the agent said 30"
    thirds = waiting(risk_score=200 / 3, agent_risk_score=70 / 3)
    assert labelled(thirds, "Risk") == "66.7 of 100, raised; the agent said 23.3"
    assert labelled(waiting(), "Touches") == "it names no system", "nobody said that it can be undone"


def test_who_when_and_what_the_agent_says() -> None:
    item = waiting(
        agent_name="The bot", source="simulated", reasoning="It is due", input_summary="order 7", metadata={"to": "eu"}
    )
    assert labelled(item, "By") == "The bot (bot), wants deploy; simulated"
    assert labelled(item, "Asked") == "2h ago; expires in 22h"
    assert labelled(item, "It says") == "It is due"
    assert [line.text for line in lines(item) if line.label == "Context"] == ["order 7", '{"to":"eu"}']


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.4, "just now; expires in 23h"),
        (61, "1m ago; expires in 23h"),
        (86_399.5, "23h ago; expires now"),
        (86_400, "1d ago; has expired"),
        (-3, "just now; expires in 1d"),  # a clock that is a little behind
    ],
)
def test_the_first_and_the_last_moment_are_said_as_people_say_them(seconds: float, said: str) -> None:
    shown = card(waiting(), None, True, LINK, NOW + timedelta(seconds=seconds), 100)
    assert [line.text for line in shown if line.label == "Asked"] == [said]


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


def test_what_has_ended_is_not_among_what_was_before_it() -> None:
    item, made = waiting(), past("approved")
    own = past("approved", action_id=item.action.action_id)
    assert labelled(item, "Before", before=[own]) == "nobody has decided on this agent and type yet"
    assert labelled(item, "Before", before=[own, *[made] * 5]).count("allowed by ana") == 5
    assert labelled(item, "Before", before=[made] * 6).count("allowed by ana") == 5


def test_what_a_standing_grant_allowed_is_not_told_as_a_decision_of_whoever_gave_it() -> None:
    granted = past("approved", grant_id="grant_1")
    assert past_words(granted, LATER) == "allowed by a standing grant of ana 2h ago, then completed"
    assert decided_words(granted.approval).startswith("allowed by a standing grant of ana at ")


def test_the_card_says_how_far_it_reaches_what_is_allowed_and_what_began_it() -> None:
    said = {"destination_visibility": "public", "account_provenance": "third_party", "reversal_bound_seconds": 0}
    item = waiting(externality=said, authorization_scope="root: everything", trigger="mail from\noutside")
    assert labelled(item, "Reach") == "destination public; account third party; can be taken back not at all"
    assert labelled(item, "Allowed") == "root: everything"
    assert labelled(item, "Trigger") == "mail from ⏎ outside"
    assert labelled(waiting(), "Reach") == ""


def test_what_the_contract_does_not_know_of_its_reach_is_an_argument() -> None:
    given = {"amount": 1}
    context = {"parameters": given, "externality": {"destination_visibility": "public", "to": "IBAN-1"}}
    looked_at = LookedAt(parameters=given, context=context)
    assert [(name, value) for name, value in looked_at.arguments] == [("amount", 1), ("to (externality)", "IBAN-1")]


def test_what_is_different_is_told_below_the_arguments_argument_by_argument() -> None:
    item, before = waiting(), {"parameters": {"amount": 40, "to": "ACME", "memo": "m" * 200}}
    now = {"parameters": {"amount": 900, "to": "ACME", "urgent": True}}
    found = nearest_of(now, [(past("approved"), before), (past("approved"), {"parameters": {}})])
    assert found is not None
    looked_at = LookedAt(parameters=now["parameters"], context=now)
    shown = card(item, [], True, LINK, LATER, 70, looked_at=looked_at, nearest=found, height=40)
    first = next(at for at, line in enumerate(shown) if line.label == "Different")
    assert shown[first - 1].text == "- urgent: true"
    assert [(line.text, line.tone) for line in shown[first : first + 11]] == [
        ("from the nearest of 2 that were approved (asked 2h ago,", "plain"),
        ("allowed by ana): 1 argument is the same", "plain"),
        ("- parameters.amount was 40", "muted"),
        ("  is 900", "raised"),
        ("- parameters.urgent was not there", "muted"),
        ("  is true", "raised"),
        ("- parameters.memo was", "muted"),
        ("  " + "m" * 58, "muted"),
        ("  " + "m" * 58, "muted"),
        ("  " + "m" * 58, "muted"),
        ("  " + "m" * 26, "muted"),
    ]
    assert shown[first + 11].text == "  is not there"
    same = nearest_of(now, [(past("approved"), now)])
    shown = card(item, [], True, LINK, LATER, 120, looked_at=looked_at, nearest=same)
    assert [line.text for line in shown if line.label == "Different"] == [
        "from the one that was approved (asked 2h ago, allowed by ana): nothing; all 3 arguments are the same"
    ]
    once = past("approved")
    once = msgspec.structs.replace(
        once, approval=msgspec.structs.replace(once.approval, conditions=["only once", "now"])
    )
    found = nearest_of(now, [(once, now)])
    assert found is not None
    assert beside_words(found, LATER) == (
        "from the one that was approved (asked 2h ago, allowed by ana on the conditions “only once”, “now”):"
    )
    bare = {"declared_goal": "deploy"}
    for asked, words in (
        (bare, "nothing; neither has arguments"),
        ({"declared_goal": "roll back"}, "neither has arguments"),
    ):
        found = nearest_of(asked, [(past("approved"), bare)])
        assert found is not None
        assert same_words(found) == words


def test_a_value_of_several_lines_has_several_lines_each_break_with_its_sign() -> None:
    given = {"body": "Dear Ana,\n\n  pay it\nBen ⏎ no break"}
    shown = card(waiting(), [], True, LINK, LATER, 60, looked_at=LookedAt(parameters=given), whole=True)
    first = next(at for at, line in enumerate(shown) if line.label == "Arguments")
    assert [line.text for line in shown[first : first + 4]] == [
        "- body: Dear Ana, ⏎⏎", "  ␣␣pay it ⏎", "  Ben � no break", "it names no system",
    ]  # fmt: skip


@pytest.mark.parametrize("width", [40, 58, 78, 140])
def test_no_line_is_wider_than_the_card(width: int) -> None:
    item = waiting(["why " * 50], declared_goal="x" * 300, systems_touched=["s" * 90], metadata={"k": "v" * 900})
    for line in lines(item, [past("denied", reasoning="because " * 40)], width):
        assert width_of(line.text) + (LABEL if line.label else 0) <= width


def test_what_fits_its_pane_is_not_shortened() -> None:
    item, given = waiting(declared_goal="word " * 40), {"memo": "m" * 300, "to": "DE89"}
    looked_at = LookedAt(None, given)
    full = card(item, None, True, LINK, LATER, 54, looked_at=looked_at, whole=True)
    short = card(item, None, True, LINK, LATER, 54, looked_at=looked_at)
    assert len(short) < len(full)
    for height, shown in ((len(full), full), (len(full) + 9, full), (len(full) - 1, short), (0, short)):
        assert card(item, None, True, LINK, LATER, 54, looked_at=looked_at, height=height) == shown
    long = LookedAt(None, {"memo": "m" * 900_000})
    assert card(item, None, True, LINK, LATER, 54, looked_at=long, height=40)[-4].cut is None
    assert any(line.cut for line in card(item, None, True, LINK, LATER, 54, looked_at=long, height=40))


def test_breaks_blanks_and_names_that_look_alike_are_seen_on_the_card_and_in_a_form_about_several() -> None:
    given = {"amount": 5, " amount": 50000, "amount\u00a0": "5", "amount\u3000": 7, "run": "echo # x\nrm -rf /srv"}
    item = waiting(["Too\nrisky"], declared_goal="Clean\u2028up")
    shown = card(item, None, True, LINK, LATER, 120, looked_at=LookedAt(None, given))
    first = next(at for at, line in enumerate(shown) if line.label == "Arguments")
    told = [line.text for line in shown[first : first + 6]]
    assert told == [
        "- amount: 5",
        '- "␣amount" (other blanks than in “amount”): 50000',
        '- "amount␣" (other characters than in “amount”): "5"',
        '- "amount␣" (other characters than in “amount”) (number 2 that looks so): 7',
        "- run: echo # x ⏎",
        "  rm -rf /srv",
    ]
    assert [line.text for line in shown if line.label == "Stopped"] == ["Too ⏎ risky"]
    assert shown[0].text == "Clean ⏎ up"
    lines = batch([item, item], {item.action.action_id: LookedAt(None, given)}, 400)
    assert lines[0].text.startswith("- Clean ⏎ up (")
    for each in [*told[:4], "- run: echo # x ⏎ rm -rf /srv"]:
        assert each.removeprefix("- ") in lines[1].text


def test_what_stands_after_a_decision() -> None:
    assert decided_words(past("denied", reasoning="no").approval) == "denied by ana at 2026-05-01T09:00:00Z: no"
    assert decided_words(past("approved").approval) == "allowed by ana at 2026-05-01T09:00:00Z"
    assert decided_words(past("expired", by=None).approval) == "expired: nobody decided in time"


def test_where_values_came_from_stands_below_why_it_was_stopped_and_steers_nothing() -> None:
    found = Origins(
        (
            ValueOrigin("recipient", "DE89\x1b[2J", True, "This account number appears only in a text.", "free", 1),
            ValueOrigin("to", None, False, "This value was named by the user.", "user", 0),
        ),
        3,
        ("The session has the label untrusted_seen.", "It has 2 more labels."),
    )
    shown = card(waiting(["Too risky"]), None, True, LINK, LATER, 100, looked_at=LookedAt(found))
    labels = [line.label for line in shown if line.label]
    assert labels[labels.index("Stopped") + 1 :][:3] == ["Values", "Session", "Touches"]
    at = next(place for place, line in enumerate(shown) if line.label == "Values")
    assert [(line.text, line.tone) for line in shown[at : at + 5]] == [
        ("- recipient “DE89�[2J”: This account number appears only in a text.", "raised"),
        ("- to: This value was named by the user.", "plain"),
        ("- 3 more values were looked at.", "plain"),
        ("- The session has the label untrusted_seen.", "plain"),
        ("- It has 2 more labels.", "plain"),
    ]
    narrow = card(waiting(), None, True, LINK, LATER, 60, looked_at=LookedAt(found))
    assert all(width_of(line.text) <= 60 - LABEL for line in narrow)


def test_how_far_it_goes_to_allow_it_stands_on_the_card_while_it_waits() -> None:
    found = Origins((), 0, (), REACH)
    shown = card(waiting(), None, True, LINK, LATER, 400, looked_at=LookedAt(found))
    assert [line.text for line in shown if line.label == "Allowing"] == [REACH]
    ended = card(waiting(), None, True, LINK, LATER, 400, ended="denied by ana", looked_at=LookedAt(found))
    assert not [line for line in ended if line.label == "Allowing"]


def test_the_exact_arguments_stand_on_the_card_or_that_the_agent_keeps_them() -> None:
    given = {"recipient": "DE89", "amount": 98.7, "to\x1b[2J": ["a"], "memo": "m" * 900}
    shown = [
        f"{line.label}|{line.text}"
        for line in card(waiting(), None, True, LINK, LATER, 500, looked_at=LookedAt(None, given))
    ]
    at = shown.index("Arguments|- recipient: DE89")
    assert shown[at + 1] == "|- amount: 98.7"
    assert "\x1b" not in "".join(shown)
    assert not any("m" * 500 in line for line in shown)
    long = card(waiting(), None, True, LINK, LATER, 100, looked_at=LookedAt(None, given))
    at = next(place for place, line in enumerate(long) if line.text.startswith("- memo"))
    assert long[at + 2].text == "  … 812 more characters; v shows them"
    whole = card(waiting(), None, True, LINK, LATER, 100, looked_at=LookedAt(None, given), whole=True)
    assert "".join(line.text.strip() for line in whole).count("m" * 900) == 1
    many = card(waiting(), None, True, LINK, LATER, 100, looked_at=LookedAt(None, {f"a{n}": n for n in range(25)}))
    assert [line.text for line in many if line.text.startswith("- a")] == [f"- a{n}: {n}" for n in range(25)]
    assert labelled(waiting(), "Arguments") == "reading…"
    alike = card(waiting(), None, True, LINK, LATER, 100, looked_at=LookedAt(None, {"am\u043eunt": 9}))
    assert "- am\u043eunt (other characters than in “amount”): 9" in [line.text for line in alike]
    none = card(waiting(), None, True, LINK, LATER, 100, looked_at=LookedAt())
    ended = card(waiting(), None, True, LINK, LATER, 100, ended="denied by ana")
    assert not any(line.label == "Arguments" for line in [*none, *ended])
