"""The table of tools: named as the operations, with the contract's own schemas and hints that are true."""

from __future__ import annotations

import inspect

import jsonschema
import pytest

from assent import AsyncClient
from assent.contract.analysis.lessons import GET_LESSONS
from assent.contract.control.actions import GET_ACTION, CreateAction
from assent.contract.openapi_schemas import components
from assent.mcp.calls import CALLS
from assent.mcp.help import explained
from assent.mcp.server import listing
from assent.mcp.tools import INSTRUCTIONS, TOOLS, Tool

each_tool = pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)


def test_every_tool_is_an_operation_of_the_client_and_does_something() -> None:
    assert list(TOOLS) == list(CALLS)
    assert all(inspect.iscoroutinefunction(getattr(AsyncClient, name)) for name in TOOLS)


@each_tool
def test_the_schemas_are_schemas(tool: Tool) -> None:
    listed = listing(tool)
    for schema in (listed.input_schema, listed.output_schema):
        assert schema is not None
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"  # what clients before 2026-07-28 need
    assert listed.input_schema["additionalProperties"] is False
    assert all("description" in member for member in listed.input_schema["properties"].values())


def test_records_are_those_of_the_contract() -> None:
    schema = explained("guard", "answer").schema
    assert schema is not None
    contract = components([TOOLS["guard"].answer], "#/$defs/{name}")
    assert schema["$defs"]["GuardResult"] == contract["GuardResult"]
    assert schema["properties"]["verdict"] == {"$ref": "#/$defs/GuardResult"}
    assert TOOLS["get_action"].answer is GET_ACTION.response
    assert TOOLS["get_lessons"].answer is GET_LESSONS.response


def test_members_are_those_of_the_contract() -> None:
    members = TOOLS["create_action"].members.schema()["properties"]
    contract = components([CreateAction])["CreateAction"]["properties"]
    assert members["action_type"].items() >= contract["action_type"].items()
    (goal, _) = contract["declared_goal"]["anyOf"]
    assert members["declared_goal"].items() >= goal.items()


@each_tool
def test_the_hints_are_true(tool: Tool) -> None:
    hints = listing(tool).annotations
    assert hints is not None
    # What only reads, and waits by reading; everything else leaves a record, and none of it takes anything away.
    assert hints.read_only_hint is (tool.name in {"wait_for_approval", "get_action", "get_lessons"})
    assert hints.destructive_hint is False
    assert hints.open_world_hint is False
    assert hints.idempotent_hint is hints.read_only_hint


def test_a_model_is_told_of_every_verdict() -> None:
    assert all(word in TOOLS["guard"].description for word in ("allow", "warn", "require_approval", "block"))
    assert "may_act" in INSTRUCTIONS
    assert "do not act" in INSTRUCTIONS
