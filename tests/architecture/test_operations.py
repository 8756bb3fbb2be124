"""An operation is complete: it has a route, a method in both clients, a test, and a row in the documentation."""

import ast
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from assent.client.client import AsyncClient, Client
from assent.contract import operations
from assent.contract.endpoint import AnyEndpoint, Endpoint
from assent.contract.exchange.kinds import OfKind
from assent_service.exchange.records.records import HANDLERS
from tests.architecture.sources import TOP, modules
from tests.every import every

CONSTANTS = {
    value.operation: name
    for module in operations.MODULES
    for name, value in vars(module).items()
    if isinstance(value, Endpoint)
}
DOCUMENTS = (TOP / "README.md", *sorted((TOP / "docs").rglob("*.md")))


@cache
def routed() -> dict[str, str]:
    """Constants of the contract that some `@serves(CONSTANT)` names, with the module that does."""
    found: dict[str, str] = {}
    for module in modules():
        if module.name.startswith("assent_service."):
            for node in ast.walk(module.tree):
                for decorator in getattr(node, "decorator_list", []):
                    if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", None) == "serves":
                        name = getattr(decorator.args[0], "id", "?")
                        assert name not in found, f"{name} is routed in {found[name]} and in {module.name}"
                        found[name] = module.name
    return found


@cache
def words_of_tests() -> frozenset[str]:
    """Every word of every test, but for the tests that treat all operations alike."""
    alike = ("architecture", "contract", "benchmarks")
    files = [file for file in (TOP / "tests").rglob("*.py") if file.relative_to(TOP / "tests").parts[0] not in alike]
    return frozenset(word for file in files for word in re.findall(r"\w+", file.read_text(encoding="utf-8")))


@cache
def documented() -> frozenset[str]:
    """Operations that begin a row of a table: | `operation` | ..."""
    texts = [file.read_text(encoding="utf-8") for file in DOCUMENTS if file.is_file()]
    return frozenset(name for text in texts for name in re.findall(r"^\| `(\w+)(?:\(.*?\))?` \|", text, re.MULTILINE))


def has_route(endpoint: AnyEndpoint[Any]) -> bool:
    if isinstance(endpoint, OfKind):
        # One handler for each verb serves every kind; whether it does is tested over HTTP, kind by kind.
        return endpoint.verb in HANDLERS
    return CONSTANTS[endpoint.operation] in routed()


def has_method(endpoint: AnyEndpoint[Any]) -> bool:
    return callable(getattr(Client, endpoint.operation, None))


def has_async_method(endpoint: AnyEndpoint[Any]) -> bool:
    return callable(getattr(AsyncClient, endpoint.operation, None))


def has_test(endpoint: AnyEndpoint[Any]) -> bool:
    return bool({endpoint.operation, CONSTANTS[endpoint.operation]} & words_of_tests())


def has_documentation(endpoint: AnyEndpoint[Any]) -> bool:
    return endpoint.operation in documented()


PIECES: dict[str, Callable[[AnyEndpoint[Any]], bool]] = {
    "a route in the service": has_route,
    "a method on Client": has_method,
    "a method on AsyncClient": has_async_method,
    "a test that names it": has_test,
    "a row in README.md or docs": has_documentation,
}


@every("piece", PIECES)
@every("endpoint", operations.ENDPOINTS, ids=lambda endpoint: endpoint.operation)
def test_an_operation_is_complete(endpoint: AnyEndpoint[Any], piece: str) -> None:
    assert PIECES[piece](endpoint), (
        f"{endpoint.operation} has not {piece}; see CONTRIBUTING.md, how to add an operation"
    )


def test_nothing_is_routed_that_the_contract_does_not_list() -> None:
    # The replay link and the metrics are pages; what AuthZEN and Envoy ask is described by their own documents.
    protocols = {
        *("EVALUATION", "EVALUATIONS", "CONFIGURATION", "envoy_check"),
        *("REQUEST_ACCESS", "GET_ACCESS_REQUEST", "CANCEL_ACCESS_REQUEST"),
    }
    assert set(routed()) - set(CONSTANTS.values()) == {"REPLAY", "endpoint"} | protocols
