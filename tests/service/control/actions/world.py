"""The service in process, without HTTP, on a real data folder and a clock that tests own.

Nothing happens by itself here: the clock moves by one millisecond with each question, or as far as a test says, and
nobody looks for overdue approvals but the test.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import httpx
import msgspec
import pytest

from assent.contract.control.actions import Action, CreateAction, CreatedAction, UpdateOutcome, WithdrawnAction
from assent.contract.control.approvals import ApproveAction, Verdict, WithdrawAction
from assent.contract.control.assumptions import Assumption, RecordAssumption, ValidateAssumption
from assent.contract.control.guard import GuardContext, GuardResult
from assent.contract.control.policies import Policy, PolicyDraft
from assent.contract.evidence.traces import ActionTrace, RootCause
from assent.contract.people.keys import CreateKey
from assent.contract.people.organizations import CreateOrganization
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.app import Service, build
from assent_service.base.clock import microseconds, moment
from assent_service.base.problem import Refusal
from assent_service.core.idempotency import mark
from assent_service.core.locks import EntityLocks
from assent_service.core.principal import Principal
from assent_service.core.settings import Settings
from assent_service.evidence.traces import Traces
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger
from tests.service.store.logbook import FaultyFiles, break_disk

START = microseconds(datetime.fromisoformat("2026-03-02T09:00:00+00:00"))
TABLES_FILE = "tables.duckdb"
SECOND, MINUTE, HOUR, DAY = 1_000_000, 60_000_000, 3_600_000_000, 86_400_000_000


class Hands:
    """A clock. Two questions never get the same answer."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> int:
        self.now += 1000
        return self.now

    def turn(self, microseconds: int) -> None:
        self.now += microseconds

    @property
    def moment(self) -> datetime:
        return moment(self.now)


class World:
    """`admin` is of the first organization, `stranger` the admin of another one."""

    def __init__(self, service: Service, clock: Hands) -> None:
        self.service, self.clock = service, clock
        parts = (service.actions, service.assumptions, service.loops, service.proofs.heads)
        self.traces = Traces(service.ledger, *parts)
        self.admin = cast("Principal", None)

    @property
    def org_id(self) -> str:
        return self.admin.org_id

    async def first(self) -> None:
        created = await self.service.organizations.bootstrap(None)
        if created is None:
            first = self.service.organizations.state.first
            assert first is not None
            self.admin = Principal(first.org_id, "key_admin", "First admin key", Role.ADMIN, None)
        else:
            self.admin = self._principal(created.api_key)
        for org_id in list(self.service.organizations.state.by_id):
            await self.service.guard.follow_policies(org_id)

    async def stranger(self, slug: str = "other") -> Principal:
        created = await self.service.organizations.create(self.admin, CreateOrganization(name=slug, slug=slug))
        return self._principal(created.api_key)

    def somebody(self, role: Role = Role.AGENT, agent_id: str | None = None, name: str = "somebody") -> Principal:
        return Principal(self.org_id, f"key_{name}", name, role, agent_id)

    def operator(self, name: str) -> Principal:
        return self.somebody(Role.OPERATOR, None, name)

    async def policy(self, policy_type: str, rules: dict[str, Any], **members: Any) -> Policy:
        draft = PolicyDraft(name=f"{policy_type} {rules}", policy_type=policy_type, rules=rules, **members)
        return await self.service.policies.create(self.admin, draft)

    async def guard(self, by: Principal | None = None, key: str | None = None, **members: Any) -> GuardResult:
        members.setdefault("action_type", "refund")
        context = msgspec.convert(members, GuardContext)
        return await self.service.guard.ask(by or self.admin, context, members, idempotency_key=key)

    async def create(self, by: Principal | None = None, key: str | None = None, **members: Any) -> CreatedAction:
        members.setdefault("action_type", "refund")
        body = msgspec.convert(members, CreateAction)
        return await self.service.actions.create(by or self.admin, body, members, key)

    async def act(self, by: Principal | None = None, **members: Any) -> Action:
        return (await self.create(by, **members)).action

    async def blocked(self, by: Principal | None = None, **members: Any) -> Refusal:
        """What the creation of something that guard blocks is refused with."""
        with pytest.raises(Refusal) as found:
            await self.create(by, **members)
        assert found.value.code is Code.ACTION_BLOCKED
        return found.value

    async def report(
        self, action: Action | str, by: Principal | None = None, key: str | None = None, **members: Any
    ) -> Action:
        action_id = action if isinstance(action, str) else action.action_id
        sent = None if key is None else mark(key, members)
        report = msgspec.convert(members, UpdateOutcome)
        return await self.service.actions.report(by or self.admin, action_id, report, sent=sent)

    async def failed(self, **members: Any) -> Action:
        """An action that failed one second after it was created."""
        action = await self.act(**members)
        self.clock.turn(SECOND)
        return await self.report(action, status="failed")

    async def decide(
        self, action: Action, verdict: str, by: Principal | None = None, key: str | None = None, why: str | None = None
    ) -> Action:
        said = ApproveAction(decision=Verdict(verdict), reasoning=why)
        return (await self.service.approvals.decide(by or self.admin, action.action_id, said, key)).action

    async def withdraw(self, action: Action, by: Principal | None = None, why: str | None = None) -> WithdrawnAction:
        return await self.service.approvals.withdraw(by or self.admin, action.action_id, WithdrawAction(reason=why))

    async def believe(self, action: Action | str, by: Principal | None = None, **members: Any) -> Assumption:
        action_id = action if isinstance(action, str) else action.action_id
        body = {"assumption": "the order was paid"} | members
        said = msgspec.convert({"action_id": action_id} | body, RecordAssumption)
        return (await self.service.assumptions.record(by or self.admin, said)).assumption

    async def judge(
        self, assumption: Assumption | str, held: bool, why: str | None = None, by: Principal | None = None
    ) -> Assumption:
        assumption_id = assumption if isinstance(assumption, str) else assumption.assumption_id
        said = ValidateAssumption(validated=held, invalidated_reason=why)
        return await self.service.assumptions.validate(by or self.admin, assumption_id, said)

    async def trace(self, action: Action | str, by: Principal | None = None) -> ActionTrace:
        action_id = action if isinstance(action, str) else action.action_id
        return await self.traces.trace(by or self.admin, action_id)

    async def causes(self, action: Action) -> list[RootCause]:
        return (await self.trace(action)).trace.root_cause_indicators

    async def http(self, method: str, path: str, body: Any = None, by: Role = Role.ADMIN) -> httpx.Response:
        """A request through the door, with a new key of this role."""
        made = await self.service.keys.create(self.admin, CreateKey(name="http", role=by))
        transport = httpx.ASGITransport(app=cast("Any", self.service.app))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.request(method, path, json=body, headers={"x-api-key": made.api_key})

    async def events(self, org_id: str | None = None, kind: str = "") -> list[Event]:
        """The organization's events so far whose type begins with `kind`."""
        await self.service.ledger.caught_up()
        found = self.service.ledger.events(org_id or self.org_id, -1, 10**9, 10**9)
        return [event for event in found if event.type.startswith(kind)]

    def break_disk(self) -> FaultyFiles:
        """From now on the log writes through the object returned, which fails when told to."""
        return break_disk(self.service.ledger)

    def _principal(self, secret: str) -> Principal:
        principal = self.service.keys.authenticate(secret)
        assert principal is not None
        return principal


def locks_of(ledger: Ledger) -> EntityLocks:
    """For a noun that a test makes beside those of its service."""
    return EntityLocks(lambda: ledger.head)


@cache
def empty_tables() -> bytes:
    """The file of the tables as a service makes it on a new home, which is the dearest part of a first start."""
    with TemporaryDirectory() as folder:
        build(Settings(home=folder)).ledger.close()
        return (Path(folder) / TABLES_FILE).read_bytes()


def put_tables(home: Path) -> None:
    """Into a home that is new or empty."""
    if not home.exists() or not any(home.iterdir()):
        home.mkdir(parents=True, exist_ok=True)
        (home / TABLES_FILE).write_bytes(empty_tables())


@asynccontextmanager
async def opened(home: Path, clock: Hands | None = None, **settings: Any) -> AsyncIterator[World]:
    """A service on `home`; one that was there before goes on."""
    hands = clock or Hands()
    put_tables(home)
    service = build(Settings(home=str(home), **settings), clock=hands)
    service.ledger.start()
    world = World(service, hands)
    try:
        await world.first()
        yield world
    finally:
        await service.outside.client.aclose()
        service.ledger.close()


@asynccontextmanager
async def refused(code: Code) -> AsyncIterator[pytest.ExceptionInfo[Refusal]]:
    """What happens within is refused with this code."""
    with pytest.raises(Refusal) as found:
        yield found
    assert found.value.code is code, f"{found.value.code}: {found.value.detail}"
