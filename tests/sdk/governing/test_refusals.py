"""What a model reads instead of a tool's result: each refusal says once what to do now, in one way."""

from __future__ import annotations

import pytest

from assent.governing.call import refusal
from tests.sdk.refusals import REFUSALS


@pytest.mark.parametrize("kind", REFUSALS)
def test_a_refusal_says_what_happened_and_what_to_do_once(kind: str) -> None:
    error, message, told = REFUSALS[kind]
    assert str(error) == message
    assert refusal("pay", error) == told
    assert told.count(" try it again") <= 1, "two ways of saying what to do now"
