"""What one call keeps of a section, with nouns that only note what they were given."""

from __future__ import annotations

from typing import Any, cast

import pytest

from assent.contract.exchange.sync import LARGEST, Section, SyncState
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.problem import Refusal, refuse
from assent_service.core.principal import Principal
from assent_service.exchange.sync import NAMED, Keep, Sync, SyncedNouns

WHO = Principal("org_1", "key_1", "a key", Role.AGENT, None)


class Notes:
    """Stands for the nouns. `refusing` says which items are refused, and how."""

    def __init__(self, **refusing: Code) -> None:
        self.kept: list[tuple[Section, str | None, dict[str, Any]]] = []
        self.refusing = refusing

    def keeper(self, section: Section, part: str | None = None) -> Keep:
        async def keep(principal: Principal, item: dict[str, Any]) -> None:
            if item.get("name") in self.refusing:
                raise refuse(self.refusing[str(item["name"])], f"not {item['name']}")
            self.kept.append((section, part, item))

        return keep


def sync(notes: Notes) -> Sync:
    return Sync(cast(SyncedNouns, notes))


async def test_more_than_a_section_takes_is_named_and_the_rest_kept() -> None:
    notes = Notes()
    most = LARGEST[Section.SNIPPETS]
    items: list[Any] = [{"name": f"s{number}"} for number in range(most + 3)]
    answer = await sync(notes).state(WHO, SyncState(snippets=items))
    result = answer.results["snippets"]
    assert (result.synced, result.failed, len(notes.kept)) == (most, 3, most)
    assert [(error.index, error.code) for error in result.errors] == [
        (most, "payload_too_large"),
        (most + 1, "payload_too_large"),
        (most + 2, "payload_too_large"),
    ]


async def test_of_many_errors_the_first_are_named_and_all_counted() -> None:
    notes = Notes(bad=Code.INVALID_BODY)
    answer = await sync(notes).state(WHO, SyncState(goals=[{"name": "bad"}] * (NAMED + 7), content=[{"name": "good"}]))
    result = answer.results["goals"]
    assert (result.synced, result.failed, len(result.errors)) == (0, NAMED + 7, NAMED)
    assert (answer.total_synced, answer.total_errors) == (1, NAMED + 7)


@pytest.mark.parametrize("code", [Code.STORAGE_UNAVAILABLE, Code.READ_ONLY, Code.PROJECTION_BEHIND])
async def test_what_the_service_cannot_do_is_no_fault_of_an_item(code: Code) -> None:
    with pytest.raises(Refusal) as refused:
        await sync(Notes(bad=code)).state(WHO, SyncState(goals=[{"name": "good"}, {"name": "bad"}]))
    assert refused.value.code is code


async def test_actions_are_kept_in_their_order_and_agents_filled_in() -> None:
    notes = Notes()
    items: list[Any] = [{"name": str(number)} for number in range(50)] + [{"name": "other", "agentId": "b"}]
    await sync(notes).state(WHO, SyncState(agent_id="a", actions=items))
    assert [item["name"] for _, _, item in notes.kept] == [*(str(number) for number in range(50)), "other"]
    assert [item.get("agent_id") for _, _, item in notes.kept] == ["a"] * 50 + [None]


async def test_preferences_are_four_lists_with_one_count() -> None:
    notes = Notes()
    lists: dict[str, list[Any]] = {"observations": [{"name": "o"}], "habits": [{"name": "h"}], "moods": [{"name": "m"}]}
    answer = await sync(notes).state(WHO, SyncState(preferences=lists, memory={"name": "all"}))
    assert [(section, part) for section, part, _ in notes.kept] == [
        (Section.MEMORY, None),
        (Section.PREFERENCES, "observations"),
        (Section.PREFERENCES, "moods"),
    ]
    assert [(error.index, error.code) for error in answer.results["preferences"].errors] == [(1, "invalid_body")]
