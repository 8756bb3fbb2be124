"""Bodies of many parts: what is three bytes on the wire is two hundred in memory."""

from __future__ import annotations

import pytest

from assent.contract.problems import Code
from assent_service.core.body import CONTAINERS, TEXTS, decode_object
from assent_service.core.problem import Refusal


@pytest.mark.parametrize(("one", "empty"), [(b"[],", b"[]"), (b"{},", b"{}")])
def test_the_number_of_lists_and_objects_has_a_bound(one: bytes, empty: bytes) -> None:
    # The body itself and the list in it are two.
    most = b'{"a":[' + one * (CONTAINERS - 3) + empty + b"]}"
    assert len(decode_object(most)["a"]) == CONTAINERS - 2
    with pytest.raises(Refusal, match=f"more than {CONTAINERS} arrays and objects") as refused:
        decode_object(most.replace(empty + b"]}", one + empty + b"]}"))
    assert refused.value.code is Code.PAYLOAD_TOO_LARGE


@pytest.mark.parametrize("one", [b'""', b'"\\\\"', b'"a\\\\" '])
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
