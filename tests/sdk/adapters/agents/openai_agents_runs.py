"""Runs of agents of the OpenAI Agents SDK, by name (`many resumed:asks`), one after the other; each prints one JSON
object of what the model was told and of what ran."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from agents import Agent, Runner, RunState, UserError, WebSearchTool, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call

from assent import Client
from assent.adapters.openai_agents import govern_tools, settle

RAN: list[str] = []
SAVED = Path("state.json")


@function_tool
def look(path: str) -> str:
    """Read something."""
    RAN.append(f"look {path}")
    return f"contents of {path}"


@function_tool
def wipe(host: str, password: str) -> str:
    """Delete everything."""
    RAN.append(f"wipe {host}")
    return "wiped"


@function_tool(timeout=0.5)
async def pay(amount: int) -> str:
    """Pay something."""
    RAN.append(f"pay {amount}")
    return f"paid {amount}"


@function_tool
def broken() -> str:
    """Raise."""
    raise RuntimeError("the printer is on fire")


@function_tool(failure_error_function=lambda _, error: f"told by the owner: {error}")
async def told() -> str:
    """Raise, with something for the model."""
    raise RuntimeError("no paper")


@function_tool(failure_error_function=None)
async def fatal() -> str:
    """Raise, which ends the run."""
    raise RuntimeError("no printer")


@function_tool(timeout=0.05)
async def slow() -> str:
    """Take too long."""
    await asyncio.sleep(30)
    return "never"


ALL = [look, wipe, pay, broken, told, slow]
SECRET = "hunter2-hunter2"


def agent(*turns: list[Any], tools: list[Any]) -> Agent[Any]:
    model = ScriptedModel([*turns, [assistant_message("done")]])
    return Agent(name="clerk", instructions="Do it.", tools=tools, model=model)


def outputs(result: Any) -> dict[str, str]:
    """What the model was told, by call."""
    items = [item for item in result.new_items if item.type == "tool_call_output_item"]
    return {item.raw_item["call_id"]: item.output for item in items}


def keep(state: str) -> None:
    SAVED.write_text(state)


def kept() -> str:
    return SAVED.read_text()


def say(result: Any = None, **more: Any) -> None:
    said = {} if result is None else {"outputs": outputs(result), "final": result.final_output}
    print(json.dumps({"ran": RAN, **said, **more}))


PAY = function_call("pay", {"amount": 5}, call_id="pay-5")


async def many() -> None:
    """One turn with many calls at once; two of them wait."""
    turn = [
        function_call("look", {"path": "a.txt"}, call_id="look"),
        function_call("wipe", {"host": "db-1", "password": SECRET}, call_id="wipe"),
        PAY,
        function_call("pay", {"amount": 7}, call_id="pay-7"),
        function_call("broken", {}, call_id="broken"),
        function_call("told", {}, call_id="told"),
        function_call("slow", {}, call_id="slow"),
    ]
    say(await Runner.run(agent(turn, tools=govern_tools(ALL)), "go"))


def blocking() -> None:
    """The same through the SDK's synchronous door, one call that waits."""
    say(Runner.run_sync(agent([PAY], tools=govern_tools(ALL)), "go"))


async def asked() -> None:
    """In a session inside of another one. What an operator asks is answered by another amount."""
    tools = govern_tools(ALL, on_question=lambda _: {"amount": 3})
    turn = [function_call("look", {"path": "a.txt"}, call_id="look"), PAY]
    with Client() as client, client.session("ticket 1"), client.session("clerk"):
        say(await Runner.run(agent(turn, tools=tools), "go"))


@function_tool
async def delegate(who: str) -> str:
    """Let a sub-agent look, in a session of its own."""
    turn = [function_call("look", {"path": who}, call_id=who)]
    with Client() as client, client.session(who):
        result = await Runner.run(agent(turn, tools=govern_tools([look])), "go")
    return str(result.final_output)


async def delegated() -> None:
    """Two sub-agents at once, each in a session of its own."""
    first = [
        function_call("look", {"path": "begin"}, call_id="begin"),
        function_call("delegate", {"who": "reader"}, call_id="reader"),
        function_call("delegate", {"who": "writer"}, call_id="writer"),
    ]
    then = [function_call("look", {"path": "end"}, call_id="end")]
    with Client() as client, client.session("ticket 1"):
        say(await Runner.run(agent(first, then, tools=govern_tools([look, delegate])), "go"))


async def short() -> None:
    """Nobody decides in time."""
    say(await Runner.run(agent([PAY], tools=govern_tools(ALL, approval_timeout=0.2)), "go"))


async def observed() -> None:
    turn = [function_call("wipe", {"host": "db-1", "password": SECRET}, call_id="wipe")]
    say(await Runner.run(agent(turn, tools=govern_tools(ALL, mode="observe", approvals="interrupt")), "go"))


async def raising() -> None:
    turn = [function_call("wipe", {"host": "db-1", "password": SECRET}, call_id="wipe")]
    try:
        await Runner.run(agent(turn, tools=govern_tools(ALL, refusals="raise")), "go")
    except UserError as error:
        say(cause=type(error.__cause__).__name__)


async def ended() -> None:
    """A tool whose error ends the run."""
    try:
        await Runner.run(agent([function_call("fatal", {}, call_id="fatal")], tools=govern_tools([fatal])), "go")
    except UserError as error:
        say(cause=str(error.__cause__))


async def interrupted() -> None:
    """The run stops at a call that needs approval, is kept, and this process ends."""
    turn = [function_call("look", {"path": "a.txt"}, call_id="look"), PAY]
    result = await Runner.run(agent(turn, tools=govern_tools(ALL, approvals="interrupt")), "go")
    keep(result.to_state().to_string())
    say(result, interruptions=[item.tool_name for item in result.interruptions])


async def resumed(how: str) -> None:
    """Another process goes on: it `asks` the service, or `pretends` that somebody has approved."""
    again = agent(tools=govern_tools(ALL, approvals="interrupt"))
    state = await RunState.from_string(again, kept())
    if how == "asks":
        state = await settle(state)
    else:
        for item in state.get_interruptions():
            state.approve(item)
    result = await Runner.run(again, state)
    say(result, interruptions=[item.tool_name for item in result.interruptions])


async def impatient() -> None:
    """Nobody has decided when the run would be resumed."""
    result = await Runner.run(agent([PAY], tools=govern_tools(ALL, approvals="interrupt")), "go")
    try:
        await settle(result, approval_timeout=0)
    except TimeoutError as error:
        say(raised=type(error).__name__)


async def later() -> None:
    """Tools that give work which is still to come."""

    def rows(page: int) -> Any:
        """Rows."""
        RAN.append("rows")
        yield page

    async def slow(page: int) -> Any:
        """A row."""
        RAN.append("slow")

    async def gives(page: int) -> Any:
        """Give what has to be awaited."""
        return slow(page)

    turn = [function_call(name, {"page": 1}, call_id=name) for name in ("rows", "gives")]
    tools = [function_tool(each) for each in (rows, gives)]
    say(await Runner.run(agent(turn, tools=govern_tools(tools)), "go"))


async def left_out() -> None:
    """A model leaves out what has a default."""

    def send(owner: str, recipient: str = "zanzibar7731") -> str:
        """Send money."""
        RAN.append(f"send {recipient}")
        return "sent"

    turn = [function_call("send", {"owner": "a"}, call_id="owner"), function_call("send", {}, call_id="none")]
    for strict in (True, False):
        tools = govern_tools([function_tool(send, strict_mode=strict)])
        await Runner.run(agent(turn, tools=tools), "go")
    say()


async def own() -> None:
    """A tool that asks for approval by itself, with a policy of its owner's."""
    asked: list[Any] = []

    async def policy(_: Any, arguments: dict[str, Any], __: str) -> bool:
        asked.append(arguments)
        return bool(arguments.get("path") == "secret.txt")

    @function_tool(needs_approval=policy, strict_mode=False)
    def read(path: str = "secret.txt") -> str:
        """Read something."""
        RAN.append(f"read {path}")
        return path

    turn = [
        function_call("read", {"path": "a.txt"}, call_id="named"),
        function_call("read", {"path": "secret.txt"}, call_id="secret"),
        function_call("read", {}, call_id="left-out"),
    ]
    result = await Runner.run(agent(turn, tools=govern_tools([read])), "go")
    say(result, asked=asked, interruptions=sorted(item.call_id or "" for item in result.interruptions))


def mistakes() -> None:
    """What `govern_tools` does not take."""

    @function_tool(needs_approval=True)
    def careful() -> str:
        """Ask first."""
        return ""

    said = []
    for make in (
        lambda: govern_tools([WebSearchTool()]),
        lambda: govern_tools(govern_tools([look])),
        lambda: govern_tools([careful], approvals="interrupt"),
        lambda: govern_tools([look], approvals="interrupt", on_question=print),
        lambda: govern_tools([look], approvals="never"),  # type: ignore[arg-type]
        lambda: govern_tools([look], refusals="ignore"),  # type: ignore[arg-type]
        lambda: govern_tools([look], client=Client()),  # type: ignore[arg-type]
    ):
        try:
            make()
        except (TypeError, ValueError) as error:
            said.append(f"{type(error).__name__}: {error}")
    [governed] = govern_tools([look])
    assert governed is not look
    assert governed.params_json_schema == look.params_json_schema
    assert governed.description == look.description
    say(errors=said)


if __name__ == "__main__":
    for word in sys.argv[1:]:
        RAN.clear()
        name, _, how = word.partition(":")
        done = globals()[name](*([how] if how else []))
        if done is not None:
            asyncio.run(done)
