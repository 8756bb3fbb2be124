"""Who is sent what."""

import msgspec
import pytest
from msgspec import UNSET, UnsetType

from assent.contract.events import PRIVATE, EventName, StreamQuery
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.problem import Refusal
from assent_service.evidence.events.choice import choose
from assent_service.evidence.events.frames import StreamFrame
from tests.service.evidence.events.serving import reader


def made(agent: str | UnsetType | None, name: str = "action.created") -> StreamFrame:
    return StreamFrame(1, name, agent, b"")


@pytest.mark.parametrize(
    ("asked", "agent", "sent"),
    [
        (None, "bot", True),
        (None, None, True),
        (None, UNSET, True),
        ("bot", "bot", True),
        ("bot", "other", False),
        ("bot", None, False),
        ("bot", UNSET, True),
    ],
)
def test_the_agent_filter_and_a_bound_key_are_the_same(asked: str | None, agent: str | None, sent: bool) -> None:
    assert choose(reader(), StreamQuery(agent_id=asked)).takes(made(agent)) is sent
    bound = choose(reader(role=Role.AGENT, agent_id=asked), StreamQuery())
    assert bound.takes(made(agent)) is sent


@pytest.mark.parametrize(("reads_as", "sent"), [(None, True), ("bot", True), ("desk", True), ("other", False)])
def test_what_is_for_some_is_for_nobody_else(reads_as: str | None, sent: bool) -> None:
    message = StreamFrame(1, "message.created", UNSET, b"", frozenset({"bot", "desk"}))
    assert choose(reader(), StreamQuery(agent_id=reads_as)).takes(message) is sent
    assert choose(reader(role=Role.AGENT, agent_id=reads_as), StreamQuery()).takes(message) is sent


@pytest.mark.parametrize(
    ("audience", "sent"),
    [({"bot", "desk"}, False), ({"bot"}, False), ({"bot", "other"}, True), ({"other"}, True), (None, True)],
)
def test_a_key_of_nobody_is_not_told_what_agents_with_keys_of_their_own_say(
    audience: set[str] | None, sent: bool
) -> None:
    shared = msgspec.structs.replace(reader(role=Role.AGENT), private={"bot", "desk"})
    message = StreamFrame(1, "message.created", UNSET, b"", None if audience is None else frozenset(audience))
    assert choose(shared, StreamQuery()).takes(message) is sent
    assert choose(reader(role=Role.AGENT), StreamQuery()).takes(message)


def test_a_bound_key_cannot_ask_for_another_agent() -> None:
    with pytest.raises(Refusal) as refusal:
        choose(reader(role=Role.AGENT, agent_id="bot"), StreamQuery(agent_id="other"))
    assert refusal.value.code is Code.AGENT_MISMATCH


def test_types_keep_the_named_ones() -> None:
    choice = choose(reader(), StreamQuery(types=" action.updated,halt.changed ,"))
    assert choice.takes(made(None, "halt.changed"))
    assert choice.takes(made(None, "action.updated"))
    assert not choice.takes(made(None, "action.created"))


@pytest.mark.parametrize("types", ["", ",", None])
def test_no_types_are_all(types: str | None) -> None:
    assert choose(reader(), StreamQuery(types=types)).takes(made(None, "policy.updated"))


@pytest.mark.parametrize("name", ["action.update", *sorted(PRIVATE)])
def test_what_is_not_on_the_stream_cannot_be_asked_for(name: str) -> None:
    with pytest.raises(Refusal) as refusal:
        choose(reader(), StreamQuery(types=f"action.created,{name}"))
    assert refusal.value.code is Code.INVALID_QUERY
    assert name in refusal.value.detail
    for known in set(EventName) - PRIVATE:
        assert known in refusal.value.detail
