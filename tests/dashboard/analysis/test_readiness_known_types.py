"""Unknown types on the readiness page, each accepted with one press, against a real service."""

from __future__ import annotations

from collections.abc import Callable

from tests.dashboard.looker import Looker
from tests.stories.tenant import Tenant

Look = Callable[..., Looker]


def test_an_unknown_type_is_accepted_with_one_press(look: Look, house: Tenant) -> None:
    assert "Known types of action" not in look(house, "readiness").draw().words
    house.policy("What we do", "known_types", {"action_types": ["read"]})
    for said in ("invent", "Invent"):
        house.call("POST", "/api/guard", {"action_type": said, "agent_id": "bot"}, key="agent")
    looker = look(house, "readiness").draw()
    assert "1 type is known. Agents asked about 1 unknown type in the last 30 days." in looker.words
    assert "**invent** :gray[2 times, last" in looker.words
    assert "by bot]" in looker.words
    looker.press("accept-0")
    assert "2 types are known. No other was asked about in the last 30 days." in looker.words
    answer = house.call("POST", "/api/guard", {"action_type": "INVENT", "agent_id": "bot"}, key="agent")
    assert answer["decision"] == "allow"
