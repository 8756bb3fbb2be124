"""What tools gave back, looked at for instructions that somebody put there for the model.

The scan is the service's (`scan_prompt_injection`), so that what is found is recorded with the agent. All texts of a
result are scanned as what a tool brought; what is no text, such as a picture, is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

from assent.client.client import AsyncClient
from assent.client.flow import send
from assent.contract.control.injection import SCAN_PROMPT_INJECTION, ScanRecommendation
from assent.errors import AssentError

Scanning = Literal["scan", "hold", "off"]
SOURCE = "tool_output"
LONGEST_PIECE = 1_000_000
OVERLAP = 2_000
"""Characters that two pieces of a long text share, so that nothing hides where it is cut."""
ENCODED = ("data", "blob")
"""Members that hold pictures, sound and files."""


class ResultScan:
    """`say` is told what is found, and once that nothing can be."""

    def __init__(self, client: AsyncClient, say: Callable[[str], object]) -> None:
        self._client, self._say, self._failed = client, say, False

    async def found(self, tool: str, answer: dict[str, Any]) -> str | None:
        """Why a model should not read this answer; None for no reason. Raises AssentError where nobody could look."""
        why: str | None = None
        for piece in pieces(answer):
            # As `scan_prompt_injection` does, which would bring all further nouns of the client into this process.
            said = {"text": piece, "source": SOURCE, "agent_id": self._client.agent_id}
            body = {name: value for name, value in said.items() if value is not None}
            scan = await self._client.run(send(SCAN_PROMPT_INJECTION, body=body))
            if scan.recommendation is not ScanRecommendation.ALLOW:
                found = f"the scan for prompt injections found {', '.join(scan.categories) or 'something'}"
                self._say(f"the result of {tool}: {found} ({scan.recommendation.value}, {scan.scan_id})")
                if scan.recommendation is ScanRecommendation.BLOCK:
                    why = why or found
        return why

    async def look(self, tool: str, answer: dict[str, Any]) -> None:
        """Only look."""
        try:
            await self.found(tool, answer)
        except AssentError as error:
            if not self._failed:
                self._say(f"results cannot be scanned (told once): {error}")
            self._failed = True


def pieces(answer: dict[str, Any]) -> Iterator[str]:
    """The texts of an answer, joined, in pieces that can be scanned."""
    # A structured result says again what stands in the texts.
    texts = dict.fromkeys(_texts(answer.get("result", answer.get("error")), ""))
    whole = "\n".join(texts).encode("utf-8", "replace").decode()
    for begin in range(0, len(whole), LONGEST_PIECE - OVERLAP):
        yield whole[begin : begin + LONGEST_PIECE]
        if begin + LONGEST_PIECE >= len(whole):
            return


def _texts(value: object, name: str) -> Iterator[str]:
    """With a stack of its own: how deep a server nests is up to the server."""
    waiting = [(name, value)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, str):
            if value.strip() and name not in ENCODED:
                yield value
        elif isinstance(value, dict):
            waiting.extend(reversed(value.items()))
        elif isinstance(value, list):
            waiting.extend((name, each) for each in reversed(value))
