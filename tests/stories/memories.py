"""The service's memory, noun by noun, as plain values that can be compared.

The same history must give the same memory whichever way it comes in: folded from the log alone, loaded from tables
that hold all of it, or loaded from tables that hold some and folded from there.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec

from assent.contract.control.guard import RecordedDecision
from assent.contract.control.policies import Policy
from assent.contract.control.risk_templates import RiskTemplate
from assent_service import rebuild
from assent_service.app import Service, build
from assent_service.base.clock import microseconds
from assent_service.control.questions import QuestionStore
from assent_service.control.risk_templates import RiskTemplateState
from assent_service.core.settings import Settings
from assent_service.store.replica_folder import MARK


def remembered(home: Path, now: int) -> dict[str, Any]:
    """What a service that starts on `home` at `now` (microseconds) has in memory."""
    service = build(Settings(home=str(home)), clock=lambda: now)
    try:
        return snapshot(service, now)
    finally:
        service.ledger.close()


def three_ways(home: Path, work: Path, now: int) -> dict[str, dict[str, Any]]:
    """The memory of the same log, come by in three ways. The home itself is only copied; `rebuilt` stays in `work`."""
    as_it_is, folded, rebuilt = work / "as_it_is", work / "folded", work / "rebuilt"
    # A replica's folder is read as one of files: the database may have an event more than the copy of a killed service.
    shutil.copytree(home, as_it_is, ignore=shutil.ignore_patterns(MARK))
    for fresh in (folded, rebuilt):
        shutil.copytree(home / "log", fresh / "log")
    rebuild.run(rebuilt)
    return {path.name: remembered(path, now) for path in (as_it_is, folded, rebuilt)}


def snapshot(service: Service, now: int) -> dict[str, Any]:
    organizations = list(service.organizations.state.by_id.values())
    return {
        "head": service.ledger.head,
        "counts": {each.org_id: service.ledger.count(each.org_id) for each in organizations},
        "organizations": organizations,
        "keys": {each.org_id: service.keys.state.of(each.org_id) for each in organizations},
        "principals": service.keys.state._valid,
        "policies": {each.org_id: _policies(service, each.org_id) for each in organizations},
        "policy versions": {each.org_id: service.policies.state.version(each.org_id) for each in organizations},
        "halts": {each.org_id: service.halts.state.newest(each.org_id) for each in organizations},
        "halt reasons": {each.org_id: service.halts.state.reason(each.org_id) for each in organizations},
        "idempotency keys": _creations(service, now),
        "approvals": dict(service.approvals._store.awaiting),
        "expiries": _expiries(service),
        "open questions": _open_questions(service),
        "histories": _histories(service, now),
        "decisions": _decisions(service, now),
        "rates": {each.org_id: _rates(service, each.org_id) for each in organizations},
        "risk templates": {each.org_id: _templates(service, each.org_id) for each in organizations},
        "signals": {each.org_id: service.signals.current(each.org_id, now) for each in organizations},
    }


def _policies(service: Service, org_id: str) -> list[Policy]:
    return sorted(service.policies.state.list(org_id), key=lambda policy: (policy.created_at, policy.policy_id))


def _templates(service: Service, org_id: str) -> list[RiskTemplate]:
    (state,) = [memory for memory in service.memories if isinstance(memory, RiskTemplateState)]
    return state.list(org_id)


def _creations(service: Service, now: int) -> dict[Any, Any]:
    state = service.actions.state
    return {
        key: (each.action_id, each.request_digest, microseconds(each.created_at))
        for key in state.snapshot()
        if (each := state.creation(*key)) is not None
    }


def _expiries(service: Service) -> set[Any]:
    """When which approval expires, those that still wait; others in the queue are passed over when their time comes."""
    store = service.approvals._store
    return {(at, key) for at, key in store._expiries if key in store.awaiting}


def _open_questions(service: Service) -> Any:
    (store,) = [memory for memory in service.memories if isinstance(memory, QuestionStore)]
    return store.snapshot()


def _histories(service: Service, now: int) -> dict[Any, Any]:
    """Sums of floating-point numbers depend on their order, so the mean is compared to nine digits."""
    found = service.guard.state.histories.snapshot(now)
    return {
        key: (each.total, each.failed, each.last_hour, each.mean_risk and round(each.mean_risk, 9))
        for key, each in found.items()
    }


def _decisions(service: Service, now: int) -> dict[Any, RecordedDecision]:
    recent = service.guard.state.recent
    found = {}
    for key in recent.snapshot(now):
        payload = recent.get(*key, now)
        assert payload is not None
        found[key] = msgspec.json.decode(payload, type=RecordedDecision)
    return found


def _rates(service: Service, org_id: str) -> dict[str, list[int]]:
    """The times that a rate limit can look at; what is older is kept or not as it happens."""
    largest = service.policies.state.of(org_id).max_actions
    if not largest:
        return {}
    return {agent: list(times[-largest:]) for agent, times in service.guard.state.rates(org_id).times()}
