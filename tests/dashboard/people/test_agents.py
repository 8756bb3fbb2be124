"""The page Agents, with a real service behind it, and its words by themselves."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from assent import Agent
from assent.contract.people.agents import AgentPresence, Agents
from assent_dashboard.views.addresses import AgentsAddress
from assent_dashboard.views.agents.roster import LOOKS, PresenceLabel, arrange, badge, doing, presence, table
from assent_dashboard.views.blocks import STEP
from tests.dashboard.looker import Looker
from tests.stories.tenant import Tenant

Look = Callable[..., Looker]
NOW = datetime(2026, 11, 20, 14, 2, 7, tzinfo=UTC)
BADGES = "\n".join(badge(each) for each in PresenceLabel)


def at(looker: Looker, **address: str) -> Looker:
    for name, value in address.items():
        looker.page.query_params[name] = value
    return looker.draw()


def beat(house: Tenant, agent_id: str, **more: Any) -> None:
    house.call("POST", "/api/agents/heartbeat", {"agent_id": agent_id, **more}, key="agent")


def lines(looker: Looker) -> str:
    """What is said of the agents, without the explanation of the words."""
    return looker.words.replace(BADGES, "")


def agent(**more: object) -> Agent:
    given = {
        "org_id": "org_1",
        "agent_id": "bot",
        "agent_name": None,
        "status": AgentPresence.ONLINE,
        "said": None,
        "current_task_id": None,
        "metadata": None,
        "first_seen": NOW,
        "last_seen": NOW,
        "last_heartbeat": None,
        "silent_seconds": 0.0,
        "key_id": "key_1",
        "actions": None,
    }
    return Agent(**given | more)  # type: ignore[arg-type]  # members by their names


OFF = AgentPresence.OFFLINE


@pytest.mark.parametrize(
    ("given", "there"),
    [
        (None, PresenceLabel.HISTORY),
        (agent(), PresenceLabel.ONLINE),
        (agent(status=OFF), PresenceLabel.QUIET),
        (agent(status=OFF, said="working", last_heartbeat=NOW), PresenceLabel.SILENT),
        (agent(status=OFF, said="offline", last_heartbeat=NOW), PresenceLabel.SIGNED_OFF),
        # It signed off once, called again, and then fell silent.
        (
            agent(status=OFF, said="offline", last_heartbeat=NOW, last_seen=NOW + timedelta(seconds=1)),
            PresenceLabel.SILENT,
        ),
    ],
)
def test_presence_is_told_apart(given: Agent | None, there: PresenceLabel) -> None:
    assert presence(given) is there


def test_no_presence_is_told_by_its_colour_alone() -> None:
    assert set(LOOKS) == set(PresenceLabel)
    assert len({look.icon for look in LOOKS.values()}) == len(PresenceLabel)
    for each in PresenceLabel:
        assert str(each) in badge(each)
        assert LOOKS[each].means.endswith(".")


def test_what_an_agent_says_of_itself() -> None:
    assert doing(agent(said="working")) == "", "it never sent a heartbeat"
    assert doing(agent(said="working", last_heartbeat=NOW)) == "says it is `working`"
    assert (
        doing(agent(said="busy", current_task_id="t-1", last_heartbeat=NOW)) == "says it is `busy`, at the task `t-1`"
    )


def test_what_is_left_out_of_a_long_list_is_counted() -> None:
    some = [agent(agent_id=f"a-{number}") for number in range(3)]
    page = Agents(agents=some, total=1234, online=1000, offline=234, lastUpdated=NOW)
    assert arrange(page, [], [], [], AgentsAddress()).left_out == 1231


def test_nobody_has_called_yet(look: Look, house: Tenant) -> None:
    looker = look(house, "agents").draw()
    assert "No agent has called yet" in looker.words
    assert "client.heartbeat" in str(looker.page.code[0].value)


def test_the_list_says_who_is_there_and_how(look: Look, house: Tenant) -> None:
    beat(house, "worker", status="paying ![x](http://192.0.2.1)", current_task_id="invoice-1", agent_name="**W**")
    beat(house, "leaver", status="offline")
    house.create("look", agent_id="worker")
    house.call("POST", "/api/agents/connections", {"agent_id": "worker", "connections": [{"provider": "stripe"}]})
    said = lines(look(house, "agents").draw())
    assert "1 online, 1 offline." in said
    assert f"{badge(PresenceLabel.ONLINE)} **worker** · **W**" in said
    assert f"{badge(PresenceLabel.SIGNED_OFF)} **leaver**" in said
    assert "at the task `invoice-1` · 1 action in all · connected to `stripe`" in said
    assert "/agents?agent_id=worker&window=30d" in said


def test_the_list_is_narrowed_in_the_address(look: Look, house: Tenant) -> None:
    beat(house, "worker")
    beat(house, "leaver", status="offline")
    house.call("POST", "/api/agents/connections", {"agent_id": "worker", "connections": [{"provider": "stripe"}]})
    looker = look(house, "agents").draw()
    looker.page.segmented_control(key="agents_presence").set_value(AgentPresence.OFFLINE).run()
    assert "**leaver**" in looker.words
    assert "**worker**" not in looker.words
    assert looker.page.query_params["presence"] in ("offline", ["offline"])
    looker.page.segmented_control(key="agents_presence").set_value("Any presence").run()
    looker.page.selectbox(key="agents_provider").set_value("stripe").run()
    assert "**worker**" in looker.words
    assert "**leaver**" not in looker.words
    assert "No agent fits your choice" in at(look(house, "agents"), provider="nobody").words


def test_an_agent_that_only_stands_in_the_history_is_shown_as_such(look: Look, house: Tenant) -> None:
    # Recorded for another agent by an operator's key: the agent itself has called as little as one that was imported.
    beat(house, "worker")
    with house.client("operator") as client:
        roster = arrange(client.get_agents(), [], [], ["imported"], AgentsAddress())
    assert [row.agent_id for row in roster.unheard] == ["imported"]
    assert table(roster)["presence"].to_list() == ["Online", "History only"]


def test_one_agent_is_opened_with_its_counts(look: Look, house: Tenant) -> None:
    beat(house, "payer", metadata={"version": "![x](http://192.0.2.1)"})
    house.create("look", agent_id="payer", declared_goal="See **this**")
    house.create("pay", agent_id="payer")
    house.send("POST", "/api/actions", {"action_type": "wipe", "agent_id": "payer"}, key="agent")
    house.create("look", agent_id="another")
    house.call(
        "POST",
        "/api/agents/connections",
        {"agent_id": "payer", "connections": [{"provider": "stripe", "status": "error"}]},
    )
    looker = at(look(house, "agents"), agent_id="payer", window="7d")
    found = {metric.label: metric.value for metric in looker.page.metric}
    assert found == {"Actions": "3", "Asked guard": "3", "Blocked": "1", "Approvals asked": "1"}
    assert "1 waiting, 0 allowed, 0 denied, 0 expired" in looker.words
    assert "See **this**" in looker.words, "its signs are made plain"
    for path in ("ledger", "learning", "drift"):
        assert f"/{path}?agent_id=payer&window=7d" in looker.words
    assert "/messages?agent_id=payer" in looker.words
    connections = next(each.value for each in looker.page.dataframe if "Provider" in each.value)
    assert connections.iloc[0]["Provider"] == "stripe"
    assert connections.iloc[0]["Status"] == "error"
    assert "![x](http" not in "".join(str(each.value) for each in looker.page.markdown)


def test_what_a_simulator_made_up_is_told_beside_the_counts(look: Look, house: Tenant) -> None:
    house.create("pay", key="admin", agent_id="payer", source="simulated")
    house.create("look", agent_id="payer")
    said = at(look(house, "agents"), agent_id="payer").words
    assert "never happened: 1 of the 2 decisions." in said


def test_an_agent_nobody_knows_is_told(look: Look, house: Tenant) -> None:
    looker = at(look(house, "agents"), agent_id="nobody-here")
    assert "Nothing is known of the agent `nobody-here`" in looker.words


def test_a_look_again_asks_nothing(look: Look, house: Tenant) -> None:
    beat(house, "worker")
    for address in ({}, {"agent_id": "worker"}):
        looker = at(look(house, "agents"), **address)
        assert looker.requests.take()
        assert looker.draw().requests.take() == []


def test_a_new_signal_or_connection_is_asked_for_at_once(look: Look, house: Tenant) -> None:
    beat(house, "worker")
    looker = look(house, "agents").draw()
    house.call("POST", "/api/agents/connections", {"agent_id": "worker", "connections": [{"provider": "stripe"}]})
    looker.feed.count += 1
    assert "connected to `stripe`" in looker.draw().words


def test_many_are_shown_some_at_a_time(look: Look, house: Tenant) -> None:
    for number in range(STEP + 2):
        beat(house, f"worker-{number:02}")
    looker = look(house, "agents").draw()
    assert "**worker-26**" in looker.words
    assert "**worker-00**" not in looker.words
    assert "**worker-00**" in looker.press("agents_more").words


def test_an_operator_and_an_admin_see_the_same(look: Look, house: Tenant) -> None:
    beat(house, "worker")
    assert "**worker**" in look(house, "agents", "admin").draw().words
    assert "**worker**" in look(house, "agents", "operator").draw().words
