"""A session as a flow: its steps numbered, where the values of a call came from, and since when a label holds.

1. Steps are counted from the session's first one, also where only some of them are there.
2. A call was stopped where a person was asked, or it was blocked; what a person said then is another matter.
3. A value came from the step whose answer first had it whole in a field, or in whose text it stands. What the user
   said, what an operator approved, and what nobody knows, came from no step.
4. A label holds since the first step that put it on after it was last taken off. Where that step is not among those
   that are there, or where steps follow that are not, nobody knows since when (`since` is None).
"""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from assent.contract.control.flow_steps import FlowAsked, FlowSteps
from assent.contract.control.flows import FlowValue
from assent.contract.control.guard import Decision
from assent.flows.pack import SINKS

STOPPED = (Decision.REQUIRE_APPROVAL, Decision.BLOCK)

SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "step": pl.Int64,
    "at": pl.Datetime("us", "UTC"),
    "kind": pl.String,
    "tool": pl.String,
    "labels": pl.List(pl.String),
    "decision": pl.String,
    "would_decide": pl.String,
    "status": pl.String,
    "reason": pl.String,
    "session_id": pl.String,
    "agent_id": pl.String,
    "action_id": pl.String,
    "decision_id": pl.String,
}
VALUES: dict[str, pl.DataType | type[pl.DataType]] = {
    "step": pl.Int64,
    "tool": pl.String,
    "argument": pl.String,
    "role": pl.String,
    "shape": pl.String,
    "origin": pl.String,
    "field": pl.String,
    "from_step": pl.Int64,
    "text_step": pl.Int64,
    "from_tool": pl.String,
}


class LabelSpan(NamedTuple):
    """`until` is the step that took the label off, None while it holds."""

    label: str
    since: int | None
    until: int | None


def first_step(found: FlowSteps) -> int:
    """The number of the first step that is there."""
    return found.before + 1


def is_last_page(found: FlowSteps) -> bool:
    """Whether the session's last step is there."""
    return found.before + len(found.steps) >= found.total


def step_frame(found: FlowSteps) -> pl.DataFrame:
    """A row for each step: `kind` is user, result, removal or asked."""
    rows: list[dict[str, object]] = []
    for number, each in enumerate(found.steps, first_step(found)):
        row: dict[str, object] = {"step": number, "at": each.at}
        if each.told is not None:
            told = each.told
            row |= {"kind": told.kind, "tool": told.tool or None, "labels": told.labels, "reason": told.reason or None}
            row |= {"session_id": told.session_id, "agent_id": told.agent_id, "action_id": told.action_id}
        elif each.asked is not None:
            asked = each.asked
            row |= {"kind": "asked", "tool": tool_of(asked), "reason": asked.reason, "decision": str(asked.decision)}
            row |= {"would_decide": _text(asked.would_decide), "status": _text(asked.status), "labels": held(asked)}
            row |= {"session_id": asked.session_id, "agent_id": asked.agent_id, "action_id": asked.action_id}
            row |= {"decision_id": asked.decision_id}
        rows.append(row)
    return pl.DataFrame(rows, schema=SCHEMA)


def value_frame(found: FlowSteps) -> pl.DataFrame:
    """A row for each value of a call that writes or sends, or was stopped: by rule 3, which step has it in a field
    (`from_step`) and in a text (`text_step`)."""
    answers = answer_steps(found)
    rows = [
        {
            "step": number,
            "tool": tool_of(asked),
            "argument": value.path,
            "role": value.role,
            "shape": value.shape,
            "origin": value.origin,
            "field": value.field or None,
            "from_step": answers.get(value.leaf_call),
            "text_step": answers.get(value.free_call),
            "from_tool": source_tool(asked, value),
        }
        for number, asked in looked_at(found)
        if asked.flow is not None
        for value in asked.flow.values
    ]
    return pl.DataFrame(rows, schema=VALUES)


def looked_at(found: FlowSteps) -> list[tuple[int, FlowAsked]]:
    """The calls whose values are told, with the numbers of their steps: those that write or send, or were stopped."""
    return [
        (number, each.asked)
        for number, each in enumerate(found.steps, first_step(found))
        if each.asked is not None
        and each.asked.flow is not None
        and (each.asked.flow.effect in SINKS or stopped(each.asked) or would_stop(each.asked))
    ]


def answer_steps(found: FlowSteps) -> dict[int, int]:
    """The steps of answers, by the numbers that the answers have."""
    return {
        each.told.call: number
        for number, each in enumerate(found.steps, first_step(found))
        if each.told is not None and each.told.kind == "result"
    }


def label_spans(found: FlowSteps) -> list[LabelSpan]:
    """By rule 4, in the order in which they begin; a label that was taken off and put on again has several."""
    open_, done = dict[str, int | None](), list[LabelSpan]()
    whole = first_step(found) == 1 and not found.missing
    for number, each in enumerate(found.steps, first_step(found)):
        if each.told is None:
            continue
        for label in each.told.labels:
            if each.told.kind == "removal":
                done.append(LabelSpan(label, open_.pop(label, None), number))
            else:
                open_.setdefault(label, number if whole or any(span.label == label for span in done) else None)
    last = is_last_page(found)
    holding = {label: open_.get(label) if last else None for label in found.flow.labels}
    spans = [*done, *(LabelSpan(label, since, None) for label, since in holding.items())]
    return sorted(spans, key=lambda span: (span.since or 0, span.label))


def stopped(asked: FlowAsked) -> bool:
    return asked.decision in STOPPED


def would_stop(asked: FlowAsked) -> bool:
    """Whether an observed policy would have stopped what went on."""
    return not stopped(asked) and asked.would_decide in STOPPED


def tool_of(asked: FlowAsked) -> str:
    return asked.action_type if asked.flow is None else asked.flow.tool


def held(asked: FlowAsked) -> list[str]:
    return [] if asked.flow is None else list(asked.flow.labels)


def source_tool(asked: FlowAsked, value: FlowValue) -> str | None:
    """The tool whose answer has the value, in its text if it stands in one."""
    call = value.free_call or value.leaf_call
    return None if asked.flow is None or not call else asked.flow.tools.get(str(call))


def _text(value: object) -> str | None:
    return None if value is None else str(value)
