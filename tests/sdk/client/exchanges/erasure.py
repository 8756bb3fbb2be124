"""Erasures, written down by hand from the wire."""

from __future__ import annotations

from tests.sdk.client import samples
from tests.sdk.client.case import Case

CASES: list[Case] = [
    Case(
        "erase_action",
        "POST",
        "/api/actions/act_0192/erase",
        {"reason": "ticket 7"},
        {
            "org_id": "org_1",
            "action_id": "act_0192",
            "erased_at": samples.NOW,
            "erased_by": "Ada's key",
            "erased_by_key": "key_1",
            "reason": "ticket 7",
            "events": 4,
            "decision_id": "dec_1",
        },
        ("act_0192", "ticket 7"),
    ),
]
