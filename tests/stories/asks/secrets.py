"""The scan for secrets: whoever acts may ask."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking

ASKS = {
    "scan_content": Asking(
        "ao m", lambda _: Ask("/api/security/scan", {"text": "The disk is full.", "destination": "#ops"})
    ),
}
