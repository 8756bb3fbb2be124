"""What a judgement makes of an assumption, without a service."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.control.assumptions import RecordAssumption, ValidateAssumption
from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.control.assumptions import check_reason, judged, recorded
from tests.service.control.actions.samples import an_action

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
NOON_US = 1_772_452_800_000_000
LATER_US = NOON_US + 60_000_000
LATER = datetime(2026, 3, 2, 12, 1, tzinfo=UTC)


def say(**members: Any) -> RecordAssumption:
    return RecordAssumption(action_id="act_1", assumption="the order was paid", **members)


def test_a_plain_belief_is_open_and_belongs_to_its_action() -> None:
    action = an_action(action_id="act_1", agent_id="bot", action_type="refund")
    found = recorded(action, say(agent_id="somebody else", basis="the ledger"), "asm_1", NOON_US)
    assert (found.org_id, found.action_id, found.agent_id, found.action_type) == ("org_1", "act_1", "bot", "refund")
    assert (found.validated, found.invalidated, found.invalidated_reason, found.validated_at) == (
        False,
        False,
        None,
        None,
    )
    assert (found.assumption, found.basis, found.source) == ("the order was paid", "the ledger", "live")
    assert found.occurred_at == found.created_at == found.updated_at == NOON


def test_history_is_judged_when_it_was_believed() -> None:
    then = datetime(2026, 2, 1, tzinfo=UTC)
    said = say(occurred_at=then, source="import", invalidated=True, invalidated_reason="it bounced")
    found = recorded(an_action(), said, "asm_1", NOON_US)
    assert (found.invalidated, found.invalidated_reason) == (True, "it bounced")
    assert found.validated_at == found.occurred_at == then
    assert found.created_at == NOON


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"validated": True, "invalidated": True, "invalidated_reason": "x"}, "invalidated"),
        ({"invalidated": True}, "invalidated_reason"),
        ({"invalidated": True, "invalidated_reason": ""}, "invalidated_reason"),
        ({"occurred_at": LATER}, "occurred_at"),
    ],
)
def test_what_contradicts_itself_is_refused_by_name(members: dict[str, Any], place: str) -> None:
    with pytest.raises(Refusal) as found:
        recorded(an_action(), say(**members), "asm_1", NOON_US)
    assert found.value.code is Code.INVALID_BODY
    assert [error.place for error in found.value.errors] == [place]


def test_a_reason_beside_a_belief_that_holds_is_dropped() -> None:
    found = recorded(an_action(), say(validated=True, invalidated_reason="never mind"), "asm_1", NOON_US)
    assert (found.validated, found.invalidated_reason, found.validated_at) == (True, None, NOON)


def test_saying_that_it_was_wrong_needs_a_reason() -> None:
    check_reason(ValidateAssumption(validated=True))
    check_reason(ValidateAssumption(validated=False, invalidated_reason="it bounced"))
    with pytest.raises(Refusal) as found:
        check_reason(ValidateAssumption(validated=False))
    assert found.value.code is Code.INVALID_BODY
    assert [error.place for error in found.value.errors] == ["invalidated_reason"]


def test_a_judgement_can_be_turned_round() -> None:
    start = recorded(an_action(), say(), "asm_1", NOON_US)
    wrong = judged(start, ValidateAssumption(validated=False, invalidated_reason="it bounced"), LATER_US)
    assert (wrong.validated, wrong.invalidated, wrong.invalidated_reason) == (False, True, "it bounced")
    assert (wrong.validated_at, wrong.updated_at, wrong.created_at) == (LATER, LATER, NOON)
    right = judged(wrong, ValidateAssumption(validated=True), LATER_US + 1)
    assert (right.validated, right.invalidated, right.invalidated_reason) == (True, False, None)
    assert right.validated_at is not None
    assert right.validated_at > LATER


judgements = st.one_of(
    st.just(ValidateAssumption(validated=True)),
    st.sampled_from(["it bounced", "no such order"]).map(
        lambda why: ValidateAssumption(validated=False, invalidated_reason=why)
    ),
)


@given(st.lists(judgements, min_size=1, max_size=8))
def test_only_the_last_judgement_counts_and_repeating_it_changes_nothing(said: list[ValidateAssumption]) -> None:
    found = recorded(an_action(), say(), "asm_1", NOON_US)
    for number, each in enumerate(said, start=1):
        before, found = found, judged(found, each, NOON_US + number)
        assert judged(found, each, NOON_US + 999) is found
        same = (before.validated, before.invalidated_reason) == (each.validated, each.invalidated_reason)
        assert (found is before) == (same and before.validated_at is not None)
    last = said[-1]
    assert (found.validated, found.invalidated) == (last.validated, not last.validated)
    assert found.invalidated_reason == last.invalidated_reason
    untouched = {"validated", "invalidated", "invalidated_reason", "validated_at", "updated_at"}
    first = msgspec.structs.asdict(recorded(an_action(), say(), "asm_1", NOON_US))
    assert {k: v for k, v in msgspec.structs.asdict(found).items() if k not in untouched} == {
        k: v for k, v in first.items() if k not in untouched
    }
