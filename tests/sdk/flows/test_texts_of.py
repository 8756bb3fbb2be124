"""Which value of a request a trace speaks of, by path, role and shape alone."""

from __future__ import annotations

from typing import Any

import pytest

from assent.flows import Digester, digest_call, read_pack, shipped_pack, texts_of

IBAN = "DE89370400440532013000"
ONE, TWO = "eve@evil.example", "dora@ours.example"


def told(tool: str, arguments: dict[str, Any], pack: Any = None) -> list[tuple[str, str | None]]:
    """Paths with their values, as who has no word of the house reads them off the request."""
    read = digest_call(tool, arguments, digester=Digester(bytes(32)), pack=read_pack(pack))
    places = [(each.path, each.role, each.shape) for each in read.arguments]
    found = texts_of(arguments, places, shipped_pack())
    return [(path, text) for (path, _, _), text in zip(places, found, strict=True)]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"recipient": IBAN, "amount": 3, "urgent": True}, [("recipient", IBAN)]),
        ({"to": [ONE, TWO]}, [("to", ONE), ("to", TWO)]),
        ({"to": f"{ONE}, {TWO}"}, [("to", ONE), ("to", TWO)]),
        (
            {"mail": {"to": ONE, "body": f"See (x.example/a) or {TWO}."}},
            [("mail.to", ONE), ("mail.body", "x.example/a"), ("mail.body", TWO)],
        ),
        ({"link": "https://x.example/", "name": "  Dora  "}, [("link", "https://x.example/"), ("name", "  Dora  ")]),
        ({"people": [{"to": ONE}, {"to": TWO}]}, [("people.to", ONE), ("people.to", TWO)]),
        ({"account": 123456789}, [("account", "123456789")]),
        ({"a.to": ONE, "a": {"to": TWO}}, [("*", ONE), ("a.to", TWO), ("", "a.to")]),
        # Two ways to one path: nobody knows which of them the trace means, so neither is shown.
        ({"to 1": ONE, "to 2": TWO}, [("*", None), ("*", None), ("", None), ("", None)]),
    ],
)
def test_a_value_is_found_by_its_place(arguments: dict[str, Any], found: list[tuple[str, str | None]]) -> None:
    assert told("send_mail", arguments) == found


def test_a_word_of_the_house_changes_nothing() -> None:
    pack = {"tools": {"pay_out": {"effect": "send", "arguments": {"to_whom": "destination", "memo": "payload"}}}}
    arguments = {"to_whom": "Dora Ray", "memo": f"for {ONE} and for {TWO}"}
    assert told("pay_out", arguments, pack) == [("to_whom", "Dora Ray"), ("memo", ONE), ("memo", TWO)]


def test_a_request_that_is_not_the_one_shows_nothing() -> None:
    places = [("to", "destination", "email address"), ("gone", "other", "value"), ("to", "nonsense", "value")]
    assert texts_of({"to": [ONE, TWO, "Bob"]}, places, shipped_pack()) == [None, None, None]
    assert texts_of({}, places, shipped_pack()) == [None, None, None]
    assert texts_of({"to": ONE}, places[:1], shipped_pack()) == [ONE]
