"""A state on the wire, written by hand."""

from __future__ import annotations

from tests.sdk.client.case import Case

CASES = [
    Case(
        "sync_state",
        "POST",
        "/api/sync",
        {"agent_id": "agent-7", "goals": [{"title": "Ship it"}, 7]},
        {
            "results": {
                "goals": {
                    "synced": 1,
                    "failed": 1,
                    "errors": [{"index": 1, "code": "invalid_body", "error": "An item is an object."}],
                }
            },
            "total_synced": 1,
            "total_errors": 1,
            "duration_ms": 3,
        },
        ({"goals": [{"title": "Ship it"}, 7]},),
    ),
]
