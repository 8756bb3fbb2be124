"""Pydantic AI: agents and toolsets whose tools ask before they act.

    agent = Agent(model, tools=[search, pay], capabilities=[capability()])    # all of an agent's tools
    agent = Agent(model, tools=[search], toolsets=[govern_tools([pay])])      # these tools, or a toolset

One of them is enough; two would ask twice. A capability stands innermost whatever its place in the list is: what was
asked about is what runs, whatever the other capabilities make of a call, and what they run again is asked about again.
What was refused becomes a failed result of the tool, so that the model is told; with `refusals="raise"` it raises, and
ends the run. A tool that asks the model to try again (`ModelRetry`), or says that it failed, is reported failed. Tools
that the framework itself stops before they run (`requires_approval`, external ones) are asked about once they do.

A capability asks about an agent's output functions as well (`output_type=pay`, `ToolOutput(pay)`, `TextOutput(pay)`):
the type of the action is the function's name. One that was refused asks the model for another output (`ModelRetry`),
which ends the run once the agent's retries are used up. One that needs a person waits, since a run cannot be
interrupted there. While an output is streamed its function does not run; it runs once, with the whole. `govern_tools`
governs the tools that it is given and no output function.

An operator may ask something before deciding. A call that waits replies by `on_question`: in words, or with other
arguments by name, with which it is then asked about anew and run.

A call that needs a person waits (`approvals="wait"`), or ends the run with `DeferredToolRequests`, which has to be one
of the agent's output types (`approvals="interrupt"`). Its `metadata` tells by call what waits. Whatever the run is then
resumed with, the service is asked again, and only its answer counts; while nobody has decided, the call is deferred
again. A call is found again by its tool, call id and arguments, so a model has to give every call an id of its own. An
approval is used once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Literal, Unpack, get_args

from assent.client.actions import ActionFields
from assent.client.client import AsyncClient
from assent.client.waiting import Replier
from assent.contract.control.actions import Action, ActionStatus
from assent.errors import AssentError
from assent.governing import Ended, Governor, ToolCall, refusal
from assent.governing.governor import How, waiting
from assent.governing.results import finished

Approvals = Literal["wait", "interrupt"]
Refusals = Literal["tell", "raise"]
INTERRUPT_TYPE = "assent.approval"

Handler = Callable[[dict[str, Any]], Awaitable[Any]]
"""Runs a tool with these arguments."""
OutputHandler = Callable[[Any], Awaitable[Any]]
"""Runs an output function with what the model made."""


class GovernanceOptions(ActionFields, total=False):
    """`client` is made from ASSENT_BASE_URL, ASSENT_API_KEY and ASSENT_AGENT_ID where none is given. `approval_timeout`
    is how many seconds a call waits (300). In the mode `observe` nothing is stopped. `on_question` replies to what an
    operator asks while a call waits, as in `governed`. `server` names the MCP server that the tools are of. All others
    are further members of every action, as in `create_action`."""

    client: AsyncClient | None
    approval_timeout: float
    mode: How
    on_question: Replier | None
    approvals: Approvals
    refusals: Refusals
    server: str | None


@dataclass(frozen=True)
class Governance:
    """How calls of tools are governed."""

    governor: Governor
    interrupts: bool
    raises: bool
    server: str | None

    async def run(self, context: Any, tool: Any, arguments: dict[str, Any], handler: Handler) -> Any:
        """What the tool gives. `tool` is its definition."""
        call = self._call(context, tool, arguments)
        try:
            if self.interrupts and (action := waiting(await self.governor.asked_async(call))) is not None:
                raise _exceptions().ApprovalRequired(metadata=_told(action))
        except AssentError as error:
            return _unpaused(self._refused(tool.name, error))

        def change(changes: Mapping[str, Any]) -> tuple[ToolCall, Callable[[], Awaitable[Any]]]:
            known: Mapping[str, Any] = tool.parameters_json_schema.get("properties", {})
            if unknown := sorted(changes.keys() - known.keys()):
                raise TypeError(f"{unknown[0]!r} is no argument of {tool.name}; give one of {', '.join(known)}")
            changed = {**arguments, **changes}
            return self._call(context, tool, changed), lambda: self._ran(tool.name, handler, changed)

        def refused(error: AssentError) -> Any:
            return self._refused(tool.name, error)

        ran = self.governor.run_async(call, lambda: self._ran(tool.name, handler, arguments), refused, change=change)
        return _unpaused(await ran)

    async def output(self, context: Any, about: Any, made: Any, handler: OutputHandler) -> Any:
        """What an output function gives for what the model made. `about` is its context."""
        known = _exceptions()
        if context.partial_output:
            raise known.ModelRetry("the output is not whole yet")  # whoever streams goes on to the next one
        name = about.function_name or getattr(about.tool_def, "name", None)
        if name is None and self.governor.mode == "enforce":
            raise known.UserError(
                "Assent cannot tell which of several output functions would run, so none does; give each by itself as "
                "ToolOutput(function), or make it a tool"
            )
        name = name or "output_function"
        schema = about.object_def.json_schema if about.object_def is not None else {}
        members: list[str] = list(schema.get("properties", {}))
        whole = isinstance(made, dict) and made.keys() <= set(members)
        alone = members[0] if len(members) == 1 else "output"

        def call(arguments: dict[str, Any]) -> ToolCall:
            return ToolCall(name=name, arguments=arguments, description=getattr(about.object_def, "description", None))

        def refused(error: AssentError) -> Any:
            return _Pause(error if self.raises else known.ModelRetry(refusal(name, error)))

        def change(changes: Mapping[str, Any]) -> tuple[ToolCall, Callable[[], Awaitable[Any]]]:
            if unknown := sorted(changes.keys() - arguments.keys()):
                raise TypeError(f"{unknown[0]!r} is no argument of {name}; give one of {', '.join(arguments)}")
            changed = {**arguments, **changes}
            return call(changed), lambda: self._ran(name, handler, changed if whole else changed[alone])

        arguments: dict[str, Any] = made if whole else {alone: made}
        ran = self.governor.run_async(call(arguments), lambda: self._ran(name, handler, made), refused, change=change)
        return _unpaused(await ran)

    def _call(self, context: Any, tool: Any, arguments: dict[str, Any]) -> ToolCall:
        call = ToolCall(name=tool.name, arguments=arguments, description=tool.description, server=self.server)
        if not self.interrupts:
            return call
        named = json.dumps([tool.name, context.tool_call_id, call.parameters_digest])
        return replace(call, key=f"pydantic-ai-{hashlib.sha256(named.encode()).hexdigest()}")

    async def _ran(self, name: str, handler: Callable[[Any], Awaitable[Any]], arguments: Any) -> Any:
        """The tool's result. What the framework makes of its failure has words for the model, not for the record."""
        known = _exceptions()
        try:
            result = await handler(arguments)
        except (known.ModelRetry, known.ToolRetryError, known.ToolFailedError) as told:
            said = told.__cause__ or told
            why = f"{type(said).__name__}: {said}"
            raise Ended(_Pause(told), ActionStatus.FAILED, why, answer=told) from None
        except known.CallDeferred as pause:
            raise Ended(_Pause(pause), ActionStatus.COMPLETED, answer=None) from None
        except known.ApprovalRequired as pause:
            status = None if self.interrupts else ActionStatus.CANCELLED
            why = "the tool asked for an approval of its own"
            raise Ended(_Pause(pause), status, why, answer=None) from None
        if isinstance(result, import_module("pydantic_ai").ToolReturn):
            finished([result.return_value, result.content, result.metadata], name)
        return result

    def _refused(self, name: str, error: AssentError) -> Any:
        return _Pause(error if self.raises else _exceptions().ToolFailed(refusal(name, error)))


def capability(**options: Unpack[GovernanceOptions]) -> Any:
    """A capability that governs each call of an agent's tools and output functions. Raises ValueError and TypeError for
    options that are none."""
    governs = _governance(options)
    known: Any = import_module("pydantic_ai.capabilities")

    async def wrap_tool_execute(
        _: Any, context: Any, *, call: Any, tool_def: Any, args: dict[str, Any], handler: Handler
    ) -> Any:
        return await governs.run(context, tool_def, args, handler)

    async def wrap_output_process(
        _: Any, context: Any, *, output_context: Any, output: Any, handler: OutputHandler
    ) -> Any:
        if not output_context.has_function:
            return await handler(output)
        return await governs.output(context, output_context, output, handler)

    def get_ordering(_: Any) -> Any:
        return known.CapabilityOrdering(position="innermost")

    def get_serialization_name(_: Any) -> str | None:
        return None

    members = {
        "__module__": __name__,
        "wrap_tool_execute": wrap_tool_execute,
        "wrap_output_process": wrap_output_process,
        "get_ordering": get_ordering,
        "get_serialization_name": classmethod(get_serialization_name),
    }
    return type(known.AbstractCapability)("AssentCapability", (known.AbstractCapability,), members)()


def govern_tools(tools: Any, **options: Unpack[GovernanceOptions]) -> Any:
    """A toolset that stands for these tools (functions or `Tool`), or for this toolset, which are left alone. Raises
    TypeError for what is none of them, such as a tool that runs at a model's provider, and ValueError for a toolset
    that is governed already."""
    governs = _governance(options)
    known: Any = import_module("pydantic_ai.toolsets")
    toolset = tools if isinstance(tools, known.AbstractToolset) else known.FunctionToolset(_functions(tools))
    if isinstance(getattr(toolset, "governs", None), Governance):
        raise ValueError("this toolset is governed already; give the toolset itself")

    async def call_tool(self: Any, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        async def handler(arguments: dict[str, Any]) -> Any:
            return await self.wrapped.call_tool(name, arguments, ctx, tool)

        return await governs.run(ctx, tool.tool_def, tool_args, handler)

    members = {"__module__": __name__, "call_tool": call_tool, "governs": governs}
    return type(known.WrapperToolset)("GovernedToolset", (known.WrapperToolset,), members)(toolset)


def _governance(options: GovernanceOptions) -> Governance:
    approvals: Approvals = options.pop("approvals", "wait")
    refusals: Refusals = options.pop("refusals", "tell")
    for name, given, known in (("approvals", approvals, Approvals), ("refusals", refusals, Refusals)):
        if given not in get_args(known):
            raise ValueError(f"{name} is {given!r}; give one of {', '.join(get_args(known))}")
    mode: How = options.pop("mode", "enforce")
    interrupts = approvals == "interrupt" and mode == "enforce"
    on_question: Replier | None = options.pop("on_question", None)
    if on_question is not None and interrupts:
        raise ValueError("on_question is for calls that wait; with approvals='interrupt' no call does")
    server: str | None = options.pop("server", None)
    client: AsyncClient | None = options.pop("client", None)
    timeout: float = options.pop("approval_timeout", 300.0)
    governor = Governor(
        async_client=client, approval_timeout=timeout, mode=mode, on_question=on_question, fields=options
    )
    return Governance(governor, interrupts, refusals == "raise", server)


def _functions(tools: Iterable[Any]) -> list[Any]:
    kind: Any = import_module("pydantic_ai").Tool
    given = list(tools)
    for each in given:
        if not (isinstance(each, kind) or callable(each)):
            raise TypeError(f"{each!r} cannot be governed; give a function, a Tool, or a toolset")
    return given


def _told(waits: Action) -> dict[str, Any]:
    """What the requests of a run that was interrupted say of an action."""
    return {
        "type": INTERRUPT_TYPE,
        "action_id": waits.action_id,
        "action_type": waits.action_type,
        "declared_goal": waits.declared_goal,
        "risk_score": waits.risk_score,
        "approve_with": f"assent approve {waits.action_id}",
    }


class _Pause:
    """Instead of a result: what the run has to be told."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _unpaused(result: Any) -> Any:
    if isinstance(result, _Pause):
        raise result.error
    return result


def _exceptions() -> Any:
    return import_module("pydantic_ai.exceptions")
