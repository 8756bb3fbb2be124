"""`import assent` costs next to nothing, and is the one public door."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import assent

ROOT = Path(__file__).parents[2]


def run(script: str) -> str:
    return subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True).stdout


def test_importing_assent_brings_nothing_heavy_along() -> None:
    script = "import sys; before = set(sys.modules); import assent; new = set(sys.modules) - before; print(*new)"
    loaded = set(run(script).split())
    assert loaded == {"assent"}


def test_the_first_use_of_a_name_brings_it() -> None:
    script = "import sys, assent; assent.Code; print('msgspec' in sys.modules, 'httpx' in sys.modules)"
    assert run(script) == "True False\n"


LOOP = {"actions", "approvals", "assumptions", "claims", "erasure", "externality", "guard", "halt", "inbox", "loops"}
LOOP |= {"outcomes", "questions", "graphs", "traces", "attachments", "message_threads", "messages", "flows"}
"""Modules of the contract's wings that asking, acting, waiting and reporting need."""
WINGS = ("control", "people", "exchange", "evidence", "analysis")
ON_THE_WIRE = {"asyncio", "email", "http.client", "httpcore", "httpx", "socket", "ssl"}
"""What only those need who speak to somebody, or await."""
CLIENT = "import sys; before = set(sys.modules); from assent import Client; print(*set(sys.modules) - before)"


def test_the_client_is_imported_without_the_network_and_without_the_nouns_beside_the_loop() -> None:
    loaded = set(run(CLIENT).split())
    others = {name.partition(".")[0] for name in loaded} - set(sys.stdlib_module_names)
    assert others == {"assent", "msgspec", "typing_extensions"}
    assert loaded & ON_THE_WIRE == set()
    assert {name for name in loaded if name.startswith(("importlib.", "tempfile", "shutil"))} <= {
        "importlib._bootstrap",
        "importlib._bootstrap_external",
        "importlib.machinery",
    }
    inside = [name.split(".") for name in loaded if name.startswith("assent.contract.")]
    assert {path[3] for path in inside if path[2] in WINGS and len(path) > 3} <= LOOP
    assert "assent.contract.operations" not in loaded
    further = {f"assent.client.{name}" for name in ("further", "handoffs", "policies", "data", "proofs", "scoring")}
    assert loaded & further == set()


def test_a_client_that_is_made_has_httpx_and_blocks_without_asyncio() -> None:
    script = "import sys; from assent import Client; Client(); print('httpx' in sys.modules, 'asyncio' in sys.modules)"
    assert run(script) == "True False\n"


GROWING = """
import sys
from assent import AsyncClient, Client
def there(): return "assent.client.further" in sys.modules
print(hasattr(Client, "guard"), hasattr(Client, "_repr_html_"), hasattr(Client(), "__rich__"), there())
{reached}
print(there(), isinstance(Client(), sys.modules["assent.client.handoffs"].HandoffOperations))
"""


@pytest.mark.parametrize(
    "reached",
    [
        "Client().create_handoff",
        "AsyncClient.create_handoff",
        "from unittest.mock import create_autospec; create_autospec(Client).create_handoff('x')",
        "assert 'create_handoff' in dir(Client())",
        "import pydoc; assert 'create_handoff(' in pydoc.plain(pydoc.render_doc(Client))",
        "class Own(Client): ...\nOwn().create_handoff",
    ],
)
def test_the_nouns_beside_the_loop_come_with_the_first_that_is_reached_for(reached: str) -> None:
    assert run(GROWING.format(reached=reached)) == "True False False False\nTrue True\n"


def test_a_name_that_no_noun_has_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match=r"^type object 'Client' has no attribute 'get_handofs'$"):
        _ = assent.Client.get_handofs  # type: ignore[attr-defined]
    with assent.Client() as client, pytest.raises(AttributeError, match=r"^'Client' object has no attribute 'get_ha"):
        _ = client.get_handofs  # type: ignore[attr-defined]


def test_threads_that_reach_for_the_nouns_at_once_all_get_them() -> None:
    script = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from assent import Client
together = Barrier(8)
def reach(name):
    together.wait()
    return getattr(Client, name).__name__
names = ["create_handoff", "get_policies", "get_inbox", "get_learning_velocity"] * 2
with ThreadPoolExecutor(8) as threads:
    print(list(threads.map(reach, names)) == names)
"""
    assert run(script) == "True\n"


def test_every_public_name_is_there_and_nothing_else_is() -> None:
    assert len(set(assent.__all__)) == len(assent.__all__)
    for name in assent.__all__:
        assert getattr(assent, name) is not None
    script = "before = set(globals()); from assent import *; print(*sorted(set(globals()) - before - {'before'}))"
    assert run(script).split() == sorted(assent.__all__)


def test_type_checkers_see_the_names_that_are_there() -> None:
    tree = ast.parse((ROOT / "sdk/assent/__init__.py").read_text())
    seen = {
        (alias.name, node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("assent.")
        for alias in node.names
    }
    assert {name for name, _ in seen} | {"__version__"} == set(assent.__all__)
    for name, module in seen:
        __import__(module)
        assert getattr(assent, name) is getattr(sys.modules[module], name)


def test_every_error_is_public() -> None:
    from assent import errors

    shapes = {n for n, v in vars(errors).items() if isinstance(v, type) and issubclass(v, Exception)}
    assert shapes <= set(assent.__all__)


def test_an_unknown_name_is_named_with_what_there_is() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'Cleint'; it has .*Client"):
        _ = assent.Cleint  # type: ignore[attr-defined]


def test_dir_shows_the_lazy_names() -> None:
    assert set(assent.__all__) <= set(dir(assent))


def test_the_version_is_the_distributions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert assent.__version__ == project["version"]
