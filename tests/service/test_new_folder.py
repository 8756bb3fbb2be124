"""A start on a new data folder asks the tables nothing; here they are asked after all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assent_service.app import build
from assent_service.core.settings import Settings
from assent_service.store import ledger
from assent_service.store.reader import TableReader
from tests.service.control.actions.world import opened


def test_what_is_not_asked_of_new_tables_has_no_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def nothing(sql: str, parameters: Sequence[object]) -> list[Any]:
        asked.append(sql)
        return []

    monkeypatch.setattr(ledger, "_nothing", nothing)
    service = build(Settings(home=str(tmp_path / "home")))
    try:
        assert len(asked) > 20
        real = TableReader.now
        answers: dict[str, list[Any]] = {}

        def told(self: TableReader, sql: str, parameters: Sequence[object] = ()) -> list[Any]:
            answers[sql] = real(self, sql, parameters)
            return answers[sql]

        monkeypatch.setattr(TableReader, "now", told)
        for memory in service.memories:
            memory.load(service.ledger._reader.now)
        assert set(asked) <= answers.keys()
        assert {sql: rows for sql, rows in answers.items() if rows} == {}
    finally:
        service.ledger.close()


async def test_a_folder_with_events_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path) as world:
        await world.service.ledger.caught_up()
    monkeypatch.setattr(ledger, "_nothing", None)
    async with opened(tmp_path) as again:
        assert again.admin.org_id == world.admin.org_id
