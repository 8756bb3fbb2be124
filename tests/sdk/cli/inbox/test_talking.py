"""The inbox's keys for what operators say among themselves and put off: dialogs, what is sent, what is shown."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import msgspec
import pytest
from textual.widgets import Button, Input, TextArea

from assent.cli.inbox.card import comment_words
from assent.cli.inbox.dialogs import CommentDialog, LaterDialog, morning
from assent.cli.inbox.grant_dialog import GrantDialog
from assent.contract.control.comments import ApprovalComment
from assent.contract.events import Event
from tests.sdk.cli.inbox.counter import Counter, sitting
from tests.sdk.data.fake_service import NOW
from tests.tiers import deep

OWN = {"org_id": "org_1", "approval_id": "apr_1", "agent_id": "bot", "action_type": "deploy"}


class Office(Counter):
    """Keeps comments and what the caller's key has put off; `soon` refuses to put anything off."""

    soon = False
    why_not: str | None = None

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.comments: list[dict[str, Any]] = []
        self.snoozes: dict[str, dict[str, Any]] = {}
        self.grants: list[dict[str, Any]] = []
        self.pattern: list[dict[str, Any]] = [{"field": "parameters.amount", "op": "eq", "value": 5}]
        self.unbound: list[str] = []
        self.previews: list[dict[str, Any] | None] = []
        self.assignments: dict[str, dict[str, Any]] = {}
        self.escalations: list[dict[str, Any]] = []

    def add_comment(self, _: httpx.Request, body: dict[str, Any], action_id: str) -> tuple[int, object]:
        self.comments.append(comment(action_id=action_id, **body))
        return 201, {"comment": self.comments[-1]}

    def list_comments(self, request: httpx.Request, _: object) -> tuple[int, object]:
        found = [each for each in self.comments if each["action_id"] == request.url.params["action_id"]]
        return 200, {"comments": found[::-1], "total": len(found), "lastUpdated": NOW, "next_cursor": None}

    def snooze(self, _: httpx.Request, body: dict[str, Any], action_id: str) -> tuple[int, object]:
        if self.soon:
            return 409, {
                "type": "about:blank",
                "title": "",
                "status": 409,
                "code": "expires_soon",
                "detail": "too late",
            }
        until = body.get("until")
        self.snoozes[action_id] = OWN | {
            "snooze_id": f"snz_{action_id}",
            "action_id": action_id,
            "snoozed_by": "ana",
            "snoozed_by_key": "key_0",
            "until": until,
            "returns_at": until or NOW,
            "updated_at": NOW,
            "created_at": NOW,
        }
        return 200, {"snooze": self.snoozes[action_id]}

    def draft(self, _: httpx.Request, __: object, action_id: str) -> tuple[int, object]:
        members = {"action_id": action_id, "agent_ids": ["bot"], "action_type": "deploy", "when": {"all": self.pattern}}
        bound = {"exact": {"parameters.files": "3 items"}, "unbound": self.unbound}
        return 200, {**members, **bound, "max_risk": 20, "covers": self.why_not is None, "why_not": self.why_not}

    def preview(self, _: httpx.Request, body: dict[str, Any]) -> tuple[int, object]:
        self.previews.append(body.get("when"))
        covered = 3 if body.get("when") else 4
        counts = (
            "approved",
            "denied",
            "granted",
            "ran",
            "failed",
            "no_outcome",
            "clusters",
            "always_asked",
            "simulated",
        )
        rest = {"since": NOW, "by_agent": [], "failures_high": None, "near_misses": [], "truncated": False}
        return 200, dict.fromkeys(counts, 0) | rest | {"looked_at": 4, "covered": covered}

    def grant(self, _: httpx.Request, body: dict[str, Any]) -> tuple[int, object]:
        self.grants.append(body)
        nothing = dict.fromkeys(("last_use", "revoked_at", "revoked_by", "revoked_reason"))
        made = {"org_id": "org_1", "grant_id": "grant_1", "used": 0, "created_at": NOW}
        by = {"created_by": "key_0", "created_by_name": "ana"}
        return 201, {"grant": {"when": None, **body, **nothing, **made, **by}, "state": "live"}

    def assign(self, _: httpx.Request, body: dict[str, Any], action_id: str) -> tuple[int, object]:
        if body.get("key_id") == "key_gone":
            return 404, problem("key_not_found", 404, "no such key")
        self.assignments[action_id] = assignment(action_id, body.get("key_id"), 10 * len(self.assignments))
        return 200, {"assignment": self.assignments[action_id]}

    def list_assignments(self, request: httpx.Request, _: object) -> tuple[int, object]:
        assert dict(request.url.params) == {"current": "true", "limit": "200"}
        found = [each for each in self.assignments.values() if each["assigned_to_key"] is not None]
        return 200, {"assignments": found, "total": len(found), "lastUpdated": NOW, "next_cursor": None}

    def list_escalations(self, request: httpx.Request, _: object) -> tuple[int, object]:
        assert dict(request.url.params) == {"current": "true", "limit": "200"}
        found = self.escalations
        return 200, {"escalations": found, "total": len(found), "lastUpdated": NOW, "next_cursor": None}

    def list_operators(self, _: httpx.Request, __: object) -> tuple[int, object]:
        return 200, {"operators": [{"key_id": "key_9", "name": "ben", "role": "operator"}]}

    def list_snoozes(self, request: httpx.Request, _: object) -> tuple[int, object]:
        assert dict(request.url.params) == {"snoozed_by_key": "key_0", "current": "true", "limit": "200"}
        found = [each for each in self.snoozes.values() if each["until"] is not None]
        return 200, {"snoozes": found, "total": len(found), "lastUpdated": NOW, "next_cursor": None}


Office.routes = [
    ("POST", "/api/actions/([^/]+)/comments", Office.add_comment),
    ("GET", "/api/comments", Office.list_comments),
    ("POST", "/api/actions/([^/]+)/snooze", Office.snooze),
    ("GET", "/api/snoozes", Office.list_snoozes),
    ("POST", "/api/actions/([^/]+)/assignment", Office.assign),
    ("GET", "/api/assignments", Office.list_assignments),
    ("GET", "/api/operators", Office.list_operators),
    ("GET", "/api/escalations", Office.list_escalations),
    ("GET", "/api/actions/([^/]+)/grant", Office.draft),
    ("POST", "/api/grants/preview", Office.preview),
    ("POST", "/api/grants", Office.grant),
    *Counter.routes,
]


def problem(code: str, status: int, detail: str) -> dict[str, Any]:
    return {"type": "about:blank", "title": "", "status": status, "code": code, "detail": detail}


def assignment(action_id: str, key_id: str | None, minute: int = 0) -> dict[str, Any]:
    names = {"key_0": "ana", "key_9": "ben", None: None}
    return OWN | {
        "assignment_id": f"asg_{action_id}",
        "action_id": action_id,
        "assigned_to": names[key_id],
        "assigned_to_key": key_id,
        "assigned_by": "ana",
        "assigned_by_key": "key_0",
        "updated_at": NOW + timedelta(minutes=minute),
        "created_at": NOW,
    }


def escalation(action_id: str, keys: list[str]) -> dict[str, Any]:
    return {
        "org_id": "org_1",
        "approval_id": f"apr_{action_id}",
        "action_id": action_id,
        "policy_id": "pol_1",
        "after_minutes": 15,
        "escalated_to": "Leads",
        "on_shift": True,
        "operators": ["ana"] * len(keys),
        "operator_keys": keys,
        "expires_at": NOW + timedelta(days=1),
        "created_at": NOW,
    }


def comment(**members: Any) -> dict[str, Any]:
    return OWN | {
        "comment_id": "cmt_1",
        "action_id": "act_1",
        "text": "x",
        "written_by": "ana",
        "written_by_key": "key_0",
        "created_at": NOW,
        **members,
    }


@deep("one story of each kind is in the quick tier")
async def test_m_comments_on_what_was_under_the_cursor_and_the_card_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assent.cli.inbox.screen.REST", 0.01)
    office = Office()
    _, second = office.wait(2)
    async with sitting(office) as seat:
        await seat.press("m")
        assert isinstance(seat.inbox.screen, CommentDialog)
        await seat.press("ctrl+s")
        assert seat.text("#dialog-problem") == "Say something."
        office.wait(1)  # one more comes while it is open
        seat.inbox.screen.query_one("#reasoning", TextArea).text = " I know them. "
        await seat.press("ctrl+s")
        await seat.until(lambda: len(seat.inbox.screen_stack) == 1, "the dialog is gone")
        assert [(each["action_id"], each["text"]) for each in office.comments] == [(second, "I know them.")]
        await seat.until(lambda: "I know them." in " ".join(seat.text("#card-text").split()), "it is on the card")
        office.comments.append(comment(action_id=second, text="So do I.", written_by="ben"))
        seat.wire.tell(Event(id=2, event="approval_comment.created", data=office.comments[-1]))
        await seat.until(lambda: "So do I." in " ".join(seat.text("#card-text").split()), "and so is another one's")
        assert office.actions[second]["status"] == "pending_approval"


async def test_s_puts_off_until_a_time_and_z_shows_it() -> None:
    office = Office()
    first, second = office.wait(2)
    async with sitting(office) as seat:
        assert seat.cursor == second
        await seat.press("s")
        assert isinstance(seat.inbox.screen, LaterDialog)
        await seat.press("escape", "s", "2")
        await seat.until(lambda: seat.cursor == first, "the next one is under the cursor")
        until = office.snoozes[second]["until"]
        put = datetime.fromisoformat(until) - seat.inbox.inbox_client.now()
        assert timedelta(minutes=59) < put <= timedelta(hours=1)
        assert "Approvals: 1 waiting, newest first; 1 put off" in seat.text("#title")
        assert "is put off until" in seat.text("#said")
        await seat.press("A")  # a decision is about what is shown
        assert seat.text("#dialog-text").startswith("goal 0")
        await seat.press("escape", "z", "k")
        assert seat.cursor == second
        assert "until" in seat.text("#card-text")
        await seat.press("s", "b")
        await seat.until(lambda: "Approvals: 2 waiting, newest first" in seat.text("#title"), "it is back")
        assert office.snoozes[second]["until"] is None
        office.soon = True
        await seat.press("s", "1")
        await seat.until(lambda: "was not put off: too late" in seat.text("#said"))


async def test_what_is_put_off_is_back_by_itself_and_is_heard_of_from_another_session() -> None:
    office = Office()
    first, second = office.wait(2)
    async with sitting(office) as seat:
        now = seat.inbox.inbox_client.now()
        office.snooze(
            httpx.Request("POST", "http://x.invalid"), {"until": (now + timedelta(hours=1)).isoformat()}, first
        )
        seat.wire.tell(Event(id=1, event="snooze.created", data=office.snoozes[first]))
        await seat.until(lambda: list(seat.inbox.board.later) == [first], "another session has put it off")
        foreign = office.snoozes[first] | {"action_id": second, "snoozed_by_key": "key_9"}
        seat.wire.tell(Event(id=2, event="snooze.created", data=foreign))
        seat.wire.tell(Event(id=3, event="snooze.created", data={"action_id": second}))
        await seat.pilot.pause(0.2)
        assert list(seat.inbox.board.later) == [first], "another key's is nothing to this one"
        assert seat.inbox.board.wake(now + timedelta(minutes=59)) == []
        assert seat.inbox.board.wake(now + timedelta(hours=1)) == [first]
        assert [item.action.action_id for item in seat.inbox.board.listed()] == [second, first]


async def test_i_takes_and_hands_back_and_w_shows_whose() -> None:
    office = Office()
    first, second, third = office.wait(3)
    office.assignments[first] = assignment(first, "key_9")
    async with sitting(office) as seat:
        assert seat.cursor == third
        assert "Assigned" not in seat.text("#card-text")
        await seat.press("i")
        await seat.until(lambda: "“goal 2”: yours." in seat.text("#said"))
        assert office.assignments[third]["assigned_to_key"] == "key_0"
        assert "to ana, by ana at" in " ".join(seat.text("#card-text").split())
        assert [seat.inbox.triage.mark(each) for each in (first, second, third)] == ["o", " ", "i"]
        await seat.press("w")
        assert "Approvals: 1 of 3 waiting, newest first; mine" in seat.text("#title")
        assert [item.action.action_id for item in seat.inbox.board.listed()] == [third]
        await seat.press("w")
        assert seat.cursor == second, "nobody's, and the cursor is on one of them"
        late = assignment(second, "key_9", 3)
        seat.wire.tell(Event(id=1, event="assignment.created", data=late))
        seat.wire.tell(Event(id=2, event="assignment.updated", data=assignment(second, "key_0", 2)))
        seat.wire.tell(Event(id=3, event="assignment.updated", data={"action_id": second}))
        await seat.until(lambda: seat.inbox.triage.mark(second) == "o", "it stays under the cursor")
        assert seat.cursor == second
        await seat.press("w", "x")
        assert [seat.cursor, seat.inbox.board.selected] == [second, {second}]
        await seat.press("i")
        await seat.until(lambda: office.assignments[second]["assigned_to_key"] == "key_0", "another's is taken, too")
        await seat.press("x")
        await seat.until(lambda: seat.inbox.triage.mark(second) == "i")
        await seat.press("i")
        await seat.until(lambda: "handed back, it is nobody's" in seat.text("#said"))
        assert office.assignments[second]["assigned_to_key"] is None
        office.assignments[second] = assignment(second, "key_9", 40)
        await seat.press("r")
        await seat.until(lambda: seat.inbox.triage.mark(second) == "o", "as it was read")
        assert {each["status"] for each in office.actions.values()} == {"pending_approval"}, "nothing is decided"


async def test_what_was_escalated_is_marked_and_said_to_whom_it_is_for() -> None:
    office = Office()
    first, second = office.wait(2)
    office.escalations.append(escalation(first, []))
    async with sitting(office) as seat:
        assert [seat.inbox.triage.mark(each) for each in (first, second)] == ["^", " "]
        said = seat.text("#said")
        seat.wire.tell(Event(id=1, event="approval.escalated", data=escalation("act_gone", ["key_0"])))
        seat.wire.tell(Event(id=2, event="approval.escalated", data=escalation(second, ["key_9"])))
        await seat.until(lambda: seat.inbox.triage.mark(second) == "^")
        assert seat.text("#said") == said
        assert "to Leads at" in " ".join(seat.text("#card-text").split())
        seat.wire.tell(Event(id=3, event="approval.escalated", data=escalation(first, ["key_0"])))
        await seat.until(lambda: "Escalated to you: “goal 0”" in seat.text("#said"))


def test_assigning_by_a_command() -> None:
    office = Office()
    (action_id,) = office.wait(1)
    assert office.run("assign", action_id).exit_code == 2
    assert office.run("assign", action_id, "--mine", "--nobody").exit_code == 2
    mine = office.run("assign", action_id, "--mine")
    assert mine.stdout == f"{action_id} is assigned to ana; it waits as before.\n"
    assert office.run("assign", action_id, "--to", "key_9").stdout.startswith(f"{action_id} is assigned to ben")
    assert "no such key" in office.run("assign", action_id, "--to", "key_gone").stderr
    free = office.run("assign", action_id, "--nobody", "--json")
    assert '"assigned_to_key": null' in free.stdout or '"assigned_to_key":null' in free.stdout
    assert office.run("operators").stdout == "key_id\tname\trole\nkey_9\tben\toperator\n"


@deep("one story of each kind is in the quick tier")
async def test_f_gives_a_grant_of_the_like_once_it_was_shown_what_that_covers() -> None:
    office = Office()
    (action_id,) = office.wait(1)
    async with sitting(office) as seat:
        await seat.press("f")
        assert isinstance(seat.inbox.screen, GrantDialog)
        await seat.until(lambda: "3 of 4 requests" in " ".join(seat.text("#dialog-text").split()), "what it covers")
        told = seat.text("#dialog-text")
        assert "bot may deploy, up to risk 20, where the conditions below hold." in told
        assert "[x] parameters.amount is 5" in seat.text("#pattern")
        assert office.previews == [{"all": [{"field": "parameters.amount", "op": "eq", "value": 5}]}]
        await seat.press("ctrl+s")
        await seat.until(lambda: len(seat.inbox.screen_stack) == 1, "the dialog is gone")
        (given,) = office.grants
        assert (given["max_uses"], given["reason"], given["from_action_id"]) == (20, "Like: goal 0", action_id)
        lasts = datetime.fromisoformat(given["expires_at"]) - seat.inbox.inbox_client.now()
        assert timedelta(days=6, hours=23) < lasts <= timedelta(days=7)
        assert "its like is allowed until" in seat.text("#said")
        assert office.actions[action_id]["status"] == "pending_approval"
        office.why_not = "policy “Always” always asks"
        await seat.press("f")
        await seat.until(lambda: "No grant is used here" in seat.text("#dialog-problem"))
        await seat.press("ctrl+s", "escape")
        assert len(office.grants) == 1


@deep("one story of each kind is in the quick tier")
async def test_a_condition_of_a_grant_is_left_out_and_taken_in_again_by_the_keys_of_the_list() -> None:
    office = Office()
    office.wait(1)
    async with sitting(office) as seat:
        await seat.press("f")
        await seat.until(lambda: "3 of 4 requests" in " ".join(seat.text("#dialog-text").split()), "what it covers")
        await seat.press("shift+tab")
        await seat.until(lambda: "> [x] parameters.amount is 5" in seat.text("#pattern"), "the list has the focus")
        await seat.press("j", "k", "j", "x")
        send = seat.inbox.screen.query_one("#send", Button)
        await seat.until(lambda: "4 of 4 requests" in " ".join(seat.text("#dialog-text").split()), "it covers more")
        assert "[ ] parameters.amount is 5" in seat.text("#pattern")
        assert "any request of this type" in seat.text("#pattern")
        assert "left open: any amount" in " ".join(seat.text("#pattern").split())
        await seat.press("u")
        await seat.until(lambda: "3 of 4 requests" in " ".join(seat.text("#dialog-text").split()), "as before")
        assert "any request" not in seat.text("#pattern")
        await seat.press("u", "y", "space")
        await seat.until(lambda: "4 of 4 requests" in " ".join(seat.text("#dialog-text").split()), "it covers more")
        await seat.until(lambda: not send.disabled)
        assert seat.inbox.screen.query_one("#reasoning", TextArea).text == "Like: goal 0", (
            "keys of the list write nothing"
        )
        await seat.press("ctrl+s")
        await seat.until(lambda: len(seat.inbox.screen_stack) == 1, "the dialog is gone")
        assert [each.get("when") for each in office.grants] == [None]


async def test_arguments_that_no_condition_binds_are_named_and_take_the_word() -> None:
    office = Office()
    office.wait(1)
    office.pattern = [
        {"field": "parameters", "members": ["files", "to"]},
        {"field": "parameters.files", "digest": "sha256:" + "0" * 64},
    ]
    office.unbound = ["mail.to"]
    async with sitting(office) as seat:
        await seat.press("f")
        await seat.until(lambda: "3 of 4 requests" in " ".join(seat.text("#dialog-text").split()), "what it covers")
        assert "[x] parameters.files: exactly as here (3 items)" in seat.text("#pattern")
        assert "[x] parameters are files, to and no others" in seat.text("#pattern")
        assert "No condition can bind mail.to" in " ".join(seat.text("#word-cause").split())
        await seat.press("ctrl+s")
        await seat.until(
            lambda: "type allow" in " ".join(seat.text("#dialog-problem").split()), "the word is asked for"
        )
        assert office.grants == []
        seat.inbox.screen.query_one("#word", Input).value = "allow"
        await seat.press("ctrl+s")
        await seat.until(lambda: len(seat.inbox.screen_stack) == 1, "the dialog is gone")
        assert len(office.grants) == 1


@deep("one story of each kind is in the quick tier")
async def test_who_may_not_decide_puts_nothing_off_and_an_older_service_has_nothing() -> None:
    counter = Counter()  # knows of neither
    counter.wait(1)
    async with sitting(counter, may_decide="This key may look.") as seat:
        for key in "sm":
            await seat.press(key)
            assert len(seat.inbox.screen_stack) == 1
            assert "This key may look." in seat.text("#said")
        assert seat.inbox.board.later == {}


def test_a_comment_in_words() -> None:
    said = msgspec.convert(comment(text="be\x1bcause\tit"), ApprovalComment)
    assert comment_words(said, NOW + timedelta(hours=2)) == "ana 2h ago: be�cause ⇥ it"


def test_the_next_morning() -> None:
    at = datetime(2026, 11, 20, 14, 2, 7, tzinfo=UTC)
    found = morning(at)
    assert (found.hour, found.minute, found.second) == (9, 0, 0)
    assert timedelta(hours=9) < found - at < timedelta(hours=48)
