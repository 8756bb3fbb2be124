"""Judging what agents did, over HTTP: our own clients, every kind of bad input, a run that the power cuts short."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest

from assent import Client
from assent.contract.analysis.evaluations import EvalRunDetail, RunStatus
from assent.errors import InvalidRequest
from tests.live import WAIT, start_service
from tests.stories.tenant import Tenant
from tests.tiers import deep

SCORERS = "/api/evaluations/scorers"
RUNS = "/api/evaluations/runs"


def ended(client: Client, run_id: str) -> EvalRunDetail:
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        detail = client.get_eval_run(run_id)
        if detail.run.status is not RunStatus.RUNNING:
            return detail
        time.sleep(0.02)
    raise AssertionError("the run does not end")


def test_a_scorer_a_run_and_its_numbers(tenant: Tenant) -> None:
    with tenant.client("admin") as client:
        for text in ("a" * 3900 + "b", "aaa"):
            action_id = client.create_action("look").action_id
            client.update_outcome(action_id, "completed", output_summary=text)
        # The pattern takes other engines longer than anybody waits.
        scorer = client.create_scorer("bomb", type="regex", config={"pattern": "^(a+)+$", "flags": ""})
        detail = ended(client, client.create_eval_run("all", scorer.id).id)
        assert (detail.run.status, detail.run.scored_count, detail.run.avg_score) == ("completed", 2, 0.5)
        client.create_score(action_id, "people", 1, "good", evaluated_by="Ada")
        stats = client.get_eval_stats()
        assert {each.scorer_name: (each.n, each.mean) for each in stats.by_scorer} == {
            "bomb": (2, 0.5),
            "people": (1, 1),
        }
        assert stats.overall.mean_low < stats.overall.mean < stats.overall.mean_high  # type: ignore[operator]  # there are three
    table = pl.read_parquet(tenant.send("GET", "/api/data/scores?format=parquet", key="auditor").content)
    assert table.select("scorer_name", "score").sort("scorer_name", "score").rows() == [
        ("bomb", 0.0),
        ("bomb", 1.0),
        ("people", 1.0),
    ]
    assert table.filter(pl.col("run_id") == detail.run.id).height == 2


async def test_the_awaiting_client_does_the_same(tenant: Tenant) -> None:
    async with tenant.async_client("admin") as client:
        scorer = await client.create_scorer("tone", "contains", {"keywords": ["ok"]})
        assert (await client.get_scorers()).scorers == [scorer]
        run = await client.create_eval_run("none", scorer.id, {"agent_id": "nobody"})
        assert (run.total_actions, run.agent_id) == (0, "nobody")
        assert [each.id for each in (await client.get_eval_runs()).runs] == [run.id]
        assert (await client.delete_scorer(scorer.id)).deleted


@pytest.mark.parametrize(
    ("body", "code", "place"),
    [
        ({"name": "x", "type": "custom_function", "config": {"expression": "1"}}, "invalid_scorer", "scorer_type"),
        ({"name": "x", "scorerType": "llm_judge"}, "invalid_scorer", "scorer_type"),
        ({"name": "x", "scorer_type": "regex", "config": {"pattern": r"(a)\1"}}, "invalid_scorer", "config.pattern"),
        ({"name": "x", "scorer_type": "regex", "config": "[]"}, "invalid_scorer", "config"),
        ({"name": "x", "scorer_type": "regex"}, "invalid_scorer", "config"),
        ({"name": "", "scorer_type": "regex", "config": {"pattern": "x"}}, "invalid_body", "name"),
        ({"name": "x", "scorer_type": 7, "config": {"pattern": "x"}}, "invalid_body", "scorer_type"),
        ({"scorer_type": "regex", "config": {"pattern": "x"}}, "invalid_body", "body"),
    ],
    ids=str,
)
def test_a_scorer_that_cannot_be_used(tenant: Tenant, body: dict[str, Any], code: str, place: str) -> None:
    before = tenant.recorded()
    reply = tenant.send("POST", SCORERS, body)
    assert (reply.status, reply.code, reply.places) == (400, code, [place])
    assert tenant.recorded() == before


@pytest.mark.parametrize(
    ("filters", "place"),
    [
        ({"agent": "bot"}, "action_filters"),
        ({"limit": 50_001}, "action_filters.limit"),
        ({"limit": "all"}, "action_filters.limit"),
        ({"status": "done"}, "action_filters.status"),
        ({"from": "last week"}, "action_filters.from"),
        ({"from": "2026-02-01", "to": "2026-01-01"}, "action_filters.from"),
        ([], "action_filters"),
    ],
    ids=str,
)
def test_a_run_over_what_cannot_be_chosen(tenant: Tenant, filters: Any, place: str) -> None:
    scorer = tenant.call("POST", SCORERS, {"name": "x", "type": "contains", "config": {"keywords": ["ok"]}})["id"]
    before = tenant.recorded()
    reply = tenant.send("POST", RUNS, {"name": "x", "scorer_id": scorer, "action_filters": filters})
    assert (reply.status, reply.code, reply.places) == (400, "invalid_body", [place])
    assert tenant.recorded() == before


@pytest.mark.parametrize("score", [1.5, -0.1, "1", None, True])
def test_a_score_that_is_none(tenant: Tenant, score: Any) -> None:
    body = {"action_id": tenant.create(), "scorer_name": "people", "score": score}
    reply = tenant.send("POST", "/api/evaluations", body)
    assert (reply.status, reply.code, reply.places) == (400, "invalid_body", ["score"])


def test_a_misspelt_member_is_named_to_our_own_client(tenant: Tenant) -> None:
    with tenant.client("admin") as client, pytest.raises(InvalidRequest, match="known are"):
        client.create_scorer("x", "contains", {"keyword": ["ok"]})


def test_a_bound_key_sees_the_scores_of_its_agent_alone(tenant: Tenant) -> None:
    tenant.add_key("bound", "agent", "a-1")
    own, other = tenant.create(key="bound"), tenant.create(agent_id="a-2")
    body = {"scorer_name": "people", "score": 1}
    tenant.call("POST", "/api/evaluations", body | {"action_id": other})
    assert tenant.send("POST", "/api/evaluations", body | {"action_id": other}, key="bound").status == 404
    made = tenant.call("POST", "/api/evaluations", body | {"action_id": own}, key="bound")
    assert made["evaluated_by"] == "a-1"
    assert tenant.call("GET", "/api/evaluations", key="bound")["scores"] == [made]
    assert tenant.call("GET", "/api/evaluations/stats", key="bound")["overall"]["n"] == 1


@deep("test_kill has one in the quick tier")
def test_a_run_that_was_killed_is_never_running_for_ever(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with start_service(home) as service, httpx.Client(timeout=WAIT, trust_env=False) as http:
        tenant = Tenant(service, http)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: tenant.create(), range(800)))
        config = {"when": {"field": "action_type", "op": "eq", "value": "look"}}
        scorer = tenant.call("POST", SCORERS, {"name": "x", "type": "expression", "config": config})["id"]
        run_id = tenant.call("POST", RUNS, {"name": "x", "scorer_id": scorer})["id"]
        service.kill()
    with start_service(home, port=service.port), httpx.Client(timeout=WAIT, trust_env=False) as http:
        tenant.http = http
        run = tenant.call("GET", f"{RUNS}/{run_id}")["run"]
        # It may have been through before the signal came; it is not running in any case, and its count is true.
        assert run["status"] in ("interrupted", "completed")
        assert run["status"] == "interrupted" or run["scored_count"] == 800
        assert run["scored_count"] == tenant.call("GET", f"/api/evaluations?run_id={run_id}")["total"]
        assert run["summary"]["n"] == run["scored_count"]
        assert tenant.call("GET", f"{RUNS}?status=running")["total"] == 0
