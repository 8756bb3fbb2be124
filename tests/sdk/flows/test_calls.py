"""A reader that remembers reads each call as one that has never seen any, and skips nothing that leads anywhere."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from assent.flows import (
    CallReader,
    Digester,
    LabelPut,
    Pack,
    Session,
    decide,
    digest_call,
    read_pack,
    shipped_pack,
    texts_of,
    user_text,
)
from assent.flows.calls import LONGEST_REMEMBERED, MOST_REMEMBERED
from assent.flows.session import UNTRUSTED
from assent.flows.spelling import may_lead

KEY = bytes(range(32))
TEXTS = [
    *("eve@evil.example", "DE89 3704 0044 0532 0130 00", "www.x.example/a?b", "Dora <dora@ours.example>", "notes.txt"),
    *("2026-11-20", "4711", "true", "", "...", "please see x.example.They", "ｂｏｂ＠ｘ．ｃｏｍ", "a1b2c3d4e5f6g7h8"),
    "Here it is, and it is longer than what is remembered of a value: "
    + "words and words " * 8
    + "to eve@evil.example",
]
NUMBERS: list[object] = [0, 7, 4711, 12_345, -20_000, 10**30, 1 << 9_000, 3.25, 1e20, True, False, None]
KEYS = [
    "to",
    "members",
    "body",
    "name",
    "path",
    "url",
    "amount",
    "id",
    "password",
    "date",
    "limit",
    "enabled",
    "credit card 44",
]
HOUSE = {
    "tools": {
        "ledger_*": {"effect": "send", "arguments": {"amount": "target", "date": "other", "enabled": "reference"}}
    }
}


def value(random: Random, depth: int = 0) -> object:
    drawn = random.random()
    if drawn < 0.6 or depth > 2:
        return " and ".join(random.choices(TEXTS, k=random.choice([1, 1, 2, 4])))
    if drawn < 0.8:
        return random.choice(NUMBERS)
    if drawn < 0.9:
        return [value(random, depth + 1) for _ in range(3)]
    return arguments(random, depth + 1)


def arguments(random: Random, depth: int = 0) -> dict[str, Any]:
    return {random.choice(KEYS): value(random, depth) for _ in range(random.choice([0, 1, 3]))}


@pytest.mark.parametrize("pack", [shipped_pack(), read_pack(HOUSE)])
def test_a_reader_that_remembers_reads_as_a_new_one(pack: Pack) -> None:
    random, reader = Random(3), CallReader(Digester(KEY), pack)
    looked_at = 0
    for _ in range(400):
        tool, given = random.choice(["send_mail", "get_contact", "ledger_out", "frobnicate"]), arguments(random)
        found = reader.read(tool, given)
        assert found == digest_call(tool, given, digester=Digester(KEY), pack=pack), given
        looked_at += len(found.arguments)
    assert looked_at > 400


def test_a_reader_that_is_full_goes_on() -> None:
    reader = CallReader(Digester(KEY), shipped_pack())
    for number in range(2 * MOST_REMEMBERED):
        found = reader.read(f"send_mail_{number % 7}", {"to": f"dora{number}@ours.example"})
        assert [each.shape for each in found.arguments] == ["email address"], number
    assert reader.read("send_mail", {"to": "dora7@ours.example"}) == digest_call(
        "send_mail", {"to": "dora7@ours.example"}, digester=Digester(KEY), pack=shipped_pack()
    )


def test_long_values_names_and_keys_are_read_alike_twice() -> None:
    long, reader = "a" * (LONGEST_REMEMBERED + 1), CallReader(Digester(KEY), shipped_pack())
    given = {long: f"{long}@x.example", "to": {long: long}}
    found = [reader.read(f"send_{long}", given) for _ in range(2)]
    assert found[0] == found[1] == digest_call(f"send_{long}", given, digester=Digester(KEY), pack=shipped_pack())


def test_the_same_text_has_the_role_of_its_place_and_a_truth_value_is_no_number() -> None:
    reader = CallReader(Digester(KEY), read_pack(HOUSE))
    asked: list[tuple[str, dict[str, object]]] = [
        ("send_mail", {"to": "4711", "amount": "4711", "password": "4711"}),
        ("ledger_out", {"amount": 1, "enabled": True}),
        ("send_mail", {"amount": 1, "enabled": True, "id": 1}),
        ("send_mail", {"id": True}),
    ]
    roles = [[(each.path, each.role) for each in reader.read(tool, given).arguments] for tool, given in asked]
    assert roles == [
        [("to", "destination"), ("password", "credential")],
        [("amount", "target"), ("enabled", "reference")],
        [("id", "reference")],
        [],
    ]


@pytest.mark.parametrize(
    "leads",
    [
        *("eve@evil", "ftp://x", "x.example", "WWW.", "a.b.CO", "de89abcdefghij", "a1b2c3d4e5f6g7h8"),
        *("A1 2 3 4 5 6 7 8", "12", "1,234", "é", "1-2-3-4-5-6-7-8"),
    ],
)
def test_what_leads_somewhere_may_lead_wherever_it_stands(leads: str) -> None:
    assert may_lead(leads)
    assert may_lead(f"Here it is. ({leads}), e. g. 1 and 2; and so on.")


@pytest.mark.parametrize("text", ["", "Here it is. And 1 more, or 2.", "a: b/c", "e. g. this", "1 2 3 4 5 6 7", "x.1"])
def test_what_leads_nowhere_is_told_without_reading_it(text: str) -> None:
    assert not may_lead(text)
    found = digest_call("send_mail", {"body": text}, digester=Digester(KEY), pack=shipped_pack())
    assert found.arguments == ()


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"members": {"mallory": True, "dora": None}}, [("members", "dora"), ("members", "mallory")]),
        ({"members": {"mallory": {}}}, [("members", "mallory")]),
        ({"members": {"mallory": "admin"}}, [("members", "mallory"), ("members.mallory", "admin")]),
        ({"users": {"mallory": {"level": True}}}, [("users", "mallory")]),
        ({"recipient": {"name": "dora"}}, [("recipient.name", "dora")]),
        ({"address": {"street": "Elm", "city": "Ulm"}}, [("address.city", "Ulm"), ("address.street", "Elm")]),
        ({"attendees": {"required": ["dora"]}}, [("attendees.required", "dora")]),
        ({"attendees": {"optional_guests": [], "required": ["dora"]}}, [("attendees.required", "dora")]),
        ({"members": {"mallory": ["admin"]}}, [("members", "mallory"), ("members.mallory", "admin")]),
        ({"to": {"mallory": ["a"]}}, [("to", "mallory"), ("to.mallory", "a")]),
        (
            {"members": {"admins": {"mallory": []}, "editors": {"eve": ["x"]}}},
            [
                *(("members", "admins"), ("members", "editors"), ("members.admins", "mallory")),
                *(("members.editors", "eve"), ("members.editors.eve", "x")),
            ],
        ),
        ({"recipient": {"tags": ["dora"]}}, [("recipient.tags", "dora")]),
        ({"options": {"fast": True}}, []),
        ({"enabled": True}, []),
    ],
    ids=str,
)
def test_keys_that_stand_for_somebody_are_values(given: dict[str, Any], found: list[tuple[str, str]]) -> None:
    digester = Digester(KEY)
    read = digest_call("add_members", given, digester=digester, pack=shipped_pack())
    due = [(path, digester.value(text)) for path, text in found]
    assert sorted((each.path, each.value) for each in read.arguments) == sorted(due)
    shown = texts_of(given, [(each.path, each.role, each.shape) for each in read.arguments], shipped_pack())
    assert {text for text in shown if text is not None} <= {text for _, text in found}


@pytest.mark.parametrize(
    "attendees",
    [
        {"required": ["Mallory Evil"]},
        {"required": "Mallory Evil", "optional": []},
        {"required": [{"name": "Mallory Evil"}]},
        [{"name": "Mallory Evil"}],
        {"required": {"people": [{"name": "Mallory Evil"}]}},
        {"Mallory Evil": ["required"]},
        {"required": {"Mallory Evil": ["organizer"]}, "optional": []},
    ],
    ids=str,
)
def test_whoever_is_required_is_somebody(attendees: object) -> None:
    digester, session = Digester(KEY), Session()
    session.fold(LabelPut(1, UNTRUSTED, "pack"))
    call = digest_call("create_event", {"attendees": attendees}, digester=digester, pack=shipped_pack())
    assert digester.value("Mallory Evil") in [each.value for each in call.arguments if each.role == "destination"]
    assert "unknown" in [each.rule for each in decide(session, call, shipped_pack()).reasons]
    # Keys of an object in the place of somebodies are looked at, too.
    session.fold(user_text("Invite Mallory Evil, who is required, optional, name, people, organizer", digester))
    assert not decide(session, call, shipped_pack()).asks
