"""An agent of Google's ADK with governed tools. It runs offline, with a scripted model.

    pip install ./assent google-adk
    export ASSENT_API_KEY=...        # an agent's key, from `assent keys create`
    python google_adk_example.py

For a real model, give its name instead: `model="gemini-..."`.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, Part

from assent.adapters.google_adk import govern_tools


def look_up(invoice: str) -> str:
    """What is to be paid."""
    return f"invoice {invoice}: 120 EUR to Example Ltd"


async def pay(invoice: str, amount: int) -> str:
    """Pay an invoice."""
    return f"paid {amount} EUR for invoice {invoice}"


def wipe_disk(host: str) -> str:
    """Delete everything on a machine."""
    return f"wiped {host}"


class ScriptedModel(BaseLlm):
    """Says what it was told to say: calls of tools, and a text in the end."""

    script: list[list[Part]]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        yield LlmResponse(content=Content(role="model", parts=self.script.pop(0)))


SCRIPT = [
    [
        Part.from_function_call(name="look_up", args={"invoice": "17"}),
        Part.from_function_call(name="wipe_disk", args={"host": "db-1"}),
    ],
    [Part.from_function_call(name="pay", args={"invoice": "17", "amount": 120})],
    [Part(text="Invoice 17 is done.")],
]


async def main() -> None:
    model = ScriptedModel(model="scripted", script=SCRIPT)
    tools = govern_tools([look_up, pay, wipe_disk])
    agent = LlmAgent(name="bookkeeper", instruction="Pay what is due.", model=model, tools=tools)
    runner = InMemoryRunner(agent=agent, app_name="books")
    session = await runner.session_service.create_session(app_name="books", user_id="user")
    asked = Content(role="user", parts=[Part(text="Pay invoice 17, then clean up.")])
    async for event in runner.run_async(user_id="user", session_id=session.id, new_message=asked):
        for told in event.get_function_responses():
            print((told.response or {}).get("result") or (told.response or {}).get("error"))
        if event.is_final_response() and event.content and event.content.parts:
            print(event.content.parts[0].text)


if __name__ == "__main__":
    asyncio.run(main())
