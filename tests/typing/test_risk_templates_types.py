"""Read by mypy and basedpyright, never called: what the operations of risk templates give, on both clients."""

from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.control.risk_conditions import RiskRule
from assent.contract.control.risk_templates import DeletedRiskTemplate, RiskTemplate, RiskTemplates


def blocking(client: Client) -> None:
    assert_type(client.create_risk_template("wires", [{"condition": "amount > 5", "add": 20}], 40), RiskTemplate)
    assert_type(client.create_risk_template("wires", [RiskRule(condition="amount > 5", add=20)]), RiskTemplate)
    assert_type(client.list_risk_templates(action_type="wire", limit=5), RiskTemplates)
    assert_type(client.update_risk_template("rt_1", base_risk=50, status="inactive"), RiskTemplate)
    assert_type(client.delete_risk_template("rt_1"), DeletedRiskTemplate)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.create_risk_template("wires", base_risk=40), RiskTemplate)
    assert_type(await client.list_risk_templates(), RiskTemplates)
