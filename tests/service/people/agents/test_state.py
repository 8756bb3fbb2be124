"""Memory: bounded, and the same whichever way it comes in."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from assent.contract.people.agents import Heartbeat
from assent_service.base.clock import moment
from assent_service.core.payload import encode
from assent_service.people.agents.presence import heard, new_agent
from assent_service.people.agents.state import AgentState
from assent_service.store.event import Draft, Event
from assent_service.store.event import encode as encode_event
from tests.service.people.agents.parts import MINUTE, NOON, Hands, opened, somebody

AT = moment(NOON)


def test_one_too_many_puts_out_the_one_unheard_of_for_the_longest_time() -> None:
    state = AgentState(most=2)
    for number, agent_id in enumerate(("a", "b")):
        state.know(new_agent("org", agent_id, f"agt_{agent_id}", AT + timedelta(seconds=number), "k"))
    entry = state.call("org", "a", NOON + 5_000_000, "k2")
    assert entry is not None
    assert (entry.known.last_seen, entry.known.key_id) == (AT + timedelta(seconds=5), "k2")
    assert state.call("org", "unknown", NOON, "k") is None
    state.know(new_agent("org", "c", "agt_c", AT + timedelta(seconds=6), "k"))
    state.know(new_agent("elsewhere", "b", "agt_d", AT, "k"))
    assert [each.agent_id for each in state.of("org")] == ["a", "c"]
    assert [each.agent_id for each in state.of("elsewhere")] == ["b"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 400), st.booleans()), max_size=12))
def test_what_comes_in_while_an_event_is_written_stays(steps: list[tuple[str, int, bool]]) -> None:
    """Each step is a heartbeat; some are recorded, and folded one step later, when memory is ahead already."""
    state, at, late = AgentState(), AT, None
    for agent_id, seconds, recorded in steps:
        at += timedelta(seconds=seconds)
        entry = state.find("org", agent_id)
        known = entry.known if entry else new_agent("org", agent_id, f"agt_{agent_id}", at, "k")
        now = heard(known, Heartbeat(status=f"at {seconds}"), at, "k")
        state.know(now)
        if late is not None:
            state.fold(late)
        late = _event(encode(now), agent_id) if recorded else None
        after = state.find("org", agent_id)
        assert after is not None
        assert after.known == now


def _event(data: bytes, agent_id: str) -> Event:
    draft = Draft(org="org", type="agent.heartbeat", ts=NOON, subject=f"agt_{agent_id}", actor="k", data=data)
    return encode_event(draft, 1, 1, 0, b"0" * 16, 1, 0)[0]


async def test_loaded_is_the_same_as_folded(tmp_path: Path) -> None:
    clock = Hands()
    async with opened(tmp_path, clock) as parts:
        for number in range(30):
            clock.now += MINUTE
            parts.agents.heartbeat(somebody(), Heartbeat(agent_id=f"bot-{number % 7}", status=f"s{number}"))
            await parts.recorder.record()
        alive = parts.agents.state.of("org_a")
        folded = AgentState()
        for event in await parts.events():
            folded.fold(event)
        loaded = AgentState()
        loaded.load(parts.ledger.read_now)
    assert folded.of("org_a") == loaded.of("org_a") == alive
    assert len(alive) == 7
