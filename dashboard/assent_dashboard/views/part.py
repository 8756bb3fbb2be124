"""Which part of a page is shown, for pages that have several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

import streamlit as st

Part = TypeVar("Part", bound=StrEnum)


def draw_part(label: str, key: str, chosen: Part, titles: Mapping[Part, str], go: Callable[[], None]) -> None:
    """`titles` are the parts in their order; `go` writes the one that was pressed, which the session has under `key`,
    into the address."""
    st.session_state[key] = chosen
    st.segmented_control(
        label,
        list(titles),
        format_func=titles.__getitem__,
        required=True,
        key=key,
        on_change=go,
        label_visibility="collapsed",
    )
