"""The tool calls of one chat: which call, what the agent had been told, and what the tool answered.

A chat is OpenAI's: `assistant` messages carry `tool_calls`, and the run of `tool` messages right after one carries
the answers. Rules:

- A call is named by episode, message index and call index, because published transcripts repeat tool-call ids.
- An answer belongs to the call with its `tool_call_id`, when that id stands once among the calls of the message and
  once among the answers. The rest is matched by position, save that a call and an answer with two different clear
  ids are never put together: a missing answer is better evidence than a wrong one.
- A call failed when its answer begins with "error" in any case, or is a JSON object whose `error` is neither null,
  false, zero nor empty. A call without an answer is not known to have failed.
- Arguments that are no JSON, or that JSON readers would not all read alike (whole numbers beyond ±(2^53 - 1), very
  deep nesting), are kept as the text they came as.
- What the agent had been told is the last user message before the call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

MAX_DEPTH = 32
MAX_INTEGER = 2**53 - 1
ANSWERING = frozenset({"tool", "function"})


class Function(Struct, frozen=True, kw_only=True):
    name: str
    arguments: Any = ""


class MessageCall(Struct, frozen=True, kw_only=True):
    function: Function
    id: str | None = None


class ChatMessage(Struct, frozen=True, kw_only=True):
    """A chat message; `content` is text, a list of parts, or nothing. `function_call` is the older single form."""

    role: str
    content: Any = None
    tool_calls: list[MessageCall] | None = None
    function_call: Function | None = None
    tool_call_id: str | None = None


class CallKey(Struct, frozen=True, kw_only=True, order=True):
    """Names one call in a transcript file; indexes count from 0."""

    episode: str
    message_index: int
    call_index: int

    def __str__(self) -> str:
        return f"{self.episode}#{self.message_index}.{self.call_index}"


class TranscriptCall(Struct, frozen=True, kw_only=True):
    """One call. `arguments` is decoded JSON, or text where it is none; `told` and `answer` are whole, or None.

    `reward` is the episode's, None where the file has none.
    """

    key: CallKey
    name: str
    arguments: Any
    told: str | None
    answer: str | None
    failed: bool
    reward: float | None


def find_calls(episode: str, messages: Sequence[ChatMessage], reward: float | None) -> Iterator[TranscriptCall]:
    """All tool calls of one chat, in order. Raises ValueError with the message's place when a call has no name."""
    told: str | None = None
    for at, message in enumerate(messages):
        if message.role == "user":
            told = text_of(message.content)
        calls = _calls_of(message)
        if not calls:
            continue
        answers = match_answers([call.id for call in calls], _answers_after(messages, at))
        for index, (call, answer) in enumerate(zip(calls, answers, strict=True)):
            if not call.function.name:
                raise ValueError(f"messages[{at}].tool_calls[{index}].function.name is empty")
            yield TranscriptCall(
                key=CallKey(episode=episode, message_index=at, call_index=index),
                name=call.function.name,
                arguments=read_arguments(call.function.arguments),
                told=told,
                answer=answer,
                failed=answer is not None and reports_error(answer),
                reward=reward,
            )


def match_answers(ids: Sequence[str | None], answers: Sequence[tuple[str | None, str]]) -> list[str | None]:
    """For each call's id the text of its answer, or None; `answers` are (tool_call_id, text) as they follow."""
    asked, answered = Counter(ids), Counter(name for name, _ in answers)
    found: list[str | None] = [None] * len(ids)
    matched: set[int] = set()
    left = dict(enumerate(answers))
    for at, name in enumerate(ids):
        if name and asked[name] == 1 and answered[name] == 1:
            place = next(place for place, answer in left.items() if answer[0] == name)
            found[at] = left.pop(place)[1]
            matched.add(at)
    for at, name in enumerate(ids):
        if at in matched:
            continue
        clear = bool(name) and asked[name] == 1
        for place, (other, text) in left.items():
            if clear and other and answered[other] == 1 and other != name:
                continue
            found[at] = text
            del left[place]
            break
    return found


def reports_error(answer: str) -> bool:
    """Whether a tool's answer says that the call failed."""
    text = answer.lstrip()
    if text[:5].casefold() == "error":
        return True
    if not text.startswith("{"):
        return False
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return isinstance(data, dict) and bool(data.get("error"))


def read_arguments(arguments: Any) -> Any:
    """Decoded JSON, or the text as it came; arguments that are an object already stay one."""
    if not isinstance(arguments, str):
        return arguments if _readable_by_all(arguments, 0) else msgspec.json.encode(arguments).decode()
    try:
        data = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return arguments
    return data if _readable_by_all(data, 0) else arguments


def text_of(content: Any) -> str | None:
    """A message's text: itself, its text parts joined by line ends, or the JSON text of anything else."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        if parts and all(isinstance(part, str) for part in parts):
            return "\n".join(part for part in parts if isinstance(part, str))
    return msgspec.json.encode(content).decode()


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters; what was cut is marked by an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _calls_of(message: ChatMessage) -> list[MessageCall]:
    if message.tool_calls:
        return message.tool_calls
    return [] if message.function_call is None else [MessageCall(function=message.function_call)]


def _answers_after(messages: Sequence[ChatMessage], at: int) -> list[tuple[str | None, str]]:
    answers = []
    for message in messages[at + 1 :]:
        if message.role not in ANSWERING:
            break
        answers.append((message.tool_call_id, text_of(message.content) or ""))
    return answers


def _readable_by_all(value: Any, depth: int) -> bool:
    if depth > MAX_DEPTH:
        return False
    if isinstance(value, dict):
        return all(_readable_by_all(item, depth + 1) for item in value.values())
    if isinstance(value, list):
        return all(_readable_by_all(item, depth + 1) for item in value)
    return not isinstance(value, int) or abs(value) <= MAX_INTEGER
