"""An agent tells its session what it reads, and an operator is asked before a text has its way: with both clients, over
HTTP, to the proof that a stranger verifies."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from assent import Client, Conflict, Forbidden, InvalidRequest
from assent.cli.app import app
from assent.contract.control.flows import TEXT_LIMIT, FlowTrace
from assent.origins import origins
from assent.proof.verify import verify
from tests.stories.proving import bundle_of, failing, published_keys
from tests.stories.tenant import Tenant

IBAN = "DE89370400440532013000"
BILL = f"Dear customer, the open amount is 98.70; kindly pay it to {IBAN} by the end of the week."
PAY: dict[str, Any] = {"action_type": "send_money", "parameters": {"recipient": IBAN, "amount": 98.7}}


def test_a_text_asks_and_the_operator_reads_why(tenant: Tenant) -> None:
    tenant.policy("Where values come from", "flow", {})
    with tenant.client() as client:
        check_the_bill(tenant, client)


def check_the_bill(tenant: Tenant, client: Client) -> None:
    with client.session("bill 17"):
        told = client.user_said("Please pay the bill in bill.txt").flow
        assert (told.session_id, told.told, told.agent_id) == ("bill 17", 1, "bot")
        assert client.tool_answered("read_file", BILL, arguments={"path": "bill.txt"}).flow.labels == ["untrusted_seen"]
        waits = client.create_action(**PAY, declared_goal="Pay the bill")
    shown = tenant.call("GET", f"/api/actions/{waits.action_id}", key="operator")
    assert waits.approval is not None
    assert waits.approval.reasons == [
        "Where values come from: This account number (recipient) appears only in the text of what read_file answered, "
        "read in the step before; the user never named it."
    ]
    assert shown["action"]["status"] == "pending_approval"
    trace = client.get_action_trace(waits.action_id)
    assert isinstance(trace.flow, FlowTrace)
    assert isinstance(trace.context, dict)
    shown_as = origins(trace.flow, trace.context).lines()
    assert shown_as == [
        f"recipient “{IBAN}”: This account number appears only in the text of what read_file answered, read in the "
        "step before; the user never named it.",
        "The session has the label untrusted_seen: text of somebody else was read. It was put on last by what "
        "read_file answered, read in the step before.",
    ]
    tenant.call("POST", f"/api/actions/{waits.action_id}/approve", {"decision": "allow"}, key="operator")
    with client.session("bill 17"):
        assert client.guard(PAY).decision == "allow", "it was approved in this session"
    bundle = bundle_of(tenant, waits.action_id)
    found = verify(bundle, keys=published_keys(tenant.service, tenant.org_id))
    assert failing(msgspec.to_builtins(found)) == set()
    (replayed,) = (check for check in found.checks if "where its values came from" in check.detail)
    assert "taken as recorded" in replayed.detail
    assert replayed.detail.endswith(" ".join(shown_as))
    assert "read_file" in str(bundle), "the proof says what the operator read"
    assert "Dear customer" not in str(bundle)


def test_an_operator_takes_a_label_off_and_the_proof_says_so(tenant: Tenant) -> None:
    tenant.policy("Where values come from", "flow", {})
    with tenant.client() as client, tenant.client("operator", None) as operator, client.session("bill 19"):
        client.user_said("Please pay the bill in bill.txt")
        client.tool_answered("read_file", "Our own list of nobody in particular, for you.", arguments=["path"])
        unknown: dict[str, Any] = {"action_type": "send_money", "parameters": {"recipient": "eve@x.example"}}
        assert "text of somebody else was read before" in str(client.guard(unknown).reason)
        (flow,) = operator.get_flows(session_id="bill 19").flows
        with pytest.raises(Forbidden):
            client.remove_flow_labels(flow.flow_id, ["untrusted_seen"], "Let me")
        after = operator.remove_flow_labels(flow.flow_id, ["untrusted_seen"], "The list is ours", flow.told).flow
        assert (after.labels, [each.reason for each in after.removed]) == ([], ["The list is ours"])
        with pytest.raises(InvalidRequest):
            operator.remove_flow_labels(flow.flow_id, ["customer_data"], "It never had it")
        action = client.create_action(**unknown, declared_goal="Pay")
        client.update_outcome(action.action_id, "completed")
        client.tool_answered("read_file", BILL, arguments=["path"])
        with pytest.raises(Conflict):
            operator.remove_flow_labels(flow.flow_id, ["untrusted_seen"], "The list is ours", flow.told)
        trace = client.get_action_trace(action.action_id)
    assert isinstance(trace.flow, FlowTrace)
    shown = origins(trace.flow, {}).session
    assert shown == ("An operator took the label untrusted_seen off this session.",)
    found = verify(bundle_of(tenant, action.action_id), keys=published_keys(tenant.service, tenant.org_id))
    assert failing(msgspec.to_builtins(found)) == set()
    assert any(shown[0] in check.detail for check in found.checks)


def test_a_session_of_another_ones_key(tenant: Tenant) -> None:
    tenant.add_key("payer", "agent", "payer")
    tenant.add_key("eve", "agent", "eve")
    with tenant.client("payer", None) as payer, tenant.client("eve", None) as eve:
        payer.user_said("Pay the bill", session_id="of the payer")
        with pytest.raises(Forbidden):
            eve.tool_answered("read_file", BILL, session_id="of the payer")
        with pytest.raises(InvalidRequest, match=r"begin one \(`with client\.session\(\):`\)"):
            eve.user_said("outside of any session")
        with pytest.raises(InvalidRequest) as wrong:
            eve.user_said("Pay", session_id="s", labels=["nobody_declared"])
        assert "No session is begun" not in str(wrong.value)
        assert "pack.labels" in str(wrong.value), "where labels are declared"
        assert [each.session_id for each in payer.iterate_flows()] == ["of the payer"]
        assert eve.get_flows().total == 0


def test_results_of_any_size_and_shape(tenant: Tenant) -> None:
    class Strange:
        def __str__(self) -> str:
            return "strange but written"

    with tenant.client() as client, client.session("shapes"):
        for result in (None, "", 7, {"a": [1, {"b": None}]}, [Strange()], b"bytes"):
            assert client.tool_answered("get_record", result).flow.complete, result
        assert not client.tool_answered("get_record", "x " * 5_000_000).flow.complete
        assert not client.user_said("y " * 600_000).flow.complete


async def test_the_asynchronous_client_tells_the_same(tenant: Tenant) -> None:
    tenant.policy("Where values come from", "flow", {})
    async with tenant.async_client() as client, client.session("outer"):
        await client.user_said("Please pay the bill")

        async def inner() -> None:
            async with client.session("inner"):
                await client.tool_answered("read_file", BILL, arguments=["path"])

        await asyncio.gather(inner(), inner())
        found = await client.guard(PAY)
        assert "appears only in the text" in str(found.reason)
        flows = (await client.get_flows(session_id="outer")).flows
        assert [(each.told, each.calls) for each in flows] == [(3, 2)]


def test_a_flow_policy_is_tried_on_what_was_recorded_before_it_is_enforced(tenant: Tenant) -> None:
    before = {"action_type": "send_money", "parameters": {"recipient": "a@b.example"}, "session_id": "before"}
    tenant.call("POST", "/api/guard", before, key="agent")
    tenant.policy("Where values come from", "flow", {}, mode="observe")
    with tenant.client() as client:
        for number in range(3):
            with client.session(f"bill {number}"):
                client.user_said(f"Please pay the bill in bill.txt{f' to {IBAN}' if number == 2 else ''}")
                client.tool_answered("read_file", BILL, arguments=["path"])
                waits = client.guard({"action_type": "get_balance"}), client.guard(PAY), client.guard(PAY)
                assert [each.decision for each in waits] == ["allow"] * 3
    draft = {"name": "values", "policy_type": "flow", "rules": {}}
    found = tenant.call("POST", "/api/policies/backtest", {"policies": [draft], "include": "changes"}, key="operator")
    (flow,) = found["flows"]
    counts = {name: flow[name] for name in ("n", "decided", "asked", "no_trace", "read_otherwise", "clusters")}
    assert counts == {"n": 10, "decided": 9, "asked": 4, "no_trace": 1, "read_otherwise": 0, "clusters": 3}
    assert (flow["sessions_stopped"], flow["sessions"], flow["sessions_unknown"]) == (2, 3, 1)
    assert [(each["session_id"], each["tool"], each["before"]) for each in flow["stops"]] == [
        ("bill 1", "send_money", "allow"),
        ("bill 0", "send_money", "allow"),
    ]
    assert "appears only in the text of what read_file answered" in flow["stops"][0]["reason"]
    assert found["after"]["require_approval"] == 4
    assert "1 have no trace of where their values came from" in found["not_replayed"][0]["reason"]
    own = draft | {"rules": {"pack": {"tools": {"send_money": {"arguments": {"recipient": "payload"}}}}}}
    (other,) = tenant.call("POST", "/api/policies/backtest", {"policies": [own]}, key="operator")["flows"]
    assert (other["read_otherwise"], other["asked"], other["no_trace"]) == (6, 0, 1), "it looks at other values"
    held = tenant.call("POST", "/api/policies/backtest", {}, key="operator")
    assert (held["changed"], held["causes"]["unexplained"]) == (0, 0), "what is in force says what was recorded"


def command(tenant: Tenant, *arguments: str) -> tuple[int, str, str]:
    """What a command ends with, prints and says beside it, with an operator's key."""
    environment = {"ASSENT_API_KEY": tenant.keys["admin"], "ASSENT_BASE_URL": tenant.service.base_url}
    ran = CliRunner().invoke(app, list(arguments), env=environment)
    return ran.exit_code, ran.stdout, ran.stderr


def test_a_pack_is_drafted_from_what_was_asked_imported_and_observes(tenant: Tenant, tmp_path: Path) -> None:
    code, out, problem = command(tenant, "flows", "suggest")
    assert (code, out) == (1, "")
    assert "No call of the last 30d is recorded, so there is nothing to draft from." in problem
    settle = {"action_type": "act", "metadata": {"tool": "ledger.settlement"}, "parameters": {"taker": IBAN, "sum": 3}}
    with tenant.client() as client:
        for number in range(6):
            client.guard({**settle, "session_id": f"s{number}"})
        client.guard({"action_type": "get_balance", "parameters": {"account": "main"}})
    code, _, problem = command(tenant, "flows", "suggest", "--agent-id", "nobody")
    assert code == 1
    assert "No call of agent nobody of the last 30d is recorded" in problem, "others' are"
    code, out, _ = command(tenant, "flows", "suggest", "--window", "7d")
    assert code == 0
    assert "# Drafted from 7 calls of the last 7d." in out
    assert IBAN not in out
    file = tmp_path / "flow.yaml"
    file.write_text(out)
    assert command(tenant, "policies", "import", str(file))[:2] == (0, "Imported: 1, unchanged: 0, deleted: 0\n")
    with tenant.client() as client, client.session("bill"):
        client.user_said("Please pay the bill in bill.txt")
        client.tool_answered("read_file", BILL, arguments=["path"])
        found = client.guard(settle)
        assert (found.decision, found.would_decide) == ("allow", "require_approval"), "it observes"
    tenant.policy("Where values come from", "flow", {})
    again = command(tenant, "flows", "suggest", "--json")[1]
    assert msgspec.json.decode(again)["draft"]["tools"] == [], "what is said is not drafted again"
    tenant.policy(
        "The ledger", "flow", {"pack": {"tools": {"get_*": {"effect": "read"}, "ledger_*": {"effect": "read"}}}}
    )
    with tenant.client() as client:
        client.guard({"action_type": "ledger_delete", "parameters": {"entry": "7"}})
    remark = '"ledger_*" of policy "The ledger" says that it reads, and its name says that it destroys something'
    assert f'#   "ledger_delete": destroy (1 call). {remark}' in command(tenant, "flows", "suggest")[1]


def test_an_answer_that_is_too_large_is_told_as_one_that_is_cut(tenant: Tenant) -> None:
    tenant.policy("Where values come from", "flow", {})
    said = {"session_id": "large", "tool": "get_report", "result": "x" * TEXT_LIMIT}
    refused = tenant.send("POST", "/api/flows", said)
    assert (refused.status, refused.code) == (413, "payload_too_large")
    assert "Send its beginning with `cut: true`, which says that there is more." in refused.body["detail"]
    assert tenant.call("POST", "/api/flows", said | {"result": "x", "cut": True})["flow"]["complete"] is False
