"""Sessions: who is let in, how long they stay, and what a token is worth."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from assent import Client, Role
from assent.errors import Unauthorized
from assent_dashboard import sessions as sessions_module
from assent_dashboard.feed import Feed
from assent_dashboard.sessions import NotAdmitted, Session, Sessions
from tests.stories.tenant import Tenant

IDLE = 100.0


class Desk:
    """Sessions on a real service, with a clock that the test sets, and every client that was made for them."""

    def __init__(self, house: Tenant) -> None:
        self.now, self.clients, self.house = 0.0, list[Client](), house
        self.sessions = Sessions(self._connect, clock=lambda: self.now, idle=IDLE)

    def _connect(self, api_key: str, sleep: Callable[[float], object] = time.sleep) -> Client:
        client = Client(self.house.service.base_url, api_key, retries=0, say=lambda _: None, sleep=sleep)
        self.clients.append(client)
        return client

    def open(self, role: str = "operator") -> str:
        return self.sessions.open(self.house.keys[role])

    def found(self, token: str) -> Session:
        session = self.sessions.find(token)
        assert session is not None
        return session


@pytest.fixture
def desk(house: Tenant, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    # Following the stream is not what is looked at here, and these sessions end before it is open.
    monkeypatch.setattr(Feed, "start", lambda _: None)
    desk = Desk(house)
    yield desk
    desk.sessions.close_all()


def closed(client: Client) -> bool:
    """Whether the client's connections are closed; it then refuses to be used."""
    try:
        client.health()
    except RuntimeError:
        return True
    return False


@pytest.mark.parametrize("role", ["operator", "admin"])
def test_who_may_decide_is_let_in_under_their_own_name(desk: Desk, role: str) -> None:
    session = desk.found(desk.open(role))
    assert session.name == desk.house.call("GET", "/api/keys/own", key=role)["name"]
    assert session.key.role is Role(role)
    assert session.client.get_own_key().key_id == session.key.key_id


@pytest.mark.parametrize("role", ["agent", "auditor"])
def test_other_roles_are_told_which_keys_are_for_this(desk: Desk, role: str) -> None:
    with pytest.raises(NotAdmitted, match=rf"key of role {role}.*operator and admin keys"):
        desk.open(role)
    assert [closed(client) for client in desk.clients] == [True]


def test_an_unknown_key_opens_nothing(desk: Desk) -> None:
    with pytest.raises(Unauthorized):
        desk.sessions.open("assent_unknown")
    assert [closed(client) for client in desk.clients] == [True]


def test_a_token_is_the_only_way_to_a_session(desk: Desk) -> None:
    first, second = desk.open(), desk.open()
    assert first != second
    assert desk.found(first) is not desk.found(second)
    for wrong in ("", None, first[:-1], first + "a", first.swapcase(), desk.house.keys["operator"]):
        assert desk.sessions.find(wrong) is None


def test_neither_token_nor_key_stands_in_what_is_kept(desk: Desk) -> None:
    token = desk.open()
    kept: dict[str, Any] = vars(desk.sessions)
    assert token not in repr(kept)
    assert desk.house.keys["operator"] not in repr(kept)


def test_a_session_ends_when_nobody_has_used_it_for_long(desk: Desk) -> None:
    token = desk.open()
    desk.now += IDLE
    session = desk.found(token)
    desk.now += IDLE
    assert desk.found(token) is session, "it was used in between"
    desk.now += IDLE + 1
    assert desk.sessions.find(token) is None
    assert closed(session.client)


def test_closing_ends_one_session_and_no_other(desk: Desk) -> None:
    first, second = desk.open(), desk.open()
    session = desk.found(first)
    desk.sessions.close(first)
    desk.sessions.close(first)
    desk.sessions.close(None)
    assert desk.sessions.find(first) is None
    assert closed(session.client)
    assert not closed(desk.found(second).client)


def test_closing_all_leaves_nobody(desk: Desk) -> None:
    tokens = [desk.open(), desk.open("admin")]
    desk.sessions.close_all()
    assert [desk.sessions.find(token) for token in tokens] == [None, None]
    assert all(closed(client) for client in desk.clients)


def test_a_session_ends_a_day_after_it_was_opened_however_often_it_is_used(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions_module, "LONGEST_SECONDS", 3 * IDLE)
    token = desk.open()
    for _ in range(3):
        desk.now += IDLE
        client = desk.found(token).client
    desk.now += 1
    assert desk.sessions.find(token) is None
    assert closed(client)


def test_there_are_at_most_so_many_and_the_idlest_gives_way(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions_module, "MOST", 3)
    tokens = []
    for _ in range(3):
        desk.now += 1
        tokens.append(desk.open())
    idlest = desk.found(tokens[1]).client
    desk.now += 1
    others = [desk.found(tokens[at]).client for at in (0, 2)]
    tokens.append(desk.open())
    assert [desk.sessions.find(token) is not None for token in tokens] == [True, False, True, True]
    assert closed(idlest)
    assert not any(closed(client) for client in others)
