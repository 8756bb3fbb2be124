"""Where the values of a request came from, as operators read it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from assent.contract.control.flows import FlowTrace, FlowValue
from assent.flows import (
    Called,
    Digester,
    LabelPut,
    Provenance,
    Reason,
    Session,
    digest_call,
    fold_result,
    question,
    shipped_pack,
    trace,
    user_text,
)
from assent.origins import LONGEST_TEXT, MOST_LABELS, MOST_VALUES, REACH, TraceFacts, origins
from assent_service.control.guard.flows import recorded_trace

IBAN = "DE89370400440532013000"
PROSE = f"Dear customer, kindly pay the open amount to {IBAN} this week, or write to eve@evil.example about it."
DIGESTER = Digester(bytes(32))


def session() -> Session:
    """The user asks; a record, a text and another record are read."""
    found, pack = Session(), shipped_pack()
    found.fold(user_text("Pay the bill in bill.txt and tell Dora", DIGESTER))
    for number, (tool, argument, answer) in enumerate(
        [
            ("get_contact", "name", {"iban": "GB29NWBK60161331926819"}),
            ("read_file", "path", PROSE),
            ("get_record", "id", {"total": 98.7}),
        ],
        start=1,
    ):
        kind = pack.tool(tool, [argument])
        found.fold(Called(number))
        found.fold(fold_result(answer, call=number, name=tool, tool=kind, digester=DIGESTER, pack=pack))
    return found


def seen(arguments: dict[str, Any], of: Session | None, *, withheld: bool = False) -> FlowTrace:
    call = digest_call("send_money", arguments, digester=DIGESTER, pack=shipped_pack())
    return recorded_trace(trace(of, call, withheld=withheld))


def test_each_value_is_told_with_its_place_and_what_nobody_named_first() -> None:
    arguments = {"to": "Dora", "recipient": IBAN, "from_account": "GB29NWBK60161331926819", "copy_to": "x@new.example"}
    told = origins(seen(arguments, session()), {"action_type": "send_money", "parameters": arguments})
    assert told.lines() == [
        f"recipient “{IBAN}”: This account number appears only in the text of what read_file answered, read 2 steps "
        "ago; the user never named it.",
        "copy_to “x@new.example”: This email address stands neither in what the user said nor in any answer of "
        "this session.",
        "from_account “GB29NWBK60161331926819”: This account number comes from the field iban of what get_contact "
        "answered, read 3 steps ago; the user never named it.",
        "to “Dora”: This value was named by the user.",
        "The session has the label untrusted_seen: text of somebody else was read. It was put on last by what "
        "read_file answered, read 2 steps ago.",
    ]
    assert [each.doubtful for each in told.values] == [True, True, False, False]


def test_a_label_of_the_house_is_told_behind_those_that_rules_look_at() -> None:
    marked = session()
    marked.fold(LabelPut(0, "customer_data", "told"))
    marked.fold(LabelPut(3, "injection_found", "told"))
    for number in range(MOST_LABELS):
        marked.fold(LabelPut(1, f"own_{number}", "told"))
    assert list(origins(seen({"to": "Dora"}, marked), {}).session) == [
        "The session has the label injection_found: a text was found to hold orders. It was put on last by what "
        "get_record answered, read in the step before.",
        "The session has the label untrusted_seen: text of somebody else was read. It was put on last by what "
        "read_file answered, read 2 steps ago.",
        "The session has the label customer_data. No answer of a tool that is kept put it on.",
        *(
            f"The session has the label own_{number}. It was put on last by what get_contact answered, read 3 "
            "steps ago."
            for number in range(MOST_LABELS - 3)
        ),
        "It has 3 more labels.",
    ]


def test_what_is_not_known_is_said_instead() -> None:
    (untold,) = origins(seen({"recipient": IBAN}, None), {"parameters": {"recipient": IBAN}}).lines()
    assert untold.startswith("Nothing was told of this session")
    withheld = origins(seen({}, session(), withheld=True), {"parameters_digest": "sha256:00"}).lines()
    assert withheld[0].startswith("This call keeps its parameters to itself")
    part = session()
    part.complete = False
    assert "a text that has one of these values may be missing" in origins(seen({}, part), {}).session[0]


def test_how_far_an_approval_reaches_is_told_where_values_are_trusted_later() -> None:
    arguments = {"recipient": IBAN}
    told = origins(seen(arguments, session()), {"parameters": arguments})
    assert told.reach == REACH
    assert REACH not in told.lines(), "a proof tells where values came from"
    assert origins(seen(arguments, None), {"parameters": arguments}).reach == ""
    assert origins(seen({}, session(), withheld=True), {"parameters_digest": "sha256:00"}).reach == ""


def test_only_what_stands_in_the_request_is_shown() -> None:
    flow = seen({"recipient": IBAN}, session())
    (erased,) = origins(flow, {}).values
    assert (erased.text, erased.argument) == (None, "recipient")
    (other,) = origins(flow, {"parameters": {"recipient": "another one"}}).values
    assert other.text is None, "a value of another shape is not the one"
    (redacted,) = origins(
        seen({"password": "[REDACTED:token]"}, session()), {"parameters": {"password": "[REDACTED:token]"}}
    ).values
    assert redacted.text == "[REDACTED:token]"


def test_long_requests_and_strange_traces_end() -> None:
    names = {"to": [f"x{number}@new.example" for number in range(MOST_VALUES + 5)]}
    told = origins(seen(names, session()), {"parameters": names})
    assert (len(told.values), told.more) == (MOST_VALUES, 5)
    assert told.lines()[MOST_VALUES] == "5 more values were looked at."
    long = {"recipient": "Q" * 3000}
    (value,) = origins(seen(long, session()), {"parameters": long}).values
    assert value.text is not None
    assert (len(value.text), value.text[-1]) == (LONGEST_TEXT, "…")
    flow = seen({"recipient": IBAN}, session())
    (strange,) = flow.values
    assert isinstance(strange, FlowValue)
    odd = replace(flow, values=[replace(strange, origin="the moon")], tools={}, label_calls={})
    assert "stands neither in what the user said" in origins(odd, {}).values[0].sentence


def test_a_question_about_the_whole_call_names_the_text_where_its_version_does() -> None:
    asked, known = Reason("blind"), session()
    named = (
        "Text of somebody else was read before, the last of it in what read_file answered, read 2 steps ago, and this "
        "call has no value that could be traced: check that the user asked for it."
    )
    assert question(asked, known) == named
    flow = seen({}, known)
    assert question(asked, TraceFacts(replace(flow, version="next"))) == named
    earlier = "Text of somebody else was read before, and this call has no value that could be traced."
    assert question(asked, TraceFacts(replace(flow, version="4"))) == earlier
    assert question(asked, TraceFacts(replace(flow, version="next", label_calls={"untrusted_seen": 0}))) == earlier
    command = question(Reason("blind", "command", "payload"), known)
    assert command.endswith("and this payload (command) cannot be traced: check that the user asked for it.")


def test_a_command_that_a_text_has_asks_to_look_where_its_version_does() -> None:
    reason = Reason("provenance", "command", "command", origin=Provenance("free", free_call=2))
    known = session()
    found = question(reason, known)
    assert found.endswith("read 2 steps ago: check that the user asked for it.")
    flow = seen({}, known)
    assert question(reason, TraceFacts(replace(flow, version="6", tools={"2": "read_file"}))) == found
    earlier = question(reason, TraceFacts(replace(flow, version="5", tools={"2": "read_file"})))
    assert earlier.endswith("read 2 steps ago; the user never named it.")


@pytest.mark.parametrize(
    ("version", "sentence"),
    [
        ("5", "This value (to) occurred nowhere in this session: neither the user nor any answer has it"),
        ("6", "This value (to) stands neither in what the user said nor in any answer of this session"),
    ],
)
def test_a_decision_of_before_is_said_in_the_words_that_it_recorded(version: str, sentence: str) -> None:
    reason = Reason("unknown", "to", "destination", "value", Provenance("unknown"))
    assert question(reason, TraceFacts(replace(seen({"to": "Zoe"}, session()), version=version))).startswith(sentence)
