"""`assent policies observed`: totals first, then a table with every reason whole. Quick: a service in memory."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest

from assent.cli.output import Output
from tests.sdk.cli.desk import Desk
from tests.sdk.data.fake_service import NOW

WHY = "This account number (recipient) appears only in the text of what read_file answered; the user never named it."
ASKS = "require_approval"
TREE = {"policy_id": "pol_3", "name": "Risk gt 5: no", "would_decide": ASKS, "reason": "risk_score gt 5"}
LIMIT = {"policy_id": "pol_4", "name": "Limit", "would_decide": ASKS, "reason": "3 or more actions in 60 minutes"}
FLOW = {"policy_id": "pol_1", "name": "Origins", "would_decide": ASKS, "reason": WHY}
HOOK = {"policy_id": "pol_2", "name": "Hook", "would_decide": None, "reason": None}
SAID = [
    {**FLOW, "condition": False, "earlier": False},
    {**HOOK, "condition": False, "earlier": True},
    {**TREE, "condition": True, "earlier": False},
    {**LIMIT, "condition": False, "earlier": False},
]
COUNTS: dict[str, Any] = {
    "policy_id": "pol_1",
    "name": "Origins",
    "observes_since": NOW,
    "observed": True,
    "would_decide": ASKS,
    "n": 20,
    "warned": 0,
    "asked": 14,
    "blocked": 0,
    "earlier": 3,
    "untold": 90,
    "untold_writes": 40,
    "untold_unknown": 0,
    "read_with": [],
}
ROW: dict[str, Any] = {
    "decision_id": "dec_1",
    "action_id": "act_1",
    "agent_id": "clerk",
    "session_id": "bill 17",
    "action_type": "pay",
    "tool": "bank.pay",
    "declared_goal": None,
    "decision": "allow",
    "would_decide": "require_approval",
    "policies": SAID,
    "risk_score": 30.0,
    "source": "live",
    "occurred_at": NOW,
    "created_at": NOW,
}
FOUND: dict[str, Any] = {
    "since": NOW,
    "until": NOW,
    "n": 2310,
    "simulated": 10,
    "imported": 0,
    "warned": 2,
    "asked": 14,
    "blocked": 1,
    "policies": [COUNTS],
    "not_shown": 3,
    "tools": [{"name": "bank.pay", "n": 17}],
    "decisions": [ROW],
    "total": 17,
    "sessions": 1204,
    "limit": 1,
    "offset": 0,
    "next_cursor": None,
}
NONE: dict[str, Any] = dict.fromkeys(
    ("warned", "asked", "blocked", "simulated", "not_shown", "total", "sessions"), 0
) | {
    "policies": [],
    "tools": [],
    "decisions": [],
}
AT = f"{NOW:%Y-%m-%dT%H:%M:%SZ}"
COUNTED = f"Origins (pol_1) would have asked about 14 of 20 decisions since {AT}; 3 more by its rules of before"
UNTOLD = "Enforced, it would ask about at least 40 more of 90 calls in sessions that were told nothing."
LIST = [
    "  Different sessions: 1,204. What is approved is trusted for the rest of its session.",
    "  Tools: bank.pay 17",
    "  Left out are standing grants and triage: they may let some of these through, but nothing that a flow policy "
    "asks about.",
]
TOTALS = [
    "14 of 2,310 decisions would have been asked about, 1 blocked and 2 warned of, with the policies enforced as they "
    "observed then.",
    "  A simulator made 10 of these decisions; they never happened.",
    f"  {COUNTED}",
    f"    {UNTOLD}",
    "  and 3 more policies",
    *LIST,
]
MORE = "The newest 1 of 17 are shown; --limit takes up to 200."


class Watched(Desk):
    found = FOUND
    query: dict[str, list[str]] | None = None

    def observed(self, request: httpx.Request, _: object) -> tuple[int, object]:
        self.query = parse_qs(request.url.query.decode())
        return 200, self.found


Watched.routes = [("GET", "/api/policies/observed", Watched.observed), *Desk.routes]


def test_a_pipe_gets_rows_and_the_totals_stand_beside_it() -> None:
    shown = Watched().run("policies", "observed")
    reasons = [f"Origins: {WHY}", "Hook: what it said is not kept", "Risk gt 5: no: risk_score gt 5"]
    names = "occurred_at decision_id action_id agent session tool action_type decision would_decide policies earlier"
    row = [
        AT,
        "dec_1",
        "act_1",
        "clerk",
        "bill 17",
        "bank.pay",
        "pay",
        "allow",
        ASKS,
        "pol_1,pol_2,pol_3,pol_4",
        "pol_2",
    ]
    assert [line.split("\t") for line in shown.stdout.splitlines()] == [
        [*names.split(), "reasons"],
        [*row, " | ".join([*reasons, "Limit: 3 or more actions in 60 minutes"])],
    ]
    assert shown.stderr.splitlines() == [*TOTALS, MORE]


def test_a_terminal_shows_every_reason_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Output, "terminal", property(lambda _: True))
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((80, 24)))
    lines = Watched().run("policies", "observed").stdout.splitlines()
    assert lines[: len(TOTALS)] == TOTALS
    header, row, *told = lines[len(TOTALS) : -1]
    assert header.split() == ["OCCURRED_AT", "BY", "TOOL", "DECISION", "WOULD_BE"]
    assert row.split() == [AT, "clerk", "bank.pay", "allow", ASKS]
    assert " ".join(" ".join(told).split()) == (
        f"action type: pay Origins: {WHY} Hook: what it said is not kept (by its rules of before) "
        "Risk gt 5: no: risk score is above 5 Limit: 3 or more actions in 60 minutes act_1"
    )
    assert max(map(len, told)) <= 80
    assert lines[-1] == MORE


def test_what_is_asked_for_is_sent() -> None:
    watched = Watched()
    asked = ["--policy", "pol_1", "--since", "2026-11-01", "--until", "2026-11-08T12:00:00", "--agent-id", "clerk"]
    watched.run("policies", "observed", *asked, "--session", "bill 17", "--limit", "200")
    assert watched.query == {
        "window": ["7d"],
        "policy_id": ["pol_1"],
        "since": ["2026-11-01T00:00:00+00:00"],
        "until": ["2026-11-08T12:00:00+00:00"],
        "agent_id": ["clerk"],
        "session_id": ["bill 17"],
        "limit": ["200"],
    }
    assert watched.run("policies", "observed", "--limit", "201").exit_code == 2


def test_json_is_the_answer_and_an_empty_one_says_how_to_observe() -> None:
    watched = Watched()
    answered = watched.run("policies", "observed", "--json")
    assert (json.loads(answered.stdout)["asked"], answered.stderr) == (14, "")
    watched.found = FOUND | NONE
    empty = watched.run("policies", "observed")
    assert empty.stderr.splitlines() == [
        "No policy observes. `assent policies observe POLICY_ID` lets one record what it would decide, and stops "
        "nobody.",
        "0 of 2,310 decisions would have been other ones, with the policies enforced as they observed then.",
    ]
    watched.found = FOUND | NONE | {"n": 0}
    assert "Guard decided nothing in this time." in watched.run("policies", "observed").stderr


def test_a_long_name_leaves_the_time_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Output, "terminal", property(lambda _: True))
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((80, 24)))
    watched = Watched()
    watched.found = FOUND | {
        "decisions": [ROW | {"agent_id": "the-long-name-of-an-agent", "tool": "mcp__bank__pay_out"}]
    }
    told = watched.run("policies", "observed").stdout.splitlines()[len(TOTALS) + 1]
    assert told.startswith(f"{AT}  the-")
    assert len(told) <= 80


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({}, [f"{COUNTED}.", f"  {UNTOLD}"]),
        (
            {"observes_since": None, "n": 0, "asked": 0, "untold": 0},
            ["Origins (pol_1) does not observe now; it would have changed 3 decisions by its rules of before."],
        ),
        (
            {"observes_since": None, "observed": False, "earlier": 0, "untold": 0},
            ["Origins (pol_1) never observed."],
        ),
        (
            {"n": 1, "asked": 0, "earlier": 0, "untold": 1, "untold_writes": None},
            [
                f"Origins (pol_1) would have changed none of 1 decision since {AT}.",
                "  It left alone 1 call in sessions that were told nothing. Enforced, it looks at them, and matches "
                "where nobody can tell.",
            ],
        ),
        (
            {"n": 1, "asked": 0, "earlier": 0, "untold": 1, "untold_writes": 0},
            [
                f"Origins (pol_1) would have changed none of 1 decision since {AT}.",
                "  It left alone 1 call in sessions that were told nothing, none of which is known to write, send or "
                "destroy.",
            ],
        ),
        (
            {"earlier": 0, "asked": 1, "untold": 0, "read_with": ["Ours", "Yours"]},
            [
                f"Origins (pol_1) would have asked about 1 of 20 decisions since {AT}.",
                "  It reads calls by what 'Ours', 'Yours' say of tools, too, as long as all of them observe. Enforced, "
                "it reads them by its own pack, and may ask about others.",
            ],
        ),
        (
            {"blocked": 1, "earlier": 0, "would_decide": "block", "untold_unknown": 7},
            [
                f"Origins (pol_1) would have asked about 14 and blocked 1, of 20 decisions since {AT}.",
                "  Enforced, it would block at least 40 more of 90 calls in sessions that were told nothing. Nobody "
                "looked what 7 of them are.",
            ],
        ),
    ],
)
def test_one_policy_has_a_headline_of_its_own(members: dict[str, Any], said: list[str]) -> None:
    watched = Watched()
    watched.found = FOUND | {"policies": [COUNTS | members]}
    assert watched.run("policies", "observed", "--policy", "pol_1").stderr.splitlines() == [*said, *LIST, MORE]


def test_a_window_that_begins_later_says_so() -> None:
    watched = Watched()
    watched.found = FOUND | {"since": NOW + timedelta(hours=1)}
    assert (
        f"decisions since {NOW + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ};" in watched.run("policies", "observed").stderr
    )


def test_a_name_is_no_id() -> None:
    refused = Watched().run("policies", "observed", "--policy", "Ask where a value came from")
    assert refused.exit_code == 2
    assert "is no id; take it from the list" in " ".join(refused.stderr.replace("\u2502", " ").split())
