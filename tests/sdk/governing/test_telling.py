"""With ASSENT_TELL_SESSIONS=1 governed functions show their arguments and tell their session what they gave, over a
service with a flow policy; one that cannot be told has its next calls asked about. Quick: one service, short waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from assent import ApprovalTimeoutError, AsyncClient, Client, ConnectionFailed, governed
from tests.stories.tenant import Tenant

IBAN = "DE89370400440532013000"
BILL = f"Dear customer, the open amount is 98.70; kindly pay it to {IBAN} by the end of the week."
Recorded = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def flows(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> Tenant:
    tenant.policy("Where values come from", "flow", {})
    monkeypatch.setenv("ASSENT_TELL_SESSIONS", "1")
    return tenant


def read_file(path: str) -> str:
    return BILL if path == "bill.txt" else "nothing"


@pytest.mark.parametrize("way", ["sync", "async"])
def test_what_a_function_gave_is_asked_about_where_another_one_sends_it(
    way: str, flows: Tenant, recorded: Recorded
) -> None:
    sent: list[str] = []

    def send(recipient: str, amount: float) -> None:
        sent.append(recipient)

    async def send_async(recipient: str, amount: float) -> None:
        sent.append(recipient)

    async def read_async(path: str) -> str:
        return BILL

    if way == "sync":
        with Client() as client, client.session("bill 17"):
            client.user_said("Please pay the bill in bill.txt, and GB29NWBK60161331926819 as ever")
            assert governed("read_file", client=client, approval_timeout=0)(read_file)("bill.txt") == BILL
            pay = governed("send_money", client=client, approval_timeout=0)(send)
            pay("GB29NWBK60161331926819", 5)
            with pytest.raises(ApprovalTimeoutError):
                pay(IBAN, 98.7)
    else:

        async def go() -> None:
            async with AsyncClient() as client, client.session("bill 17"):
                await client.user_said("Please pay the bill in bill.txt, and GB29NWBK60161331926819 as ever")
                reads: Any = governed("read_file", client=client, approval_timeout=0)(read_async)
                assert await reads("bill.txt") == BILL
                pay: Any = governed("send_money", client=client, approval_timeout=0)(send_async)
                await pay("GB29NWBK60161331926819", 5)
                with pytest.raises(ApprovalTimeoutError):
                    await pay(IBAN, 98.7)

        asyncio.run(go())
    assert sent == ["GB29NWBK60161331926819"]
    waits = recorded()[-1]
    said = flows.call("GET", f"/api/actions/{waits['action_id']}")["approval"]["reasons"][0]
    assert "appears only in the text of what read_file answered" in said


def test_an_approval_is_good_for_the_arguments_that_were_shown(flows: Tenant, decides: Callable[..., Any]) -> None:
    sent: list[str] = []

    @governed("send_money", approval_timeout=20)
    def pay(recipient: list[str]) -> str:
        sent.extend(recipient)
        return "done"

    with Client() as client, client.session("bill 18"):
        decides("allow")
        assert pay([IBAN]) == "done"
    assert sent == [IBAN]


def test_outside_of_a_session_and_without_the_setting_nothing_is_told(
    flows: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ApprovalTimeoutError):
        governed("send_money", approval_timeout=0)(lambda recipient: None)(IBAN)
    monkeypatch.setenv("ASSENT_TELL_SESSIONS", "0")
    with Client() as client, client.session("bill 19"):
        client.user_said("Read bill.txt")
        with pytest.raises(ApprovalTimeoutError):
            governed("read_file", approval_timeout=0)(read_file)("bill.txt")
        assert client.get_flows(session_id="bill 19").flows[0].told == 1


def test_an_answer_that_cannot_be_told_has_the_next_calls_asked_about(
    flows: Tenant, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ran: list[str] = []

    @governed("get_record", approval_timeout=0)
    def look(name: str) -> str:
        ran.append(name)
        return BILL

    with Client() as client, client.session("bill 20"):
        client.user_said("Look at a and b")

        def away(*_: object, **__: object) -> None:
            raise ConnectionFailed(url="http://127.0.0.1", reason="away", uncertain=True)

        monkeypatch.setattr(Client, "tool_answered", away)
        assert look("a") == BILL
        assert "flow policies ask from now on" in caplog.text
        with pytest.raises(ApprovalTimeoutError):
            look("b")
    assert ran == ["a"]


def test_an_answer_that_is_no_json_is_given_and_has_the_next_calls_asked_about(
    flows: Tenant, recorded: Recorded, caplog: pytest.LogCaptureFixture
) -> None:
    itself: list[object] = []
    itself.append(itself)
    odd: dict[object, object] = {(1, 2): BILL}
    for name, result in (("itself", itself), ("odd", odd)):

        @governed("get_record", approval_timeout=0)
        def look(result: object = result) -> object:
            return result

        caplog.clear()
        with Client() as client, client.session(name):
            client.user_said("Look at it")
            assert look() is result
            assert "flow policies ask from now on" in caplog.text
            with pytest.raises(ApprovalTimeoutError):
                look()
    assert [each["status"] for each in recorded()] == ["completed", "cancelled"] * 2


def test_a_setting_that_says_neither_is_refused_before_anything_runs(
    flows: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSENT_TELL_SESSIONS", "perhaps")
    ran: list[int] = []
    with pytest.raises(ValueError, match="ASSENT_TELL_SESSIONS is 'perhaps'"):
        governed("look", approval_timeout=0)(ran.append)(1)
    assert ran == []
