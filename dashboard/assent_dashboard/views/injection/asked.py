"""What the page is asked to show beside its scope, and how that stands in the address. Pure.

`view` is found, scan or allowed. Of what was found: `recommendation`, `category`, `kind`, and `subject_id` for one
subject that is open. A value that means nothing is left out, and a sentence says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from assent.contract.injection import ScanRecommendation, SubjectKind
from assent_dashboard.views.scope import LONGEST_NAME, read_text

NAMES = ("recommendation", "category", "kind")


class View(StrEnum):
    FOUND = "found"
    SCAN = "scan"
    ALLOWED = "allowed"


@dataclass(frozen=True)
class Asked:
    """None asks for all."""

    view: View = View.FOUND
    recommendation: ScanRecommendation | None = None
    category: str | None = None
    kind: SubjectKind | None = None
    subject_id: str | None = None

    @property
    def narrowed(self) -> bool:
        return any(getattr(self, name) is not None for name in NAMES)

    @property
    def question(self) -> tuple[str | None, ...]:
        """What the service is asked differently for."""
        return self.recommendation, self.kind, self.subject_id


def read(address: Mapping[str, str]) -> tuple[Asked, list[str]]:
    """What an address asks for, and a sentence for each value that means nothing."""
    problems: list[str] = []
    asked = Asked(
        view=View(_choice(address, "view", View, problems) or View.FOUND),
        recommendation=_recommendation(address, problems),
        category=read_text(address, "category", LONGEST_NAME, problems),
        kind=_kind(address, problems),
        subject_id=read_text(address, "subject_id", LONGEST_NAME, problems),
    )
    return asked, problems


def _recommendation(address: Mapping[str, str], problems: list[str]) -> ScanRecommendation | None:
    given = _choice(address, "recommendation", ScanRecommendation, problems)
    return ScanRecommendation(given) if given else None


def _kind(address: Mapping[str, str], problems: list[str]) -> SubjectKind | None:
    given = _choice(address, "kind", SubjectKind, problems)
    return SubjectKind(given) if given else None


def _choice(address: Mapping[str, str], name: str, kind: type[StrEnum], problems: list[str]) -> str | None:
    given = address.get(name, "").strip()
    if not given or given in list(kind):
        return given or None
    problems.append(f"{name} is {given[:40]!r}; it can be {', '.join(kind)}. Showing without it.")
    return None
