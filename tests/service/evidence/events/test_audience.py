"""For whom an event is."""

import json
from typing import Any

import pytest

from assent_service.evidence.events.frames import audience


@pytest.mark.parametrize(
    ("name", "payload", "agents"),
    [
        ("message.created", {"from_agent_id": "a", "to_agent_id": "b"}, {"a", "b"}),
        ("message.created", {"from_agent_id": "a", "to_agent_id": None}, None),
        ("message.created", {"from_agent_id": "a", "to_agent_id": None, "audience": []}, None),
        ("message.created", {"from_agent_id": "a", "to_agent_id": None, "audience": ["b", "c", "a"]}, {"a", "b", "c"}),
        ("message_thread.created", {"participants": ["b", "c"], "created_by": "a"}, {"a", "b", "c"}),
        ("message_thread.updated", {"participants": ["b"], "created_by": None}, {"b"}),
        ("message_thread.updated", {"participants": [], "created_by": "a"}, None),
        ("action.created", {"from_agent_id": "a", "to_agent_id": "b", "participants": ["c"]}, None),
    ],
)
def test_who_is_named_alone(name: str, payload: dict[str, Any], agents: set[str] | None) -> None:
    assert audience(name, json.dumps(payload).encode()) == agents
