"""What a decision looks at, without digests: a trace says all that the core decides by, and what is not known asks."""

from __future__ import annotations

from typing import Any

import pytest

from assent.flows import (
    Bounds,
    Digester,
    Folded,
    LabelPut,
    Pack,
    Provenance,
    Rules,
    Session,
    Trace,
    TracedValue,
    decide_trace,
    digest_call,
    joined,
    read_pack,
    said,
    shipped_pack,
    trace,
    user_text,
)

DIGESTER = Digester(bytes(32))
NONE_BUT = {"provenance": False, "unknown": False, "blind": False}


def seen(session: Session | None, tool: str, *, withheld: bool = False, **arguments: object) -> Trace:
    return trace(session, digest_call(tool, arguments, digester=DIGESTER, pack=shipped_pack()), withheld=withheld)


def asks(found: Trace, **rules: bool) -> list[str]:
    return [reason.rule for reason in decide_trace(found, Rules()._replace(**rules)).reasons]


@pytest.mark.parametrize(
    ("tool", "arguments", "withheld", "untold", "labels_only"),
    [
        ("send_money", {"recipient": "x@y.example"}, False, ["untold"], ["untold"]),
        ("post_note", {"content": "nothing that leads anywhere"}, False, ["untold"], ["untold"]),
        ("frobnicate", {}, False, ["untold"], ["untold"]),
        ("get_contact", {"name": "Dora"}, False, [], []),
        ("get_page", {"url": "x.example"}, False, ["untold"], []),
        ("get_page", {}, True, ["untold"], []),
        ("get_contact", {}, True, ["untold"], []),
        ("calculate_sum", {"url": "x.example"}, False, ["untold"], []),
        ("calculate_sum", {"numbers": [1, 2]}, False, [], []),
    ],
)
def test_where_nothing_was_told_whatever_writes_asks(
    tool: str, arguments: dict[str, Any], withheld: bool, untold: list[str], labels_only: list[str]
) -> None:
    found = seen(None, tool, withheld=withheld, **arguments)
    assert asks(found) == untold
    assert asks(found, **NONE_BUT) == untold, "no rule that is off lets through what nobody knows"
    assert asks(found, labels_only=True) == labels_only


def test_what_is_withheld_asks_where_something_was_told() -> None:
    session = Session()
    session.fold(user_text("Look at x.example and send it", DIGESTER))
    assert asks(seen(session, "send_mail", withheld=True)) == ["withheld"]
    assert asks(seen(session, "get_page", withheld=True)) == ["withheld"]
    assert asks(seen(session, "calculate_sum", withheld=True)) == []
    assert asks(seen(session, "send_mail", withheld=True), labels_only=True) == []
    session.fold(LabelPut(1, "untrusted_seen", "test"))
    assert asks(seen(session, "send_mail", withheld=True), labels_only=True) == ["labels_only"]


def test_a_trace_names_tools_fields_and_calls_and_holds_no_digest() -> None:
    session = Session()
    session.fold(user_text("known.example", DIGESTER))
    value = DIGESTER.value("evil.example/a").whole
    assert value is not None
    session.fold(Folded(3, "get_page", free=(value,), text=True, page=True))
    found = seen(session, "get_page", url=["evil.example/a", "known.example/b"])
    assert found.values == (
        TracedValue("url", "destination", "web address", Provenance("free", free_call=3), from_page=True),
        TracedValue("url", "destination", "web address", Provenance("unknown"), host_named=True),
    )
    assert (dict(found.tools), set(found.labels), found.calls) == ({3: "get_page"}, {"untrusted_seen"}, 0)
    assert asks(found) == ["page_links"]


def test_a_read_with_more_values_than_are_looked_at_asks() -> None:
    found = seen(Session(), "get_contact", names=[f"n{number}" for number in range(3_000)])
    assert not found.whole
    assert asks(found) == ["incomplete"]
    assert asks(seen(Session(Bounds(user=0)), "get_contact", name="Dora")) == []


def test_a_long_path_is_cut_and_many_reasons_are_counted() -> None:
    deep: Any = [f"x{n}@y.example" for n in range(5)]
    for _ in range(6):
        deep = {"to" * 20: deep}
    found = seen(Session(complete=False), "send_mail", to=deep)
    assert {len(each.path) for each in found.values} == {200}
    text = said(decide_trace(found, Rules()).reasons, found)
    assert text.count("cannot be traced") == 3
    assert text.endswith("The same is true of 2 more.")


def test_why_not_all_is_known_is_carried_and_said() -> None:
    bounded = Session(Bounds(leaves=0))
    bounded.fold(Folded(1, "get_contact", leaves=((7, "email"),)))
    assert bounded.gaps == ("unkept",)
    keyed = Session()
    keyed.lose("key")
    for known, sentence in (
        (bounded, "this session was told more than is kept"),
        (keyed, "this session was told under another key than the service has now"),
    ):
        found = seen(known, "send_mail", to="x@new.example")
        assert said(decide_trace(found, Rules()).reasons, found) == (
            f"This email address (to) cannot be traced: {sentence}, so the text that has it may be missing."
        )
        assert Session.from_image(known.image()) == known
    long = seen(Session(), "send_mail", body=[{"a": n} for n in range(9_999)])
    assert (long.gaps, long.whole) == (("long",), False)
    assert "more values than are looked at" in said(decide_trace(long, Rules()).reasons, long)
    assert seen(Session(), "send_mail", to="x").gaps == ()
    earlier = found._replace(gaps=())
    assert "more was answered or is asked than is kept" in said(decide_trace(earlier, Rules()).reasons, earlier)


def test_packs_are_joined_and_the_first_entry_counts() -> None:
    first = read_pack({"tools": {"pay_*": {"effect": "send"}}, "labels": ["a"], "rules": {"blind": False}})
    second = read_pack({"tools": {"pay_*": {"effect": "none"}, "x": {"effect": "read"}}, "labels": ["b"]})
    both = joined([(first, True), (second, True)])
    assert (both.tool("pay_out").effect, both.tool("x").effect) == ("send", "read")
    assert {"a", "b"} <= both.labels
    assert both.rules == Rules()
    assert joined([]) == Pack()


def test_what_an_observing_pack_says_of_tools_waits_beside_others_but_for_labels_that_they_do_not_know() -> None:
    deciding = read_pack({"tools": {"get_wages": {"labels": ["ours"]}}, "labels": ["declared"]})
    observing = read_pack(
        {
            "tools": {
                "get_*": {"effect": "none", "answers": "trusted", "labels": ["wages", "ours", "untrusted_seen"]},
                "get_wages": {"labels": ["later"]},
                "send_email": {"effect": "none", "arguments": {"to": "payload"}},
            },
            "labels": ["asked"],
        }
    )
    both, alone = joined([(observing, False), (deciding, True)]), joined([(deciding, True)])
    assert both.tool("send_email", ["to"]) == alone.tool("send_email", ["to"])
    assert both.path_role(("to",), both.tool("send_email").roles).named == "destination"
    wages, before = both.tool("get_wages"), alone.tool("get_wages")
    assert wages == before._replace(labels=(*before.labels, "wages"))
    assert both.tool("get_page", ["url"]).answers == "page"
    assert both.labels == alone.labels | {"wages", "later", "asked"}
    assert joined([(observing, False)]) == joined([(observing, True)])
    assert joined([(observing, False)]).tool("send_email").effect == "none"
