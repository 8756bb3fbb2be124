"""Evaluations through the published clients: scorers, scores, runs over history, and what they add up to.

All three versions can send every one of these ten methods: none is among those that 2.9.0 cannot call.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.live import WAIT
from tests.stories.published.client import PublishedClient, PublishedError


def ended(client: PublishedClient, run_id: str) -> dict[str, Any]:
    """The answer about a run, once it has ended."""
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        answer: dict[str, Any] = client.get_eval_run(run_id)
        if answer["run"]["status"] != "running":
            return answer
        time.sleep(0.05)
    raise AssertionError("the run does not end")


def said(client: PublishedClient, text: str) -> str:
    action_id = str(client.create_action("look", "Answer somebody")["action_id"])
    client.update_outcome(action_id, status="completed", output_summary=text)
    return action_id


def test_scorers(boss: PublishedClient) -> None:
    made = boss.create_scorer("tone", "regex", {"pattern": "thank(s| you)", "match_score": 0.9}, "how it sounds")
    assert made["id"].startswith("es_")
    assert (made["name"], made["scorer_type"], made["description"]) == ("tone", "regex", "how it sounds")
    assert made["config"]["match_score"] == 0.9
    listed = boss.get_scorers()
    assert (listed["scorers"], listed["llm_available"]) == ([made], False)
    changed = boss.update_scorer(made["id"], name="manner", config={"pattern": "please"})
    assert (changed["name"], changed["config"]["pattern"]) == ("manner", "please")
    assert boss.delete_scorer(made["id"])["deleted"] is True
    assert boss.get_scorers()["scorers"] == []


def test_a_scorer_that_is_not_served(boss: PublishedClient) -> None:
    scorers: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("custom_function", {"expression": "outcome === 'ok'"}, "expression"),
        ("llm_judge", {"prompt_template": "Rate it"}, "create_score"),
        ("regex", {"pattern": "(?=x)"}, "RE2"),
        ("numeric_range", {"field": "risk_score", "min": 60, "max": 40}, "above max"),
    )
    for kind, config, says in scorers:
        with pytest.raises(PublishedError, match=says) as found:
            boss.create_scorer("tone", kind, config)
        assert found.value.members["status"] == 400, kind
    assert boss.get_scorers()["scorers"] == []


def test_an_agent_defines_no_scorers(agent: PublishedClient) -> None:
    with pytest.raises(PublishedError) as found:
        agent.create_scorer("tone", "contains", {"keywords": ["ok"]})
    assert found.value.members["status"] == 403


def test_scores(agent: PublishedClient) -> None:
    action_id = said(agent, "done")
    made = agent.create_score(action_id, "helpfulness", 0.75, "good", "it helped", "Ada", {"round": 2})
    assert made["id"].startswith("ev_")
    assert (made["score"], made["label"], made["evaluated_by"]) == (0.75, "good", "Ada")
    assert (made["metadata"], made["agent_id"]) == ({"round": 2}, "bot")
    bare = agent.create_score(action_id, "care", 0)
    assert (bare["score"], bare["label"]) == (0, None)
    assert agent.get_scores()["total"] == 2
    assert agent.get_scores(scorer_name="helpfulness", min_score=0.5, limit=5)["scores"] == [made]
    assert agent.get_scores(action_id="act_other")["scores"] == []
    for wrong in (1.5, -1, "high"):
        with pytest.raises(PublishedError, match="score") as found:
            agent.create_score(action_id, "care", wrong)
        assert found.value.members["status"] == 400


def test_a_run_and_what_it_adds_up_to(boss: PublishedClient, agent: PublishedClient) -> None:
    thanked = {said(agent, "Thank you"), said(agent, "many thanks")}
    other = said(agent, "no")
    agent.create_action("look", "Say nothing at all")
    scorer = boss.create_scorer("tone", "contains", {"keywords": ["thank"], "no_match_score": 0.25})
    begun = boss.create_eval_run("nightly", scorer["id"], {"agent_id": "bot", "action_type": "look"})
    assert begun["id"].startswith("er_")
    assert (begun["name"], begun["total_actions"]) == ("nightly", 4)
    answer = ended(boss, begun["id"])
    run = answer["run"]
    assert (run["status"], run["scored_count"], run["skipped"]) == ("completed", 3, {"missing_field": 1})
    assert (run["scorer_name"], run["avg_score"]) == ("tone", 0.75)
    assert run["summary"]["n"] == 3
    assert [(each["bucket"], each["count"]) for each in answer["distribution"]] == [("excellent", 2), ("poor", 1)]
    scores = {each["action_id"]: each["score"] for each in boss.get_scores(run_id=run["id"])["scores"]}
    assert scores == dict.fromkeys(thanked, 1) | {other: 0.25}
    assert [each["id"] for each in boss.get_eval_runs(status="completed")["runs"]] == [run["id"]]
    assert boss.get_eval_runs(status="running", limit=5)["runs"] == []
    stats = boss.get_eval_stats(scorer_name="tone", days=7)
    assert (stats["overall"]["total_scores"], stats["overall"]["avg_score"]) == (3, 0.75)
    assert (stats["overall"]["unique_scorers"], stats["overall"]["today_count"]) == (1, 3)
    assert [(each["scorer_name"], each["total_scores"]) for each in stats["by_scorer"]] == [("tone", 3)]
    assert [each["count"] for each in stats["trends"]] == [3]
    boss.delete_scorer(scorer["id"])
    assert boss.get_scores(run_id=run["id"])["total"] == 3
    with pytest.raises(PublishedError) as found:
        boss.create_eval_run("again", scorer["id"])
    assert found.value.members["status"] == 404
    with pytest.raises(PublishedError) as found:
        boss.get_eval_run("er_nobody")
    assert found.value.members["status"] == 404
