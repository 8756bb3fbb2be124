"""Between a host and its server: all that is said goes through as the bytes that came, and in order, but for

- a call of a tool, which goes on once it may, and overtaken meanwhile by what comes after it; one that may not is
  answered here, as a result with `isError` that tells the model what to do;
- a list of tools, from which those that are held are left out;
- with results held back, what a scan finds in an answer or in what the server says by itself;
- what cannot be read in exactly one way, which goes no further.

A call that the host cancels while a person thinks about it is withdrawn, and the server never hears of either. Every
request is remembered until it is answered: a second answer, or one that nobody asked for, is dropped. So are calls
without an id, and batches, which MCP has no more.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from assent.contract.control.actions import ActionStatus
from assent.errors import ApprovalTimeoutError, AssentError
from assent.governing import Ended, Governor
from assent.mcp_proxy.frames import (
    CALL,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    LARGEST,
    Frame,
    Id,
    LongLine,
    Unreadable,
    error_of,
    key_of,
    progress_of,
    read,
    refuse_lookalikes,
    told,
    written,
)
from assent.mcp_proxy.pins import Pins, PinsRefused, definition, digest
from assent.mcp_proxy.results import ResultScan, Scanning
from assent.mcp_proxy.servers import LEAVING, Server, ServerGone
from assent.mcp_proxy.service_transport import ANSWERED, Turns
from assent.mcp_proxy.tool_call import ProxiedCall, broken, held, held_back, hints_of, refused, unanswered

CALLS, LISTS, CANCELLED = "tools/call", "tools/list", "notifications/cancelled"
TASKS = "tasks/"
"""How the methods begin that bring what a call gave later."""
MOST_REQUESTS, MOST_CALLS = 10_000, 256
"""How many may wait for an answer."""
INTERVAL = 5.0
"""Seconds between two words of progress."""

Message = dict[str, Any]
Write = Callable[[bytes], Awaitable[None]]


@dataclass(kw_only=True, eq=False)
class _Call:
    """A call on its way. `sent` once the server has it, `replied` once the host has an answer."""

    id: Id
    name: str
    arguments: Message
    token: object
    line: bytes
    answer: asyncio.Future[Message] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    answered: bytes = b""
    sent: bool = False
    replied: bool = False
    reply: asyncio.Task[None] | None = None
    task: asyncio.Task[None] | None = None


class Relay:
    """`name` is the server's. `to_host` writes one line to the host. `hold_changes` is whether tools that are not as
    they were pinned are held; `say` is told what a person should know. `turns` hears which calls are on their way."""

    def __init__(
        self,
        name: str,
        server: Server,
        to_host: Write,
        governor: Governor,
        scan: ResultScan,
        pins: Pins,
        *,
        scanning: Scanning = "scan",
        hold_changes: bool = True,
        turns: Turns | None = None,
        say: Callable[[str], object],
    ) -> None:
        self._name, self._server, self._to_host, self._say = name, server, to_host, say
        self._governor, self._scan, self._scanning = governor, scan, scanning
        self._pins, self._hold_changes, self._turns = pins, hold_changes, turns or Turns()
        self._asked: dict[str, str | _Call] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._listed: dict[str, Message] = {}
        self._told_changes: set[tuple[str, str]] = set()
        self._waiting: dict[tuple[str, str], tuple[str, str]] = {}
        self._server_ended = False

    # What the host says.

    async def from_host(self, frame: Frame) -> None:
        """Raises ServerGone, and ConnectionError where the host has gone."""
        if isinstance(frame, LongLine):
            return await self._refuse(frame.id, INVALID_REQUEST, _too_long(frame))
        try:
            message = read(frame)
        except Unreadable as error:
            return await self._refuse(None, error.code, str(error))
        if isinstance(message, list):
            ids = [each.get("id") for each in message if isinstance(each, dict) and "method" in each]
            for each in ids or [None]:
                words = "batches are not passed on; send each message by itself"
                await self._refuse(each if key_of(each) is not None else None, INVALID_REQUEST, words)
            return None
        if "method" in message:
            return await self._asks(message, frame)
        await self._server.send(frame)

    async def _asks(self, message: Message, frame: bytes) -> None:
        method, identifier, params = message["method"], message.get("id"), message.get("params")
        if not isinstance(method, str):
            return await self._refuse(None, INVALID_REQUEST, "the method is no text")
        if "id" not in message:
            return await self._notifies(method, params, frame)
        key = key_of(identifier)
        if key is None or identifier is None:
            return await self._refuse(None, INVALID_REQUEST, "the id is neither a text nor an integer")
        if key in self._asked:
            return await self._refuse(None, INVALID_REQUEST, f"the id {key[:40]} is that of a request under way")
        if len(self._asked) >= MOST_REQUESTS:
            return await self._refuse(identifier, INVALID_REQUEST, f"{MOST_REQUESTS} requests have no answer yet")
        if method != CALLS:
            self._asked[key] = method
            return await self._server.send(frame)
        try:
            call = _call_of(identifier, params, frame)
        except Unreadable as error:
            return await self._refuse(identifier, INVALID_PARAMS, str(error))
        if len(self._tasks) >= MOST_CALLS:
            return await self._refuse(identifier, INVALID_REQUEST, f"{MOST_CALLS} calls are under way already")
        self._asked[key] = call
        self._turns.begin(call)
        call.task = self._begin(self._govern(key, call))

    async def _notifies(self, method: str, params: object, frame: bytes) -> None:
        if method == CALLS:
            return await self._refuse(None, INVALID_REQUEST, "a call of a tool needs an id")
        if method == CANCELLED and isinstance(params, dict):
            found = self._asked.pop(key_of(params.get("requestId")) or "", None)
            if isinstance(found, _Call):
                if found.task is not None:
                    found.task.cancel()
                if not found.sent:
                    return None  # the server does not know of it
        await self._server.send(frame)

    async def _refuse(self, identifier: Id | None, code: int, words: str) -> None:
        self._say(f"the host's message was not passed on: {words}")
        await self._to_host(error_of(identifier, code, words))

    # What the server says.

    async def from_server(self, frame: Frame) -> None:
        """Raises ConnectionError where the host has gone."""
        try:
            message = None if isinstance(frame, LongLine) else read(frame)
            if isinstance(message, dict) and "method" in message and ("result" in message or "error" in message):
                raise Unreadable("it is a request and an answer at once")
        except Unreadable as error:
            edges = LongLine(len(frame), frame, frame) if isinstance(frame, bytes) else frame
            return await self._lost(edges.id, f"it cannot be read: {error}")
        if isinstance(frame, LongLine):
            return await self._lost(frame.id, _too_long(frame))
        if isinstance(message, list):
            for each in message:
                if isinstance(each, dict):  # a batch of batches is none
                    await self.from_server(written(each))
            return None
        assert message is not None
        if "method" in message or (message.get("id") is None and "error" in message):
            return await self._says(message, frame)
        await self._answers(key_of(message.get("id")) or "", message, frame)

    async def _says(self, message: Message, frame: bytes) -> None:
        """What nobody asked for: word of progress and of what happens, a question to the host."""
        what = message["method"] if isinstance(message.get("method"), str) else "an error without an id"
        if (
            self._scanning == "hold"
            and (why := await self._scan.held(f"the server's {what[:80]}", message)) is not None
        ):
            self._say(f"the server's {what[:80]} was not passed on: {why}")
            identifier = message.get("id")
            if key_of(identifier) is not None and identifier is not None:
                with suppress(ServerGone):
                    await self._server.send(error_of(identifier, INVALID_REQUEST, "the host does not get this"))
            return
        await self._to_host(frame)

    async def _answers(self, key: str, message: Message, frame: bytes) -> None:
        asked = self._asked.get(key)
        if asked is None or (isinstance(asked, _Call) and not asked.sent):
            self._say(f"an answer that nobody waits for was dropped: id {key[:40] or 'none'}")
            return
        del self._asked[key]
        if isinstance(asked, _Call):
            asked.answered = frame
            # What a session is told of, it is told before the host can act on it.
            if self._scanning != "hold" and not self._governor.tells:
                await self._reply(asked)
            if not asked.answer.done():
                asked.answer.set_result(message)
        elif asked == LISTS:
            await self._lists(message, frame)
        elif asked.startswith(TASKS) and self._scanning == "hold":
            why = await self._scan.held(f"the answer to {asked[:80]}", message)
            held = error_of(message["id"], INTERNAL_ERROR, f"the server's answer was held back: {why}")
            await self._to_host(frame if why is None else held)
        else:
            await self._to_host(frame)

    async def _lost(self, identifier: Id | None, why: str) -> None:
        """An answer that cannot be passed on: whoever waits for it is told."""
        self._say(f"the server's message was not passed on: {why}")
        key = key_of(identifier)
        if key is not None and key in self._asked:
            answer = error_of(identifier, INTERNAL_ERROR, f"the server's answer was not passed on: {why}")
            await self._answers(key, {"id": identifier, "error": {"code": INTERNAL_ERROR, "message": why}}, answer)

    async def _lists(self, message: Message, frame: bytes) -> None:
        result = message.get("result")
        if not isinstance(result, dict) or not isinstance(result.get("tools"), list):
            return await self._to_host(frame)
        listed = [
            (each["name"], each, definition(each))
            for each in result["tools"]
            if isinstance(each, dict) and isinstance(each.get("name"), str)
        ]
        self._listed.update((name, tool) for name, tool, _ in listed)
        try:
            seen = self._pins.see(
                [(_whole(name), found) for name, _, found in listed], last=not result.get("nextCursor")
            )
        except PinsRefused as error:
            self._say(str(error))
            if self._hold_changes:
                return await self._to_host(error_of(message["id"], INTERNAL_ERROR, str(error)))
            return await self._to_host(frame)
        for name, _, found in listed:
            why, mark = seen.why_held(_whole(name)), (name, digest(found))
            if why is not None and mark not in self._told_changes:
                self._told_changes.add(mark)
                self._say(f"the tool {name!r} is {why}; look at it with `assent mcp pins {self._name}`")
        shown = [tool for name, tool, _ in listed if seen.why_held(_whole(name)) is None]
        if not self._hold_changes or len(shown) == len(result["tools"]):
            return await self._to_host(frame)
        await self._to_host(written({**message, "result": {**result, "tools": shown}}))

    # A call.

    async def _govern(self, key: str, call: _Call) -> None:
        try:
            words = await self._run(call)
        except asyncio.CancelledError:
            if not self._server_ended:
                raise
            words = unanswered(call.name, "the server has ended") if call.sent else broken(call.name)
        except Exception as error:  # noqa: BLE001 - whatever it is, nobody must take it for a result
            self._say(f"{call.name}: {type(error).__name__}: {error}")
            words = unanswered(call.name, "the proxy failed") if call.sent else broken(call.name)
        finally:
            self._turns.end(call)
            if call.reply is not None:
                call.reply.cancel()
            if self._asked.get(key) is call:
                del self._asked[key]
        if words is not None and not call.replied:
            await self._to_host(told(call.id, words))

    async def _run(self, call: _Call) -> str | None:
        """What the model is told instead of a result; None where it has the server's answer."""
        name = _whole(call.name)
        why = self._pins.server.why_held(name) if self._hold_changes else None
        if why is not None:
            return held(name, self._name, why)
        tool = self._listed.get(call.name)
        about = tool.get("description") if tool is not None else None
        proxied = ProxiedCall(
            name=name,
            arguments=call.arguments,
            description=about if isinstance(about, str) else None,
            server=self._name,
            hints={} if tool is None else hints_of(tool),
            listed=tool is not None,
        )
        same = (name, proxied.parameters_digest)
        if self._governor.mode == "enforce":
            # The same call again finds the action that still waits.
            again, _ = self._waiting.pop(same, (f"mcp-{os.urandom(16).hex()}", ""))
            proxied = replace(proxied, key=again)
        progress = asyncio.create_task(self._tell_progress(call))
        try:
            ended = await self._governor.run_async(
                proxied, lambda: self._sent(call, progress), lambda error: error, told=lambda: self._begin_reply(call)
            )
        finally:
            progress.cancel()
        if isinstance(ended, AssentError):
            if isinstance(ended, ApprovalTimeoutError) and proxied.key is not None:
                self._waiting[same] = proxied.key, ended.action_id
                if len(self._waiting) > MOST_REQUESTS:
                    del self._waiting[next(iter(self._waiting))]
            return refused(name, ended)
        if ended is None:
            return unanswered(name, "the server has ended")
        self._begin_reply(call)
        if call.reply is not None:
            await call.reply
        if self._scanning == "scan":
            await self._scan.look(f"the result of {call.name}", ended)
        return None

    async def _sent(self, call: _Call, progress: asyncio.Task[None]) -> Message | AssentError | None:
        """The server's answer, None where there is none. Raises Ended where it is no success."""
        progress.cancel()
        call.sent = True
        try:
            await self._server.send(call.line)
            answer = await call.answer
        except ServerGone as gone:
            raise Ended(None, ActionStatus.FAILED, f"{gone} before it answered; it may have been done") from None
        result, error = answer.get("result"), answer.get("error")
        if "error" in answer:
            code = error.get("code") if isinstance(error, dict) else None
            raise Ended(answer, ActionStatus.FAILED, f"the server answered with the error {str(code)[:20]}")
        if isinstance(result, dict):
            if result.get("isError") is True:
                raise Ended(answer, ActionStatus.FAILED, "the tool reported an error")
            if result.get("resultType") == "input_required":
                raise Ended(answer, ActionStatus.CANCELLED, "the server asks for input first; the call is made again")
            if isinstance(result.get("task"), dict):
                raise Ended(answer, None)  # it goes on, and nobody knows for how long
        return answer

    def _begin_reply(self, call: _Call) -> None:
        """The host gets what the server answered, if it has not got it. All that is still asked for this call can wait
        for others, unless it has the little time that observing takes."""
        if call.answered and not call.replied and call.reply is None:
            call.reply = asyncio.create_task(self._reply(call))
        ANSWERED.set(self._governor.mode == "enforce")

    async def _reply(self, call: _Call) -> None:
        line = call.answered
        if self._scanning == "hold":
            why = await self._scan.held(f"the result of {call.name}", call.answer.result())
            if why is not None:
                line = told(call.id, held_back(call.name, why))
        call.replied = True
        await self._to_host(line)
        self._turns.end(call)

    async def _tell_progress(self, call: _Call) -> None:
        """While it is not known whether the call may run, to a host that asked for progress."""
        began = time.monotonic()
        while call.token is not None:
            await asyncio.sleep(INTERVAL)
            words = f"{call.name} waits for Assent, perhaps for an operator's approval"
            with suppress(ConnectionError):
                await self._to_host(progress_of(call.token, round(time.monotonic() - began, 1), words))

    # The end.

    async def host_ended(self) -> None:
        """The host sends nothing more: what it asked for goes on for LEAVING seconds, then it is cancelled."""
        await self._settle()
        for task in self._tasks:
            task.cancel()
        await self._settle()
        await self._withdraw()

    async def server_ended(self) -> None:
        """The server says nothing more: what it has is answered, calls that it does not have yet are withdrawn."""
        self._server_ended = True
        for key in [key for key, asked in self._asked.items() if isinstance(asked, str)]:
            del self._asked[key]
            with suppress(ConnectionError):
                await self._to_host(
                    error_of(json.loads(key), INTERNAL_ERROR, "the server has ended before it answered")
                )
        for call in [each for each in self._asked.values() if isinstance(each, _Call)]:
            if call.sent:
                if not call.answer.done():
                    call.answer.set_exception(ServerGone("the server has ended"))
            elif call.task is not None:
                call.task.cancel()
        await self._settle()
        await self._withdraw()

    async def stop(self) -> None:
        """Cancel what is under way."""
        for task in self._tasks:
            task.cancel()
        await self._settle()
        await self._withdraw()

    async def _withdraw(self) -> None:
        """Nobody makes the calls again that were answered by saying that they wait: for LEAVING seconds at most, their
        requests are taken back. What was decided meanwhile, and what cannot be told, stays as it is."""
        if not self._waiting:
            return
        client = await self._governor.async_client()
        waiting = [action_id for _, action_id in self._waiting.values()]
        self._waiting.clear()
        left = [client.withdraw_action(action_id, "the connection has ended") for action_id in waiting]
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVING):
                await asyncio.gather(*left, return_exceptions=True)

    async def _settle(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LEAVING)

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # the host has gone, which its end of the relay sees


def _call_of(identifier: Id, params: object, line: bytes) -> _Call:
    """Raises Unreadable."""
    if not isinstance(params, dict):
        raise Unreadable("the params of a call are no object")
    refuse_lookalikes(params, CALL)
    name, arguments, meta = params.get("name"), params.get("arguments"), params.get("_meta")
    if not isinstance(name, str) or not name:
        raise Unreadable("the name of the tool is no text, or an empty one")
    if arguments is not None and not isinstance(arguments, dict):
        raise Unreadable("the arguments of a tool are no object")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    return _Call(
        id=identifier,
        name=name,
        arguments=arguments or {},
        token=token if key_of(token) is not None else None,
        line=line,
    )


def _too_long(line: LongLine) -> str:
    return f"it has {line.size:,} bytes, more than {LARGEST:,}"


def _whole(name: str) -> str:
    """Halves of characters, which nothing can carry, become a mark."""
    return name.encode("utf-8", "replace").decode()
