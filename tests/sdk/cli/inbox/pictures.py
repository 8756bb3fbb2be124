"""Pictures of the inbox for the README, as SVG: `take_all(base_url, key, folder)` beside a running service.

python -m tests.sdk.cli.inbox.pictures BASE_URL KEY FOLDER
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

from textual.widgets import TextArea

from assent.cli.inbox.inbox_client import InboxClient, follow_stream
from assent.cli.inbox.screen import Inbox
from assent.cli.session import Connection, make_client

SIZES = {"inbox-dark": (110, 30), "inbox-light": (110, 30), "inbox-narrow": (60, 24)}
FONTS = re.compile(r"@font-face\s*\{.*?\}", re.DOTALL)
"""Textual's pictures ask another machine for their font; the reader's own will do."""


async def picture(
    base_url: str, key: str, size: tuple[int, int] = (110, 30), *, light: bool = False, deny: str = ""
) -> str:
    """The inbox as it is just now, as SVG; `deny` are words for its dialog. Nothing is decided."""
    connection = Connection(base_url=base_url, api_key=key)
    with make_client(connection) as client:
        inbox_client = InboxClient(client)
        inbox = Inbox(
            inbox_client, inbox_client.listing(), follow_stream(connection), lambda name: f"{base_url}/replay/{name}"
        )
        async with inbox.run_test(size=size) as pilot:
            inbox.theme = "textual-light" if light else "textual-dark"
            await pilot.press("j")
            await pilot.pause(2.0)
            if deny:
                await pilot.press("d")
                await pilot.pause(0.3)
                inbox.screen.query_one(TextArea).insert(deny)
                await pilot.pause(0.3)
            return FONTS.sub("", inbox.export_screenshot(title="assent approvals"))


def take_all(base_url: str, key: str, folder: Path) -> None:
    """Every picture of the inbox, into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, size in SIZES.items():
        svg = asyncio.run(picture(base_url, key, size, light=name.endswith("light")))
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")
    svg = asyncio.run(picture(base_url, key, deny="Not without the rollback plan."))
    (folder / "inbox-deny.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    take_all(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
