"""How one action stands, each expectation read off the rules by hand, from records and from rows as JSON has them."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.control.assumptions import Assumption
from assent.contract.evidence.pcaa import CheckpointId, Enforceability, PcaaCheckpoint
from assent.pcaa import (
    PCAA_CHECKPOINTS,
    build_pcaa_checkpoint_states,
    checkpoint_states_of,
    enforceability_of,
    facts_from,
    facts_of,
    receipts_of,
)
from tests.sdk.client import samples

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOUR, MICROSECOND = timedelta(hours=1), timedelta(microseconds=1)
LETTERS = {"c": "complete", "p": "pending", "m": "missing", "-": "not_required", "d": "denied"}
Rows = tuple[dict[str, Any], list[dict[str, Any]], dict[str, Any] | None]


def text(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def rows(
    status: str = "completed",
    *,
    belief: str | None = "-",
    state: str | None = None,
    by: str | None = "ops",
    begun: timedelta = timedelta(minutes=5),
    approved: timedelta | None = None,
    **changed: Any,
) -> Rows:
    """An action as it is served, begun so long ago; `belief` is the basis of its assumption, `-` for no assumption."""
    changed.setdefault("output_summary", "shipped" if status in ("completed", "failed") else None)
    action = samples.action(status, **{"timestamp_start": text(NOW - begun), **changed})
    action["approved_at"] = None if approved is None else text(NOW - approved)
    believed = [] if belief == "-" else [samples.assumption(basis=belief)]
    return action, believed, None if state is None else samples.approval(state, decided_by=by)


def letters(found: tuple[PcaaCheckpoint, ...]) -> str:
    spelt = {status: letter for letter, status in LETTERS.items()}
    return "".join(spelt[each.status] for each in found)


ASKED: dict[str, Any] = {"decision": "require_approval"}
DAY = 24 * HOUR
# The statuses in the checkpoints' order; then which receipts are expected (E), which are there (o).
CASES: dict[str, tuple[Rows, str, str, str]] = {
    "done": (rows(), "cc--c", "EE--E", "oo--o"),
    "done without words": (rows(output_summary=""), "cc--c", "EE--E", "oo---"),
    "failed with an error": (
        rows("failed", output_summary=None, error_message="no"),
        *("cc--c", "EE--E", "oo--o"),
    ),
    "no decision on record": (rows(decision_id=""), "mc--c", "EE--E", "-o--o"),
    "without a goal": (rows(declared_goal=None), "cc--c", "EE--E", "o---o"),
    "without an id": (rows(action_id=""), "cm--c", "EE--E", "o---o"),
    "running": (rows("running"), "cc---", "EE---", "oo---"),
    "running for an hour": (rows("running", begun=HOUR), "cc---", "EE---", "oo---"),
    "overdue": (rows("running", begun=HOUR + MICROSECOND), "cc--p", "EE--E", "oo---"),
    "overdue for a day": (rows("running", begun=DAY), "cc--p", "EE--E", "oo---"),
    "lost": (rows("running", begun=DAY + MICROSECOND), "cc--m", "EE--E", "oo---"),
    "just under the risk": (rows(risk_score=59.999), "cc--c", "EE--E", "oo--o"),
    "at the risk": (rows(risk_score=60), "ccm-c", "EEE-E", "oo--o"),
    "at the risk, running": (rows("running", risk_score=60), "ccp--", "EEE--", "oo---"),
    "at the risk, lost": (rows("running", risk_score=60, begun=DAY + MICROSECOND), "ccm-m", "EEE-E", "oo---"),
    "at the risk, with a belief": (rows(risk_score=60, belief="the log"), "ccc-c", "EEE-E", "ooo-o"),
    "a belief that rests on nothing": (rows(risk_score=60, belief=None), "ccc-c", "EEE-E", "oo--o"),
    "a belief that nobody asked for": (rows(belief="the log"), "cc--c", "EE--E", "ooo-o"),
    "blocked": (rows("blocked", decision="block", risk_score=99), "dc---", "EE---", "oo---"),
    "waiting": (rows("pending_approval", state="awaiting", by=None, **ASKED), "ccpp-", "EEEE-", "oo---"),
    "waiting for days": (
        rows("pending_approval", state="awaiting", by=None, begun=3 * DAY, **ASKED),
        *("ccpp-", "EEEE-", "oo---"),
    ),
    "approved and done": (rows(state="approved", belief="the log", **ASKED), "ccccc", "EEEEE", "ooooo"),
    "approved by nobody": (rows(state="approved", by=None, belief="the log", **ASKED), "ccccc", "EEEEE", "ooo-o"),
    "denied": (
        rows("cancelled", state="denied", error_message="no", belief="the log", **ASKED),
        *("cccd-", "EEEE-", "ooooo"),
    ),
    "denied, and ran all the same": (rows(state="denied", belief="the log", **ASKED), "cccdc", "EEEEE", "ooooo"),
    "expired": (rows("cancelled", state="expired", by=None, **ASKED), "ccmm-", "EEEE-", "oo---"),
    "asked and never recorded": (rows(belief="the log", **ASKED), "cccmc", "EEEEE", "ooo-o"),
    "asked by the agent itself": (rows(state="approved", belief="the log"), "ccccc", "EEEEE", "ooooo"),
    "asked a day ago, approved just now": (
        rows("running", state="approved", begun=2 * DAY, approved=HOUR, belief="the log", **ASKED),
        *("cccc-", "EEEE-", "oooo-"),
    ),
    "through a hook, risky": (rows(runtime="coding_agent", risk_score=90), "cc--c", "EE--E", "oo--o"),
    "through a hook, approved": (
        rows(runtime="coding_assistant", state="approved", **ASKED),
        *("cc-cc", "EE-EE", "oo-oo"),
    ),
    "history that guard would have stopped": (
        rows(source="import", decision="block", risk_score=99),
        *("cc--c", "EE--E", "oo--o"),
    ),
    "history that guard would have asked about": (
        rows(runtime="evidence_import", belief="the log", **ASKED),
        *("cc--c", "EE--E", "ooo-o"),
    ),
    "simulated, risky": (
        rows(runtime="sdk_service", source="simulated", risk_score=90),
        "ccm-c",
        "EEE-E",
        "oo--o",
    ),
}


def marked(ids: list[CheckpointId], mark: str) -> str:
    return "".join(mark if each in ids else "-" for each in PCAA_CHECKPOINTS)


@pytest.mark.parametrize("name", CASES)
def test_how_an_action_stands_and_what_it_left(name: str) -> None:
    (action, believed, approval), statuses, expected, observed = CASES[name]
    found = build_pcaa_checkpoint_states(action, believed, approval, now=NOW)
    assert [each.id for each in found] == list(PCAA_CHECKPOINTS)
    assert letters(found) == statuses
    receipts = receipts_of(facts_from(action, believed, approval), NOW)
    assert (marked(receipts.expected, "E"), marked(receipts.observed, "o")) == (expected, observed)
    both = sum(left == "E" and right == "o" for left, right in zip(expected, observed, strict=True))
    assert receipts.completeness == both / expected.count("E")


@pytest.mark.parametrize("name", CASES)
def test_records_stand_as_their_rows_do(name: str) -> None:
    (action, believed, approval), *_ = CASES[name]
    records = (
        msgspec.convert(action, Action),
        [msgspec.convert(each, Assumption) for each in believed],
        None if approval is None else msgspec.convert(approval, Approval),
    )
    facts = facts_of(*records)
    assert facts == facts_from(action, believed, approval)
    assert build_pcaa_checkpoint_states(*records, now=NOW) == checkpoint_states_of(facts, NOW)


def test_the_five_are_in_order_and_texts() -> None:
    assert PCAA_CHECKPOINTS == (
        "pre_action_admissibility",
        "action_open",
        "assumption_capture",
        "approval",
        "outcome_closure",
    )
    assert json.loads(json.dumps(PCAA_CHECKPOINTS)) == list(PCAA_CHECKPOINTS)


def test_values_say_what_is_there_whether_or_not_it_is_owed() -> None:
    action, believed, approval = rows(state="approved", belief=None)
    found = build_pcaa_checkpoint_states(action | {"decision": "warn"}, believed, approval, now=NOW)
    assert [each.value for each in found] == ["warn", "act_0192", "asm_1", "approved", "completed"]
    bare = build_pcaa_checkpoint_states(rows("running")[0], now=NOW)
    assert [each.value for each in bare] == ["allow", "act_0192", None, None, "running"]
    nothing = dict.fromkeys(action) | {"action_id": ""}
    assert [each.value for each in build_pcaa_checkpoint_states(nothing, now=NOW)] == [None] * 5


def test_on_the_wire_a_checkpoint_has_the_published_members() -> None:
    first = build_pcaa_checkpoint_states(rows(**ASKED)[0], now=NOW)[0]
    assert msgspec.to_builtins(first) == {
        "id": "pre_action_admissibility",
        "status": "complete",
        "value": "require_approval",
    }


def test_the_newest_assumption_is_the_last_that_was_recorded() -> None:
    early, late = text(NOW - 2 * HOUR), text(NOW - HOUR)
    believed = [
        samples.assumption(assumption_id="asm_b", created_at=late),
        samples.assumption(assumption_id="asm_z", created_at=early, basis="the log"),
        samples.assumption(assumption_id="asm_a", created_at=late),
    ]
    for order in (believed, believed[::-1]):
        facts = facts_from(rows()[0], order)
        assert facts.assumptions == (("asm_z", "the log"), ("asm_a", None), ("asm_b", None))
        assert checkpoint_states_of(facts, NOW)[2].value == "asm_b"
    told = [{"assumption_id": each["assumption_id"], "basis": None} for each in believed]
    assert facts_from(rows()[0], told).assumptions[-1] == ("asm_a", None)


def test_what_belongs_to_another_action_does_not_count() -> None:
    another = {"action_id": "act_another"}
    action = rows(risk_score=90)[0]
    facts = facts_from(action, [samples.assumption(basis="it", **another)], samples.approval("approved", **another))
    assert (facts.assumptions, facts.approval_state, facts.approval_decided_by) == ((), None, None)
    assert letters(checkpoint_states_of(facts, NOW)) == "ccm-c"


def test_times_without_an_offset_are_utc_and_others_are_turned() -> None:
    for begun in ("2026-11-20T10:59:59.999999", "2026-11-20T12:59:59.999999+02:00"):
        facts = facts_from(rows("running")[0] | {"timestamp_start": begun})
        assert facts.timestamp_start == NOW - HOUR - MICROSECOND
        assert letters(checkpoint_states_of(facts, NOW)) == "cc--p"


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ({"risk_score": "60"}, "the action cannot be judged: .*`float | null`, got `str`.*risk_score"),
        ({"timestamp_start": "yesterday"}, "the action cannot be judged: .*RFC3339.*timestamp_start"),
        ({"timestamp_start": "9999-12-31T23:59:59-12:00"}, "the moment 9999-12-31T23:59:59-12:00 is before the year 1"),
        ({"status": 7}, "the action cannot be judged: .*status"),
    ],
)
def test_rows_that_are_none_are_refused_and_named(action: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        facts_from(rows()[0] | action)


def test_members_that_are_missing_are_named() -> None:
    action = rows()[0]
    with pytest.raises(ValueError, match=r"the action cannot be judged: .*missing required field `runtime`"):
        facts_from({name: value for name, value in action.items() if name != "runtime"})
    with pytest.raises(ValueError, match=r"an assumption cannot be judged: .*`basis`"):
        facts_from(action, [{"assumption_id": "asm_1"}])
    with pytest.raises(ValueError, match=r"the approval cannot be judged: .*`decided_by`"):
        facts_from(action, (), {"state": "approved"})


def test_a_moment_without_a_zone_is_no_moment() -> None:
    with pytest.raises(ValueError, match="2026-11-20T12:00:00 has no time zone; give an aware one"):
        build_pcaa_checkpoint_states(rows()[0], now=NOW.replace(tzinfo=None))
    with pytest.raises(ValueError, match="no time zone"):
        receipts_of(facts_from(rows()[0]), NOW.replace(tzinfo=None))


def test_an_unknown_runtime_owes_most() -> None:
    assert letters(build_pcaa_checkpoint_states(rows(risk_score=60)[0] | {"runtime": "toaster"}, now=NOW)) == "ccm-c"


@pytest.mark.parametrize(
    ("runtime", "source", "found"),
    [
        ("sdk_service", "live", Enforceability.ENFORCE_BEFORE_EXECUTE),
        ("sdk_service", "simulated", Enforceability.ENFORCE_BEFORE_EXECUTE),
        ("sdk_service", None, Enforceability.ENFORCE_BEFORE_EXECUTE),
        (None, "live", Enforceability.ENFORCE_BEFORE_EXECUTE),
        ("toaster", "live", Enforceability.ENFORCE_BEFORE_EXECUTE),
        ("coding_assistant", "live", Enforceability.HOOK_MEDIATED),
        ("coding_agent", "live", Enforceability.HOOK_MEDIATED),
        ("coding_agent", "import", Enforceability.OBSERVE_ONLY),
        ("sdk_service", "import", Enforceability.OBSERVE_ONLY),
        ("evidence_import", "live", Enforceability.OBSERVE_ONLY),
        (None, "import", Enforceability.OBSERVE_ONLY),
    ],
)
def test_how_far_guard_reaches(runtime: str | None, source: str | None, found: Enforceability) -> None:
    assert enforceability_of(runtime, source) is found


def test_it_needs_nothing_but_the_contract() -> None:
    """In a process of its own: neither the client's libraries nor the tables' are loaded."""
    code = "import sys, assent.pcaa; print(sorted({'httpx', 'polars', 'cryptography', 'duckdb'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
