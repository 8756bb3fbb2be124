"""A LangGraph graph that stops where a person has to approve, and goes on in another process.

    export ASSENT_BASE_URL=http://127.0.0.1:8484 ASSENT_API_KEY=...     # an agent's key
    python sdk/examples/langgraph_example.py

It waits for `assent approve ACTION` in another terminal, and asks every second. What the graph is resumed with decides
nothing: the service is asked. A checkpointer that keeps its state (SQLite, Postgres) lets another process go on; the
model is scripted, so that this runs anywhere, and is the line to replace.
"""

import time
from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from assent.adapters.langchain import govern_tools


class ScriptedModel(GenericFakeChatModel):
    """Says what it was given, one message after the other."""

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> "ScriptedModel":
        return self


def pay(supplier: str, amount: float) -> str:
    """Pay a supplier, in euros."""
    return f"{amount:.2f} EUR went to {supplier}."


SCRIPT = [
    AIMessage("", tool_calls=[{"name": "pay", "args": {"supplier": "Paper Mill", "amount": 120.0}, "id": "call-1"}]),
    AIMessage("Done."),
]


def main() -> None:
    model = ScriptedModel(messages=iter(SCRIPT))
    tools = govern_tools([pay], approvals="interrupt")
    agent = create_agent(model, tools, checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "paper"}}
    answer = agent.invoke({"messages": [("user", "Pay the paper mill.")]}, thread)
    while "__interrupt__" in answer:
        waits = answer["__interrupt__"]
        print(f"waits: {waits[0].value['declared_goal']}; {waits[0].value['approve_with']}", flush=True)
        time.sleep(1)
        answer = agent.invoke(Command(resume={each.id: "go on" for each in waits}), thread)
    for message in answer["messages"]:
        print(f"{message.type}: {message.content}")


if __name__ == "__main__":
    main()
