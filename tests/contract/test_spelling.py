"""Both spellings of a member come in; only the published one goes out."""

import re

from hypothesis import given
from hypothesis import strategies as st

from assent.contract.control.guard import OF_GUARD
from assent.contract.operations import ENDPOINTS
from assent.contract.people.agents import ConnectionReport
from assent.contract.record import Record
from assent.contract.spelling import PUBLISHED, respell
from tests.every import every

ITEMS = (ConnectionReport,)
"""What is read, and respelt, item by item."""
NAMES = {
    name
    for endpoint in ENDPOINTS
    for shape in (endpoint.request, endpoint.query, *ITEMS)
    if shape is not None
    for name in shape.__struct_encode_fields__
}
AS_PUBLISHED = {"lastUpdated", "lastEventId", "checkpointCoverage", "approvalRate", "evidenceCompletion", "payloadType"}
"""Published names that are themselves in camel case."""


def camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


@every("spelling, published", sorted(PUBLISHED.items()))
def test_either_spelling_means_the_same(spelling: str, published: str) -> None:
    assert respell({spelling: "x", "other": 1}) == {"other": 1, published: "x"}
    assert respell({published: "x", "other": 1}) == {"other": 1, published: "x"}


@every("spelling, published", sorted(PUBLISHED.items()))
def test_the_published_spelling_wins_unless_it_says_nothing(spelling: str, published: str) -> None:
    assert respell({spelling: "theirs", published: "ours"}) == {published: "ours"}
    assert respell({published: "ours", spelling: "theirs"}) == {published: "ours"}
    assert respell({spelling: "theirs", published: None}) == {published: "theirs"}
    assert respell({spelling: "theirs", published: False}) == {published: False}


@every("spelling, published", sorted(PUBLISHED.items()))
def test_an_alias_is_the_camel_case_of_its_name(spelling: str, published: str) -> None:
    assert spelling == camel(published)


def test_what_published_clients_write_is_known() -> None:
    said = {
        "agentId": "agent_id",
        "parentActionId": "parent_action_id",
        "tokensIn": "tokens_in",
        "ifVersion": "if_version",
    }
    said |= {"includeInactive": "include_inactive", "actorId": "actor_id", "_signature": ""}
    assert {name: PUBLISHED.get(name, "") for name in said} == said
    assert len(PUBLISHED) > 100


def test_every_alias_leads_to_a_member_that_some_operation_has() -> None:
    assert set(PUBLISHED.values()) <= NAMES
    assert set(OF_GUARD.values()) <= NAMES


BODY_MEMBERS = sorted(
    {
        name
        for endpoint in ENDPOINTS
        if endpoint.request is not None
        for name in endpoint.request.__struct_encode_fields__
        if "_" in name.strip("_")
    }
)


@every("name", BODY_MEMBERS)
def test_every_member_of_a_body_can_be_written_in_camel_case(name: str) -> None:
    assert PUBLISHED.get(camel(name)) == name


def test_no_alias_is_a_name_of_its_own() -> None:
    assert not set(PUBLISHED) & NAMES
    assert not set(PUBLISHED) & set(PUBLISHED.values())


def test_words_a_context_may_use_for_its_own_are_left_alone() -> None:
    body = {"to": "a", "from": "b", "type": "c", "action": "d", "intent": "e"}
    assert respell(body) == body


def test_guard_also_takes_what_published_guard_calls_say() -> None:
    assert respell({"action": "deploy", "intent": "ship it"}, OF_GUARD) == {
        "action_type": "deploy",
        "declared_goal": "ship it",
    }
    assert respell({"action": "deploy", "action_type": "test"}, OF_GUARD) == {"action_type": "test"}


def records() -> list[type[Record]]:
    found, waiting = [], [Record]
    while waiting:
        waiting += (below := waiting.pop().__subclasses__())
        found += [each for each in below if each.__module__.startswith("assent.contract.")]
    return found


def test_answers_carry_published_names_only() -> None:
    shapes = records()
    assert len(shapes) > 30
    for shape in shapes:
        odd = [name for name in shape.__struct_encode_fields__ if name != name.lower()]
        assert set(odd) <= AS_PUBLISHED, shape.__name__


@given(st.dictionaries(st.sampled_from([*PUBLISHED, *PUBLISHED.values(), "metadata", "x"]), st.integers()))
def test_respelling_keeps_every_value_that_has_a_place_and_is_done_once(members: dict[str, int]) -> None:
    before = dict(members)
    renamed = respell(members)
    assert members == before
    assert respell(renamed) is renamed
    assert set(renamed) == {PUBLISHED.get(name, name) for name in members}
    assert all(renamed[name] == value for name, value in members.items() if name not in PUBLISHED)
