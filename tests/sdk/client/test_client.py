"""The clients themselves: where their settings come from, whose connections they close, what they show of a key."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import httpx
import pytest

from assent import AsyncClient, Client, ConnectionFailed
from assent.settings import ClientSettings
from tests.sdk.client import samples
from tests.sdk.client.doubles import BASE, answering, bound

HALT = httpx.MockTransport(answering(samples.HALT))


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ASSENT_BASE_URL", "ASSENT_API_KEY", "ASSENT_AGENT_ID"):
        monkeypatch.delenv(name, raising=False)


def test_both_clients_take_the_same_parameters() -> None:
    blocking, awaiting = (list(inspect.signature(each).parameters) for each in (Client, AsyncClient))
    assert blocking == awaiting
    assert blocking[:4] == ["base_url", "api_key", "agent_id", "agent_name"]


def test_both_clients_have_the_same_operations() -> None:
    def public(shape: type[Any]) -> set[str]:
        return {name for name in dir(shape) if not name.startswith("_")}

    assert public(Client) == public(AsyncClient)


def test_settings_come_from_the_environment_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSENT_BASE_URL", "http://assent.test:9000/")
    monkeypatch.setenv("ASSENT_API_KEY", "sk_env\n")
    monkeypatch.setenv("ASSENT_AGENT_ID", "agent-env")
    seen: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json=samples.HALT)

    client = Client(http=httpx.Client(transport=httpx.MockTransport(bound(handler))))
    monkeypatch.setenv("ASSENT_API_KEY", "sk_later")
    client.get_halt()
    assert (client.base_url, client.agent_id) == ("http://assent.test:9000", "agent-env")
    assert str(seen[0].url) == "http://assent.test:9000/api/halt"
    assert seen[0].headers["x-api-key"] == "sk_env"


def test_what_is_given_wins_and_nothing_given_is_the_own_machine() -> None:
    environment = {"ASSENT_BASE_URL": "http://a.test", "ASSENT_API_KEY": "sk_env", "ASSENT_AGENT_ID": ""}
    given = ClientSettings.from_environment(environment, base_url="https://b.test/x/", api_key="sk_given")
    assert (given.base_url, given.api_key, given.agent_id) == ("https://b.test/x", "sk_given", None)
    assert ClientSettings.from_environment({}) == ClientSettings(base_url="http://127.0.0.1:8484")


@pytest.mark.parametrize(
    "address",
    [
        "localhost:8484",
        "ftp://a.test",
        "http://",
        "http:///x",
        "http://a.test:port",
        "http://a.test:99999",
        "http://a b",
        "http://a.test/?x=1",
        "http://a.test/#x",
        "http://a.test/\x00",
        "nonsense",
    ],
)
def test_an_address_that_leads_nowhere_is_refused_with_an_example(address: str) -> None:
    with pytest.raises(ValueError, match=r"give http or https.*http://127\.0\.0\.1:8484"):
        ClientSettings.from_environment({}, base_url=address)


@pytest.mark.parametrize("key", ["sk one", "sk\r\nx-evil: 1", "sk_ü", "sk\x00"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ValueError, match="copy the key again") as caught:
        Client(BASE, key)
    assert key not in str(caught.value)


def test_a_key_is_never_shown() -> None:
    client = Client("http://user:pa55@assent.test", "sk_secret", "agent-7")
    assert repr(client) == "Client(base_url='http://assent.test', agent_id='agent-7')"
    assert "sk_secret" not in repr(ClientSettings(api_key="sk_secret"))
    client.close()


@pytest.mark.parametrize("wrong", [{"timeout": 0}, {"timeout": -1}, {"timeout": float("nan")}, {"retries": -1}])
def test_timeouts_and_retries_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="give seconds above 0"):
        Client(BASE, "k", **wrong)


def test_connections_that_were_handed_in_stay_open() -> None:
    http = httpx.Client(transport=HALT)
    with Client(BASE, "k", http=http) as client:
        assert client.get_halt().halted is True
    assert not http.is_closed
    http.close()


async def test_connections_that_were_handed_in_stay_open_awaiting() -> None:
    http = httpx.AsyncClient(transport=HALT)
    async with AsyncClient(BASE, "k", http=http) as client:
        assert (await client.get_halt()).halted is True
    assert not http.is_closed
    await http.aclose()


def test_connections_of_ones_own_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[httpx.Client] = []
    real = httpx.Client

    def make(**_: Any) -> httpx.Client:
        made.append(real(transport=HALT))
        return made[-1]

    monkeypatch.setattr(httpx, "Client", make)
    with Client(BASE, "k") as client:
        client.get_halt()
        assert not made[0].is_closed
    assert made[0].is_closed


async def test_connections_of_ones_own_are_closed_awaiting(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[httpx.AsyncClient] = []
    real = httpx.AsyncClient

    def make(**_: Any) -> httpx.AsyncClient:
        made.append(real(transport=HALT))
        return made[-1]

    monkeypatch.setattr(httpx, "AsyncClient", make)
    async with AsyncClient(BASE, "k") as client:
        await client.get_halt()
    assert made[0].is_closed


def test_the_address_of_a_client_handed_in_counts_unless_one_is_given() -> None:
    http = httpx.Client(transport=HALT, base_url="http://testserver.local")
    assert Client(http=http).base_url == "http://testserver.local"
    assert Client(BASE, http=http).base_url == BASE


def test_the_timeout_goes_with_every_request() -> None:
    seen: list[Any] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request.extensions["timeout"])
        return httpx.Response(200, json=samples.HALT)

    Client(BASE, "k", timeout=2.5, http=httpx.Client(transport=httpx.MockTransport(bound(handler)))).get_halt()
    assert seen == [{"connect": 2.5, "read": 2.5, "write": 2.5, "pool": 2.5}]


@pytest.mark.parametrize(("timeout", "read"), [(2.5, 120.0), (300.0, 300.0)])
def test_the_answer_to_an_analysis_is_waited_for_longer_and_its_connection_is_not(timeout: float, read: float) -> None:
    seen: list[Any] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request.extensions["timeout"])
        raise httpx.ReadTimeout("slow")

    client = Client(BASE, "k", timeout=timeout, http=httpx.Client(transport=httpx.MockTransport(handler)))
    for ask in (client.get_digest, client.backtest):
        with pytest.raises(ConnectionFailed, match=rf"no answer within {read:g} s"):
            ask()
    assert seen == [{"connect": timeout, "read": read, "write": timeout, "pool": timeout}] * 2


async def test_a_cancelled_operation_is_cancelled_and_its_flow_is_closed() -> None:
    started, closed = asyncio.Event(), asyncio.Event()

    async def handler(request: httpx.Request) -> httpx.Response:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            closed.set()
        return httpx.Response(200, json=samples.HALT)

    client = AsyncClient(BASE, "k", http=httpx.AsyncClient(transport=httpx.MockTransport(handler)))
    task = asyncio.create_task(client.get_halt())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert closed.is_set()


async def test_operations_of_one_client_run_side_by_side() -> None:
    both = asyncio.Barrier(2)

    async def handler(request: httpx.Request) -> httpx.Response:
        await asyncio.wait_for(both.wait(), 60)
        return bound(answering(samples.HALT))(request)

    client = AsyncClient(BASE, "k", http=httpx.AsyncClient(transport=httpx.MockTransport(handler)))
    answers = await asyncio.gather(client.get_halt(), client.get_halt())
    assert [answer.halted for answer in answers] == [True, True]
