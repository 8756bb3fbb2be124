"""Filling in placeholders: text in, text out, once."""

from __future__ import annotations

import string
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.exchange.prompts.rendering import LONGEST_RESULT, LONGEST_VALUE, placeholders, render

FIRST = frozenset(string.ascii_letters + "_")
MORE = FIRST | frozenset(string.digits + ".-")
SPACE = frozenset(" \t\r\n")


def by_splitting(content: str, variables: dict[str, Any]) -> tuple[str, list[str]]:
    """The same by another way: wherever `}}` ends a piece, what stands behind its last `{{` may be a name."""
    pieces = content.split("}}")
    done = ""
    missing: list[str] = []
    for number, piece in enumerate(pieces):
        if number == len(pieces) - 1:
            return done + piece, missing
        before, braces, inside = piece.rpartition("{{")
        name = inside.strip("".join(SPACE))
        if not braces or not name or name[0] not in FIRST or not set(name) <= MORE:
            done += piece + "}}"
        elif name in variables:
            value = variables[name]
            done += before + (value if isinstance(value, str) else msgspec.json.encode(value).decode())
        else:
            done += piece + "}}"
            if name not in missing:
                missing.append(name)
    raise AssertionError("split gives at least one piece")


@pytest.mark.parametrize(
    ("content", "variables", "text", "missing"),
    [
        ("Hello {{ name }}!", {"name": "Ann"}, "Hello Ann!", []),
        ("{{name}}{{ name}}{{name }}{{\n\tname\r }}", {"name": "x"}, "xxxx", []),
        ("nothing", {"name": "x"}, "nothing", []),
        ("", {}, "", []),
        ("{{ a }} and {{ b }} and {{ a }}", {"b": "B"}, "{{ a }} and B and {{ a }}", ["a"]),
        ("{{a}}", {"a": ""}, "", []),
        # Everything that is no text becomes its JSON.
        ("{{a}}|{{b}}|{{c}}|{{d}}|{{e}}", {"a": 1, "b": 1.5, "c": True, "d": None, "e": {"k": ["v"]}}, None, []),
        # Names are names: dots and dashes reach into nothing and mean nothing else.
        ("{{ a.b }}", {"a": {"b": "inside"}}, "{{ a.b }}", ["a.b"]),
        ("{{ a.b }}", {"a.b": "flat", "axb": "wrong"}, "flat", []),
        ("{{ axb }}", {"a.b": "wrong"}, "{{ axb }}", ["axb"]),
        ("{{ user-id }}{{ _x9 }}", {"user-id": "u", "_x9": "9"}, "u9", []),
        ("{{ __class__ }}", {"a": "x"}, "{{ __class__ }}", ["__class__"]),
        ("{{ a.__class__ }}", {"a": "x"}, "{{ a.__class__ }}", ["a.__class__"]),
        # Names with a meaning to regular expressions name no placeholder, and harm nobody.
        ("{{ a }} (.*)", {".*": "x", "(a+)+$": "x", "a|b": "x", "[": "x", "a": "ok"}, "ok (.*)", []),
        # Values are put in as they are.
        (r"{{ a }}", {"a": r"\g<0> \1 \n $1 & \\"}, r"\g<0> \1 \n $1 & \\", []),
        ("{{ a }}", {"a": "{{ a }}"}, "{{ a }}", []),
        ("{{ a }}{{ b }}", {"a": "{{ b }}", "b": "B"}, "{{ b }}B", []),
        ("{{ a }}b }}", {"a": "{{ ", "b": "B"}, "{{ b }}", []),
        # No includes, no blocks, no expressions, no filters, no comments.
        ("{{> self}}", {"self": "x", "> self": "x"}, "{{> self}}", []),
        ("{% include 'self' %}{# c #}${a}$a%(a)s{a}", {"a": "x"}, "{% include 'self' %}{# c #}${a}$a%(a)s{a}", []),
        ("{{ 7*7 }}{{ a|upper }}{{ a() }}", {"a": "x"}, "{{ 7*7 }}{{ a|upper }}{{ a() }}", []),
        ("{{ a b }}{{ }}{{}}", {"a": "x"}, "{{ a b }}{{ }}{{}}", []),
        ("{{ 1a }}{{ é }}{{ .a }}", {"1a": "x", "é": "x", ".a": "x"}, "{{ 1a }}{{ é }}{{ .a }}", []),
        # Braces beside a placeholder stay.
        ("{{{ a }}}", {"a": "x"}, "{x}", []),
        ("{{ {{ a }} }}", {"a": "x"}, "{{ x }}", []),
        ("{{ a }", {"a": "x"}, "{{ a }", []),
        ("{{ a \u00a0}}", {"a": "x"}, "{{ a \u00a0}}", []),
    ],
)  # fmt: skip
def test_render(content: str, variables: dict[str, Any], text: str | None, missing: list[str]) -> None:
    expected = '1|1.5|true|null|{"k":["v"]}' if text is None else text
    found = render(content, variables)
    assert (found.text, found.missing) == (expected, missing)
    assert by_splitting(content, variables) == (expected, missing)


def test_placeholders_are_named_once_in_their_order() -> None:
    content = "{{ b }}{{a}}{{b}}{{> c}}{{ d.e-f }}"
    assert placeholders(content) == ["b", "a", "d.e-f"]
    assert placeholders("") == []


NAMES = st.sampled_from(["a", "b", "a.b", "x-y", "_"])
PIECES = st.one_of(
    st.sampled_from(["{{", "}}", "{", "}", " ", "\n", "a", "b", ".", "-", "1", ">", "\\g<0>", "{{ a }}", "{{b}}"]),
    st.text(max_size=3),
)
TEXTS = st.lists(PIECES, max_size=25).map("".join)
VALUES = st.one_of(TEXTS, st.integers(-9, 9), st.booleans(), st.none(), st.lists(TEXTS, max_size=2))


@given(TEXTS, st.dictionaries(NAMES, VALUES, max_size=5))
def test_rendering_is_one_pass_of_splitting(content: str, variables: dict[str, Any]) -> None:
    found = render(content, variables)
    assert (found.text, found.missing) == by_splitting(content, variables)
    assert set(found.missing) == set(placeholders(content)) - set(variables)


@given(TEXTS)
def test_without_variables_nothing_changes(content: str) -> None:
    assert render(content, {}).text == content


def refusal(content: str, variables: dict[str, Any]) -> Refusal:
    with pytest.raises(Refusal) as found:
        render(content, variables)
    assert found.value.code is Code.INVALID_BODY
    return found.value


def test_a_value_has_a_longest_length() -> None:
    assert len(render("{{ a }}", {"a": "x" * LONGEST_VALUE}).text) == LONGEST_VALUE
    too_long = refusal("{{ a }}", {"a": "x" * (LONGEST_VALUE + 1)})
    assert [error.place for error in too_long.errors] == ["variables.a"]
    assert "100001" in too_long.detail
    assert [error.place for error in refusal("{{ a }}", {"a": [0] * LONGEST_VALUE}).errors] == ["variables.a"]
    # What is not asked for is not put in.
    assert render("{{ b }}", {"a": "x" * (LONGEST_VALUE + 1), "b": ""}).text == ""


def test_repetition_cannot_blow_the_result_up() -> None:
    value = "x" * LONGEST_VALUE
    assert LONGEST_RESULT == 4 * LONGEST_VALUE
    assert len(render("{{a}}" * 4, {"a": value}).text) == LONGEST_RESULT
    for content in ("{{a}}" * 4 + "!", "!" + "{{a}}" * 4, "{{a}}" * 20_000, "{{a}}" * 4 + "{{b}}"):
        assert [error.place for error in refusal(content, {"a": value}).errors] == ["variables"]


@pytest.mark.parametrize(
    "content",
    [
        "{{" * 50_000,
        "{{" + " " * 99_000,
        "{{" + "a" * 99_000,
        "{{ a" * 25_000,
        "{{a" + " " * 99_000 + "}",
        "{{a}" * 25_000,
    ],
    ids=["open", "spaces", "name", "names", "tail", "half"],
)
def test_what_never_closes_is_read_once(content: str) -> None:
    # Trying again from every place would take minutes, and the suite's limit would say so.
    assert render(content, {"a": "x"}).text == content
