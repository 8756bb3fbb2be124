"""Answers by which a call runs, and what is changed in them so that it does not (`answers.json`). `$digest` and `$key`
stand for what the creation was sent with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("answers.json")
_TABLE: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
ANSWERS: dict[str, Any] = _TABLE["answers"]
CASES: list[dict[str, Any]] = _TABLE["cases"]
"""`of` is which answer is changed, `change` its members by their places, `runs` whether the call does."""


def changed(name: str, change: dict[str, Any], sent: dict[str, str]) -> dict[str, Any]:
    text = json.dumps(ANSWERS[name])
    for place, value in sent.items():
        text = text.replace(place, value)
    answer: dict[str, Any] = json.loads(text)
    for place, value in change.items():
        *path, last = place.split(".")
        member = answer
        for each in path:
            member = member[each]
        member[last] = value
    return answer
