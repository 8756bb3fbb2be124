"""The pages of the documentation that say what the contract says: docs/api.md and docs/errors.md."""

from assent.contract.openapi_operation import noun, roles
from assent.contract.openapi_problems import MEANING
from assent.contract.operations import ENDPOINTS
from assent.contract.problems import STATUS, Code
from assent.errors import EXCEPTIONS

NOTE = "<!-- Generated from the contract; `make golden` writes it anew. -->"


def reference_pages() -> dict[str, str]:
    """The text of each page, by its path from the top of the repository."""
    return {"docs/api.md": _api(), "docs/errors.md": _errors()}


def _api() -> str:
    lines = [
        "# Operations",
        "",
        NOTE,
        "",
        "Each operation is a method of the same name on `Client` and `AsyncClient`. A running service describes all of",
        "it in full at `/schema` (Swagger UI) and `/schema/openapi.json` (OpenAPI 3.1). The header `x-api-key` carries",
        "the key; its role has to be one of those listed. Errors are in [errors.md](errors.md).",
    ]
    nouns = dict.fromkeys(noun(endpoint) for endpoint in ENDPOINTS)
    for name in nouns:
        lines += ["", f"## {name.capitalize()}", "", "| operation | HTTP | roles | what it does |", "|---|---|---|---|"]
        for endpoint in ENDPOINTS:
            if noun(endpoint) == name:
                places = [f"`{endpoint.method} {path}`" for path in (endpoint.path, *endpoint.also)]
                allowed = "open" if endpoint.roles is None else ", ".join(roles(endpoint))
                cells = [f"`{endpoint.operation}`", "<br>".join(places), allowed, endpoint.summary]
                lines.append(_row(cells))
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
        meaning = MEANING[code]
        cells = [f"`{code}`", str(STATUS[code]), f"`{EXCEPTIONS[code].__name__}`", meaning.when, meaning.remedy]
        lines.append(_row(cells))
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
