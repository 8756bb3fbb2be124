"""What memory keeps of erasures, and when it asks the table."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from assent.contract.roles import Role
from assent_service.control import erasure as limits
from assent_service.control.erasure import ErasureRow, ErasureState, gone, key_digest
from assent_service.core.principal import Principal
from assent_service.store.event import Event

NOW = datetime(2026, 3, 2, tzinfo=UTC)


class Asked:
    """A ledger that counts what it is asked."""

    def __init__(self) -> None:
        self.count = 0

    async def read(self, sql: str, parameters: Any, *, remembered: int = 0) -> list[Any]:
        self.count += 1
        return []


def erasure(number: int, org: str = "org_a", key: str | None = None, agent: str | None = "bot") -> ErasureRow:
    return ErasureRow(
        org_id=org,
        action_id=f"act_{number}",
        agent_id=agent,
        decision_id=f"dec_{number}",
        also=[f"dec_{number}"],
        erased_at=NOW,
        erased_by="Ada",
        erased_by_key="key_1",
        reason="ticket 7",
        key_digest=None if key is None else key_digest(org, key),
        signature_digest=None,
        action_created_at=NOW,
        created_at=NOW,
    )


def event(said: ErasureRow, seq: int) -> Event:
    body = b'{"salt":"%b","data":%b}' % (b"0" * 32, msgspec.json.encode(said))
    return Event(
        seq, seq, 1, seq - 1, said.org_id, "evidence.erased", 1, said.action_id, said.action_id, "key_1",
        b"", b"", body, 1, 0, 1,
    )  # fmt: skip


def folded(*said: ErasureRow) -> ErasureState:
    found = ErasureState()
    for seq, each in enumerate(said, 1):
        found.fold(event(each, seq))
    return found


def test_who_never_erased_anything_pays_nothing() -> None:
    found, ledger = folded(erasure(1, "org_b", "k")), Asked()
    assert asyncio.run(found.find(ledger, "org_a", "act_1")) is None  # type: ignore[arg-type]  # a stand-in
    assert asyncio.run(found.of_key_ever(ledger, "org_a", "bot", "k")) is None  # type: ignore[arg-type]  # a stand-in
    assert found.of_key("org_a", "bot", "k") is None
    assert ledger.count == 0


def test_the_table_is_asked_only_for_what_memory_let_go_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "NEWEST", 3)
    found, ledger = folded(*(erasure(number, key=f"k{number}") for number in range(5))), Asked()
    assert set(found.snapshot()) == {("org_a", f"act_{number}") for number in (2, 3, 4)}
    assert found.get("org_a", "act_4") == erasure(4, key="k4")
    assert found.of_key("org_a", "bot", "k4") == erasure(4, key="k4")
    assert found.of_key("org_a", "bot", "k1") is None
    assert ledger.count == 0
    assert asyncio.run(found.find(ledger, "org_a", "act_0")) is None  # type: ignore[arg-type]  # a stand-in
    assert asyncio.run(found.of_key_ever(ledger, "org_a", "bot", "k0")) is None  # type: ignore[arg-type]  # a stand-in
    assert ledger.count == 2


def test_keys_of_organizations_are_apart() -> None:
    found = folded(erasure(1, "org_a", "k"), erasure(2, "org_b", "k"))
    assert [
        each and each.action_id for each in (found.of_key("org_a", "bot", "k"), found.of_key("org_b", "bot", "k"))
    ] == [
        "act_1",
        "act_2",
    ]
    assert key_digest("org_a", "k") != key_digest("org_b", "k")


def test_who_is_told() -> None:
    def told(org: str = "org_a", role: Role = Role.ADMIN, agent: str | None = None) -> bool:
        return gone(erasure(1), Principal(org, "key_1", "x", role, agent)) is not None

    assert told()
    assert told(role=Role.AGENT, agent="bot")
    assert told(role=Role.AGENT)
    assert not told(role=Role.AGENT, agent="other")
    assert not told("org_b")
    refusal = gone(erasure(1), Principal("org_a", "key_1", "x", Role.AUDITOR, None))
    assert refusal is not None
    assert "Ada" in refusal.detail
    assert "2026-03-02T00:00:00+00:00" in refusal.detail
    assert "ticket 7" not in refusal.detail
