"""What a page shows, to take away: tables as CSV or Parquet, made when a button is pressed and not before.

Keys: `<page>_export` (the popover), `<page>_<table>_csv` and `<page>_<table>_parquet` (the buttons).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from functools import partial

import msgspec
import polars as pl
import streamlit as st

from assent_dashboard.views import words

Tables = Mapping[str, pl.DataFrame]
FORMATS: dict[str, tuple[str, str]] = {
    "csv": ("CSV", "text/csv"),
    "parquet": ("Parquet", "application/vnd.apache.parquet"),
}


def draw_export(page: str, tables: Tables, window: str) -> None:
    """A popover with two buttons for each table; names are words with underscores, and the files are named by them."""
    with st.popover("Export", icon=":material/download:", key=f"{page}_export"):
        st.caption("What this page shows, every row and column.")
        for name, table in tables.items():
            st.markdown(f"**{name.replace('_', ' ').capitalize()}** · {words.several(table.height, 'row')}")
            with st.container(horizontal=True, gap="small"):
                for ending, (label, media) in FORMATS.items():
                    st.download_button(
                        label,
                        data=partial(WRITERS[ending], table),
                        file_name=f"assent-{page}-{name.replace('_', '-')}-{window}.{ending}",
                        mime=media,
                        key=f"{page}_{name}_{ending}",
                        on_click="ignore",
                        disabled=table.is_empty(),
                    )


def to_csv(table: pl.DataFrame) -> bytes:
    """UTF-8, a header line; lists and structs as JSON, times as ISO 8601.

    A text that a spreadsheet would take for a formula gets an apostrophe before it (OWASP, CSV injection).
    """
    plain = table.with_columns(
        [
            pl.col(name).map_elements(_json, return_dtype=pl.String)
            for name, kind in table.schema.items()
            if isinstance(kind, pl.List | pl.Struct | pl.Array)
        ]
    )
    harmless = plain.with_columns(
        pl.when(pl.col(pl.String).str.contains(r"^[=+\-@\t\r]"))
        .then(pl.concat_str(pl.lit("'"), pl.col(pl.String)))
        .otherwise(pl.col(pl.String))
        .name.keep()
    )
    return harmless.write_csv(datetime_format="%Y-%m-%dT%H:%M:%S%.6fZ").encode()


def to_parquet(table: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    table.write_parquet(file)
    return file.getvalue()


def _json(value: object) -> str:
    return msgspec.json.encode(value.to_list() if isinstance(value, pl.Series) else value).decode()


WRITERS: dict[str, Callable[[pl.DataFrame], bytes]] = {"csv": to_csv, "parquet": to_parquet}
