"""Governed tools of the OpenAI Agents SDK, with the real SDK in a process of its own and a real service."""

from __future__ import annotations

from pathlib import Path

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

SCRIPT = "openai_agents_runs.py"
SECRET = "hunter2-hunter2"


def started(runs: Runs, *words: str, **env: str) -> Agent:
    return runs("openai-agents", SCRIPT, *words, **env)


def test_many_calls_of_one_turn(runs: Runs, tenant: Tenant) -> None:
    agent = started(runs, "many", "blocking")
    waited = decide(tenant, "allow", count=2)  # both at the same time, so one does not hold up the other
    decide(tenant, "deny", "not this month")
    said, through_the_synchronous_door = agent.end()

    assert sorted(said["ran"]) == ["look a.txt", "pay 5", "pay 7"]
    told = said["outputs"]
    assert told["look"] == "contents of a.txt"
    assert "wipe did not run: it is not allowed" in told["wipe"]
    assert told["pay-5"] == "paid 5"
    assert told["broken"].startswith("An error occurred while running the tool")
    assert told["told"] == "told by the owner: no paper"
    assert told["slow"] == "Tool 'slow' timed out after 0.05 seconds."

    recorded = {each["action_type"]: each for each in actions(tenant)}
    assert recorded["look"]["status"] == "completed"
    assert recorded["look"]["duration_ms"] is not None
    assert recorded["look"]["metadata"]["tool_description"] == "Read something."
    assert recorded["wipe"]["status"] == "blocked"
    assert recorded["wipe"]["action_id"] in told["wipe"]
    assert recorded["broken"]["status"] == "failed"
    assert recorded["broken"]["error_message"] == "RuntimeError: the printer is on fire"
    assert recorded["told"]["error_message"] == "RuntimeError: no paper"
    assert recorded["slow"]["status"] == "failed"
    assert recorded["slow"]["duration_ms"] < 20_000
    assert {each["declared_goal"] for each in waited} == {"pay(amount=5)", "pay(amount=7)"}
    assert [each["status"] for each in actions(tenant, "pay")] == ["completed", "completed", "cancelled"]
    assert SECRET not in str(actions(tenant))
    assert "host='db-1'" in recorded["wipe"]["declared_goal"]

    assert through_the_synchronous_door["ran"] == []
    denied = through_the_synchronous_door["outputs"]["pay-5"]
    assert "a person denied it" in denied
    assert "not this month" in denied


def test_a_session_around_and_a_question_that_is_answered_by_another_amount(runs: Runs, tenant: Tenant) -> None:
    agent = started(runs, "asked")
    question = ask(tenant, "Why so much?")
    decide(tenant, "allow")
    [said] = agent.end()
    assert sorted(said["ran"]) == ["look a.txt", "pay 3"]
    assert said["outputs"]["pay-5"] == "paid 3"
    first, second = actions(tenant, "pay")
    assert (question["action_id"], question["replaced_by"]) == (first["action_id"], second["action_id"])
    assert [first["status"], second["status"], second["declared_goal"]] == ["cancelled", "completed", "pay(amount=3)"]
    goals = ("look(path='a.txt')", "pay(amount=5)", "pay(amount=3)")
    assert in_sessions(tenant) == dict.fromkeys(goals, ("clerk", "ticket 1"))


def test_sub_agents_in_sessions_of_their_own(runs: Runs, tenant: Tenant) -> None:
    [said] = started(runs, "delegated").end()
    assert sorted(said["ran"]) == ["look begin", "look end", "look reader", "look writer"]
    sub_agents_in_sessions_of_their_own(tenant)


def test_a_dead_service_stops_everything(runs: Runs, tenant: Tenant, tmp_path: Path) -> None:
    with start_service(tmp_path / "other") as dead:
        base_url = dead.base_url
    [said] = started(runs, "many", ASSENT_BASE_URL=base_url).end()
    assert said["ran"] == []
    assert all("did not run: Assent could not allow it" in told for told in said["outputs"].values())
    assert len(said["outputs"]) == 7


def test_a_tool_that_gives_work_still_to_come_has_failed_and_it_does_not_run(runs: Runs, tenant: Tenant) -> None:
    [said] = started(runs, "later").end()
    assert said["ran"] == []
    messages = {each["action_type"]: each["error_message"] for each in actions(tenant)}
    assert messages["rows"].startswith("TypeError: rows gave a generator, which would run after its action was over;")
    assert messages["gives"].startswith("TypeError: gives gave a coroutine")
    assert {each["action_type"]: each["status"] for each in actions(tenant)} == {"rows": "failed", "gives": "failed"}


def test_what_a_model_leaves_out_is_asked_about_with_its_default(runs: Runs, tenant: Tenant) -> None:
    [said] = started(runs, "left_out").end()
    assert said["ran"] == ["send zanzibar7731"] * 2
    goals = sorted(each["declared_goal"] for each in actions(tenant))
    assert goals == ["send(owner='a', recipient='zanzibar7731')"] * 2 + ["send(recipient='zanzibar7731')"] * 2


def test_ways_to_refuse(runs: Runs, tenant: Tenant) -> None:
    words = ("short", "observed", "raising", "ended", "impatient", "own", "mistakes")
    said = dict(zip(words, started(runs, *words).end(), strict=True))

    assert said["short"]["ran"] == []
    assert "nobody has approved it yet" in said["short"]["outputs"]["pay-5"]
    assert said["observed"]["ran"] == ["wipe db-1"]
    assert said["observed"]["outputs"] == {"wipe": "wiped"}
    assert said["raising"] == {"ran": [], "cause": "GuardBlockedError"}
    assert said["ended"]["cause"] == "no printer"
    [action] = actions(tenant, "fatal")
    assert (action["status"], action["error_message"]) == ("failed", "RuntimeError: no printer")
    assert said["impatient"] == {"ran": [], "raised": "ApprovalTimeoutError"}
    assert [each["status"] for each in actions(tenant, "pay")] == ["cancelled", "pending_approval"]

    own = said["own"]
    assert own["ran"] == ["read a.txt"]
    assert own["interruptions"] == ["left-out", "secret"]
    assert own["asked"] == [{"path": "a.txt"}, {"path": "secret.txt"}]

    errors = said["mistakes"]["errors"]
    kinds = ["TypeError", *["ValueError"] * 5, "TypeError"]
    assert [error.split(":")[0] for error in errors] == kinds
    parts = [
        *("no function tool", "governed already", "needs_approval of its own", "give it to settle"),
        *("'never'", "'ignore'", "Client"),
    ]
    assert [part for part, error in zip(parts, errors, strict=True) if part not in error] == []


def test_an_interrupted_run_goes_on_in_another_process_after_its_approval(runs: Runs, tenant: Tenant) -> None:
    [stopped] = started(runs, "interrupted").end()
    assert stopped["interruptions"] == ["pay"]
    assert stopped["ran"] == ["look a.txt"]
    [waiting] = actions(tenant, "pay")
    assert waiting["status"] == "pending_approval"

    # Somebody says that it was approved; then the service is asked; then the same kept state is used once more.
    agent = started(runs, "resumed:pretends", "resumed:asks", "resumed:pretends")
    agent.wait_for("nobody has approved it yet")
    decide(tenant, "allow")
    pretended, asked, again = agent.end()
    assert pretended["ran"] == []
    assert "nobody has approved it yet" in pretended["outputs"]["pay-5"]
    assert (asked["ran"], asked["outputs"]["pay-5"], asked["interruptions"]) == (["pay 5"], "paid 5", [])
    assert again["ran"] == []
    assert "completed already" in again["outputs"]["pay-5"]
    [action] = actions(tenant, "pay")
    assert (action["action_id"], action["status"]) == (waiting["action_id"], "completed")
    assert len(actions(tenant, "look")) == 1


def test_an_interrupted_run_goes_on_without_what_was_denied(runs: Runs, tenant: Tenant) -> None:
    agent = started(runs, "interrupted", "resumed:asks", "resumed:pretends")
    decide(tenant, "deny", "too much")
    _, *later = agent.end()
    for said in later:
        assert said["ran"] == []
        assert "a person denied it" in said["outputs"]["pay-5"]
        assert "too much" in said["outputs"]["pay-5"]


def test_the_example(runs: Runs, tenant: Tenant) -> None:
    tenant.policy("Nobody wipes disks", "block_action_type", {"action_types": ["wipe_disk"]})
    agent = runs("openai-agents", ROOT / "sdk" / "examples" / "openai_agents_example.py")
    decide(tenant, "allow")
    output = agent.output()
    assert "invoice 17: 120 EUR" in output
    assert "wipe_disk did not run: it is not allowed" in output
    assert "paid 120 EUR for invoice 17" in output
    assert output.endswith("Invoice 17 is done.\n")


def test_the_quickstart(runs: Runs, tenant: Tenant, tmp_path: Path) -> None:
    follow("openai_agents_agent.py", "openai-agents", runs, tmp_path)
    # Both are of one turn of the model, and may begin in one millisecond.
    assert sorted(each["status"] for each in actions(tenant)) == ["blocked", "completed"]
