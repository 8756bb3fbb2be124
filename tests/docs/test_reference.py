"""The generated reference leaves nothing out. That its files are current is tested with the other generated ones."""

from __future__ import annotations

import re

from assent import AsyncClient, Client
from assent.contract.analysis.facts import Fact
from assent.contract.control.rules import PolicyType
from assent.contract.events import PRIVATE, EventName
from assent_service.analysis.data.datasets import DATASETS, KINDS
from assent_service.store.tables import columns_of
from tests.contract.generated import generated
from tests.docs.reference.command_line import commands
from tests.docs.reference.markdown import row
from tests.docs.site import DOCS, entries

FOLDER = "docs/reference"


def text(name: str) -> str:
    return generated()[f"{FOLDER}/{name}.md"]


def headings(name: str) -> set[str]:
    return {found.strip("`") for found in re.findall(r"^#{2,3} (.+)$", text(name), re.MULTILINE)}


def test_every_public_method_of_the_clients_is_there() -> None:
    public = {name for client in (Client, AsyncClient) for name in dir(client) if not name.startswith("_")}
    assert public - headings("client") == set()


def test_a_parameter_says_what_it_means() -> None:
    assert "\n- `loop_type`: followup, question, dependency, approval, review, handoff or other\n" in text("client")


def test_every_command_is_there_and_none_that_is_hidden() -> None:
    shown = {name for name, _ in commands()}
    assert {"assent serve", "assent keys create", "assent import transcripts"} <= shown <= headings("command-line")
    assert not [name for name in shown if name.startswith("assent wallet")]


def test_every_event_is_there_and_says_whether_it_is_sent() -> None:
    lines = {line.split("`")[1]: line for line in text("events").splitlines() if line.startswith("| `")}
    assert lines.keys() == {str(name) for name in EventName}
    assert {name for name, line in lines.items() if line.endswith("| no |")} == {str(name) for name in PRIVATE}
    assert "[loops](tables.md#loops)" in lines["loop.created"]


def test_every_column_of_every_table_is_there_with_its_meaning() -> None:
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text("tables"), re.MULTILINE | re.DOTALL))
    described = {str(name): dataset.columns for name, dataset in DATASETS.items()} | {"facts": columns_of(Fact)}
    assert sections.keys() == described.keys()
    for name, columns in described.items():
        for column in columns:
            cells = row([f"`{column.name}`", KINDS[column.kind], column.unit or "", column.meaning])
            assert cells in sections[name], column.name


def test_every_kind_of_policy_is_there() -> None:
    assert {str(kind) for kind in PolicyType} <= headings("policies")


def test_whatever_a_cell_holds_it_stays_one_cell() -> None:
    assert row(["a | b", "two\nlines"]) == "| a \\| b | two lines |"


def test_the_index_says_what_each_page_is_for() -> None:
    lines = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    for entry in entries(DOCS / "reference" / "index.md"):
        assert re.search(rf"\]\({re.escape(entry.page.name)}\): .{{10,}}", lines), entry.title
