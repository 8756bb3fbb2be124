"""An operator asks back before deciding: the agent's wait hears it and answers, in words or by a changed request, and
nothing of it lets anything through."""

from __future__ import annotations

import asyncio
import base64
import json
from collections import Counter
from typing import Any

import pytest

from assent import ApprovalQuestion, ApprovalQuestionError, ApprovalTimeoutError, AsyncClient
from tests.live import WAIT
from tests.stories.proving import bundle_of, failing, offline, published_keys
from tests.stories.rush import at_once, request
from tests.stories.tenant import Tenant
from tests.tiers import deep

ROUNDS = 40


@pytest.fixture(scope="module")
def office(shared_tenant: Tenant) -> Tenant:
    shared_tenant.governed()
    shared_tenant.add_key("bound", "agent", "bot")
    shared_tenant.add_key("other", "agent", "other")
    return shared_tenant


def waiting(office: Tenant, **members: Any) -> str:
    return office.create("pay", key="bound", **members)


def asked(office: Tenant, action_id: str, text: str = "Which customer is it for?", **more: Any) -> dict[str, Any]:
    said = {"text": text, **more}
    found: dict[str, Any] = office.call("POST", f"/api/actions/{action_id}/questions", said, key="operator")["question"]
    return found


def question(office: Tenant, question_id: str, action_id: str) -> dict[str, Any]:
    page = office.call("GET", f"/api/questions?action_id={action_id}", key="operator")["questions"]
    return next(each for each in page if each["question_id"] == question_id)


def standing(office: Tenant, action_id: str) -> tuple[str, str]:
    detail = office.call("GET", f"/api/actions/{action_id}")
    return detail["action"]["status"], detail["approval"]["state"]


async def first_of(client: AsyncClient, types: str) -> dict[str, Any]:
    async for event in client.events(types=types):
        return event.data
    raise AssertionError("the stream ended")


def test_a_wait_answers_what_it_is_asked_and_goes_on(office: Tenant) -> None:
    """Over HTTP with the stream, an agent's client that answers by a function; the decision ends the wait."""
    heard: list[ApprovalQuestion] = []

    async def run() -> tuple[str, str]:
        async with office.async_client("bound", "bot") as agent, office.async_client("operator", None) as operator:
            action_id = (await agent.create_action("pay", "Pay invoice 7")).action_id

            async def reply(question: ApprovalQuestion) -> str:
                heard.append(question)
                return "For customer 4711."

            wait = agent.wait_for_approval(action_id, WAIT, interval=600, on_question=reply)
            waits = asyncio.create_task(wait)
            told = asyncio.create_task(first_of(operator, "approval_question.updated"))
            await asyncio.sleep(0.3)
            made = await operator.ask_question(action_id, "Which customer?", conditions=["only 50 EUR"])
            name = made.question.question_id
            event = await asyncio.wait_for(told, WAIT)
            assert (event["question_id"], event["answer"], event["answered_by"]) == (
                name, "For customer 4711.", "the bound",
            )  # fmt: skip
            assert not waits.done()
            await operator.approve_action(action_id, "allow")
            assert (await waits).status == "running"
            return action_id, name

    action_id, name = asyncio.run(run())
    assert [(each.question_id, each.text, each.conditions) for each in heard] == [
        (name, "Which customer?", ["only 50 EUR"])
    ]
    assert standing(office, action_id) == ("running", "approved")


def test_whoever_knows_of_no_questions_waits_on(office: Tenant) -> None:
    """Without an argument a wait is as it was; with `questions` it ends with the question, and nothing is decided."""
    action_id = waiting(office)
    made = asked(office, action_id)
    with office.client("bound", "bot") as agent:
        with pytest.raises(ApprovalTimeoutError):
            agent.wait_for_approval(action_id, 0.3)
        with pytest.raises(ApprovalQuestionError, match="Which customer is it for") as told:
            agent.wait_for_approval(action_id, WAIT, questions=True)
        assert (told.value.question.question_id, told.value.action_id) == (made["question_id"], action_id)
        put: list[ApprovalQuestion] = []
        with pytest.raises(ApprovalTimeoutError):
            agent.wait_for_approval(action_id, 0.3, interval=0.05, on_question=put.append)
        assert [each.question_id for each in put] == [made["question_id"]]  # asked once, and it has no answer to send
    assert standing(office, action_id) == ("pending_approval", "awaiting")


def test_a_changed_request_takes_the_place_of_the_one_that_waits(office: Tenant) -> None:
    old = waiting(office, parameters={"amount": 300})
    made = asked(office, old, "Why so much?", conditions=["only 50 EUR"])
    with office.client("bound", "bot") as agent:
        changed = agent.create_action("pay", parameters={"amount": 50}, replaces=old)
        new = changed.action_id
        assert (changed.action.replaces, changed.action.status) == (old, "pending_approval")
        again = agent.create_action("pay", parameters={"amount": 50}, idempotency_key="k")
        assert "replaces" not in again.action
    found = question(office, made["question_id"], old)
    assert (found["state"], found["replaced_by"], found["answer"]) == ("answered", new, None)
    assert found["answered_by"] == "the bound"
    assert standing(office, old) == ("cancelled", "withdrawn")
    assert office.call("GET", f"/api/actions/{old}")["approval"]["reasoning"] == f"Replaced by {new}."
    late = office.send("POST", f"/api/actions/{old}/approve", {"decision": "allow"}, key="operator")
    assert (late.status, late.code) == (409, "approval_withdrawn")
    # What is approved is the changed request, and no other.
    office.call("POST", f"/api/actions/{new}/approve", {"decision": "allow"}, key="operator")
    claim = {"action_type": "pay", "parameters": {"amount": 300}}
    assert office.send("POST", f"/api/actions/{new}/claim", claim, key="bound").code == "receipt_mismatch"
    claim["parameters"] = {"amount": 50}
    assert office.send("POST", f"/api/actions/{new}/claim", claim, key="bound").status == 200
    for action_id in (old, new):
        found = offline(bundle_of(office, action_id), published_keys(office.service, office.org_id))
        assert failing(found) == set()
    assert certificate(bundle_of(office, new))["replaces"] == old


def test_a_blocked_change_leaves_the_waiting_one_alone(office: Tenant) -> None:
    old = waiting(office)
    made = asked(office, old)
    reply = office.send("POST", "/api/actions", {"action_type": "wipe", "replaces": old}, key="bound")
    assert (reply.status, reply.code) == (403, "action_blocked")
    assert standing(office, old) == ("pending_approval", "awaiting")
    assert question(office, made["question_id"], old)["state"] == "open"


def test_the_same_changed_request_sent_twice_is_one(office: Tenant) -> None:
    old = waiting(office)
    body = {"action_type": "pay", "replaces": old}
    first = office.send("POST", "/api/actions", body, key="bound", idempotency_key="change-1")
    again = office.send("POST", "/api/actions", body, key="bound", idempotency_key="change-1")
    assert (first.status, again.status) == (202, 200)
    assert again.body["action_id"] == first.body["action_id"]
    other = office.send("POST", "/api/actions", body, key="bound", idempotency_key="change-2")
    assert (other.status, other.code) == (409, "approval_withdrawn")


@pytest.mark.parametrize("end", ["approve", "deny", "withdraw"])
def test_questions_end_with_the_waiting(office: Tenant, end: str) -> None:
    action_id = waiting(office)
    first, second = asked(office, action_id), asked(office, action_id, "Until when?")
    office.call("POST", f"/api/questions/{first['question_id']}/answer", {"answer": "4711"}, key="bound")
    before = office.recorded()
    if end == "withdraw":
        office.call("POST", f"/api/actions/{action_id}/withdraw", {}, key="bound")
    else:
        said = {"decision": "allow" if end == "approve" else "deny"}
        office.call("POST", f"/api/actions/{action_id}/approve", said, key="operator")
    # The decision, the action's change and the end of the open one: one write.
    assert office.recorded() == before + 3
    assert question(office, first["question_id"], action_id)["state"] == "answered"
    ended = question(office, second["question_id"], action_id)
    assert (ended["state"], ended["answer"], ended["answered_by"]) == ("ended", None, None)
    reply = office.send("POST", f"/api/questions/{second['question_id']}/answer", {"answer": "Friday"}, key="bound")
    assert (reply.status, reply.code) == (409, "question_closed")
    code = "approval_withdrawn" if end == "withdraw" else "already_decided"
    again = office.send("POST", f"/api/actions/{action_id}/questions", {"text": "And now?"}, key="operator")
    assert (again.status, again.code) == (409, code)
    found = offline(bundle_of(office, action_id), published_keys(office.service, office.org_id))
    assert failing(found) == set()
    told = certificate(bundle_of(office, action_id))["questions"]
    assert [(each["state"], each["answer"]) for each in told] == [("answered", "4711"), ("ended", None)]


def test_who_may_ask_and_answer(office: Tenant) -> None:
    action_id = waiting(office)
    path = f"/api/actions/{action_id}/questions"
    for key in ("agent", "bound", "auditor"):
        assert office.send("POST", path, {"text": "May I?"}, key=key).status == 403
    made = asked(office, action_id)
    answer = f"/api/questions/{made['question_id']}/answer"
    told = {key: office.send("POST", answer, {"answer": "4711"}, key=key) for key in ("other", "operator")}
    assert {key: (each.status, each.code) for key, each in told.items()} == {
        "other": (404, "question_not_found"),
        "operator": (403, "forbidden"),
    }
    assert office.call("GET", "/api/questions", key="other")["questions"] == []
    assert office.send("POST", answer, {"answer": "4711"}, key="auditor").status == 403
    # A key of role agent that is bound to none speaks for any agent, here as elsewhere; the first answer stands.
    assert office.send("POST", answer, {"answer": "4711"}, key="agent").status == 200
    late = office.send("POST", answer, {"answer": "4712"}, key="bound")
    assert (late.status, late.code) == (409, "question_closed")
    same = office.send("POST", answer, {"answer": "4711"}, key="agent")
    assert (same.status, same.body["question"]["answer"]) == (200, "4711")
    # Nor does an operator whose own key opened the action; it can change its request.
    own = office.create("pay", key="operator", agent_id="clerk")
    made = office.call("POST", f"/api/actions/{own}/questions", {"text": "Why?"}, key="admin")["question"]
    path = f"/api/questions/{made['question_id']}/answer"
    assert office.send("POST", path, {"answer": "Rent."}, key="operator").status == 403
    # An admin may do everything, and the row says whose key it was.
    told_by = office.call("POST", path, {"answer": "Rent."}, key="admin")["question"]["answered_by_key"]
    assert told_by == office.key_ids["admin"]
    body = {"action_type": "pay", "agent_id": "clerk", "replaces": own}
    assert office.send("POST", "/api/actions", body, key="operator").status == 202


def test_another_agents_action_is_not_replaced(office: Tenant) -> None:
    old = waiting(office)
    for key, agent, code in (("other", None, "action_not_found"), ("agent", "other", "agent_mismatch")):
        body = {"action_type": "pay", "replaces": old} | ({} if agent is None else {"agent_id": agent})
        reply = office.send("POST", "/api/actions", body, key=key)
        assert reply.code == code
    missing = office.send("POST", "/api/actions", {"action_type": "pay", "replaces": "act_none"}, key="bound")
    assert (missing.status, missing.code) == (404, "action_not_found")
    ran = office.create("look", key="bound")
    over = office.send("POST", "/api/actions", {"action_type": "pay", "replaces": ran}, key="bound")
    assert (over.status, over.code) == (409, "not_awaiting_approval")
    past = {"action_type": "pay", "replaces": old, "source": "import", "agent_id": "bot"}
    history = office.send("POST", "/api/actions", past, key="admin")
    assert (history.status, history.places) == (400, ["replaces"])
    assert standing(office, old) == ("pending_approval", "awaiting")


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({}, ["body"]),
        ({"text": ""}, ["text"]),
        ({"text": "  \n"}, ["text"]),
        ({"text": "x" * 4001}, ["text"]),
        ({"text": "€" * 1334}, ["text"]),  # 4,002 bytes
        ({"text": "x" * 3000, "conditions": ["y" * 500, "z" * 501]}, ["conditions[1]"]),
        ({"text": "x" * 3001, "conditions": ["y" * 500, "z" * 500]}, ["text"]),
        ({"text": "why", "conditions": ["a"] * 21}, ["conditions"]),
        ({"text": "why", "conditions": ["ok", " "]}, ["text"]),
        ({"text": ["why"]}, ["text"]),
        ({"text": "why", "conditions": "only 50"}, ["conditions"]),
    ],
)
def test_a_question_that_is_none_is_refused(office: Tenant, body: dict[str, Any], places: list[str]) -> None:
    reply = office.send("POST", f"/api/actions/{ONE[0]}/questions", body, key="operator")
    assert (reply.status, reply.places) == (400, places)


@pytest.fixture(autouse=True, scope="module")
def one_that_waits(office: Tenant) -> None:
    ONE[:] = [waiting(office)]


ONE: list[str] = []


def test_as_many_bytes_as_may_be_are_taken_and_a_fourth_question_is_not(office: Tenant) -> None:
    action_id = waiting(office)
    longest = asked(office, action_id, "€" * 1333 + "x")  # 4,000 bytes
    assert len(longest["text"].encode()) == 4000
    again = asked(office, action_id, "€" * 1333 + "x")
    assert again["question_id"] == longest["question_id"]  # the same words are the same question
    asked(office, action_id, "two")
    asked(office, action_id, "three")
    reply = office.send("POST", f"/api/actions/{action_id}/questions", {"text": "four"}, key="operator")
    assert (reply.status, reply.code) == (409, "too_many_questions")
    answer = f"/api/questions/{longest['question_id']}/answer"
    for wrong in ({}, {"answer": ""}, {"answer": " "}, {"answer": "€" * 1334}, {"answer": 7}):
        assert office.send("POST", answer, wrong, key="bound").status == 400
    office.call("POST", answer, {"answer": "€" * 1333}, key="bound")
    assert asked(office, action_id, "four")["state"] == "open"


def test_another_organization_sees_nothing(office: Tenant, tenant: Tenant) -> None:
    action_id = waiting(office)
    made = asked(office, action_id)
    assert tenant.send("POST", f"/api/actions/{action_id}/questions", {"text": "?"}, key="operator").status == 404
    reply = tenant.send("POST", f"/api/questions/{made['question_id']}/answer", {"answer": "x"}, key="agent")
    assert (reply.status, reply.code) == (404, "question_not_found")
    assert tenant.call("GET", f"/api/questions?action_id={action_id}")["questions"] == []
    body = {"action_type": "look", "replaces": action_id}
    assert tenant.send("POST", "/api/actions", body, key="agent").status == 404


@deep("forty rounds of a race")
def test_a_question_an_answer_and_a_decision_at_once(office: Tenant) -> None:
    """Forty rounds: whatever wins, a question that was answered was answered while the action waited, and one that was
    not has ended."""
    seen: Counter[tuple[int, int, str]] = Counter()
    for turn in range(ROUNDS):
        action_id = waiting(office)
        made = asked(office, action_id)
        end = ("approve", {"decision": "allow"}, "operator") if turn % 2 else ("withdraw", {}, "bound")
        posts = [
            (f"/api/actions/{action_id}/questions", {"text": "And why?"}, "operator"),
            (f"/api/questions/{made['question_id']}/answer", {"answer": "4711"}, "bound"),
            (f"/api/actions/{action_id}/{end[0]}", end[1], end[2]),
        ]
        turned = posts[turn % 3 :] + posts[: turn % 3]
        wire = [request(path, json.dumps(body).encode(), office.keys[key], None) for path, body, key in turned]
        answers = dict(
            zip((path for path, *_ in turned), at_once(office.service.port, wire), strict=True),
        )
        (ask, _), (answer, told), (ended, _) = (answers[path] for path, *_ in posts)
        assert ended == 200
        assert ask in (201, 409)
        assert answer in (200, 409)
        if answer == 409:
            assert told["code"] == "question_closed"
        state = question(office, made["question_id"], action_id)
        assert state["state"] == ("answered" if answer == 200 else "ended")
        everything = office.call("GET", f"/api/questions?action_id={action_id}")["questions"]
        assert len(everything) == 1 + (ask == 201)
        assert "open" not in {each["state"] for each in everything}
        seen[ask, answer, end[0]] += 1
    assert {ask for ask, *_ in seen} == {201, 409}, seen
    assert {answer for _, answer, _ in seen} == {200, 409}, seen


def test_two_changed_requests_at_once_have_one_winner(office: Tenant) -> None:
    for _ in range(5):
        old = waiting(office)
        body = json.dumps({"action_type": "pay", "replaces": old}).encode()
        posts = [request("/api/actions", body, office.keys["bound"], None) for _ in range(3)]
        posts.append(request(f"/api/actions/{old}/approve", b'{"decision":"allow"}', office.keys["operator"], None))
        *changes, (approved, _) = at_once(office.service.port, posts)
        made = [answer for status, answer in changes if status == 202]
        assert len(made) + (approved == 200) == 1
        assert {answer["code"] for status, answer in changes if status != 202} <= {
            "approval_withdrawn",
            "already_decided",
        }


def certificate(bundle: dict[str, Any]) -> dict[str, Any]:
    payload = json.loads(base64.b64decode(bundle["attestation"]["payload"]))
    found: dict[str, Any] = payload["predicate"]
    return found
