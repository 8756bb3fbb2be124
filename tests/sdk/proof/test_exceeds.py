"""How much a JSON text holds, told before it is parsed."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.proof.reading import MAX_CONTENT, MAX_PARTS, ReadingError, read_bundle
from assent.proof.strict import exceeds

texts = st.text(st.sampled_from(list('ab"\\,[]{}:é🦉\n ')), max_size=6)
values = st.recursive(
    st.none() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def marks(value: Any) -> int:
    """Counted in the value itself."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    containers = 1 if isinstance(value, dict | list) else 0
    return containers + max(len(inside) - 1, 0) + sum(map(marks, inside))


@given(st.lists(values, max_size=3), st.booleans())
def test_it_counts_what_is_outside_texts(many: list[Any], ascii_: bool) -> None:
    written = [json.dumps(value, ensure_ascii=ascii_) for value in many]
    wanted = sum(map(marks, many))
    assert not exceeds(written, wanted)
    assert not exceeds([each.encode() for each in written], wanted)
    assert wanted == 0 or exceeds(written, wanted - 1)


@pytest.mark.parametrize(
    ("text", "exceeding"),
    [
        ('"' + "," * 9, False),
        ('"\\",,,,,,,,,', False),
        ("," * 9, True),
        ('"a",' * 9, True),
        ('\ud800"",,,,,,,,,', True),
    ],
)
def test_what_is_no_json_is_counted_like_it(text: str, exceeding: bool) -> None:
    assert exceeds([text], 5) is exceeding


@pytest.mark.parametrize(
    "piece", ["[],", '{"a":' * 10 + "0" + "}" * 10 + ",", "[" * 100 + "]" * 100 + ",", '{"keyid":"","sig":""},', '"",']
)
def test_many_values_are_refused_before_they_are_made(piece: str) -> None:
    text = "[" + piece * (3_000_000 // len(piece) * 3) + "0]"
    tracemalloc.start()
    with pytest.raises(ReadingError, match=f"more than {MAX_PARTS} values"):
        read_bundle(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5 * len(text)


def test_many_values_in_bodies_are_refused_together() -> None:
    body = json.dumps({"salt": "0" * 32, "data": {"a": [0] * (MAX_CONTENT // 2)}})
    event = {"header": "", "body": body, "inclusion": []}
    bundle = {
        "schema": "svc.proof.v1", "bundle_id": "", "kind": "action", "org_id": "o", "action_id": "a", "digest": "",
        "attestation": {"payload": "", "payloadType": "", "signatures": []}, "checkpoint": "", "policies": None,
        "consistency": [], "keys": [], "events": [event, event],
    }  # fmt: skip
    with pytest.raises(ReadingError, match=f"hold more than {MAX_CONTENT} values"):
        read_bundle(json.dumps(bundle))
    told = event | {"body": json.dumps({"text": "," * (MAX_CONTENT // 2)})}
    read_bundle(json.dumps(bundle | {"events": [told] * 3}))
