"""docs/reference/policies.md: the kinds of policies with the fields of their rules, conditions, and risk templates."""

from __future__ import annotations

import inspect
import json

import msgspec
from msgspec import Struct

from assent.contract import conditions
from assent.contract.control import risk_conditions, rules
from assent.contract.control.risk_conditions import RiskRule
from assent.contract.control.rules import PolicyType
from tests.contract.contract_text import type_text
from tests.docs.reference.markdown import code, page, prose, table

CONDITION = "a [condition](#conditions)"
TREE: dict[str, object] = {"description": "a tree of conditions"}


def policies_page() -> str:
    # A condition is read by itself, since its shape refers to itself: what is said of it is said of what is read.
    kinds = {kind: rules._BODIES[kind] for kind in PolicyType}
    return page(
        "Policies",
        prose(
            "A policy has a name, a `policy_type`, its `rules`, and may be limited to `agent_ids`. In the mode "
            "`enforce` it decides; in the mode `observe` guard only reports what it would have decided. The strictest "
            "effect of all policies that match wins: block, then require_approval, then warn."
        ),
        prose(
            f"A window of minutes below {rules.MIN_WINDOW} or above {rules.MAX_WINDOW} becomes the nearer of the two. "
            "In the tables `1..128` are the least and the most: of a number, of the characters of a text, of the items "
            "of a list."
        ),
        table(
            ("policy_type", "what it does"), ([f"[{kind}](#{kind})", _first(shape)] for kind, shape in kinds.items())
        ),
        *([f"## {kind}", "", *prose(_said(shape)), "", *_fields(shape)] for kind, shape in kinds.items()),
        ["## Conditions"],
        _docstring(conditions.__doc__),
        table(
            ("limit", "most"),
            [
                ["levels of a tree", str(conditions.MAX_DEPTH)],
                ["nodes of a tree", str(conditions.MAX_NODES)],
                ["characters of a text", str(conditions.MAX_STRING)],
                ["values of a list", str(conditions.MAX_LIST)],
                ["characters of a field's path", str(conditions.MAX_FIELD)],
            ],
        ),
        ["## Risk templates"],
        _docstring(risk_conditions.__doc__),
        _fields(RiskRule),
        prose(
            f"A template has at most {risk_conditions.MOST_RULES} rules, whose conditions have at most "
            f"{risk_conditions.MOST_NODES} nodes together."
        ),
    )


def _first(shape: type[Struct]) -> str:
    return _said(shape).split("\n\n")[0]


def _said(shape: type[Struct]) -> str:
    read: dict[type[Struct], type[Struct]] = {
        rules._ConditionBody: rules.ConditionRules,
        rules._FlowBody: rules.FlowRules,
    }
    return inspect.getdoc(read.get(shape, shape)) or ""


def _docstring(text: str | None) -> list[str]:
    """Without its first paragraph, which says what the module is."""
    return inspect.cleandoc(text or "").partition("\n\n")[2].split("\n")


def _fields(shape: type[Struct]) -> list[str]:
    _, components = msgspec.json.schema_components([shape], ref_template="#/{name}", schema_hook=lambda _: TREE)
    schema = components[shape.__name__]
    rows = []
    for name, member in schema["properties"].items():
        given = {key: value for key, value in member.items() if key != "default"}
        required = name in schema.get("required", ())
        default = "required" if required else code(json.dumps(member["default"]))
        rows.append([code(name), _type(given, components), default])
    return table(("field", "type", "default"), rows)


def _type(schema: dict[str, object], components: dict[str, dict[str, object]]) -> str:
    """In the words of the contract's text; an enumeration is spelt out, a condition is a link."""
    if schema == TREE:
        return CONDITION
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    if name and "enum" in components[name]:
        choices = components[name]["enum"]
        assert isinstance(choices, list)
        return " or ".join(code(each) for each in choices)
    return type_text(schema).replace("exclusiveMinimum=", "more than ")
