"""HTTP/1.1 as uvicorn speaks it, with limits that hold before the application sees a request.

What uvicorn and its parser leave open, and what is done about it here (uvicorn 0.54, httptools 0.9, llhttp 9):

- A header that never ends. The parser joins the pieces of a value one by one (`_current_header_value += val`), as
  uvicorn does with those of the address, so that time grows with the square of the length. Here pieces are gathered
  until they are as long as what the parser has, or the header's end is among them: what is copied is at most twice the
  header. It ends with an empty line, and the parser takes none but CR LF CR LF. Beyond the limit it is refused.
- A body in chunks: the size may have zeros in front without end, and extensions and trailers may go on for ever, all
  without a word. Whatever is not the body itself is counted, and may be FRAMING bytes and 16 for each byte of the body.
  Trailers are dropped: uvicorn would put them among the headers of a request that was let in without them.
- A body that comes, but hardly: beside the time without a byte, it has BODY_SECONDS and one for each BODY_RATE bytes.
- Requests sent without waiting for answers: PIPELINED wait, no more.
- `Upgrade`: the parser takes everything behind such a header as another protocol, the body too, which would then be
  read as a request. None is spoken here: without a body the request is served as if nothing had been said, with one it
  is refused.
- A refusal is a problem document with `connection: close`, after the answers to what came before it. Its reader has
  LINGER seconds to take it, while some of what it still sends is thrown away: a connection that is closed with unread
  bytes takes the refusal with it. So it is with an answer to a request whose body was not wanted.

- A client that ends its side behind a whole request: uvicorn would close without an answer. It is answered, and the
  connection closed then. One that reads an answer without a length, such as a stream, has left.

Which connections there may be, and how long they may take, is in `assent_service.connections`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, cast

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from assent.contract.problems import PROBLEM_JSON, Code
from assent_service.base.problem import Refusal, refuse, render
from assent_service.connections import Connections, QueuePlace
from assent_service.core.caller import ADMIT, UNKNOWN
from assent_service.core.door import stopped
from assent_service.core.express import Exchange, Express
from assent_service.core.stream import ABORT, GONE

FRAMING = 16 * 1024
FRAMING_RATE = 16
"""Bytes of framing for each byte of a body."""
BODY_SECONDS = 60.0
BODY_RATE = 10_000
"""Bytes a second."""
PIPELINED = 64
UNREAD = 2_000_000
"""Bytes that are read and thrown away behind a refusal or an answer that did not need them."""
END = b"\r\n\r\n"
WAITING, HEADER, BODY, ENDED = range(4)
"""What is read next: a request, the rest of its header, the rest of its body, nothing any more."""
_LINES = {
    400: b"HTTP/1.1 400 Bad Request\r\n",
    408: b"HTTP/1.1 408 Request Timeout\r\n",
    431: b"HTTP/1.1 431 Request Header Fields Too Large\r\n",
    503: b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n",
}


class Gentle:
    """What a request has instead of its connection's transport: closing waits for whoever still sends, and the head of
    an answer goes out together with the body that follows at once, so that they cost one call of the system, and
    whoever shares the connection against all advice reads the whole answer or none of it."""

    __slots__ = ("_head", "_loop", "_transport", "finish", "is_closing")

    def __init__(
        self, transport: asyncio.Transport, finish: Callable[[], None], loop: asyncio.AbstractEventLoop
    ) -> None:
        self._transport, self._loop, self.is_closing = transport, loop, transport.is_closing
        self.finish = finish
        self._head = b""

    def write(self, data: bytes) -> None:
        head, self._head = self._head, b""
        if head:
            if data:
                self._transport.writelines((head, data))
            else:
                self._transport.write(head)
        elif data.startswith(b"HTTP/1.1 ") and not data.startswith(b"HTTP/1.1 1"):
            self._head = data
            self._loop.call_soon(self.flush)
        else:
            self._transport.write(data)

    def flush(self) -> None:
        """Send a head that no body followed."""
        head, self._head = self._head, b""
        if head:
            self._transport.write(head)

    def close(self) -> None:
        self.flush()
        self.finish()


class Protocol(HttpToolsProtocol):
    """One connection, counted among `connections`, with their limits. `express` has the quick ways by their addresses
    (`core.express`); a request of one of them is uvicorn's from when it is known not to be taken there."""

    place: QueuePlace

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        connections: Connections,
        express: Mapping[bytes, Express] | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        # The quick ways by their addresses, that of the request under way until it is known whether it is taken, and
        # its body.
        self._ways = express or {}
        self._way: Express | None = None
        self._content = b""
        self._all, self._limits = connections, connections.limits
        self._reading, self._answering = WAITING, False
        self._extensions: dict[str, dict[object, object]] = {}
        self._last_words = b""
        # Of the header that is not complete yet: bytes that the parser has, those that it will be given, and the last
        # three of them all.
        self._fed = 0
        self._gathered = bytearray()
        self._tail = b""
        # Whether the client has said that it sends nothing more, and waits for its answers.
        self._listens = False
        # Of the data that is being read: its size and that of the header before it, and whether a request ended in it.
        self._most = 0
        self._completed = False
        # Of the body: bytes of it, bytes around it, fields behind it, and when it began.
        self._body = self._framing = self._trailers = 0
        self._body_began = 0.0
        self._unread = 0

    # From the transport.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self._gentle = Gentle(transport, self.close_gently, self.loop)
        self._extensions = {ABORT: {"call": transport.abort}, ADMIT: {"call": self.admit}, GONE: {"call": self.is_gone}}
        if not self._all.add(self, self.client[0] if self.client else UNKNOWN):
            self._reading = ENDED
            refusal = refuse(
                Code.TOO_MANY_CONNECTIONS, "There are as many connections as there may be; try again in a moment."
            )
            self._all.note(refusal.code)
            transport.write(_answer(refusal, ""))
            # At once: who is turned away shall not take up room.
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.remove(self)
        super().connection_lost(exc)
        # These lead back to this connection, and would keep it until the collector comes.
        self._extensions.clear()
        self._gentle.finish = self.transport.close

    def data_received(self, data: bytes) -> None:
        if self._reading is ENDED:
            self._throw_away(len(data))
            return
        if self._reading is HEADER:
            gathered = self._gather(data)
            if gathered is None:
                return
            data = gathered
        before, body = self._reading, self._body
        self._completed = False
        self._most = len(data) + (self._fed if before is HEADER else 0)
        self._read(data)
        if self._way is not None:
            # More of its body is to come.
            self._leave_way()
        if self._reading is WAITING:
            if self._completed:
                (self._all.begin_answer if self._answering else self._all.begin_rest)(self)
        elif self._reading is BODY:
            if before is BODY and not self._completed:
                self._framing += len(data) - (self._body - body)
                self._check_body()
            if self._reading is BODY:
                self._all.begin_body(self)
        elif self._reading is HEADER:
            self._fed = 0 if self._completed else self._most
            self._tail = data[-3:]
            self._check_header()

    def eof_received(self) -> bool:  # type: ignore[override]  # uvicorn closes at once
        """The client sends nothing more. Whether the connection stays open: until what was asked in full is answered,
        since a client may end its side alone. One that reads an answer without a length has left."""
        # To the type checker the cycle is uvicorn's.
        cycle: object = self.cycle
        streams = isinstance(cycle, RequestResponseCycle) and cycle.response_started and cycle.chunked_encoding
        self._listens = self._answering and self._reading is WAITING and not streams
        return self._listens

    def pause_writing(self) -> None:
        super().pause_writing()
        self._all.stall(self)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._all.flow(self)

    # From the parser, which stops at whatever is raised.

    def on_message_begin(self) -> None:
        self.url, self.headers, self.expect_100_continue = b"", [], False
        self._reading = HEADER

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._reading is BODY:
            self._trailers += 1
            if self._trailers > self._limits.header_fields:
                raise self._too_large()
            return
        if len(self.headers) >= self._limits.header_fields:
            raise self._too_large()
        name = name.lower()
        if name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        if self._most > self._limits.header_bytes:
            size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
            if size > self._limits.header_bytes:
                raise self._too_large()
        if self.parser.should_upgrade() and _has_body(self.headers):
            raise refuse(
                Code.INVALID_HTTP,
                "A request with a body asks to change the protocol (Upgrade), and HTTP/1.1 is all that is spoken here; "
                "send it without Upgrade.",
            )
        if len(self.pipeline) >= PIPELINED:
            raise refuse(Code.BUSY, f"{PIPELINED} requests on this connection wait already; wait for their answers.")
        way = self._ways.get(self.url)
        if way is not None and self._may_take(way):
            self._way = way
        else:
            self._begin_cycle()
        self._reading, self._answering = BODY, True
        self._fed = self._body = self._framing = self._trailers = 0
        self._body_began = 0.0

    def on_body(self, body: bytes) -> None:
        self._body += len(body)
        if self._way is not None:
            if not self._content:
                self._content = body
                return
            self._leave_way()
        if self.cycle.response_complete:
            self._throw_away(len(body))
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._reading, self._completed, self._unread = WAITING, True, 0
        way = self._way
        if way is not None:
            exchange = way.take(self.headers, self._content, self)
            if exchange is not None:
                self._way, self._content = None, b""
                self.cycle = cast("RequestResponseCycle", exchange)
                return
            self._leave_way()
        super().on_message_complete()

    # The quick way, and uvicorn's.

    def _may_take(self, way: Express) -> bool:
        """Whether nothing before this request is unanswered, and nothing of its header asks for more than an answer."""
        parser = self.parser
        return (
            not self._answering
            and not self.flow.write_paused
            and parser.get_method() == way.method
            and parser.get_http_version() == "1.1"
            and parser.should_keep_alive()
            and not parser.should_upgrade()
        )

    def _leave_way(self) -> None:
        """Go on as if there were no quick way."""
        content, self._way, self._content = self._content, None, b""
        self._begin_cycle()
        if content:
            super().on_body(content)

    def _begin_cycle(self) -> None:
        url, headers, expects = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()
        self.url, self.headers, self.expect_100_continue = url, headers, expects
        self.scope["headers"], self.scope["extensions"] = headers, self._extensions
        super().on_headers_complete()
        self.cycle.transport = cast("asyncio.Transport", self._gentle)

    # From the request that is answered.

    def on_response_complete(self) -> None:
        if self.pipeline or self.transport.is_closing():
            super().on_response_complete()
            return
        self.server_state.total_requests += 1
        self._answering = False
        if self._listens:
            self.transport.close()
            return
        if self._reading is ENDED:
            if self._last_words:
                self._say_last(self._last_words)
            return
        self.flow.resume_reading()
        if self._reading is WAITING:
            self._all.begin_rest(self)
        elif self._reading is HEADER:
            self._all.begin_header(self)

    def admit(self) -> None:
        self._all.admit(self)

    def is_gone(self) -> bool:
        return self.transport.is_closing()

    def give_up(self) -> None:
        """The service ends: whoever waits for what the log has not taken yet is told so."""
        cycle: object = self.cycle
        if isinstance(cycle, Exchange) and not cycle.response_complete:
            cycle.keep_alive = False
            cycle.given_up(stopped())

    def answer(self, exchange: Exchange, data: bytes) -> None:
        self.transport.write(data)
        if not exchange.keep_alive:
            self.close_gently()
        self.on_response_complete()

    # From all connections.

    def too_late(self, code: Code) -> None:
        if self._reading is WAITING:
            # Nothing was asked, and whoever asks now would take a refusal for the answer.
            self.transport.close()
            return
        limits = self._limits
        self._refuse(
            refuse(code, f"The header was not complete after {limits.header_seconds:g} s; send it at once.")
            if code is Code.HEADER_TIMEOUT
            else refuse(
                code, f"Nothing of the body came for {limits.body_seconds:g} s; send it again, faster or in parts."
            )
        )

    def close_gently(self) -> None:
        """The answer is the last one: close, but not on somebody who is still sending the body."""
        if self._reading is not BODY:
            self.transport.close()
            return
        self._reading = ENDED
        self._say_last(b"")

    def end(self) -> None:
        self.transport.close()

    def drop(self) -> None:
        self.transport.abort()

    def takes(self) -> int:
        return self.transport.get_write_buffer_size()

    def is_held_up(self) -> bool:
        return self.flow.read_paused

    # Reading.

    def _gather(self, data: bytes) -> bytes | None:
        """What the parser is given now of a header that was begun; None while that is nothing."""
        gathered = self._gathered
        gathered += data
        ends = END in self._tail + data
        self._tail = (self._tail + data)[-3:]
        if not ends:
            if self._fed + len(gathered) > self._limits.header_bytes:
                self._refuse(self._too_large())
                return None
            if len(gathered) < self._fed:
                return None
        whole = bytes(gathered)
        gathered.clear()
        return whole

    def _read(self, data: bytes) -> None:
        while data:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                # The parser goes on with the next request, behind the header that it stopped at.
                data = data[upgrade.args[0] :]
                continue
            except httptools.HttpParserError as error:
                self._refuse(self._why(error))
            return

    def _why(self, error: httptools.HttpParserError) -> Refusal:
        """What was raised in a callback of the parser, or what it says itself."""
        found = error.__context__
        if isinstance(found, Refusal):
            return found
        why = "its address cannot be read" if isinstance(error, httptools.HttpParserCallbackError) else error
        return refuse(
            Code.INVALID_HTTP,
            f"What came on this connection is not HTTP/1.1: {why}. Mend the client, or the proxy between, and send "
            "the request again on a new connection.",
        )

    def _check_header(self) -> None:
        if self._fed > self._limits.header_bytes:
            self._refuse(self._too_large())
        elif not self._answering:
            self._all.begin_header(self)

    def _check_body(self) -> None:
        now = self._all.clock()
        self._body_began = self._body_began or now
        if self._framing > FRAMING + FRAMING_RATE * self._body:
            self._refuse(
                refuse(
                    Code.INVALID_HTTP,
                    f"The body came in chunks with {self._framing} bytes around {self._body} of its own; send larger "
                    "chunks, without extensions and trailers.",
                )
            )
        elif now - self._body_began > BODY_SECONDS + self._body / BODY_RATE and not self.flow.read_paused:
            self._refuse(
                refuse(
                    Code.BODY_TIMEOUT,
                    f"The body was not complete {now - self._body_began:.0f} s after it began, at less than "
                    f"{BODY_RATE} bytes a second; send it again, faster or in parts.",
                )
            )

    def _throw_away(self, size: int) -> None:
        self._unread += size
        if self._unread > UNREAD:
            self.flow.pause_reading()
            if self._reading is not ENDED:
                self.transport.close()

    def _too_large(self) -> Refusal:
        limits = self._limits
        return refuse(
            Code.HEADER_TOO_LARGE,
            f"The header is larger than {limits.header_bytes} bytes or has more than {limits.header_fields} fields; "
            "send less of it.",
        )

    # Refusing.

    def _refuse(self, refusal: Refusal) -> None:
        """Answer with `refusal` once what was asked before is answered, and end the connection."""
        if self._way is not None:
            self._leave_way()
        self._all.note(refusal.code)
        in_body, self._reading = self._reading is BODY, ENDED
        self._gathered.clear()
        words = _answer(refusal, self.scope.get("path", "") if in_body else "")
        self._all.begin_answer(self)
        if in_body and self.pipeline:
            self.pipeline.popleft()
            self._last_words = words
        elif not in_body and self._answering:
            self._last_words = words
            self.flow.pause_reading()
        elif not in_body:
            self._say_last(words)
        else:
            # It is this request that waits for its body.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            if self.cycle.response_started:
                self.transport.close()
            else:
                self._say_last(words)

    def _say_last(self, words: bytes) -> None:
        if self.transport.is_closing():
            return
        self._gentle.flush()
        self.transport.write(words)
        self.transport.write_eof()
        self.flow.resume_reading()
        self._all.begin_end(self)


def _has_body(headers: list[tuple[bytes, bytes]]) -> bool:
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0 ")) for name, value in headers
    )


def _answer(refusal: Refusal, path: str) -> bytes:
    body = render(refusal, path[:200])
    return b"".join(
        (
            _LINES[refusal.status],
            b"content-type: ",
            PROBLEM_JSON.encode(),
            b"\r\ncontent-length: ",
            str(len(body)).encode(),
            b"\r\ncache-control: no-store\r\nconnection: close\r\n\r\n",
            body,
        )
    )
