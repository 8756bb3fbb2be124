"""Read by mypy and basedpyright, never called: options, sessions, iterations and the service for tests."""

from typing import assert_type

import httpx

from assent import Action, AsyncClient, Client
from assent.client.http_response import HttpResponse
from assent.client.session import Session
from assent.contract.control.guard import GuardDecision, GuardResult, RecordedDecision
from assent.contract.exchange.messages import Message
from assent.testing import Cassette, FakeService


def blocking(client: Client) -> None:
    assert_type(client.with_options(timeout=1, agent_id=None, session="s"), Client)
    assert_type(client.last_response, HttpResponse | None)
    for action in client.iterate_actions(status="running", limit=5):
        assert_type(action, Action)
    for decision in client.iterate_guard_decisions("block"):
        assert_type(decision, GuardDecision)
    with client.session() as session:
        assert_type(session, Session)
        assert_type(session.bind(client.guard)({"action_type": "x"}), GuardResult)
        client.with_options(session=session)
    Client(http_client=httpx.Client(), trust_env=False)


async def awaiting(client: AsyncClient) -> None:
    assert_type(client.with_options(session=None), AsyncClient)
    async for message in client.iterate_inbox(unread=True):
        assert_type(message, Message)
    async with client.session("s") as session:
        assert_type(await session.bind(client.guard)({"action_type": "x"}), GuardResult)
    AsyncClient(http_client=httpx.AsyncClient())


def in_tests(service: FakeService) -> None:
    service.policies({"name": "a", "policy_type": "known_types", "rules": {}})
    assert_type(service.asked, list[RecordedDecision])
    assert_type(service.actions, list[Action])
    assert_type(service.client("operator"), Client)
    assert_type(service.async_client(), AsyncClient)
    assert_type(Cassette("x.json").http_client(), httpx.Client)
