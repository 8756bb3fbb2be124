"""A CrewAI agent with governed tools. It runs offline, with a scripted model.

    pip install ./assent crewai
    export ASSENT_API_KEY=...        # an agent's key, from `assent keys create`
    python crewai_example.py

For a real model, give `llm="gpt-..."` instead.
"""

import os

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")  # nothing leaves this machine
os.environ.setdefault("CREWAI_TRACING_ENABLED", "false")

from typing import Any

from crewai import Agent, BaseLLM, Crew, Task
from crewai.hooks import after_tool_call
from crewai.tools import tool

from assent.adapters.crewai import govern_tools


@tool
def look_up(invoice: str) -> str:
    """What is to be paid."""
    return f"invoice {invoice}: 120 EUR to Example Ltd"


@tool
def pay(invoice: str, amount: int) -> str:
    """Pay an invoice."""
    return f"paid {amount} EUR for invoice {invoice}"


@tool
def wipe_disk(host: str) -> str:
    """Delete everything on a machine."""
    return f"wiped {host}"


class ScriptedModel(BaseLLM):
    """Says what it was told to say: calls of tools, and a text in the end."""

    script: list[Any]

    def supports_function_calling(self) -> bool:
        return True

    def call(self, messages: Any, *_: Any, **__: Any) -> Any:
        return self.script.pop(0)


def called(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


SCRIPT = [
    [called("look", "look_up", '{"invoice": "17"}'), called("wipe", "wipe_disk", '{"host": "db-1"}')],
    [called("pay", "pay", '{"invoice": "17", "amount": 120}')],
    "Invoice 17 is done.",
]


@after_tool_call
def show(context: Any) -> None:
    """What the model is told of each call."""
    print(context.tool_result)


def main() -> None:
    model = ScriptedModel(model="scripted", script=SCRIPT)
    tools = govern_tools([look_up, pay, wipe_disk])
    agent = Agent(role="bookkeeper", goal="Pay what is due", backstory="Careful.", tools=tools, llm=model)
    task = Task(description="Pay invoice 17, then clean up.", expected_output="What was done.", agent=agent)
    print(Crew(agents=[agent], tasks=[task]).kickoff())


if __name__ == "__main__":
    main()
