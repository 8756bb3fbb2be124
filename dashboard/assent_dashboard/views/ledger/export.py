"""What is listed, to take away: as a file, or as the lines that give the same frame in a notebook.

A file is made when its button is pressed and not before, by the service, which filters as it does for the list: the
file holds what the list counts.

Keys: `ledger_export` (the popover), `ledger_export_<format>` (the buttons).
"""

from __future__ import annotations

import json
from functools import partial

import streamlit as st

from assent import ActionStatus, Client
from assent.contract.analysis.data import MEDIA_TYPES, DataFormat, DataTable
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import LedgerAddress, LedgerView

LABELS = {
    DataFormat.PARQUET: "Parquet",
    DataFormat.CSV: "CSV",
    DataFormat.ARROW: "Arrow",
    DataFormat.NDJSON: "NDJSON",
}
ENDINGS = {DataFormat.ARROW: "arrows"}
MANY = 200_000
"""From here on text files are large enough to say so."""


def draw(session: Session, filters: LedgerAddress, total: int) -> None:
    table = table_of(filters)
    with st.popover("Export", key="ledger_export"):
        st.markdown(f"**{words.several(total, 'row')}** of `{table}`, every column, the last {filters.days} days.")
        with st.container(horizontal=True, gap="small"):
            for each, label in LABELS.items():
                st.download_button(
                    label,
                    data=partial(export, session.client, filters, each),
                    file_name=file_name(filters, each),
                    mime=MEDIA_TYPES[each],
                    key=f"ledger_export_{each}",
                    on_click="ignore",
                    disabled=total == 0,
                )
        if total >= MANY:
            st.caption("Parquet is the smallest by far. A notebook reads this many rows within seconds, too.")
        st.caption("The same rows as a Polars frame in a notebook:")
        st.code(snippet(filters), language="python")


def table_of(filters: LedgerAddress) -> DataTable:
    return DataTable.ACTIONS if filters.view is LedgerView.ACTIONS else DataTable.DECISIONS


def file_name(filters: LedgerAddress, format: DataFormat) -> str:
    return f"assent-{table_of(filters)}-{filters.window}.{ENDINGS.get(format, format.value)}"


def export(client: Client, filters: LedgerAddress, format: DataFormat) -> bytes:
    """The file's bytes."""
    return client.get_table(
        table_of(filters),
        window=filters.window,
        format=format,
        agent_id=filters.agent_id,
        action_type=filters.action_type,
        status=_status(filters),
        decision=filters.decision,
        spreadsheet=format is DataFormat.CSV,
    )


def snippet(filters: LedgerAddress) -> str:
    """Lines that can be pasted: the key and the address come from the environment."""
    asked = {
        "window": filters.window,
        "agent_id": filters.agent_id,
        "action_type": filters.action_type,
        "status": _status(filters),
        "decision": filters.decision,
    }
    given = "".join(f", {name}={_quoted(value)}" for name, value in asked.items() if value)
    call = f'    frame = client.frame("{table_of(filters)}"{given})'
    return "\n".join(["from assent import Client", "", "with Client() as client:", call])


def _status(filters: LedgerAddress) -> ActionStatus | None:
    """Decisions have none; the address keeps it for the way back to actions."""
    return filters.status if filters.view is LedgerView.ACTIONS else None


def _quoted(text: str) -> str:
    """A text as Python reads it; what is special in JSON is so in Python."""
    return json.dumps(text)
