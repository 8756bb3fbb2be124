"""Read by mypy and basedpyright, never called: what a backtest gives, on both clients."""

from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.analysis.backtest import Backtest, Costs, Include
from assent.contract.analysis.policy_value import PolicyEvaluation
from assent.contract.control.policies import PolicyDraft

DRAFT = PolicyDraft(name="p", policy_type="risk_threshold", rules={"threshold": 60})


def blocking(client: Client) -> None:
    assert_type(client.backtest(), Backtest)
    assert_type(
        client.backtest([DRAFT], "7d", include=Include.CHANGES, costs=Costs(interruption=1, failure=9)), Backtest
    )
    assert_type(client.backtest([{"name": "p"}], costs={"interruption": 1, "failure": 9}, source="live"), Backtest)
    assert_type(client.evaluate_policy([DRAFT], costs={"interruption": 1, "failure": 9}), PolicyEvaluation)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.backtest(), Backtest)
    assert_type(await client.backtest([DRAFT], window="7d", history_as_live=True), Backtest)
    assert_type(await client.evaluate_policy(window="7d"), PolicyEvaluation)
