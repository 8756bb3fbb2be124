"""What somebody would miss who cannot see a page, or cannot see it well: found in the page as the browser has it.

`faults(page)` is empty for a page where

- every control, link and picture has an accessible name, by Chromium's own accessibility tree;
- every chart and every table of numbers says in words what it shows;
- headings come in their order, one first heading and no level left out below it;
- nothing is told by its colour alone: what is coloured has words, or is an icon with words beside it;
- every text stands out from what is behind it as WCAG 2.2 AA asks: 4.5 to 1, large text 3 to 1.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

LEAST_WORDS = 20
"""Characters that a chart's or a table's text alternative has at least."""
NAMED = frozenset(
    {
        *("button", "link", "combobox", "textbox", "searchbox", "spinbutton", "checkbox", "radio", "switch", "slider"),
        *("tab", "menuitem", "option", "image", "graphics-document", "DisclosureTriangle", "heading", "dialog"),
    }
)
# Vega's own word for a chart that nobody gave one.
SILENT = ("", "Vega visualization")
LOOK = Path(__file__).with_suffix(".js").read_text(encoding="utf-8").partition("\n")[2]


def faults(page: Page) -> list[str]:
    """What is wrong, one sentence each."""
    return [*unnamed(page), *page.evaluate(LOOK, LEAST_WORDS)]


def unnamed(page: Page) -> list[str]:
    """Controls and pictures without an accessible name, as `button`, with the HTML that they begin with."""
    session = page.context.new_cdp_session(page)
    try:
        found: list[str] = []
        for node in session.send("Accessibility.getFullAXTree")["nodes"]:
            role, name = node["role"]["value"], node.get("name", {}).get("value", "")
            if not node.get("ignored") and role in NAMED and name.strip() in SILENT:
                html = session.send("DOM.getOuterHTML", {"backendNodeId": node["backendDOMNodeId"]})["outerHTML"]
                found.append(f"a {role} without a name: {html[:160]}")
        return found
    finally:
        session.detach()
