"""Backtest: what other policies would have decided, before anybody is stopped by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.analysis.backtest import BACKTEST, Costs, Include
from assent.contract.analysis.policy_value import EVALUATE_POLICY, PolicyCosts
from assent.contract.control.guard import Source
from assent.contract.control.policies import PolicyDraft
from assent.contract.control.risk_templates import CreateRiskTemplate


class BacktestOperations(Caller):
    @sends(BACKTEST)
    def backtest(
        self,
        policies: Sequence[PolicyDraft | Mapping[str, Any]] | None = None,
        window: str = "30d",
        *,
        templates: Sequence[CreateRiskTemplate | Mapping[str, Any]] | None = None,
        include: Include | str = Include.SUMMARY,
        limit: int = 1000,
        agent_id: str | None = None,
        source: Source | str | None = None,
        costs: Costs | Mapping[str, float] | None = None,
        history_as_live: bool = False,
        seed: int = 0,
    ) -> Response:
        """Decide every decision of the last days (`1d` to `3650d`) again, by `policies` instead of those that decided
        it, and compare: what would have been allowed, asked and blocked, which failures would have been stopped and
        which good work interrupted, approvals per day. Nothing is recorded.

        Without `policies` the organization's present ones are asked. `templates` are risk templates to rate every
        decision by anew; without them each keeps its recorded risk. `costs` (`interruption` and `failure`, of one each,
        in your unit) asks for the cost of asking at each risk from 0 to 100. `include="changes"` brings the verdicts
        that changed, `"verdicts"` all of them, the newest `limit` (1 to 10,000). Rate limits count live actions only;
        with `history_as_live` imported and simulated ones too.

        It takes seconds over a million decisions, and is waited for two minutes; above two million the service
        refuses, and `assent_analytics.backtest.backtest` does the same over frames. Raises InvalidRequest that names
        the place in a policy (`policies[3].rules.when.all[0].op`), a template or the window.
        """

    @sends(EVALUATE_POLICY)
    def evaluate_policy(
        self,
        policies: Sequence[PolicyDraft | Mapping[str, Any]] | None = None,
        window: str = "30d",
        *,
        agent_id: str | None = None,
        source: Source | str | None = None,
        costs: PolicyCosts | Costs | Mapping[str, float] | None = None,
    ) -> Response:
        """What the whole set of `policies` would have caused on the decisions of the last days (`1d` to `3650d`): which
        share would fail and complete, how many would ask a person, and with `costs` what 1,000 decisions would cost.
        Nothing is recorded.

        A number is given where the policies would do what was done, would block, or would do what a policy with
        `explore` did by draw; elsewhere bounds, which `says` tells in words. `better` is true or false where the answer
        is sure; where completed work falls (or rises) with failures, only with a price of it in `costs` (`interruption`
        and `failure`, and `lost_work` for each decision whose work is not completed).
        `assent_analytics.backtest.evaluate_policy` does the same over frames. Raises InvalidRequest that names the
        place in a policy, the costs or the window.
        """
