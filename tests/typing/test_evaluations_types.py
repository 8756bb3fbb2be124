"""Read by mypy and basedpyright, never called: what the operations of evaluations give, on both clients."""

from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.analysis.evaluations import EvalRun, EvalRunDetail, EvalRuns, EvalScore, EvalScores, EvalStats
from assent.contract.analysis.scorers import DeletedScorer, Scorer, Scorers


def blocking(client: Client) -> None:
    assert_type(client.create_scorer("tone", "regex", {"pattern": "ok"}), Scorer)
    assert_type(client.create_scorer("tone", type="regex", config={"pattern": "ok"}), Scorer)
    assert_type(client.get_scorers(), Scorers)
    assert_type(client.update_scorer("es_1", name="manner"), Scorer)
    assert_type(client.delete_scorer("es_1"), DeletedScorer)
    assert_type(client.create_score("act_1", "tone", 0.5, "good"), EvalScore)
    assert_type(client.get_scores(scorer_name="tone", limit=5), EvalScores)
    assert_type(client.create_eval_run("nightly", "es_1", {"agent_id": "bot"}), EvalRun)
    assert_type(client.get_eval_runs(status="running"), EvalRuns)
    assert_type(client.get_eval_run("er_1"), EvalRunDetail)
    assert_type(client.get_eval_stats(days=7), EvalStats)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.create_scorer("tone", "regex", {"pattern": "ok"}), Scorer)
    assert_type(await client.create_eval_run("nightly", "es_1"), EvalRun)
    assert_type(await client.get_eval_run("er_1"), EvalRunDetail)
    assert_type(await client.get_eval_stats(), EvalStats)
