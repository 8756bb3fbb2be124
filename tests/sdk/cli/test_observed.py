"""`assent policies observed`: totals first, then a table with every reason whole. Quick: a service in memory."""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest

from assent.cli.output import Output
from tests.sdk.cli.desk import Desk
from tests.sdk.data.fake_service import NOW

WHY = "This account number (recipient) appears only in the text of what read_file answered; the user never named it."
FLOW = {"policy_id": "pol_1", "name": "Origins", "would_decide": "require_approval", "reason": WHY}
HOOK = {"policy_id": "pol_2", "name": "Hook", "would_decide": None, "reason": None}
COUNTS: dict[str, Any] = {"observes_since": NOW, "warned": 0, "asked": 14, "blocked": 0}
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
    "policies": [FLOW, HOOK],
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
    "policies": [{"policy_id": "pol_1", "name": "Origins", **COUNTS}],
    "not_shown": 3,
    "tools": [{"name": "bank.pay", "n": 17}],
    "decisions": [ROW],
    "total": 17,
    "limit": 1,
    "offset": 0,
    "next_cursor": None,
}
NONE: dict[str, Any] = dict.fromkeys(("warned", "asked", "blocked", "simulated", "not_shown", "total"), 0) | {
    "policies": [],
    "tools": [],
    "decisions": [],
}
TOTALS = [
    "14 of 2,310 decisions would have been asked about, 1 blocked and 2 warned of, with the policies that observe "
    "enforced.",
    "  A simulator made 10 of these decisions; they never happened.",
    f"  Origins (pol_1, observes since {NOW:%Y-%m-%dT%H:%M:%SZ}): 14 asked, 0 blocked, 0 warned",
    "  and 3 more policies",
    "  Tools: bank.pay 17",
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
    at = f"{NOW:%Y-%m-%dT%H:%M:%SZ}"
    reasons = f"Origins: {WHY} | Hook: what it said is not kept"
    names = "occurred_at decision_id action_id agent session tool decision would_decide policies reasons"
    assert [line.split("\t") for line in shown.stdout.splitlines()] == [
        names.split(),
        [at, "dec_1", "act_1", "clerk", "bill 17", "bank.pay", "allow", "require_approval", "pol_1,pol_2", reasons],
    ]
    assert shown.stderr.splitlines() == [*TOTALS, MORE]


def test_a_terminal_shows_every_reason_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Output, "terminal", property(lambda _: True))
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((80, 24)))
    lines = Watched().run("policies", "observed").stdout.splitlines()
    assert lines[: len(TOTALS)] == TOTALS
    header, row, *told = lines[len(TOTALS) : -1]
    assert header.split() == ["OCCURRED_AT", "BY", "TOOL", "DECISION", "WOULD_BE"]
    assert row.split() == [f"{NOW:%Y-%m-%dT%H:%M:%SZ}", "clerk", "bank.pay", "allow", "require_approval"]
    assert " ".join(" ".join(told).split()) == f"Origins: {WHY} Hook: what it said is not kept act_1"
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
        "0 of 2,310 decisions would have been other ones, with the policies that observe enforced.",
    ]
    watched.found = FOUND | NONE | {"n": 0}
    assert "Guard decided nothing in this time." in watched.run("policies", "observed").stderr
