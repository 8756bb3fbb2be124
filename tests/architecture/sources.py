"""The repository's source as the architecture tests see it: files, module names, imports."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TOP = Path(__file__).parents[2]
PACKAGES = {
    "assent": TOP / "sdk" / "assent",
    "assent_service": TOP / "service" / "assent_service",
    "assent_analytics": TOP / "analytics" / "assent_analytics",
    "assent_dashboard": TOP / "dashboard" / "assent_dashboard",
}
NOT_OURS = {".git", ".venv", ".assent", "__pycache__", "dist", "node_modules", "site"}
"""Folders that hold nothing we wrote; those of caches begin with a dot and end with `cache`."""


@dataclass(frozen=True)
class Import:
    """`module` is what is imported from, `name` what of it (None for `import module`). `lazy`: inside a function, or
    for type checkers alone."""

    module: str
    name: str | None
    lazy: bool
    line: int

    @property
    def top(self) -> str:
        return self.module.partition(".")[0]


@dataclass(frozen=True)
class Module:
    """`name` is the dotted one; a package goes by its own name, not by `__init__`."""

    name: str
    file: Path
    tree: ast.Module

    @property
    def place(self) -> str:
        return str(self.file.relative_to(TOP))


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the four packages."""
    found = []
    for package, folder in PACKAGES.items():
        for file in sorted(folder.rglob("*.py")):
            parts = file.relative_to(folder).with_suffix("").parts
            name = ".".join([package, *(part for part in parts if part != "__init__")])
            found.append(Module(name, file, ast.parse(file.read_text(encoding="utf-8"), str(file))))
    return tuple(found)


@cache
def module_names() -> frozenset[str]:
    return frozenset(module.name for module in modules())


@cache
def imports(module: Module) -> tuple[Import, ...]:
    return tuple(_imports(module.tree, lazy=False))


def written_files(folder: Path = TOP) -> Iterator[Path]:
    """Every file that somebody wrote, tests and documentation included."""
    for path in sorted(folder.iterdir()):
        cache_folder = path.name.startswith(".") and path.name.endswith("cache")
        if path.name in NOT_OURS or cache_folder or path.name in (".hypothesis",) or path.name.endswith(".egg-info"):
            continue
        if path.is_dir():
            yield from written_files(path)
        elif path.is_file():
            yield path


def _imports(node: ast.AST, *, lazy: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(each.name, None, lazy, child.lineno) for each in child.names)
        elif isinstance(child, ast.ImportFrom):
            module = "." * child.level + (child.module or "")
            yield from (Import(module, each.name, lazy, child.lineno) for each in child.names)
        else:
            deferred = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) or _for_type_checkers(child)
            yield from _imports(child, lazy=lazy or deferred)


def _for_type_checkers(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
