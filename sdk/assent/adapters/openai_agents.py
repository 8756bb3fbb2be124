"""Tools of the OpenAI Agents SDK, governed.

    from assent.adapters.openai_agents import govern_tools

    agent = Agent(name="assistant", tools=govern_tools([pay, refund]))

Each call of a tool is an action. A refused call does not run, and the model is told instead. Where a person has to
approve, there are two ways:

- `approvals="wait"`: the call waits; other calls of the same turn run meanwhile.
- `approvals="interrupt"`: the run ends with `result.interruptions`, and can be kept as text (`to_state().to_string()`)
  and resumed by any process, with `settle` in between. The SDK's own approval is not enough: before the tool runs, the
  approval of the service is claimed, once, for exactly these arguments. A call is found again by its tool, call id and
  arguments, so a model has to give every call an id of its own, as the SDK asks of it.

An operator may ask something before deciding. `on_question` replies in words, or, where the call waits, with other
arguments by name: the call is then asked about anew, and run with these.

A tool's own timeout counts for the tool, not for the waiting. What a tool raises is recorded as its failure, before the
SDK makes of it what the model sees.

What the model leaves out is asked about with the default that the tool's schema tells; a schema that is strict tells
none of None, and what a type makes of an argument is not seen.

Only function tools can be governed: hosted ones run elsewhere, and a shell's or a computer's executor is no function.
An agent that is a tool (`as_tool`) is one call; its own tools ask only where they are governed themselves.
"""

from __future__ import annotations

import asyncio
import copy
import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from inspect import isawaitable
from typing import Any, Literal, Unpack, get_args

from assent.client.actions import ActionFields
from assent.client.client import AsyncClient
from assent.client.waiting import OnQuestion, Replier
from assent.contract.control.actions import ActionStatus
from assent.errors import ApprovalError, ApprovalTimeoutError, AssentError, GuardBlockedError
from assent.governing import Ended, Governor, ToolCall, refusal
from assent.governing.governor import How, waiting
from assent.governing.results import finished

Approvals = Literal["wait", "interrupt"]
Refusals = Literal["tell", "raise"]


def govern_tools(
    tools: Iterable[Any],
    *,
    client: AsyncClient | None = None,
    approvals: Approvals = "wait",
    refusals: Refusals = "tell",
    approval_timeout: float = 300.0,
    mode: How = "enforce",
    on_question: Replier | None = None,
    **fields: Unpack[ActionFields],
) -> list[Any]:
    """Governed copies of these tools; the tools themselves are left alone.

    `client` is made from ASSENT_BASE_URL, ASSENT_API_KEY and ASSENT_AGENT_ID unless given. `approval_timeout` is how
    many seconds a call waits with `approvals="wait"`. With `refusals="raise"` a refusal ends the run: the SDK raises
    UserError with it as its cause. `mode="observe"` asks and records, and stops nothing. `on_question` replies to what
    an operator asks while a call waits, as in `governed`; with `approvals="interrupt"` it is given to `settle`.
    `fields` are further members of every action, as in `create_action`.

    Raises TypeError for what is not a function tool, and ValueError for a tool that is governed already, for another
    word, and with `approvals="interrupt"` for an `on_question`, and for a tool with a `needs_approval` of its own,
    where the service says it.
    """
    for name, given, known in (("approvals", approvals, Approvals), ("refusals", refusals, Refusals)):
        if given not in get_args(known):
            raise ValueError(f"{name} is {given!r}; give one of {', '.join(get_args(known))}")
    interrupts = approvals == "interrupt" and mode == "enforce"
    if on_question is not None and interrupts:
        raise ValueError("on_question is for calls that wait; with approvals='interrupt', give it to settle")
    timeout = 0.0 if interrupts else approval_timeout
    governor = Governor(
        async_client=client, approval_timeout=timeout, mode=mode, on_question=on_question, fields=fields
    )
    governance = _Governance(governor, interrupts, raises=refusals == "raise")
    return [_governed(each, governance) for each in tools]


async def settle(interrupted: Any, *, approval_timeout: float = 300.0, on_question: OnQuestion | None = None) -> Any:
    """Wait for the people whose approval an interrupted run needs, and give the state to resume it from: what was
    approved is approved there, what was denied, expired or withdrawn is
    rejected with the reason for the model.

    `interrupted` is a run's result or its state. `on_question` answers what an operator asks meanwhile, in words: a run
    that was interrupted goes on with the calls that it has. Interruptions of tools that are not governed are left as
    they are.
    Raises ApprovalTimeoutError when somebody has not decided in `approval_timeout` seconds, 0 to look only once: keep
    the state and come back; and what a request to the service raises.
    """
    state = interrupted.to_state() if hasattr(interrupted, "to_state") else interrupted
    waiting = [(item, tool) for item in state.get_interruptions() if (tool := _tool_of(item)) is not None]
    ends = await asyncio.gather(
        *(tool.end(item, approval_timeout, on_question) for item, tool in waiting), return_exceptions=True
    )
    for trouble in ends:
        if isinstance(trouble, BaseException):
            raise trouble
    for (item, _), end in zip(waiting, ends, strict=True):
        if isinstance(end, str):
            state.reject(item, rejection_message=end)
        else:
            state.approve(item)
    return state


@dataclass(frozen=True)
class _Governance:
    """What the tools of one `govern_tools` have in common."""

    governor: Governor
    interrupts: bool
    raises: bool


class _GovernedTool:
    """How one tool is asked about and run: the SDK calls it as the tool's `on_invoke_tool`."""

    def __init__(self, tool: Any, governance: _Governance) -> None:
        self._sdk: Any = import_module("agents.tool")
        self.name: str = tool.name
        self._tool, self._governance = tool, governance
        self._server: str | None = getattr(self._sdk.get_function_tool_origin(tool), "mcp_server_name", None)
        # What it raises, and that it took too long, has to be seen here before it becomes a text for the model.
        self._plain: Any = copy.copy(tool)
        self._plain.timeout_behavior = "raise_exception"
        self._sdk.set_function_tool_failure_error_function(self._plain, None)

    async def __call__(self, context: Any, arguments: str) -> Any:
        """The tool's result, or why it did not run."""

        async def body(arguments: str) -> Any:
            try:
                result = await self._sdk.invoke_function_tool(
                    function_tool=self._plain, context=context, arguments=arguments
                )
                return finished(result, self.name)
            except Exception as error:  # noqa: BLE001 - the tool's own, whatever it is
                told = await self._failed(context, error)
                raise Ended(told, ActionStatus.FAILED, f"{type(error).__name__}: {error}") from None

        def change(changes: Mapping[str, Any]) -> tuple[ToolCall, Callable[[], Awaitable[Any]]]:
            known: Mapping[str, Any] = self._tool.params_json_schema.get("properties", {})
            if unknown := sorted(changes.keys() - known.keys()):
                raise TypeError(f"{unknown[0]!r} is no argument of {self.name}; give one of {', '.join(known)}")
            changed = json.dumps({**_read(arguments), **changes})
            return self._call(changed, context.tool_call_id), lambda: body(changed)

        call = self._call(arguments, context.tool_call_id)
        told = None if self._governance.raises else self._refused
        return await self._governance.governor.run_async(call, lambda: body(arguments), told, change=change)

    async def interrupts(self, context: Any, arguments: dict[str, Any], call_id: str) -> bool:
        """Whether the run stops for this call, as the tool's `needs_approval`. What was refused, or could not be asked,
        is for the call itself to say: it asks again, and does not run."""
        try:
            call = self._call(json.dumps(arguments), call_id)
            return waiting(await self._governance.governor.asked_async(call)) is not None
        except AssentError:
            return False

    async def own_approval(self, context: Any, arguments: dict[str, Any], call_id: str) -> bool:
        """The tool's own `needs_approval`. Where the tool would run with other arguments than it would be asked about,
        a person is asked instead, as the SDK does it."""
        prepare = getattr(self._tool.on_invoke_tool, "prepare_arguments", None)
        prepared = prepare(json.dumps(arguments), self.name) if prepare is not None else None
        if prepared is not None and not prepared.unchanged:
            return True
        needed = self._tool.needs_approval(context, arguments, call_id)
        return bool(await needed if isawaitable(needed) else needed)

    async def end(self, item: Any, approval_timeout: float, on_question: OnQuestion | None) -> str | None:
        """None when a call that interrupted its run may run, otherwise what the model is told. Raises
        ApprovalTimeoutError, and what says that nobody could be asked."""
        governor = self._governance.governor
        try:
            action = waiting(await governor.asked_async(self._call(item.arguments, item.call_id)))
            if action is not None:
                client = await governor.async_client()
                # Whoever interrupts the waiting comes back to it: the run is kept.
                await client.wait_for_approval(
                    action.action_id, approval_timeout, withdraw_on_cancel=False, on_question=on_question
                )
        except ApprovalTimeoutError:
            raise
        except (GuardBlockedError, ApprovalError) as error:
            return self._refused(error)
        return None

    def _call(self, arguments: str | None, call_id: str) -> ToolCall:
        call = ToolCall(
            name=self.name, arguments=self._whole(arguments), description=self._tool.description, server=self._server
        )
        if not self._governance.interrupts:
            return call
        named = json.dumps([self.name, call_id, call.parameters_digest])
        return replace(call, key=f"openai-agents-{hashlib.sha256(named.encode()).hexdigest()}")

    def _whole(self, arguments: str | None) -> Mapping[str, Any]:
        """The arguments with the defaults that the tool's schema tells, which it fills in by itself."""
        given, known = _read(arguments), self._tool.params_json_schema.get("properties", {})
        defaults = {name: each["default"] for name, each in known.items() if "default" in each and name not in given}
        return {**given, **defaults}

    def _refused(self, error: AssentError) -> str:
        return refusal(self.name, error)

    async def _failed(self, context: Any, error: Exception) -> Any:
        """What the model gets of an error of the tool itself, as the tool's owner said. Raises it where nobody did."""
        tool = self._tool
        if isinstance(error, import_module("agents").ToolTimeoutError):
            if tool.timeout_behavior == "raise_exception":
                raise error
            if tool.timeout_error_function is None:
                return self._sdk.default_tool_timeout_error_message(
                    tool_name=tool.name, timeout_seconds=tool.timeout_seconds
                )
            said = tool.timeout_error_function(context, error)
            return await said if isawaitable(said) else said
        text = await self._sdk.maybe_invoke_function_tool_failure_error_function(
            function_tool=tool, context=context, error=error
        )
        if text is None:
            raise error
        return text


def _governed(tool: Any, governance: _Governance) -> Any:
    """A governed copy of one tool."""
    name = getattr(tool, "name", None) or type(tool).__name__
    if not isinstance(tool, import_module("agents").FunctionTool):
        raise TypeError(f"{name!r} is a {type(tool).__name__}, which is no function tool; only those can be governed")
    if isinstance(tool.on_invoke_tool, _GovernedTool):
        raise ValueError(f"{name!r} is governed already; give the tool itself")
    runs, governed = _GovernedTool(tool, governance), copy.copy(tool)
    governed.on_invoke_tool, governed.timeout_seconds = runs, None
    if governance.interrupts:
        if tool.needs_approval is not False:
            raise ValueError(
                f"{name!r} has a needs_approval of its own, but with approvals='interrupt' the service says what needs "
                "approval; leave it out, or use approvals='wait', which keeps it"
            )
        governed.needs_approval = runs.interrupts
    elif callable(tool.needs_approval):
        governed.needs_approval = runs.own_approval
    return governed


def _tool_of(item: Any) -> _GovernedTool | None:
    """The governed tool that this interruption is about."""
    for tool in item.agent.tools:
        if tool.name == item.tool_name and isinstance(getattr(tool, "on_invoke_tool", None), _GovernedTool):
            found: _GovernedTool = tool.on_invoke_tool
            return found
    return None


def _read(arguments: str | None) -> Mapping[str, Any]:
    """The arguments by name; what is no JSON object stands under one name, and its tool refuses it itself."""
    try:
        read = json.loads(arguments or "{}")
    except ValueError:
        read = None
    return read if isinstance(read, dict) else {"input": arguments}
