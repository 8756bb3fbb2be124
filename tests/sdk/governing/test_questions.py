"""An operator asks a governed call back: it answers in words, or is asked about anew with other arguments and runs with
these. In the quick tier, against one service."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from assent import (
    ApprovalQuestion,
    ApprovalTimeoutError,
    ApprovalWithdrawnError,
    AsyncClient,
    Client,
    GuardBlockedError,
    governed,
)
from assent.adapters.langchain import governance
from assent.client.waiting import Reply
from tests.docs.page import code
from tests.live import ROOT, WAIT
from tests.stories.tenant import Tenant

Recorded = Callable[[], list[dict[str, Any]]]


class Operator:
    """Asks about the first action that waits, and decides once it is answered or another one waits in its place."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self.trouble: list[BaseException] = []

    def waiting(self) -> str:
        until = time.monotonic() + WAIT
        while time.monotonic() < until:
            for action in self._http.get("/api/actions?status=pending_approval").json()["actions"]:
                return str(action["action_id"])
            time.sleep(0.02)
        raise AssertionError("nothing waits")

    def ask(self, action_id: str, text: str = "Why so much?") -> str:
        body = {"text": text, "conditions": ["only 50"]}
        answer = self._http.post(f"/api/actions/{action_id}/questions", json=body).raise_for_status()
        return str(answer.json()["question"]["question_id"])

    def answered(self, question_id: str) -> dict[str, Any]:
        until = time.monotonic() + WAIT
        while time.monotonic() < until:
            page = self._http.get("/api/questions").json()["questions"]
            found: dict[str, Any] = next(each for each in page if each["question_id"] == question_id)
            if found["state"] != "open":
                return found
            time.sleep(0.02)
        raise AssertionError("nobody answers")

    def allow(self, action_id: str) -> None:
        self._http.post(f"/api/actions/{action_id}/approve", json={"decision": "allow"}).raise_for_status()

    @contextmanager
    def does(self, *steps: Callable[[], object]) -> Iterator[None]:
        """Meanwhile, one after the other."""

        def work() -> None:
            try:
                for step in steps:
                    step()
            except BaseException as error:  # noqa: BLE001 - it is raised below
                self.trouble.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            thread.join(WAIT)
        assert self.trouble == []

    def asks_and_allows(self, rounds: int = 1) -> None:
        """Each round: a question, then its answer; what waits after that is allowed."""
        action_id: str | None = None
        for _ in range(rounds):
            action_id = self.waiting() if action_id is None else action_id
            answer = self.answered(self.ask(action_id))
            action_id = answer["replaced_by"] or action_id
        assert action_id is not None
        self.allow(action_id)


@pytest.fixture
def operator(tenant: Tenant) -> Iterator[Operator]:
    with httpx.Client(base_url=tenant.service.base_url, headers={"x-api-key": tenant.keys["operator"]}) as http:
        yield Operator(http)


def given(amount: int) -> int:
    return amount


def never(amount: int) -> None:
    pytest.fail(f"it ran with {amount}")


def put(*replies: Reply) -> tuple[list[ApprovalQuestion], Callable[[ApprovalQuestion], Reply]]:
    heard: list[ApprovalQuestion] = []

    def reply(question: ApprovalQuestion) -> Reply:
        heard.append(question)
        return replies[len(heard) - 1]

    return heard, reply


def test_words_are_the_answer_and_the_call_waits_on(tenant: Tenant, recorded: Recorded, operator: Operator) -> None:
    heard, reply = put("The invoice is 300.")
    pay = governed("pay", on_question=reply)(given)
    with operator.does(operator.asks_and_allows):
        assert pay(300) == 300
    assert [(each.text, each.conditions) for each in heard] == [("Why so much?", ["only 50"])]
    (action,) = recorded()
    assert action["status"] == "completed"
    (question,) = tenant.call("GET", "/api/questions", key="operator")["questions"]
    assert (question["answer"], question["replaced_by"]) == ("The invoice is 300.", None)


def test_other_arguments_are_asked_about_anew_and_are_what_runs(
    tenant: Tenant, recorded: Recorded, operator: Operator
) -> None:
    _, reply = put({"amount": 50})
    ran: list[tuple[str, int]] = []

    @governed("pay", declared_goal="Pay {amount} to {to}", on_question=reply, reversible=False)
    def send_money(to: str, *, amount: int = 300) -> int:
        ran.append((to, amount))
        return amount

    with operator.does(operator.asks_and_allows):
        assert send_money("Ada") == 50
    assert ran == [("Ada", 50)]
    first, second = recorded()
    assert (first["declared_goal"], first["status"]) == ("Pay 300 to Ada", "cancelled")
    assert (second["declared_goal"], second["status"], second["replaces"]) == (
        "Pay 50 to Ada", "completed", first["action_id"],
    )  # fmt: skip
    assert (second["reversible"], second["metadata"]["tool"]) == (False, "pay")
    assert first["parameters_digest"] != second["parameters_digest"]
    approval = tenant.call("GET", f"/api/actions/{second['action_id']}")["approval"]
    assert approval["claimed_at"] is not None


def test_the_reply_of_the_page_about_functions(recorded: Recorded, operator: Operator) -> None:
    _, script = code(ROOT / "docs/how-to/govern-a-function.md", "python")
    page: dict[str, Any] = {"governed": governed}
    exec(compile(script, "page", "exec", dont_inherit=True), page)
    with operator.does(operator.asks_and_allows):
        page["pay"](300, to="Ada")
    assert [(action["status"], action["declared_goal"]) for action in recorded()] == [
        ("cancelled", "pay(amount=300, to='Ada')"),
        ("completed", "pay(amount=50, to='Ada')"),
    ]


def test_a_second_change_keeps_the_first(recorded: Recorded, operator: Operator) -> None:
    _, reply = put({"amount": 50}, {"note": "half"})

    @governed(on_question=reply)
    def pay(amount: int, **more: str) -> tuple[int, dict[str, str]]:
        return amount, more

    with operator.does(lambda: operator.asks_and_allows(2)):
        assert pay(300) == (50, {"note": "half"})
    assert [action["status"] for action in recorded()] == ["cancelled", "cancelled", "completed"]


def test_awaited_calls_reply_by_a_coroutine(recorded: Recorded, operator: Operator) -> None:
    async def reply(question: ApprovalQuestion) -> Mapping[str, Any]:
        await asyncio.sleep(0)
        return {"amount": len(question.conditions)}

    class Bank:
        @governed("pay", on_question=reply)
        async def pay(self, amount: int) -> int:
            return amount

    with operator.does(operator.asks_and_allows):
        assert asyncio.run(Bank().pay(300)) == 1
    assert [action["status"] for action in recorded()] == ["cancelled", "completed"]


def test_an_operator_who_was_quicker_has_decided_on_the_first(recorded: Recorded, operator: Operator) -> None:
    def reply(question: ApprovalQuestion) -> Mapping[str, Any]:
        operator.allow(question.action_id)
        return {"amount": 50}

    pay = governed("pay", on_question=reply)(given)
    with operator.does(lambda: operator.ask(operator.waiting())):
        assert pay(300) == 300
    (action,) = recorded()
    assert (action["status"], action["declared_goal"]) == ("completed", "pay(amount=300)")


def test_an_operator_who_was_quicker_the_second_time_has_decided_on_the_first_change(
    recorded: Recorded, operator: Operator
) -> None:
    def reply(question: ApprovalQuestion) -> Mapping[str, Any]:
        if question.text == "Less?":
            return {"amount": 50}
        operator.allow(question.action_id)
        return {"amount": 10}

    pay = governed("pay", on_question=reply)(given)
    with operator.does(
        lambda: operator.ask(operator.answered(operator.ask(operator.waiting(), "Less?"))["replaced_by"], "Still less?")
    ):
        assert pay(300) == 50
    assert [(action["status"], action["declared_goal"]) for action in recorded()] == [
        ("cancelled", "pay(amount=300)"),
        ("completed", "pay(amount=50)"),
    ]


def test_a_digest_goes_with_the_parameters_that_it_was_of(recorded: Recorded, operator: Operator) -> None:
    of_other = "sha256:" + "0" * 64
    _, reply = put({"parameters_digest": of_other}, {"parameters": {"amount": 50}})
    of_first: dict[str, Any] = {"parameters_digest": "sha256:" + "1" * 64, "idempotency_key": "once"}
    rounds = operator.does(lambda: operator.asks_and_allows(2))
    with rounds, Client() as client, client.track("pay", context=of_first, on_question=reply) as action:
        assert action.changes == {"parameters": {"amount": 50}}
    digests = [action["parameters_digest"] for action in recorded()]
    assert digests[:2] == [of_first["parameters_digest"], of_other]
    assert digests[2] not in digests[:2]


def test_a_block_of_code_finds_what_was_changed(recorded: Recorded, operator: Operator) -> None:
    _, reply = put({"parameters": {"amount": 50}, "declared_goal": "Pay 50"})
    with operator.does(operator.asks_and_allows), Client() as client:
        said: dict[str, Any] = {"parameters": {"amount": 300}, "idempotency_key": "once"}
        with client.track("pay", "Pay 300", on_question=reply, **said) as action:
            assert action.changes == {"parameters": {"amount": 50}, "declared_goal": "Pay 50"}
    first, second = recorded()
    assert (first["declared_goal"], first["status"]) == ("Pay 300", "cancelled")
    assert (second["declared_goal"], second["status"], second["replaces"]) == (
        "Pay 50", "completed", first["action_id"],
    )  # fmt: skip


def test_a_change_that_is_blocked_raises_and_nothing_waits_any_more(recorded: Recorded, operator: Operator) -> None:
    _, reply = put({"action_type": "wipe"})

    async def tracked() -> None:
        async with AsyncClient() as client:
            with pytest.raises(GuardBlockedError):
                async with client.track("pay", on_question=reply):
                    pytest.fail("the body ran")

    with operator.does(lambda: operator.ask(operator.waiting())):
        asyncio.run(tracked())
    assert {action["action_type"]: action["status"] for action in recorded()} == {"pay": "cancelled", "wipe": "blocked"}


def test_the_time_to_wait_is_for_all_that_is_asked_for(recorded: Recorded, operator: Operator) -> None:
    def reply(_: ApprovalQuestion) -> Mapping[str, Any]:
        time.sleep(0.7)
        return {"amount": 50}

    pay = governed("pay", approval_timeout=0.8, on_question=reply)(never)
    with operator.does(lambda: operator.ask(operator.waiting())), pytest.raises(ApprovalTimeoutError, match=r"0\.8 s"):
        pay(300)
    waits = recorded()[-1]
    assert waits["status"] == "cancelled"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"sum": 50}, "'sum' is no argument that can be changed; give one of amount"),
        ({}, "answered with no changes; give a text, changes, or None"),
        (["only 50"], "answered with list; give a text, changes, or None"),
    ],
)
def test_a_reply_that_is_none_raises_and_the_call_does_not_run(
    operator: Operator, recorded: Recorded, said: Any, why: str
) -> None:
    pay = governed("pay", on_question=put(said)[1])(never)
    with operator.does(lambda: operator.ask(operator.waiting())), pytest.raises(TypeError, match=why):
        pay(300)
    assert [action["status"] for action in recorded()] == ["cancelled"]  # nobody waits for it any more


def test_a_wait_by_itself_takes_words_alone(tenant: Tenant, operator: Operator) -> None:
    with Client() as client:
        action_id = client.create_action("pay").action_id
        operator.ask(action_id)
        with pytest.raises(TypeError, match=rf"create the changed action with replaces='{action_id}'"):
            client.wait_for_approval(action_id, on_question=put({"parameters": {}})[1])  # type: ignore[arg-type]
        with pytest.raises(ApprovalWithdrawnError):
            client.wait_for_approval(action_id)


def test_a_sync_function_has_no_coroutine_to_reply() -> None:
    async def reply(_: ApprovalQuestion) -> str:
        return ""

    with pytest.raises(TypeError, match="pay is a sync function; give an on_question that answers without `await`"):

        @governed(on_question=reply)
        def pay(amount: int) -> None: ...


class Request:
    """As LangChain and LangGraph hand one to a wrapper of calls."""

    tool = None

    def __init__(self, arguments: dict[str, Any]) -> None:
        self.tool_call = {"name": "pay", "args": arguments, "id": "call-1"}

    def override(self, *, tool_call: dict[str, Any]) -> Request:
        return Request(tool_call["args"])


@pytest.mark.parametrize("awaits", [False, True])
def test_a_frameworks_call_runs_with_the_arguments_that_were_agreed_on(
    recorded: Recorded, operator: Operator, awaits: bool
) -> None:
    governs = governance(on_question=put({"amount": 50})[1])

    async def handle(request: Request) -> Any:
        return request.tool_call["args"]

    with operator.does(operator.asks_and_allows):
        given = {"amount": 300, "to": "Ada"}
        if awaits:
            gave = asyncio.run(governs.awrap_tool_call(Request(given), handle))
        else:
            gave = governs.wrap_tool_call(Request(given), lambda request: request.tool_call["args"])
    assert gave == {"amount": 50, "to": "Ada"}
    assert given == {"amount": 300, "to": "Ada"}
    assert [action["status"] for action in recorded()] == ["cancelled", "completed"]


def test_a_graph_that_is_interrupted_waits_for_nobody() -> None:
    with pytest.raises(ValueError, match="on_question is for calls that wait"):
        governance(on_question=put()[1], approvals="interrupt")
