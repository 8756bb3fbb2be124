"""When the service was asked, by the service's clock, with a button that asks again. Key: `<page>_again`."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from assent_dashboard.views import words
from assent_dashboard.views.kept import forget


def draw_checked(page: str, at: datetime, now: datetime, *answers: str) -> None:
    """`answers` are the names of the kept answers that pressing the button forgets; `page` is one without any."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f"Last checked, by the service's clock: {words.moment(at)} ({words.ago(at, now)})", width="content")
        st.button(
            "Check again",
            key=f"{page}_again",
            icon=":material/refresh:",
            on_click=_forget,
            args=(answers or (page,),),
            type="tertiary",
        )


def _forget(answers: tuple[str, ...]) -> None:
    for name in answers:
        forget(name)
