"""A LangChain agent whose tools ask before they act.

    export ASSENT_BASE_URL=http://127.0.0.1:8484 ASSENT_API_KEY=...     # an agent's key
    python sdk/examples/langchain_example.py

The model is scripted, so that this runs anywhere; the line that makes it is the one to replace:
`model = init_chat_model("anthropic:claude-sonnet-4-5")`.
"""

from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage

from assent.adapters.langchain import middleware


class ScriptedModel(GenericFakeChatModel):
    """Says what it was given, one message after the other."""

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> "ScriptedModel":
        return self


def look_up(customer: str) -> str:
    """What we know of a customer."""
    return f"{customer} has been with us for three years."


def wipe(table: str) -> str:
    """Delete all rows of a table."""
    print("THE TABLE IS GONE")
    return f"{table} is empty."


SCRIPT = [
    AIMessage("", tool_calls=[{"name": "look_up", "args": {"customer": "Ada"}, "id": "call-1"}]),
    AIMessage("", tool_calls=[{"name": "wipe", "args": {"table": "customers"}, "id": "call-2"}]),
    AIMessage("I may not delete the customers; a person has to."),
]


def main() -> None:
    model = ScriptedModel(messages=iter(SCRIPT))
    agent = create_agent(model, [look_up, wipe], middleware=[middleware()])
    answer = agent.invoke({"messages": [("user", "Tidy up our customers.")]})
    for message in answer["messages"]:
        who = f"tool {message.name} ({message.status})" if isinstance(message, ToolMessage) else message.type
        print(f"{who}: {message.content or message.tool_calls}")


if __name__ == "__main__":
    main()
