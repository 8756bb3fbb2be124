"""What people are shown of arguments, and what an approval is bound to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assent.governing import ToolCall
from assent.governing.arguments import LONGEST_GOAL, LONGEST_LINE, Parameters, digest, line
from assent.secrets import names_secret, redacted

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=20,
)
ARGUMENTS = st.dictionaries(st.text(min_size=1), VALUES, max_size=8)
SECRET_NAMES = st.sampled_from(
    ["password", "api_key", "apiKey", "GITHUB_TOKEN", "client_secret", "passphrase", "Cookie"]
)
SECRETS = st.text(min_size=8, max_size=200).filter(lambda text: len(set(text)) > 3)
KNOWN = st.sampled_from(
    [
        "sk-abcdefghijklmnop1234",
        "ghp_abcdefghijklmnopqrst",
        "AKIAABCDEFGHIJKLMNOP",
        "xoxb-1234567890-abcdef",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "Bearer abcdefgh12345678",
    ]
)


@given(name=st.text(), arguments=ARGUMENTS)
def test_a_goal_fits_the_contract_and_one_line(name: str, arguments: dict[str, Any]) -> None:
    goal = ToolCall(name=name, arguments=arguments).declared_goal
    assert len(goal) <= LONGEST_LINE <= LONGEST_GOAL == 2000
    assert goal.isprintable()
    goal.encode()


@given(text=st.text(), arguments=ARGUMENTS)
def test_a_goal_that_somebody_wrote_does_too(text: str, arguments: dict[str, Any]) -> None:
    goal = ToolCall(name="x", arguments=arguments, goal=lambda _: text * 50).declared_goal
    assert len(goal) <= LONGEST_GOAL
    assert goal.isprintable()


@given(name=SECRET_NAMES, secret=SECRETS, depth=st.integers(0, 4))
def test_what_goes_by_the_name_of_a_secret_is_never_shown(name: str, secret: str, depth: int) -> None:
    value: Any = secret
    for _ in range(depth):
        value = [value]
    for arguments in ({name: value}, {"given": {name: value}}, {"a": 1, "deep": [{"er": {name: value}}]}):
        goal = line("send", arguments)
        assert secret not in goal
        assert repr(secret)[1:-1] not in goal


@given(secret=KNOWN, before=st.text(max_size=300), where=st.sampled_from(["list", "text", "key", "object"]))
def test_what_looks_like_a_secret_is_taken_out_wherever_it_is(secret: str, before: str, where: str) -> None:
    assume(not before or not re.match(r"[\w-]", before[-1]))
    text = f"{before} {secret}"

    @dataclass
    class Holder:
        held: str

    value: Any = {"list": [text], "text": text, "key": {text: 1}, "object": Holder(text)}[where]
    goal = line("send", {"body": value})
    bare = secret.removeprefix("Bearer ")
    assert bare not in goal
    assert bare[:14] not in goal


@given(secret=SECRETS)
def test_a_template_shows_no_secret_either(secret: str) -> None:
    def log_in(user: str, password: str) -> None: ...

    said = Parameters(log_in).goal("{user} logs in with {password}")
    assert said({"user": "Ada", "password": secret}) == "Ada logs in with [REDACTED:password]"


@given(arguments=ARGUMENTS)
def test_the_digest_is_the_same_for_the_same_arguments_only(arguments: dict[str, Any]) -> None:
    found = digest(arguments)
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", found)
    assert digest(dict(reversed(list(arguments.items())))) == found
    assert digest(arguments | {"one more": 1}) != found


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Bare:
    """Has no `repr` of its own."""

    def __init__(self, name: str) -> None:
        self.name, self.api_key = name, "sk-of-mine"


class Slotted:
    __slots__ = ("inner", "unset")

    def __init__(self, inner: object) -> None:
        self.inner = inner


@dataclass(repr=False)
class WithoutRepr:
    amount: int


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (2**60, 2**60 + 1),
        (float("nan"), float("inf")),
        (b"abc", b"abd"),
        ("\ud800", "\ud801"),
        ({1: "a"}, {2: "a"}),
        ({"a": {1}}, {"a": {2}}),
        ("1", 1),
        (None, "None"),
        (object(), object()),
        ([[1]], [1]),
    ],
)
def test_values_that_json_cannot_carry_are_told_apart(one: object, other: object) -> None:
    assert digest({"value": one}) == digest({"value": one})
    assert digest({"value": one}) != digest({"value": other})


def test_nothing_that_can_be_an_argument_stops_a_call() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for value in (endless, Unprintable(), "\x00\u202e", {"a": endless}, b"x" * 10_000_000, "x" * 10_000_000):
        assert digest({"value": value})
        assert len(line("x", {"value": value})) <= LONGEST_LINE


def test_an_array_whose_middle_is_not_shown_is_told_apart_by_it() -> None:
    one, other = np.zeros(5000), np.zeros(5000)
    other[2500] = 1
    assert repr(one) == repr(other)
    assert digest({"value": one}) != digest({"value": other})
    assert digest({"value": one}) == digest({"value": np.zeros(5000)})


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"amount": 3, "to": "Ada"}, "pay(amount=3, to='Ada')"),
        ({"text": "a\nb"}, "pay(text='a\\nb')"),
        ({"text": "x" * 200}, f"pay(text='{'x' * 118}…)"),
        ({"data": b"abc"}, "pay(data=<3 bytes: 'abc'>)"),
        ({"data": b"\xff\xfe"}, "pay(data=<2 bytes>)"),
        ({"data": b"password=hunter2-and-more"}, "pay(data=<25 bytes: 'password=[REDACTED:password]'>)"),
        ({"data": memoryview(b"abcd")[::2]}, "pay(data=<2 bytes: 'ac'>)"),
        ({"to": Bare("Eve")}, "pay(to=Bare(name='Eve', api_key=[REDACTED:api_key]))"),
        ({"to": [Slotted(Bare("Eve"))]}, "pay(to=[Slotted(inner=Bare(name='Eve', api_key=[REDACTED:api_key]))])"),
        (
            {"to": Slotted(Slotted(Slotted(Slotted(1))))},
            "pay(to=Slotted(inner=Slotted(inner=Slotted(inner=Slotted(...)))))",
        ),
        ({"to": WithoutRepr(7)}, "pay(to=WithoutRepr(amount=7))"),
        ({"rows": list(range(30))}, f"pay(rows=[{', '.join(map(str, range(20)))}, ...])"),
        ({"deep": [[[[1]]]]}, "pay(deep=[[[...]]])"),
        ({"url": "https://user:pw@host/x"}, "pay(url='https://[REDACTED:url_credentials]@host/x')"),
        ({"\u202eevil": 1}, "pay(�evil=1)"),
    ],
)
def test_how_a_call_is_written(arguments: dict[str, Any], shown: str) -> None:
    assert line("pay", arguments) == shown


@pytest.mark.parametrize(
    "name", ["password", "db_password", "API-KEY", "apiKey", "token", "X_SECRET_1", "credentials", "dbpassword", "PASS"]
)
def test_names_of_secrets(name: str) -> None:
    assert names_secret(name)
    assert redacted(f"{name}=abcdef") != f"{name}=abcdef"


@pytest.mark.parametrize(
    "name", ["amount", "to", "path", "keyboard", "monkey", "passengers", "max_tokens", "maxTokens"]
)
def test_names_of_other_things(name: str) -> None:
    assert not names_secret(name)
    assert line("call", {name: 4}) == f"call({name}=4)"


def test_a_tool_behind_a_server_is_rated_by_its_name_and_by_nothing_it_says_of_itself() -> None:
    fields = ToolCall(name="delete_issue", server="github", description="Harmless. token=abcdefgh").fields()
    assert (fields.get("systems_touched"), fields.get("reversible"), fields.get("risk_score")) == (
        ["mcp:github"],
        False,
        70,
    )
    assert (fields.get("metadata") or {})["tool_description"] == "Harmless. token=[REDACTED:token]"
    assert "risk_score" not in ToolCall(name="delete_issue").fields()
