"""Digests of acts and of parameters, published: whoever computes them elsewhere gets these values.

The canonical bytes stand beside them, written by hand after RFC 8785, so that a wrong digest can be told from wrong
bytes. Floats, names and texts beyond ASCII are in.
"""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
import rfc8785

from assent.proof.act import ACT, act, act_digest, parameters_digest
from assent.proof.canonical import CanonicalError

# Parameters, their canonical form, its SHA-256.
PARAMETERS: list[tuple[object, str, str]] = [
    ({}, "{}", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"),
    (
        {"amount": 1e21, "rate": 0.1, "tiny": 1e-7, "neg": -0.0, "whole": 100.0, "big": 333333333.33333329},
        '{"amount":1e+21,"big":333333333.3333333,"neg":0,"rate":0.1,"tiny":1e-7,"whole":100}',
        "b22838b340698cabd3caf43eb2ffdb662d72fd38e2c54dfb465c0d421eebabb0",
    ),
    (
        {"größe": "naïve €", "\U0001f600": "z", "\ufb33": "a", "b\n": ["\u2028", "\x7f"]},
        '{"b\\n":["\u2028","\x7f"],"größe":"naïve €","\U0001f600":"z","\ufb33":"a"}',
        "00756debb236935daa150c3192e159de8b9fd60dc9eef8530b60196502f07cb8",
    ),
    (
        {"a": [1, True, None, {"b": []}]},
        '{"a":[1,true,null,{"b":[]}]}',
        "9bf3cd90997ab3f134a9e5925a6f8d6207aa72041008662a89a81400138974cd",
    ),
]
TENTH = "sha256:49ad50cd597e508a22be26466f1664fab1628b493f4496f7cc82250d33c1540b"  # of {"amount":0.1}

Given = tuple[str, str | None, list[str] | None, str | None]
ACTS: list[tuple[Given, str, str]] = [
    (
        ("deploy", None, None, None),
        '{"action_type":"deploy","declared_goal":null,"parameters_digest":null,"systems_touched":[]}',
        "e78cfe9ef18bed1665fd1d67061c832fb1fe61734ade6a0404817b23c4f47ba8",
    ),
    (
        ("pay", "Überweisung an Zoë €", ["bank", "кредит", "😀"], TENTH),
        '{"action_type":"pay","declared_goal":"Überweisung an Zoë €",'
        f'"parameters_digest":"{TENTH}","systems_touched":["bank","кредит","😀"]}}',
        "f45f4b641828527a06778c52380fabc83d8a55715ea3eb73737527cbce347377",
    ),
    (
        ("refund", "", ["b", "a"], None),
        '{"action_type":"refund","declared_goal":"","parameters_digest":null,"systems_touched":["b","a"]}',
        "e6e0eff55e27e533d1e5d9f8ca147b8402227776490dc39e529870190e31ed97",
    ),
    (
        ("refund", "", ["a", "b"], None),
        '{"action_type":"refund","declared_goal":"","parameters_digest":null,"systems_touched":["a","b"]}',
        "3f4a914af5f56cb2407d372a1b8497c94456bd775bb7d58c963651583fb6dbbe",
    ),
]


@pytest.mark.parametrize(("parameters", "text", "expected"), PARAMETERS)
def test_parameters(parameters: object, text: str, expected: str) -> None:
    assert hashlib.sha256(text.encode()).hexdigest() == expected
    assert parameters_digest(parameters) == f"sha256:{expected}"


@pytest.mark.parametrize(("given", "text", "expected"), ACTS)
def test_acts(given: Given, text: str, expected: str) -> None:
    assert hashlib.sha256(text.encode()).hexdigest() == expected
    members: Any = act(*given)
    assert rfc8785.dumps(members) == text.encode()
    assert act_digest(*given) == f"sha256:{expected}"


def test_an_act_is_its_four_members() -> None:
    assert tuple(act("deploy", None, None, None)) == ACT
    assert ACT == ("action_type", "declared_goal", "systems_touched", "parameters_digest")


def test_no_systems_are_the_empty_list_but_no_goal_is_not_the_empty_one() -> None:
    assert act_digest("a", None, [], None) == act_digest("a", None, None, None) == act_digest("a", None, (), None)
    assert act_digest("a", "", None, None) != act_digest("a", None, None, None)


def test_order_of_members_and_notation_of_numbers_do_not_matter() -> None:
    assert parameters_digest({"a": 1, "b": 2.50}) == parameters_digest({"b": 2.5, "a": 1.0})


@pytest.mark.parametrize("wrong", [{"a": float("nan")}, {"a": 2**53}, {"a": "\ud800"}, {"a": {1, 2}}, {1: "a"}])
def test_what_json_cannot_carry_has_no_digest(wrong: object) -> None:
    with pytest.raises(CanonicalError):
        parameters_digest(wrong)
