"""The pattern of a request covers this very request and no other, for guard as for a proof."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.proof.act import parameters_digest
from assent_service.control.grants.pattern import MOST_MEMBERS, arguments_of, pattern_of
from tests.service.control.grants.test_coverage import decision, left_out, replayed

LONG = "Dear team, " + "all is well. " * 60
MAIL: dict[str, Any] = {"to": ["team@example.org"], "attachments": [], "body": LONG}
NONE_SENT = ["parameters", "parameters_digest"]
NAMES = st.sampled_from(["to", "cc", "a.b", "", "body", "n" * 300]) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=3
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.sampled_from([0, 0.0, -0.0, 1, 1.0, True, False, "1", "", "true", 0.5, 1e300, 2.0**60, LONG, LONG + "."])
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
PARAMETERS = st.dictionaries(NAMES, VALUES, max_size=5)


def conditions(context: Mapping[str, Any]) -> list[dict[str, Any]]:
    when = pattern_of(context).when
    return [] if when is None else when["all"]


def covers(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether a grant as drafted from one request covers another; guard and the proof agree."""
    when = pattern_of(decision(first).context).when
    assert when is not None
    found = decision(second)
    fits = left_out(found, when=when) == []
    assert replayed(found, when) is fits
    return fits


@st.composite
def changed(draw: st.DrawFn, parameters: dict[str, Any]) -> dict[str, Any]:
    """Other parameters, most of them nearly the same: one argument more, less, or other."""
    name = draw(st.sampled_from([*parameters]) if parameters else NAMES)
    kind = draw(st.sampled_from(["more", "less", "other", "anything"]))
    if kind == "less":
        return {each: value for each, value in parameters.items() if each != name}
    if kind == "anything":
        return draw(PARAMETERS)
    return parameters | {draw(NAMES) if kind == "more" else name: draw(VALUES)}


@given(st.data())
def test_a_grant_as_drafted_covers_the_same_parameters_and_no_others(data: st.DataObject) -> None:
    parameters = data.draw(PARAMETERS)
    other = data.draw(changed(parameters))
    asked = {"parameters": parameters}
    assert pattern_of(asked).unbound == []
    assert covers(asked, {"parameters": dict(reversed(parameters.items()))})
    assert covers(asked, {"parameters": other}) is (parameters_digest(parameters) == parameters_digest(other))
    assert not covers(asked, {})
    assert not covers(asked, {"parameters_digest": parameters_digest(parameters)}), "kept back is not shown"
    assert not covers({}, asked)


@pytest.mark.parametrize("later", [
    MAIL | {"bcc": ["x@evil.example"]},
    MAIL | {"bcc": None},
    MAIL | {"attachments": ["/etc/shadow"]},
    MAIL | {"body": LONG[:-1]},
    MAIL | {"to": ["team@example.org", "boss@rival.example"]},
    {name: value for name, value in MAIL.items() if name != "body"},
    {},
])  # fmt: skip
def test_a_mail_with_one_part_other_is_another_one(later: dict[str, Any]) -> None:
    assert covers({"parameters": MAIL}, {"parameters": MAIL})
    assert not covers({"parameters": MAIL}, {"parameters": later})


def test_what_a_digest_binds_is_told_in_a_few_words() -> None:
    assert pattern_of({"parameters": MAIL}).exact == {
        "parameters.to": "1 item: “team@example.org”",
        "parameters.attachments": "no items",
        "parameters.body": "791 characters",
    }
    told = {"a": {}, "b": {"x": 1}, "c": [1, 2, 3], "d": ["x" * 90], "e": 2.0**60}
    assert pattern_of({"parameters": told}).exact == {
        "parameters.a": "no members",
        "parameters.b": "1 member",
        "parameters.c": "3 items",
        "parameters.d": "1 item",
        "parameters.e": "a number",
    }


def test_plain_arguments_are_conditions_that_can_be_read() -> None:
    assert conditions(
        {"declared_goal": "Pay", "parameters": {"amount": 40, "sure": True, "to": "x", "none": None}}
    ) == [
        {"field": "parameters", "members": ["amount", "sure", "to", "none"]},
        {"field": "parameters.amount", "op": "eq", "value": 40},
        {"field": "parameters.sure", "op": "eq", "value": True},
        {"field": "parameters.to", "op": "eq", "value": "x"},
        {"field": "parameters.none", "op": "exists", "value": False},
    ]


@pytest.mark.parametrize(
    "parameters",
    [{}, {"a.b": 1}, {"": 1}, {"n" * 250: 1}, {f"m{number}": number for number in range(MOST_MEMBERS + 1)}],
)
def test_parameters_without_a_path_each_or_of_many_members_are_bound_as_one(parameters: dict[str, Any]) -> None:
    assert conditions({"parameters": parameters}) == [{"field": "parameters", "digest": parameters_digest(parameters)}]


def test_the_goal_binds_only_where_nothing_is_done_with_anything() -> None:
    nothing = [
        {"field": "parameters", "op": "exists", "value": False},
        {"field": "parameters_digest", "op": "exists", "value": False},
    ]
    assert conditions({}) == nothing
    assert conditions({"declared_goal": "Pay"}) == [*nothing, {"field": "declared_goal", "op": "eq", "value": "Pay"}]
    kept_back = {"declared_goal": "Pay", "parameters_digest": "sha256:0"}
    assert conditions(kept_back) == [{"field": "parameters_digest", "op": "eq", "value": "sha256:0"}]
    long = {"declared_goal": "x" * 501}
    assert covers(long, long)
    assert not covers(long, long | {"parameters": {"argv": ["curl"]}})


def test_a_blanked_secret_is_bound_by_the_digest_that_was_sent() -> None:
    blanked = {"parameters": {"token": "[blanked]"}, "parameters_digest": parameters_digest({"token": "first"})}
    assert covers(blanked, blanked)
    assert not covers(blanked, blanked | {"parameters_digest": parameters_digest({"token": "second"})})
    same = {"parameters": {"amount": 1}, "parameters_digest": parameters_digest({"amount": 1})}
    assert covers(same, {"parameters": {"amount": 1}}), "a digest that says nothing more binds nothing more"


def test_members_that_the_contract_does_not_know_are_arguments() -> None:
    asked = {
        "declared_goal": "Send the weekly report",
        "to": ["team@example.org"],
        "tool": " Mail ",
        "tools": ["A", "b"],
        "metadata": {"call": 1},
        "session_id": "s",
    }
    assert covers(asked, asked | {"metadata": {"call": 2}, "session_id": "t", "tool": "MAIL", "tools": ["a", "B"],
                                   "declared_goal": "Another"})  # fmt: skip
    assert not covers(asked, asked | {"to": ["boss@rival.example"]})
    assert not covers(asked, asked | {"tools": ["a"]})
    assert not covers(asked, asked | {"parameters": {"argv": ["curl"]}})
    odd = pattern_of({"a.b": 1, "to": "x", "large": [2**60]})
    assert (odd.unbound, odd.binds) == (["a.b", "large"], True)
    many = pattern_of({f"m{number}": number for number in range(MOST_MEMBERS + 2)})
    assert many.unbound == [f"m{MOST_MEMBERS}", f"m{MOST_MEMBERS + 1}"]


def test_what_cannot_be_bound_is_named_and_the_goal_stands_for_nothing() -> None:
    large = pattern_of({"declared_goal": "Pay", "parameters": {"large": 2**60}})
    assert (large.when, large.unbound, large.binds) == (None, ["parameters"], False)
    odd = pattern_of({"declared_goal": "Pay", "a.b": 1})
    assert (odd.unbound, odd.binds) == (["a.b"], False)
    assert [each["field"] for each in conditions({"declared_goal": "Pay", "a.b": 1})] == NONE_SENT


def test_systems_are_the_same_in_the_same_order() -> None:
    asked = {"parameters": {"a": 1}, "systems_touched": ["Bank", "ledger"], "reversible": True}
    assert pattern_of(asked).exact == {"systems_touched": "2 items: “bank”, “ledger”"}
    assert covers(asked, asked | {"systems_touched": ["BANK", "Ledger"]})
    assert not covers(asked, asked | {"systems_touched": ["ledger", "bank"]})
    assert not covers(asked, asked | {"systems_touched": ["bank", "ledger", "vault"]})
    assert not covers(asked, asked | {"reversible": False})
    assert not covers(asked, {"parameters": {"a": 1}, "reversible": True})


def test_the_names_of_arguments() -> None:
    assert arguments_of({"declared_goal": "x", "parameters": {"b": 1, "a": 2}, "to": "x", "metadata": {}}) == [
        "b", "a", "to",
    ]  # fmt: skip
    assert arguments_of({"parameters_digest": "sha256:0"}) == ["parameters"]
    assert arguments_of({"declared_goal": "x"}) == []


def test_what_is_said_of_where_it_goes_is_bound_member_by_member() -> None:
    said = {"destination_visibility": "private", "data_classification": "public", "reversal_bound_seconds": 3600}
    sent = {"parameters": {"doc": "salaries.pdf"}, "externality": said}
    assert covers(sent, sent)
    for more in (
        {"destination_visibility": "public"},
        {"reversal_bound_seconds": 0},
        {"account_provenance": "shared"},
        {"data_classification": None},
    ):
        other = {name: value for name, value in (said | more).items() if value is not None}
        assert not covers(sent, sent | {"externality": other})


@pytest.mark.parametrize("parameters", [{"amount": 1}, None])
def test_what_is_said_of_it_that_the_contract_does_not_know_is_bound_too(parameters: dict[str, Any] | None) -> None:
    said = {"destination_visibility": "private", "to": "IBAN-1", "amount": 5}
    sent = {"externality": said} | ({} if parameters is None else {"parameters": parameters})
    assert covers(sent, sent)
    for other in (said | {"to": "IBAN-2"}, said | {"amount": 5000}, said | {"cc": "x"}, {"to": "IBAN-1", "amount": 5}):
        assert not covers(sent, sent | {"externality": other})
    dotted = {"externality": {"a.b": 1}}
    assert covers(dotted, dotted)
    assert not covers(dotted, {"externality": {"a.b": 2}})
    assert pattern_of({"externality": {"large": 2**60}}).unbound == ["externality"]


def test_the_names_of_metadata_are_told_and_their_values_not_bound() -> None:
    sent = {"parameters": {"amount": 1}, "metadata": {"to": "IBAN-1", "tool": "pay"}}
    assert pattern_of(sent).unbound_metadata == ["to", "tool"]
    assert pattern_of({"parameters": {"amount": 1}}).unbound_metadata == []
    assert covers(sent, sent | {"metadata": {"to": "IBAN-2"}})
