"""Connecting an agent: what to copy, in the order in which it is done. Key: `setup`."""

from __future__ import annotations

import streamlit as st

from assent.contract.readiness import RuntimeProfile
from assent_dashboard.views.readiness.snippets import Snippet, key_and_environment, of_profile, ways_in


def draw_setup(base_url: str) -> None:
    st.subheader("Connect an agent", anchor=False)
    with st.container(border=True, key="setup"):
        for snippet in key_and_environment(base_url):
            st.markdown(f"**{snippet.title}**")
            _draw(snippet)
        st.markdown("**3. The first calls**")
        ways = ways_in(base_url)
        for tab, snippet in zip(st.tabs([way.title for way in ways], key="setup_ways"), ways, strict=True):
            with tab:
                _draw(snippet)
        st.markdown(
            "**4. Look**  \nThe action appears in the ledger, and counts as governed in the shares above: at the "
            "latest a minute later, or at once with *Check again*."
        )


def draw_profile_setup(profile: RuntimeProfile, base_url: str) -> None:
    """What to set up for one runtime profile, where that is known."""
    snippet = of_profile(profile.runtime, base_url)
    if snippet is not None:
        with st.expander(snippet.title, icon=":material/build:", key=f"setup-{profile.runtime}"):
            _draw(snippet)


def _draw(snippet: Snippet) -> None:
    st.markdown(snippet.says)
    st.code(snippet.code, language=snippet.language, wrap_lines=True)
