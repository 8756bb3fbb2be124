"""Tools of CrewAI, governed.

    from assent.adapters.crewai import govern_tools

    agent = Agent(role="bookkeeper", goal=..., backstory=..., tools=govern_tools([pay, refund]))

Each run of a tool is an action. Where a person has to approve, the run waits. A refused run does nothing, and gives a
`ToolFailure` that says why: the model reads it as the tool's result, CrewAI lists it in `TaskOutput.tool_failures`, and
an agent, task or tool with `tool_failure_policy="raise"` ends there. A run that raises, or gives a `ToolFailure` of its
own, is recorded as failed. CrewAI may run again what raised: each time is an action of its own. What it has in its
cache of results it does not run, and that is no action; refusals and failures are never kept there. With
ASSENT_TELL_SESSIONS=1 nothing is: the session that is given a result from there would not hear of it.

An operator may ask something before deciding. `on_question` replies in words, or with other arguments by name: the run
is then asked about anew, and done with these.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from inspect import iscoroutine, iscoroutinefunction
from typing import Any, Unpack

from assent.client.actions import ActionFields
from assent.client.client import AsyncClient, Client
from assent.client.waiting import Replier
from assent.contract.control.actions import ActionStatus
from assent.errors import AssentError
from assent.governing import Ended, Governor, ToolCall, refusal
from assent.governing.governor import Change, How
from assent.settings import ClientSettings


def govern_tools(
    tools: Iterable[Any],
    *,
    client: Client | None = None,
    async_client: AsyncClient | None = None,
    approval_timeout: float = 300.0,
    mode: How = "enforce",
    on_question: Replier | None = None,
    **fields: Unpack[ActionFields],
) -> list[Any]:
    """Governed tools that stand for these, which are left alone.

    The clients are made from ASSENT_BASE_URL, ASSENT_API_KEY and ASSENT_AGENT_ID unless given; `async_client` is for
    tools that are coroutines. `approval_timeout` is how many seconds a run waits for its approval. `mode="observe"`
    asks and records, and stops nothing. `on_question` replies to what an operator asks while a run waits, as in
    `governed`. `fields` are further members of every action, as in `create_action`.

    Raises TypeError for what is not a CrewAI tool, and ValueError for a tool that is governed already.
    """
    governor = Governor(
        client, async_client, approval_timeout=approval_timeout, mode=mode, on_question=on_question, fields=fields
    )
    return [_governed(each, governor) for each in tools]


class _Runs:
    """How one tool is run."""

    def __init__(self, tool: Any, governor: Governor) -> None:
        self._tool, self._governor = tool, governor
        self._name: str = tool.name
        self._run: Callable[..., Any] = tool._run  # noqa: SLF001 - what every tool defines, and nothing else calls
        self.awaits = iscoroutinefunction(getattr(tool, "func", None)) or iscoroutinefunction(self._run)
        self._awaited: Callable[..., Any] | None = self._run if self.awaits else None
        if _own_arun(type(tool)):
            self._awaited = tool._arun  # noqa: SLF001

    def run(self, given: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        """The tool's result, or why it did not run; of a tool that is a coroutine, a coroutine that gives it."""
        if self.awaits:
            return self.run_async(given, named)

        def body(*given: Any, **named: Any) -> Any:
            result = self._run(*given, **named)
            return _ended(asyncio.run(result) if iscoroutine(result) else result)

        call, change = self._call(given, named), self._changing(given, named, body)
        return self._governor.run(call, lambda: body(*given, **named), self._refused, change=change)

    async def run_async(self, given: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        """The same, awaiting. Raises NotImplementedError for a tool that cannot be awaited."""
        awaited = self._awaited
        if awaited is None:
            raise NotImplementedError(f"{self._name} cannot be awaited: it has no coroutine of its own; use run()")

        async def body(*given: Any, **named: Any) -> Any:
            return _ended(await awaited(*given, **named))

        call, change = self._call(given, named), self._changing(given, named, body)
        return await self._governor.run_async(call, lambda: body(*given, **named), self._refused, change=change)

    def caches(self, arguments: Any = None, result: Any = None) -> bool:
        """Whether CrewAI may give this result again without a run, where the tool itself has something to say to it."""
        return caches(arguments, result) and bool(self._tool.cache_function(arguments, result))

    def _changing(
        self, given: tuple[Any, ...], named: Mapping[str, Any], body: Callable[..., Any]
    ) -> Change[Callable[[], Any]]:
        """The run with other arguments. Raises TypeError for a name that the tool has not."""

        def change(changes: Mapping[str, Any]) -> tuple[ToolCall, Callable[[], Any]]:
            known = self._tool.args_schema.model_fields
            if unknown := sorted(changes.keys() - set(known)):
                raise TypeError(f"{unknown[0]!r} is no argument of {self._name}; give one of {', '.join(known)}")
            arguments = {**dict(zip(known, given, strict=False)), **named, **changes}
            return self._call((), arguments), lambda: body(**arguments)

        return change

    def _call(self, given: tuple[Any, ...], named: Mapping[str, Any]) -> ToolCall:
        arguments = {**dict(zip(self._tool.args_schema.model_fields, given, strict=False)), **named}
        server = getattr(self._tool, "server_name", None)
        name = getattr(self._tool, "original_tool_name", self._name) if server else self._name
        return ToolCall(name=name, arguments=arguments, description=self._tool.description, server=server)

    def _refused(self, error: AssentError) -> Any:
        details = {"refused": type(error).__name__, "action_id": getattr(error, "action_id", None)}
        return _failure()(message=refusal(self._name, error), details=details)


def _governed(tool: Any, governor: Governor) -> Any:
    """A tool that runs this one under governance."""
    if not isinstance(tool, import_module("crewai.tools").BaseTool):
        raise TypeError(f"a {type(tool).__name__} is not a CrewAI tool; make one of it with crewai.tools.tool")
    kind = _kind()
    if isinstance(tool, kind):
        raise ValueError(f"{tool.name!r} is governed already; give the tool itself")
    runs = _Runs(tool, governor)
    same = {name: getattr(tool, name) for name in _SAME}
    usual = type(tool).model_fields["cache_function"].default
    return kind(**same, cache_function=caches if tool.cache_function is usual else runs.caches, runs=runs)


def caches(arguments: Any = None, result: Any = None) -> bool:
    """Whether CrewAI may give this result again without a run: not where sessions are told of results, since it tells
    nobody. A function of a module, since CrewAI names it where it keeps a crew."""
    return not isinstance(result, _failure()) and not _tells()


def _tells() -> bool:
    try:
        return ClientSettings.from_environment().tell_sessions
    except ValueError:
        return True


_SAME = (
    "name",
    "description",
    "env_vars",
    "args_schema",
    "result_schema",
    "result_as_answer",
    "max_usage_count",
    "current_usage_count",
    "tool_failure_policy",
)
"""What a governed tool has in common with the tool."""


@functools.cache
def _kind() -> Any:
    """The class of governed tools. CrewAI is imported when the first tool is governed."""

    def run(tool: Any, *given: Any, **named: Any) -> Any:
        return tool.runs.run(given, named)

    async def arun(tool: Any, *given: Any, **named: Any) -> Any:
        return await tool.runs.run_async(given, named)

    base: Any = import_module("crewai.tools").BaseTool
    members = {
        "__module__": __name__,
        "__doc__": "A tool that runs another one under governance.",
        "__annotations__": {"runs": Any},
        "runs": import_module("pydantic").Field(exclude=True, repr=False),
        "_run": run,
        "_arun": arun,
    }
    return type(base)("GovernedTool", (base,), members)


@functools.cache
def _failure() -> Any:
    return import_module("crewai.tools.tool_failure").ToolFailure


def _ended(result: Any) -> Any:
    """The result, unless it says that the tool failed."""
    if isinstance(result, _failure()):
        raise Ended(result, ActionStatus.FAILED, f"ToolFailure: {result.message}")
    return result


def _own_arun(kind: type[Any]) -> bool:
    tools = import_module("crewai.tools.base_tool")
    return kind._arun not in (tools.BaseTool._arun, tools.Tool._arun)  # noqa: SLF001 - the method that subclasses define
