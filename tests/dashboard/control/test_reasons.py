"""Why guard stopped something is said as people say it, wherever a page shows it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock

import pytest

from assent.contract.control.guard import GuardResult
from assent.contract.evidence.certificates import Certificate
from assent_dashboard.views import words
from assent_dashboard.views.policies.trial import said_by
from assent_dashboard.views.proof import certificate
from tests.dashboard.control.approval_items import AT

CODED = "Costs: risk_score gte 60"
SAID = "Costs: risk score is at least 60"


def test_in_a_trial_of_a_policy() -> None:
    result = cast(GuardResult, SimpleNamespace(reasons=[CODED], warnings=["Quiet hours"]))
    assert said_by(result) == [SAID, "Quiet hours"]


def test_in_the_receipt_of_an_approval(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: dict[str, Any] = {}
    monkeypatch.setattr(certificate, "facts", shown.update)
    monkeypatch.setattr(certificate, "st", Mock())
    names = ("reviewer", "decided_at", "reasoning", "valid_until", "claimed_at", "claimed_by", "refused_claims")
    receipt = SimpleNamespace(
        **dict.fromkeys((*names, "reviewer_key", "act_digest", "grant_id")),
        state="awaiting",
        self_decided=False,
        requested_at=AT.isoformat(),
        expires_at=AT.isoformat(),
        reasons=[CODED],
        conditions=[],
    )
    certificate.draw_approval(cast(Certificate, SimpleNamespace(approval=receipt)))
    assert shown["Because"] == words.plain(SAID)
