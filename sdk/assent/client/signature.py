"""What help() and completion show of a method: what the caller passes and gets, not how an operation is built."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from inspect import Parameter, Signature
from types import MethodType
from typing import (
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    TypeVar,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
    overload,
)

from msgspec import Struct

P = ParamSpec("P")
T = TypeVar("T")


class Look(Struct, frozen=True):
    """A method's name, docstring and parameters are those of `function`; `answer` makes the type of the answer of what
    it is annotated with. `meanings` gives the sentence for each parameter that has one, below the docstring."""

    function: Callable[..., Any]
    answer: Callable[[Any], Any]
    meanings: Callable[[], Mapping[str, str]] = dict

    def dress(self, *methods: Callable[..., Any]) -> None:
        """Have the methods show this."""
        signature = public_signature(self.function, self.answer)
        lines = [f"{name}: {text}" for name, text in self.meanings().items()]
        paragraphs = [inspect.getdoc(self.function) or "", "\n".join(lines)]
        for method in methods:
            dress(method, signature)
            if lines:
                method.__doc__ = "\n\n".join(paragraphs).strip()


def public_signature(function: Callable[..., Any], answer: Callable[[Any], Any]) -> Signature:
    """`function`'s signature with real types, `**fields: Unpack[...]` spelt out, and the answer's type as result."""
    signature = inspect.signature(function, eval_str=True)
    parameters: list[Parameter] = []
    for parameter in signature.parameters.values():
        parameters += _spelt_out(parameter)
    return signature.replace(parameters=parameters, return_annotation=answer(signature.return_annotation))


def of_flow(annotation: Any) -> Any:
    """`Flow[T]` gives T: the last argument of the generator."""
    return get_args(annotation)[2]


def of_stream(annotation: Any) -> Any:
    """`Stream[T]` gives T: the argument of Emit among the steps."""
    steps = get_args(get_args(annotation)[0])
    return next(get_args(step)[0] for step in steps if getattr(get_origin(step), "__name__", "") == "Emit")


class managed(Generic[P, T]):  # noqa: N801 - a decorator
    """Over `@contextmanager` or `@asynccontextmanager`: the method shows what the caller enters, and what it gives."""

    def __init__(self, function: Callable[Concatenate[Any, P], T]) -> None:
        self._function, self._dressed = function, False
        self.__doc__, self.__wrapped__ = function.__doc__, function

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Callable[Concatenate[Any, P], T]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any]) -> Callable[P, T]: ...
    def __get__(self, instance: object, owner: type[Any]) -> Any:
        if not self._dressed:
            dress(self._function, public_signature(self._function, _entered))
            self._dressed = True
        return self._function if instance is None else MethodType(self._function, instance)


def dress(function: Callable[..., Any], signature: Signature) -> None:
    """Have `function` show this signature, in `inspect` and in its annotations."""
    function.__signature__ = signature  # type: ignore[attr-defined]
    parameters = signature.parameters.values()
    function.__annotations__ = {p.name: p.annotation for p in parameters if p.annotation is not p.empty}
    function.__annotations__["return"] = signature.return_annotation


def _entered(annotation: Any) -> Any:
    awaiting = "Async" in getattr(get_origin(annotation), "__name__", "")
    given = get_args(annotation)[0]
    return AbstractAsyncContextManager[given] if awaiting else AbstractContextManager[given]  # type: ignore[valid-type]


def _spelt_out(parameter: Parameter) -> list[Parameter]:
    if parameter.kind is not Parameter.VAR_KEYWORD or get_origin(parameter.annotation) is not Unpack:
        return [parameter]
    (members,) = get_args(parameter.annotation)
    if not is_typeddict(members):
        return [parameter]
    return [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
        for name, annotation in get_type_hints(members).items()
    ]
