"""What operators say among themselves and put off, over HTTP: no agent reads or hears of it, and it stands in no
certificate."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest

from assent import AsyncClient, Client
from assent.contract.people.rota import DAYS
from assent.errors import Conflict, Forbidden
from tests.live import WAIT
from tests.stories.proving import bundle_of
from tests.stories.tenant import Tenant


@pytest.fixture(scope="module")
def office(shared_tenant: Tenant) -> Tenant:
    shared_tenant.governed()
    shared_tenant.add_key("other", "operator")
    return shared_tenant


async def types_until(client: AsyncClient, last: str) -> list[str]:
    """The types of what the stream tells up to `last`."""
    found: list[str] = []
    async for event in client.events():
        found.append(event.event)
        if event.event == last:
            return found
    raise AssertionError("the stream ended")


def test_operators_hear_it_and_agents_do_not(office: Tenant) -> None:
    async def run() -> tuple[list[str], list[str]]:
        async with office.async_client("agent") as agent, office.async_client("other", None) as other:
            action_id = (await agent.create_action("pay", "Pay invoice 7")).action_id
            heard = [asyncio.create_task(types_until(each, "approval.decided")) for each in (agent, other)]
            await asyncio.sleep(0.4)
            async with office.async_client("operator", None) as operator:
                comment = (await operator.add_comment(action_id, "Their invoices are always late.")).comment
                assert (comment.action_id, comment.written_by) == (action_id, "the operator")
                until = datetime.now(UTC) + timedelta(hours=1)
                put = (await operator.snooze_action(action_id, until)).snooze
                assert put.returns_at == until
                await operator.snooze_action(action_id)
                own = (await operator.get_own_key()).key_id
                assert own in {each.key_id for each in (await other.get_operators()).operators}
                assert (await other.assign_action(action_id, own)).assignment.assigned_to == "the operator"
                assert (await operator.assign_action(action_id)).assignment.assigned_to is None
                async with office.async_client("admin", None) as admin:
                    always = {"days": list(DAYS), "start": "00:00", "end": "00:00"}
                    group = {"name": "All", "members": ["the operator"], "shifts": [always]}
                    duty = await admin.set_rota([group])
                    assert (duty.covered, duty.groups[0].operators[0].key_id, duty.groups[0].until) == (True, own, None)
                assert (await operator.get_rota()).rota == duty.rota
                await operator.approve_action(action_id, "allow")
                read = await other.get_comments(action_id=action_id)
                assert [each.text for each in read.comments] == ["Their invoices are always late."]
            return await asyncio.wait_for(heard[0], WAIT), await asyncio.wait_for(heard[1], WAIT)

    by_agent, by_operator = asyncio.run(run())
    among = {"approval_comment.created", "snooze.created", "snooze.updated"}
    among |= {"assignment.created", "assignment.updated", "rota.created"}
    assert among <= set(by_operator)
    assert not among & set(by_agent)


def test_an_agents_key_reads_none_of_it_and_the_certificate_has_none(office: Tenant) -> None:
    action_id = office.create("pay")
    with office.client("operator", None) as operator:
        operator.add_comment(action_id, "Between us: the third one today.")
        operator.approve_action(action_id, "allow")
        comment = operator.add_comment(action_id, "Said afterwards.").comment
        with pytest.raises(Conflict):
            operator.snooze_action(action_id, datetime.now(UTC) + timedelta(hours=1))
    with office.client("agent") as agent:
        assert_forbidden(agent, action_id)
    for key in ("agent", "admin"):
        trace = office.send("GET", f"/api/actions/{action_id}/trace", key=key)
        assert trace.status == 200
        assert b"Between us" not in trace.content
    assert "Between us" not in json.dumps(bundle_of(office, action_id))
    assert comment.comment_id.startswith("cmt_")


def assert_forbidden(agent: Client, action_id: str) -> None:
    for ask in (
        lambda: agent.get_comments(action_id=action_id),
        lambda: agent.add_comment(action_id, "me too"),
        agent.get_snoozes,
        lambda: agent.snooze_action(action_id),
        lambda: agent.assign_action(action_id),
        agent.get_assignments,
        agent.get_operators,
        agent.get_rota,
        lambda: agent.set_rota([]),
    ):
        with pytest.raises(Forbidden):
            ask()
