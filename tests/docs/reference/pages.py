"""The pages of docs/reference that are written from the code, beside those of the contract."""

from __future__ import annotations

from tests.docs.reference.client import client_page
from tests.docs.reference.command_line import command_line_page
from tests.docs.reference.policies import policies_page
from tests.docs.reference.settings import settings_page
from tests.docs.reference.tables import events_page, tables_page

FOLDER = "docs/reference"
PAGES = {
    "client": client_page,
    "command-line": command_line_page,
    "events": events_page,
    "policies": policies_page,
    "settings": settings_page,
    "tables": tables_page,
}


def code_pages() -> dict[str, str]:
    """The text of each page, by its path from the top of the repository."""
    return {f"{FOLDER}/{name}.md": page() for name, page in PAGES.items()}
