"""A call runs on the answer to its own question, and with the arguments that were asked about; on nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from assent import ActionOverError, ArgumentsChanged, Client, GuardBlockedError, UnboundAnswer, governed
from assent.testing import FakeService
from tests.sdk.client import samples

DIGEST, OF_ANOTHER = "sha256:" + "a" * 64, "sha256:" + "0" * 64
OTHER = "act_01a223bd5a7e7ef1bb8686fa626f5052"
Changes = Callable[[dict[str, Any]], None]
Raw = Callable[[str, str], str]


class Between:
    """Stands in the service's place and changes its answers: `creation` those to creations, `claim` those to claims."""

    def __init__(self, creation: Changes, claim: Changes = lambda _: None, *, raw: Raw = lambda _, body: body) -> None:
        self.creation, self.claim, self.raw, self.asked = creation, claim, raw, list[str]()
        self.created: dict[str, Any] = {}
        self.status: dict[str, int] = {"creation": 201, "claim": 200}
        self.ids = "{}"
        self.reported: list[dict[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url.path)
        asked = json.loads(request.content or b"{}")
        if request.method == "PATCH":
            self.reported.append(asked)
            answer: dict[str, Any] = {"action": samples.action("completed")}
        elif request.url.path.endswith("/claim"):
            answer = {"action": {**self.created}, "approval": self._approved(), "act_digest": DIGEST}
            self.claim(answer)
        elif request.method == "GET":
            answer = {"action": {**self.created, "status": "running"}, "approval": self._approved()}
            answer |= {"assumptions": [], "open_loops": []}
            self.claim(answer)
        else:
            answer = samples.created_for(asked, request)
            self.creation(answer)
            self.created = answer["action"]
        what = "claim" if request.url.path.endswith("/claim") else "creation" if request.method == "POST" else ""
        return httpx.Response(
            self.status.get(what, 200),
            content=self.raw(what, json.dumps(answer)),
            headers={"x-request-id": self.ids.format(request.headers["x-request-id"])},
        )

    def _approved(self) -> dict[str, Any]:
        of = {name: self.created.get(name) for name in ("agent_id", "action_type", "parameters_digest")}
        return samples.approval("approved", **of, act_digest=DIGEST, claimed_at=samples.NOW)

    def client(self) -> Client:
        return Client("http://assent.test", "sk", "bot", http=httpx.Client(transport=httpx.MockTransport(self)))


def member(place: str, value: Any) -> Changes:
    """Puts a value at `action.status`."""

    def change(answer: dict[str, Any]) -> None:
        *path, last = place.split(".")
        for name in path:
            answer = answer[name]
        answer[last] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        member("action.status", "blocked"),
        member("action.status", "completed"),
        member("action.status", "cancelled"),
        member("action.status", "pending"),
        member("decision.decision", "block"),
        member("decision.decision", "require_approval"),
        member("action.action_type", "look"),
        member("action.agent_id", "another"),
        member("action.parameters_digest", "sha256:" + "0" * 64),
        member("action.parameters_digest", None),
        member("action.decision", "block"),
        member("action.decision", "require_approval"),
        member("action.decision_id", "dec_2"),
        member("decision.action_id", OTHER),
        member("decision.agent_id", "another"),
        member("decision.agent_id", None),
        member("decision.action_type", "wipe"),
        member("action_id", ""),
        member("action_id", OTHER),
        member("action.action_id", OTHER),
    ],
)
def test_an_answer_that_lets_nothing_run_or_is_about_something_else_runs_nothing(change: Changes) -> None:
    between = Between(change)

    @governed(client=between.client())
    def pay(amount: int) -> None:
        raise AssertionError("it ran")

    with pytest.raises(UnboundAnswer, match="answers something else"):
        pay(5)
    # Asked once more by its key; what is still this action is ended.
    assert between.asked[:2] == ["/api/actions"] * 2
    assert all(report["status"] == "failed" for report in between.reported)
    assert all("answers something else" in report["error_message"] for report in between.reported)


def test_a_block_that_is_no_error_blocks() -> None:
    def block(answer: dict[str, Any]) -> None:
        member("action.status", "blocked")(answer)
        member("decision.decision", "block")(answer)

    @governed(client=Between(block).client())
    def pay(amount: int) -> None:
        raise AssertionError("it ran")

    with pytest.raises(GuardBlockedError):
        pay(5)


def test_the_answer_in_another_spelling_runs() -> None:
    def spelt(answer: dict[str, Any]) -> None:
        member("action.action_type", "PAY")(answer)
        member("decision.agent_id", " Bot ")(answer)

    between = Between(spelt)

    @governed(" pay", client=between.client())
    def pay(amount: int) -> int:
        return amount

    assert pay(5) == 5


ASKING = {"name": "Ask", "policy_type": "require_approval", "rules": {"action_types": ["pay"]}}


@pytest.mark.parametrize("until", ["create_action", "claim_action"])
def test_arguments_that_are_changed_while_a_person_decides_are_not_paid(until: str) -> None:
    """Before the claim, which the service refuses, and behind it."""
    service = FakeService()
    try:
        service.policies(ASKING)
        service.approve_next(2)
        bill = {"to": "Ann"}
        changing = ChangedMeanwhile(service, bill, until)

        @governed(client=service.client(http=httpx.Client(transport=changing)))
        def pay(bill: dict[str, str]) -> str:
            return bill["to"]

        with pytest.raises(ArgumentsChanged, match="the arguments were changed after act_"):
            pay(bill)
        assert [action.status for action in service.actions] == ["failed"]
        assert pay({"to": "Ann"}) == "Ann"
    finally:
        service.close()


def test_arguments_that_are_changed_while_guard_decides_are_not_paid() -> None:
    service = FakeService()
    try:
        bill = {"to": "Ann"}
        changing = ChangedMeanwhile(service, bill, "create_action")

        @governed(client=service.client(http=httpx.Client(transport=changing)))
        def pay(bill: dict[str, str]) -> str:
            return bill["to"]

        with pytest.raises(ArgumentsChanged, match="did not run"):
            pay(bill)
    finally:
        service.close()


class ChangedMeanwhile(httpx.BaseTransport):
    """Another thread's hand: once the service has answered this operation, the bill names somebody else."""

    def __init__(self, service: FakeService, bill: dict[str, str], operation: str) -> None:
        self._service, self._bill = service, bill
        self._ends = {"claim_action": "/claim", "create_action": "/api/actions"}[operation]

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._service.transport.handle_request(request)
        if request.method == "POST" and request.url.path.endswith(self._ends):
            self._bill["to"] = "Mallory"
        return answer


def asked_about(answer: dict[str, Any], state: str, **more: Any) -> None:
    of = {name: answer["action"].get(name) for name in ("agent_id", "action_type", "parameters_digest")}
    answer["approval"] = samples.approval(state, **of, **more)
    answer["action"]["approval_id"] = "apr_1"


def approved(answer: dict[str, Any]) -> None:
    """Somebody has approved it already."""
    asked_about(answer, "approved", act_digest=DIGEST)
    member("decision.decision", "require_approval")(answer)
    member("action.decision", "require_approval")(answer)


OF_SOMETHING_ELSE = [
    member("action.status", "cancelled"),
    member("action.status", "failed"),
    member("action.action_type", "look"),
    member("action.agent_id", "thief"),
    member("action.session_id", "another"),
    member("action.parameters_digest", "sha256:" + "0" * 64),
]


@pytest.mark.parametrize(
    "change",
    [
        member("action.action_id", OTHER),
        member("approval.action_id", OTHER),
        member("approval.state", "awaiting"),
        member("approval.state", "denied"),
        member("approval.approval_id", "apr_2"),
        member("approval.agent_id", "another"),
        member("approval.act_digest", OF_ANOTHER),
        member("approval.act_digest", None),
        member("act_digest", OF_ANOTHER),
        *OF_SOMETHING_ELSE,
    ],
)
def test_a_claim_of_something_else_runs_nothing(change: Changes) -> None:
    between = Between(approved, change)

    @governed(client=between.client())
    def pay(amount: int) -> None:
        raise AssertionError("it ran")

    with pytest.raises(UnboundAnswer, match=r"no claim of|answers something else"):
        pay(5)


@pytest.mark.parametrize("change", [*OF_SOMETHING_ELSE, member("action.action_id", OTHER)])
def test_a_wait_that_ends_with_something_else_runs_nothing(change: Changes) -> None:
    def waits(answer: dict[str, Any]) -> None:
        member("action.status", "pending_approval")(answer)
        asked_about(answer, "awaiting", act_digest=DIGEST)
        member("decision.decision", "require_approval")(answer)
        member("action.decision", "require_approval")(answer)

    refused = pytest.raises((UnboundAnswer, ActionOverError), match=r"answers something else|already")
    with Between(waits, change).client() as client, refused, client.track("pay", "Pay"):
        raise AssertionError("it ran")
    with Between(waits).client() as client, client.track("pay", "Pay") as action:
        assert action.action_id == samples.ID


def test_the_outcome_is_told_whatever_an_error_says() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    service = FakeService()
    try:
        for error in (ValueError("half \ud83d of a sign"), Mute()):

            @governed(client=service.client())
            def pay(error: Exception = error) -> None:
                raise error

            with pytest.raises(type(error)):
                pay()
        assert [action.status for action in service.actions] == ["failed", "failed"]
        assert [action.error_message for action in service.actions] == [
            "ValueError: half ? of a sign",
            "Mute: it has no words",
        ]
    finally:
        service.close()


def run_by(between: Between) -> list[int]:
    ran: list[int] = []

    @governed(client=between.client())
    def pay(amount: int) -> None:
        ran.append(amount)

    pay(5)
    return ran


@pytest.mark.parametrize("what", ["creation", "claim"])
@pytest.mark.parametrize("status", [202, 204, 206, 299])
def test_a_status_that_is_no_answer_to_the_question_runs_nothing(what: str, status: int) -> None:
    between = Between(approved if what == "claim" else lambda _: None)
    between.status[what] = status
    with pytest.raises(UnboundAnswer, match=r"answers something else: its status (is|says)"):
        run_by(between)


@pytest.mark.parametrize("what", ["creation", "claim"])
@pytest.mark.parametrize("place", ['{"action"', '"status"'])
def test_a_member_that_stands_twice_runs_nothing(what: str, place: str) -> None:
    twice = {'{"action"': '{"action": {}, "action"', '"status"': '"status": "blocked", "status"'}[place]
    at_top = place.startswith("{")

    def doubled(about: str, body: str) -> str:
        if about != what:
            return body
        return body[0] + '"action": 1, ' + body[1:] if at_top else body.replace(place, twice)

    with pytest.raises(UnboundAnswer, match="stands twice in it"):
        run_by(Between(approved if what == "claim" else lambda _: None, raw=doubled))


def test_an_answer_with_two_request_ids_runs_nothing() -> None:
    between = Between(lambda _: None)
    between.ids = "{}, 0123"
    with pytest.raises(UnboundAnswer, match="it carries two request ids"):
        run_by(between)


def test_what_is_whole_and_its_own_runs() -> None:
    assert run_by(Between(lambda _: None)) == run_by(Between(approved)) == [5]
