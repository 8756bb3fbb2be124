"""What an agent's signs of life amount to, by hand and by property."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from assent.contract.people.agents import AgentPresence, AgentRow, Heartbeat
from assent_service.people.agents.presence import after_call, as_answer, due, heard, new_agent, online, silent

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
MINUTE, TEN = timedelta(minutes=1), timedelta(minutes=10)
TICK = timedelta(microseconds=1)


def new() -> AgentRow:
    return new_agent("org_1", "bot", "agt_1", NOON, "key_1")


def test_one_that_only_called_has_said_nothing() -> None:
    agent = after_call(new(), NOON + MINUTE, "key_2")
    assert (agent.first_seen, agent.last_seen, agent.key_id) == (NOON, NOON + MINUTE, "key_2")
    assert (agent.said, agent.last_heartbeat, agent.agent_name) == (None, None, None)
    assert not silent(agent, NOON + timedelta(days=9), TEN)


def test_what_a_heartbeat_says_replaces_what_the_last_one_said_but_for_the_name() -> None:
    said = Heartbeat(agent_name="Bot", status="busy", current_task_id="t-1", metadata={"load": 2})
    agent = heard(new(), said, NOON + MINUTE, "key_1")
    assert (agent.agent_name, agent.said, agent.current_task_id, agent.metadata) == ("Bot", "busy", "t-1", {"load": 2})
    assert agent.last_heartbeat == agent.last_seen == NOON + MINUTE
    again = heard(agent, Heartbeat(), NOON + 2 * MINUTE, "key_1")
    assert (again.agent_name, again.said, again.current_task_id, again.metadata) == ("Bot", "online", None, None)


@pytest.mark.parametrize(("after", "there"), [(timedelta(0), True), (TEN, True), (TEN + TICK, False)])
def test_online_is_who_was_heard_of_lately(after: timedelta, there: bool) -> None:
    assert online(new(), NOON + after, TEN) is there
    answer = as_answer(new(), NOON + after, TEN)
    assert answer.status is (AgentPresence.ONLINE if there else AgentPresence.OFFLINE)
    assert answer.silent_seconds == after.total_seconds()


def test_one_that_signs_off_is_gone_at_once_and_not_silent_until_it_calls_again() -> None:
    off = heard(new(), Heartbeat(status="offline"), NOON + MINUTE, "key_1")
    assert not online(off, NOON + MINUTE, TEN)
    assert not silent(off, NOON + timedelta(days=1), TEN)
    back = after_call(off, NOON + 2 * MINUTE, "key_1")
    assert online(back, NOON + 2 * MINUTE, TEN)
    assert silent(back, NOON + timedelta(days=1), TEN)


def test_silent_is_who_sent_a_heartbeat_once_and_then_nothing_at_all() -> None:
    agent = heard(new(), Heartbeat(), NOON, "key_1")
    assert not silent(agent, NOON + TEN, TEN)
    assert silent(agent, NOON + TEN + TICK, TEN)
    # A call that is no heartbeat shows that it is there, too.
    assert not silent(after_call(agent, NOON + TEN, "key_1"), NOON + TEN + TICK, TEN)


def test_recorded_is_what_is_new_and_else_once_in_a_while() -> None:
    recorded = heard(new(), Heartbeat(agent_name="Bot"), NOON, "key_1")
    assert due(new(), None, TEN)
    assert not due(recorded, recorded, TEN)
    assert not due(heard(recorded, Heartbeat(metadata={"load": 9}), NOON + MINUTE, "key_1"), recorded, TEN)
    assert not due(after_call(recorded, NOON + TEN - TICK, "key_1"), recorded, TEN)
    assert due(after_call(recorded, NOON + TEN, "key_1"), recorded, TEN)
    for news in (Heartbeat(status="busy"), Heartbeat(current_task_id="t"), Heartbeat(agent_name="Tob")):
        assert due(heard(recorded, news, NOON, "key_1"), recorded, TEN)


@given(st.lists(st.tuples(st.integers(-600, 600), st.booleans()), max_size=20))
def test_a_clock_that_steps_back_makes_nobody_younger(steps: list[tuple[int, bool]]) -> None:
    agent, at = new(), NOON
    for seconds, beats in steps:
        at += timedelta(seconds=seconds)
        before = agent
        agent = heard(agent, Heartbeat(), at, "k") if beats else after_call(agent, at, "k")
        assert agent.last_seen == max(before.last_seen, at)
        assert agent.first_seen == NOON
        assert replace(agent, last_seen=NOON, last_heartbeat=None, said=None, key_id=None) == replace(
            new(), last_seen=NOON, key_id=None
        )
        if beats:
            assert agent.last_heartbeat == agent.last_seen
    assert as_answer(agent, NOON, TEN).silent_seconds == 0 or agent.last_seen < NOON
