"""`VERSION` says which rules a scan went by."""

from __future__ import annotations

import re

import pytest

from assent_analytics.injection import VERSION, verdict, version


def test_it_is_twelve_hexadecimal_digits_and_stays() -> None:
    assert re.fullmatch("[0-9a-f]{12}", VERSION)
    assert version.digest() == VERSION


@pytest.mark.parametrize(("name", "value"), [("BLOCK", 99.0), ("TURNED", frozenset({"pwned"})), ("MENTIONED", (1.0,))])
def test_it_changes_with_every_number(monkeypatch: pytest.MonkeyPatch, name: str, value: object) -> None:
    monkeypatch.setattr(verdict, name, value)
    assert version.digest() != VERSION


def test_it_changes_with_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version, "DATA", version.DATA[:-1])
    assert version.digest() != VERSION


def test_all_numbers_are_in_it() -> None:
    assert {
        "BLOCK",
        "WARN",
        "AGAIN",
        "REACH",
        "FAR",
        "HIDDEN",
        "FETCHED",
        "SYSTEM",
        "TURNED",
    } <= version.numbers().keys()
