"""The tool `help`: what the list of tools leaves out, for one tool at a time, and nothing that the service would know.

It answers without the service, also while that is away.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from assent.contract.openapi_schemas import standalone
from assent.contract.record import Record, ShortText
from assent.mcp.answers import READING
from assent.mcp.arguments import Members
from assent.mcp.tools import INSTRUCTIONS, TOOLS, WORDS, Tool


class HelpPart(StrEnum):
    ARGUMENTS = "arguments"
    ANSWER = "answer"


class Help(Record, frozen=True, kw_only=True):
    """`text` says what the tool is for, or the rules and what each tool is for; `schema` is the whole JSON Schema of
    the part that was asked for, null where no tool was named."""

    text: str
    schema: dict[str, Any] | None


HELP = Tool(
    name="help",
    title="How to use these tools",
    description="All about a tool: every bound of its arguments and what they mean, or what each member of its answer "
    "means. Without tool: the rules, and what each tool is for.",
    members=Members(
        "Help",
        None,
        optional=("tool", "part"),
        own={"tool": ShortText, "part": HelpPart},
        words=WORDS,
    ),
    answer=Help,
    consequence=READING,
    read_only=True,
)


def explained(tool: str | None, part: str | None) -> Help:
    """Raises ValueError for a tool that there is not."""
    if tool is None:
        return Help(text="\n".join([INSTRUCTIONS, "", *map(_line, TOOLS.values())]), schema=None)
    found = TOOLS.get(tool)
    if found is None:
        raise ValueError(f"there is no tool {tool[:80]!r}; there are {', '.join(TOOLS)}")
    schema = standalone(found.answer) if part == HelpPart.ANSWER else found.members.schema()
    return Help(text=_line(found), schema=schema)


def _line(tool: Tool) -> str:
    return f"{tool.name}: {tool.title}. {tool.description}"
