"""An agent of the OpenAI Agents SDK with governed tools. It runs offline, with the SDK's own scripted model.

    pip install ./assent openai-agents
    export ASSENT_API_KEY=...        # an agent's key, from `assent keys create`
    python openai_agents_example.py

For a real model, leave out `model=`.
"""

import asyncio

from agents import Agent, Runner, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

from assent.adapters.openai_agents import govern_tools

set_tracing_disabled(True)  # nothing leaves this machine


@function_tool
def look_up(invoice: str) -> str:
    """What is to be paid."""
    return f"invoice {invoice}: 120 EUR to Example Ltd"


@function_tool
async def pay(invoice: str, amount: int) -> str:
    """Pay an invoice."""
    return f"paid {amount} EUR for invoice {invoice}"


@function_tool
def wipe_disk(host: str) -> str:
    """Delete everything on a machine."""
    return f"wiped {host}"


SCRIPT = [
    [
        function_call("look_up", {"invoice": "17"}, call_id="first-look"),
        function_call("wipe_disk", {"host": "db-1"}, call_id="first-wipe"),
    ],
    [function_call("pay", {"invoice": "17", "amount": 120}, call_id="first-pay")],
    [assistant_message("Invoice 17 is done.")],
]


async def main() -> None:
    tools = govern_tools([look_up, pay, wipe_disk])
    agent = Agent(name="bookkeeper", instructions="Pay what is due.", tools=tools, model=ScriptedModel(SCRIPT))
    result = await Runner.run(agent, "Pay invoice 17, then clean up.")
    for item in result.new_items:
        if item.type == "tool_call_output_item":
            print(item.output)
    print(result.final_output)


if __name__ == "__main__":
    asyncio.run(main())
