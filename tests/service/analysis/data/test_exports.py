"""Exports whose reader stalls, leaves or is one too many, and what becomes of them when something else gives way."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pyarrow as pa
import pytest

from assent_service.analysis.data import exports, formats
from assent_service.analysis.data.exports import AT_ONCE
from tests.service.analysis.data.serving import GRACE, WAIT, Live, body_of, live, the_rest, until, whole
from tests.tiers import deep


@pytest.fixture
def patient(tmp_path: Path) -> Iterator[Live]:
    """A service that waits for its readers longer than any test."""
    with live(tmp_path / "home") as service:
        yield service


def free(service: Live) -> None:
    until(lambda: service.exports.running == 0, "every export has ended")
    until(lambda: not service.service.ledger._projector.database._lent, "every cursor is back")


def test_a_reader_that_stops_reading_is_cut_off_and_guard_goes_on(tmp_path: Path) -> None:
    with live(tmp_path / "home", patience=0.5) as service:
        with service.reader() as stalled:
            assert service.exports.running == 1
            for _ in range(20):
                assert service.call("POST", "/api/guard", {"action_type": "look"}).status_code == 200
            free(service)
            assert not whole(the_rest(stalled))
        assert len(service.call("GET", "/api/data/actions?format=ndjson").content.splitlines()) == 60_001
        free(service)


@deep("waits for readers that are slow")
def test_a_slow_reader_that_goes_on_reading_gets_everything(tmp_path: Path) -> None:
    with live(tmp_path / "home", rows=20_000, patience=2.0) as service, service.reader() as slow:
        found = bytearray(slow.recv(100_000))
        while not whole(found):
            piece = slow.recv(1_000_000)
            assert piece, "cut off too early"
            found += piece
            threading.Event().wait(0.01)
        assert len(body_of(bytes(found)).splitlines()) == 20_001


def test_one_more_than_the_most_is_told_to_come_back(patient: Live) -> None:
    readers = [patient.reader() for _ in range(AT_ONCE)]
    refused = patient.call("GET", "/api/data/events")
    assert (refused.status_code, refused.json()["code"]) == (503, "busy")
    assert int(refused.headers["retry-after"]) >= 1
    # Lists and guard have their own threads.
    assert patient.call("GET", "/api/actions").json()["total"] == 60_001
    assert patient.call("POST", "/api/guard", {"action_type": "look"}).status_code == 200
    readers.pop().close()
    until(lambda: patient.exports.running == AT_ONCE - 1, "the place of the reader that left")
    assert patient.call("GET", "/api/data/events").status_code == 200
    for reader in readers:
        reader.close()
    free(patient)


def test_a_reader_that_goes_away_leaves_nothing_behind(patient: Live) -> None:
    for query in ("format=arrow", "format=parquet", "format=csv", "format=ndjson"):
        patient.reader(query).close()
        free(patient)


def test_large_rows_come_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "BATCH_BYTES", 20_000_000)
    with live(tmp_path / "home", rows=9_000) as service:
        assert max(batches(service)) == exports.BATCH_ROWS
        large = {"action_type": "look", "metadata": {"large": "x" * 900_000}}
        assert service.call("POST", "/api/actions", large).status_code == 201
        found = batches(service)
        assert (sum(found), max(found)) == (9_002, 22)


def batches(service: Live) -> list[int]:
    """How many rows each batch of all actions has."""
    answer = service.call("GET", "/api/data/actions?format=arrow&columns=action_id")
    with pa.ipc.open_stream(answer.content) as stream:
        return [batch.num_rows for batch in stream]


def test_stopping_the_service_ends_exports_and_they_do_not_look_whole(tmp_path: Path) -> None:
    service = Live(tmp_path / "home", rows=60_000, patience=60.0)
    service.start()
    with service.reader() as stalled:
        # Sooner than the server would stop waiting for its connections.
        assert service.stop() < GRACE
        assert not whole(the_rest(stalled))
    assert service.exports.running == 0


def test_the_tables_can_be_opened_anew_while_a_reader_stalls(patient: Live) -> None:
    database = patient.service.ledger._projector.database
    with patient.reader() as stalled:
        reopening = threading.Thread(target=database.reopen)
        reopening.start()
        reopening.join(WAIT)
        assert not reopening.is_alive(), "the export kept its cursor"
        assert not whole(the_rest(stalled))
    free(patient)
    assert len(patient.call("GET", "/api/data/actions?format=ndjson&columns=status").content.splitlines()) == 60_001


def test_a_table_that_cannot_be_read_is_a_problem_document(patient: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    database = patient.service.ledger._projector.database
    database._open = False
    try:
        answer = patient.call("GET", "/api/data/actions")
    finally:
        database._open = True
    assert (answer.status_code, answer.json()["code"]) == (503, "projection_behind")
    free(patient)


@pytest.mark.parametrize(
    "named",
    [
        "parquet",
        "csv",
        *(pytest.param(each, marks=deep("two formats are in the quick tier")) for each in ("arrow", "ndjson")),
    ],
)
def test_an_error_on_the_way_never_looks_like_the_end(
    patient: Live, named: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write, batches = formats.Encoding.write, iter(range(100))

    def fail_later(self: formats.Encoding, batch: pa.RecordBatch) -> None:
        if next(batches) == 4:
            raise RuntimeError("a disk of the test")
        write(self, batch)

    monkeypatch.setattr(formats.Encoding, "write", fail_later)
    with caplog.at_level(logging.ERROR), pytest.raises(httpx.RemoteProtocolError, match="incomplete"):
        patient.call("GET", f"/api/data/actions?format={named}")
    assert "a disk of the test" in caplog.text
    free(patient)


def test_an_error_before_the_first_byte_is_an_answer(patient: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: formats.Encoding, batch: pa.RecordBatch) -> None:
        raise RuntimeError("at once")

    monkeypatch.setattr(formats.Encoding, "write", fail)
    answer = patient.call("GET", "/api/data/actions?format=ndjson")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    free(patient)
