"""A new organization observes where values come from: before anybody enforces, an operator reads what would have been
asked and why, over HTTP, from the client and in a terminal. Nobody else's organization sees it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

from assent import Client, Forbidden, InvalidRequest, NotFound
from assent.cli.app import app
from tests.stories.tenant import Tenant

IBAN = "DE89370400440532013000"
BILL = f"Dear customer, the open amount is 98.70; kindly pay it to {IBAN} by the end of the week."
PAY: dict[str, Any] = {"action_type": "send_money", "parameters": {"recipient": IBAN, "amount": 98.7}}
SHIPPED = "Ask where a value came from"
SAYS = (
    "This account number (recipient) appears only in the text of what read_file answered, read in the step before; "
    "the user never named it."
)
PATH = "/api/policies/observed"


def pay_the_bill(client: Client) -> None:
    """Two calls that the shipped policy would ask about, and two that it would not."""
    with client.session("bill 17"):
        client.user_said("Please pay the bill in bill.txt")
        client.tool_answered("read_file", BILL, arguments={"path": "bill.txt"})
        assert client.guard(PAY).decision == "allow"
        client.create_action(**PAY, declared_goal="Pay the bill")
        client.guard({"action_type": "read_file", "parameters": {"path": "bill.txt"}})
    client.guard(PAY)


def test_an_operator_reads_what_would_have_been_asked_and_enforces(
    tenant: Tenant, new_tenant: Callable[[], Tenant]
) -> None:
    with tenant.client() as agent:
        pay_the_bill(agent)
        with pytest.raises(Forbidden):
            agent.get_observed_decisions()
    with tenant.client("operator", agent_id=None) as operator:
        found = operator.get_observed_decisions()
        assert (found.n, found.asked, found.blocked, found.warned, found.total) == (4, 2, 0, 0, 2)
        acted, asked = found.decisions
        assert acted.action_id is not None
        assert asked.action_id is None
        for each in (acted, asked):
            assert (each.agent_id, each.session_id, each.tool) == ("bot", "bill 17", "send_money")
            assert [(said.name, said.reason) for said in each.policies] == [(SHIPPED, SAYS)]
        (counted,) = [each for each in found.policies if each.asked]
        assert counted.name == SHIPPED
        assert counted.observes_since is not None
        assert (counted.n, counted.earlier, counted.untold, counted.untold_writes) == (4, 0, 1, 1)
        assert found.sessions == 1
        assert [(each.name, each.n) for each in found.tools] == [("send_money", 2)]
        told = [each.decision_id for each in operator.iterate_observed_decisions(limit=1)]
        assert told == [acted.decision_id, asked.decision_id]
        with pytest.raises(NotFound):
            operator.get_observed_decisions(policy_id="pol_of_nobody")
        with pytest.raises(InvalidRequest, match="give whole days"):
            operator.get_observed_decisions("a week")
    shown = CliRunner().invoke(app, ["policies", "observed"], env=environment(tenant))
    header, newest, *_ = shown.stdout.splitlines()
    row = dict(zip(header.split("\t"), newest.split("\t"), strict=True))
    assert (row["action_id"], row["reasons"]) == (acted.action_id, f"{SHIPPED}: {SAYS}")
    assert (
        "2 of 4 decisions would have been asked about, with the policies enforced as they observed then."
        in shown.stderr
    )
    answered = CliRunner().invoke(
        app, ["policies", "observed", "--session", "bill 18", "--json"], env=environment(tenant)
    )
    assert (json.loads(answered.stdout)["total"], answered.stderr) == (0, "")
    stranger = new_tenant()
    theirs = stranger.call("GET", PATH, key="operator")
    assert (theirs["n"], theirs["decisions"]) == (0, [])
    assert stranger.send("GET", f"{PATH}?policy_id={counted.policy_id}").code == "policy_not_found"
    tenant.call("PATCH", f"/api/policies/{counted.policy_id}", {"mode": "enforce"})
    with tenant.client() as agent, agent.session("bill 17"):
        assert agent.guard(PAY).reason == f"{SHIPPED}: {SAYS}", "enforced, it says what it said"


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("cursor=nothing", "cursor"),
        ("window=0d", "window"),
        ("since=2026-01-01", "since"),
        ("since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z", "since"),
        ("source=nowhere", "source"),
    ],
)
def test_what_cannot_be_asked_is_named(shared_tenant: Tenant, query: str, place: str) -> None:
    refused = shared_tenant.send("GET", f"{PATH}?{query}")
    assert (refused.status, refused.code, refused.places) == (400, "invalid_query", [place])


def environment(tenant: Tenant) -> dict[str, str]:
    return {"ASSENT_API_KEY": tenant.keys["operator"], "ASSENT_BASE_URL": tenant.service.base_url, "ASSENT_HOME": ""}
