"""Approvals with their actions, on the wire, written by hand."""

from __future__ import annotations

from tests.sdk.client import samples
from tests.sdk.client.case import Case

APPROVALS = {
    "approvals": [
        {
            "action": samples.action("pending_approval"),
            "approval": samples.approval("awaiting"),
            "context_digest": "sha256:" + 64 * "a",
        }
    ],
    "total": 3,
    "lastUpdated": samples.NOW,
    "next_cursor": "a/b+=",
}

CASES = [
    Case("get_approvals", "GET", "/api/approvals", answer=APPROVALS),
    Case(
        "get_approvals",
        "GET",
        "/api/approvals?exclude_state=awaiting&agent_id=a%26b&action_type=deploy&days=7&limit=5&cursor=a%2Fb%2B%3D",
        answer=APPROVALS,
        kwargs={
            "exclude_state": "awaiting",
            "agent_id": "a&b",
            "action_type": "deploy",
            "days": 7,
            "limit": 5,
            "cursor": "a/b+=",
        },
        same=" that were decided",
    ),
]
