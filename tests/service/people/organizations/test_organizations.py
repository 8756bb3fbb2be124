"""Making organizations: together with a key and policies, by whom, and the first start."""

import asyncio
import logging
from pathlib import Path

import pytest

from assent.contract.people.organizations import CreateOrganization, Organization
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.problem import Refusal
from assent_service.core.carry import carry
from assent_service.core.principal import Principal
from tests.service.evidence.events.serving import Parts, opened

GIVEN = "chosen-by-hand-0123456789abcdef0"


def named(slug: str) -> CreateOrganization:
    return CreateOrganization(name=slug.title(), slug=slug)


async def recorded(parts: Parts, org_id: str) -> list[str]:
    await parts.ledger.caught_up()
    return [str(event.type) for event in parts.ledger.events(org_id, -1, 100, 100)]


def admin_of(parts: Parts, secret: str) -> Principal:
    principal = parts.keys.authenticate(secret)
    assert principal is not None
    return principal


async def test_the_first_start_makes_one_organization_with_key_and_policies(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        created = await parts.organizations.bootstrap(None)
        assert created is not None
        assert created.organization.slug == "default"
        admin = admin_of(parts, created.api_key)
        assert (admin.org_id, admin.role) == (created.organization.org_id, Role.ADMIN)
        assert await recorded(parts, admin.org_id) == ["organization.created", "key.created", "policy.updated"]
        first, *rest = parts.ledger.events(admin.org_id, -1, 100, 100)
        assert {event.batch for event in rest} == {first.batch}, "recorded in one piece"
        assert await parts.organizations.bootstrap(None) is None
        assert len(await recorded(parts, admin.org_id)) == 3


async def test_a_later_start_knows_the_organizations_and_ignores_the_setting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(tmp_path) as parts:
        created = await parts.organizations.bootstrap(GIVEN)
        assert created is not None
        assert created.api_key == GIVEN
        made = await parts.organizations.create(admin_of(parts, GIVEN), named("second"))
        await parts.ledger.caught_up()
    async with opened(tmp_path) as parts:
        with caplog.at_level(logging.WARNING):
            assert await parts.organizations.bootstrap(GIVEN) is None
            assert caplog.records == []
            assert await parts.organizations.bootstrap("another-0123456789abcdefghijklmnop") is None
        assert "counts only on the first start" in caplog.text
        assert "another-0123" not in caplog.text
        assert parts.keys.authenticate("another-0123456789abcdefghijklmnop") is None
        assert [each.slug for each in parts.organizations.list(admin_of(parts, GIVEN))] == ["default", "second"]
        assert [each.slug for each in parts.organizations.list(admin_of(parts, made.api_key))] == ["second"]


@pytest.mark.parametrize("secret", ["", "x" * 31, "with space" * 4, "line\nend" * 4, "ümlaut" * 6, "x" * 501])
async def test_a_secret_that_no_client_could_send_is_refused(tmp_path: Path, secret: str) -> None:
    async with opened(tmp_path) as parts:
        with pytest.raises(ValueError, match="visible ASCII"):
            await parts.organizations.bootstrap(secret)
        assert parts.ledger.head == 0


async def test_only_the_first_organizations_admin_makes_more(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        _, first = await parts.first()
        made = await parts.organizations.create(first, named("second"))
        second = admin_of(parts, made.api_key)
        assert second.org_id == made.organization.org_id != first.org_id
        with pytest.raises(Refusal) as refusal:
            await parts.organizations.create(second, named("third"))
        assert refusal.value.code is Code.FORBIDDEN
        assert len(parts.organizations.list(first)) == 2


async def test_a_short_name_is_taken_once_however_many_ask_at_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        _, first = await parts.first()
        results = await asyncio.gather(
            *(parts.organizations.create(first, named("same")) for _ in range(8)), return_exceptions=True
        )
        refused = [each for each in results if isinstance(each, Refusal)]
        assert len(refused) == 7
        assert {each.code for each in refused} == {Code.ORGANIZATION_EXISTS}
        assert [each.slug for each in parts.organizations.list(first)] == ["default", "same"]


async def test_the_first_stays_first_when_the_clock_steps_back(tmp_path: Path) -> None:
    now = [1_700_000_000_000_000]
    async with opened(tmp_path, lambda: now[0]) as parts:
        created, first = await parts.first()
        now[0] -= 10**9
        await parts.organizations.create(first, named("second"))
        await parts.ledger.caught_up()
    async with opened(tmp_path, lambda: now[0]) as parts:
        kept = parts.organizations.state.first
        assert kept is not None
        assert carry(Organization, kept) == created.organization
