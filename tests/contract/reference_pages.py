"""The pages of the documentation that say what the contract says: docs/reference/{api,authorization,errors}.md."""

import inspect
import sys
from typing import Any

from assent.contract.endpoint import AnyEndpoint
from assent.contract.openapi import shapes
from assent.contract.openapi_operation import noun, roles, wing
from assent.contract.operations import ENDPOINTS
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent.errors import (
    EXCEPTIONS,
    ConnectionFailed,
    InheritedConnections,
    NoFreeConnection,
    OutcomeLost,
    OutcomeSpooled,
    UnboundAnswer,
)
from tests.contract.request_members import request_table, shape_sections

WITHOUT_CODE = (
    ConnectionFailed,
    OutcomeSpooled,
    OutcomeLost,
    NoFreeConnection,
    UnboundAnswer,
    InheritedConnections,
)
"""What comes from no answer of the service."""
NOTE = "<!-- Generated from the contract; `make golden` writes it anew. -->"


def reference_pages() -> dict[str, str]:
    """The text of each page, by its path from the top of the repository."""
    pages = {"api": _api(), "authorization": _authorization(), "errors": _errors()}
    return {f"docs/reference/{name}.md": text for name, text in pages.items()}


def _api() -> str:
    lines = [
        "# Operations",
        "",
        NOTE,
        "",
        "Each operation is a method of the same name on `Client` and `AsyncClient`. A running service describes all of",
        "it in full at `/schema` (Swagger UI) and `/schema/openapi.json` (OpenAPI 3.1). The header `x-api-key` carries",
        "the key; its role has to be one of those listed, and [authorization.md](authorization.md) shows them as one",
        "table. Errors are in [errors.md](errors.md).",
        "",
        "Under each noun stands what its operations take: where a member goes, its type, whether it has to be there",
        "(or what it is otherwise), and what it means. `1..128` are the least and the most: of a number, of the",
        "characters of a text, of the items of a list; between slashes is a regular expression. `null` says the same",
        "as leaving a member out. An `Id` is 1 to 128 letters, digits and `_.:-`. The shapes that members are made of",
        "stand at the [end](#shapes-within-requests).",
    ]
    schemas = shapes(ENDPOINTS)
    wings: dict[str, dict[str, list[AnyEndpoint[Any]]]] = {}
    for endpoint in ENDPOINTS:
        wings.setdefault(wing(endpoint), {}).setdefault(noun(endpoint), []).append(endpoint)
    for title, nouns in wings.items():
        module = sys.modules.get(f"assent.contract.{title}")
        about = inspect.getdoc(module) if module else "What runs here, and what it records as it happens."
        lines += ["", f"## {title.capitalize()}", "", about or ""]
        for name, endpoints in nouns.items():
            lines += [
                "",
                f"### {name.capitalize()}",
                "",
                "| operation | HTTP | roles | what it does |",
                "|---|---|---|---|",
            ]
            for endpoint in endpoints:
                places = [f"`{endpoint.method} {path}`" for path in (endpoint.path, *endpoint.also)]
                allowed = "open" if endpoint.roles is None else ", ".join(roles(endpoint))
                cells = [f"`{endpoint.operation}`", "<br>".join(places), allowed, endpoint.summary]
                lines.append(_row(cells))
            for endpoint in endpoints:
                if taken := request_table(endpoint, schemas):
                    lines += ["", *taken]
    lines += [
        "",
        "## Shapes within requests",
        *shape_sections(ENDPOINTS, schemas),
    ]
    return "\n".join(lines) + "\n"


def _authorization() -> str:
    lines = [
        "# Who may do what",
        "",
        NOTE,
        "",
        "A key has one role. It reaches its own organization alone: an id of another one answers 404, like one that",
        "was never given out; only an admin of the first organization also makes and lists the others. A key that is",
        "bound to an agent speaks for that agent only; with the role agent it also sees that agent's rows only, beside",
        "what all agents of the organization share. Where the table has no `yes`, the answer is 403 `forbidden`; what",
        "is open needs no key.",
        "",
        f"| operation | {' | '.join(Role)} |",
        "|---|" + ":-:|" * len(Role),
    ]
    for endpoint in ENDPOINTS:
        if endpoint.roles is None:
            cells = ["open" for _ in Role]
        else:
            cells = ["yes" if role in endpoint.roles else "" for role in Role]
        lines.append(_row([f"`{endpoint.operation}`", *cells]))
    lines += [
        "",
        "Beside the contract: `GET /schema` and what it loads and `GET /replay/{action_id}` are open and tell nothing",
        "of what is recorded. `GET /metrics` counts what all organizations do: with the setting `metrics` at `key` it",
        "takes the key of an auditor or an admin of the first organization, at `open` none, at `off` it is not there.",
    ]
    return "\n".join(lines) + "\n"


def _errors() -> str:
    lines = [
        "# Errors",
        "",
        NOTE,
        "",
        "Every error is a problem document (RFC 9457, `application/problem+json`). Branch on `code`: once published,",
        "it keeps its meaning. `detail` says what was wrong with this request, `errors` names each wrong member and",
        "its place. `error` and `details` say the same to clients of the published wire.",
        "",
        "| code | status | in the SDK | when | what to do |",
        "|---|---|---|---|---|",
    ]
    for code in Code:
        cells = [f"`{code}`", str(code.status), f"`{EXCEPTIONS[code].__name__}`", code.when, code.remedy]
        lines.append(_row(cells))
    lines += [
        "",
        "## Errors of the client, which have no code",
        "",
        "The service did not answer, or what came could not be used. All but the last are a `ConnectionFailed`; the",
        "message of each says what to do.",
        "",
    ]
    for shape in WITHOUT_CODE:
        lines.append(f"- `{shape.__name__}`: {' '.join((inspect.getdoc(shape) or '').split())}")
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
