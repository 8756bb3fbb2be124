"""A secret that is shown once.

It is in the answer of the service and on the screen, nowhere else: not in the page's state, not in its address, not in
a log. Whatever is drawn next no longer has it, so the page is not drawn by itself while it is there.

Keys: `secret` holds it, `done` closes the dialog.
"""

from __future__ import annotations

import streamlit as st

from assent_dashboard.views.settings.dialogs import DONE, end


def show_secret(secret: str, what: str, advice: str) -> None:
    """`what` is its name ("The key"), `advice` Markdown that says where it belongs."""
    st.warning(f"**{what} is shown this once.** Copy it now; nobody can show it again.", icon=":material/key:")
    with st.container(key="secret"):
        st.code(secret, language=None, wrap_lines=True)
    st.markdown(advice)
    st.button("I have copied it", key=DONE, type="primary", icon=":material/check:", on_click=end)


def gone(what: str) -> None:
    """What stands in its place when the dialog is drawn once more."""
    st.info(f"{what} was shown once and is not kept. If it was not copied, make another one.", icon=":material/key:")
    st.button("Close", key=DONE, type="primary", on_click=end)
