"""`assent flows`: what is shown of a session, and what is sent to take a label off. Quick: a service in memory."""

from __future__ import annotations

import json
from typing import Any

import httpx

from assent.cli.flows import PASSES_AGAIN
from tests.sdk.cli.desk import Desk
from tests.sdk.data.fake_service import NOW

FLOW: dict[str, Any] = {
    "org_id": "org",
    "flow_id": "fl_17",
    "session_id": "bill 17",
    "parent_session_id": None,
    "root_id": "fl_17",
    "agent_id": "clerk",
    "told": 2,
    "calls": 1,
    "complete": True,
    "labels": ["customer_data", "untrusted_seen"],
    "removed": [],
    "created_by": "key_1",
    "created_at": NOW,
    "updated_at": NOW,
}


class Sessions(Desk):
    asked: dict[str, Any] | None = None

    def flows(self, request: httpx.Request, _: object) -> tuple[int, object]:
        wanted = request.url.params.get("session_id", "bill 17")
        found = [FLOW] if wanted == "bill 17" else []
        return 200, {"flows": found, "total": len(found), "lastUpdated": NOW, "next_cursor": None}

    def take_off(self, _: httpx.Request, body: dict[str, Any]) -> tuple[int, object]:
        self.asked = body
        removed = [{"label": each, "reason": body["reason"], "by": "key_9", "at": NOW} for each in body["labels"]]
        return 200, {"flow": FLOW | {"labels": ["customer_data"], "removed": removed}}


Sessions.routes = [
    ("POST", "/api/flows/fl_17/labels/remove", Sessions.take_off),
    ("GET", "/api/flows", Sessions.flows),
    *Desk.routes,
]


def test_sessions_are_listed_with_their_labels() -> None:
    shown = Sessions().run("flows", "list")
    assert shown.stdout.splitlines() == [
        "session\tagent\ttold\tcalls\tcomplete\tlabels\ttaken_off\tupdated_at",
        f"bill 17\tclerk\t2\t1\tyes\tcustomer_data,untrusted_seen\t\t{NOW:%Y-%m-%dT%H:%M:%SZ}",
    ]
    assert len(Sessions().run("flows", "list", "--session", "bill 18").stdout.splitlines()) == 1


def test_a_label_is_taken_off_with_a_reason() -> None:
    sessions = Sessions()
    taken = sessions.run("flows", "remove-labels", "bill 17", "untrusted_seen", "--reason", "Ours", "--if-told", "2")
    assert taken.stdout == f"Labels of bill 17: customer_data\n{PASSES_AGAIN}\n", "what taking it off lets pass"
    assert sessions.asked == {"labels": ["untrusted_seen"], "reason": "Ours", "if_told": 2}
    answered = sessions.run("flows", "remove-labels", "bill 17", "untrusted_seen", "--reason", "Ours", "--json")
    assert json.loads(answered.stdout)["flow"]["removed"][0]["reason"] == "Ours"
    assert sessions.asked == {"labels": ["untrusted_seen"], "reason": "Ours"}
    other = sessions.run("flows", "remove-labels", "bill 17", "own_label", "--reason", "Ours")
    assert other.stdout == "Labels of bill 17: customer_data\n"


def test_a_session_that_nobody_told_of_and_a_removal_without_a_reason() -> None:
    sessions = Sessions()
    unknown = sessions.run("flows", "remove-labels", "bill 18", "untrusted_seen", "--reason", "Ours")
    assert (unknown.exit_code, "session 'bill 18' was told nothing" in unknown.stderr) == (2, True)
    assert sessions.run("flows", "remove-labels", "bill 17", "untrusted_seen").exit_code == 2
    assert sessions.asked is None
