"""The quick way of a request: decided while its bytes are read, answered when its batch is durable.

An ordinary request of an operation that awaits nothing but its record (`Route.at_once`) takes no task, no future and no
ASGI messages. The server's protocol (`assent_service.protocol`) hands over its header and body as soon as both are
there. `Express.take` does what the door does (`core.door`), by the same functions, hands what is to be recorded to the
ledger, and answers an `Exchange`, which stands in the place of uvicorn's cycle: whatever comes behind it on the
connection waits as it always does. The ledger settles it, with one wake-up for a whole batch, and the connection sends
byte for byte what the door would have sent.

Whatever is unusual goes through the door, as if nothing had been tried: `take` answers None and leaves nothing behind.
So the door alone refuses, and says why. Unusual are

- a header with a field in UNUSUAL, or with a field twice; a key that is short, unknown, or of another role;
- a body that comes in pieces, has more than LARGEST bytes, is not valid, or has a sign of a secret;
- what `at_once` answers None for, such as a policy's webhook, and whatever is raised;
- all while the log's database does not answer.

One that is overtaken (`assent_service.store.conditions`) has lost nothing but its place: the handler carries it out, in
a task, and what that answers ends the exchange.

Who observes requests (`assent_service.telemetry`) observes these with the same steps, as a `Watch`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Protocol

import msgspec

from assent.contract.problems import Code
from assent_service.base.problem import Refusal, refuse, render
from assent_service.core import body as bodies
from assent_service.core.call import AnyCall, Call, Recordable, Sent
from assent_service.core.door import (
    JSON,
    Headers,
    Recording,
    closing_headers,
    refusal_headers,
    unforeseen,
    whole_answer,
)
from assent_service.core.echo import REQUEST_ID, request_id
from assent_service.core.principal import SHORTEST, Authenticate
from assent_service.core.redacted import EVERYTHING
from assent_service.core.redaction import has_sign
from assent_service.core.route import Route
from assent_service.core.speaker import Seen, speaker_of
from assent_service.store.conditions import ATTEMPT, Attempt, Condition, Overtaken
from assent_service.store.event import Draft, Event
from assent_service.store.failures import OutcomeUnknown, not_recorded
from assent_service.store.ledger import Settles

LARGEST = 8_192
"""Bytes of a body."""
UNUSUAL = frozenset({b"expect", b"prefer", b"traceparent", b"transfer-encoding", b"upgrade"})
CLOSE = (b"connection", b"close")

log = logging.getLogger("assent.door")

_encode = msgspec.json.Encoder().encode


class Connection(Protocol):
    """What an exchange needs of the connection that it came on."""

    def admit(self) -> None:
        """A valid key came."""
        ...

    def answer(self, exchange: Exchange, data: bytes) -> None:
        """Send all of the answer."""
        ...

    def is_gone(self) -> bool:
        """Whether the client has hung up."""
        ...


class Watch(Protocol):
    """Who observes one exchange, from when its header and body were there. `echo` is the id that its answer names."""

    @property
    def echo(self) -> bytes | None: ...

    def ended(self, call: AnyCall, status: int, size: int, answer: Any) -> None:
        """It is answered with `size` bytes; `answer` is what the handler would have answered or raised. `status` is 0
        where the client had hung up."""
        ...


class Submitting(Recording, Protocol):
    """What the quick way needs of the ledger."""

    @property
    def patience(self) -> float | None: ...

    @property
    def silent(self) -> bool: ...

    def submit(self, drafts: tuple[Draft, ...], settles: Settles, conditions: tuple[Condition, ...]) -> None: ...


Watching = Callable[[Headers], Watch]


class _Nobody:
    """Who waits for more of an exchange, of which everything has come."""

    def set(self) -> None:
        """Nobody is woken."""


class Exchange:
    """A request that was decided, until it is answered. What is public is uvicorn's cycle to its protocol."""

    __slots__ = (
        *("_answer", "_call", "_connection", "_due", "_echo", "_express", "_settled", "_watch"),
        *("disconnected", "keep_alive", "response_complete"),
    )
    message_event, response_started = _Nobody(), False

    def __init__(
        self,
        express: Express,
        connection: Connection,
        call: AnyCall,
        watch: Watch | None,
        echo: bytes | None,
        decided: Recordable,
    ) -> None:
        self._express, self._watch, self._echo = express, watch, echo
        self._connection: Connection | None = connection
        self._call: AnyCall | None = call
        self._answer, self._settled = decided.answer, decided.settled
        self._due: asyncio.TimerHandle | None = None
        self.disconnected = self.response_complete = False
        self.keep_alive = True

    def wait(self, seconds: float) -> None:
        """For so long at most for the ledger's word."""
        self._due = asyncio.get_running_loop().call_later(seconds, self._give_up)

    def recorded(self, events: list[Event]) -> None:
        """The ledger's word: it is durable."""
        self._tell(True)
        if self.response_complete:
            return
        self._end(self._express.status, [JSON], _encode(self._answer), self._answer)

    def refused(self, error: Refusal | ValueError) -> None:
        """The ledger's word: nothing was recorded."""
        self._tell(False)
        self._fail(error)

    def overtaken(self, overtaken: Overtaken) -> None:
        """The ledger's word: nothing was recorded, and it has to be decided anew."""
        self._tell(False)
        self._settled = None
        if self._call is not None:
            self._express.carry_out(self._call, overtaken, self._finish, self._fail)

    def _finish(self, answer: Any) -> None:
        if self.response_complete:
            return
        status, body, headers = whole_answer(answer, self._express.status)
        self._end(status, headers, body, answer)

    def _fail(self, error: Exception) -> None:
        if self.response_complete:
            return
        path = self._express.path
        if isinstance(error, Refusal):
            refusal = error
        else:
            log.error("%s %s failed", self._express.method.decode(), path, exc_info=error)
            refusal = unforeseen()
        self._end(refusal.status, refusal_headers(refusal), render(refusal, path), error)

    def given_up(self, refusal: Refusal) -> None:
        """It is answered before the ledger's word came, which may still come."""
        settled = self._settled
        self._end(refusal.status, refusal_headers(refusal), render(refusal, self._express.path), refusal)
        self._settled = settled

    def _give_up(self) -> None:
        self.given_up(not_recorded(OutcomeUnknown()))

    def _tell(self, recorded: bool) -> None:
        if self._settled is not None:
            self._settled(recorded)

    def _end(self, status: int, headers: Headers, body: bytes, answer: Any) -> None:
        self.response_complete = True
        if self._due is not None:
            self._due.cancel()
            self._due = None
        connection, call = self._connection, self._call
        # An exchange lies on its connection until the next one comes: it leads back to nothing.
        self._connection = self._call = self._answer = self._settled = None
        reached = connection is not None and not self.disconnected and not connection.is_gone()
        try:
            if connection is not None and reached:
                self.keep_alive = self.keep_alive and CLOSE not in headers
                connection.answer(self, self._whole(status, headers, body))
        finally:
            if self._watch is not None and call is not None:
                self._watch.ended(call, status if reached else 0, len(body) if reached else 0, answer)
                self._watch = None

    def _whole(self, status: int, headers: Headers, body: bytes) -> bytes:
        named = [] if self._echo is None else [(REQUEST_ID, self._echo)]
        last = [] if self.keep_alive or CLOSE in headers else [CLOSE]
        lines = [b"%b: %b\r\n" % each for each in (*headers, *closing_headers(body), *named, *last)]
        return b"".join((_LINES[status], *lines, b"\r\n", body))


class Express:
    """The quick way of one route that has `at_once`."""

    def __init__(
        self,
        route: Route,
        authenticate: Authenticate,
        ledger: Submitting,
        seen: Seen | None,
        watching: Watching | None,
    ) -> None:
        endpoint = self._endpoint = route.endpoint
        if (
            route.at_once is None
            or endpoint.request is None
            or endpoint.roles is None
            or EVERYTHING in endpoint.keeps_secrets
        ):
            raise TypeError(f"{endpoint.operation} is nothing for the quick way")
        self.method, self.path, self.status = endpoint.method.encode(), endpoint.path, endpoint.statuses[0]
        self._roles, self._request, self._at_once = endpoint.roles, endpoint.request, route.at_once
        self._handler, self._running = route.handler, set[asyncio.Task[None]]()
        self._authenticate, self._ledger, self._watching = authenticate, ledger, watching
        self._patience = ledger.patience
        self._seen, self._speaker = seen, speaker_of(endpoint)
        self._query: Any = None
        if endpoint.query is not None:
            self._query = bodies.convert_query(endpoint.query, b"")

    def take(self, headers: Headers, content: bytes, connection: Connection) -> Exchange | None:
        """The request under way to its answer; None for one that is the door's."""
        fields = dict(headers)
        if len(fields) != len(headers) or len(content) > LARGEST or not UNUSUAL.isdisjoint(fields):
            return None
        patience = self._patience
        if patience is not None and self._ledger.silent:
            return None
        watch = None if self._watching is None else self._watching(headers)
        try:
            call = self._call(fields, content)
            decided = None if call is None else self._at_once(call)
        except Refusal:
            return None
        except Exception:
            log.exception("%s is asked at the door, since its quick way failed", self.path)
            return None
        if call is None or decided is None:
            return None
        echo = request_id(headers) if watch is None else watch.echo
        exchange = Exchange(self, connection, call, watch, echo, decided)
        try:
            self._ledger.submit(decided.drafts, exchange, decided.conditions)
        except Refusal:
            if decided.settled is not None:
                decided.settled(False)
            return None
        if patience is not None:
            exchange.wait(patience)
        connection.admit()
        self._note(call)
        return exchange

    def carry_out(
        self,
        call: AnyCall,
        overtaken: Overtaken,
        answered: Callable[[Any], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """What the door does with a request that was overtaken: see `Door`. One of the two is told what came of it."""

        attempt = Attempt(0)
        attempt.org_id = call.principal.org_id

        async def again() -> Any:
            attempt.begin_again(self._ledger.head)
            principal = self._authenticate(call.headers[b"x-api-key"].decode("latin-1"))
            if principal is None:
                raise refuse(Code.UNAUTHORIZED, "The API key was revoked; ask an admin for a new one.")
            call.principal = principal
            return await self._handler(call)

        async def carried_out() -> None:
            ATTEMPT.set(attempt)
            try:
                answer = await self._ledger.run_again(overtaken, again)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is answered
                failed(error)
            else:
                answered(answer)

        task = asyncio.get_running_loop().create_task(carried_out())
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def _call(self, fields: dict[bytes, bytes], content: bytes) -> AnyCall | None:
        key = fields.get(b"x-api-key", b"")
        principal = self._authenticate(key.decode("latin-1")) if len(key) >= SHORTEST else None
        if principal is None or principal.role not in self._roles or has_sign(content):
            return None
        members = bodies.published(self._endpoint, bodies.decode_object(content))
        body = bodies.convert(self._endpoint, self._request, members, strict=False)
        return Call(principal, fields, body, self._query, Sent(members, content))

    def _note(self, call: AnyCall) -> None:
        if self._speaker is not None and self._seen is not None:
            agent_id = self._speaker(call.principal, call.body)
            if agent_id:
                self._seen(call.principal, agent_id)


_LINES = {each.value: f"HTTP/1.1 {each.value} {each.phrase}\r\n".encode() for each in HTTPStatus}
