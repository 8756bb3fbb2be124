"""Sessions: a stretch of an agent's work, whose calls carry its id, and that of the session in which it was begun.

    with client.session() as session:
        client.guard({"action_type": "read_page"})      # session_id is session.session_id
        with client.session() as research:              # a sub-agent's: its parent is the one around it
            ...

What is bound is the context (`contextvars`), not the client: whatever is done inside by whichever client, governed
function or adapter carries it. The context goes with `await`, with tasks that are begun inside (`asyncio.create_task`,
`gather`, a TaskGroup) and with `asyncio.to_thread`. It does not go with `threading.Thread` and executors, which begin
with an empty one: hand them `session.bind(function)`, or use `client.with_options(session=session)` there. It goes into
other processes where they are started with `session.environment()`: clients, hooks and the MCP server read it.

Which session a call is in: the one that the call names; else the one that `with_options` gave the client; else the
innermost that is bound, of the context or of the client's environment. A session that is begun inside of the client's
own is further in than that one. A call that names another session than the one it is in is in a session of its own
inside of that one.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, cast

from assent.contract.endpoint import AnyEndpoint

P = ParamSpec("P")
T = TypeVar("T")

LONGEST_ID = 128
MEMBER, PARENT = "session_id", "parent_session_id"


@dataclass(frozen=True)
class Session:
    """One session. Its id is text: one that is made up, or the program's own for one run. Two runs that go by the same
    id are one session. Raises ValueError for what is no id, and for a session inside of itself."""

    session_id: str
    parent: Session | None = None
    given: bool = field(default=False, compare=False, repr=False, kw_only=True)
    """Whether a client was given it as an option, and so is in it whatever the context says."""

    def __post_init__(self) -> None:
        if not 0 < len(self.session_id) <= LONGEST_ID or not self.session_id.isprintable():
            raise ValueError(
                f"session_id is {self.session_id!r}; give 1 to {LONGEST_ID} characters that can be printed"
            )
        if self.parent is not None and any(each.session_id == self.session_id for each in self.parent.chain()):
            raise ValueError(f"session {self.session_id!r} cannot be begun inside of itself; give another id, or none")

    @property
    def parent_session_id(self) -> str | None:
        return None if self.parent is None else self.parent.session_id

    def chain(self) -> list[Session]:
        """It and those around it, the innermost first."""
        return [self, *(self.parent.chain() if self.parent is not None else ())]

    def bind(self, function: Callable[P, T]) -> Callable[P, T]:
        """The function, which is done in this session wherever it is called: in another thread, or much later."""
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def run_async(*args: P.args, **kwargs: P.kwargs) -> Any:
                with Binding(self):
                    return await function(*args, **kwargs)

            return cast("Callable[P, T]", run_async)

        @functools.wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> T:
            with Binding(self):
                return function(*args, **kwargs)

        return run

    def __enter__(self) -> Session:
        """Goes on with it: what is done inside is in this session again."""
        return _enter(self, self)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _leave(self)

    async def __aenter__(self) -> Session:
        return _enter(self, self)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _leave(self)

    def environment(self) -> dict[str, str]:
        """The variables by which a process that is started with them is in this session."""
        return {"ASSENT_SESSION_ID": self.session_id, "ASSENT_PARENT_SESSION_ID": self.parent_session_id or ""}


_bound: ContextVar[Session | None] = ContextVar("assent_session", default=None)
_entered: ContextVar[tuple[tuple[object, Session | None], ...]] = ContextVar("assent_sessions_entered", default=())
"""What was entered in this context, the innermost last, each with the session before it."""


def _enter(entered: object, session: Session) -> Session:
    _entered.set((*_entered.get(), (entered, _bound.get())))
    _bound.set(session)
    return session


def _leave(entered: object) -> None:
    """Whatever the order, and in whichever context: what was not entered in this one, as where a generator is closed by
    somebody else, changes nothing, and never hides what the block raised."""
    stack = list(_entered.get())
    at = next((at for at in reversed(range(len(stack))) if stack[at][0] is entered), None)
    if at is None:
        return
    _, before = stack.pop(at)
    if at == len(stack):
        _bound.set(before)
    else:
        stack[at] = (stack[at][0], before)
    _entered.set(tuple(stack))


class Binding:
    """What `client.session` gives: for `with` and `async with`, which both send nothing, as often as wanted."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __enter__(self) -> Session:
        return _enter(self, self._session)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _leave(self)

    async def __aenter__(self) -> Session:
        return _enter(self, self._session)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _leave(self)


def session_of(given: Session | str | None) -> Session | None:
    """The session that a client is given. Raises ValueError and TypeError for what is no session."""
    if given is None:
        return None
    return replace(given if isinstance(given, Session) else Session(_text(given)), given=True)


def _text(given: object) -> str:
    if not isinstance(given, str):
        raise TypeError(f"a session is {given!r}; give what `client.session` gives, or its id as text")
    return given


def current(own: Session | None) -> Session | None:
    """The session of a call by a client whose own is `own`."""
    around = _bound.get()
    if own is None or around is None:
        return own or around
    if any(each.session_id == own.session_id and each.given >= own.given for each in around.chain()):
        return around  # begun inside of the client's own; where it was given, by a client that it was given to
    found = own if own.parent is not None else _inside(own.session_id, around)
    return replace(found, given=own.given)


def begun(session_id: str, own: Session | None) -> Session:
    """A session inside of the current one. To begin the current one again goes on with it. Raises ValueError."""
    _text(session_id)
    around = current(own)
    if around is not None and around.session_id == session_id:
        return around
    return Session(session_id, around)


def in_session(endpoint: AnyEndpoint[Any], body: Mapping[str, Any], own: Session | None) -> Mapping[str, Any]:
    """The body with the session that the call is in, where the endpoint takes one."""
    takes = _takes(endpoint)
    if not takes:
        return body
    session = current(own)
    if session is None:
        return body
    named = body.get(MEMBER)
    if named is not None and not isinstance(named, str):
        return body  # which is refused with what is wrong
    inside = session if named is None else _inside(named, session)
    said: dict[str, Any] = {MEMBER: inside.session_id}
    if PARENT in takes and inside.parent_session_id is not None:
        said[PARENT] = inside.parent_session_id
    return {**said, **{name: value for name, value in body.items() if value is not None or name not in said}}


def _inside(session_id: str, around: Session) -> Session:
    """A session that is named inside of another one; one of those around it stays what it is."""
    found = next((each for each in around.chain() if each.session_id == session_id), None)
    return found or Session(session_id, around)


@functools.cache
def _takes(endpoint: AnyEndpoint[Any]) -> frozenset[str]:
    """Which of the two members the endpoint's request has."""
    shape = endpoint.request
    return frozenset(() if shape is None else shape.__struct_encode_fields__) & {MEMBER, PARENT}
