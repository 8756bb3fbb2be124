"""What a start makes of a data folder that a power loss, or somebody, has left behind.

A kill cannot tear what the kernel has taken, so power loss is played: the log is cut off inside its last write. Only
that write may be missing afterwards. Anything else that is not as it was written stops the start, with the place and
what to do.
"""

from __future__ import annotations

import random
import shutil
import time
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from assent_service import rebuild
from tests.live import LiveService, StartRefused, start_service
from tests.stories.evidence import compare, listed, read_log
from tests.stories.load import Heard, Load, set_policies
from tests.stories.memories import three_ways
from tests.tiers import deep


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Heard]:
    """A home in which agents have worked until the service was killed, and what they heard. Copy it."""
    home = tmp_path_factory.mktemp("worked") / "home"
    with start_service(home) as service:
        set_policies(service)
        heard = Load(service, "w", connections=4).work(0.5)
        service.kill()
    return home, heard


def the_log(home: Path) -> Path:
    (path,) = (home / "log").glob("*.log")
    return path


def last_write(log: Path) -> int:
    """Where the last write begins. All its lines have the same second field, and no earlier one has."""
    offset, start, before = 0, 0, b""
    for line in log.read_bytes().splitlines(keepends=True):
        write = line.split(b" ", 2)[1]
        if write != before:
            start, before = offset, write
        offset += len(line)
    return start


def without_tables(home: Path, copy: Path) -> Path:
    """A copy whose tables are gone, so that they are never ahead of the log."""
    shutil.copytree(home, copy, ignore=shutil.ignore_patterns("tables.duckdb*"))
    return copy


def refusal(home: Path) -> str:
    with pytest.raises(StartRefused) as refused:
        start_service(home)
    assert refused.value.code not in {0, None}
    return refused.value.output


def one_more(service: LiveService) -> str:
    status, answer = service.call("POST", "/api/guard", {"action_type": "lookup"})
    assert status == 200
    return str(answer["decision_id"])


def test_a_torn_last_write_is_cut_off_and_only_it(worked: tuple[Path, Heard], tmp_path: Path) -> None:
    for number in range(3):
        home = without_tables(worked[0], tmp_path / f"torn{number}")
        log = the_log(home)
        whole = log.read_bytes()
        start = last_write(log)
        log.write_bytes(whole[: random.Random().randrange(start + 1, len(whole) - 1)])
        with start_service(home) as service:
            new = one_more(service)
            decisions = listed(service, "/api/guard", "decisions", "decision_id", 1000)
        assert log.read_bytes()[:start] == whole[:start]
        kept = read_log(home)
        assert [event.seq for event in kept] == list(range(1, len(kept) + 1))
        assert kept[-1].subject == new
        assert decisions[new] == 1
        assert decisions.total() == sum(event.type == "guard.decision.created" for event in kept)
        # Of what was acknowledged, only what came in the last write can be missing.
        gone = whole[start:].count(b"\n")
        assert len(compare(worked[1], kept).lost) <= gone


@deep("many starts; what each reads of the log is tried in process, too")
def test_a_flipped_bit_in_an_earlier_line_stops_the_start_and_names_the_place(
    worked: tuple[Path, Heard], tmp_path: Path
) -> None:
    home = without_tables(worked[0], tmp_path / "flipped")
    log = the_log(home)
    content = bytearray(log.read_bytes())
    lines = bytes(content).splitlines(keepends=True)
    number = len(lines) // 2
    offset = sum(map(len, lines[:number]))
    content[offset + len(lines[number]) - 20] ^= 1
    log.write_bytes(content)
    said = refusal(home)
    assert f"{log}, line {number + 1}, byte {offset}" in said
    assert "Restore this file from a copy" in said
    assert log.read_bytes() == bytes(content), "a refused start must leave the evidence as it found it"


@deep("many starts; what each reads of the log is tried in process, too")
def test_tables_that_are_ahead_of_the_log_stop_the_start_and_say_what_to_do(
    worked: tuple[Path, Heard], tmp_path: Path
) -> None:
    home = tmp_path / "ahead"
    shutil.copytree(worked[0], home)
    with start_service(home) as service:
        one_more(service)
    log = the_log(home)
    whole = log.read_bytes()
    head = len(read_log(home))
    log.write_bytes(whole[: last_write(log)])
    said = refusal(home)
    assert f"the tables hold events up to {head}, but the log in {home / 'log'} ends at {head - 1}" in said
    assert "assent rebuild" in said


@deep("many starts; what each reads of the log is tried in process, too")
def test_a_missing_log_is_not_taken_for_a_first_start(worked: tuple[Path, Heard], tmp_path: Path) -> None:
    home = tmp_path / "lost"
    shutil.copytree(worked[0], home)
    with start_service(home) as service:
        one_more(service)
    shutil.rmtree(home / "log")
    assert "but the log in" in refusal(home)


@deep("many starts; what each reads of the log is tried in process, too")
def test_two_services_cannot_share_a_home(live_service: LiveService) -> None:
    said = refusal(live_service.home)
    assert f"in use by another Assent process (process id {live_service.process.pid})" in said
    assert one_more(live_service)


@deep("many starts")
def test_memory_after_a_clean_stop_equals_the_folded_log(worked: tuple[Path, Heard], tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(worked[0], home)
    with start_service(home) as service:
        # On a busy machine all that waited may have been approved before.
        assert service.call("POST", "/api/actions", {"action_type": "refund"})[0] == 202
        assert service.call("POST", "/api/halt", {"reason": "Look first."})[0] == 200
        assert one_more(service)
    ways = three_ways(home, tmp_path, time.time_ns() // 1000)
    assert ways["as_it_is"] == ways["folded"]
    assert ways["rebuilt"] == ways["folded"]
    assert list(ways["folded"]["halt reasons"].values()) == ["Look first."]
    assert ways["folded"]["approvals"]
    assert ways["folded"]["histories"]


@deep("many starts")
def test_a_repeated_creation_after_a_restart_is_still_a_repeat(tmp_path: Path) -> None:
    began = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=3)
    start = began.astimezone(timezone(timedelta(hours=5, minutes=30))).isoformat()
    body = {"action_type": "lookup", "idempotency_key": "once", "timestamp_start": start}
    home = tmp_path / "home"
    with start_service(home) as service:
        created = service.call("POST", "/api/actions", body)
        action_id = created[1]["action"]["action_id"]
        # The outcome comes in the same batch of the tables as the creation.
        service.call("PATCH", f"/api/actions/{action_id}", {"status": "completed"})
    with start_service(home) as service:
        status, again = service.call("POST", "/api/actions", body)
        assert (status, again["idempotent_replay"]) == (200, True), again
        assert again["action"]["action_id"] == action_id
        assert again["action"]["status"] == "completed"
        # The same instant, whichever way it was spelled.
        assert again["action"]["timestamp_start"] == began.isoformat().replace("+00:00", "Z")
        status, other = service.call("POST", "/api/actions", body | {"declared_goal": "another"})
        assert (status, other["code"]) == (422, "idempotency_mismatch")


@deep("many starts")
@pytest.mark.parametrize("where", ["header", "everywhere"])
def test_tables_that_are_damaged_are_told_in_one_sentence_and_a_rebuild_mends_them(tmp_path: Path, where: str) -> None:
    home = tmp_path / "home"
    with start_service(home) as service:
        created = service.call("POST", "/api/actions", {"action_type": "lookup"})[1]["action_id"]
    file = home / "tables.duckdb"
    content = bytearray(file.read_bytes())
    for at in range(0, 4096, 7) if where == "header" else range(16384, len(content), 97):
        content[at] ^= 0xFF
    file.write_bytes(content)
    with pytest.raises(StartRefused) as refused:
        start_service(home)
    assert refused.value.code == 1
    said = refused.value.output.strip().splitlines()
    assert len(said) == 1, refused.value.output
    assert "tables.duckdb cannot be used" in said[0]
    assert "run `assent rebuild`" in said[0]
    rebuild.run(home)
    with start_service(home) as service:
        assert service.call("GET", f"/api/actions/{created}")[0] == 200
