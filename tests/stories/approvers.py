"""Many approvers at once, see `rush`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.stories.rush import at_once, request


@dataclass(frozen=True)
class Decided:
    """What one approver was answered."""

    verdict: str
    status: int
    body: dict[str, Any]


def race(
    port: int, keys: Sequence[str], action_id: str, verdicts: Sequence[str], *, idempotency_key: str | None = None
) -> list[Decided]:
    """Everybody in `keys` decides as `verdicts` says, at once; the answers in the same order."""
    requests = [
        request(
            f"/api/actions/{action_id}/approve",
            json.dumps({"decision": verdict, "reasoning": f"I say {verdict}"}).encode(),
            key,
            idempotency_key,
        )
        for key, verdict in zip(keys, verdicts, strict=True)
    ]
    answers = at_once(port, requests)
    return [Decided(verdict, *answer) for verdict, answer in zip(verdicts, answers, strict=True)]
