"""The steps of an operation.

An operation is a generator. It yields what it wants done and is sent what came of it; it opens no socket, sleeps
not and prints nothing itself. A driver performs the steps, blocking or awaiting, so that the operation is written
once. What a step is answered with:

    Send      the endpoint's decoded answer, or its error raised at the yield
    Listen    Listening, or Refused with the reason; at most one stream is open per run
    Hear      the next ServerSentEvent of that stream, or the Ending it came to
    Sleep     None
    Say       None
    Leave     None; what is done when the caller is stopped from outside while the flow goes on
    Blocking  what its function gives; beside the event loop where there is one
    Consult   what the caller's own function gives; awaited where the client awaits and it gives something to await
    Transmit  an Answer, what was Consumed, or an ExchangeFailure, or an error raised at the yield; below Send, for the
              retry loop alone
    Emit      None; only in a `Stream`, whose caller iterates over what is emitted
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from enum import Enum
from typing import Any, Generic, TypeAlias, TypeVar

from msgspec import Struct, field

from assent.client.incoming import Incoming
from assent.client.sse import ServerSentEvent
from assent.contract.endpoint import AnyEndpoint
from assent.contract.events import StreamQuery
from assent.contract.record import Request
from assent.errors import AssentError

T = TypeVar("T")

Body: TypeAlias = Request | Mapping[str, Any]
Consume: TypeAlias = Callable[[Incoming], T]
"""Makes something of a file while it arrives; called anew for each attempt, with AsyncClient in a thread. What it
raises must be an AssentError, unless it comes out of the reading."""


class Send(Struct, Generic[T], frozen=True, kw_only=True):
    """One call. `idempotent` allows a repetition where the method alone does not; `within` bounds it, in seconds. With
    `in_turn_until` it is sent when no other such call of the client is on its way, unless the clock shows that
    before. What `consume` makes of a file is the answer. A `signed` body is sent as it is. `outcome_of` names the
    action whose outcome this is: it is sent under an idempotency key, and kept on this machine's disk where it
    cannot be delivered."""

    endpoint: AnyEndpoint[T]
    path: Mapping[str, str] = field(default_factory=dict[str, str])
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    body: Body | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    idempotent: bool = False
    within: float | None = None
    in_turn_until: float | None = None
    consume: Consume[Any] | None = None
    signed: bool = False
    outcome_of: str | None = None


class Listen(Struct, frozen=True, kw_only=True):
    """Open the event stream. A stream without a byte for `silence` seconds is given up; the service beats every 15.
    With `about`, an id, it is the one that all waits of the client share, and only what concerns that id is heard."""

    query: StreamQuery
    about: str | None = None
    last_event_id: int | None = None
    silence: float


class Hear(Struct, frozen=True):
    """Wait for the next event; on a shared stream at most until the clock shows `deadline`."""

    deadline: float | None = None


class Sleep(Struct, frozen=True):
    seconds: float


class Say(Struct, frozen=True):
    text: str


class Leave(Struct, frozen=True):
    """From here on, whoever is stopped from outside (see `client.stopping`) leaves by this flow, which is given what
    stopped it, and what it raises of its own is passed over. It has to bound its time itself."""

    by: Callable[[BaseException], Flow[object]]


class Blocking(Struct, Generic[T], frozen=True):
    """Work on files. It raises nothing."""

    work: Callable[[], T]


class Consult(Struct, frozen=True):
    """Ask the caller's own function. What it raises ends the flow and goes to the caller."""

    work: Callable[[], object]


class Emit(Struct, Generic[T], frozen=True):
    value: T


class Outgoing(Struct, frozen=True, kw_only=True):
    """A request, ready to be put on a connection. `timeout` is in seconds, `silence` how many the answer may take where
    those are others, and of a stream or a `file` how many may pass without a byte of it; `in_turn_until` is as in Send.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None
    timeout: float
    silence: float | None = None
    in_turn_until: float | None = None
    file: bool = False


class Transmit(Struct, frozen=True):
    """`aside`: it is not what the caller asks for."""

    outgoing: Outgoing
    consume: Consume[Any] | None = None
    aside: bool = False


class Answer(Struct, frozen=True):
    """What came back. Header names are in lower case. `bound`: it is known to be the answer to its request."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    bound: bool = True


class Consumed(Struct, frozen=True):
    """A file came back whole, and this was made of it."""

    value: Any


class ExchangeFailure(Struct, frozen=True):
    """Nothing came back, or not all of it. `uncertain`: the request may have arrived. `late`: it has, as far as can be
    known, and its answer takes longer than it was waited for."""

    reason: str
    uncertain: bool
    late: bool = False


class Listening(Enum):
    LISTENING = "listening"


class Refused(Struct, frozen=True):
    """No stream. `silent`: nobody said no, there was just no answer."""

    error: AssentError
    silent: bool = False


class Ending(Enum):
    """How a stream ended: closed by the other side, nothing heard for too long, or the caller's deadline is near."""

    CLOSED = "closed"
    SILENT = "silent"
    DUE = "due"


Step: TypeAlias = "Send[Any] | Listen | Hear | Sleep | Say | Leave | Blocking[Any] | Consult | Transmit"
Flow: TypeAlias = Generator[Step, Any, T]
Stream: TypeAlias = Generator[Step | Emit[T], Any, None]
Heard: TypeAlias = ServerSentEvent | Ending


def send(
    endpoint: AnyEndpoint[T],
    *,
    path: Mapping[str, str] | None = None,
    query: Mapping[str, Any] | None = None,
    body: Body | None = None,
    headers: Mapping[str, str] | None = None,
    idempotent: bool = False,
    within: float | None = None,
    outcome_of: str | None = None,
    in_turn_until: float | None = None,
    signed: bool = False,
) -> Flow[T]:
    """`yield from send(GET_ACTION, path={...})` has the endpoint's own type."""
    answer: T = yield Send(
        endpoint=endpoint,
        path=path or {},
        query=query or {},
        body=body,
        headers=headers or {},
        idempotent=idempotent,
        within=within,
        outcome_of=outcome_of,
        in_turn_until=in_turn_until,
        signed=signed,
    )
    return answer


def receive(
    endpoint: AnyEndpoint[bytes],
    consume: Consume[T],
    *,
    path: Mapping[str, str] | None = None,
    query: Mapping[str, Any] | None = None,
) -> Flow[T]:
    """What `consume` makes of the endpoint's file."""
    made: T = yield Send(endpoint=endpoint, path=path or {}, query=query or {}, consume=consume)
    return made


def listen(
    query: StreamQuery, *, silence: float, last_event_id: int | None = None, about: str | None = None
) -> Flow[Listening | Refused]:
    answer: Listening | Refused = yield Listen(query=query, about=about, last_event_id=last_event_id, silence=silence)
    return answer


def hear(deadline: float | None = None) -> Flow[Heard]:
    answer: Heard = yield Hear(deadline)
    return answer


class Done(Struct, Generic[T], frozen=True):
    """The flow has returned `value`."""

    value: T


def advance(flow: Generator[Step | Emit[Any], Any, T], reply: object) -> Step | Emit[Any] | Done[T]:
    """Hand in the answer to the last step and get the next one; an AssentError is raised inside the flow."""
    try:
        return flow.throw(reply) if isinstance(reply, AssentError) else flow.send(reply)
    except StopIteration as end:
        return Done(end.value)
