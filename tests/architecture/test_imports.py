"""Who may import whom: the table of the design, read from the source.

A module may always import the standard library and its own part. `assent.errors` and `assent.settings` are parts of
their own beside the folders of the SDK; `assent` itself is the public door, from which the inside takes `__version__`
and the command line whatever it needs. msgspec comes with the contract, whose structs are made of it.
"""

import ast
import sys
from dataclasses import dataclass, field
from functools import cache

import pytest

from tests.architecture.sources import Import, Module, imports, module_names, modules
from tests.every import every

CONTRACT = ("assent.contract", "msgspec")


@dataclass(frozen=True)
class Part:
    """What `name` and everything below it may import, at any time and only lazily."""

    name: str
    allowed: tuple[str, ...] = ()
    lazily: tuple[str, ...] = ()
    door: tuple[str, ...] = field(default=())
    """Names that may be taken from `assent` itself."""


CLIENT_STACK = ("assent.client", "assent.errors", "assent.settings", "assent.pcaa", *CONTRACT)

# The most specific part counts.
PARTS = (
    Part("assent", lazily=("assent",)),
    Part("assent.contract", ("msgspec",)),
    Part("assent.errors", CONTRACT),
    Part("assent.settings"),
    Part("assent.deciding", CLIENT_STACK),
    Part("assent.proof", (*CONTRACT, "cryptography", "assent.pcaa"), lazily=("re2",)),
    Part("assent.pcaa", CONTRACT),
    # Read by who has the extra of the service or of the dashboard.
    Part("assent.packs", (*CONTRACT, "yaml")),
    Part("assent.client", (*CLIENT_STACK, "assent.proof", "httpx", "assent.secrets"), door=("__version__",)),
    Part("assent.client.data", (*CLIENT_STACK, "httpx"), lazily=("polars", "pyarrow")),
    # A method of the client that begins in a folder which knows the client.
    Part("assent.client.workspace", CLIENT_STACK, lazily=("assent.data",)),
    Part(
        "assent.data",
        (*CLIENT_STACK,),
        lazily=("polars", "duckdb", "yaml", "httpx"),
        door=("Client", "AsyncClient"),
    ),
    Part(
        "assent.cli",
        (*CLIENT_STACK, "assent.data", "assent.deciding", "assent.proof", "assent.hooks", "assent.secrets", "typer"),
        lazily=("assent_service", "assent_dashboard", "assent_analytics.injection", "textual", "httpx", "rich"),
        door=("Client", "AsyncClient", "__version__"),
    ),
    # The full-screen inbox is made of Textual; the commands bring it when it is opened.
    Part(
        "assent.cli.inbox",
        ("assent.cli", "assent.deciding", *CLIENT_STACK, "textual"),
        door=("Client",),
    ),
    # What secrets look like, for whatever is shown, sent or stored.
    Part("assent.secrets"),
    # A process of its own for every tool call.
    Part("assent.hooks", ("assent.secrets",)),
    # The MCP server, made of the official package; the command brings it.
    Part("assent.mcp", (*CLIENT_STACK, "mcp", "mcp_types", "anyio"), door=("AsyncClient", "__version__")),
    # Any callable, and the frameworks' tools: on the client, with the hooks' table.
    Part("assent.governing", (*CLIENT_STACK, "assent.hooks", "assent.proof", "assent.secrets")),
    Part("assent.adapters", (*CLIENT_STACK, "assent.governing")),
    Part("assent_analytics", (*CONTRACT, "polars", "duckdb", "numpy")),
    Part("assent_analytics.injection", ("assent_analytics.injection", "re2")),
    Part("assent_analytics.charts", (*CONTRACT, "polars", "duckdb", "assent_analytics", "altair")),
    Part(
        "assent_service",
        (
            *CONTRACT,
            "assent.proof",
            "assent.pcaa",
            "assent.packs",
            "assent.secrets",
            "assent_analytics",
            # What runs it, what keeps its rows, what reads policies, and what calls webhooks.
            *("litestar", "uvicorn", "uvloop", "duckdb", "polars", "pyarrow", "re2", "yaml", "httpx", "cryptography"),
        ),
        door=("__version__",),
    ),
    Part("assent_service.telemetry", ("assent_service", *CONTRACT, "litestar", "prometheus_client")),
    # These two run in the exporter's process; the service never has OpenTelemetry in it.
    Part("assent_service.telemetry.otlp", ("assent_service", "opentelemetry")),
    Part("assent_service.telemetry.exporter", ("assent_service", "msgspec", "opentelemetry")),
    Part(
        "assent_dashboard",
        # Streamlit runs on Starlette and uvicorn; the sign-in is a page of theirs.
        ("assent", "msgspec", "assent_analytics", "streamlit", "altair", "polars", "starlette", "uvicorn"),
    ),
)


def part_of(name: str) -> Part:
    """The most specific part that a module belongs to."""
    return max((part for part in PARTS if within(name, part.name)), key=lambda part: len(part.name))


def within(name: str, part: str) -> bool:
    return name == part or name.startswith(part + ".")


def allows(part: Part, module: Module, each: Import) -> bool:
    if each.top in sys.stdlib_module_names or each.top == "__future__":
        return True
    if each.module == "assent" and part.name not in ("assent", "assent_dashboard"):
        # `from assent import contract` names a module, `from assent import Client` a public name.
        inside = f"assent.{each.name}"
        return each.name in part.door or (inside in module_names() and reaches(part, inside, each.lazy))
    return reaches(part, each.module, each.lazy)


def reaches(part: Part, target: str, lazy: bool) -> bool:
    reachable = (*part.allowed, *(part.lazily if lazy else ()))
    own = part.name != "assent" and within(target, part.name)
    return own or any(within(target, other) for other in reachable)


@every("module", modules(), ids=lambda module: module.name)
def test_a_module_imports_only_what_its_part_may(module: Module) -> None:
    part = part_of(module.name)
    wrong = [
        f"{module.place}:{each.line}: {part.name} may not import {each.module}{'' if each.lazy else ' at the top'}"
        for each in imports(module)
        if not allows(part, module, each)
    ]
    assert not wrong, "\n".join(wrong)


@every("module", modules(), ids=lambda module: module.name)
def test_imports_are_absolute(module: Module) -> None:
    relative = [f"{module.place}:{each.line}: {each.module}" for each in imports(module) if each.module.startswith(".")]
    assert not relative, "\n".join(relative)


# Inside the service

SHARED = ("assent_service.core", "assent_service.store")


@cache
def nouns() -> set[str]:
    """The packages of the service that are neither shared nor the service itself."""
    packages = {m.name for m in modules() if m.file.name == "__init__.py" and m.name.count(".") == 1}
    return {name for name in packages if name.startswith("assent_service.")} - set(SHARED)


@cache
def noun_of(name: str) -> str | None:
    return next((noun for noun in nouns() if within(name, noun)), None)


@cache
def public_names(package: str) -> set[str]:
    """What `__all__` of a package lists."""
    tree = next(module.tree for module in modules() if module.name == package)
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return set(ast.literal_eval(node.value))
    return set()


def targets(each: Import) -> list[str]:
    """What an import inside the service leads to: `from assent_service import guard` leads to the noun."""
    if each.module == "assent_service":
        return [f"assent_service.{each.name}"] if each.name else ["assent_service"]
    return [each.module] if each.top == "assent_service" else []


@every("module", [m for m in modules() if noun_of(m.name)], ids=lambda module: module.name)
def test_a_noun_imports_itself_what_is_shared_and_the_doors_of_others(module: Module) -> None:
    own, wrong = noun_of(module.name), []
    for each in imports(module):
        for target in targets(each):
            other = noun_of(target)
            if other == own or any(within(target, shared) for shared in SHARED):
                continue
            if other is None:
                wrong.append(f"{module.place}:{each.line}: {target} is neither shared nor a noun")
            elif target != other:
                wrong.append(f"{module.place}:{each.line}: {target} is the inside of {other}")
            elif each.module == other and each.name not in public_names(other):
                wrong.append(f"{module.place}:{each.line}: {other} does not list {each.name} in __all__")
    assert not wrong, "\n".join(wrong)


@every(
    "module", [m for m in modules() if any(within(m.name, shared) for shared in SHARED)], ids=lambda module: module.name
)
def test_what_is_shared_knows_no_noun(module: Module) -> None:
    known = [target for each in imports(module) for target in targets(each) if noun_of(target)]
    assert not known, f"{module.place} imports {', '.join(known)}"


def test_nouns_do_not_go_in_circles() -> None:
    below: dict[str, set[str]] = {noun: set() for noun in nouns()}
    for module in modules():
        own = noun_of(module.name)
        if own is not None:
            found = {noun_of(target) for each in imports(module) if not each.lazy for target in targets(each)}
            below[own] |= {other for other in found if other is not None and other != own}
    while below:
        leaves = {noun for noun, others in below.items() if not others & below.keys()}
        assert leaves, f"these nouns import each other in a circle: {', '.join(sorted(below))}"
        below = {noun: others for noun, others in below.items() if noun not in leaves}


def test_only_the_store_knows_the_database() -> None:
    wrong = [
        f"{module.place}:{each.line}"
        for module in modules()
        if within(module.name, "assent_service") and not within(module.name, "assent_service.store")
        for each in imports(module)
        if each.top == "duckdb"
    ]
    assert not wrong, "\n".join(wrong)


# Private names

OURS = ("assent", "assent_service", "assent_analytics", "assent_dashboard")


def private(name: str | None) -> bool:
    return name is not None and name.startswith("_") and not name.startswith("__")


@every("module", modules(), ids=lambda module: module.name)
def test_nobody_imports_a_private_name_of_another_module(module: Module) -> None:
    wrong = [
        f"{module.place}:{each.line}: {each.module} {each.name or ''}"
        for each in imports(module)
        if each.top in OURS and (private(each.name) or any(private(part) for part in each.module.split(".")))
    ]
    wrong += [
        f"{module.place}:{node.lineno}: {node.value.id}.{node.attr}"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if private(node.attr) and node.value.id in imported_modules(module)
    ]
    assert not wrong, "\n".join(wrong)


@cache
def imported_modules(module: Module) -> set[str]:
    """The local names under which a module holds other modules of ours."""
    found = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom):
            found |= {a.asname or a.name for a in node.names if f"{node.module}.{a.name}" in module_names()}
        elif isinstance(node, ast.Import):
            found |= {a.asname or a.name for a in node.names if a.name.partition(".")[0] in OURS}
    return found


# The rules themselves


@pytest.mark.parametrize(
    ("importer", "imported", "lazy", "allowed"),
    [
        ("assent.contract.guard", Import("httpx", "Client", False, 1), False, False),
        ("assent.contract.guard", Import("assent.client.guard", "x", True, 1), True, False),
        ("assent.contract.guard", Import("assent.contract.roles", "Role", False, 1), False, True),
        ("assent.client.guard", Import("assent_service.guard", "Guard", True, 1), True, False),
        ("assent.client.guard", Import("assent", "Client", False, 1), False, False),
        ("assent.client.guard", Import("assent", "__version__", False, 1), False, True),
        ("assent.cli.serving", Import("assent_service.serve", "serve", False, 1), False, False),
        ("assent.cli.serving", Import("assent_service.serve", "serve", True, 1), True, True),
        ("assent.data.frames", Import("polars", None, False, 1), False, False),
        ("assent.data.frames", Import("polars", None, True, 1), True, True),
        ("assent.hooks.pre_tool", Import("msgspec", None, True, 1), True, False),
        ("assent.mcp.server", Import("mcp.server.lowlevel", "Server", False, 1), False, True),
        ("assent.cli.mcp", Import("mcp.server.lowlevel", "Server", True, 1), True, False),
        ("assent_service.guard.guard", Import("assent.client.client", "Client", False, 1), False, False),
        ("assent_service.guard.guard", Import("assent", "Client", False, 1), False, False),
        ("assent_service.guard.guard", Import("streamlit", None, True, 1), True, False),
        ("assent_analytics.drift", Import("altair", None, False, 1), False, False),
        ("assent_analytics.charts", Import("altair", None, False, 1), False, True),
        ("assent_dashboard.views.approvals.page", Import("assent", "Client", False, 1), False, True),
        ("assent_dashboard.views.approvals.page", Import("duckdb", None, True, 1), True, False),
    ],
)
def test_the_table_says_so(importer: str, imported: Import, lazy: bool, allowed: bool) -> None:
    module = modules()[0]
    assert imported.lazy is lazy
    assert allows(part_of(importer), module, imported) is allowed
