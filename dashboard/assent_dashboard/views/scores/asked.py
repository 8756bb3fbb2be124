"""What the page Scores is asked to look at besides its scope, as it stands in the address. Knows nothing of Streamlit.

`part` is the part that is looked at, and only that is asked for. `profile_id` and `action_id` belong to the profiles,
`interruption` and `failure` (what one of each costs) to the calibration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

from assent_dashboard.views.scope import LONGEST_NAME, read_text

INTERRUPTION, FAILURE = 1.0, 20.0
"""What one costs where nobody said: a failure as much as twenty interruptions."""
DEAREST = 1e9


class Part(StrEnum):
    PROFILES = "profiles"
    CALIBRATION = "calibration"
    TEMPLATES = "templates"
    EVALUATIONS = "evaluations"


@dataclass(frozen=True)
class Asked:
    """None is what nobody said."""

    part: Part = Part.PROFILES
    profile_id: str | None = None
    action_id: str | None = None
    interruption: float = INTERRUPTION
    failure: float = FAILURE


def read(address: Mapping[str, str]) -> tuple[Asked, list[str]]:
    """What an address asks for, and a sentence for each value that means nothing."""
    problems: list[str] = []
    return Asked(
        part=_part(address, problems),
        profile_id=read_text(address, "profile_id", LONGEST_NAME, problems),
        action_id=read_text(address, "action_id", LONGEST_NAME, problems),
        interruption=_cost(address, "interruption", INTERRUPTION, problems),
        failure=_cost(address, "failure", FAILURE, problems),
    ), problems


def _part(address: Mapping[str, str], problems: list[str]) -> Part:
    given = address.get("part", "").strip()
    try:
        return Part(given) if given else Part.PROFILES
    except ValueError:
        problems.append(f"part is {given[:40]!r}; it can be {', '.join(Part)}. Showing {Part.PROFILES}.")
        return Part.PROFILES


def _cost(address: Mapping[str, str], name: str, default: float, problems: list[str]) -> float:
    given = address.get(name, "").strip()
    if not given:
        return default
    try:
        number = float(given)
    except ValueError:
        number = -1.0
    if not isfinite(number) or not 0 <= number <= DEAREST:
        problems.append(f"{name} is {given[:40]!r}; give a number from 0 to {DEAREST:.0f}. Showing {default:g}.")
        return default
    return number
