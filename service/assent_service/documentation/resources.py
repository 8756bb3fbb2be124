"""The files served under /schema: the OpenAPI document and Swagger UI as bytes, a media type and an entity tag for each
path.

Swagger UI comes from the package swagger-ui-py, which carries it as files. Only its folder is looked up: importing
the package would load a template engine that nothing here needs.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import msgspec

from assent.contract.openapi import document
from assent.contract.operations import ENDPOINTS
from assent.extras import to_install

# The page that shows Swagger UI, and what a browser may do on it.
#
# People type API keys into this page. So it runs no script but the two served beside it, speaks to this service alone,
# and cannot be framed. Swagger UI's style sheet carries its icons as `data:` images, which leave the machine no more
# than the sheet itself does. The badge that would send the document to a validator elsewhere is off.


ROOT = "/schema"
DOCUMENT_PATH = f"{ROOT}/openapi.json"
START_PATH = f"{ROOT}/start.js"

SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)

PAGE = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Assent: the API</title>
<link rel="stylesheet" href="{ROOT}/swagger-ui.css">
<link rel="icon" type="image/png" href="{ROOT}/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<noscript>This page needs JavaScript; the document is at <a href="{DOCUMENT_PATH}">{DOCUMENT_PATH}</a>.</noscript>
<script src="{ROOT}/swagger-ui-bundle.js"></script>
<script src="{START_PATH}"></script>
</body>
</html>
"""

START = f"""SwaggerUIBundle({{
  url: "{DOCUMENT_PATH}",
  dom_id: "#swagger-ui",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  persistAuthorization: false
}});
"""


PACKAGE = "swagger_ui"
FILES = {
    "swagger-ui.css": "text/css; charset=utf-8",
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "favicon-32x32.png": "image/png",
}
"""The files of Swagger UI that the page loads, with their media types."""


class SwaggerUiMissing(RuntimeError):
    """The package that carries Swagger UI is not installed, or does not carry it any more."""


@dataclass(frozen=True)
class Resource:
    """`tag` is the quoted entity tag of `content` (RFC 9110, section 8.8.3)."""

    content: bytes
    media_type: str
    tag: str


PATHS = (ROOT, START_PATH, DOCUMENT_PATH, *(f"{ROOT}/{name}" for name in FILES))
"""Of everything there is."""


@cache
def resources(version: str) -> dict[str, Resource]:
    """Everything there is, by path; made once, which takes some tenths of a second. Raises SwaggerUiMissing."""
    folder = swagger_ui_folder()
    found = {
        ROOT: _resource(PAGE.encode(), "text/html; charset=utf-8"),
        START_PATH: _resource(START.encode(), "text/javascript; charset=utf-8"),
        DOCUMENT_PATH: _resource(msgspec.json.encode(document(ENDPOINTS, version)), "application/json"),
    }
    for name, media_type in FILES.items():
        found[f"{ROOT}/{name}"] = _resource((folder / name).read_bytes(), media_type)
    return found


def swagger_ui_folder() -> Path:
    """Where Swagger UI's files are. Raises SwaggerUiMissing."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise SwaggerUiMissing(f"Swagger UI is not installed; run: {to_install('service')}")
    folder = Path(spec.submodule_search_locations[0]) / "static"
    absent = [name for name in FILES if not (folder / name).is_file()]
    if absent:
        raise SwaggerUiMissing(
            f"the installed swagger-ui-py has no {', '.join(absent)}; take it out and run: {to_install('service')}"
        )
    return folder


def _resource(content: bytes, media_type: str) -> Resource:
    return Resource(content, media_type, f'"{hashlib.sha256(content).hexdigest()[:32]}"')
