"""The validation steps: for each thing that readiness rests on what was looked at, what was found, where that can be
seen, and what to do. The service decides and tells; here it is put in order, with the way to the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from assent.contract.analysis.readiness import (
    LEAST_PERCENT,
    LEAST_ROWS,
    TEST_COUNTS_FOR,
    LastTest,
    ReadinessCheck,
    ReadinessShare,
    WorkspaceReadiness,
)
from assent_dashboard.views import words
from assent_dashboard.views.address import Address
from assent_dashboard.views.addresses import (
    ApprovalsAddress,
    AskingAddress,
    LedgerAddress,
    PoliciesAddress,
    ProofAddress,
    SettingsAddress,
)

ORDER = ("fail", "warn", "open", "pass")
TEST_TITLE = "Connection test"


@dataclass(frozen=True)
class EvidenceLink:
    """Where the evidence can be seen: a page of this dashboard."""

    page: type[Address]
    label: str
    query: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class ReadinessStep:
    """`status` is fail, warn, open (nothing to judge by yet) or pass; `todo` is empty where there is nothing to do, or
    the evidence says it."""

    name: str
    title: str
    status: str
    core: bool
    looked: str
    evidence: str
    todo: str = ""
    seen: EvidenceLink | None = None


@dataclass(frozen=True)
class _Known:
    title: str
    looked: str
    seen: EvidenceLink | None = None


_LOG = EvidenceLink(ProofAddress, "The organization's proof")
_CHECKS: dict[str, _Known] = {
    "log": _Known("Evidence log", "Whether the log takes writes.", _LOG),
    "tables": _Known("Tables", "How far the tables are behind the log.", EvidenceLink(LedgerAddress, "The ledger")),
    "disk": _Known("Disk space", "How much of the data folder's disk is free."),
    "drift": _Known("Drift detectors", "How far the detectors of drift are behind the log."),
    "evidence": _Known("Evidence", "Whether the whole log still is what was signed.", _LOG),
    "wallet": _Known(
        "Signing keys", "Whether the keys that sign can be opened.", EvidenceLink(SettingsAddress, "Settings")
    ),
    "clock_jumps": _Known("Jumps of the clock", "Whether this machine's clock has jumped."),
    "heads": _Known("Signed heads", "Whether signed tree heads keep up with the log.", _LOG),
    "admin_key": _Known(
        "Admin key",
        "How many admin keys are active, and whether one is short enough to be guessed.",
        EvidenceLink(SettingsAddress, "Keys", {"section": "keys"}),
    ),
    "agent_keys": _Known(
        "Agents' keys",
        "Whether each agents' key is bound to one agent, or was made for any.",
        EvidenceLink(SettingsAddress, "Keys", {"section": "keys"}),
    ),
    "failed_keys": _Known(
        "Failed keys",
        "How many requests came with a key that is not valid, and whether they were too many.",
        EvidenceLink(SettingsAddress, "Keys", {"section": "keys"}),
    ),
    "halt": _Known(
        "Kill switch",
        "Whether somebody halted all agents.",
        EvidenceLink(SettingsAddress, "Kill switch", {"section": "kill-switch"}),
    ),
    "policies": _Known(
        "Policies", "Whether any active policy stops anything.", EvidenceLink(PoliciesAddress, "Policies")
    ),
    "approvals": _Known(
        "Waiting approvals", "How long approvals have waited.", EvidenceLink(ApprovalsAddress, "Approvals")
    ),
    "triage": _Known(
        "Triage",
        "What passes without asking, and whether it keeps to its bound.",
        EvidenceLink(AskingAddress, "Asking"),
    ),
    "webhooks": _Known(
        "Webhooks",
        "Whether one was switched off for failing.",
        EvidenceLink(SettingsAddress, "Webhooks", {"section": "webhooks"}),
    ),
    "self_decisions": _Known(
        "Who decides",
        "Whether keys decided on what they had asked for themselves.",
        EvidenceLink(ApprovalsAddress, "What was decided", {"window": "30d"}),
    ),
    "clock": _Known(
        "Clock", "The newest event's time, against this machine's clock.", EvidenceLink(LedgerAddress, "The ledger")
    ),
}
SHARE_TITLES = {"governed": "Governed", "approval": "Approvals decided", "proof": "Proven"}
_COUNTED = {"governed": "action", "approval": "approval", "proof": "sampled action"}
_SHARES: dict[str, tuple[str, EvidenceLink]] = {
    "governed": (
        "Have agents ask before they act: see *Connect an agent* below.",
        EvidenceLink(LedgerAddress, "The ledger", {"window": "7d"}),
    ),
    "approval": ("Decide what waits before it expires.", EvidenceLink(ApprovalsAddress, "Approvals")),
    "proof": ("Look at the checks of an action's proof.", _LOG),
}


def validation_steps(readiness: WorkspaceReadiness, now: datetime) -> list[ReadinessStep]:
    """What is not in order comes first, then what cannot be judged yet; otherwise in the service's order."""
    steps = [
        *(_check(check) for check in readiness.checks),
        _test(readiness.last_test, now),
        *(_share(share) for share in readiness.shares),
    ]
    return sorted(steps, key=lambda step: ORDER.index(step.status) if step.status in ORDER else 0)


def _check(check: ReadinessCheck) -> ReadinessStep:
    known = _CHECKS.get(check.name, _Known(check.name.replace("_", " ").capitalize(), ""))
    return ReadinessStep(check.name, known.title, check.status, check.core, known.looked, check.detail, seen=known.seen)


def _test(last: LastTest | None, now: datetime) -> ReadinessStep:
    looked = "Whether one action gets through guard, log, tables and stream; a test counts for 24 hours."
    if last is None:
        todo = "Press the button above."
        return ReadinessStep("connection_test", TEST_TITLE, "open", False, looked, "None was run yet.", todo)
    seen = EvidenceLink(LedgerAddress, "Its action", {"action_id": last.action_id})
    old = now - last.at > TEST_COUNTS_FOR
    evidence = f"The newest one {'passed' if last.passed else 'did not pass'}, {words.ago(last.at, now)}."
    status = "open" if old else "pass" if last.passed else "warn"
    todo = "" if status == "pass" else "Run it again: press the button above."
    return ReadinessStep("connection_test", TEST_TITLE, status, False, looked, evidence, todo, seen)


def share_of(share: ReadinessShare) -> str:
    """`42 of 48 actions`: what the percentage is of, or why there is none."""
    if not share.available:
        return "Not available yet"
    if not share.n:
        return "Nothing to count yet"
    return f"{words.amount(share.count)} of {words.several(share.n, _COUNTED.get(share.name, 'row'))}"


def _share(share: ReadinessShare) -> ReadinessStep:
    title = SHARE_TITLES.get(share.name, share.name)
    remedy, seen = _SHARES.get(share.name, ("", None))
    if not share.available or share.percent is None:
        return ReadinessStep(share.name, title, "open", False, share.meaning, f"{share_of(share)}.", seen=seen)
    evidence = f"{words.percent(share.percent)}: {share_of(share)}."
    if share.n < LEAST_ROWS:
        return ReadinessStep(
            share.name, title, "open", False, share.meaning, f"{evidence} Too few to judge by.", seen=seen
        )
    low = 100 * share.count < LEAST_PERCENT * share.n
    todo = f"Under {LEAST_PERCENT} %. {remedy}" if low else ""
    return ReadinessStep(share.name, title, "warn" if low else "pass", False, share.meaning, evidence, todo, seen)
