"""A page outside Streamlit that says one thing: why an address leads no further, and where to go instead."""

from __future__ import annotations

from html import escape
from string import Template

from starlette.responses import HTMLResponse

from assent_dashboard.sign_in import HEADERS


def plain_page(title: str, heading: str, content: str, status: int) -> HTMLResponse:
    """`content` is HTML."""
    filled = Template(PAGE).substitute(title=escape(title), heading=escape(heading), content=content)
    return HTMLResponse(filled, status, HEADERS)


PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title - Assent</title>
<style>
  :root { color-scheme: light dark; }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; box-sizing: border-box;
         font: 16px/1.5 system-ui, sans-serif; }
  main { width: min(32rem, 100%); overflow-wrap: anywhere; }
  h1 { font-size: 1.5rem; }
  h2 { font-size: 1rem; margin: 1rem 0 0; }
  ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
  li a { display: inline-block; padding: .5rem 0; }
</style>
</head>
<body>
<main>
  <h1>$heading</h1>
  $content
</main>
</body>
</html>
"""
