"""The condition tree: what is read, what is refused and where."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.conditions import (
    MAX_DEPTH,
    WORDS,
    All,
    Any_,
    Compare,
    ConditionError,
    Not,
    Op,
    describe,
    in_words,
    parse,
    session_leaves,
    to_data,
)


def leaf(op: str, value: object, field: str = "risk_score") -> dict[str, object]:
    return {"field": field, "op": op, "value": value}


def test_a_tree_becomes_structs_and_data_again() -> None:
    data = {
        "all": [
            leaf("gte", 60),
            {"any": [leaf("in", ["deploy", 1, True], "action_type"), leaf("exists", False, "metadata.ticket")]},
            {"not": leaf("matches", "^rm", "declared_goal")},
        ]
    }
    tree = parse(data)
    assert tree == All(
        (
            Compare(field="risk_score", op=Op.GTE, value=60),
            Any_(
                (
                    Compare(field="action_type", op=Op.IN, value=("deploy", 1, True)),
                    Compare(field="metadata.ticket", op=Op.EXISTS, value=False),
                )
            ),
            Not(Compare(field="declared_goal", op=Op.MATCHES, value="^rm")),
        )
    )
    assert to_data(tree) == data


@pytest.mark.parametrize(
    ("data", "place", "said"),
    [
        (None, "when", "None"),
        ([], "when", "a list"),
        ({}, "when", "nothing"),
        ({"all": [leaf("eq", 1)], "any": [leaf("eq", 1)]}, "when", "'all', 'any'"),
        ({**leaf("eq", 1), "note": ""}, "when", "'note'"),
        ({"all": []}, "when.all", "at least one"),
        ({"any": leaf("eq", 1)}, "when.any", "a mapping"),
        ({"all": "risk"}, "when.all", "'risk'"),
        ({"not": [leaf("eq", 1)]}, "when.not", "a list"),
        ({"all": [leaf("eq", 1), {"any": [leaf("gt", 1), leaf("above", 2)]}]}, "when.all[1].any[1].op", "'above'"),
        (leaf("EQ", 1), "when.op", "exists"),
        (leaf("eq", 1, ""), "when.field", "''"),
        (leaf("eq", 1, "a..b"), "when.field", "empty parts"),
        (leaf("eq", 1, "x" * 257), "when.field", "256"),
        ({"all": [{"field": 7, "op": "eq", "value": 1}]}, "when.all[0].field", "7"),
        (leaf("eq", None), "when.value", "None"),
        (leaf("eq", [1]), "when.value", "a list"),
        (leaf("gte", "60"), "when.value", "number"),
        (leaf("lt", True), "when.value", "number"),
        (leaf("gt", math.nan), "when.value", "finite"),
        (leaf("eq", math.inf), "when.value", "finite"),
        (leaf("lte", 2**53), "when.value", "2^53"),
        (leaf("in", "deploy"), "when.value", "list"),
        (leaf("in", []), "when.value", "at least one"),
        (leaf("not_in", [1, [2]]), "when.value[1]", "a list"),
        (leaf("in", list(range(501))), "when.value", "500"),
        (leaf("matches", 3), "when.value", "string"),
        (leaf("starts_with", True), "when.value", "string"),
        (leaf("exists", 1), "when.value", "true or false"),
        (leaf("eq", "x" * 2001), "when.value", "2000"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(data: object, place: str, said: str) -> None:
    with pytest.raises(ConditionError) as caught:
        parse(data)
    assert caught.value.place == place
    assert said in caught.value.message
    assert str(caught.value).startswith(place)


def nested(depth: int) -> dict[str, Any]:
    tree: dict[str, Any] = leaf("eq", 1)
    for _ in range(depth - 1):
        tree = {"not": tree}
    return tree


OF_NOTHING = "sha256:" + "0" * 64
SAME: list[tuple[dict[str, Any], str]] = [
    (
        {"field": "parameters.to", "digest": OF_NOTHING},
        "parameters.to is exactly the value with the digest sha256:000000000000",
    ),
    ({"field": "parameters", "members": ["to", "", "a.b"]}, "parameters has to, , a.b and no other members"),
]


@pytest.mark.parametrize(("tree", "said"), SAME)
def test_leaves_about_a_whole_value_are_read_where_they_may_stand(tree: dict[str, Any], said: str) -> None:
    read = parse({"not": tree}, whole=True)
    assert to_data(read) == {"not": tree}
    assert describe(read) == f"not ({said})"
    for session in (False, True):
        with pytest.raises(ConditionError, match="only a standing grant"):
            parse(tree, session=session)


@pytest.mark.parametrize(
    ("leaf", "place"),
    [
        ({"field": "a..b", "digest": OF_NOTHING}, "when.field"),
        ({"field": "a", "digest": OF_NOTHING.upper()}, "when.digest"),
        ({"field": "a", "digest": OF_NOTHING + "\n"}, "when.digest"),
        ({"field": "a", "digest": None}, "when.digest"),
        ({"field": "a", "members": []}, "when.members"),
        ({"field": "a", "members": "ab"}, "when.members"),
        ({"field": "a", "members": ["b", 1]}, "when.members[1]"),
        ({"field": "a", "members": ["b" * 2001]}, "when.members[0]"),
        ({"field": "a", "members": [str(each) for each in range(501)]}, "when.members"),
    ],
)
def test_leaves_about_a_whole_value_that_cannot_be_read(leaf: dict[str, Any], place: str) -> None:
    with pytest.raises(ConditionError) as found:
        parse(leaf, whole=True)
    assert found.value.place == place


def test_sixteen_levels_are_read_and_seventeen_refused() -> None:
    assert to_data(parse(nested(16))) == nested(16)
    with pytest.raises(ConditionError, match="16 levels") as caught:
        parse(nested(17))
    assert caught.value.place == "when" + ".not" * 16


def test_256_nodes_are_read_and_257_refused() -> None:
    parse({"any": [leaf("eq", 1)] * 255})
    with pytest.raises(ConditionError, match="256 nodes"):
        parse({"any": [leaf("eq", 1)] * 256})


def test_a_cyclic_tree_ends_in_an_error() -> None:
    tree: dict[str, Any] = {}
    tree["not"] = tree
    with pytest.raises(ConditionError, match="levels"):
        parse(tree)


def test_the_place_starts_with_the_given_root() -> None:
    with pytest.raises(ConditionError) as caught:
        parse({"not": 1}, "rules.when")
    assert caught.value.place == "rules.when.not"


def test_a_long_value_is_not_repeated_in_full() -> None:
    with pytest.raises(ConditionError) as caught:
        parse(leaf("x" * 5000, 1))
    assert len(caught.value.message) < 300


def test_describe_reads_like_a_sentence_and_is_cut() -> None:
    tree = parse(
        {
            "all": [
                leaf("gte", 60),
                {"any": [leaf("eq", True, "reversible"), leaf("in", ["a", 1], "team")]},
                {"not": leaf("contains", "x", "goal")},
            ]
        }
    )
    assert describe(tree) == (
        'risk_score gte 60 and (reversible eq true or team in ["a", 1]) and not (goal contains "x")'
    )
    assert describe(tree, 20) == "risk_score gte 60..."


scalars = st.one_of(
    st.text(max_size=5), st.booleans(), st.integers(-9, 9), st.floats(allow_nan=False, allow_infinity=False)
)
leaves = st.one_of(
    st.builds(leaf, st.sampled_from(["eq", "ne", "contains"]), scalars),
    st.builds(leaf, st.sampled_from(["lt", "lte", "gt", "gte"]), st.integers(-9, 9)),
    st.builds(leaf, st.sampled_from(["in", "not_in"]), st.lists(scalars, min_size=1, max_size=3)),
    st.builds(leaf, st.sampled_from(["starts_with", "ends_with", "matches"]), st.text(max_size=5)),
    st.builds(leaf, st.just("exists"), st.booleans()),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.fixed_dictionaries({"all": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"any": st.lists(inner, min_size=1, max_size=3)}),
        st.fixed_dictionaries({"not": inner}),
    ),
    max_leaves=8,
)


@given(trees)
def test_every_tree_survives_the_round_trip(data: dict[str, Any]) -> None:
    assert to_data(parse(data)) == data


@given(
    st.recursive(
        st.one_of(st.none(), scalars, st.binary(max_size=2)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(st.sampled_from(["all", "any", "not", "field", "op", "value", "x"]), inner, max_size=4),
        ),
        max_leaves=10,
    )
)
def test_whatever_is_sent_is_read_or_refused_with_a_place(data: object) -> None:
    places = ["when"]
    try:
        parse(data)
    except ConditionError as error:
        places.append(error.place)
    assert all(place.startswith("when") for place in places)


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (
            "Night: reversible eq false and (risk_score gte 90 or destructive eq true)",
            "Night: reversible is false and (risk score is at least 90 or destructive is true)",
        ),
        ('Ask: action_type in ["pay", "refund"]', "Ask: action type is one of “pay” or “refund”"),
        (
            'Ask: action_type in ["release", "config", "deploy"] and team eq "ops"',
            "Ask: action type is one of “release”, “config” or “deploy” and team is “ops”",
        ),
        ("a: level not_in [1, 2.5, true]", "a: level is there and is none of 1, 2.5 or true"),
        ('a: name in ["x]y", "z"]', "a: name is one of “x]y” or “z”"),
        ('a: team in ["only"]', "a: team is one of “only”"),
        # `describe` cuts what is long.
        ('a: team in ["first", "seco...', "a: team is one of “first”, “seco…”"),
        ('a: team in ["first", ...', "a: team is one of “first”, …"),
        ('a: team eq "seco...', "a: team is “seco…”"),
        ('a: team in ["seco...; b: x eq 1', "a: team is one of “seco…”; b: x is 1"),
        ("a: not (metadata.team exists true)", "a: not (metadata.team is there)"),
        ("a: session_id exists false; b: x ne 1", "a: session id is not there; b: x is there and is not 1"),
        ("Payments: actions of this type need approval", "Payments: actions of this type need approval"),
        ("the agent itself asked in person", "the agent itself asked in person"),
    ],
)
def test_a_reason_is_said_in_words(reason: str, said: str) -> None:
    assert in_words(reason) == said


def test_every_comparison_has_words() -> None:
    for op in Op:
        value: object = True if op is Op.EXISTS else ["x"] if op in (Op.IN, Op.NOT_IN) else 1
        if op in (Op.STARTS_WITH, Op.ENDS_WITH, Op.MATCHES):
            value = "x"
        text = in_words("p: " + describe(parse({"field": "a_b", "op": op.value, "value": value})))
        assert text.startswith(f"p: a b {WORDS[op]}")


def test_no_json_is_left_of_a_condition_however_long_its_list_is() -> None:
    for count in range(1, 40):
        for width in (1, 4, 17):
            values = ["v" * width] * count
            text = in_words("p: " + describe(parse({"field": "action_type", "op": "in", "value": values})))
            assert text.startswith("p: action type is one of “v")
            assert not set('[]"') & set(text), text


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ({"value_from": "recipient", "in": ["free", "unknown"]}, "recipient comes from a text or nowhere"),
        ({"not": {"label": "salaries"}}, "not (the label salaries holds)"),
        (
            {"all": [{"tool": "refund"}, {"not": {"before": {"tool": "verify_*"}}}]},
            "the tool is refund and not (the tool was verify_* before)",
        ),
        (
            {"count_within": {"of": {"any": [{"effect": "send"}, {"tool": "x"}]}, "at_least": 3, "calls": 20}},
            "(the effect was send or the tool was x) 3 times within 20 calls",
        ),
        (
            {"never_after": {"this": {"effect": "send"}, "after": {"label": "salaries"}}},
            "the effect is send after the label salaries held",
        ),
        (
            {"since": {"this": {"effect": "read"}, "from": {"tool": "x"}}},
            "the effect is read ever since the tool was x",
        ),
    ],
)
def test_leaves_about_the_session(tree: dict[str, Any], said: str) -> None:
    found = parse(tree, session=True)
    assert to_data(found) == tree
    assert describe(found) == said
    assert parse(to_data(found), session=True) == found
    assert list(session_leaves(found))
    with pytest.raises(ConditionError, match="only a policy of kind flow"):
        parse(tree)


@pytest.mark.parametrize(
    ("tree", "place"),
    [
        ({"value_from": "", "in": ["free"]}, "when.value_from"),
        ({"value_from": "a", "in": []}, "when.in"),
        ({"value_from": "a", "in": "free"}, "when.in"),
        ({"value_from": "a", "in": ["approved"]}, "when.in[0]"),
        ({"value_from": "a"}, "when"),
        ({"before": {"tool": "x" * 2001}}, "when.before.tool"),
        ({"before": {"all": [{"tool": "x"}] * 300}}, "when.before.all[254]"),
        ({"before": {"tool": None}}, "when.before.tool"),
    ],
)
def test_leaves_about_the_session_that_cannot_be_read(tree: dict[str, Any], place: str) -> None:
    with pytest.raises(ConditionError) as error:
        parse(tree, session=True)
    assert error.value.place == place


def test_a_formula_is_no_deeper_than_a_tree() -> None:
    formula: dict[str, Any] = {"tool": "x"}
    for _ in range(MAX_DEPTH):
        formula = {"before": formula}
    with pytest.raises(ConditionError, match="nested deeper"):
        parse(formula, session=True)
