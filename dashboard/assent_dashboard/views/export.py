"""What a page shows, to take away: tables as CSV or Parquet, made when a button is pressed and not before.

Keys: `<page>_export` (the popover), `<page>_<table>_csv` and `<page>_<table>_parquet` (the buttons).
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from functools import partial

import msgspec
import polars as pl
import streamlit as st

from assent.contract.analysis.data import FORMULA
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
    """UTF-8, a header line; lists and structs as JSON, times as ISO 8601 in UTC, spans in seconds, bytes as hex.

    A text that a spreadsheet would take for a formula gets an apostrophe before it, and so does the name of a column,
    since some of them are agents' names.
    """
    plain = table.with_columns([_plain(name, kind) for name, kind in table.schema.items()])
    harmless = plain.with_columns([_harmless(name) for name, kind in plain.schema.items() if kind == pl.String]).rename(
        lambda name: f"'{name}" if re.match(FORMULA, name) else name
    )
    return harmless.write_csv().encode()


def to_parquet(table: pl.DataFrame) -> bytes:
    file = io.BytesIO()
    table.write_parquet(file)
    return file.getvalue()


def _plain(name: str, kind: pl.DataType) -> pl.Expr:
    """A column of what CSV can hold."""
    column = pl.col(name)
    if isinstance(kind, pl.Array):
        return column.arr.to_list().map_elements(_json, return_dtype=pl.String, skip_nulls=True)
    if isinstance(kind, pl.List | pl.Struct):
        return column.map_elements(_json, return_dtype=pl.String, skip_nulls=True)
    if isinstance(kind, pl.Datetime):
        utc = column.dt.convert_time_zone("UTC") if kind.time_zone else column
        return utc.dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ")
    if isinstance(kind, pl.Duration):
        return column.dt.total_microseconds() / 1e6
    if isinstance(kind, pl.Categorical | pl.Enum):
        return column.cast(pl.String)
    return column.bin.encode("hex") if isinstance(kind, pl.Binary) else column


def _harmless(name: str) -> pl.Expr:
    text = pl.col(name)
    return pl.when(text.str.contains(FORMULA)).then(pl.concat_str(pl.lit("'"), text)).otherwise(text).alias(name)


def _json(value: object) -> str:
    return msgspec.json.encode(value.to_list() if isinstance(value, pl.Series) else value).decode()


WRITERS: dict[str, Callable[[pl.DataFrame], bytes]] = {"csv": to_csv, "parquet": to_parquet}
