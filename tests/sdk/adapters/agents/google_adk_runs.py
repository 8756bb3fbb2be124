"""Runs of agents of Google's ADK with governed tools, by name (`many asked`), one after the other; each prints one JSON
object of what the model was told and of what ran."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools import AgentTool, BaseTool, FunctionTool, ToolContext, google_search
from google.adk.tools.base_toolset import BaseToolset
from google.genai import types

from assent import Client
from assent.adapters.google_adk import govern_tools

RAN: list[str] = []
SECRET = "hunter2-hunter2"


def look(path: str) -> str:
    """Read something."""
    RAN.append(f"look {path}")
    return f"contents of {path}"


def wipe(host: str, password: str) -> dict[str, str]:
    """Delete everything."""
    RAN.append(f"wipe {host}")
    return {"status": "wiped"}


async def pay(amount: int) -> dict[str, str]:
    """Pay something."""
    RAN.append(f"pay {amount}")
    return {"status": f"paid {amount}"}


def noted(word: str, tool_context: ToolContext) -> str:
    """Use what the run knows."""
    tool_context.state["word"] = word
    RAN.append(f"noted {word}")
    return tool_context.agent_name


def declared() -> dict[str, str]:
    """Say that it failed."""
    return {"error": "no such channel"}


def broken() -> str:
    """Raise."""
    raise RuntimeError("the printer is on fire")


class Handmade(BaseTool):
    """A tool that is a class."""

    def __init__(self) -> None:
        super().__init__(name="handmade", description="A tool that is a class.")

    def _get_declaration(self) -> types.FunctionDeclaration:
        what = types.Schema(type=types.Type.STRING)
        parameters = types.Schema(type=types.Type.OBJECT, properties={"what": what})
        return types.FunctionDeclaration(name=self.name, description=self.description, parameters=parameters)

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        RAN.append(f"handmade {args['what']}")
        return args["what"].upper()


class Box(BaseToolset):
    """Tools that are known once it is asked, under a prefix, as those of an MCP server are."""

    def __init__(self) -> None:
        super().__init__(tool_name_prefix="box")
        self.closed = False

    async def get_tools(self, readonly_context: Any = None) -> list[BaseTool]:
        return [FunctionTool(look), FunctionTool(wipe)]

    async def close(self) -> None:
        self.closed = True


class Scripted(BaseLlm):
    """Says what it was told to say."""

    script: list[list[types.Part]]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        yield LlmResponse(content=types.Content(role="model", parts=self.script.pop(0)))


def called(*calls: tuple[str, dict[str, Any]]) -> list[types.Part]:
    """One turn of calls; what a name has behind its dash is part of its id alone."""
    made = [types.FunctionCall(id=f"c-{name}", name=name.partition("-")[0], args=args) for name, args in calls]
    return [types.Part(function_call=each) for each in made]


def agent(*turns: list[types.Part], tools: list[Any], name: str = "clerk", **more: Any) -> LlmAgent:
    model = Scripted(model="scripted", script=[*turns, [types.Part(text="done")]])
    return LlmAgent(name=name, description="Does it.", model=model, tools=tools, **more)


async def told(made: LlmAgent) -> dict[str, Any]:
    """What the model was told of each call."""
    runner = InMemoryRunner(agent=made, app_name="app")
    session = await runner.session_service.create_session(app_name="app", user_id="user")
    said: dict[str, Any] = {}
    message = types.Content(role="user", parts=[types.Part(text="go")])
    async for event in runner.run_async(user_id="user", session_id=session.id, new_message=message):
        said |= {each.id: each.response for each in event.get_function_responses()}
        if event.content and event.content.parts and event.content.parts[0].text:
            said["text"] = event.content.parts[0].text
    await runner.close()
    return said


def say(said: dict[str, Any] | None = None, **more: Any) -> None:
    print(json.dumps({"told": said, "ran": sorted(RAN), **more}), flush=True)


ALL = [look, wipe, pay, noted, declared, Handmade()]


async def many() -> None:
    """One turn with many calls at once; two of them wait."""
    turn = called(
        ("look", {"path": "a.txt"}),
        ("wipe", {"host": "db-1", "password": SECRET}),
        ("pay-5", {"amount": 5}),
        ("pay-7", {"amount": 7}),
        ("noted", {"word": "yes"}),
        ("declared", {}),
        ("handmade", {"what": "x"}),
    )
    say(await told(agent(turn, tools=govern_tools(ALL))))


async def asked() -> None:
    """In a session inside of another one. What an operator asks is answered by another amount."""
    tools = govern_tools(ALL, on_question=lambda _: {"amount": 3})
    turn = called(("look", {"path": "a.txt"}), ("pay-5", {"amount": 5}))
    with Client() as client, client.session("ticket 1"), client.session("clerk"):
        say(await told(agent(turn, tools=tools)))


async def nonsense() -> None:
    """A reply with an argument that the tool has not."""
    errors = []
    for tool in (pay, Handmade()):
        [governed] = govern_tools([tool], on_question=lambda _: {"colour": "red"})
        try:
            await told(agent(called((governed.name, {"amount": 5, "what": "x"})), tools=[governed]))
        except TypeError as error:
            errors.append(str(error))
    say(errors=errors)


async def delegate(who: str) -> str:
    """Let a sub-agent look, in a session of its own."""
    with Client() as client, client.session(who):
        made = agent(called((f"look-{who}", {"path": who})), tools=govern_tools([look]), name=who)
        return str((await told(made))["text"])


async def delegated() -> None:
    """Two sub-agents begun by a tool at once, each in a session of its own."""
    delegates = [(f"delegate-{who}", {"who": who}) for who in ("reader", "writer")]
    first = called(("look-begin", {"path": "begin"}), *delegates)
    made = agent(first, called(("look-end", {"path": "end"})), tools=govern_tools([look, delegate]))
    with Client() as client, client.session("ticket 1"):
        say(await told(made))


async def agent_tool() -> None:
    """An agent that is a tool: its run is an action, and what it does has that one as its parent."""
    reader = agent(called(("look", {"path": "a.txt"})), tools=govern_tools([look]), name="reader")
    tools = govern_tools([AgentTool(reader)])
    say(await told(agent(called(("reader", {"request": "read"})), tools=tools)))


async def toolset() -> None:
    """A toolset's tools are governed under the names that the model knows, and the toolset is left alone."""
    box = Box()
    tools = govern_tools([box])
    turn = called(("box_look", {"path": "a.txt"}), ("box_wipe", {"host": "db-1", "password": SECRET}))
    said = await told(agent(turn, tools=tools))
    own = [type(each).__name__ for each in await box.get_tools()]
    say(said, own=own, closed=tools[0].closed)


async def confirmed() -> None:
    """A tool that wants ADK's own confirmation is not asked about before it has it."""
    tools = govern_tools([FunctionTool(look, require_confirmation=True)])
    say(await told(agent(called(("look", {"path": "a.txt"})), tools=tools)))


async def callbacks() -> None:
    """A callback that answers by itself, and one that changes what a call is given."""

    def before(tool: Any, args: dict[str, Any], tool_context: Any) -> dict[str, Any] | None:
        if args["path"] == "known":
            return {"result": "I know"}
        args["path"] = "b.txt"
        return None

    turn = called(("look-known", {"path": "known"}), ("look-a", {"path": "a.txt"}))
    say(await told(agent(turn, tools=govern_tools([look]), before_tool_callback=before)))


async def short() -> None:
    """Nobody decides in time."""
    tools = govern_tools(ALL, approval_timeout=0.2)
    say(await told(agent(called(("pay-5", {"amount": 5})), tools=tools)))


async def observed() -> None:
    turn = called(("wipe", {"host": "db-1", "password": SECRET}))
    say(await told(agent(turn, tools=govern_tools(ALL, mode="observe"))))


async def raising() -> None:
    """A refusal, and a tool's own error, that end the run."""
    raised = []
    for name, arguments in (("wipe", {"host": "db-1", "password": SECRET}), ("broken", {})):
        try:
            await told(agent(called((name, arguments)), tools=govern_tools([wipe, broken], refusals="raise")))
        except Exception as error:  # noqa: BLE001 - whatever it is, the test looks at it
            raised.append(f"{type(error).__name__}: {error}")
    say(raised=raised)


async def later() -> None:
    """Tools that give work which is still to come."""

    async def slow(page: int) -> None:
        """A row."""
        RAN.append("slow")

    async def gives(page: int) -> Any:
        """Give what has to be awaited."""
        return slow(page)

    def held(page: int) -> Any:
        """Give what has to be awaited, in a record."""
        return {"rows": [slow(page)]}

    raised = []
    for name in ("gives", "held"):
        try:
            await told(agent(called((name, {"page": 1})), tools=govern_tools([gives, held])))
        except TypeError as error:
            raised.append(str(error))
    say(raised=raised)


async def left_out() -> None:
    """A model leaves out what has a default, and callbacks change what it gave."""

    def send(owner: str, recipient: str = "zanzibar7731", tool_context: ToolContext | None = None) -> str:
        """Send money."""
        RAN.append(f"send {recipient}")
        return "sent"

    turn = called(("send-a", {"owner": "a"}), ("send-b", {"owner": "b", "recipient": "c"}))
    say(await told(agent(turn, tools=govern_tools([send, Handmade()]))))


async def mistakes() -> None:
    """What is not taken, and what stays as it was."""

    async def streams(symbol: str) -> AsyncGenerator[str, None]:
        """Go on beside the agent."""
        yield symbol

    errors = []
    for make in (
        lambda: govern_tools([google_search]),
        lambda: govern_tools([streams]),
        lambda: govern_tools(["look"]),
        lambda: govern_tools(govern_tools([look])),
        lambda: govern_tools(govern_tools([Box()])),
        lambda: govern_tools([look], refusals="ignore"),  # type: ignore[arg-type]
        lambda: govern_tools([look], client=Client()),  # type: ignore[arg-type]
    ):
        try:
            make()
        except (TypeError, ValueError) as error:
            errors.append(f"{type(error).__name__}: {error}")
    tool = FunctionTool(look)
    [governed] = govern_tools([tool])
    same = (
        isinstance(governed, FunctionTool)
        and governed.func is look
        and governed._get_declaration() == tool._get_declaration()
    )
    say(await told(agent(called(("look", {"path": "free"})), tools=[tool])), errors=errors, same=same)


if __name__ == "__main__":
    for word in sys.argv[1:]:
        RAN.clear()
        asyncio.run(globals()[word]())
