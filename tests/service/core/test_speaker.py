"""Whose sign of life a request is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from assent.contract.control.actions import CREATE_ACTION, GET_ACTIONS, CreateAction
from assent.contract.control.guard import Source
from assent.contract.exchange.messages import SEND_MESSAGE
from assent.contract.health import HEALTH
from assent.contract.people.keys import CREATE_KEY
from assent.contract.roles import Role
from assent_service.core.principal import Principal
from assent_service.core.speaker import speaker_of


def key(agent_id: str | None) -> Principal:
    return Principal("org", "key", "key", Role.AGENT, agent_id)


@pytest.mark.parametrize(
    ("bound", "body", "agent"),
    [
        (None, {}, None),
        (None, {"agent_id": "a"}, "a"),
        (None, {"agent_id": ""}, ""),
        ("own", {}, "own"),
        ("own", {"agent_id": "a"}, "own"),
        (None, {"agent_id": "a", "source": Source.LIVE}, "a"),
        (None, {"agent_id": "a", "source": Source.IMPORT}, None),
        ("own", {"source": Source.SIMULATED}, None),
        ("own", {"occurred_at": datetime(2026, 1, 1, tzinfo=UTC)}, None),
    ],
)
def test_a_creation(bound: str | None, body: dict[str, Any], agent: str | None) -> None:
    speaker = speaker_of(CREATE_ACTION)
    assert speaker is not None
    assert speaker(key(bound), CreateAction(action_type="look", **body)) == agent


def test_a_question_shows_only_the_agent_that_its_key_is_bound_to() -> None:
    speaker = speaker_of(GET_ACTIONS)
    assert speaker is not None
    assert (speaker(key(None), None), speaker(key("own"), None)) == (None, "own")


def test_a_message_is_its_senders() -> None:
    speaker = speaker_of(SEND_MESSAGE)
    assert speaker is not None
    assert SEND_MESSAGE.request is not None
    assert speaker(key(None), SEND_MESSAGE.request(body="hello", from_agent_id="a")) == "a"


def test_what_agents_may_not_call_shows_none_of_them() -> None:
    assert speaker_of(CREATE_KEY) is None
    assert speaker_of(HEALTH) is None
