"""A long history, made quickly: payloads of a real service, multiplied straight into a log.

A third each are decisions, creations and outcomes, and every twentieth action waited for an approval, which adds two
events and one more change of the action. Times rise evenly over a window that ends now. A varied history has more
agents, a goal for each action, and risks, outcomes and numbers that differ, as real ones do.
"""

from __future__ import annotations

import json
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from assent_service.store.event import Draft
from assent_service.store.log import Log, Submission, WriteResult
from tests.live import LiveService, start_service
from tests.stories.evidence import Recorded, read_log
from tests.stories.load import set_policies

AGENTS, KINDS = 50, 8
MANY_AGENTS = 500
"""Of a varied history; each has a type of its own for four of five actions."""
DAY = 86_400_000_000
AT_ONCE = 512
_CONTEXT = {
    "declared_goal": "Book the flight that the customer chose",
    "systems_touched": ["reservations", "payments"],
    "risk_score": 42,
    "metadata": {"customer": "mia_li_3668", "reservation": "4WQ150", "amount": 254.5},
}
Payloads = dict[str, dict[str, Any]]


def make(home: Path, events: int, *, days: float = 20.0, varied: bool = False) -> None:
    """Write a log of about this many events, over the last `days`, into a new home."""
    beginnings, payloads, org_id, key_id = _observed()
    room = threading.Semaphore(8)

    def deliver(outcome: WriteResult) -> None:
        assert outcome.error is None, outcome.error
        room.release()

    log = Log.open(home, deliver=deliver)
    batch = [Submission((draft,)) for draft in beginnings]
    for drafts in _work(payloads, org_id, key_id, events - len(beginnings), days, varied):
        batch += [Submission((draft,)) for draft in drafts]
        if len(batch) >= AT_ONCE:
            room.acquire()
            log.submit(batch)
            batch = []
    room.acquire()
    log.submit(batch)
    log.close()


def _observed() -> tuple[list[Draft], Payloads, str, str]:
    """The first events of a real service, then one payload of each kind as it records them."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        with start_service(home) as service:
            set_policies(service)
            beginning = len(read_log(home))
            _act(service)
        recorded = read_log(home)
        lines = b"".join(path.read_bytes() for path in sorted((home / "log").glob("*.log"))).split(b"\n")
    heads = [json.loads(line.split(b" ", 4)[3]) for line in lines[:beginning]]
    drafts = [
        Draft(head["org"], head["type"], head["ts"], head["subject"], head["actor"], msgspec.json.encode(event.data))
        for head, event in zip(heads, recorded, strict=False)
    ]
    found: Payloads = {}
    for event in recorded[beginning:]:
        found[_kind(event)] = event.data
    decided = found["guard.decision.created"]
    return drafts, found, decided["org_id"], found["action.created"]["created_by"]


def _kind(event: Recorded) -> str:
    return f"{event.type} {event.data['change']['kind']}" if event.type == "action.updated" else event.type


def _act(service: LiveService) -> None:
    def create(kind: str) -> str:
        body = _CONTEXT | {"action_type": kind, "agent_id": "agent-0", "idempotency_key": kind}
        status, answer = service.call("POST", "/api/actions", body)
        assert status in {201, 202}, answer
        return str(answer["action"]["action_id"])

    waiting = create("refund")
    assert (
        service.call("POST", f"/api/actions/{waiting}/approve", {"decision": "allow", "reasoning": "Fine."})[0] == 200
    )
    done = create("lookup")
    report = {"status": "completed", "output_summary": "Booked as asked.", "tokens_in": 900, "cost_estimate": 0.01}
    assert service.call("PATCH", f"/api/actions/{done}", report)[0] == 200
    guarded = _CONTEXT | {"action_type": "lookup", "agent_id": "agent-0"}
    assert service.call("POST", "/api/guard", guarded)[0] == 200


def _work(
    payloads: Payloads, org_id: str, key_id: str, events: int, days: float, varied: bool
) -> Iterator[list[Draft]]:
    """One action after the other: its decision, its creation, sometimes an approval, its outcome."""
    end = time.time_ns() // 1000
    made, number = 0, 0
    while made < events:
        at = end - int(DAY * days * (1 - made / events)) - 10_000_000
        unit = _one(payloads, org_id, key_id, number, at, varied)
        yield unit
        made, number = made + len(unit), number + 1


def _one(payloads: Payloads, org_id: str, key_id: str, number: int, at: int, varied: bool) -> list[Draft]:
    names = {
        "agent_id": f"agent-{number % AGENTS}",
        "action_type": f"kind-{number % KINDS}",
        "decision_id": f"dec_{number:032x}",
        "action_id": f"act_{number:032x}",
        "idempotency_key": f"key-{number}",
        "approval_id": None,
    }
    outcome: dict[str, Any] = {}
    if varied:
        begun, outcome = _differing(number)
        names |= begun
    asked = number % 20 == 0
    if asked:
        names["approval_id"] = f"apr_{number:032x}"
    now, later = _said(at), _said(at + 1_500_000)
    times = dict.fromkeys(("created_at", "evaluated_at", "occurred_at", "timestamp_start", "requested_at"), now)
    kinds = ["guard.decision.created", "action.created"]
    if asked:
        kinds += ["approval.requested", "approval.decided", "action.updated approval"]
    drafts = []
    for kind in [*kinds, "action.updated outcome"]:
        name = kind.partition(" ")[0]
        changed = name in {"action.updated", "approval.decided"}
        updates = names | times | {"updated_at": later if changed else now}
        if kind == "action.updated outcome":
            updates |= outcome | {"timestamp_end": later}
        payload = {member: updates.get(member, value) for member, value in payloads[kind].items()}
        subject = names[{"guard": "decision_id", "action": "action_id", "approval": "approval_id"}[name.split(".")[0]]]
        action = None if name.startswith("guard") else names["action_id"]
        ts = at + 1_500_000 * changed
        drafts.append(Draft(org_id, name, ts, str(subject), key_id, msgspec.json.encode(payload), action))
    return drafts


def _differing(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """What differs from action to action, from its beginning and with its outcome."""
    draw = random.Random(number)
    agent = draw.randrange(MANY_AGENTS)
    begun = {
        "agent_id": f"agent-{agent}",
        "action_type": f"kind-{(agent if draw.random() < 0.8 else agent + 1) % KINDS}",
        "declared_goal": f"Book flight {draw.randrange(10**6)} that customer {draw.randrange(10**4)} chose",
        "risk_score": draw.randrange(10, 95),
        "confidence": draw.randrange(40, 100),
    }
    outcome = {
        "status": "completed" if draw.random() < 0.9 else "failed",
        "duration_ms": int(draw.lognormvariate(8, 1)),
        "cost_estimate": round(draw.lognormvariate(-4, 1), 5),
        "tokens_in": draw.randrange(200, 9000),
        "tokens_out": draw.randrange(20, 2000),
    }
    return begun, outcome


def _said(at: int) -> str:
    return datetime.fromtimestamp(at / 1e6, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
