"""What becomes of a prompt, without a service."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from assent.contract.exchange.prompts import (
    CreatePromptTemplate,
    CreatePromptVersion,
    PromptTemplateRow,
    UpdatePromptTemplate,
)
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.problem import Refusal
from assent_service.core.principal import Principal
from assent_service.exchange.prompts.template import (
    activated,
    after,
    as_answer,
    begun,
    changed,
    deleted,
    extended,
    version_answer,
)

NOON_US = 1_772_452_800_000_000
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
LATER_US, LATER = NOON_US + 60_000_000, datetime(2026, 3, 2, 12, 1, tzinfo=UTC)
ANN = Principal("org_1", "key_ann", "Ann", Role.OPERATOR, None)
BEN = Principal("org_1", "key_ben", "Ben", Role.OPERATOR, None)


def a_template() -> PromptTemplateRow:
    return begun(CreatePromptTemplate(name="Greeting"), ANN, "pt_1", NOON_US)


def test_a_prompt_begins_without_a_version() -> None:
    template = a_template()
    assert (template.name, template.description, template.category) == ("Greeting", "", "general")
    assert (template.version_count, template.active_version, template.active_version_id) == (0, None, None)
    assert (template.org_id, template.created_by, template.created_at, template.updated_at) == (
        "org_1",
        "key_ann",
        NOON,
        NOON,
    )
    assert as_answer(template).id == "pt_1"


def test_only_what_is_said_changes() -> None:
    start = a_template()
    found = changed(start, UpdatePromptTemplate(description="says hello"), BEN, LATER_US)
    assert (found.name, found.description, found.category) == ("Greeting", "says hello", "general")
    assert (found.updated_by, found.updated_at, found.created_by) == ("key_ben", LATER, "key_ann")
    assert changed(found, UpdatePromptTemplate(description="says hello", name="Greeting"), ANN, LATER_US + 1) is found
    assert changed(start, UpdatePromptTemplate(), BEN, LATER_US) is start
    assert changed(found, UpdatePromptTemplate(description=""), ANN, LATER_US).description == ""
    assert changed(found, UpdatePromptTemplate(category="mail"), ANN, LATER_US).category == "mail"


def test_versions_count_up_and_none_is_active_by_itself() -> None:
    template = a_template()
    said = CreatePromptVersion(content="{{ b }} {{a}} {{ b }}", parameters=["a", {"name": "c"}], changelog="first")
    template, one = extended(template, said, ANN, "pv_1", LATER_US)
    template, two = extended(template, CreatePromptVersion(content="plain"), BEN, "pv_2", LATER_US + 1)
    assert (one.version, two.version, template.version_count) == (1, 2, 2)
    assert (one.placeholders, one.parameters, one.changelog) == (["b", "a"], ["a", {"name": "c"}], "first")
    assert (two.placeholders, two.parameters, two.model_hint, two.created_by) == ([], [], "", "key_ben")
    assert template.active_version_id is None
    assert not version_answer(one, template).is_active


def test_at_most_one_version_is_active() -> None:
    template, one = extended(a_template(), CreatePromptVersion(content="one"), ANN, "pv_1", LATER_US)
    template, two = extended(template, CreatePromptVersion(content="two"), ANN, "pv_2", LATER_US)
    first = activated(template, one, BEN, LATER_US)
    assert (first.active_version, first.active_version_id) == (1, "pv_1")
    assert (first.activated_at, first.activated_by) == (LATER, "key_ben")
    assert activated(first, one, ANN, LATER_US + 9) is first
    second = activated(first, two, ANN, LATER_US + 9)
    assert [version_answer(each, second).is_active for each in (one, two)] == [False, True]
    back = activated(second, one, ANN, LATER_US + 9)
    assert [version_answer(each, back).is_active for each in (one, two)] == [True, False]


def test_deleting_says_when_and_by_whom() -> None:
    gone = deleted(a_template(), BEN, LATER_US)
    expected = {"deleted_at": LATER, "updated_at": LATER, "updated_by": "key_ben"}
    assert msgspec.structs.asdict(gone) == msgspec.structs.asdict(a_template()) | expected


def test_changes_have_rising_times_even_when_the_clock_steps_back() -> None:
    assert after(a_template(), NOON_US - 5_000_000) == NOON_US + 1
    assert after(a_template(), NOON_US) == NOON_US + 1
    assert after(a_template(), LATER_US) == LATER_US


def test_parameters_that_cannot_be_kept_are_refused_by_name() -> None:
    said = CreatePromptVersion(content="x", parameters=[{"n": 2**60}])
    with pytest.raises(Refusal) as found:
        extended(a_template(), said, ANN, "pv_1", LATER_US)
    assert (found.value.code, found.value.errors[0].place) == (Code.INVALID_BODY, "parameters[0].n")
