"""Governed tools of CrewAI, with the real CrewAI in a process of its own and a real service."""

from __future__ import annotations

from pathlib import Path

import pytest

from assent.adapters import crewai
from tests.live import ROOT, start_service
from tests.sdk.adapters.conftest import Runs
from tests.sdk.adapters.environments import Agent
from tests.sdk.adapters.quickstarts import follow
from tests.sdk.adapters.watching import (
    actions,
    ask,
    decide,
    in_sessions,
    sub_agents_in_sessions_of_their_own,
)
from tests.stories.tenant import Tenant

SCRIPT = "crewai_runs.py"
SECRET = "hunter2-hunter2"


def started(runs: Runs, *words: str, **env: str) -> Agent:
    return runs("crewai", SCRIPT, *words, **env)


def test_a_session_around_and_a_question_that_is_answered_by_another_amount(runs: Runs, tenant: Tenant) -> None:
    agent = started(runs, "asked")
    question = ask(tenant, "Why so much?")
    decide(tenant, "allow")
    [said] = agent.end()
    assert sorted(said["ran"]) == ["look a.txt", "pay 3"]
    assert "paid 3" in said["told"]
    first, second = actions(tenant, "pay")
    assert (question["action_id"], question["replaced_by"]) == (first["action_id"], second["action_id"])
    assert [first["status"], second["status"], second["declared_goal"]] == ["cancelled", "completed", "pay(amount=3)"]
    goals = ("look(path='a.txt')", "pay(amount=5)", "pay(amount=3)")
    assert in_sessions(tenant) == dict.fromkeys(goals, ("clerk", "ticket 1"))


def test_sub_agents_in_sessions_of_their_own(runs: Runs, tenant: Tenant) -> None:
    [said] = started(runs, "delegated").end()
    assert sorted(said["ran"]) == ["look begin", "look end", "look reader", "look writer"]
    sub_agents_in_sessions_of_their_own(tenant)


def test_a_crew(runs: Runs, tenant: Tenant) -> None:
    agent = started(runs, "many", "together")
    decide(tenant, "allow")
    agent.wait_for('"ran"')
    decide(tenant, "deny", "not this month", count=2)  # both wait at the same time
    said, together = agent.end()

    assert sorted(said["ran"]) == ["fetch x", "look a.txt", "pay 5"]
    assert "contents of a.txt" in said["told"]
    assert "paid 5" in said["told"]
    assert "fetched x" in said["told"]
    assert len([told for told in said["told"] if "wipe did not run: it is not allowed" in told]) == 2
    assert len([told for told in said["failures"] if "wipe did not run: it is not allowed" in told]) == 2
    assert any("the printer is on fire" in told for told in said["told"])
    assert "no such channel (code: channel_not_found)" in said["told"]
    assert said["final"] == "all is done"

    recorded = {each["action_type"]: each for each in actions(tenant)}
    assert recorded["look"]["status"] == "completed"
    assert recorded["look"]["duration_ms"] is not None
    assert recorded["look"]["metadata"]["tool_description"] == "Read something."
    assert recorded["fetch"]["status"] == "completed"
    assert recorded["broken"]["error_message"] == "RuntimeError: the printer is on fire"
    assert recorded["declared"]["error_message"] == "ToolFailure: no such channel"
    assert {recorded[name]["status"] for name in ("broken", "declared")} == {"failed"}
    # A refusal is not kept in the crew's cache: the second attempt was asked about again.
    assert [each["status"] for each in actions(tenant, "wipe")] == ["blocked", "blocked"]
    assert SECRET not in str(actions(tenant))

    assert together["ran"] == []
    assert len([told for told in together["told"] if "not this month" in told]) == 2
    assert sorted(each["status"] for each in actions(tenant, "pay")) == ["cancelled", "cancelled", "completed"]


def test_models_that_write_down_what_they_call(runs: Runs, tenant: Tenant) -> None:
    agent = started(runs, "written", "awaited", "strict", "observed", "directly", "mistakes")
    decide(tenant, "allow")
    agent.wait_for('"ran"')
    decide(tenant, "allow")
    written, awaited, strict, observed, directly, mistakes = agent.end()
    for said in (written, awaited):
        assert said["ran"] == ["pay 9"]
        assert "paid 9" in str(said["told"])
        assert "wipe did not run: it is not allowed" in str(said["told"])
        assert said["final"] == "all is done"
    assert [each["status"] for each in actions(tenant, "pay")] == ["completed", "completed"]
    assert strict == {"ran": [], "raised": "ToolExecutionFailedError"}
    assert observed == {"ran": ["wipe db-1"], "gave": "wiped"}
    assert directly["ran"] == ["blocking one", "awaiting two", "look a.txt", "coroutine three", "coroutine four"]
    assert directly["gave"] == ["one", "two", "contents of a.txt", "three", "four"]
    assert "pay cannot be awaited" in directly["raised"]
    [look] = actions(tenant, "look")
    assert look["declared_goal"] == "look(path='a.txt')"
    assert "is not a CrewAI tool" in mistakes["errors"][0]
    assert "governed already" in mistakes["errors"][1]


def test_a_tool_that_gives_work_still_to_come_has_failed_and_it_does_not_run(runs: Runs, tenant: Tenant) -> None:
    [said] = started(runs, "later").end()
    assert said["ran"] == []
    assert [text.split(",")[0] for text in said["raised"]] == ["rows gave a generator", "gives gave a coroutine"]
    assert {each["action_type"]: each["status"] for each in actions(tenant)} == {"rows": "failed", "gives": "failed"}


@pytest.mark.parametrize(("said", "keeps"), [("0", True), ("1", False), ("perhaps", False)])
def test_whether_a_result_may_be_kept(said: str, keeps: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failure: ...

    monkeypatch.setattr(crewai, "_failure", lambda: Failure)
    monkeypatch.setenv("ASSENT_TELL_SESSIONS", said)
    assert (crewai.caches({}, "a mail"), crewai.caches({}, Failure())) == (keeps, False)


def test_what_a_session_has_to_hear_of_is_kept_in_no_cache(runs: Runs, tenant: Tenant) -> None:
    """A result from the cache would be told to no session, and what stands in it pass as known to nobody."""
    untold, native = started(runs, "cached").end()[0], {"ran": ["read in", "send zoe@partner.example"]}
    assert untold == native, "without telling, the second session has both from the cache"
    tenant.policy("Where values come from", "flow", {})
    for word, kind in (("cached", True), ("cached_written", False)):
        [said] = started(runs, word, ASSENT_TELL_SESSIONS="1").end()
        assert said["ran"] == ["read in", "read in"]
        sessions = {each["session_id"]: each for each in tenant.call("GET", "/api/flows")["flows"]}
        for session in ("first", "second"):
            assert "untrusted_seen" in sessions[f"{session} {kind}"]["labels"]


def test_a_dead_service_stops_everything(runs: Runs, tenant: Tenant, tmp_path: Path) -> None:
    with start_service(tmp_path / "other") as dead:
        base_url = dead.base_url
    [said] = started(runs, "many", ASSENT_BASE_URL=base_url).end()
    assert said["ran"] == []
    assert len([told for told in said["told"] if "did not run: Assent could not allow it" in told]) == 7


def test_the_example(runs: Runs, tenant: Tenant) -> None:
    tenant.policy("Nobody wipes disks", "block_action_type", {"action_types": ["wipe_disk"]})
    agent = runs("crewai", ROOT / "sdk" / "examples" / "crewai_example.py")
    decide(tenant, "allow")
    output = agent.output()
    assert "invoice 17: 120 EUR" in output
    assert "wipe_disk did not run: it is not allowed" in output
    assert "paid 120 EUR for invoice 17" in output
    assert output.endswith("Invoice 17 is done.\n")


def test_the_quickstart(runs: Runs, tenant: Tenant, tmp_path: Path) -> None:
    follow("crewai_agent.py", "crewai", runs, tmp_path)
    # Both are of one turn of the model, and may begin in one millisecond.
    assert sorted(each["status"] for each in actions(tenant)) == ["blocked", "completed"]
