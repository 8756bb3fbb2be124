"""A method that does nothing but send is declared: its endpoint, and the parameters that it takes.

    @sends(RESOLVE_OPEN_LOOP)
    def resolve_open_loop(self, loop_id: str, status: LoopEnd | str, resolution: str | None = None) -> Response:
        '''Close a loop: `status` is resolved, with how as `resolution`, or cancelled.'''

The function has no body. Each parameter goes where the endpoint has a member of its name: in the path, the query or
the request. What is None is not sent, unless the parameter's default is UNSET: None then empties the member. The answer
has the type of the endpoint's response. help() shows with each parameter what the contract says of its member.

A method that does more is a flow (`operation`), and names the endpoint that it calls:

    @calls(CREATE_HANDOFF, named={"summary": "handoff"})
    def create_handoff(self, handoff: Mapping[str, Any] | str | None = None, **fields: Unpack[HandoffFields]) -> ...:

A module with a method whose parameters are not its endpoint's members cannot be imported: the TypeError names both.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from types import FunctionType
from typing import Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, cast, is_typeddict

from msgspec import UNSET, Struct

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import check_names
from assent.client.signature import Look, of_flow
from assent.contract.endpoint import AnyEndpoint
from assent.contract.meanings import meanings, meanings_of_path

P = ParamSpec("P")
T = TypeVar("T")
_Given: TypeAlias = dict[str, Any]

Response: TypeAlias = None
"""What the endpoint answers."""


class sends(Generic[T]):  # noqa: N801 - a decorator
    """Makes a method of both clients out of an empty function: it sends what it is given to `endpoint`.

    `own` are members that are the client's own (`agent_id`, `agent_name`) where they are not given. `fixed` members
    have the same value in every call. `without` are members that the method does not offer. `unless_default` are
    members that are not sent at the parameter's default. A member of `one_of` raises ValueError for another word.
    `idempotent` is as in `flow.Send`.
    """

    def __init__(
        self,
        endpoint: AnyEndpoint[T],
        *,
        own: tuple[str, ...] = (),
        fixed: Mapping[str, object] | None = None,
        without: tuple[str, ...] = (),
        unless_default: tuple[str, ...] = (),
        one_of: Mapping[str, type[StrEnum]] | None = None,
        idempotent: bool = False,
    ) -> None:
        self._endpoint = endpoint
        self._path = tuple(re.findall(r"\{(\w+)\}", endpoint.path))
        self._query, self._request = _names(endpoint.query, self._path), _names(endpoint.request, self._path)
        self._own, self._fixed, self._without = own, dict(fixed or {}), without
        self._unless_default, self._one_of = unless_default, one_of or {}
        self._idempotent = idempotent

    def __call__(self, declared: Callable[Concatenate[Any, P], Response]) -> operation[P, T]:
        """Raises TypeError where the parameters are not the endpoint's members."""
        parameters = _Parameters(cast("FunctionType", declared))
        self._check(parameters)
        further = (*self._query, *self._request) if parameters.open else ()

        def flow(caller: Caller, /, *args: P.args, **kwargs: P.kwargs) -> Flow[T]:
            given = parameters.arguments_of(caller, args, kwargs, further)
            given |= {name: getattr(caller, name) for name in self._own if parameters.lacks(given, name)} | self._fixed
            for name, words in self._one_of.items():
                _check_word(name, given[name], words)
            said = {name: value for name, value in given.items() if self._is_sent(name, value, parameters.defaults)}
            return send(
                self._endpoint,
                path={name: given[name] for name in self._path},
                query={wire: said[name] for name, wire in self._query.items() if name in said},
                body={wire: said[name] for name, wire in self._request.items() if name in said}
                if self._endpoint.request is not None
                else None,
                idempotent=self._idempotent,
            )

        response = self._endpoint.response
        return operation(flow, Look(declared, lambda _: response, lambda: self._meanings(parameters)))

    def _is_sent(self, name: str, value: object, defaults: Mapping[str, object]) -> bool:
        default = defaults.get(name)
        if value is UNSET or (value is None and default is not UNSET):
            return False
        return name not in self._unless_default or value != default

    def _check(self, parameters: _Parameters) -> None:
        method, operation_ = parameters.function.__qualname__, self._endpoint.operation
        members = [*self._path, *self._query, *self._request]
        settled = {*self._own, *self._fixed, *self._without}
        for name in (*parameters.names, *settled, *self._unless_default, *self._one_of):
            if name not in members:
                raise TypeError(f"{method} has {name!r}, which {operation_} has not; it has {', '.join(members)}")
        if twice := self._query.keys() & self._request.keys():
            raise TypeError(f"{operation_} has {twice} in its query and in its request; write {method} as an operation")
        # A method of another name is a shorter way to the same endpoint and need not offer everything.
        whole = parameters.function.__name__ == operation_ and not parameters.open
        needed = members if whole else self._path
        if missing := [name for name in needed if name not in {*parameters.names, *settled}]:
            raise TypeError(f"{method} lacks {', '.join(missing)} of {operation_}; add it, or name it in `without`")

    def _meanings(self, parameters: _Parameters) -> dict[str, str]:
        """The sentence of each parameter of which the contract says what it means."""
        sentences = _sentences(self._endpoint)
        names = [*parameters.names, *(self._request or self._query if parameters.open else ())]
        return {name: sentences[name] for name in names if name in sentences and name not in self._without}


class calls:  # noqa: N801 - a decorator
    """Makes a method of both clients out of a flow that calls `endpoint`, so that no member of it is forgotten and
    help() shows what each parameter means.

    `named` are members whose parameter has another name, `without` members that the method does not offer: it says them
    itself, or they come in a mapping.
    """

    def __init__(
        self, endpoint: AnyEndpoint[Any], *, named: Mapping[str, str] | None = None, without: tuple[str, ...] = ()
    ) -> None:
        self._endpoint, self._named, self._without = endpoint, dict(named or {}), without

    def __call__(self, flow: Callable[Concatenate[Any, P], Flow[T]]) -> operation[P, T]:
        """Raises TypeError where a member of the endpoint is neither a parameter nor one of its TypedDict, or the
        TypedDict has what the endpoint has not."""
        parameters = _Parameters(cast("FunctionType", flow))
        fields = parameters.fields()
        path = tuple(re.findall(r"\{(\w+)\}", self._endpoint.path))
        members = [*path, *_names(self._endpoint.query, path), *_names(self._endpoint.request, path)]
        # Keywords of any name take every member.
        further = fields.__annotations__ if fields else members if parameters.open else ()
        offered = list(dict.fromkeys((*parameters.names, *further)))
        self._check(parameters.function, fields, members, offered)

        def sentences() -> dict[str, str]:
            told = _sentences(self._endpoint)
            told = {self._named.get(name, name): told[name] for name in members if name in told}
            return {name: told[name] for name in offered if name in told}

        return operation(flow, Look(flow, of_flow, sentences))

    def _check(
        self, function: FunctionType, fields: type[Any] | None, members: list[str], offered: Iterable[str]
    ) -> None:
        method, operation_ = function.__qualname__, self._endpoint.operation
        place = fields.__name__ if fields else "its parameters"
        for where, names in (
            (place, fields.__annotations__ if fields else ()),
            ("`without`", self._without),
            ("`named`", self._named),
        ):
            for name in names:
                if name not in members and name not in self._named.values():
                    raise TypeError(
                        f"{method} has {name!r} in {where}, which {operation_} has not; it has {', '.join(members)}"
                    )
        for name in self._named.values():
            if name not in offered:
                raise TypeError(f"{method} has no parameter {name!r}; `named` says that it has")
        taken = {*offered, *self._without, *self._named}
        # A method of another name is a shorter way to the same endpoint, as one of the parameters of `sends` is.
        whole = function.__name__ == operation_ or fields is not None
        if missing := [name for name in members if whole and name not in taken]:
            raise TypeError(
                f"{method} lacks {', '.join(missing)} of {operation_}; add it to {place}, or name it in `without`"
            )


def _sentences(endpoint: AnyEndpoint[Any]) -> dict[str, str]:
    """What each member of the endpoint's path, query and request means."""
    found = meanings_of_path(endpoint)
    for shape in (endpoint.query, endpoint.request):
        found |= meanings(shape, endpoint.response) if shape is not None else {}
    return found


class _Parameters:
    """The parameters of a declared method. Those of an `open` one, `**fields`, are all of its endpoint's members."""

    def __init__(self, function: FunctionType) -> None:
        code = function.__code__
        self.function = function
        self.names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
        self.open = bool(code.co_flags & inspect.CO_VARKEYWORDS)
        self._positional = self.names[: code.co_argcount - 1]
        late = function.__defaults__ or ()
        self.defaults = dict(zip(self._positional[len(self._positional) - len(late) :], late, strict=True))
        self.defaults |= function.__kwdefaults__ or {}

    def fields(self) -> type[Any] | None:
        """The TypedDict of `**fields: Unpack[...]`."""
        code = self.function.__code__
        if not self.open:
            return None
        at = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
        unpacked = re.fullmatch(r"Unpack\[(\w+)\]", str(self.function.__annotations__.get(code.co_varnames[at])))
        found = self.function.__globals__.get(unpacked[1]) if unpacked else None
        return found if is_typeddict(found) else None

    def lacks(self, given: _Given, name: str) -> bool:
        """Whether the client's own stands in: for nothing, and for a parameter that is empty. What is one of the open
        keywords is sent as it is given."""
        return given.get(name) is None or (name in self.names and not given[name])

    def arguments_of(
        self, caller: object, args: tuple[object, ...], kwargs: Mapping[str, object], further: Iterable[str]
    ) -> _Given:
        """What a call gives, by name, and otherwise the default. Raises TypeError as a call of the function does."""
        check_names(kwargs, dict.fromkeys((*self.names, *further)), self.function.__name__)
        self.function(caller, *args, **kwargs)
        return self.defaults | dict(zip(self._positional, args, strict=False)) | dict(kwargs)


def _names(shape: type[Struct] | None, path: tuple[str, ...]) -> dict[str, str]:
    """The members of a query or a request, with their names on the wire. What is in the path is said there."""
    if shape is None:
        return {}
    names = zip(shape.__struct_fields__, shape.__struct_encode_fields__, strict=True)
    return {name: wire for name, wire in names if name not in path}


def _check_word(name: str, word: object, words: type[StrEnum]) -> None:
    if word not in list(words):
        raise ValueError(f"{name} is {word!r}; give one of {', '.join(words)}")
