"""Open loops and signals, by agents that already have a client."""

from __future__ import annotations

import pytest

from tests.stories.published.client import PublishedClient, PublishedError


def test_a_loop_from_its_registration_to_its_end(agent: PublishedClient, boss: PublishedClient) -> None:
    action_id = agent.create_action("look", "See what is there")["action_id"]
    made = agent.register_open_loop(action_id, "dependency", "the bank's answer", priority="critical", owner="finance")
    loop, loop_id = made["loop"], made["loop_id"]
    assert (loop["loop_id"], loop["action_id"], loop["agent_id"]) == (loop_id, action_id, "bot")
    assert (loop["loop_type"], loop["status"], loop["priority"]) == ("dependency", "open", "critical")
    assert (loop["owner"], loop["resolution"], loop["resolved_at"]) == ("finance", None, None)
    assert (loop["declared_goal"], loop["action_type"]) == ("See what is there", "look")
    other = agent.register_open_loop(action_id, "question", "which account?", loop_id="mine")["loop"]
    assert (other["loop_id"], other["priority"]) == ("mine", "medium")
    page = boss.get_open_loops(status="open", limit=1)
    assert ([each["loop_id"] for each in page["loops"]], page["total"]) == (["mine"], 2)
    assert (page["stats"]["open_count"], page["stats"]["critical_open"], page["stats"]["resolved_count"]) == (2, 1, 0)
    assert [each["loop_id"] for each in agent.get_open_loops(limit=1, offset=1)["loops"]] == [loop_id]
    done = agent.resolve_open_loop(loop_id, "resolved", "it came")["loop"]
    assert (done["status"], done["resolution"]) == ("resolved", "it came")
    assert done["resolved_at"] is not None
    assert agent.resolve_open_loop("mine", "cancelled")["loop"]["status"] == "cancelled"
    assert agent.get_open_loops(status="open")["total"] == 0
    assert agent.get_open_loops(loop_type="question", status="cancelled", agent_id="bot")["total"] == 1
    loops = agent.get_action_trace(action_id)["trace"]["loops"]
    assert (loops["total"], loops["open"], loops["resolved"], loops["cancelled"]) == (2, 0, 1, 1)


def test_the_action_shows_what_is_open(agent: PublishedClient) -> None:
    action_id = agent.create_action("look", "See")["action_id"]
    loop_id = agent.register_open_loop(action_id, "review", "look again")["loop_id"]
    assert [each["loop_id"] for each in agent.get_action(action_id)["open_loops"]] == [loop_id]
    agent.resolve_open_loop(loop_id, "cancelled")
    assert agent.get_action(action_id)["open_loops"] == []


def test_what_a_loop_is_refused_for(agent: PublishedClient) -> None:
    action_id = agent.create_action("look", "See")["action_id"]
    loop_id = agent.register_open_loop(action_id, "review", "look again")["loop_id"]
    with pytest.raises(PublishedError, match="resolution is required"):
        agent.resolve_open_loop(loop_id, "resolved")
    with pytest.raises(PublishedError, match="There is no action"):
        agent.register_open_loop("act_nobody", "review", "look again")
    with pytest.raises(PublishedError, match="There is no loop"):
        agent.resolve_open_loop("loop_nobody", "cancelled")
    agent.resolve_open_loop(loop_id, "cancelled")
    with pytest.raises(PublishedError, match="is cancelled already"):
        agent.resolve_open_loop(loop_id, "resolved", "after all")


def test_signals(agent: PublishedClient, boss: PublishedClient) -> None:
    quiet = agent.get_signals()
    assert (quiet["signals"], quiet["counts"]) == ([], {"red": 0, "amber": 0, "total": 0})
    for _ in range(6):
        agent.update_outcome(agent.create_action("look", "See")["action_id"], status="failed")
    denied = agent.create_action("pay", "Pay it")["action_id"]
    boss.approve_action(denied, "deny", "no")
    agent.update_outcome(denied, status="completed")
    found = boss.get_signals()
    assert [(each["type"], each["severity"]) for each in found["signals"]] == [
        ("repeated_failures", "red"),
        ("outcome_without_approval", "red"),
    ]
    failures, unallowed = found["signals"]
    assert (failures["agent_id"], unallowed["agent_id"], unallowed["action_id"]) == ("bot", "bot", denied)
    assert all(each["label"] and each["detail"] and each["help"] for each in found["signals"])
    assert found["counts"] == {"red": 2, "amber": 0, "total": 2}
    if agent.version == "2.1.0":
        warned = agent.guard({"action_type": "look"}, include_signals=True)["warnings"]
        assert warned[0] == f"Active signal: repeated_failures — {failures['label']}"
