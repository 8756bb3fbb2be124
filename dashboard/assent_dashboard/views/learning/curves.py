"""Learning curves: how episodes change as an agent does more of a type."""

from __future__ import annotations

import streamlit as st

from assent.contract.learning import CurvesAnswer
from assent_analytics.charts import learning_curve
from assent_dashboard.views import words
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.learning import said
from assent_dashboard.views.learning.data import frame, steps
from assent_dashboard.views.picture import picture

CURVES = (
    "Each step has as many episodes as all before it. The band is the 95 % interval; a hollow point stands on too few "
    "episodes for a line. Choose an agent or a type above to see its own curves."
)
HEIGHT = 340
COLUMNS = ("agent_id", "action_type", "exposure_from", "exposure_to", "n")


def draw_curves(curves: CurvesAnswer, window: str) -> None:
    with st.container(border=True, key="learning_curves"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
            chosen = st.segmented_control(
                "What the curves show", list(said.MEASURES), default="Success", required=True, key="learning_measure"
            )
            draw_export("learning_curves", {"by_experience": frame(curves.curves)}, window)
        measure = said.MEASURES[chosen or "Success"]
        points = steps(curves)
        picture(
            learning_curve(points, measure=measure, height=HEIGHT),
            said.curves(points, measure),
            points if points.is_empty() else points.select(*COLUMNS, measure, "status"),
            key="learning_curve",
        )
        if curves.total > len(curves.curves):
            st.caption(
                f"These are the first {words.amount(len(curves.curves))} of "
                f"{words.amount(curves.total)} steps; choose an agent or a type to see the others."
            )
