"""LangChain and LangGraph: tools, agents and tool nodes that ask before they act.

    tools = govern_tools([search, send_email])                       # for any agent, or called by hand
    agent = create_agent(model, tools, middleware=[middleware()])    # LangChain's agents
    node = ToolNode(tools, **tool_node_wrappers())                   # LangGraph's own node

One of them is enough; more would ask more than once. The function of a governed tool (`func`, `coroutine`) asks as
well. Of several middlewares this one goes last: then what was asked about is what runs, whatever the others make of a
call, and what they run again is asked about again.

A tool's schema reads the arguments once, before anybody is asked: what it made of them, defaults included, is asked
about, and runs. Where the schema refuses them, they are asked about as they are. What comes from the graph (state,
store, runtime, the id of the call) is no argument. An injected argument that JSON could hold is one all the same, since
a model may have written it.

What was refused becomes the tool's result, so that the model is told; with `refusals="raise"` it raises. A tool whose
framework made a result of its error is reported failed.

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
from assent.governing.results import finished

Approvals = Literal["wait", "interrupt"]
Refusals = Literal["tell", "raise"]
INTERRUPT_TYPE = "assent.approval"
MOST_TOOLS = 1000
"""Tools of which one middleware remembers what stands for them."""


class _Called(ToolCall):
    def answer_of(self, result: Any) -> Any:
        """Of a message what the tool gave: its content, as a call without an id gives it, and beside it what else the
        tool put there."""
        message: Any = import_module("langchain_core.messages").ToolMessage
        if not isinstance(result, message):
            return result
        more = {name: each for name, each in vars(result).items() if name not in _ENVELOPE and not _is_empty(each)}
        return {"content": result.content, **more} if more else result.content


_ENVELOPE = frozenset({"content", "type", "name", "id", "tool_call_id", "status"})
"""Members of a tool's message that LangChain itself fills."""


def _is_empty(member: object) -> bool:
    return member is None or (isinstance(member, dict) and not member)


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
        self._tools: dict[int, tuple[Any, Any]] = {}

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Around a blocking call of a tool."""
        if (tool := self._governed(request.tool)) is not None:
            return handler(request.override(tool=tool))
        asked, description = request.tool_call, None

        def instead(changes: Mapping[str, Any]) -> tuple[Any, Callable[[], Any]]:
            changed = {**asked["args"], **changes}
            return changed, lambda: handler(request.override(tool_call={**asked, "args": changed}))

        return self.run(asked["name"], asked["args"], description, asked["id"], lambda: handler(request), instead)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Around an awaited call of a tool."""
        if (tool := self._governed(request.tool)) is not None:
            return await handler(request.override(tool=tool))
        asked, description = request.tool_call, None

        def instead(changes: Mapping[str, Any]) -> tuple[Any, Callable[[], Awaitable[Any]]]:
            changed = {**asked["args"], **changes}
            return changed, lambda: handler(request.override(tool_call={**asked, "args": changed}))

        return await self.run_async(
            asked["name"], asked["args"], description, asked["id"], lambda: handler(request), instead
        )

    def _governed(self, tool: Any) -> Any:
        """What stands for a tool in its calls: it asks once it was handed what comes from the graph, and read what the
        model gave. None where nobody has said yet which tool it is."""
        if tool is None:
            return None
        given, governed = self._tools.get(id(tool), (None, None))
        if given is not tool:
            governed = _governed(tool, self)
            if len(self._tools) >= MOST_TOOLS:
                self._tools.clear()
            self._tools[id(tool)] = tool, governed
        return governed

    def run(
        self,
        name: str,
        arguments: Any,
        description: str | None,
        call_id: str | None,
        body: Callable[[], Any],
        instead: Callable[[Mapping[str, Any]], tuple[Any, Callable[[], Any]]],
    ) -> Any:
        """`instead` gives the arguments with these changes, and the body that runs with them."""
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
            _check_names(call, changes)
            changed, body = instead(changes)
            return replace(call, arguments=_named(changed)), lambda: ran(body)

        refused = functools.partial(self._refused, call, call_id)
        return _unpaused(self._governor.run(call, lambda: ran(body), refused, change=change))

    async def run_async(
        self,
        name: str,
        arguments: Any,
        description: str | None,
        call_id: str | None,
        body: Callable[[], Awaitable[Any]],
        instead: Callable[[Mapping[str, Any]], tuple[Any, Callable[[], Awaitable[Any]]]],
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
            _check_names(call, changes)
            changed, body = instead(changes)
            return replace(call, arguments=_named(changed)), lambda: ran(body)

        refused = functools.partial(self._refused, call, call_id)
        return _unpaused(await self._governor.run_async(call, lambda: ran(body), refused, change=change))

    def _call(self, name: str, arguments: Any, description: str | None, call_id: str | None) -> ToolCall:
        # As they are and not a copy, so that a claim is for what the tool is given.
        call = _Called(name=name, arguments=_named(arguments), description=description, server=self._server)
        if not self._interrupts:
            return call
        return replace(call, key=_key(name, call_id or call.parameters_digest))

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

    def run(self: Any, tool_input: Any, *args: Any, **more: Any) -> Any:
        def body(parsed: _Parsed) -> Any:
            with _permit(mark, parsed):
                return base.run(self, parsed.given, *args, **more)

        def instead(changes: Mapping[str, Any]) -> tuple[Any, Callable[[], Any]]:
            changed = _Parsed(self, base, _with(tool_input, changes), call_id)
            return changed.shown(hidden), lambda: body(changed)

        call_id: str | None = more.get("tool_call_id")
        parsed = _Parsed(self, base, tool_input, call_id)
        shown = parsed.shown(hidden)
        return governs.run(self.name, shown, self.description, call_id, lambda: body(parsed), instead)

    async def arun(self: Any, tool_input: Any, *args: Any, **more: Any) -> Any:
        async def body(parsed: _Parsed) -> Any:
            with _permit(mark, parsed):
                return await base.arun(self, parsed.given, *args, **more)

        def instead(changes: Mapping[str, Any]) -> tuple[Any, Callable[[], Awaitable[Any]]]:
            changed = _Parsed(self, base, _with(tool_input, changes), call_id)
            return changed.shown(hidden), lambda: body(changed)

        call_id: str | None = more.get("tool_call_id")
        parsed = _Parsed(self, base, tool_input, call_id)
        shown = parsed.shown(hidden)
        return await governs.run_async(self.name, shown, self.description, call_id, lambda: body(parsed), instead)

    def parse_input(self: Any, tool_input: Any, *more: Any) -> Any:
        permit = PERMIT.get()
        parsed = permit.parsed if permit is not None and permit.mark is mark else None
        return base._parse_input(self, tool_input, *more) if parsed is None else parsed.read()  # noqa: SLF001

    members: dict[str, Any] = {"run": run, "arun": arun, "__module__": base.__module__, "__doc__": base.__doc__}
    members["_parse_input"] = parse_input
    if getattr(tool, "coroutine", tool) is None:
        # Such a tool would call itself, blocking, in a thread; awaited calls are asked about by awaiting.
        members["ainvoke"] = plain.ainvoke
    copy = tool.model_copy()
    asking = functools.partial(_asking, copy, governs, hidden | FRAMEWORKS_OWN, mark)
    functions = {name: given for name in ("func", "coroutine") if (given := getattr(tool, name, None)) is not None}
    copy.__dict__.update({name: asking(given, awaits=name == "coroutine") for name, given in functions.items()})
    if not functions:
        own = [name for name in ("_run", "_arun") if getattr(base, name) is not getattr(plain, name)]
        members |= {name: asking(getattr(base, name), awaits=name == "_arun", own=1) for name in own}
    copy.__class__ = type(f"Governed{base.__name__}", (base,), members)
    return copy


def _asking(
    tool: Any, governs: Governance, hidden: set[str], mark: object, function: Any, *, awaits: bool, own: int = 0
) -> Any:
    """The function of a tool, asked about unless a run permits it. What it gives is looked at here, before LangChain
    makes a text of it. `own` is how many of its first arguments are the tool itself."""

    def call(given: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
        whole = _by_name(function, given, named, own)

        def instead(changes: Mapping[str, Any]) -> tuple[Any, Callable[[], Any]]:
            changed = {**whole, **changes}
            return _visible(changed, changed, hidden), lambda: function(*given[:own], **changed)

        shown = _visible(whole, whole, hidden)
        return tool.name, shown, tool.description, None, lambda: function(*given, **named), instead

    @functools.wraps(function)
    def ask(*given: Any, **named: Any) -> Any:
        if _use_permit(mark):
            return finished(function(*given, **named), tool.name)
        return governs.run(*call(given, named))

    @functools.wraps(function)
    async def ask_async(*given: Any, **named: Any) -> Any:
        if _use_permit(mark):
            return finished(await function(*given, **named), tool.name)
        return await governs.run_async(*call(given, named))

    return ask_async if awaits else ask


class _Parsed:
    """What a tool is given, as its schema reads it: once, so that what was asked about is what runs."""

    def __init__(self, tool: Any, base: Any, given: Any, call_id: str | None) -> None:
        self.given, self._call_id = given, call_id
        self._read: Any = None
        self._error: Exception | None = None
        try:
            # A copy, since LangChain adds the id of the call to what it is given.
            copied = dict(given) if isinstance(given, dict) else given
            self._read = base._parse_input(tool, copied, call_id)  # noqa: SLF001 - what `run` reads its input by
        except Exception as error:  # noqa: BLE001 - whatever it is, `run` makes of it what the tool's owner said
            self._error = error

    def read(self) -> Any:
        """Raises what the schema raised."""
        if self._error is not None:
            raise self._error
        return self._read

    def shown(self, hidden: set[str]) -> Any:
        """The arguments that are asked about: those that run, and what else was given, by whatever name."""
        if not isinstance(self.given, dict):
            return self.given
        read = self._read if isinstance(self._read, dict) else {}
        ids = {name for name in hidden - self.given.keys() if name in read and self._is_id(read[name])}
        shown = {**self.given, **{name: each for name, each in read.items() if name not in ids}}
        return _visible(shown, self.given, hidden)

    def _is_id(self, value: object) -> bool:
        """Whether it is the id of the call, which LangChain hands in."""
        return isinstance(value, str) and value == self._call_id


def _with(given: Any, changes: Mapping[str, Any]) -> Any:
    return {**given, **changes} if isinstance(given, dict) else changes["input"]


def _visible(arguments: dict[str, Any], given: Mapping[str, Any], hidden: set[str]) -> dict[str, Any]:
    """Without what comes from the graph. Whatever a model could have written is an argument, wherever it stands."""
    if hidden.isdisjoint(arguments):
        return arguments
    return {name: each for name, each in arguments.items() if name not in hidden or _is_written(given.get(name, each))}


def _is_written(value: object) -> bool:
    """Whether it is what JSON holds, and no object of a program."""
    waiting, seen = [value], set[int]()
    while waiting:
        each = waiting.pop()
        if not isinstance(each, str | int | float | dict | list | tuple | None):
            return False
        if isinstance(each, dict | list | tuple) and id(each) not in seen:
            seen.add(id(each))
            waiting.extend([*each, *each.values()] if isinstance(each, dict) else each)
    return True


FRAMEWORKS_OWN = frozenset({"config", "run_manager", "callbacks"})
"""Arguments of a tool's function that LangChain itself hands in."""


class _Permit:
    """Of one run of a tool that has asked: good for one call of its function, with what was asked about."""

    def __init__(self, mark: object, parsed: _Parsed) -> None:
        self.mark: object | None = mark
        self.parsed = parsed


PERMIT: ContextVar[_Permit | None] = ContextVar("assent_langchain_permit", default=None)


@contextmanager
def _permit(mark: object, parsed: _Parsed) -> Generator[None]:
    permit = _Permit(mark, parsed)
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


def _named(arguments: Any) -> dict[str, Any]:
    return arguments if isinstance(arguments, dict) else {"input": arguments}


def _check_names(call: ToolCall, changes: Mapping[str, Any]) -> None:
    """Raises TypeError for a name that is no argument of the call."""
    if unknown := sorted(changes.keys() - call.arguments.keys()):
        known = ", ".join(call.arguments) or "none"
        raise TypeError(f"{unknown[0]!r} is no argument of this call of {call.name}; give one of {known}")


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
