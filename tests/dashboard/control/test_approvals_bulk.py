"""One decision on several identical requests: each by itself, safe to repeat, nothing half told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import msgspec
import pytest

from assent import ApprovalState, Client, Verdict
from assent.deciding import NO_REASON, DecisionDetails, Stage
from assent_dashboard.views.approvals.dialog import Bulk, outcome
from tests.dashboard.control.approval_items import AT, request
from tests.dashboard.looker import Looker
from tests.live import WAIT
from tests.stories.tenant import Tenant

Look = Callable[..., Looker]
SAME: dict[str, Any] = {"declared_goal": "Refund order 1042", "agent_id": "support", "metadata": {"amount": 5}}


def five(house: Tenant) -> list[str]:
    return [house.create("pay", **SAME) for _ in range(5)]


def bulk_on(client: Client, ids: list[str], verdict: Verdict) -> Bulk:
    items = {item.action.action_id: item for item in client.get_approvals(limit=200).approvals}
    return Bulk.on([items[each] for each in ids], verdict)


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


def test_one_decided_by_somebody_else_and_one_whose_answer_is_lost(house: Tenant) -> None:
    house.add_key("ana", "operator")
    ids = five(house)
    transport = Loses(ids[3])
    with (
        httpx.Client(transport=transport, trust_env=False, timeout=WAIT) as http,
        Client(house.service.base_url, house.keys["operator"], http=http, retries=0, say=lambda _: None) as client,
    ):
        bulk = bulk_on(client, ids, Verdict.ALLOW)
        house.call("POST", f"/api/actions/{ids[1]}/approve", {"decision": "deny", "reasoning": "Mine"}, key="ana")
        heard: list[int] = []
        bulk.send(client, DecisionDetails("All the same"), heard.append)
        assert heard == [1, 2, 3]
        assert "sending it again is safe" in str(bulk.problem)
        assert [each.item.action.action_id for each in bulk.open] == ids[3:]
        assert house.action(ids[3])["status"] == "running", "it was recorded, and nobody here knows"
        transport.losing = False
        bulk.send(client, DecisionDetails("All the same"), heard.append)
    assert heard == [1, 2, 3, 4, 5]
    assert bulk.problem is None
    assert bulk.open == []
    assert [each.item.action.action_id for each in bulk.held] == [ids[0], *ids[2:]]
    approvals = [house.call("GET", f"/api/actions/{each}")["approval"] for each in ids]
    assert [each["decided_by"] for each in approvals] == ["the operator", "the ana", *3 * ["the operator"]]
    assert len({each["idempotency_key"] for each in approvals}) == 5
    told = "\n".join(outcome(bulk, AT))
    assert "**Allowed 4 of 5**" in told
    assert "**1 already decided**" in told
    assert f"`{ids[1]}`: **the ana** denied it" in told
    assert "“Mine”" in told


def test_a_denial_of_all_needs_a_reason_and_sends_nothing_without(house: Tenant) -> None:
    ids = five(house)
    with house.client("operator") as client:
        bulk = bulk_on(client, ids, Verdict.DENY)
        bulk.send(client, DecisionDetails("  "), lambda _: None)
        assert (bulk.problem, bulk.begun) == (NO_REASON, False)
        assert {house.action(each)["status"] for each in ids} == {"pending_approval"}
        bulk.send(client, DecisionDetails("Not today"), lambda _: None)
    assert {house.action(each)["error_message"] for each in ids} == {"Not today"}


def test_expired_ones_and_unknown_ones_are_told_apart() -> None:
    bulk = Bulk.on([request("act_1"), request("act_2"), request("act_3")], Verdict.DENY)
    late, gone, _ = bulk.decisions
    late.stage, late.settled = Stage.OVER, late.item.approval
    gone.stage, gone.problem = Stage.OVER, "There is no such action."
    lines = outcome(bulk, AT)
    assert lines[0].endswith("**Denied 0 of 3**: your decision holds.")
    assert "`act_2`: There is no such action\\." in lines[1]
    assert "**1 expired**" in lines[2]
    assert "`act_1`" in lines[2]
    assert "**1 not known to be decided**" in lines[3]


def test_withdrawn_ones_are_told_apart_from_decided_ones() -> None:
    bulk = Bulk.on([request("act_1"), request("act_2")], Verdict.ALLOW)
    first, second = bulk.decisions
    first.stage, second.stage = Stage.OVER, Stage.SENT
    first.settled = msgspec.structs.replace(first.item.approval, state=ApprovalState.WITHDRAWN, decided_by="bot's key")
    lines = outcome(bulk, AT)
    assert lines[0].endswith("**Allowed 1 of 2**: your decision holds.")
    assert "**1 withdrawn** before you decided" in lines[1]
    assert "`act_1`" in lines[1]
    assert len(lines) == 2


def test_identical_ones_are_one_card_and_one_decision(look: Look, house: Tenant) -> None:
    ids = five(house)
    house.create("pay", **SAME | {"metadata": {"amount": 500}})
    looker = look(house, "approvals").draw()
    assert looker.title == "Approvals · 6 waiting"
    assert "5 identical requests" in looker.words
    assert looker.texts == ["Refund order 1042", "Refund order 1042"], "two cards"
    newest = ids[-1]
    looker.press("next").press(f"allow-all-{newest}")
    assert all(f"`{each}`" in looker.words for each in ids)
    looker.write("reasoning", "Seen once, seen all").press("confirm")
    assert "**Allowed 5 of 5**" in looker.words
    assert looker.has("cancel")
    assert not looker.has("confirm")
    looker.press("cancel")
    assert "Allowed 5 of 5 identical requests" in str(looker.page.toast[0].value)
    assert looker.title == "Approvals · 1 waiting"
    reasons = [house.call("GET", f"/api/actions/{each}")["approval"]["reasoning"] for each in ids]
    assert reasons == 5 * ["Seen once, seen all"]


def test_one_of_identical_ones_can_be_decided_alone(look: Look, house: Tenant) -> None:
    ids = five(house)
    looker = look(house, "approvals").draw()
    looker.press(f"deny-{ids[2]}").write("reasoning", "Only this one").press("confirm")
    assert looker.title == "Approvals · 4 waiting"
    assert "4 identical requests" in looker.words
    assert house.action(ids[2])["error_message"] == "Only this one"


@pytest.mark.parametrize("verdict", ["allow", "deny"])
def test_leaving_the_dialog_decides_nothing(look: Look, house: Tenant, verdict: str) -> None:
    ids = five(house)
    looker = look(house, "approvals").draw().press(f"{verdict}-all-{ids[-1]}").press("cancel")
    assert not looker.page.toast
    assert {house.action(each)["status"] for each in ids} == {"pending_approval"}
