"""The list of tools in short: true of what is given and answered, and `help` has all that it leaves out."""

from __future__ import annotations

import re
from typing import Any

import jsonschema
import pytest

from assent import AsyncClient
from assent.contract.openapi_schemas import standalone
from assent.mcp.help import HELP
from assent.mcp.outline import answer_in_short, arguments_in_short, phrase
from assent.mcp.server import listing
from assent.mcp.tools import INSTRUCTIONS, TOOLS, WORDS, Tool
from tests.sdk.mcp.host import inside, refused, told

each_tool = pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)


def nowhere() -> AsyncClient:
    return AsyncClient("http://127.0.0.1:9", "k", retries=0)


@pytest.mark.parametrize(
    ("words", "short"),
    [
        ("What led to it.", "What led to it"),
        ("Milliseconds; 5.5 or so", "Milliseconds"),
        ("One. Two.", "One"),
        ("Version 1.2 of it", "Version 1.2 of it"),
    ],
)
def test_a_phrase_ends_at_the_first_semicolon_or_full_stop(words: str, short: str) -> None:
    assert phrase(words) == short


def test_what_is_left_of_a_schema_of_arguments() -> None:
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "title": "Gone",
        "properties": {
            "kind": {"$ref": "#/$defs/Kind", "description": "Which kind; one of two."},
            "share": {"type": "number", "minimum": 0, "maximum": 100, "description": "How much."},
            "names": {
                "type": "array",
                "items": {"type": "string", "maxLength": 5},
                "maxItems": 3,
                "description": "Who.",
            },
            "more": {"type": "object", "additionalProperties": True, "description": "Else."},
            "reach": {"anyOf": [{"$ref": "#/$defs/Reach"}, {"type": "null"}], "description": "Where. To whom."},
        },
        "required": ["kind"],
        "additionalProperties": False,
        "$defs": {
            "Kind": {"type": "string", "enum": ["a", "b"], "description": "Two kinds."},
            "Reach": {
                "type": "object",
                "description": "Facts.",
                "properties": {"description": {"anyOf": [{"type": "string", "pattern": "x"}, {"type": "null"}]}},
            },
        },
    }
    assert arguments_in_short(whole) == {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": ["a", "b"], "description": "Which kind"},
            "share": {"type": "number", "minimum": 0, "maximum": 100, "description": "How much"},
            "names": {"type": "array", "items": {"type": "string"}, "description": "Who"},
            "more": {"type": "object", "description": "Else"},
            "reach": {
                "type": "object",
                "properties": {"description": {"type": "string"}},
                "description": "Where",
            },
        },
        "required": ["kind"],
        "additionalProperties": False,
    }


def test_what_is_left_of_a_schema_of_an_answer() -> None:
    whole = {
        "type": "object",
        "properties": {
            "kind": {"$ref": "#/$defs/Kind"},
            "note": {"anyOf": [{"type": "string", "maxLength": 5}, {"type": "null"}], "description": "A note."},
            "thing": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Thing"}]},
            "all": {"type": "array", "items": {"$ref": "#/$defs/Thing"}},
            "any": {"description": "Any JSON value."},
        },
        "required": ["kind", "note"],
        "$defs": {"Kind": {"type": "string", "enum": ["a"]}, "Thing": {"type": "object", "properties": {}}},
    }
    assert answer_in_short(whole) == {
        "type": "object",
        "properties": {
            "kind": {"type": "string"},
            "note": {"type": ["string", "null"]},
            "thing": {"type": ["null", "object"]},
            "all": {"type": "array"},
            "any": {},
        },
        "required": ["kind", "note"],
    }


@each_tool
def test_the_short_form_has_every_member_and_is_all_there_is(tool: Tool) -> None:
    listed, whole = listing(tool), tool.members.schema()
    answer = standalone(tool.answer)
    assert listed.output_schema is not None
    for short, long in ((listed.input_schema, whole), (listed.output_schema, answer)):
        assert list(short["properties"]) == list(long["properties"])
        assert short.get("required") == long.get("required")
        assert "$ref" not in str(short)
    for name, member in listed.input_schema["properties"].items():
        assert member["description"] == phrase(WORDS[name]) != ""
        assert whole["properties"][name]["description"] == WORDS[name]


@pytest.mark.parametrize(
    ("tool", "given", "fits"),
    [
        ("guard", {"action_type": "look", "risk_score": 100, "systems_touched": ["a"], "metadata": {"a": [1]}}, True),
        ("guard", {"action_type": "look", "externality": {"data_classification": "public"}}, True),
        ("guard", {"action_type": "look", "externality": {"data_classification": "rather secret"}}, False),
        ("guard", {"action_type": "look", "externality": {"reversal_bound_seconds": -1}}, False),
        ("guard", {"action_type": "look", "risk_score": 101}, False),
        ("guard", {"action_type": 1}, False),
        ("guard", {"action_type": "look", "unknown": 1}, False),
        ("guard", {}, False),
        ("update_outcome", {"action_id": "act_1", "status": "completed", "side_effects": ["x"]}, True),
        ("update_outcome", {"action_id": "act_1", "status": "done"}, False),
        ("update_outcome", {"action_id": "act_1", "status": "completed", "side_effects": [1]}, False),
        ("wait_for_approval", {"action_id": "act_1", "timeout_seconds": 3600}, True),
        ("wait_for_approval", {"action_id": "act_1", "timeout_seconds": 3601}, False),
    ],
)
def test_the_short_form_still_tells_right_from_wrong(tool: str, given: dict[str, Any], fits: bool) -> None:
    schema = listing(TOOLS[tool]).input_schema
    assert jsonschema.Draft202012Validator(schema).is_valid(given) is fits
    assert (TOOLS[tool].members.check(given)[1] == []) is fits


@each_tool
async def test_help_has_the_whole_of_each_tool_without_the_service(tool: Tool) -> None:
    async with inside(nowhere()) as host:
        arguments = await told(host, "help", tool=tool.name)
        said = await told(host, "help", tool=tool.name, part="arguments")
        answer = await told(host, "help", tool=tool.name, part="answer")
    assert arguments == said
    assert arguments["schema"] == tool.members.schema()
    assert answer["schema"] == standalone(tool.answer)
    assert arguments["text"] == answer["text"] == f"{tool.name}: {tool.title}. {tool.description}"


async def test_help_without_a_tool_is_the_rules_and_what_each_tool_is_for() -> None:
    async with inside(nowhere()) as host:
        said = await told(host, "help")
        wrong = await refused(host, "help", tool="approve_action")
        unknown = await refused(host, "help", part="examples", tol="guard")
    assert said["schema"] is None
    assert said["text"].startswith(INSTRUCTIONS)
    assert all(f"\n{tool.name}: " in said["text"] and tool.description in said["text"] for tool in TOOLS.values())
    assert "there is no tool 'approve_action'; there are guard, " in wrong
    assert "This allows nothing" in wrong
    assert "did you mean tool?" in unknown
    assert "- part: Invalid enum value 'examples'" in unknown


def test_the_rules_point_to_help_and_help_only_reads() -> None:
    assert re.search(r"\bhelp\b", INSTRUCTIONS)
    hints = listing(HELP).annotations
    assert hints is not None
    assert (hints.read_only_hint, hints.destructive_hint, hints.open_world_hint) == (True, False, False)
