"""The page Scores: what good work looks like in numbers, and whether what agents stated came true.

Of its four parts only the one that is looked at is asked for.

Keys, besides those of the frame: `scores_part` chooses the part; see `profiles`, `calibration`, `templates` and
`evaluations`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assent_dashboard.sessions import Session
from assent_dashboard.views.addresses import ScoresAddress, ScoresPart
from assent_dashboard.views.controls import ALL, choose_part, here
from assent_dashboard.views.export import Tables
from assent_dashboard.views.frame import scoped_page
from assent_dashboard.views.press import draw_report
from assent_dashboard.views.scores import calibration, evaluations, profiles, templates

TITLE = "Scores and calibration"
LABELS = {
    ScoresPart.PROFILES: "Profiles",
    ScoresPart.CALIBRATION: "Calibration",
    ScoresPart.TEMPLATES: "Risk templates",
    ScoresPart.EVALUATIONS: "Evaluations",
}


@dataclass(frozen=True)
class ScoresSection:
    """How a part is asked for, drawn and given away, and what it can be narrowed by."""

    load: Callable[[Session, ScoresAddress], Any]
    draw: Callable[[Session, ScoresAddress, Any], None]
    tables: Callable[[Any], Tables]
    by: tuple[str, ...]


PARTS = {
    ScoresPart.PROFILES: ScoresSection(
        lambda session, _: profiles.load(session.client), profiles.draw, profiles.tables, by=("agent_id",)
    ),
    ScoresPart.CALIBRATION: ScoresSection(
        lambda session, address: calibration.load(session.client, address),
        calibration.draw,
        calibration.tables,
        by=ALL,
    ),
    ScoresPart.TEMPLATES: ScoresSection(
        lambda session, address: templates.load(session.client, address),
        templates.draw,
        templates.tables,
        by=("action_type",),
    ),
    ScoresPart.EVALUATIONS: ScoresSection(
        lambda session, address: evaluations.load(session.client, address),
        evaluations.draw,
        evaluations.tables,
        by=("window", "agent_id"),
    ),
}


def show(session: Session) -> None:
    address, _ = here(ScoresAddress)
    part = PARTS[address.part]

    def draw(session: Session, address: ScoresAddress, found: Any) -> None:
        draw_report()
        part.draw(session, address, found)

    scoped_page(
        ScoresAddress,
        TITLE,
        load=part.load,
        draw=draw,
        tables=part.tables,
        by=part.by,
        question=lambda address: address.part,
        above=lambda address: choose_part(address, "part", "Part", LABELS),
    )(session)
