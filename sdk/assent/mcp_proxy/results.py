"""What a server gave back, looked at for instructions that somebody put there for the model.

The scan is the service's (`scan_prompt_injection`), so that what is found is recorded with the agent. All texts of a
message are scanned as what a tool brought: values and names of members, wherever they stand. By its place in the
protocol alone something is no text: the `data` of a picture or of sound among the blocks of content, and the `blob` of
a resource there, where that is base64.
"""

from __future__ import annotations

import base64
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
KINDS = frozenset({"text", "image", "audio", "resource", "resource_link"})
"""Types of blocks of content."""
NAMES = frozenset(
    {
        "method",
        "result",
        "error",
        "params",
        "content",
        "structuredContent",
        "isError",
        "type",
        "text",
        "resource",
        "uri",
        "_meta",
    }
    | {"mimeType", "data", "blob", "code", "message"}
)
"""Names of members that the protocol gives; any other name is a text."""


class ResultScan:
    """`say` is told what is found, and once that nothing can be."""

    def __init__(self, client: AsyncClient, say: Callable[[str], object]) -> None:
        self._client, self._say, self._failed = client, say, False

    async def found(self, what: str, message: dict[str, Any]) -> str | None:
        """Why a model should not read this message, which a person knows as `what`; None for no reason. Raises
        AssentError where nobody could look."""
        why: str | None = None
        for piece in pieces(message):
            # As `scan_prompt_injection` does, which would bring all further nouns of the client into this process.
            said = {"text": piece, "source": SOURCE, "agent_id": self._client.agent_id}
            body = {name: value for name, value in said.items() if value is not None}
            scan = await self._client.run(send(SCAN_PROMPT_INJECTION, body=body))
            if scan.recommendation is not ScanRecommendation.ALLOW:
                found = f"the scan for prompt injections found {', '.join(scan.categories) or 'something'}"
                self._say(f"{what}: {found} ({scan.recommendation.value}, {scan.scan_id})")
                if scan.recommendation is ScanRecommendation.BLOCK:
                    why = why or found
        return why

    async def held(self, what: str, message: dict[str, Any]) -> str | None:
        """The same, where what nobody could look at is a reason."""
        try:
            return await self.found(what, message)
        except Exception as error:  # noqa: BLE001 - what nobody could look at, nobody reads
            return f"it could not be scanned ({error})"

    async def look(self, what: str, message: dict[str, Any]) -> None:
        """Only look."""
        try:
            await self.found(what, message)
        except AssentError as error:
            if not self._failed:
                self._say(f"results cannot be scanned (told once): {error}")
            self._failed = True


def pieces(message: dict[str, Any]) -> Iterator[str]:
    """The texts of a message, joined, in pieces that can be scanned."""
    whole = "\n".join(each for each in _texts(message) if each.strip()).encode("utf-8", "replace").decode()
    for begin in range(0, len(whole), LONGEST_PIECE - OVERLAP):
        yield whole[begin : begin + LONGEST_PIECE]
        if begin + LONGEST_PIECE >= len(whole):
            return


def _texts(message: dict[str, Any]) -> Iterator[str]:
    """Those of the blocks of content first, one after the other as a model reads them. With a stack of its own: how
    deep a server nests is up to the server."""
    blocks = [each for each in _blocks(message) if isinstance(each, dict)]
    read: dict[int, set[str]] = {id(message): {"id", "jsonrpc"} if message.get("jsonrpc") == "2.0" else {"id"}}
    for block in blocks:
        read[id(block)] = own = {"type"} if block.get("type") in KINDS else set()
        if isinstance(block.get("text"), str):
            own.add("text")
            yield block["text"]
        for part, name in _encoded(block):
            read.setdefault(id(part), set()).add(name)
    waiting: list[object] = [message]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for name, each in reversed(value.items()):
                if name not in read.get(id(value), ()):
                    waiting.append(each)
                    if name not in NAMES:
                        waiting.append(name)
        elif isinstance(value, list):
            waiting.extend(reversed(value))


def _blocks(message: dict[str, Any]) -> list[object]:
    result = message.get("result")
    content = result.get("content") if isinstance(result, dict) else None
    return content if isinstance(content, list) else []


def _encoded(block: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """The object of a block of content that holds a picture, sound or a file, and the name of the member."""
    resource = block.get("resource")
    if block.get("type") in ("image", "audio") and _is_base64(block.get("data")):
        yield block, "data"
    elif block.get("type") == "resource" and isinstance(resource, dict) and _is_base64(resource.get("blob")):
        yield resource, "blob"


def _is_base64(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(base64.b64decode(value, validate=True))
    except ValueError:
        return False
