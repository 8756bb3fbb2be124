"""The page Scores: what good work looks like in numbers, and whether what agents stated came true.

Of its four parts only the one that is looked at is asked for. The address holds `part`, `window`, `agent_id`,
`action_type`, `profile_id`, `action_id`, `interruption` and `failure`.

Keys, besides those of `scoped_page`: `scores_part` chooses the part; see `profiles`, `action_score`, `calibration`,
`costs`, `suggestions`, `templates` and `evaluations`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from assent_dashboard.sessions import Session
from assent_dashboard.views import scope_controls, words
from assent_dashboard.views.export import Tables
from assent_dashboard.views.part import draw_part
from assent_dashboard.views.scope import Scope
from assent_dashboard.views.scope import read as read_scope
from assent_dashboard.views.scoped_page import scoped_page
from assent_dashboard.views.scores import calibration, evaluations, profiles, templates
from assent_dashboard.views.scores.asked import Asked, Part, read
from assent_dashboard.views.told import tell

TITLE = "Scores and calibration"
LABELS = {
    Part.PROFILES: "Profiles",
    Part.CALIBRATION: "Calibration",
    Part.TEMPLATES: "Risk templates",
    Part.EVALUATIONS: "Evaluations",
}


@dataclass(frozen=True)
class Shown:
    """How a part is asked for, drawn and given away, and what it can be narrowed by."""

    load: Callable[[Session, Scope], Any]
    draw: Callable[[Session, Scope, Asked, Any], None]
    tables: Callable[[Any], Tables]
    by: tuple[str, ...]


PARTS = {
    Part.PROFILES: Shown(
        lambda session, scope: profiles.load(session.client), profiles.draw, profiles.tables, by=("agent_id",)
    ),
    Part.CALIBRATION: Shown(
        lambda session, scope: calibration.load(session.client, scope),
        calibration.draw,
        calibration.tables,
        by=("window", "agent_id", "action_type"),
    ),
    Part.TEMPLATES: Shown(
        lambda session, scope: templates.load(session.client, scope),
        lambda session, scope, asked, found: templates.draw(session, scope, found),
        templates.tables,
        by=("action_type",),
    ),
    Part.EVALUATIONS: Shown(
        lambda session, scope: evaluations.load(session.client, scope),
        lambda session, scope, asked, found: evaluations.draw(session, scope, found),
        evaluations.tables,
        by=("window", "agent_id"),
    ),
}


def show(session: Session) -> None:
    address = st.query_params.to_dict()
    scope, _ = read_scope(address)
    asked, problems = read(address)
    part = PARTS[asked.part]

    def draw(session: Session, scope: Scope, found: Any) -> None:
        tell()
        for problem in problems:
            st.warning(words.plain(problem), icon=":material/warning:")
        part.draw(session, scope, asked, found)

    scoped_page(
        "scores",
        TITLE,
        load=part.load,
        draw=draw,
        tables=part.tables,
        by=part.by,
        question=asked.part,
        above=lambda: _choose(scope, asked),
    )(session)


def _choose(scope: Scope, asked: Asked) -> None:
    key = "scores_part"
    draw_part(
        "Part", key, asked.part, LABELS, lambda: scope_controls.put(scope.window, part=str(st.session_state[key]))
    )
