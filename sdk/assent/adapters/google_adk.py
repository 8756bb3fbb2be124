"""Tools of Google's Agent Development Kit (ADK), governed.

    from assent.adapters.google_adk import govern_tools

    agent = LlmAgent(name="clerk", model=..., tools=govern_tools([pay, refund, mcp_toolset]))

Each call of a tool is an action. A refused call does not run, and gives `{"error": why}`, as ADK's own tools do: the
model reads it as the tool's result. With `refusals="raise"` it raises, which ADK's error callbacks may handle, and
which ends the run otherwise. Where a person has to approve, the call waits; other calls of the same turn run meanwhile.
A call that raises, or gives an `error`, is recorded as failed. ADK's callbacks and plugins stand before a governed
tool: what they answer themselves was no call, and what they make of the arguments is what is asked about, with the
defaults of a function; what its types make of them is not seen.

An operator may ask something before deciding. `on_question` replies in words, or with other arguments by name: the call
is then asked about anew, and run with these.

A tool that asks for ADK's own confirmation is asked about once that was given. Tools that ADK adds by itself (transfer
to another agent, memory) are not governed, and tools that run at the model's provider, or go on beside the agent (async
generators), cannot be. Neither is an agent's `code_executor`, which runs what the model writes: leave it out. An agent
that is a tool is one call; its own tools ask only where they are governed themselves.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, Unpack, get_args

from assent.client.actions import ActionFields
from assent.client.client import AsyncClient
from assent.client.waiting import Replier
from assent.contract.control.actions import ActionStatus
from assent.errors import AssentError
from assent.governing import Ended, Governor, ToolCall, refusal
from assent.governing.governor import How

Refusals = Literal["tell", "raise"]
Handler = Callable[[dict[str, Any]], Awaitable[Any]]
"""Runs a tool with these arguments."""


def govern_tools(
    tools: Iterable[Any],
    *,
    client: AsyncClient | None = None,
    refusals: Refusals = "tell",
    approval_timeout: float = 300.0,
    mode: How = "enforce",
    on_question: Replier | None = None,
    **fields: Unpack[ActionFields],
) -> list[Any]:
    """Governed copies of these functions, tools and toolsets, which are left alone.

    `client` is made from ASSENT_BASE_URL, ASSENT_API_KEY and ASSENT_AGENT_ID unless given. `approval_timeout` is how
    many seconds a call waits for its approval. `mode="observe"` asks and records, and stops nothing. `on_question`
    replies to what an operator asks while a call waits, as in `governed`. `fields` are further members of every action,
    as in `create_action`.

    Raises TypeError for what cannot be governed, and ValueError for what is governed already and for another word.
    """
    if refusals not in get_args(Refusals):
        raise ValueError(f"refusals is {refusals!r}; give one of {', '.join(get_args(Refusals))}")
    governor = Governor(
        async_client=client, approval_timeout=approval_timeout, mode=mode, on_question=on_question, fields=fields
    )
    governance = _Governance(governor, refusals == "raise")
    return [_governed(each, governance) for each in tools]


@dataclass(frozen=True)
class _Governance:
    """How the tools of one `govern_tools` are run."""

    governor: Governor
    raises: bool

    async def run(self, tool: Any, arguments: dict[str, Any], handler: Handler) -> Any:
        """What the tool gives, or why it did not run."""

        async def ran(arguments: dict[str, Any]) -> Any:
            return _ended(await handler(arguments))

        def run(arguments: dict[str, Any]) -> tuple[ToolCall, Callable[[], Awaitable[Any]]]:
            # The arguments as they are now, so that what is asked about is what the tool is given.
            given = dict(arguments)
            return _call(tool, {**given, **_defaults(tool, given)}), lambda: ran(given)

        def change(changes: Mapping[str, Any]) -> tuple[ToolCall, Callable[[], Awaitable[Any]]]:
            known = _parameters(tool)
            if unknown := sorted(changes.keys() - set(known)):
                raise TypeError(f"{unknown[0]!r} is no argument of {tool.name}; give one of {', '.join(known)}")
            return run({**arguments, **changes})

        def refused(error: AssentError) -> Any:
            return {"error": refusal(tool.name, error)}

        call, body = run(arguments)
        return await self.governor.run_async(call, body, None if self.raises else refused, change=change)


def _governed(given: Any, governance: _Governance) -> Any:
    """A copy, of a class of its own in which its calls are governed. It stays what it was otherwise, since ADK looks at
    a tool's class, declaration and function."""
    known: Any = import_module("google.adk.tools.base_tool")
    toolsets: Any = import_module("google.adk.tools.base_toolset")
    if isinstance(getattr(given, "governance", None), _Governance):
        raise ValueError(f"{getattr(given, 'name', given)!r} is governed already; give the tool itself")
    if isinstance(given, toolsets.BaseToolset):
        return _copied(given, governance, get_tools=_get_tools(type(given), governance))
    tool = given
    if not isinstance(given, known.BaseTool) and callable(given) and not inspect.isclass(given):
        tool = import_module("google.adk.tools.function_tool").FunctionTool(given)
    if not isinstance(tool, known.BaseTool):
        raise TypeError(f"{given!r} cannot be governed; give a function, a tool or a toolset of ADK")
    if type(tool).run_async is known.BaseTool.run_async:
        raise TypeError(f"{tool.name!r} runs at the model's provider, and cannot be governed here")
    if inspect.isasyncgenfunction(getattr(tool, "func", None)):
        raise TypeError(f"{tool.name!r} is an async generator, which goes on beside the agent, and cannot be governed")
    base = type(tool)

    async def run_async(self: Any, *, args: dict[str, Any], tool_context: Any) -> Any:
        async def handler(arguments: dict[str, Any]) -> Any:
            return await base.run_async(self, args=arguments, tool_context=tool_context)

        return await governance.run(self, args, handler)

    return _copied(tool, governance, run_async=run_async)


def _get_tools(base: Any, governance: _Governance) -> Callable[..., Awaitable[list[Any]]]:
    """A toolset's tools, governed: those of an MCP server are known once it is asked."""

    async def get_tools(self: Any, readonly_context: Any = None) -> list[Any]:
        return [_governed(each, governance) for each in await base.get_tools(self, readonly_context)]

    return get_tools


def _copied(given: Any, governance: _Governance, **members: Any) -> Any:
    base: Any = type(given)
    copied = copy.copy(given)
    said = {"__module__": base.__module__, "__doc__": base.__doc__, "governance": governance}
    copied.__class__ = type(base)(f"Governed{base.__name__}", (base,), said | members)
    return copied


def _call(tool: Any, arguments: dict[str, Any]) -> ToolCall:
    return ToolCall(name=tool.name, arguments=arguments, description=tool.description)


def _defaults(tool: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a tool that is a function fills in for arguments that the model knows and left out."""
    try:
        signature = inspect.signature(getattr(tool, "func", None))  # type: ignore[arg-type]  # no function is a TypeError
    except (TypeError, ValueError):
        return {}
    known = set(_parameters(tool)) - given.keys()
    fills = {name: each.default for name, each in signature.parameters.items() if name in known}
    return {name: each for name, each in fills.items() if each is not inspect.Parameter.empty}


def _parameters(tool: Any) -> list[str]:
    """What the model is told that the tool takes."""
    declared = tool._get_declaration()  # noqa: SLF001 - what every tool defines, and ADK's own code asks of it
    if declared is None:
        return []
    if declared.parameters_json_schema:
        return list(declared.parameters_json_schema.get("properties", {}))
    return list((declared.parameters.properties if declared.parameters else None) or {})


def _ended(result: Any) -> Any:
    """The result, unless it says that the tool failed: ADK's own tools have an `error`, those of an MCP server
    `isError`."""
    if isinstance(result, Mapping):
        if result.get("error"):
            raise Ended(result, ActionStatus.FAILED, str(result["error"]))
        if result.get("isError") is True:
            raise Ended(result, ActionStatus.FAILED, str(result.get("content")))
    return result
