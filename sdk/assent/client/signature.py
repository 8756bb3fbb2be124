"""The signature that help() and completion show: what the caller passes and gets, not how an operation is built."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, Unpack, get_args, get_origin, get_type_hints, is_typeddict


def shown(function: Callable[..., Any], answer: Callable[[Any], Any]) -> Signature:
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
