"""The inbox's routes over HTTP, against a dashboard in a process of its own: who is let in, and what comes out."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from tests.dashboard.control.approval_items import pay
from tests.live import WAIT
from tests.stories.tenant import Tenant
from tests.tiers import deep

PATHS = (
    *("/inbox/waiting", "/inbox/changes", "/inbox/requests/act_1", "/inbox/frontend/core.js", "/inbox/grants/act_1"),
    *("/inbox/operators", "/inbox/arguments?ids=act_1"),
)
POSTS: dict[str, dict[str, Any]] = {
    "/inbox/decisions": {"decisions": []},
    "/inbox/undo": {"keys": []},
    "/inbox/dismissals": {"keys": []},
    "/inbox/questions": {"id": "act_1", "text": "Why?"},
    "/inbox/comments": {"id": "act_1", "text": "So."},
    "/inbox/later": {"ids": [], "until": None},
    "/inbox/assignments": {"ids": [], "to": None},
    "/inbox/grants": {"id": "act_1", "days": 1, "uses": 1, "reason": "So."},
}


@dataclass
class Page:
    """A browser that has signed in, as far as these routes see one."""

    http: httpx.Client
    address: str

    @property
    def own(self) -> dict[str, str]:
        return {"origin": self.address, "sec-fetch-site": "same-origin"}

    def post(self, path: str, body: object, **headers: str) -> httpx.Response:
        return self.http.post(path, json=body, headers=self.own | headers)

    def decide(self, action_id: str, verdict: str = "allow", key: str = "", **more: object) -> dict[str, Any]:
        key = key or f"key-{action_id}"
        press = {"key": key, "id": action_id, "verdict": verdict, **more}
        answer = self.post("/inbox/decisions", {"decisions": [press]})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()["results"][key]
        return found

    def waiting(self) -> dict[str, Any]:
        answer = self.http.get("/inbox/waiting")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


@contextmanager
def signed_in(address: str, key: str) -> Iterator[Page]:
    with httpx.Client(base_url=address, trust_env=False, timeout=WAIT) as http:
        assert http.post("/sign-in", data={"key": key}).status_code == 303
        yield Page(http, address)


@pytest.fixture
def page(page_dashboard: str, house: Tenant) -> Iterator[Page]:
    with signed_in(page_dashboard, house.keys["operator"]) as page:
        yield page


@dataclass
class Stream:
    """The changes as a page reads them, in a thread."""

    page: Page
    after: str
    resumed: bool = False
    events: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    opened: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()
        assert self.opened.wait(WAIT)

    def _read(self) -> None:
        headers = {"last-event-id": self.after} if self.resumed else {}
        path = "/inbox/changes" if self.resumed else f"/inbox/changes?after={self.after}"
        told: dict[str, str] = {}
        try:
            with self.page.http.stream("GET", path, headers=headers) as answer:
                assert answer.headers["content-type"].startswith("text/event-stream")
                for line in answer.iter_lines():
                    self.opened.set()
                    name, _, value = line.partition(": ")
                    if line:
                        told[name] = value
                    elif "event" in told:
                        self.events.append((told.get("id", ""), told["event"], json.loads(told["data"])))
                        told = {}
        finally:
            self.opened.set()
            self.over.set()

    def heard(self, member: str) -> list[Any]:
        return [each for _, name, data in self.events if name == "change" for each in data.get(member, [])]


def reached(condition: Callable[[], object]) -> bool:
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("path", [*PATHS, *POSTS])
def test_nobody_is_let_in_without_a_session(path: str, page_dashboard: str) -> None:
    with httpx.Client(base_url=page_dashboard, trust_env=False, timeout=WAIT) as http:
        own = {"origin": page_dashboard, "sec-fetch-site": "same-origin"}
        answer = http.post(path, json=POSTS[path], headers=own) if path in POSTS else http.get(path)
    assert answer.status_code == 401
    assert "why" not in answer.text


@pytest.mark.parametrize(
    "from_where",
    [
        {"origin": "http://evil.invalid"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
    ids=str,
)
@pytest.mark.parametrize("path", [*PATHS, *POSTS])
def test_what_another_page_asks_is_refused(path: str, page: Page, from_where: dict[str, str]) -> None:
    headers = page.own | from_where
    answer = (
        page.http.post(path, json=POSTS[path], headers=headers)
        if path in POSTS
        else page.http.get(path, headers=headers)
    )
    assert answer.status_code == 403


def test_a_post_that_says_not_where_it_comes_from_or_is_no_json_is_refused(page: Page, house: Tenant) -> None:
    action_id = pay(house)
    body = {"decisions": [{"key": "k", "id": action_id, "verdict": "allow"}]}
    assert page.http.post("/inbox/decisions", json=body).status_code == 403
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        sent = page.http.post("/inbox/decisions", content=json.dumps(body), headers=page.own | {"content-type": kind})
        assert sent.status_code == 415
    assert page.waiting()["held"] == []


@pytest.mark.parametrize(
    "body",
    [
        "{",
        "[]",
        "{}",
        '{"decisions": [{"key": "k", "id": "act_1"}]}',
        '{"decisions": [{"key": "k", "id": "act_1", "verdict": "maybe"}]}',
        '{"decisions": [{"key": "k", "id": "act_1", "verdict": "allow", "by": "somebody else"}]}',
        '{"decisions": [{"key": "k", "id": "act_1", "verdict": "allow", "valid_minutes": 0}]}',
        json.dumps({"decisions": [{"key": str(n), "id": "act_1", "verdict": "allow"} for n in range(501)]}),
    ],
    ids=range(8),
)
def test_what_is_no_decision_is_refused_whole(body: str, page: Page) -> None:
    sent = page.http.post("/inbox/decisions", content=body, headers=page.own | {"content-type": "application/json"})
    assert sent.status_code == 400
    assert sent.json()["why"]


def test_too_long_a_body_is_refused(page: Page) -> None:
    body = {"decisions": [{"key": "k", "id": "act_1", "verdict": "deny", "reason": "x" * 600_000}]}
    assert page.post("/inbox/decisions", body).status_code == 413


def test_a_decision_outlives_the_page_and_a_second_page_sees_it(page: Page, house: Tenant, page_dashboard: str) -> None:
    action_id = pay(house)
    assert [row["id"] for row in page.waiting()["items"]] == [action_id]
    answer = page.decide(action_id, "deny", "k", reason="Not on a Friday")
    assert (answer["ok"], answer["state"]) == (True, "held")
    # The page is closed; another tab of the same session has the decision, and still may take it back.
    with httpx.Client(base_url=page_dashboard, cookies=page.http.cookies, trust_env=False, timeout=WAIT) as http:
        other = Page(http, page_dashboard)
        (held,) = other.waiting()["held"]
        assert (held["id"], held["key"], held["verdict"]) == (action_id, "k", "deny")
        assert 0 < held["left"] <= 5000
        assert other.decide(action_id, "allow", "other")["state"] == "held"
        assert reached(lambda: house.action(action_id)["status"] == "cancelled")
        assert house.action(action_id)["error_message"] == "Not on a Friday"
        again = other.decide(action_id, "deny", "k", reason="Not on a Friday")
        assert (again["ok"], again["state"], again["by"]) == (True, "denied", "the operator")


def test_changes_come_in_order_go_on_where_they_were_left_and_end_with_the_session(page: Page, house: Tenant) -> None:
    before = page.waiting()["v"]
    stream = Stream(page, before)
    action_id = pay(house)
    assert reached(lambda: [row["id"] for row in stream.heard("add")] == [action_id])
    page.decide(action_id, key="k")
    assert page.post("/inbox/undo", {"keys": ["k"]}).json()["results"]["k"] == {
        "id": action_id,
        "ok": True,
        "state": "waiting",
        "by": None,
        "at": None,
        "why": None,
        "left": None,
    }
    assert reached(lambda: stream.heard("back"))
    assert [each["key"] for each in stream.heard("held")] == ["k"]
    first = next(told for told in stream.events if told[1] == "change")
    resumed = Stream(page, first[0], resumed=True)
    assert reached(lambda: len(resumed.events) >= len(stream.events) - 1)
    assert resumed.events[: len(stream.events) - 1] == stream.events[1:], "without gap or repeat"
    lost = Stream(page, "another-7")
    assert lost.over.wait(WAIT)
    assert [name for _, name, _ in lost.events] == ["anew"]
    assert not stream.over.is_set()
    assert page.http.post("/sign-out", headers=page.own).status_code == 303
    assert stream.over.wait(WAIT)
    assert resumed.over.wait(WAIT)
    assert stream.events[-1][1] == "over"


def test_what_was_decided_leaves_when_the_operator_signs_out(page: Page, house: Tenant) -> None:
    action_id = pay(house)
    page.decide(action_id, "deny", reason="Pressed is pressed")
    assert page.http.post("/sign-out", headers=page.own).status_code == 303
    assert reached(lambda: house.action(action_id)["error_message"] == "Pressed is pressed")


def test_what_stands_behind_a_request_also_after_it_ended(page: Page, house: Tenant) -> None:
    action_id = pay(house, "Pay <b>5</b>", parameters={"amount": 5})
    found = page.http.get(f"/inbox/requests/{action_id}").json()
    assert (found["arguments"]["goal"], found["standing"]) == ("Pay <b>5</b>", None)
    assert ["amount (parameters)", "5"] in found["arguments"]["lines"]
    house.call("POST", f"/api/actions/{action_id}/approve", {"decision": "deny", "reasoning": "No"}, key="operator")
    ended = page.http.get(f"/inbox/requests/{action_id}").json()["standing"]
    assert (ended["state"], ended["by"], ended["reason"]) == ("denied", "the operator", "No")
    assert page.http.get("/inbox/requests/act_nobody").status_code == 404
    unasked = house.create("look")
    assert page.http.get(f"/inbox/requests/{unasked}").status_code == 404


def test_what_is_said_stands_beside_the_request(page: Page, house: Tenant) -> None:
    action_id = pay(house)
    asked = page.post("/inbox/questions", {"id": action_id, "text": "For <b>whom</b>?", "conditions": ["only 50 EUR"]})
    assert asked.json() == {"ok": True, "why": None}
    (question,) = house.call("GET", f"/api/questions?action_id={action_id}")["questions"]
    house.call("POST", f"/api/questions/{question['question_id']}/answer", {"answer": "4711"}, key="agent")
    assert page.post("/inbox/comments", {"id": action_id, "text": "I know them."}).json()["ok"]
    assert page.post("/inbox/comments", {"id": action_id, "text": "I know them."}).json()["ok"], "sent again"
    talk = page.http.get(f"/inbox/requests/{action_id}").json()["talk"]
    (told,) = talk["questions"]
    assert (told["by"], told["text"], told["conditions"]) == ("the operator", "For <b>whom</b>?", ["only 50 EUR"])
    assert (told["state"], told["answer"], told["answered_by"]) == ("answered", "4711", "the agent")
    assert [(each["by"], each["text"]) for each in talk["comments"]] == [("the operator", "I know them.")]
    assert house.action(action_id)["status"] == "pending_approval", "none of it decides"
    house.call("POST", f"/api/actions/{action_id}/approve", {"decision": "deny"}, key="operator")
    late = page.post("/inbox/questions", {"id": action_id, "text": "Still there?"}).json()
    assert not late["ok"]
    assert "denied" in late["why"]
    assert page.post("/inbox/comments", {"id": action_id, "text": "Said afterwards."}).json()["ok"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/inbox/questions", {"id": "act_1"}),
        ("/inbox/comments", {"id": "act_1", "text": "x", "by": "somebody else"}),
        ("/inbox/later", {"ids": ["act_1"]}),
        ("/inbox/later", {"ids": ["act_1"] * 501, "until": None}),
        ("/inbox/later", {"ids": ["act_1"], "until": 10**18}),
        ("/inbox/assignments", {"ids": ["act_1"]}),
        ("/inbox/assignments", {"ids": ["act_1"] * 501, "to": None}),
        ("/inbox/grants", {"id": "act_1", "days": 91, "uses": 1, "reason": "x"}),
        ("/inbox/grants", {"id": "act_1", "days": 1, "uses": 0, "reason": "x"}),
    ],
    ids=range(9),
)
def test_what_is_not_said_rightly_is_refused(path: str, body: dict[str, Any], page: Page) -> None:
    answer = page.post(path, body)
    assert answer.status_code == 400
    assert answer.json()["why"]


def test_a_request_is_put_off_and_brought_back(page: Page, house: Tenant) -> None:
    action_id = pay(house)
    stream = Stream(page, page.waiting()["v"])
    until = page.waiting()["now"] + 3_600_000
    sent = page.post("/inbox/later", {"ids": [action_id], "until": until}).json()
    assert sent == {"results": {action_id: {"ok": True, "why": None, "until": until}}}
    beyond = page.post("/inbox/later", {"ids": [action_id], "until": until + 10**10}).json()["results"][action_id]
    [row] = page.waiting()["items"]
    assert page.waiting()["later"] == [{"id": action_id, "until": beyond["until"]}]
    assert beyond["until"] < row["expires"], "it is back before it expires"
    assert page.post("/inbox/later", {"ids": [action_id], "until": until}).json() == sent
    waiting = page.waiting()
    assert waiting["later"] == [{"id": action_id, "until": until}]
    assert [row["id"] for row in waiting["items"]] == [action_id]
    past = page.post("/inbox/later", {"ids": [action_id], "until": 1}).json()["results"][action_id]
    assert (past["ok"], "later than now" in past["why"]) == (False, True)
    assert page.post("/inbox/later", {"ids": [action_id], "until": None}).json()["results"][action_id]["ok"]
    assert page.waiting()["later"] == []
    assert reached(lambda: len(stream.heard("later")) == 4)
    assert page.http.post("/sign-out", headers=page.own).status_code == 303
    assert stream.over.wait(WAIT)


def test_a_request_is_given_to_a_colleague_and_taken(page: Page, house: Tenant) -> None:
    house.add_key("ben", "operator")
    house.add_key("clerk", "auditor")
    action_id = pay(house)
    colleagues = page.http.get("/inbox/operators").json()["operators"]
    assert [each["own"] for each in colleagues] == [True, *[False] * (len(colleagues) - 1)]
    known = {each["name"]: each["key_id"] for each in colleagues}
    assert {"the operator", "the ben"} <= known.keys()
    assert "the clerk" not in known
    given = page.post("/inbox/assignments", {"ids": [action_id], "to": known["the ben"]}).json()
    assert given == {"results": {action_id: {"ok": True, "why": None}}}
    (told,) = page.waiting()["assigned"]
    assert (told["id"], told["to"], told["own"], told["by"]) == (action_id, "the ben", False, "the operator")
    wrong = page.post("/inbox/assignments", {"ids": [action_id], "to": house.key_ids["clerk"]}).json()
    assert "which decides nothing" in wrong["results"][action_id]["why"]
    assert page.post("/inbox/assignments", {"ids": [action_id], "to": page.waiting()["key_id"]}).json()["results"]
    assert [each["own"] for each in page.waiting()["assigned"]] == [True]
    assert house.action(action_id)["status"] == "pending_approval"


@deep("two answers of what a pattern would have covered")
def test_a_grant_of_its_like_is_shown_with_what_it_would_have_covered_and_given(page: Page, house: Tenant) -> None:
    action_id = pay(house, parameters={"amount": 7, "to": "acme"})  # of an agent without history: the higher risk
    pay(house, parameters={"amount": 5, "to": "acme"})
    found = page.http.get(f"/inbox/grants/{action_id}").json()
    assert (found["who"], found["type"], found["why_not"], found["without"]) == ("payer", "pay", None, [])
    amount = next(at for at, part in enumerate(found["parts"]) if part == "parameters.amount is 7")
    assert found["would"][0].startswith("In 30 days it would have covered 1 of 2 requests of this type")
    wider = page.http.get(f"/inbox/grants/{action_id}?without={amount}").json()
    assert wider["without"] == [amount]
    assert (wider["opened"][amount], wider["unbound"]) == ("any amount", None)
    assert wider["would"][0].startswith("In 30 days it would have covered 2 of 2 requests of this type")
    assert page.http.get(f"/inbox/grants/{action_id}?without=x").status_code == 400
    body = {"id": action_id, "days": 7, "uses": 20, "reason": "Small ones to acme", "without": [amount]}
    assert page.post("/inbox/grants", body).json() == {"ok": True, "why": None}
    (grant,) = house.call("GET", "/api/grants")["grants"]
    assert (grant["created_by_name"], grant["max_uses"], grant["from_action_id"]) == ("the operator", 20, action_id)
    assert "parameters.amount" not in json.dumps(grant["when"])
    assert house.action(action_id)["status"] == "pending_approval", "the request itself still waits"
    through = house.create("pay", agent_id="payer", declared_goal="Pay", parameters={"amount": 9, "to": "acme"})
    assert house.action(through)["status"] == "running", "its like does not"


def test_one_organization_sees_and_decides_nothing_of_another(page: Page, house: Tenant) -> None:
    other = Tenant(house.service, house.http)
    other.governed()
    action_id = pay(other)
    assert page.waiting()["items"] == []
    assert page.http.get(f"/inbox/requests/{action_id}").status_code == 404
    assert not page.decide(action_id)["ok"]
    assert other.action(action_id)["status"] == "pending_approval"


def test_scripts_are_the_pages_own_and_nothing_else(page: Page) -> None:
    found = page.http.get("/inbox/frontend/core.js")
    assert found.headers["content-type"].startswith("text/javascript")
    assert "default-src 'self'" in found.headers["content-security-policy"]
    for wrong in ("routes.py", "..%2froutes.py", "nothing.js", "%2e%2e/desk.py"):
        assert page.http.get(f"/inbox/frontend/{wrong}").status_code in (400, 404)


def test_arguments_of_what_waits_are_given_at_once_and_of_nothing_else(page: Page, house: Tenant) -> None:
    some = [pay(house, f"Pay {number}", parameters={"amount": number}) for number in range(2)]
    none = pay(house, "Pay as agreed. " * 100)
    denial = {"decision": "deny", "reasoning": "No"}
    house.call("POST", f"/api/actions/{some[1]}/approve", denial)
    found = page.http.get(f"/inbox/arguments?ids={','.join([*some, none, 'act_nobody'])}").json()["arguments"]
    assert page.waiting()["total"] == 2
    found = page.http.get(f"/inbox/arguments?ids={','.join([*some, none, 'act_nobody'])}").json()["arguments"]
    alike = {name: each.pop("alike") for name, each in found.items()}
    assert alike[some[0]] != alike[none]
    assert found == {
        some[0]: {"goal": "Pay 0", "lines": [["amount (parameters)", "0"]], "reach": [], "allowed": None, "hidden": 0},
        none: {"goal": ("Pay as agreed. " * 100).strip(), "lines": [], "reach": [], "allowed": None, "hidden": 0},
    }
    whole = page.http.get(f"/inbox/requests/{some[0]}").json()["arguments"]
    assert whole == found[some[0]] | {"alike": alike[some[0]]}
    refused = page.http.get(f"/inbox/arguments?ids={','.join(f'act_{n}' for n in range(65))}")
    assert (refused.status_code, refused.json()["why"]) == (400, "At most 64 requests at once.")


def test_what_came_otherwise_is_given_until_it_is_dismissed(page: Page, house: Tenant) -> None:
    action_id = pay(house)
    page.waiting()
    assert page.decide(action_id, "deny", "k")["ok"] is False
    (told,) = page.waiting()["otherwise"]
    assert (told["key"], told["row"]["id"], told["answer"]["state"]) == ("k", action_id, "refused")
    stream = Stream(page, page.waiting()["v"])
    assert page.post("/inbox/dismissals", {"keys": ["k"]}).json() == {"results": {"k": {"ok": True, "why": None}}}
    assert reached(lambda: stream.heard("dismissed") == ["k"])
    assert page.waiting()["otherwise"] == []
    page.http.post("/sign-out", headers=page.own)
    assert stream.over.wait(WAIT)
