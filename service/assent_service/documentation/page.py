"""The page that shows Swagger UI, and what a browser may do on it.

People type API keys into this page. So it runs no script but the two served beside it, speaks to this service alone,
and cannot be framed. Swagger UI's style sheet carries its icons as `data:` images, which leave the machine no more
than the sheet itself does. The badge that would send the document to a validator elsewhere is off.
"""

from __future__ import annotations

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
