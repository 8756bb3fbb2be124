"""The tables of what requests take, beside shapes whose rows are worked out by hand."""

from __future__ import annotations

from assent.contract.control.actions import APPROVE_ACTION
from assent.contract.control.loops import GET_OPEN_LOOPS, REGISTER_OPEN_LOOP
from assent.contract.openapi import shapes
from assent.contract.operations import ENDPOINTS
from tests.contract.request_members import members_of, request_table, shape_sections, within_requests

SCHEMAS = shapes([APPROVE_ACTION, GET_OPEN_LOOPS, REGISTER_OPEN_LOOP])


def test_a_member_has_its_place_type_bounds_need_and_meaning() -> None:
    rows = request_table(REGISTER_OPEN_LOOP, SCHEMAS)
    assert "| `action_id` | body | `Id` | yes | the action that left it open |" in rows
    assert "| `description` | body | `text 1..2000` | yes | what is open |" in rows
    assert "| `priority` | body | [LoopPriority](#looppriority) | no | low, medium, high or critical |" in rows
    assert "| `owner` | body | `text ..256` | no | who should take care of it |" in rows


def test_the_parameters_of_the_path_come_first_and_a_default_is_told() -> None:
    rows = [row for row in request_table(APPROVE_ACTION, SCHEMAS) if row.startswith("| `")]
    assert rows[0].startswith("| `action_id` | path | `text` | yes | ")
    assert any(
        row.startswith("| `limit` | query | `integer 1..200` | no: `50` |")
        for row in request_table(GET_OPEN_LOOPS, SCHEMAS)
    )


def test_a_choice_of_types_and_a_bar_in_an_expression_do_not_break_the_table() -> None:
    schema = {
        "type": "object",
        "required": ["b"],
        "properties": {
            "a": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/x/Step"}}, {"type": "null"}]},
            "b": {"type": "string", "pattern": "^(x|y)$", "description": "either\nof two"},
        },
    }
    assert members_of(schema) == [
        ("a", "`text or list of` [Step](#step)", "no", ""),
        ("b", "`text /^(x|y)$/`", "yes", "either of two"),
    ]


def test_every_shape_within_a_request_has_a_section_and_no_other() -> None:
    schemas = shapes(ENDPOINTS)
    lines = shape_sections(ENDPOINTS, schemas)
    found = {line.removeprefix("### ") for line in lines if line.startswith("### ")}
    assert found == within_requests(ENDPOINTS, schemas)
    assert {"LoopPriority", "Externality", "Source"} <= found
    assert "RegisterOpenLoop" not in found
    for endpoint in ENDPOINTS:
        for line in request_table(endpoint, schemas):
            if line.startswith("| `"):
                assert line.count(" | ") == 4, line
