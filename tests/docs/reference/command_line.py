"""docs/reference/command-line.md, from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from assent.cli.app import app
from assent.cli.failures import MEANING
from tests.docs.reference.markdown import code, page, prose, table

PROGRAM = "assent"


def command_line_page() -> str:
    return page(
        "Command line",
        prose(
            "Every command shows the same with `--help`. A value comes from the option, else from the environment "
            "variable that stands beside it, else it is the default. With `--json` a command writes one JSON document "
            "on standard output and nothing else; errors go to standard error."
        ),
        *(_section(name, command) for name, command in commands()),
        ["## Exit codes"],
        table(("code", "meaning"), ([code(each.value), meaning] for each, meaning in MEANING.items())),
    )


def commands() -> Iterator[tuple[str, Any]]:
    """Every command that is shown, by the words that one types."""
    yield from _below(PROGRAM, typer.main.get_command(app))


def _below(name: str, group: Any) -> Iterator[tuple[str, Any]]:
    for word, command in group.commands.items():
        if command.hidden:
            continue
        if getattr(command, "invoke_without_command", False):
            yield f"{name} {word}", command
        if hasattr(command, "commands"):
            yield from _below(f"{name} {word}", command)
        else:
            yield f"{name} {word}", command


def _section(name: str, command: Any) -> list[str]:
    context = command.context_class(command, info_name=name)
    usage = command.get_usage(context).removeprefix("Usage: ")
    records = [each.get_help_record(context) for each in command.params if not getattr(each, "hidden", False)]
    told = prose((command.help or "").replace("\b", ""))
    return [
        f"## `{name}`",
        "",
        *told,
        "",
        "```text",
        usage,
        "```",
        *(["", *table(("option", "meaning"), ([code(option), text] for option, text in records))] if records else []),
    ]
