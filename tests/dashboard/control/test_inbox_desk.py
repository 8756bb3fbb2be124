"""The desk of one operator: what waits as it changes; decisions that are held, taken back, sent, or come too late."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, cast

import httpx
import msgspec
import pytest

from assent import Client, Event, EventName, Verdict
from assent.contract.control.assignments import Assignments
from assent.contract.control.escalations import Escalation, Escalations
from assent.contract.control.inbox import ActionApproval, Approvals
from assent.contract.control.snoozes import Snooze, Snoozes
from assent.contract.people.rota import DAYS, Duty, GroupDuty
from assent_dashboard.feed import Feed
from assent_dashboard.inbox import desk as desk_module
from assent_dashboard.inbox import presses
from assent_dashboard.inbox.changes import Answer, Change, Press, Settled, changes_at, shifts_of
from assent_dashboard.inbox.desk import Desk
from tests.dashboard.control.approval_items import AT, pay, request
from tests.live import WAIT, start_service
from tests.stories.tenant import Tenant
from tests.tiers import deep

SAME: dict[str, Any] = {"declared_goal": "Refund order 1042", "agent_id": "support", "metadata": {"amount": 5}}
LONG = 3600.0


@dataclass
class Told:
    """A feed that tells what a test says."""

    live: bool = True
    count: int = 0
    listeners: list[Callable[[Event], object]] = field(default_factory=list)

    def version(self, names: frozenset[EventName]) -> int:
        assert names
        return self.count

    def listen(self, hear: Callable[[Event], object]) -> None:
        self.listeners.append(hear)


def snoozed(snooze: Snooze, number: int) -> Event:
    """The event of it; how far the log was matters to nobody here."""
    return Event(id=number, event=EventName.SNOOZE_UPDATED, data=msgspec.to_builtins(snooze))


class Loses(httpx.HTTPTransport):
    """Carries every request out, and loses the answers to decisions on one action until it is told to stop."""

    def __init__(self, action_id: str) -> None:
        super().__init__()
        self.action_id, self.losing = action_id, True

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = super().handle_request(request)
        if self.losing and request.method == "POST" and self.action_id in request.url.path:
            answer.read()
            raise httpx.ReadError("the answer was lost", request=request)
        return answer


class Asleep:
    """A thread that never begins."""

    def __init__(self, **given: object) -> None:
        self.given = given

    def start(self) -> None: ...

    def join(self, seconds: float) -> None: ...


@dataclass
class Seat:
    """A desk on a real service, with a clock that the test moves; nothing is sent before `pass_by`."""

    house: Tenant
    client: Client
    desk: Desk
    now: list[float]

    def press(self, action_id: str, verdict: Verdict = Verdict.ALLOW, key: str | None = None, **more: Any) -> Answer:
        key = key or f"key-{action_id}"
        return self.desk.decide([Press(key=key, id=action_id, verdict=verdict, **more)])[key]

    def pass_by(self, seconds: float) -> None:
        self.now[0] += seconds
        self.desk.send_due()

    def approval(self, action_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.house.call("GET", f"/api/actions/{action_id}")["approval"]
        return found


@contextmanager
def sitting(house: Tenant, client: Client, feed: object = None, hold: float = 5.0) -> Iterator[Seat]:
    now = [100.0]
    seat = Seat(
        house,
        client,
        Desk(client, cast(Feed, feed or Told()), client.get_own_key(), hold=hold, ticks=lambda: now[0]),
        now,
    )
    yield seat
    seat.desk.close()
    seat.desk.finish(WAIT)


@pytest.fixture
def seat(house: Tenant, monkeypatch: pytest.MonkeyPatch) -> Iterator[Seat]:
    # The test sends what is due, with its own clock.
    monkeypatch.setattr(desk_module, "Thread", Asleep)
    with house.client("operator") as client, sitting(house, client) as seat:
        yield seat


def test_a_decision_is_held_and_then_carries_the_operators_name(seat: Seat) -> None:
    action_id = pay(seat.house)
    answer = seat.press(action_id)
    assert (answer.ok, answer.state, answer.left) == (True, "held", 5000)
    seat.pass_by(4.9)
    assert seat.house.action(action_id)["status"] == "pending_approval"
    seat.pass_by(0.2)
    decided = seat.approval(action_id)
    assert (decided["state"], decided["decided_by"], decided["reasoning"]) == ("approved", "the operator", None)
    assert seat.press(action_id).state == "approved", "the same press is answered with how it stands"


def test_what_was_taken_back_decides_nothing_and_can_be_decided_anew(seat: Seat) -> None:
    action_id = pay(seat.house)
    seat.press(action_id, key="first")
    assert seat.desk.undo(["first"])["first"] == Answer(id=action_id, ok=True, state="waiting")
    seat.pass_by(60)
    assert seat.house.action(action_id)["status"] == "pending_approval"
    assert seat.desk.undo(["first"])["first"].ok, "taking it back twice is taking it back"
    seat.press(action_id, Verdict.DENY, key="second", reason="After all")
    seat.pass_by(5)
    assert seat.house.action(action_id)["error_message"] == "After all"
    late = seat.desk.undo(["second"])["second"]
    assert (late.ok, late.state) == (False, "denied")
    assert not seat.desk.undo(["nobody's"])["nobody's"].ok


def test_the_same_key_is_one_decision_and_with_other_words_none(seat: Seat) -> None:
    action_id, other = pay(seat.house), pay(seat.house, "Another")
    first = seat.press(action_id, key="k")
    seat.now[0] += 1
    again = seat.press(action_id, key="k")
    assert (first.left, again.left, again.state) == (5000, 4000, "held")
    assert seat.press(other, key="k").state == "refused"
    assert seat.press(action_id, Verdict.DENY, key="k", reason="No").state == "refused"
    twice = seat.press(action_id, key="another tab")
    assert (twice.ok, twice.state, twice.by) == (False, "held", "the operator")
    seat.pass_by(10)
    assert seat.approval(action_id)["idempotency_key"] == "decision-k"
    assert seat.house.action(other)["status"] == "pending_approval"


def test_conditions_and_minutes_go_into_the_receipt(seat: Seat) -> None:
    action_id = pay(seat.house)
    seat.press(action_id, conditions=["Before noon", " ", "No more than 100"], valid_minutes=30, reason="Seen")
    seat.pass_by(5)
    decided = seat.approval(action_id)
    assert (decided["conditions"], decided["reasoning"]) == (["Before noon", "No more than 100"], "Seen")
    assert decided["valid_until"] is not None


def test_a_denial_needs_a_reason(seat: Seat) -> None:
    action_id = pay(seat.house)
    answer = seat.press(action_id, Verdict.DENY, reason=" \n ")
    assert (answer.ok, answer.state) == (False, "refused")
    assert "Say why" in str(answer.why)
    seat.pass_by(60)
    assert seat.house.action(action_id)["status"] == "pending_approval"


@pytest.mark.parametrize("more", [{"typed": " ALLOW "}, {"reason": "I called them"}], ids=str)
def test_a_high_risk_wants_a_word_or_a_reason(seat: Seat, more: dict[str, Any]) -> None:
    high, below = pay(seat.house, risk_score=90, reversible=False), pay(seat.house, risk_score=20)
    wrongs: list[dict[str, Any]] = [{}, {"typed": "yes"}, {"reason": " "}]
    for wrong in wrongs:
        answer = seat.press(high, key=f"wrong {wrong}", **wrong)
        assert (answer.ok, answer.state) == (False, "refused")
        assert "type allow, or say why" in str(answer.why)
    assert seat.press(high, key="right", **more).ok
    assert seat.press(below).ok


def test_what_expires_too_soon_to_be_held_leaves_at_once(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    action_id = pay(seat.house)
    monkeypatch.setattr("assent.deciding.EXPIRES_SOON_SECONDS", 25 * 3600.0)
    assert seat.press(action_id).left == 0
    seat.pass_by(0)
    assert seat.approval(action_id)["state"] == "approved"


def test_the_loser_of_a_race_is_told_who_when_and_why(seat: Seat) -> None:
    seat.house.add_key("ana", "operator")
    action_id = pay(seat.house)
    seat.press(action_id, key="mine")
    told: list[Change] = []
    assert seat.desk.watch(lambda change: told.append(cast(Change, change)), seat.desk.snapshot().v) == []
    seat.house.call(
        "POST", f"/api/actions/{action_id}/approve", {"decision": "deny", "reasoning": "I was first"}, key="ana"
    )
    seat.pass_by(5)
    (ending,) = [ending for change in told for ending in change.gone]
    assert (ending.state, ending.by, ending.reason, ending.own, ending.key) == (
        "denied",
        "the ana",
        "I was first",
        False,
        "mine",
    )
    assert ending.at is not None
    answer = seat.press(action_id, key="mine")
    assert (answer.ok, answer.state, answer.by, answer.why) == (False, "denied", "the ana", "I was first")
    later = seat.press(action_id, key="later")
    assert (later.ok, later.state, later.by) == (False, "denied", "the ana")


def test_what_came_otherwise_is_told_to_any_page_until_it_is_dismissed(
    seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [pay(seat.house, f"Pay {number}") for number in range(4)]
    told: list[Change | None] = []
    seat.desk.watch(told.append, seat.desk.snapshot().v)
    for number, action_id in enumerate(ids):
        seat.press(action_id, key=f"k{number}")
    assert seat.press(ids[0], Verdict.DENY, key="no reason").state == "held"
    for action_id in ids[1:3]:
        seat.house.call("POST", f"/api/actions/{action_id}/approve", {"decision": "deny", "reasoning": "Mine"})
    seat.desk.undo(["k3"])
    seat.pass_by(5)

    def shown() -> list[tuple[str, str | None, str | None]]:
        found = seat.desk.snapshot().otherwise
        return [(each.key, each.row.goal if each.row else None, each.answer.state) for each in found]

    late = [("k1", "Pay 1", "denied"), ("k2", "Pay 2", "denied")]
    assert shown() == [*late, ("no reason", "Pay 0", "held")]
    assert [each.answer.why for each in seat.desk.snapshot().otherwise[:2]] == ["Mine", "Mine"]
    seat.desk.dismiss(["k1", "no reason", "k0", "unknown"])
    assert shown() == late[1:]
    assert [each.dismissed for each in told if each is not None and each.dismissed] == [["k1", "no reason", "k0"]]
    seat.desk.dismiss(["k1"])
    assert len([each for each in told if each is not None and each.dismissed]) == 1, "it was dismissed before"
    monkeypatch.setattr(presses, "OTHERWISE", 1)
    seat.press("act_nobody", key="nobody")
    assert shown() == [("nobody", None, None)], "the latest"


def test_a_withdrawn_one_says_who_and_why(seat: Seat) -> None:
    seat.house.add_key("clerk", "agent")
    action_id = pay(seat.house)
    seat.desk.snapshot()
    seat.house.call("POST", f"/api/actions/{action_id}/withdraw", {"reason": "the customer hung up"}, key="clerk")
    seat.press(action_id, key="k")
    seat.pass_by(5)
    answer = seat.press(action_id, key="k")
    assert (answer.ok, answer.state, answer.by, answer.why) == (False, "withdrawn", "the clerk", "the customer hung up")


def test_one_of_several_was_decided_by_somebody_else_and_of_one_the_answer_is_lost(
    house: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "Thread", Asleep)
    house.add_key("ana", "operator")
    ids = [house.create("pay", **SAME) for _ in range(5)]
    transport = Loses(ids[3])
    with (
        httpx.Client(transport=transport, trust_env=False, timeout=WAIT) as http,
        Client(house.service.base_url, house.keys["operator"], http=http, retries=0, say=lambda _: None) as client,
        sitting(house, client) as seat,
    ):
        presses = [Press(key=f"k{at}", id=each, verdict=Verdict.DENY, reason="Same") for at, each in enumerate(ids)]
        assert {answer.state for answer in seat.desk.decide(presses).values()} == {"held"}
        house.call("POST", f"/api/actions/{ids[1]}/approve", {"decision": "allow", "reasoning": "Mine"}, key="ana")
        seat.pass_by(5)
        states = {key: answer.state for key, answer in seat.desk.decide(presses).items()}
        assert states == {"k0": "denied", "k1": "approved", "k2": "denied", "k3": "sending", "k4": "denied"}
        assert house.action(ids[3])["error_message"] == "Same", "it was recorded, and nobody here knows"
        assert not seat.desk.undo(["k3"])["k3"].ok, "what may have been recorded is not taken back"
        transport.losing = False
        seat.pass_by(2)
        last = seat.desk.decide(presses)["k3"]
        assert (last.ok, last.state, last.by) == (True, "denied", "the operator")
    approvals = [house.call("GET", f"/api/actions/{each}")["approval"] for each in ids]
    assert [each["decided_by"] for each in approvals] == ["the operator", "the ana", *3 * ["the operator"]]
    assert len({each["approval_id"] for each in approvals}) == 5, "each has evidence of its own"
    assert [each["idempotency_key"] for each in approvals if each["decided_by"] != "the ana"] == [
        "decision-k0",
        "decision-k2",
        "decision-k3",
        "decision-k4",
    ]


@deep("a service of its own that goes away")
def test_a_service_that_goes_away_gets_the_decision_when_it_is_back(tmp_path: Path) -> None:
    service = start_service(tmp_path / "home")
    with httpx.Client(timeout=WAIT) as http:
        house = Tenant(service, http)
        house.governed()
        action_id = pay(house)
        with (
            Client(service.base_url, house.keys["operator"], retries=0, say=lambda _: None) as client,
            sitting(house, client, hold=0.0) as seat,
        ):
            seat.desk.snapshot()
            service.kill()
            seat.press(action_id, Verdict.DENY, key="k", reason="Keep these words")
            deadline = time.monotonic() + WAIT
            while seat.desk.snapshot().held[0].problem is None:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            back = start_service(tmp_path / "home", port=service.port)
            try:
                while seat.desk.snapshot().held:
                    assert time.monotonic() < deadline + WAIT
                    seat.now[0] += 3
                    seat.desk.decide([])
                    time.sleep(0.05)
                answer = seat.press(action_id, Verdict.DENY, key="k", reason="Keep these words")
                assert (answer.ok, answer.state) == (True, "denied")
            finally:
                back.stop()


def test_what_is_held_leaves_when_the_session_ends(house: Tenant) -> None:
    action_id, other = pay(house), pay(house, "Another")
    with house.client("operator") as client:
        desk = Desk(client, cast(Feed, Told()), client.get_own_key(), hold=LONG)
        ended: list[Change | None] = []
        desk.decide([Press(key="k", id=action_id, verdict=Verdict.DENY, reason="Pressed is pressed")])
        assert desk.watch(ended.append, desk.snapshot().v) == []
        assert house.action(action_id)["status"] == "pending_approval"
        assert desk.close()
        desk.finish(WAIT)
        assert None in ended, "whoever watches is told that it is over"
        assert house.action(action_id)["error_message"] == "Pressed is pressed"
        refused = desk.decide([Press(key="late", id=other, verdict=Verdict.ALLOW)])["late"]
        assert (refused.ok, refused.state) == (False, "refused")
        assert desk.watch(ended.append, desk.snapshot().v) is None
    assert house.action(other)["status"] == "pending_approval"


def test_an_end_without_anything_held_waits_for_nothing(house: Tenant) -> None:
    with house.client("operator") as client:
        assert not Desk(client, cast(Feed, Told()), client.get_own_key()).close()


# What waits


@contextmanager
def following(house: Tenant) -> Iterator[tuple[Desk, list[Change]]]:
    """A desk with a real feed; whoever watches it has heard everything since the list was read."""
    with house.client("operator") as client:
        feed = Feed(lambda sleep: house.client("operator"))
        feed.start()
        desk = Desk(client, feed, client.get_own_key(), hold=0.2)
        told: list[Change] = []

        def hear(change: Change | None) -> None:
            if change is not None:
                told.append(change)

        try:
            assert desk.watch(hear, desk.snapshot().v) == []
            yield desk, told
        finally:
            feed.stop()
            desk.close()
            desk.finish(WAIT)


def reached(condition: Callable[[], object]) -> bool:
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_what_happens_elsewhere_is_told_as_it_happens(house: Tenant) -> None:
    with following(house) as (desk, told):
        first, second = pay(house), pay(house, "Another")
        assert reached(lambda: {row.id for change in told for row in change.add} == {first, second})
        house.call("POST", f"/api/actions/{first}/approve", {"decision": "deny", "reasoning": "No"}, key="admin")
        assert reached(lambda: [each for change in told for each in change.gone])
        (ending,) = [each for change in told for each in change.gone]
        assert (ending.id, ending.state, ending.by, ending.reason) == (first, "denied", "First admin key", "No")
        assert [row.id for row in desk.snapshot().items] == [second]
        desk.decide([Press(key="k", id=second, verdict=Verdict.ALLOW)])
        assert reached(lambda: house.action(second)["status"] != "pending_approval")
        assert reached(lambda: desk.snapshot().items == [])
        own = [each for change in told for each in change.gone if each.id == second]
        assert [(each.own, each.key) for each in own] == [(True, "k")], "it is told once, as one's own"
    numbers = [int(change.v.rpartition("-")[2]) for change in told]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), "one after the other, none left out"


def test_whoever_comes_back_gets_what_they_missed_or_begins_anew(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    first = pay(seat.house)
    before = seat.desk.snapshot().v
    seat.press(first)
    missed = seat.desk.watch(lambda _: None, before)
    assert missed is not None
    assert [each.id for change in missed for each in change.held] == [first]
    assert seat.desk.watch(lambda _: None, "another-3") is None
    assert seat.desk.watch(lambda _: None, "") is None
    assert seat.desk.watch(lambda _: None, before.partition("-")[0] + "-999") is None
    monkeypatch.setattr(desk_module, "CHANGES", 4)
    with seat.house.client("operator") as client:
        forgetful = Desk(client, cast(Feed, Told()), client.get_own_key())
        before = forgetful.snapshot().v
        for number in range(3):
            forgetful.decide([Press(key=f"key-{number}", id=first, verdict=Verdict.ALLOW)])
            forgetful.undo([f"key-{number}"])
        assert forgetful.watch(lambda _: None, before) is None, "what is too long ago is not kept"


class Endless:
    """A service where more waits than anybody can look at."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def get_approvals(self, **query: Any) -> Approvals:
        self.asked.append(query)
        found: list[ActionApproval] = [
            request(f"act_{len(self.asked)}_{number}") for number in range(int(query["limit"]))
        ]
        return Approvals(approvals=found, total=10**6, lastUpdated=AT, next_cursor="more")

    def get_snoozes(self, **_: Any) -> Snoozes:
        return Snoozes(snoozes=[], total=0, lastUpdated=AT, next_cursor=None)

    def get_assignments(self, **_: Any) -> Assignments:
        return Assignments(assignments=[], total=0, lastUpdated=AT, next_cursor=None)

    def get_escalations(self, **_: Any) -> Escalations:
        return Escalations(escalations=[], total=0, lastUpdated=AT, next_cursor=None)

    def get_rota(self) -> Duty:
        return Duty(rota=None, groups=[], covered=False, next_at=None, lastUpdated=AT)


def test_a_desk_holds_no_more_than_it_says(house: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk_module, "MOST", 1000)
    endless = Endless()
    with house.client("operator") as client:
        desk = Desk(cast(Client, endless), cast(Feed, Told()), client.get_own_key())
    for _ in range(3):
        snapshot = desk.snapshot()
        assert (len(snapshot.items), snapshot.total) == (1000, 10**6)
    assert len(endless.asked) == 3 * 1000 // desk_module.PAGE


def test_what_waits_beyond_the_first_page_is_there(house: Tenant) -> None:
    ids = {pay(house, f"Pay {number}", agent_id=f"bot-{number % 2}") for number in range(desk_module.PAGE + 1)}
    with house.client("operator") as client:
        snapshot = Desk(client, cast(Feed, Told()), client.get_own_key()).snapshot()
    assert {row.id for row in snapshot.items} == ids
    assert snapshot.total == len(ids)


@deep("a feed, and three desks; the routes have one story in the quick tier")
def test_what_is_put_off_is_this_operators_alone_and_is_told_to_their_other_sessions(house: Tenant) -> None:
    house.add_key("second", "operator")
    with following(house) as (desk, told), house.client("second") as second:
        action_id, other = pay(house), pay(house, "Another")
        assert reached(lambda: {row.id for change in told for row in change.add} == {action_id, other})
        until = desk.now() + timedelta(hours=1)
        said = desk.put_off([action_id, "act_nobody"], until)
        assert said[action_id].ok
        assert not said["act_nobody"].ok
        assert "act_nobody" in str(said["act_nobody"].why)
        at = round(until.timestamp() * 1000)
        assert [(each.id, each.until) for each in desk.snapshot().later] == [(action_id, at)]
        assert {row.id for row in desk.snapshot().items} == {action_id, other}, "nothing of the request changes"
        with house.client("operator") as again, sitting(house, again) as seat:
            assert [(each.id, each.until) for each in seat.desk.snapshot().later] == [(action_id, at)]
        with sitting(house, second) as seat:
            assert seat.desk.snapshot().later == [], "to others it is not put off"
        second.snooze_action(other, until)
        with house.client("operator") as elsewhere:
            elsewhere.snooze_action(action_id)
        assert reached(lambda: desk.snapshot().later == [])
        heard = [(each.id, each.until) for change in told for each in change.later]
        assert heard == [(action_id, at), (action_id, None)], "each once, and none of another key"
        desk.put_off([action_id], until)
        desk.decide([Press(key="k", id=action_id, verdict=Verdict.ALLOW)])
        assert reached(lambda: desk.snapshot().later == []), "what has ended is not put off any more"


def test_what_is_held_names_what_was_pressed_with_it(seat: Seat) -> None:
    first, second, third = pay(seat.house), pay(seat.house, "Another"), pay(seat.house, "A third")
    seat.desk.snapshot()
    seat.desk.decide([Press(key="one", id=first, verdict=Verdict.ALLOW)])
    together = [Press(key=key, id=each, verdict=Verdict.ALLOW) for key, each in (("two", second), ("three", third))]
    seat.desk.decide(together)
    seat.desk.decide(together[1:])
    held = [(each.key, each.batch) for each in seat.desk.snapshot().held]
    assert held == [("one", "one"), ("two", "two"), ("three", "two")]


def test_a_list_that_was_read_before_a_press_takes_nothing_back(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    action_id = pay(seat.house)
    until = seat.desk.snapshot().now + 3_600_000
    assert seat.desk.put_off([action_id], datetime.fromtimestamp(until / 1000, UTC))[action_id].ok
    read = seat.client.get_snoozes

    def old(**members: Any) -> Snoozes:
        page = read(**members)
        seat.desk.put_off([action_id], None)
        return page

    monkeypatch.setattr(seat.client, "get_snoozes", old)
    assert seat.desk.snapshot().later == [], "it was brought back while the list was on its way"
    monkeypatch.setattr(seat.client, "get_snoozes", read)
    assert seat.desk.snapshot().later == []


def test_an_event_that_comes_behind_what_followed_it_takes_nothing_back(house: Tenant) -> None:
    feed = Told()
    with house.client("operator") as client, sitting(house, client, feed) as seat:
        first, second = pay(house), pay(house, "Another")
        until = datetime.fromtimestamp(seat.desk.snapshot().now / 1000 + 3600, UTC)
        put = client.snooze_action(first, until).snooze
        assert seat.desk.put_off([first], None)[first].ok
        told: list[Change | None] = []
        seat.desk.watch(told.append, seat.desk.snapshot().v)
        (hear,) = feed.listeners
        for number, snooze in enumerate((put, client.snooze_action(second, until).snooze), 1):
            hear(snoozed(snooze, number))
        assert reached(lambda: [each.id for each in seat.desk.snapshot().later] == [second])
        heard = [(each.id, each.until is None) for change in told if change is not None for each in change.later]
    assert heard == [(second, False)], "whatever list was read since"


def test_what_ends_before_it_stands_in_the_list_is_told_by_agent_and_type(house: Tenant) -> None:
    feed = Told()
    with house.client("operator") as client, sitting(house, client, feed) as seat:
        before = seat.desk.snapshot().v
        told: list[Change | None] = []
        settled: list[Settled] = []
        seat.desk.watch(told.append, before)
        (hear,) = feed.listeners
        action_id = pay(house)
        house.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow"}, key="admin")
        hear(Event(id=1, event=EventName.APPROVAL_DECIDED, data=seat.approval(action_id)))

        def heard() -> bool:
            settled.extend(each for change in told if change is not None for each in change.settled)
            return bool(settled)

        assert reached(heard)
    assert set(settled) == {Settled(agent_id="payer", type="pay")}


def test_who_takes_care_of_a_request_is_told_to_all_and_an_older_word_changes_nothing(house: Tenant) -> None:
    house.add_key("second", "operator")
    feed = Told()
    with house.client("operator") as client, sitting(house, client, feed) as seat, house.client("second") as second:
        first, other = pay(house), pay(house, "Another")
        own = client.get_own_key().key_id
        theirs = second.assign_action(first, second.get_own_key().key_id).assignment
        snapshot = seat.desk.snapshot()
        assert [(each.id, each.to, each.own, each.by) for each in snapshot.assigned] == [
            (first, "the second", False, "the second")
        ]
        assert snapshot.key_id == own
        told: list[Change | None] = []
        seat.desk.watch(told.append, snapshot.v)
        said = seat.desk.assign([first, other, "act_nobody"], own)
        assert [each.given for each in seat.desk.snapshot().assigned] == [False, False], "taken, and not given"
        assert [each.ok for each in said.values()] == [True, True, False]
        (hear,) = feed.listeners
        freed = second.assign_action(other).assignment
        for number, each in enumerate((theirs, freed), 1):
            hear(Event(id=number, event=EventName.ASSIGNMENT_UPDATED, data=msgspec.to_builtins(each)))
        assert reached(lambda: [each.to for each in seat.desk.snapshot().assigned] == ["the operator", None])
        given = second.assign_action(other, own).assignment
        hear(Event(id=3, event=EventName.ASSIGNMENT_UPDATED, data=msgspec.to_builtins(given)))
        assert reached(lambda: [each.given for each in seat.desk.snapshot().assigned] == [False, True])
        heard = [(each.id, each.to, each.own) for change in told if change is not None for each in change.assigned]
        assert heard == [
            (first, "the operator", True),
            (other, "the operator", True),
            (other, None, False),
            (other, "the operator", True),
        ]
        assert seat.approval(first)["state"] == "awaiting"
        seat.desk.decide([Press(key="k", id=first, verdict=Verdict.ALLOW)])
        seat.pass_by(5)
        assert reached(lambda: [each.id for each in seat.desk.snapshot().assigned] == [other])


def test_who_is_on_shift_is_told_with_its_end_and_a_gap(house: Tenant) -> None:
    feed = Told()
    with house.client("operator") as client, house.client("admin", None) as admin, sitting(house, client, feed) as seat:
        snapshot = seat.desk.snapshot()
        assert not snapshot.shifts.known
        told: list[Change | None] = []
        seat.desk.watch(told.append, snapshot.v)
        (hear,) = feed.listeners

        def heard(count: int) -> bool:
            return len([each for each in told if each is not None and each.shifts is not None]) == count

        hours = {"days": list(DAYS), "start": "00:00", "end": "00:00"}
        for number, shifts in enumerate(([hours], []), 1):
            duty = admin.set_rota([{"name": "All", "members": ["the operator"], "shifts": shifts}])
            hear(Event(id=number, event=EventName.ROTA_UPDATED, data=msgspec.to_builtins(duty.rota)))
            assert reached(partial(heard, number))
        always, gap = [each.shifts for each in told if each is not None and each.shifts is not None]
        assert [(each.group, each.operators, each.until) for each in always.groups] == [("All", ["the operator"], None)]
        assert (gap.known, gap.groups, gap.next) == (True, [], None)
        assert seat.desk.snapshot().shifts == gap


def test_who_is_on_shift_is_asked_again_when_that_changes() -> None:
    end, start = AT + timedelta(hours=2), AT + timedelta(hours=1)
    one = GroupDuty(name="a", on_shift=True, until=end, next_at=None, operators=[], unknown=[])
    other = msgspec.structs.replace(one, name="b", on_shift=False, until=None, next_at=start)
    duty = Duty(rota=None, groups=[one, other], covered=False, next_at=None, lastUpdated=AT)
    assert changes_at(duty) == start
    assert changes_at(msgspec.structs.replace(duty, groups=[])) is None
    assert shifts_of(duty).groups == [], "a group without a valid key covers nothing"


def test_what_was_escalated_is_marked_until_it_ends(house: Tenant) -> None:
    feed = Told()
    with house.client("operator") as client, sitting(house, client, feed) as seat:
        first, second = pay(house), pay(house, "Another")
        own = client.get_own_key().key_id
        told: list[Change | None] = []
        seat.desk.watch(told.append, seat.desk.snapshot().v)
        (hear,) = feed.listeners
        for number, (action_id, keys) in enumerate(((first, [own]), (second, []), (first, [])), 1):
            said = Escalation(
                org_id="org_1",
                approval_id="apr_1",
                action_id=action_id,
                policy_id="pol_1",
                after_minutes=10,
                escalated_to="Leads\x1b",
                on_shift=bool(keys),
                operators=["x"] * len(keys),
                operator_keys=keys,
                expires_at=AT,
                created_at=AT,
            )
            hear(Event(id=number, event=EventName.APPROVAL_ESCALATED, data=msgspec.to_builtins(said)))
        assert reached(lambda: len(seat.desk.snapshot().escalated) == 2)
        heard = [(each.id, each.to, each.own) for change in told if change is not None for each in change.escalated]
        assert heard == [
            (first, "Leads\N{REPLACEMENT CHARACTER}", True),
            (second, "Leads\N{REPLACEMENT CHARACTER}", False),
        ]
        seat.desk.decide([Press(key="k", id=first, verdict=Verdict.ALLOW)])
        seat.pass_by(5)
        assert reached(lambda: [each.id for each in seat.desk.snapshot().escalated] == [second])


def test_what_was_handed_back_unheard_is_nobodys_once_the_list_is_read(
    seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = pay(seat.house), pay(seat.house, "Another")
    own = seat.client.get_own_key().key_id
    assert seat.desk.assign([first], own)[first].ok
    seat.client.assign_action(first)  # in another session, while nothing is heard
    read = seat.client.get_assignments

    def old(**members: Any) -> Assignments:
        page = read(**members)
        seat.desk.assign([second], own)
        return page

    monkeypatch.setattr(seat.client, "get_assignments", old)
    assert {each.id: each.to for each in seat.desk.snapshot().assigned} == {first: None, second: "the operator"}


@deep("a feed; the routes have one story in the quick tier")
def test_what_is_said_about_a_request_is_told_as_it_happens(house: Tenant) -> None:
    with following(house) as (_, told), house.client("agent", "payer") as agent, house.client("admin", None) as admin:
        action_id = pay(house)
        question = admin.ask_question(action_id, "For whom?").question
        agent.answer_question(question.question_id, "For 4711.")
        with house.client("operator") as operator:
            operator.add_comment(action_id, "I know them.")
        assert reached(lambda: len([each for change in told for each in change.talk]) == 3)
        assert [(each.id, each.kind, each.by, each.own) for change in told for each in change.talk] == [
            (action_id, "asked", "First admin key", False),
            (action_id, "answered", "the agent", False),
            (action_id, "comment", "the operator", True),
        ]


def test_an_answer_that_is_a_changed_request_names_it(house: Tenant) -> None:
    with following(house) as (_, told), house.client("agent", "payer") as agent, house.client("admin", None) as admin:
        action_id = pay(house)
        admin.ask_question(action_id, "Would 50 do?")
        changed = agent.create_action("pay", parameters={"amount": 50}, replaces=action_id).action_id
        assert reached(lambda: [each for change in told for each in change.talk if each.replaced_by])
        words = [each for change in told for each in change.talk]
        assert [(each.id, each.kind, each.replaced_by) for each in words] == [
            (action_id, "asked", None),
            (action_id, "answered", changed),
        ]


def test_many_tabs_at_once_decide_once(seat: Seat) -> None:
    """Sixteen tabs press at the same moment; one decision is held, and the others are told so."""
    action_id = pay(seat.house)
    seat.desk.snapshot()
    answers: list[Answer] = []
    gate = threading.Barrier(16)

    def tab(number: int) -> None:
        gate.wait()
        answers.append(seat.press(action_id, key=f"tab-{number}"))

    threads = [threading.Thread(target=tab, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.ok for answer in answers) == [False] * 15 + [True]
    assert msgspec.to_builtins(seat.desk.snapshot().held[0].verdict) == "allow"
