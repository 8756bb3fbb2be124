"""What a backtest asks the tables for, and what it refuses before computing anything."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

from assent.contract.analysis.backtest import MOST_DECISIONS, BacktestRequest
from assent.contract.control.policies import PolicyDraft
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_analytics.backtest import PatternError, columns_needed
from assent_service.analysis.backtest import Backtests
from assent_service.base.problem import Refusal
from assent_service.core.principal import Principal

AUDITOR = Principal(org_id="org_1", key_id="key_1", name="auditor", role=Role.AUDITOR, agent_id=None)
RULES = {"when": {"field": "metadata.a", "op": "matches", "value": "x"}, "action": "block"}
CONDITION = PolicyDraft(name="c", policy_type="condition", rules=RULES)
THRESHOLD = PolicyDraft(name="t", policy_type="risk_threshold", rules={"threshold": 60})


class Tables:
    """A ledger that holds `n` decisions, and remembers what it was asked."""

    def __init__(self, n: int) -> None:
        self.n, self.asked = n, list[str]()

    async def read(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
        return [(self.n,)]

    async def frame(self, sql: str, parameters: Sequence[object] = ()) -> pl.DataFrame:
        self.asked.append(sql)
        assert sql.count("?") == len(parameters)
        texts = ["decision_id", "decision", "source", "status", "agent_id", "matched_policies", "context"]
        columns: dict[str, pl.DataType] = {name: pl.String() for name in texts}
        columns |= {name: pl.Datetime("us") for name in ("occurred_at", "created_at", "timestamp_start")}
        return pl.DataFrame(schema=columns | {"risk_score": pl.Float64()})


def run(tables: Tables, request: BacktestRequest) -> int:
    backtests = Backtests(tables, lambda: 1_800_000_000_000_000, None)  # type: ignore[arg-type]  # a stand-in; not asked
    return asyncio.run(backtests.run(AUDITOR, request)).n


def test_more_than_one_answer_replays_is_refused_before_it_is_read() -> None:
    tables = Tables(MOST_DECISIONS + 1)
    with pytest.raises(Refusal, match="at most 2000000") as refused:
        run(tables, BacktestRequest(policies=[THRESHOLD]))
    assert (refused.value.code, refused.value.errors[0].place, tables.asked) == (Code.INVALID_BODY, "window", [])
    assert run(Tables(MOST_DECISIONS), BacktestRequest(policies=[THRESHOLD])) == 0


def test_only_columns_that_policies_look_at_are_read() -> None:
    tables = Tables(0)
    run(tables, BacktestRequest(policies=[THRESHOLD]))
    assert "context" not in tables.asked[0]
    run(tables, BacktestRequest(policies=[CONDITION], agent_id="bot"))
    assert 'CAST("context" AS VARCHAR)' in tables.asked[2]
    assert "declared_goal" not in tables.asked[2]


def test_policies_are_never_read_on_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand large ones take a while, and guard answers meanwhile."""
    read_by: list[threading.Thread] = []

    def reads(*given: Any, **more: Any) -> set[str]:
        read_by.append(threading.current_thread())
        return columns_needed(*given, **more)

    monkeypatch.setattr("assent_service.analysis.backtest.columns_needed", reads)
    run(Tables(0), BacktestRequest(policies=[THRESHOLD]))
    assert len(read_by) == 1
    assert read_by != [threading.current_thread()]


def test_a_pattern_that_only_guard_knows_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*given: object, **more: object) -> None:
        raise PatternError("the pattern 'x' is none that this RE2 accepts.")

    monkeypatch.setattr("assent_service.analysis.backtest.backtest", refuses)
    with pytest.raises(Refusal, match="cannot be replayed: the pattern 'x'") as refused:
        run(Tables(0), BacktestRequest(policies=[CONDITION]))
    assert refused.value.code is Code.INVALID_POLICY
