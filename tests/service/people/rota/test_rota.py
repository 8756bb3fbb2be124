"""The rota as data of an organization: what is taken, who is on shift by it, and that it outlives a restart."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent.contract.people.keys import CreateKey
from assent.contract.people.rota import OperatorGroup, SetRota
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.people.rota import Rotas, RotaState
from tests.service.control.actions.world import HOUR, World, locks_of, refused

OFFICE = {"days": ["monday", "tuesday", "wednesday", "thursday", "friday"], "start": "09:00", "end": "17:00"}


@pytest.fixture
def rotas(world: World) -> Rotas:
    on = world.service
    rotas = Rotas(on.ledger, world.clock, locks_of(on.ledger), on.keys)
    return rotas


def said(*groups: dict[str, Any]) -> SetRota:
    return SetRota(groups=tuple(msgspec.convert(each, OperatorGroup) for each in groups))


def group(name: str = "Payments", **more: Any) -> dict[str, Any]:
    return {"name": name, "members": ["ana@example.org"], "shifts": [OFFICE], **more}


async def keep(rotas: Rotas, world: World, request: SetRota) -> None:
    """Set it, and fold what was recorded, as the service does for its own."""
    await rotas.set(world.admin, request)
    for event in await world.events(kind="rota"):
        rotas.state.fold(event)


async def test_it_is_recorded_once_and_says_who_is_on_shift(world: World, rotas: Rotas) -> None:
    """It is Monday, 2 March 2026, 09:00 UTC."""
    ana = await world.service.keys.create(world.admin, CreateKey(name="Ana@example.org", role=Role.OPERATOR))
    for name, role in (("ana@example.org", Role.AGENT), ("ben", Role.OPERATOR)):
        await world.service.keys.create(world.admin, CreateKey(name=name, role=role))
    nobody = rotas.duty(world.org_id)
    assert (nobody.rota, nobody.groups, nobody.covered, nobody.next_at) == (None, [], False, None)
    late = group("Late", members=["ben"], time_zone="America/New_York")
    await keep(rotas, world, said(group(), late))
    duty = rotas.duty(world.org_id)
    assert [(each.name, each.on_shift, [one.key_id for one in each.operators]) for each in duty.groups] == [
        ("Payments", True, [ana.key.key_id]),
        ("Late", False, [each.key_id for each in world.service.keys.operators(world.org_id) if each.name == "ben"]),
    ]
    assert str(duty.groups[0].until) == "2026-03-02 17:00:00+00:00"
    assert str(duty.groups[1].next_at) == "2026-03-02 14:00:00+00:00"
    assert (duty.covered, duty.next_at) == (True, None)
    before = await world.events(kind="rota")
    await rotas.set(world.admin, said(group(), late))
    assert await world.events(kind="rota") == before, "the same again is no news"
    world.clock.turn(14 * HOUR)
    gap = rotas.duty(world.org_id)
    assert (gap.covered, str(gap.next_at)) == (False, "2026-03-03 09:00:00+00:00")
    await keep(rotas, world, said(late))
    assert [each.name for each in rotas.duty(world.org_id).groups] == ["Late"]
    assert [each.type for each in await world.events(kind="rota")] == ["rota.created", "rota.updated"]


async def test_a_group_without_a_valid_key_covers_nothing(world: World, rotas: Rotas) -> None:
    made = await world.service.keys.create(world.admin, CreateKey(name="ana@example.org", role=Role.OPERATOR))
    await keep(rotas, world, said(group(members=["ana@example.org", "cleo"])))
    assert (rotas.duty(world.org_id).covered, rotas.duty(world.org_id).groups[0].unknown) == (True, ["cleo"])
    await world.service.keys.revoke(world.admin, made.key.key_id)
    duty = rotas.duty(world.org_id)
    assert (duty.covered, duty.next_at, duty.groups[0].on_shift) == (False, None, True)
    assert duty.groups[0].unknown == ["ana@example.org", "cleo"]


async def test_another_organization_has_its_own(world: World, rotas: Rotas) -> None:
    await keep(rotas, world, said(group()))
    stranger = await world.stranger()
    assert rotas.duty(stranger.org_id).rota is None


async def test_the_tables_hold_what_the_events_said(world: World, rotas: Rotas) -> None:
    await keep(rotas, world, said(group(time_zone="Europe/Berlin")))
    rows = await world.service.ledger.read("SELECT count(*) FROM rotas", [])
    assert rows == [(1,)]
    again = RotaState()
    columns = await world.service.ledger.read(
        "SELECT org_id, groups, updated_by, updated_by_key, updated_at, created_at FROM rotas", []
    )
    again.load(lambda _, __: columns)
    assert again.by_org == rotas.state.by_org


@pytest.mark.parametrize(
    ("groups", "place"),
    [
        ([group(), group("PAYMENTS")], "groups[1].name"),
        ([group(time_zone="Europe/Atlantis")], "groups[0].time_zone"),
        ([group(time_zone="../../etc/passwd")], "groups[0].time_zone"),
        ([group(time_zone="Europe")], "groups[0].time_zone"),
        ([group(str(number), members=["x" * 120] * 50) for number in range(3)], "groups"),
    ],
    ids=range(5),
)
async def test_what_is_no_rota(world: World, rotas: Rotas, groups: list[dict[str, Any]], place: str) -> None:
    async with refused(Code.INVALID_BODY) as wrong:
        await rotas.set(world.admin, said(*groups))
    assert [each.place for each in wrong.value.errors] == [place]
    assert await world.events(kind="rota") == []
