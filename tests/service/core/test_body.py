"""Bodies of many parts: what is three bytes on the wire is two hundred in memory; and null for a default."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import fields

from assent.contract.analysis.backtest import BACKTEST, BacktestRequest
from assent.contract.analysis.evaluations import CREATE_EVAL_RUN, CreateEvalRun
from assent.contract.endpoint import AnyEndpoint
from assent.contract.one_reading import Twice, once
from assent.contract.openapi_schemas import standalone
from assent.contract.operations import ENDPOINTS
from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.core.body import CONTAINERS, TEXTS, convert, decode_object
from tests.every import every
from tests.tiers import deep

LARGE = deep("bodies of many parts; one of each kind is in the quick tier")


@pytest.mark.parametrize(("one", "empty"), [(b"[],", b"[]"), pytest.param(b"{},", b"{}", marks=LARGE)])
def test_the_number_of_lists_and_objects_has_a_bound(one: bytes, empty: bytes) -> None:
    # The body itself and the list in it are two.
    most = b'{"a":[' + one * (CONTAINERS - 3) + empty + b"]}"
    assert len(decode_object(most)["a"]) == CONTAINERS - 2
    with pytest.raises(Refusal, match=f"more than {CONTAINERS} arrays and objects") as refused:
        decode_object(most.replace(empty + b"]}", one + empty + b"]}"))
    assert refused.value.code is Code.PAYLOAD_TOO_LARGE


@pytest.mark.parametrize("one", [b'"a\\\\" ', *(pytest.param(each, marks=LARGE) for each in (b'""', b'"\\\\"'))])
def test_the_number_of_texts_has_a_bound(one: bytes) -> None:
    # The name is one of them.
    most = b'{"a":[' + b",".join([one] * (TEXTS - 1)) + b"]}"
    assert len(decode_object(most)["a"]) == TEXTS - 1
    with pytest.raises(Refusal, match=f"more than {TEXTS} texts and names") as refused:
        decode_object(most.replace(b"[", b'["",', 1))
    assert refused.value.code is Code.PAYLOAD_TOO_LARGE


def test_quotation_marks_within_texts_are_none() -> None:
    said = b'\\"' * (2 * TEXTS + 10)
    assert len(decode_object(b'{"a":"' + said + b'"}')["a"]) == 2 * TEXTS + 10


@every("endpoint", [each for each in ENDPOINTS if each.request is not None], ids=lambda each: str(each.operation))
def test_null_is_the_same_as_leaving_a_member_out_wherever_it_has_a_default(endpoint: AnyEndpoint[Any]) -> None:
    request: Any = endpoint.request
    example = request.example
    plain = convert(endpoint, request, example, strict=True)
    properties = standalone(request)["properties"]
    for each in fields(request):
        name = each.encode_name
        # A member that is UNSET changes nothing, and null empties it.
        if each.required or each.default is UNSET or name in example:
            continue
        assert convert(endpoint, request, {**example, name: None}, strict=True) == plain, name
        assert {"type": "null"} in properties[name].get("anyOf", [{"type": "null"}]), name


def test_null_is_a_default_within_a_request_as_well() -> None:
    told, untold = {"templates": [{"name": "a", "base_risk": None}]}, {"templates": [{"name": "a"}]}
    assert convert(BACKTEST, BacktestRequest, told, strict=True) == convert(
        BACKTEST, BacktestRequest, untold, strict=True
    )


def test_null_for_a_member_without_a_default_is_refused() -> None:
    with pytest.raises(Refusal, match="null") as refused:
        convert(CREATE_EVAL_RUN, CreateEvalRun, {"name": None, "scorer_id": "es_1"}, strict=True)
    assert refused.value.code is Code.INVALID_BODY


SIGNS = st.sampled_from(["a", ":", '"', "\\", "/", " ", "\n", "3", "u", "é", "\u2028"])
TEXTS_OF_SIGNS = st.lists(SIGNS, max_size=3).map("".join)
ESCAPES = {":": ["\\u003a", "\\u003A"], "/": ["\\/"], "a": ["\\u0061"], "é": ["\\u00e9"], "3": ["\\u0033"]}


@st.composite
def written(draw: st.DrawFn, depth: int = 0) -> str:
    """JSON in which names may stand twice, with spaces and escapes as somebody may write them."""

    def text() -> str:
        signs = [draw(st.sampled_from([json.dumps(sign, ensure_ascii=False)[1:-1], *ESCAPES.get(sign, [])])) for sign in
                 draw(TEXTS_OF_SIGNS)]  # fmt: skip
        return f'"{"".join(signs)}"'

    space = draw(st.sampled_from(["", "", " ", "\n"]))
    kind = draw(
        st.sampled_from(
            ["object", "list", "text", "number"] if 0 < depth < 3 else ["object"] if not depth else ["text"]
        )
    )
    if kind == "text":
        return text()
    if kind == "number":
        return draw(st.sampled_from(["1", "-0", "1.0", "1e2", "123456789012345678901", "true", "null"]))
    parts = [draw(written(depth + 1)) for _ in range(draw(st.integers(0, 3)))]
    if kind == "list":
        return f"[{space}{f',{space}'.join(parts)}{space}]"
    return "{" + ",".join(f"{space}{text()}{space}:{space}{part}" for part in parts) + space + "}"


@given(body=written())
def test_a_body_with_two_readings_is_refused_and_no_other(body: str) -> None:
    try:
        expected = json.loads(body, object_pairs_hook=once)
    except Twice:
        expected = None
    try:
        found = decode_object(body.encode())
    except Refusal as refused:
        found = {"refused": refused.code}
    assert found == ({"refused": Code.INVALID_BODY} if expected is None else expected)


@pytest.mark.parametrize(
    "body",
    [
        '{"a":1,"a":1}',
        '{"a" : 1, "a":2}',
        '{"a":1,"\\u0061":2}',
        '{"a":"x","b":{"c":[{"d":":","d":"\\u003a\\u003a"}]}}',
        '{"a":"\\u003a","b":1,"b":2}',
    ],
)
def test_a_member_that_stands_twice_is_named(body: str) -> None:
    with pytest.raises(Refusal, match=r"the member '[abd]' stands twice in one object") as refused:
        decode_object(body.encode())
    assert refused.value.errors[0].message == "stands twice in one object"
    assert decode_object(body.encode(), tells_twice=True)
