"""An agent of Pydantic AI with governed tools. It runs offline, with a scripted model.

    pip install ./assent pydantic-ai
    export ASSENT_API_KEY=...        # an agent's key, from `assent keys create`
    python pydantic_ai_example.py

For a real model, give its name instead: `Agent("anthropic:claude-sonnet-4-5", ...)`.
"""

from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from assent.adapters.pydantic_ai import capability


def look_up(invoice: str) -> str:
    """What is to be paid."""
    return f"invoice {invoice}: 120 EUR to Example Ltd"


async def pay(invoice: str, amount: int) -> str:
    """Pay an invoice."""
    return f"paid {amount} EUR for invoice {invoice}"


def wipe_disk(host: str) -> str:
    """Delete everything on a machine."""
    return f"wiped {host}"


SCRIPT = [
    [ToolCallPart("look_up", {"invoice": "17"}), ToolCallPart("wipe_disk", {"host": "db-1"})],
    [ToolCallPart("pay", {"invoice": "17", "amount": 120})],
    [TextPart("Invoice 17 is done.")],
]


def say(messages: list[Any], _: Any) -> ModelResponse:
    """What comes after as many turns as there were."""
    return ModelResponse(parts=SCRIPT[sum(isinstance(each, ModelResponse) for each in messages)])


def main() -> None:
    agent = Agent(FunctionModel(say), tools=[look_up, pay, wipe_disk], capabilities=[capability()])
    result = agent.run_sync("Pay invoice 17, then clean up.")
    for message in result.all_messages():
        for part in message.parts:
            if isinstance(part, ToolReturnPart):
                print(part.content)
    print(result.output)


if __name__ == "__main__":
    main()
