"""LangChain and LangGraph: tools, agents and tool nodes that ask before they act.

    tools = govern_tools([search, send_email])                       # for any agent, or called by hand
    agent = create_agent(model, tools, middleware=[middleware()])    # LangChain's agents
    node = ToolNode(tools, **tool_node_wrappers())                   # LangGraph's own node

One of them is enough; two would ask twice. The function of a governed tool (`func`, `coroutine`) asks as well. Of
several middlewares this one goes last: then what was asked about is what runs, whatever the others make of a call, and
what they run again is asked about again. What was refused becomes the tool's result, so that the model is told; with
`refusals="raise"` it raises. A tool whose framework made a result of its error is reported failed.

An operator may ask something before deciding. A call that waits replies by `on_question`: in words, or with other
arguments by name, with which it is then asked about anew and run.

A call that needs a person waits (`approvals="wait"`), or interrupts the graph (`approvals="interrupt"`, with a
checkpointer): the interrupt's value tells what waits. Whatever `Command(resume=...)` then brings, the service is asked
again, and only its answer counts; while nobody has decided, the graph is interrupted again. Each call of a tool in a
task is one action there, found again by the ids of thread, task and call. LangGraph runs an interrupted task from its
beginning: where calls share one (a `ToolNode` without `Send`; `create_agent` gives each its own), those that were done
are not done again, and the model is told so instead of what they gave. An approval is used once, also when a process
dies in the middle; a call that needed none, and of whose end nothing is known, is run again.

A tool may interrupt the graph by itself, and goes on with what that is answered with; not one whose call had to be
approved by an interrupt, since LangGraph cannot tell the two answers apart: that raises RuntimeError, and the call has
failed. Tools that interrupt do not share a task with others; use `Send`.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from importlib import import_module
from typing import Any, Literal, Unpack, get_args

from assent.client.actions import ActionFields
from assent.client.client import AsyncClient, Client
from assent.client.waiting import Replier
from assent.contract.control.actions import Action, ActionStatus, CreatedAction
from assent.errors import AssentError
from assent.governing import Ended, Governor, ToolCall, refusal
from assent.governing.governor import How, waiting

Approvals = Literal["wait", "interrupt"]
Refusals = Literal["tell", "raise"]
INTERRUPT_TYPE = "assent.approval"


class MiddlewareOptions(ActionFields, total=False):
    """The clients are made from ASSENT_BASE_URL, ASSENT_API_KEY and ASSENT_AGENT_ID where none is given; awaited calls
    are asked about by `async_client`. `approval_timeout` is how many seconds a call waits (300). In the mode `observe`
    nothing is stopped. `on_question` replies to what an operator asks while a call waits, as in `governed`. `server`
    names the MCP server that the tools are of. All others are further members of every action, as in `create_action`.
    """

    client: Client | None
    async_client: AsyncClient | None
    approval_timeout: float
    mode: How
    on_question: Replier | None
    approvals: Approvals
    refusals: Refusals
    server: str | None


class Governance:
    """How calls of tools are governed. `wrap_tool_call` and `awrap_tool_call` are what agents and tool nodes take."""

    def __init__(self, governor: Governor, approvals: Approvals, refusals: Refusals, server: str | None) -> None:
        _check("approvals", approvals, get_args(Approvals))
        _check("refusals", refusals, get_args(Refusals))
        self._governor, self._interrupts = governor, approvals == "interrupt"
        self._raises, self._server = refusals == "raise", server

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Around a blocking call of a tool."""
        asked, description = request.tool_call, getattr(request.tool, "description", None)

        def instead(arguments: dict[str, Any]) -> Any:
            return handler(request.override(tool_call={**asked, "args": arguments}))

        return self.run(asked["name"], asked["args"], description, asked["id"], lambda: handler(request), instead)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Around an awaited call of a tool."""
        asked, description = request.tool_call, getattr(request.tool, "description", None)

        async def instead(arguments: dict[str, Any]) -> Any:
            return await handler(request.override(tool_call={**asked, "args": arguments}))

        return await self.run_async(
            asked["name"], asked["args"], description, asked["id"], lambda: handler(request), instead
        )

    def run(
        self,
        name: str,
        arguments: Any,
        description: str | None,
        call_id: str | None,
        body: Callable[[], Any],
        instead: Callable[[dict[str, Any]], Any],
    ) -> Any:
        """`instead` is the body with other arguments."""
        call = self._call(name, arguments, description, call_id)
        asked: CreatedAction | None = None
        try:
            while self._interrupts and (action := waiting(asked := self._governor.asked(call))) is not None:
                _interrupt(action)
        except AssentError as error:
            return self._refused(call, call_id, error)

        def ran(body: Callable[[], Any]) -> Any:
            answered = _answered(asked)
            try:
                return _judged(body())
            except _paused_by() as pause:
                raise self._paused(call, pause, answered) from None

        def change(changes: Mapping[str, Any]) -> tuple[ToolCall, Callable[[], Any]]:
            changed = _changed(call, changes)
            return changed, lambda: ran(lambda: instead(dict(changed.arguments)))

        refused = functools.partial(self._refused, call, call_id)
        return _unpaused(self._governor.run(call, lambda: ran(body), refused, change=change))

    async def run_async(
        self,
        name: str,
        arguments: Any,
        description: str | None,
        call_id: str | None,
        body: Callable[[], Awaitable[Any]],
        instead: Callable[[dict[str, Any]], Awaitable[Any]],
    ) -> Any:
        """The same, awaiting."""
        call = self._call(name, arguments, description, call_id)
        asked: CreatedAction | None = None
        try:
            while self._interrupts and (action := waiting(asked := await self._governor.asked_async(call))) is not None:
                _interrupt(action)
        except AssentError as error:
            return self._refused(call, call_id, error)

        async def ran(body: Callable[[], Awaitable[Any]]) -> Any:
            answered = _answered(asked)
            try:
                return _judged(await body())
            except _paused_by() as pause:
                raise self._paused(call, pause, answered) from None

        def change(changes: Mapping[str, Any]) -> tuple[ToolCall, Callable[[], Awaitable[Any]]]:
            changed = _changed(call, changes)
            return changed, lambda: ran(lambda: instead(dict(changed.arguments)))

        refused = functools.partial(self._refused, call, call_id)
        return _unpaused(await self._governor.run_async(call, lambda: ran(body), refused, change=change))

    def _call(self, name: str, arguments: Any, description: str | None, call_id: str | None) -> ToolCall:
        # As they are and not a copy, so that a claim is for what the tool is given.
        given = arguments if isinstance(arguments, dict) else {"input": arguments}
        call = ToolCall(name=name, arguments=given, description=description, server=self._server)
        if not self._interrupts:
            return call
        key = _key(name, call_id or call.parameters_digest)
        return ToolCall(name=name, arguments=given, description=description, server=self._server, key=key)

    def _refused(self, call: ToolCall, call_id: str | None, error: AssentError) -> Any:
        if self._raises:
            raise error
        text = refusal(call.name, error)
        if call_id is None:
            return text
        message: Any = import_module("langchain_core.messages").ToolMessage
        return message(text, name=call.name, tool_call_id=call_id, status="error")

    def _paused(self, call: ToolCall, pause: Exception, answered: bool) -> Ended:
        """A call that ended with a word to the graph. When it is an interrupt, the call goes on later; its action is
        then found again by its key, and without one it will be another."""
        if not isinstance(pause, sys.modules["langgraph.errors"].GraphInterrupt):
            return Ended(_Pause(pause), ActionStatus.COMPLETED, answer=pause)
        if answered:
            why = (
                f"{call.name} interrupted the graph by itself, in a call that was approved by an interrupt; LangGraph "
                "cannot tell the two answers apart. Use approvals='wait' for this tool"
            )
            return Ended(_Pause(RuntimeError(why)), ActionStatus.FAILED, why, answer=None)
        status = None if self._interrupts else ActionStatus.CANCELLED
        return Ended(_Pause(pause), status, "the graph was interrupted in the middle of this call", answer=None)


def governance(**options: Unpack[MiddlewareOptions]) -> Governance:
    """What the three below share. Raises ValueError and TypeError for options that are none."""
    approvals: Approvals = options.pop("approvals", "wait")
    refusals: Refusals = options.pop("refusals", "tell")
    server: str | None = options.pop("server", None)
    client: Client | None = options.pop("client", None)
    async_client: AsyncClient | None = options.pop("async_client", None)
    timeout: float = options.pop("approval_timeout", 300.0)
    mode: How = options.pop("mode", "enforce")
    on_question: Replier | None = options.pop("on_question", None)
    if on_question is not None and approvals == "interrupt":
        raise ValueError("on_question is for calls that wait; with approvals='interrupt' no call does")
    governor = Governor(
        client, async_client, approval_timeout=timeout, mode=mode, on_question=on_question, fields=options
    )
    return Governance(governor, approvals, refusals, server)


def govern_tools(tools: Sequence[Any], **options: Unpack[MiddlewareOptions]) -> list[Any]:
    """New tools that ask before they run; the given ones are left alone. Functions become tools. Raises TypeError for
    what is neither, such as the description of a tool that runs at a model's provider."""
    governs = governance(**options)
    return [_governed(_tool(each), governs) for each in tools]


def middleware(**options: Unpack[MiddlewareOptions]) -> Any:
    """A middleware of LangChain's `create_agent` that governs each call of a tool. Put it last: a middleware behind it
    could change a call, or make it again, after it was approved."""
    governs = governance(**options)
    base: Any = import_module("langchain.agents.middleware").AgentMiddleware

    def wrap_tool_call(_: Any, request: Any, handler: Any) -> Any:
        return governs.wrap_tool_call(request, handler)

    async def awrap_tool_call(_: Any, request: Any, handler: Any) -> Any:
        return await governs.awrap_tool_call(request, handler)

    members = {"wrap_tool_call": wrap_tool_call, "awrap_tool_call": awrap_tool_call}
    return type("AssentMiddleware", (base,), members)()


def tool_node_wrappers(**options: Unpack[MiddlewareOptions]) -> dict[str, Any]:
    """The arguments of LangGraph's `ToolNode` that govern each call of its tools."""
    governs = governance(**options)
    return {"wrap_tool_call": governs.wrap_tool_call, "awrap_tool_call": governs.awrap_tool_call}


def _tool(given: Any) -> Any:
    kinds: Any = import_module("langchain_core.tools")
    if isinstance(given, kinds.BaseTool):
        return given
    if callable(given) and not inspect.isclass(given):
        return kinds.tool(given)
    raise TypeError(f"{given!r} cannot be governed; give a tool of LangChain or a function")


def _governed(tool: Any, governs: Governance) -> Any:
    """A copy of the tool, of a class of its own in which its calls are governed. It stays what it was otherwise, since
    frameworks look at a tool's class, schema and function to hand in what belongs to the graph. Its function asks as
    well, where somebody else calls it than a run that has asked."""
    base: Any = type(tool)
    plain: Any = import_module("langchain_core.tools").BaseTool
    hidden = _injected(tool)
    mark = object()

    def changed(given: Any, arguments: dict[str, Any]) -> Any:
        return {**given, **arguments} if isinstance(given, dict) else arguments["input"]

    def run(self: Any, tool_input: Any, *args: Any, **more: Any) -> Any:
        def body(given: Any) -> Any:
            with _permit(mark):
                return base.run(self, given, *args, **more)

        return governs.run(
            self.name,
            _visible(tool_input, hidden),
            self.description,
            more.get("tool_call_id"),
            lambda: body(tool_input),
            lambda arguments: body(changed(tool_input, arguments)),
        )

    async def arun(self: Any, tool_input: Any, *args: Any, **more: Any) -> Any:
        async def body(given: Any) -> Any:
            with _permit(mark):
                return await base.arun(self, given, *args, **more)

        return await governs.run_async(
            self.name,
            _visible(tool_input, hidden),
            self.description,
            more.get("tool_call_id"),
            lambda: body(tool_input),
            lambda arguments: body(changed(tool_input, arguments)),
        )

    members: dict[str, Any] = {"run": run, "arun": arun, "__module__": base.__module__, "__doc__": base.__doc__}
    if getattr(tool, "coroutine", tool) is None:
        # Such a tool would call itself, blocking, in a thread; awaited calls are asked about by awaiting.
        members["ainvoke"] = plain.ainvoke
    copy = tool.model_copy()
    asking = functools.partial(_asking, copy, governs, hidden | FRAMEWORKS_OWN, mark)
    functions = {name: given for name in ("func", "coroutine") if (given := getattr(tool, name, None)) is not None}
    copy.__dict__.update({name: asking(given) for name, given in functions.items()})
    if not functions:
        own = [name for name in ("_run", "_arun") if getattr(base, name) is not getattr(plain, name)]
        members |= {name: asking(getattr(base, name), own=1) for name in own}
    copy.__class__ = type(f"Governed{base.__name__}", (base,), members)
    return copy


def _asking(tool: Any, governs: Governance, hidden: set[str], mark: object, function: Any, own: int = 0) -> Any:
    """The function of a tool, asked about unless a run permits it. `own` is how many of its first arguments are the
    tool itself."""

    def call(given: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
        whole = _by_name(function, given, named, own)
        return (
            tool.name,
            _visible(whole, hidden),
            tool.description,
            None,
            lambda: function(*given, **named),
            lambda arguments: function(*given[:own], **{**whole, **arguments}),
        )

    @functools.wraps(function)
    def ask(*given: Any, **named: Any) -> Any:
        return function(*given, **named) if _use_permit(mark) else governs.run(*call(given, named))

    @functools.wraps(function)
    async def ask_async(*given: Any, **named: Any) -> Any:
        return await (function(*given, **named) if _use_permit(mark) else governs.run_async(*call(given, named)))

    return ask_async if inspect.iscoroutinefunction(function) else ask


def _visible(given: Any, hidden: set[str]) -> Any:
    """The arguments that a model gave."""
    if not isinstance(given, dict) or hidden.isdisjoint(given):
        return given
    return {name: each for name, each in given.items() if name not in hidden}


FRAMEWORKS_OWN = frozenset({"config", "run_manager", "callbacks"})
"""Arguments of a tool's function that LangChain itself hands in."""


class _Permit:
    """Of one run of a tool that has asked: good for one call of its function."""

    def __init__(self, mark: object) -> None:
        self.mark: object | None = mark


PERMIT: ContextVar[_Permit | None] = ContextVar("assent_langchain_permit", default=None)


@contextmanager
def _permit(mark: object) -> Generator[None]:
    permit = _Permit(mark)
    token = PERMIT.set(permit)
    try:
        yield
    finally:
        permit.mark = None  # also where a thread that goes on has it
        PERMIT.reset(token)


def _use_permit(mark: object) -> bool:
    permit = PERMIT.get()
    if permit is None or permit.mark is not mark:
        return False
    permit.mark = None
    return True


def _by_name(function: Any, given: tuple[Any, ...], named: Mapping[str, Any], own: int) -> dict[str, Any]:
    """The arguments of a call of the function, by their names."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    known = [each.name for each in inspect.signature(function).parameters.values() if each.kind in positional]
    names = [*known, *(f"argument_{number}" for number in range(len(known), len(given)))]
    return {**dict(zip(names[own:], given[own:], strict=False)), **named}


def _changed(call: ToolCall, changes: Mapping[str, Any]) -> ToolCall:
    """The call with other arguments. Raises TypeError for a name that is none of them: a model gives all that count."""
    if unknown := sorted(changes.keys() - call.arguments.keys()):
        known = ", ".join(call.arguments) or "none"
        raise TypeError(f"{unknown[0]!r} is no argument of this call of {call.name}; give one of {known}")
    return replace(call, arguments={**call.arguments, **changes})


def _injected(tool: Any) -> set[str]:
    """The arguments that come from the graph and not from the model."""
    schema = tool.get_input_schema()
    function = getattr(tool, "func", None) or getattr(tool, "coroutine", None)
    named = set(getattr(schema, "model_fields", ())) | (
        set(inspect.signature(function).parameters) if function else set()
    )
    return named - set(tool.args)


def _judged(result: Any) -> Any:
    """The result, unless it is the message of an error."""
    if getattr(result, "status", None) == "error" and hasattr(result, "tool_call_id"):
        raise Ended(result, ActionStatus.FAILED, str(result.content))
    return result


class _Pause:
    """Instead of a result: what the graph has to be told."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _unpaused(result: Any) -> Any:
    if isinstance(result, _Pause):
        raise result.error
    return result


def _paused_by() -> tuple[type[Exception], ...]:
    """What a graph's own signals are, where there is a graph."""
    errors = sys.modules.get("langgraph.errors")
    return () if errors is None else (errors.GraphBubbleUp,)


def _interrupt(waiting: Action) -> None:
    """Returns once the graph goes on. Whatever it was resumed with decides nothing."""
    import_module("langgraph.types").interrupt(
        {
            "type": INTERRUPT_TYPE,
            "action_id": waiting.action_id,
            "action_type": waiting.action_type,
            "declared_goal": waiting.declared_goal,
            "risk_score": waiting.risk_score,
            "approve_with": f"assent approve {waiting.action_id}",
        }
    )


def _answered(asked: CreatedAction | None) -> bool:
    """Whether the graph was interrupted for an approval of this call. What it was resumed with is then used up, so that
    no interrupt of the tool's own takes it for its answer."""
    if asked is None or asked.approval is None or asked.approval.grant_id is not None:
        return False
    try:
        while True:
            import_module("langgraph.types").interrupt(None)
    except _paused_by():
        return True


def _key(name: str, call_id: str) -> str:
    """What stays the same when a graph goes on, and is another for every other call. Raises RuntimeError outside of a
    graph."""
    try:
        found: dict[str, Any] = import_module("langgraph.config").get_config()["configurable"]
    except (ImportError, RuntimeError, KeyError):
        raise RuntimeError(
            f"{name} was called outside of a LangGraph graph, which approvals='interrupt' is for; use approvals='wait'"
        ) from None
    parts = (str(found.get("thread_id")), str(found.get("checkpoint_ns")), call_id, name)
    return "langgraph-" + hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _check(name: str, given: object, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        raise ValueError(f"{name} is {given!r}; give one of {', '.join(allowed)}")
