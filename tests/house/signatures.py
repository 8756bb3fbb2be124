"""The signatures of every public method of `Client` and `AsyncClient`, as an editor shows them.

`signatures.txt` has one entry for each method: `name(parameters) -> answer` where both clients show the same and
`AsyncClient` awaits the answer, else one entry for each client. Classes are named without their module. `= ...` is a
keyword that may be left out: it comes from a TypedDict (`**filters: Unpack[...]`), which is spelt out here.

A method keeps what it accepts: names, order, kinds and defaults stay, a parameter's type may become wider, and what is
new may be left out; the answer's type stays. A callable that is given becomes wider by its own answer: what gave less
still may. What it is called with stays as it is. To add the entry of a new method, or to note a wider one, run
`python -m tests.house.signatures`; it writes nothing where something became narrower.
"""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from textwrap import wrap
from types import MappingProxyType
from typing import Any, Unpack, get_args, get_origin, get_type_hints

from assent import AsyncClient, Client

FILE = Path(__file__).parent / "signatures.txt"
INSIDE = re.compile(r" (?!\*{0,2}\w+: |[*/],|-> )")
"""A space inside of a parameter, where no line ends."""
LEFT_OUT = "..."
ENTRY = re.compile(r"(?P<name>(async )?[\w.]+)(?P<text>.*)", re.DOTALL)
WIDER = {
    "list": {"Sequence", "Collection", "Iterable"},
    "Sequence": {"Collection", "Iterable"},
    "dict": {"Mapping"},
    "int": {"float"},
}
"""What takes everything that the name takes, beside itself, Any and object."""


def shown() -> dict[str, str]:
    """The text of every entry behind its name, as the clients are now."""
    blocking, awaiting = dict(_entries(Client)), dict(_entries(AsyncClient))
    entries: dict[str, str] = {}
    for name in sorted(blocking.keys() | awaiting.keys()):
        first, second = blocking.get(name), awaiting.get(name)
        if first and second and second == (first[0], True):
            entries[name] = first[0]
            continue
        for client, entry in (("Client", first), ("AsyncClient", second)):
            if entry:
                entries[f"{'async ' if entry[1] else ''}{client}.{name}"] = entry[0]
    return entries


def snapshot() -> dict[str, str]:
    """The text of every entry behind its name, as `signatures.txt` has them."""
    return read(FILE.read_text(encoding="utf-8"))


def read(text: str) -> dict[str, str]:
    """The entries of a text as `written` gives it."""
    matches = (ENTRY.fullmatch(line) for line in text.replace("\n    ", " ").splitlines())
    return {match["name"]: match["text"] for match in matches if match}


def written(entries: dict[str, str]) -> str:
    """The entries as text: one begins at the left edge, its further lines are indented."""
    lines = (
        wrap(
            INSIDE.sub("\0", name + text), 120, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
        )
        for name, text in entries.items()
    )
    return "".join(f"{line}\n" for each in lines for line in each).replace("\0", " ")


def narrower(before: str, now: str) -> list[str]:
    """What a caller of the entry `before` can no longer rely on in `now`, a sentence each."""
    if not before.startswith("(") or not now.startswith("("):
        return [] if before == now else [f"is {now}, was {before}"]
    old, new = _parse(before), _parse(now)
    had, has = old.parameters, new.parameters
    problems = (
        []
        if old.return_annotation == new.return_annotation
        else [f"answers {new.return_annotation}, answered {old.return_annotation}"]
    )
    if (positions := _positions(old)) != _positions(new)[: len(positions)]:
        problems.append(f"takes by position {', '.join(_positions(new))}; it took {', '.join(positions)}")
    problems += [f"{name} is asked for" for name in has.keys() - had.keys() if has[name].default is Parameter.empty]
    for name, each in had.items():
        if each.kind is Parameter.VAR_KEYWORD:
            continue  # keywords that are spelt out take its place
        problems += _less(each, has[name]) if name in has else [f"{name} is gone"]
    return problems


def _less(had: Parameter, has: Parameter) -> Iterator[str]:
    if had.kind is not has.kind:
        yield f"{had.name} is {has.kind.description}, was {had.kind.description}"
    if had.default != has.default and not (had.default == LEFT_OUT and has.default in ("None", "UNSET")):
        yield f"{had.name} is by default {has.default}, was {had.default}"
    if not _covers(has.annotation, had.annotation):
        yield f"{had.name} takes {ast.unparse(has.annotation)}, took {ast.unparse(had.annotation)}"


def _covers(wide: ast.expr, narrow: ast.expr) -> bool:
    """Whether every member of the union `narrow` is one of `wide`, or inside of one."""
    return all(any(_takes(each, member) for each in _union(wide)) for member in _union(narrow))


def _takes(wide: ast.expr, narrow: ast.expr) -> bool:
    name, arguments = _generic(wide)
    if name in ("Any", "object") or ast.unparse(wide) == ast.unparse(narrow):
        return True
    given, inner = _generic(narrow)
    if name is None or given is None or not (name == given or name in WIDER.get(given, ())):
        return False
    return not arguments or (len(arguments) == len(inner) and all(map(_covers, arguments, inner)))


def _generic(annotation: ast.expr) -> tuple[str | None, list[ast.expr]]:
    """Its name and arguments. What is quoted is the type that it quotes, but for a Literal's, which is a text."""
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.value, ast.Name):
        name, inner = annotation.value.id, annotation.slice
        arguments = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
        return name, arguments if name == "Literal" else [_unquoted(each) for each in arguments]
    return annotation.id if isinstance(annotation, ast.Name) else None, []


def _unquoted(annotation: ast.expr) -> ast.expr:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return ast.parse(annotation.value, mode="eval").body
    return annotation


def _union(annotation: ast.expr) -> list[ast.expr]:
    if isinstance(annotation, ast.BinOp):
        return [*_union(annotation.left), *_union(annotation.right)]
    return [annotation]


def _positions(signature: Signature) -> list[str]:
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL)
    return [each.name for each in signature.parameters.values() if each.kind in kinds]


def _parse(text: str) -> Signature:
    """The signature of an entry's text; annotations are syntax trees, defaults text, the answer text."""
    function = ast.parse(f"def method{text}: ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert function.returns is not None
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + given.defaults
    kinds = [Parameter.POSITIONAL_ONLY] * len(given.posonlyargs) + [Parameter.POSITIONAL_OR_KEYWORD] * len(given.args)
    found: list[tuple[ast.arg, Any, ast.expr | None]] = list(zip(positional, kinds, defaults, strict=True))
    found += [(given.vararg, Parameter.VAR_POSITIONAL, None)] if given.vararg else []
    found += [
        (each, Parameter.KEYWORD_ONLY, value) for each, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    found += [(given.kwarg, Parameter.VAR_KEYWORD, None)] if given.kwarg else []
    parameters = [
        Parameter(each.arg, kind, default=ast.unparse(value) if value else Parameter.empty, annotation=each.annotation)
        for each, kind, value in found
    ]
    return Signature(parameters, return_annotation=ast.unparse(function.returns))


class _Words:
    """An annotation or a default as text, shown by `Signature` as it is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _entries(client: type[Any]) -> Iterator[tuple[str, tuple[str, bool]]]:
    """Name, text, and whether it is awaited, of the constructor and of every public member."""
    for name in ("__init__", *(each for each in dir(client) if not each.startswith("_"))):
        member = getattr(client, name)
        if isinstance(member, property) and member.fget:
            yield name, (f": {_type(inspect.signature(member.fget).return_annotation)}", False)
        elif callable(member):
            text, coroutine = _text(member)
            yield name, (text, coroutine or inspect.iscoroutinefunction(member))


def _text(function: Any) -> tuple[str, bool]:
    """The entry's text, and whether the answer's type says that it is awaited."""
    signature = inspect.signature(function)
    spread = _keywords(inspect.unwrap(function))
    parameters: list[Parameter] = []
    for each in list(signature.parameters.values())[1:]:
        if each.kind is each.VAR_KEYWORD and (keywords := _keywords(function)):
            parameters += [
                Parameter(name, Parameter.KEYWORD_ONLY, default=_Words(LEFT_OUT), annotation=_Words(_type(kind)))
                for name, kind in keywords.items()
            ]
            continue
        default = _Words(LEFT_OUT if each.name in spread else _default(each.default))
        parameters.append(
            each.replace(
                annotation=_Words(_type(each.annotation, _aliases(function.__module__))),
                default=each.empty if each.default is each.empty else default,
            )
        )
    answer = _type(signature.return_annotation)
    coroutine = re.fullmatch(r"(?:Coroutine\[Any, Any, |Awaitable\[)(.*)\]", answer)
    shape = Signature(parameters, return_annotation=_Words(coroutine[1] if coroutine else answer))
    return str(shape), coroutine is not None


def _keywords(function: Any) -> dict[str, Any]:
    """Name and type of the keywords of `function` that come from a TypedDict."""
    try:
        signature = inspect.signature(function, eval_str=True)
    except NameError:  # it names what only a type checker imports
        return {}
    for each in signature.parameters.values():
        if each.kind is each.VAR_KEYWORD and get_origin(each.annotation) is Unpack:
            return get_type_hints(get_args(each.annotation)[0])
    return {}


@functools.cache
def _aliases(module: str) -> dict[str, str]:
    """The types that a module imports for type checkers only and that are texts: another name for what they say."""
    found: dict[str, str] = {}
    for block in ast.parse(inspect.getsource(sys.modules[module])).body:
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
            for line in block.body:
                if isinstance(line, ast.ImportFrom) and line.module:
                    source, names = import_module(line.module), [each.name for each in line.names]
                    found |= {name: value for name in names if isinstance(value := getattr(source, name), str)}
    return found


def _default(value: Any) -> str:
    if isinstance(value, enum.Enum):
        return repr(value.value)
    return value.__name__ if callable(value) else repr(value)


class _Bare(ast.NodeTransformer):
    """Names without their module, aliases spelt out, unions with `|`."""

    def __init__(self, aliases: Mapping[str, str]) -> None:
        self.aliases = aliases

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(self.aliases[node.id], mode="eval").body if node.id in self.aliases else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Name(node.attr)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "Optional":
            return ast.BinOp(node.slice, ast.BitOr(), ast.Constant(None))
        if isinstance(node.value, ast.Name) and node.value.id == "Union" and isinstance(node.slice, ast.Tuple):
            return functools.reduce(lambda left, right: ast.BinOp(left, ast.BitOr(), right), node.slice.elts)
        return node


def _type(annotation: Any, aliases: Mapping[str, str] = MappingProxyType({})) -> str:
    """An annotation as text, with `|` for unions and classes without their module."""
    if annotation is Parameter.empty:
        return "Any"
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return ast.unparse(_Bare(aliases).visit(ast.parse(text.replace("~", ""), mode="eval")))


def main() -> int:
    """Write the entries that are new or wider; nothing where one is narrower or gone."""
    now = shown()
    problems = list(lost(snapshot(), now)) if FILE.exists() else []
    if problems:
        print("\n".join(problems))
        return 1
    FILE.write_text(written(now), encoding="utf-8")
    return 0


def lost(before: dict[str, str], now: dict[str, str]) -> Iterator[str]:
    """What callers of `before` can no longer rely on, a line each."""
    for name, text in before.items():
        if name not in now:
            yield f"{name} is gone"
        else:
            yield from (f"{name}: {each}" for each in narrower(text, now[name]))


if __name__ == "__main__":
    sys.exit(main())
