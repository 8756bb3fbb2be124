"""Arguments: the contract's members, and every wrong one named with its place."""

from __future__ import annotations

from typing import Annotated, Any

import jsonschema
import pytest
from msgspec import Meta

from assent.contract.problems import FieldError
from assent.mcp.arguments import without_none
from assent.mcp.tools import TOOLS

DIGEST = "sha256:" + "0" * 64


def wrong(tool: str, **given: Any) -> list[tuple[str, str]]:
    return [(error.place, error.message) for error in TOOLS[tool].members.check(given)[1]]


def test_everything_that_is_wrong_is_named_at_once() -> None:
    found = dict(
        wrong(
            "create_action",
            actiontype="x",
            risk_score=101,
            systems_touched=["a", 3],
            externality={"data_classification": "rather secret"},
            confidence="high",
        )
    )
    assert found == {
        "action_type": "is required",
        "actiontype": "is no argument; did you mean action_type?",
        "risk_score": "Expected `float` <= 100.0",
        "systems_touched[1]": "Expected `str`, got `int`",
        "externality.data_classification": "Invalid enum value 'rather secret'",
        "confidence": "Expected `int`, got `str`",
    }


def test_an_argument_that_is_nothing_like_another_gets_the_list() -> None:
    ((place, message),) = wrong("get_action", action_id="act_1", **{"z" * 500: 1})
    assert place == "z" * 80
    assert message == "is no argument; there are action_id"


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("agent_id", "somebody-else"), ("source", "import"), ("occurred_at", "2026-01-01T00:00:00Z")],
        *[("_signature", "c2ln"), ("status", "completed"), ("parameters_digest", DIGEST), ("swarm_id", "s")],
    ],
)
def test_a_model_cannot_say_who_it_is_nor_make_up_history(tool: str, name: str, value: str) -> None:
    if (tool, name) == ("update_outcome", "status"):
        return
    assert name in dict(wrong(tool, **{name: value}))


def test_null_is_the_same_as_leaving_it_out() -> None:
    said, errors = TOOLS["guard"].members.check({"action_type": "look", "declared_goal": None})
    assert (said, errors) == ({"action_type": "look"}, [])
    assert wrong("guard", action_type=None) == [("action_type", "is required")]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("guard", {"action_type": "look"}),
        ("guard", {"action_type": ""}),
        ("guard", {"action_type": "x" * 129}),
        ("guard", {"action_type": "look", "risk_score": 50.5, "metadata": {"a": [1]}}),
        ("guard", {"action_type": "look", "externality": {"reversal_bound_seconds": -1}}),
        ("guard", {"action_type": "look", "unknown": 1}),
        ("create_action", {"action_type": "look", "decision_id": "no id"}),
        ("create_action", {"action_type": "look", "decision_id": "dec_1", "systems_touched": ["a"] * 51}),
        ("wait_for_approval", {"action_id": "act_1", "timeout_seconds": 3600}),
        ("wait_for_approval", {"action_id": "act_1", "timeout_seconds": 3601}),
        ("wait_for_approval", {"action_id": "act_1", "timeout_seconds": -1}),
        ("claim_action", {"action_id": "act_1"}),
        ("update_outcome", {"action_id": "act_1", "status": "completed", "duration_ms": 5}),
        ("update_outcome", {"action_id": "act_1", "status": "done"}),
        ("update_outcome", {"action_id": "act_1"}),
        ("record_assumption", {"action_id": "act_1", "assumption": ""}),
        ("get_lessons", {"limit": 0}),
        ("get_lessons", {}),
    ],
)
def test_the_check_and_the_schema_agree(tool: str, given: dict[str, Any]) -> None:
    schema = TOOLS[tool].members.schema()
    fits = jsonschema.Draft202012Validator(schema).is_valid(given)
    assert fits is (TOOLS[tool].members.check(given)[1] == [])


@pytest.mark.parametrize(
    ("annotation", "without"),
    [
        *((int | None, int), (int, int), (int | str | None, int | str), (list[int] | None, list[int])),
        *(
            (Annotated[int | None, Meta(description="how many")], int),
            (Annotated[int, "bound"], Annotated[int, "bound"]),
        ),
    ],
)
def test_none_is_taken_out_of_a_type(annotation: Any, without: Any) -> None:
    assert without_none(annotation) == without


def test_an_error_is_a_place_and_a_message() -> None:
    _, errors = TOOLS["get_action"].members.check({})
    assert errors == [FieldError(place="action_id", message="is required")]
