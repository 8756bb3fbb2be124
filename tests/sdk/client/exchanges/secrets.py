"""The scan for secrets: what is sent and answered."""

from __future__ import annotations

from typing import Any

from tests.sdk.client.case import Case

SCAN: dict[str, Any] = {
    "clean": False,
    "findings_count": 1,
    "critical_count": 1,
    "categories": ["credentials"],
    "findings": [
        {
            "pattern": "password",
            "category": "credentials",
            "severity": "critical",
            "matched": "(7 characters)",
            "position": 9,
            "end": 16,
        }
    ],
    "redacted_text": "password=[REDACTED:password]",
    "destination": "#ops",
    "scan_id": None,
}
TEXT = "password=" + "hunter" + "2"
EXCHANGES = {"text": TEXT, "agent_id": "agent-7"}

CASES: list[Case] = [
    Case("scan_content", "POST", "/api/security/scan", EXCHANGES, SCAN, (TEXT,)),
    Case(
        "scan_content",
        "POST",
        "/api/security/scan",
        {"text": TEXT, "destination": "#ops", "agent_id": "other", "store": True},
        SCAN,
        (TEXT, "#ops"),
        {"agent_id": "other", "store": True},
        same=" with all of it",
    ),
    Case(
        "report_security_finding",
        "POST",
        "/api/security/scan",
        {**EXCHANGES, "destination": "#ops", "store": True},
        {**SCAN, "scan_id": "sec_1"},
        (TEXT, "#ops"),
        of="scan_content",
    ),
]
