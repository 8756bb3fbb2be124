"""Guidance: the numbers of a lesson as sentences.

A sentence says the number, what it is of, and what to do. What is not known makes no sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def guidance(lesson: Mapping[str, Any], min_samples: int) -> list[str]:
    """The sentences of one row of `lessons`."""
    n, kind = lesson["n"], lesson["action_type"]
    rate, low, high = (f"{100 * lesson[name]:.0f}%" for name in ("shrunk_rate", "shrunk_low", "shrunk_high"))
    if n < min_samples:
        return [
            f"Only {_episodes(n)} of {kind} so far, {min_samples} make a lesson; expect {rate} to succeed "
            f"({low} to {high})."
        ]
    said = [f"{lesson['successes']} of {_episodes(n)} of {kind} succeeded; expect {rate} ({low} to {high})."]
    best = f"the best {lesson['best_n']}"
    if lesson["risk_cap"] is not None:
        said.append(f"Keep the risk at or below {lesson['risk_cap']:.0f}: three quarters of {best} did.")
    if lesson["prefer_reversible"]:
        share = f"{100 * lesson['reversible_share']:.0f}%"
        said.append(f"Prefer what can be taken back: {share} of {best} could be.")
    if lesson["confidence_floor"] is not None:
        said.append(f"Be at least {lesson['confidence_floor']:.0f} confident: three quarters of {best} were.")
    if lesson["expected_duration_ms"] is not None:
        said.append(f"Expect {_time(lesson['expected_duration_ms'])}, the median of {best}.")
    if lesson["expected_cost"] is not None:
        said.append(f"Expect a cost of ${lesson['expected_cost']:.4g}, the median of {best}.")
    return said


def _episodes(n: int) -> str:
    return "1 episode" if n == 1 else f"{n} episodes"


def _time(milliseconds: float) -> str:
    seconds = milliseconds / 1000
    if seconds < 1:
        return f"{milliseconds:.0f} ms"
    return f"{seconds:.1f} seconds" if seconds < 120 else f"{seconds / 60:.1f} minutes"
