"""Who may import whom: the table of `layers.py`, held against the source."""

import ast
import sys
from functools import cache

import pytest

from tests.architecture.layers import SHARED, WINGS, Part, nouns, part_of, within
from tests.architecture.sources import Import, Module, imports, module_names, modules
from tests.every import every

STANDARD = sys.stdlib_module_names | {"__future__", "_sha2"}
"""`_sha2` is there from Python 3.12 on."""


def allows(part: Part, module: Module, each: Import) -> bool:
    if each.top in STANDARD:
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


@every("module", modules, ids=lambda module: module.name)
def test_a_module_imports_only_what_its_part_may(module: Module) -> None:
    part = part_of(module.name)
    wrong = [
        f"{module.place}:{each.line}: {part.name} may not import {each.module}{'' if each.lazy else ' at the top'}"
        for each in imports(module)
        if not allows(part, module, each)
    ]
    assert not wrong, "\n".join(wrong)


@every("module", modules, ids=lambda module: module.name)
def test_imports_are_absolute(module: Module) -> None:
    relative = [f"{module.place}:{each.line}: {each.module}" for each in imports(module) if each.module.startswith(".")]
    assert not relative, "\n".join(relative)


@every("module", modules, ids=lambda module: module.name)
def test_a_module_leaves_the_shared_random_generator_alone(module: Module) -> None:
    """It belongs to the program that a client is part of: who seeds it, or watches it, finds it unmoved."""
    wrong = [
        f"{module.place}:{each.line}: from random import Random or SystemRandom, and make one"
        for each in imports(module)
        if each.module == "random" and each.name not in ("Random", "SystemRandom")
    ]
    assert not wrong, "\n".join(wrong)


# Inside the service


def wing_of(name: str, package: str) -> str | None:
    """The wing of `package` that a module is in."""
    if not within(name, package) or name == package:
        return None
    first = name.removeprefix(package + ".").partition(".")[0]
    return first if first in WINGS else None


@pytest.mark.parametrize("package", ["assent_service", "assent.contract"])
def test_imports_between_wings_run_one_way(package: str) -> None:
    wrong = []
    for module in modules():
        own = wing_of(module.name, package)
        if own is None:
            continue
        for each in imports(module):
            target = f"{each.module}.{each.name}" if each.module == package else each.module
            wing = wing_of(target, package)
            if wing is not None and wing not in (own, *WINGS[own]):
                wrong.append(f"{module.place}:{each.line}: {own} may not stand on {wing}: {target}")
    assert not wrong, "\n".join(wrong)


def test_every_noun_is_in_a_wing_or_runs_the_service() -> None:
    beside = {noun.rpartition(".")[2] for noun in nouns() if noun.count(".") == 1}
    assert beside == {"documentation", "health", "telemetry"}


def test_the_wings_of_the_contract_hold_the_nouns_of_the_service() -> None:
    names = module_names()
    elsewhere = {
        noun: f"assent.contract.{noun.removeprefix('assent_service.')}"
        for noun in nouns()
        if noun.count(".") == 2 and f"assent.contract.{noun.removeprefix('assent_service.')}" not in names
    }
    # Kept in `contract.events`, since every wing names events; a simulated workspace has no endpoint.
    assert set(elsewhere) == {"assent_service.evidence.events", "assent_service.analysis.simulation"}


@cache
def noun_of(name: str) -> str | None:
    return next((noun for noun in nouns() if within(name, noun)), None)


@cache
def public_names(package: str) -> set[str]:
    """What `__all__` of a noun lists."""
    tree = next(module.tree for module in modules() if module.name == package)
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return set(ast.literal_eval(node.value))
    return set()


def targets(each: Import) -> list[str]:
    """What an import inside the service leads to: `from assent_service import guard` leads to the noun."""
    if each.module == "assent_service" or wing_of(each.module, "assent_service") == each.module.rpartition(".")[2]:
        return [f"{each.module}.{each.name}"] if each.name else [each.module]
    return [each.module] if each.top == "assent_service" else []


@every("module", lambda: [m for m in modules() if noun_of(m.name)], ids=lambda module: module.name)
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
    "module",
    lambda: [m for m in modules() if any(within(m.name, shared) for shared in SHARED)],
    ids=lambda module: module.name,
)
def test_what_is_shared_stands_on_what_is_below_it(module: Module) -> None:
    own = next(at for at, shared in enumerate(SHARED) if within(module.name, shared))
    reached = {target for each in imports(module) for target in targets(each)}
    wrong = {target for target in reached if not any(within(target, shared) for shared in SHARED[: own + 1])}
    assert not wrong, f"{module.place} may not stand on {', '.join(sorted(wrong))}"


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


@every("module", modules, ids=lambda module: module.name)
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
        ("assent.contract.control.guard", Import("httpx", "Client", False, 1), False, False),
        ("assent.contract.control.guard", Import("assent.client.guard", "x", True, 1), True, False),
        ("assent.contract.control.guard", Import("assent.contract.roles", "Role", False, 1), False, True),
        ("assent.client.guard", Import("assent_service.control.guard", "Guard", True, 1), True, False),
        ("assent.client.guard", Import("assent", "Client", False, 1), False, False),
        ("assent.client.guard", Import("assent", "__version__", False, 1), False, True),
        ("assent.cli.serve", Import("assent_service.serve", "serve", False, 1), False, False),
        ("assent.cli.serve", Import("assent_service.serve", "serve", True, 1), True, True),
        ("assent.data.frames", Import("polars", None, False, 1), False, False),
        ("assent.data.frames", Import("polars", None, True, 1), True, True),
        ("assent.hooks.pre_tool", Import("msgspec", None, True, 1), True, False),
        ("assent.mcp.server", Import("mcp.server.lowlevel", "Server", False, 1), False, True),
        ("assent.cli.mcp", Import("mcp.server.lowlevel", "Server", True, 1), True, False),
        ("assent_service.control.guard.guard", Import("assent.client.client", "Client", False, 1), False, False),
        ("assent_service.control.guard.guard", Import("assent", "Client", False, 1), False, False),
        ("assent_service.control.guard.guard", Import("streamlit", None, True, 1), True, False),
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
